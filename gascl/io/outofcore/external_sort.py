"""Sorting of more integers than fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gascl.graph.parallel import blocks, in_order, in_threads
from gascl.graph.radix_sort import radix_sorted
from gascl.io.outofcore.disk_array import DiskArray
from gascl.util.progress import Progress

#: The number of leading bits by which keys are partitioned.
BITS = 16
#: Files that keys are parted into at a time: up to two times as many are open.
PILES = 64
#: Keys parted at a time in memory, and sorted at a time: few enough to stay in the cache.
PIECE, RANGE = 1 << 18, 1 << 16
#: The bytes of memory for a key: the key, its copy in a range, and the result of `of`. If most keys
#: are in one range, that has copies of nearly all, and the process keeps some of the freed memory.
EACH = 40

#: Gives the keys, int64, some at a time; the same ones whenever it is called.
Keys = Callable[[], Iterator[np.ndarray]]


class ExternalSort:
    """Sorts keys in memory, after parting them by their leading bits into files that fit.

    Args:
        folder: of these files.
        room: bytes of memory.
        progress: counts the keys that are taken.
    """

    def __init__(self, folder: Path, room: int, progress: Progress):
        self._folder, self._most, self._progress = folder, room // EACH, progress

    def sorted(
        self, keys: Keys, count: int, end: int, of: Callable[[np.ndarray], Any]
    ) -> Iterator[Any]:
        """`of` the keys in order, some at a time.

        Args:
            keys: of at least 0 and below `end`.
            count: their number.
            of: called in threads, with at most as many keys at a time as fit in memory, which it
                may change.
        """

        def taken() -> Iterator[np.ndarray]:
            for block in keys():
                yield block
                self._progress.advance(len(block))

        return self._sorted((keys, taken), count, (0, end), of, "keys")

    def _sorted(
        self,
        keys: tuple[Keys, Keys],
        count: int,
        bounds: tuple[int, int],
        of: Callable[[np.ndarray], Any],
        name: str,
    ) -> Iterator[Any]:
        """`sorted` for keys of bounds[0] <= key < bounds[1], the same ones to look at and to
        take."""
        look, take = keys
        begin, end = bounds
        if count <= self._most:
            yield from _in_memory(take(), count, begin, end, of)
        elif end - begin == 1:  # they are all equal
            yield from in_order(of, take())
        else:
            parting = _Partition(begin, end)
            for counts in in_order(parting.counts, look()):
                parting.total += counts
            parting.group(max(self._most, count // PILES))
            piles = [
                DiskArray(self._folder / f"{name}.{n}", np.int64)
                for n in range(len(parting.bounds) - 1)
            ]
            for parted, cuts in in_order(parting.parted, take()):
                for pile, (first, last) in zip(piles, pairwise(cuts), strict=True):
                    pile.append(parted[first:last])
            for pile in piles:
                pile.close()
            for pile, part in zip(piles, pairwise(parting.bounds), strict=True):
                again = pile.blocks, pile.blocks
                yield from self._sorted(again, len(pile), part, of, pile.path.name)
                pile.delete()


class _Partition:
    """Parts keys of begin <= key < end into groups, each of which has those of a range.

    Attributes:
        total: how many keys there are of each of the equal ranges that are grouped.
        bounds: of the groups, once there are any.
    """

    def __init__(self, begin: int, end: int):
        self._begin, self._end = begin, end
        self._shift = max((end - begin - 1).bit_length() - BITS, 0)
        self._number = ((end - begin - 1) >> self._shift) + 1
        self.total = np.zeros(self._number, np.int64)
        self.bounds: list[int] = []

    def counts(self, keys: np.ndarray) -> np.ndarray:
        """How many of some keys are in each of the ranges."""
        return np.bincount((keys - self._begin) >> self._shift, minlength=self._number)

    def group(self, most: int) -> None:
        """Group ranges of `total` so that a group has up to about so many keys, or one range."""
        # A range begins a group where its last key would be among the next `most`.
        ends = np.cumsum(self.total)
        firsts = np.flatnonzero(np.diff((ends - 1).clip(0) // most, prepend=-1))
        heavy = np.flatnonzero(self.total > most)
        firsts = np.unique(np.concatenate([[0], firsts, heavy, heavy + 1]))
        firsts = firsts[firsts < self._number]
        sizes = np.diff(firsts, append=self._number)
        self._group = np.repeat(np.arange(len(firsts), dtype=np.uint16), sizes)
        if len(firsts) <= 256:  # NumPy counts uint8 in one pass, and uint16 in two
            self._group = self._group.astype(np.uint8)
        self._groups = len(firsts)
        self.bounds = [self._begin + (first << self._shift) for first in firsts.tolist()]
        self.bounds.append(self._end)

    def parted(self, keys: np.ndarray) -> tuple[np.ndarray, list[int]]:
        """Keys by group, and where each group begins, and the last ends."""
        groups = self._group.take((keys - self._begin) >> self._shift)
        cuts = np.cumsum(np.bincount(groups, minlength=self._groups))
        return keys.take(np.argsort(groups, kind="stable")), [0, *cuts.tolist()]


def _in_memory(
    keys: Iterator[np.ndarray], count: int, begin: int, end: int, of: Callable[[np.ndarray], Any]
) -> Iterator[Any]:
    """`of` so many keys of begin <= key < end in order, some at a time."""
    found, at = np.empty(count, np.int64), 0
    for block in keys:
        found[at : at + len(block)] = block
        at += len(block)
    pieces = [found[part] for part in blocks(count, PIECE)]
    parting = _Partition(begin, end)
    for counts in in_order(parting.counts, pieces):
        parting.total += counts
    parting.group(RANGE)

    def parted(piece: np.ndarray) -> list[int]:
        piece[:], cuts = parting.parted(piece)
        return cuts

    cuts = in_threads(parted, pieces)

    def in_range(number: int) -> Any:
        first, last = parting.bounds[number : number + 2]
        parts = zip(pieces, cuts, strict=True)
        keys = np.concatenate([piece[c[number] : c[number + 1]] for piece, c in parts])
        if len(keys) > PIECE:  # too many for the cache
            keys.sort()
            return of(keys)
        keys -= first
        keys, _ = radix_sorted(keys, None, 0, (last - first - 1).bit_length())
        keys += first
        return of(keys)

    yield from in_order(in_range, range(len(parting.bounds) - 1) if count else [])
