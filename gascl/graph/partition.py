"""Parts of a graph's arcs: ranges of receiving vertices with the arcs that end in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

#: A word has a bit for each part, or for each of as many ranges of parts.
BITS = 32


class Part(NamedTuple):
    """The arcs begin to end, in the order of receivers, which end in the vertices first to last."""

    first: int
    last: int
    begin: int
    end: int


def cut(offsets: np.ndarray, number: int, first: int = 0, last: int | None = None) -> list[Part]:
    """Cut the arcs that end in a range of vertices into parts of about as many.

    Args:
        offsets: (V + 1,) where the arcs of each receiving vertex begin; V is 1 or more.
        number: of parts; there are fewer where some vertex has more arcs than a part would.
        first, last: the range, of all vertices if it is not given.

    Returns:
        The parts in order; every vertex of the range is in one of them.
    """
    last = len(offsets) - 1 if last is None else last
    begin, end = int(offsets[first]), int(offsets[last])
    targets = [begin + (end - begin) * i // number for i in range(1, number)]
    cuts = np.searchsorted(offsets, np.array(targets, offsets.dtype)).clip(first, last)
    bounds = np.unique(np.concatenate([[first], cuts, [last]])).tolist()
    ends = offsets[bounds].tolist()
    return [Part(*each) for each in zip(bounds, bounds[1:], ends, ends[1:], strict=False)]


class Division(NamedTuple):
    """How processes share the arcs: which one this is, how many they are, and for how many arcs a
    vertex counts, of which something is computed and told to others."""

    rank: int
    ranks: int
    vertex: int = 4


def shares(offsets: np.ndarray, share: Division) -> list[Part]:
    """The part of the arcs that each of the processes has; `offsets` as in `cut`."""
    rows = len(offsets) - 1
    work = offsets + np.arange(rows + 1, dtype=np.int64) * share.vertex
    bounds = [part.last for part in cut(work, share.ranks)]
    bounds = [0, *bounds, *[rows] * (share.ranks - len(bounds))]
    begins = offsets[bounds].tolist()
    return [Part(*each) for each in zip(bounds, bounds[1:], begins, begins[1:], strict=False)]


def bit_of(number: int, count: int) -> int:
    """The bit of one of `count` parts in a word."""
    return 1 << number * BITS // count


def reaches(parts: Sequence[Part], sources: np.ndarray, vertices: int) -> np.ndarray:
    """In which parts the vertices have arcs that go out from them.

    Args:
        sources: the senders of the arcs, in the order of receivers.

    Returns:
        (vertices,) uint32, the bits of those parts.
    """
    found = np.zeros(vertices, np.uint32)
    for number, part in enumerate(parts):
        there = np.zeros(vertices, bool)
        there[sources[part.begin : part.end]] = True
        found[there] |= np.uint32(bit_of(number, len(parts)))
    return found
