"""Partitions a graph's arcs by receiver: a part is a range of vertices with all arcs into it, and
perhaps a share of those of the longest rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

#: The bits of a word; each stands for a part, or for a range of parts if there are more.
BITS = 32


class Cut(NamedTuple):
    """The arcs [first, last) that a part has of a row that parts share, which has [begin, end)."""

    row: int
    begin: int
    end: int
    first: int
    last: int

    def segments(self, size: int) -> int:
        """The number of segments of so many arcs that the part has."""
        return -(-(self.last - self.first) // size)

    def all_segments(self, size: int) -> int:
        """The same of the whole row."""
        return -(-(self.end - self.begin) // size)


class Part(NamedTuple):
    """The arcs [begin, end) in the order of receivers, which end in the vertices [first, last).

    Attributes:
        cuts: the rows that parts share, of this part and of others, the same ones in each part. Of
            their arcs, it has only those that are named there.
    """

    first: int
    last: int
    begin: int
    end: int
    cuts: tuple[Cut, ...] = ()

    @property
    def own_cuts(self) -> list[Cut]:
        """Those of its own vertices."""
        return [cut for cut in self.cuts if self.first <= cut.row < self.last]

    @property
    def num_whole(self) -> int:
        """The number of arcs of its rows that are not cut."""
        return self.end - self.begin - sum(cut.end - cut.begin for cut in self.own_cuts)

    @property
    def num_arcs(self) -> int:
        return self.num_whole + sum(cut.last - cut.first for cut in self.cuts)

    def boxes(self, size: int) -> int:
        """The number of its segments of rows that are cut, or the number of all segments of its own
        vertices' rows, whichever is larger."""
        own = sum(cut.segments(size) for cut in self.cuts)
        return max(own, sum(cut.all_segments(size) for cut in self.own_cuts))

    @property
    def pieces(self) -> list[Part]:
        """Its arcs in the order in which it has them: those of rows that are not cut, and then
        those of each row that is."""
        found, first, begin = list[Part](), self.first, self.begin
        for cut in self.own_cuts:
            found.append(Part(first, cut.row, begin, cut.begin))
            first, begin = cut.row + 1, cut.end
        found.append(Part(first, self.last, begin, self.end))
        return found + [Part(cut.row, cut.row + 1, cut.first, cut.last) for cut in self.cuts]


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
    in arcs, and as in `Numbering` the bounds of the ranks' vertices, if these are given.

    Attributes:
        segment: long rows are cut into segments of so many arcs, which ranks share; 0: none is cut.
    """

    rank: int
    ranks: int
    vertex: int = 4
    bounds: tuple[int, ...] = ()
    segment: int = 0

    def of_pairs(self, vertices: int) -> Division:
        """The same for a program with `pairs`: as if each vertex had arcs from all."""
        return self._replace(vertex=vertices)


def shares(offsets: np.ndarray, share: Division) -> list[Part]:
    """The part of the arcs of each rank; `offsets` as in `cut`."""
    rows, ranks, bounds = len(offsets) - 1, share.ranks, list(share.bounds)
    long = rows_to_cut(offsets, share) if share.segment else []
    lengths = [int(offsets[row + 1] - offsets[row]) for row in long]
    before = [0, *accumulate(lengths)]

    def work(row: int) -> int:
        """That of the rows before this one, except those that are cut: looked up, since arrays
        would be of all vertices."""
        return int(offsets[row]) + row * share.vertex - before[bisect_left(long, row)]

    every, room = work(rows) + before[-1], [1] * ranks
    if bounds and long:
        room = [max(every - ranks * (work(b) - work(a)), 0) for a, b in pairwise(bounds)]
    dealt = [_dealt(row, offsets, room, share.segment) for row in long]
    cuts = list(zip(*dealt, strict=True)) or [()] * ranks
    if not bounds:
        others = accumulate(sum(each.last - each.first for each in its) for its in cuts)
        targets = [every * (i + 1) // ranks - its for i, its in enumerate(others)][:-1]
        firsts = [bisect_left(range(rows), each, key=work) for each in accumulate(targets, max)]
        bounds = sorted({0, *firsts, rows})
        bounds += [rows] * (ranks + 1 - len(bounds))
    begins = offsets[bounds].tolist()
    ranges = zip(pairwise(bounds), pairwise(begins), cuts, strict=True)
    return [Part(*rows_of, *arcs_of, own) for rows_of, arcs_of, own in ranges]


def rows_to_cut(offsets: np.ndarray, share: Division) -> list[int]:
    """The rows that alone have more arcs than an equal share of a rank, and more than two segments;
    there are fewer than ranks."""
    total = int(offsets[-1])
    least = max(total // share.ranks, 2 * share.segment) + 1
    # Each of them has an arc at a multiple of so many.
    found = offsets.searchsorted(np.arange(0, total, least, dtype=offsets.dtype), "right") - 1
    return [row for row in bounds_of(found).tolist() if offsets[row + 1] - offsets[row] >= least]


def _dealt(row: int, offsets: np.ndarray, room: Sequence[int], size: int) -> list[Cut]:
    """The segments of a row for each rank, in proportion to the room that it has. They are dealt in
    the order of the ranks, so that their senders are often the rank's own vertices."""
    begin, end = int(offsets[row]), int(offsets[row + 1])
    number, ends = -(-(end - begin) // size), list(accumulate(room))
    bounds = [min(begin + size * (number * each // ends[-1]), end) for each in (0, *ends)]
    return [Cut(row, begin, end, *each) for each in pairwise(bounds)]


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
