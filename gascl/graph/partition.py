"""Partitions a graph's arcs by receiver: a part is a range of vertices with all arcs into it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

#: The bits of a word; each stands for a part, or for a range of parts if there are more.
BITS = 32


class Part(NamedTuple):
    """The arcs [begin, end) in the order of receivers, which end in the vertices [first, last)."""

    first: int
    last: int
    begin: int
    end: int


def cut(offsets: np.ndarray, number: int, first: int = 0, last: int | None = None) -> list[Part]:
    """Cut the arcs that end in a range of vertices into parts of about equal size.

    Args:
        offsets: (V + 1,) where the arcs of each receiving vertex begin; V is 1 or more.
        number: the number of parts; there are fewer if a vertex has more arcs than a part would.
        first, last: the range; by default all vertices.

    Returns:
        The parts in order; every vertex of the range is in one of them.
    """
    last = len(offsets) - 1 if last is None else last
    begin, end = int(offsets[first]), int(offsets[last])
    targets = [begin + (end - begin) * i // number for i in range(1, number)]
    cuts = offsets.searchsorted(np.array(targets, offsets.dtype)).clip(first, last)
    bounds = bounds_of([first], cuts, [last]).tolist()
    ends = offsets[bounds].tolist()
    return [Part(*each) for each in zip(bounds, bounds[1:], ends, ends[1:], strict=False)]


def bounds_of(*arrays: Any) -> np.ndarray:
    """The bounds of consecutive ranges, strictly increasing, from arrays that have them in any
    order. (`np.unique` would import numpy.ma, which takes longer than a small run.)"""
    bounds = np.sort(np.concatenate(arrays))
    return bounds[np.diff(bounds, prepend=-1) > 0]


class Division(NamedTuple):
    """How ranks partition the arcs: this rank, the number of ranks, the cost of a vertex measured
    in arcs, and as in `Numbering` the bounds of the ranks' vertices, if these are given."""

    rank: int
    ranks: int
    vertex: int = 4
    bounds: tuple[int, ...] = ()


def shares(offsets: np.ndarray, share: Division) -> list[Part]:
    """The part of the arcs of each rank; `offsets` as in `cut`."""
    rows, ranks = len(offsets) - 1, share.ranks

    def work(row: int) -> int:
        """That of the rows before this one: looked up, since arrays would be of all vertices."""
        return int(offsets[row]) + row * share.vertex

    bounds = list(share.bounds)
    if not bounds:
        targets = [work(rows) * i // ranks for i in range(1, ranks)]
        cuts = [bisect_left(range(rows), target, key=work) for target in targets]
        bounds = sorted({0, *cuts, rows})
        bounds += [rows] * (ranks + 1 - len(bounds))
    begins = offsets[bounds].tolist()
    return [Part(*each) for each in zip(bounds, bounds[1:], begins, begins[1:], strict=False)]


def bit_of(number: int, count: int) -> int:
    """The bit of one of `count` parts in a word."""
    return 1 << number * BITS // count


def reaches(senders: Iterable[np.ndarray], count: int, each: int, reached: np.ndarray) -> None:
    """Find the parts in which vertices have outgoing arcs.

    Args:
        senders: those of the arcs of each of `count` parts.
        each: how many vertices, one after the other, have a word together.
        reached: uint32, all 0, of the words, in which the bits of those parts are set.
    """
    for number, sources in enumerate(senders):
        reached[sources // each] |= np.uint32(bit_of(number, count))


def senders_elsewhere(senders: np.ndarray, part: Part, vertices: int) -> np.ndarray:
    """int32: the vertices outside of a part from which arcs end in it, in order.

    Args:
        senders: those of the part's arcs.
    """
    sends = np.zeros(vertices, bool)
    sends[senders] = True
    sends[part.first : part.last] = False
    return np.flatnonzero(sends).astype(np.int32)
