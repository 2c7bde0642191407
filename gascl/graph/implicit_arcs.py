"""Arcs that are not stored: a rule gives those of any range of vertices.

So a graph may be larger than memory, and have more vertices than 32 bits can number. Each of
several ranks has the arcs that end in its own vertices, and numbers these and their halo in 32
bits.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from gascl.graph.arcs import Arcs, LocalArcs, Order, PlacesOf, index_dtype
from gascl.graph.graph import Graph
from gascl.graph.lazy import LazyValues, Remade
from gascl.graph.parallel import blocks, filled, in_threads
from gascl.graph.partition import Part
from gascl.graph.raw_graph import RawGraph
from gascl.graph.unstored import Unstored

INT64 = np.dtype(np.int64)
#: The rows of which arcs are made at a time, so that temporary arrays stay in the cache.
_ROWS = 1 << 14


class Rule(Protocol):
    """Arcs in rows: by the vertex in which they end, or by the one from which they start. None is
    a self-loop.

    Attributes:
        least, most: the smallest and the largest number of arcs in a row, at most 255.
        reach: the most by which the numbers of a row and of an end of its arcs differ.
    """

    least: int
    most: int
    reach: int

    def begins(self, rows: np.ndarray) -> np.ndarray:
        """int64: the number of arcs in the rows before each of these rows, int64."""

    def counts(self, first: int, last: int) -> np.ndarray:
        """int32: the number of arcs in each of the rows `first` to `last - 1`."""

    def ends(self, first: int, last: int) -> np.ndarray:
        """int64: the other ends of the arcs in rows `first` to `last - 1`, row by row, rising in
        each."""


class Offsets(Unstored):
    """Where the arcs of each row begin, int64 (V + 1,), by a rule."""

    def __init__(self, rule: Rule, num_vertices: int):
        super().__init__(num_vertices + 1, INT64)
        self.rule = rule

    def take(self, rows: np.ndarray) -> np.ndarray:
        return self.rule.begins(np.asarray(rows, np.int64))

    def counts(self, vertices: PlacedVertices, counts: np.ndarray) -> np.ndarray:
        """Set `counts`, uint8, to the number of arcs in the rows of these vertices."""
        before, after = vertices.rows
        halo = self.take(vertices.halo + 1) - self.take(vertices.halo)
        counts[:before], counts[after:] = halo[:before], halo[before:]
        first = vertices.base + before

        def own(block: slice) -> np.ndarray:
            return self.rule.counts(first + block.start, first + block.stop)

        filled(counts[before:after], own)
        return counts

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, slice):
            first, last, step = rows.indices(self.size)
            return self.take(np.arange(first, last, step))
        return self.take(rows)[()]


class PlacedVertices:
    """The vertex at each place of a rank, int64 (places,): a range, and the halo before and after
    it. Only the halo is stored.

    Attributes:
        halo: int64, rising, the vertices outside of the range.
        rows: the places of the range.
        base: the first vertex of the range, less its place.
    """

    dtype = INT64

    def __init__(self, halo: np.ndarray, part: Part):
        before = int(np.searchsorted(halo, part.first))
        self.halo, self.rows = halo, (before, before + part.last - part.first)
        self.base, self._own = part.first - before, part.last - part.first

    def __len__(self) -> int:
        return len(self.halo) + self._own

    def __getitem__(self, places: Any) -> np.ndarray:
        if isinstance(places, slice):
            first, last, step = places.indices(len(self))
            if step == 1 and self.rows[0] <= first <= last <= self.rows[1]:
                own: Any = Consecutive(first + self.base, last + self.base)
                return own
            return self.take(np.arange(first, last, step))
        return self.take(places)

    def take(self, places: np.ndarray) -> np.ndarray:
        places, (first, last) = np.asarray(places, np.int64), self.rows
        vertices = places + self.base
        for some, shift in ((places < first, 0), (places >= last, self._own)):
            vertices[some] = self.halo[places[some] - shift]
        return vertices

    def places(self, vertices: np.ndarray) -> np.ndarray:
        """int32: the places of vertices that have one."""
        first, last = self.rows
        places = vertices - self.base
        if not len(places) or (places.min() >= first and places.max() < last):
            return places.astype(np.int32)
        others = np.flatnonzero((places < first) | (places >= last))
        found = np.searchsorted(self.halo, vertices[others])
        places[others] = found + np.where(found >= first, self._own, 0)
        return places.astype(np.int32)


class Consecutive(LazyValues):
    """The numbers from `first` to before `last`, int64, of which only those are made that are
    read."""

    dtype = INT64

    def __init__(self, first: int, last: int):
        super().__init__()
        self._range, self.shape = range(first, last), (last - first,)

    def read(self) -> np.ndarray:
        return np.arange(self._range.start, self._range.stop)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            some = self._range[index]
            if some.step == 1:
                return Consecutive(some.start, some.stop)
            return np.arange(some.start, some.stop, some.step)
        if isinstance(index, int | np.integer):
            return INT64.type(self._range[index])
        return super().__getitem__(index)


class _MadePlaces(PlacesOf):
    """The same, made by the rule."""

    def __init__(self, arcs: ImplicitLocalArcs):
        super().__init__()
        self._arcs, self.shape = arcs, (arcs.part.end - arcs.part.begin,)

    def read(self) -> np.ndarray:
        first, last = self._arcs.rows
        return self._arcs.senders(Part(first, last, 0, self.shape[0]))


class _MadeOffsets(Remade):
    """Where the arcs of each place begin, I (places + 1,), made by the rule: those of the places
    before the range of a part, of the range and behind it.

    Attributes:
        most: the largest number of arcs of a place.
    """

    def __init__(self, rule: Rule, part: Part, first: int, count: int, dtype: np.dtype):
        super().__init__()
        self._rule, self._part, self._first, self.most = rule, part, first, rule.most
        self.dtype, self.shape = dtype, (count + 1,)

    def setflags(self, write: bool) -> None:
        """As of an array; it is read-only anyway."""

    def take(self, places: np.ndarray) -> np.ndarray:
        part = self._part
        rows = np.asarray(places, np.int64) + (part.first - self._first)
        begins = self._rule.begins(rows.clip(part.first, part.last)) - part.begin
        return begins.astype(self.dtype)

    def searchsorted(self, begins: np.ndarray) -> np.ndarray:
        """int64: the first place that begins with each of these arcs or a later one."""
        low, high = np.zeros(begins.shape, np.int64), np.full(begins.shape, len(self))
        while (low < high).any():
            middle = (low + high) // 2
            before = (self.take(middle) < begins) & (low < high)
            low, high = np.where(before, middle + 1, low), np.where(before, high, middle)
        return low

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            first, last, _ = index.indices(len(self))
            return self._between(first, last)
        places = np.asarray(index)
        return self.take(np.where(places < 0, places + len(self), places))[()]

    def read(self) -> np.ndarray:
        return self._between(0, len(self))

    def _between(self, first: int, last: int) -> np.ndarray:
        """Those of the places `first` to `last - 1`."""
        offsets = np.empty(max(last - first, 0), self.dtype)
        low, high = self._first, self._first + self._part.last - self._part.first
        begin, end = (min(max(place, low), high) for place in (first, last - 1))
        shift, known = self._part.first - self._first, max(begin - first + 1, 0)
        offsets[:known] = self[begin]

        def begins(block: slice) -> np.ndarray:
            row = begin + block.start + shift
            counts = self._rule.counts(row, row + block.stop - block.start)
            return self[begin + block.start] + np.cumsum(counts, dtype=self.dtype)

        filled(offsets[known : known + end - begin], begins)
        offsets[known + end - begin :] = self[end]
        return offsets


class ImplicitLocalArcs(LocalArcs):
    """The arcs that end in a range of vertices, by a rule; I is int32 if they and those on which
    the vertices scatter can be counted so."""

    vertices: Any  # PlacedVertices

    def __init__(self, whole: ImplicitArcs, part: Part):
        self.whole, self.part, self._rule = whole, part, whole.into.rule
        self.halo = halo_of(self._rule, part)
        self.vertices = PlacedVertices(self.halo, part)
        self.rows = self.vertices.rows
        own, out = slice(part.first, part.last), whole.out.offsets
        scattered = int(out[own.stop] - out[own.start])
        scattered += int((out.take(self.halo + 1) - out.take(self.halo)).sum())
        self._index = index_dtype(max(part.end - part.begin, scattered))
        self._senders = _MadePlaces(self)
        self._order(self._senders, len(self.vertices), {})
        self.into.take_as_sorted()

    def _begins(self, count: int) -> Any:
        self._offsets = _MadeOffsets(self._rule, self.part, self.rows[0], count, self._index)
        return self._offsets

    @property
    def own_offsets(self) -> Any:
        count = self.part.last - self.part.first
        return _MadeOffsets(self._rule, self.part, 0, count, self._index)

    def senders(self, part: Part) -> np.ndarray:
        found, rule = np.empty(part.end - part.begin, np.int32), self._rule
        shift = self.part.first - self.rows[0]

        def fill(rows: slice) -> None:
            first, last = (each + part.first + shift for each in (rows.start, rows.stop))
            begin, end = rule.begins(np.array([first, last])) - (self.part.begin + part.begin)
            found[begin:end] = self.vertices.places(rule.ends(first, last))

        in_threads(fill, blocks(part.last - part.first, _ROWS))
        return found

    def forget(self) -> None:
        super().forget()
        self._offsets.forget()


def halo_of(rule: Rule, part: Part) -> np.ndarray:
    """int64, rising: the vertices outside of a part from which arcs end in it; vertex 0 where the
    part has no vertices, so that there is one."""

    def outside(rows: slice) -> np.ndarray:
        ends = rule.ends(rows.start + part.first, rows.stop + part.first)
        if not len(ends) or (ends.min() >= part.first and ends.max() < part.last):
            return ends[:0]
        return np.unique(ends[(ends < part.first) | (ends >= part.last)])

    # Other rows have no arc from outside.
    count, reach = part.last - part.first, rule.reach
    near = [(0, count)] if 2 * reach >= count else [(0, reach), (count - reach, count)]
    rows = [
        slice(begin + block.start, begin + block.stop)
        for begin, end in near
        for block in blocks(end - begin, _ROWS)
    ]
    found = in_threads(outside, rows)
    return np.unique(np.concatenate([np.zeros(int(part.first == part.last), np.int64), *found]))


class ImplicitOrder(Order):
    """The arcs in one order, by a rule."""

    def __init__(self, rule: Rule, num_vertices: int, edges: Unstored):
        self.rule = rule
        offsets: Any = Offsets(rule, num_vertices)
        ends: Any = Unstored(int(offsets[num_vertices]), INT64)
        known = {"offsets": offsets, "ends": ends}
        row: Any = edges
        super().__init__(row, row, num_vertices, known=known)


class ImplicitArcs(Arcs):
    """The arcs of a graph by rules; only `local` has arrays of them."""

    into: ImplicitOrder
    out: ImplicitOrder

    def local(self, part: Part) -> ImplicitLocalArcs:
        return self._part_as(ImplicitLocalArcs, part)


def implicit_graph(
    about: str, num_vertices: int, num_edges: int, into: Rule, out: Rule | None, report: list[str]
) -> Graph:
    """A graph by a rule for the arcs by receiver, and one for those by sender.

    Args:
        about: text that determines the graph.
        out: None: the graph is undirected, and this is the same.
        report: as `Graph.report`.
    """
    src: Any = Unstored(num_edges, INT64, f"sources of {about}")
    dst: Any = Unstored(num_edges, INT64, f"targets of {about}")
    order = ImplicitOrder(into, num_vertices, src)
    by_sender = order if out is None else ImplicitOrder(out, num_vertices, src)
    direction = "both" if out is None else "out"
    raw = RawGraph(
        src=src,
        dst=dst,
        num_vertices=num_vertices,
        directed=out is not None,
        report=report,
        arcs={direction: ImplicitArcs(by_sender, order, src, direction)},
        checked=True,
    )
    return Graph._from_raw(raw, "keep", "keep")


def is_implicit(graph: Graph) -> bool:
    """Whether the arcs of a graph are not stored, but made by a rule."""
    return isinstance(graph.src, Unstored)
