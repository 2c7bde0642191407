"""The arcs of a graph in both orders, and the slots that map one order to the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gascl.graph.csr_ends import CsrEnds
from gascl.graph.lazy import LazyArray, LazyValues, Lock, Remade
from gascl.graph.parallel import blocks, cores, filled, in_threads
from gascl.graph.partition import Part, bounds_of
from gascl.graph.radix_sort import radix_sorted
from gascl.graph.reordering import Renumbered
from gascl.util.host import check_host_memory

INT32_MAX = int(np.iinfo(np.int32).max)
#: Pairs are sorted in pieces, and then in ranges of rows, of at least `_LEAST` pairs each; they are
#: larger if there would be more than `_PIECES` pieces or `_RANGES` ranges.
_LEAST, _PIECES, _RANGES = 1 << 17, 1 << 9, 1 << 11
#: The largest number of ends that a thread counts at once, unless there are more vertices.
_MOST = 1 << 25
#: int32 (E,): one end of each edge.
Ends = np.ndarray | Renumbered | CsrEnds | LazyValues
PartKind = TypeVar("PartKind", bound="ArcsPart")
#: The arrays of `Arcs`.
ARRAYS = (
    *("out_offsets", "out_targets", "out_edges", "out_reversed"),
    *("in_offsets", "in_sources", "in_edges", "in_reversed", "slot"),
)
#: The arrays of its two orders, by their names in `Order`.
ORDERS = {
    "out": {"offsets": "out_offsets", "ends": "out_targets", "places": "out_edges"},
    "in": {"offsets": "in_offsets", "ends": "in_sources", "places": "in_edges"},
}


def index_dtype(num_arcs: int) -> np.dtype:
    """The dtype of offsets, edge ids and slots: int32 while `num_arcs` itself fits, else int64."""
    return np.dtype(np.int32 if num_arcs <= INT32_MAX else np.int64)


class Order:
    """Pairs (row, end) sorted by row and then by end; equal ones keep their order.

    Each array is made when it is first read, in threads, in memory linear in pairs and vertices.
    P sorted pairs, V vertices; I is `index_dtype(P)`.

    Args:
        row, end: int32 (E,), ids below `num_vertices`, or their new numbers.
        both: also sort the pairs (end, row), except those of equal ends.
        known: those of the three arrays that exist already.
        stored: a file has those that are known.
        index: a dtype to use as I instead.
    """

    def __init__(
        self,
        row: Ends,
        end: Ends,
        num_vertices: int,
        *,
        both: bool = False,
        known: dict[str, np.ndarray] | None = None,
        stored: bool = True,
        index: np.dtype | None = None,
    ):
        self.row, self.end, self.num_vertices, self.both = row, end, num_vertices, both
        self._index = index
        self.lock = Lock()
        self.kept = known or {}
        self._stored = stored and "ends" in self.kept
        self._is_sorted = False if both or "places" in self.kept else None

    def selected(self, kept: np.ndarray, number: np.ndarray, row: Ends, end: Ends) -> Order:
        """The order of some of the pairs, filtered from this one, whose arrays are all known.

        Args:
            kept: bool (E,).
            number: (E,): the new position of each pair that is kept.
            row, end: those that are kept.
        """
        places = self.places
        among = kept.take(places)
        before = np.zeros(len(places) + 1, np.int64)
        np.cumsum(among, out=before[1:])
        offsets = before.take(self.offsets)
        index = index_dtype(int(offsets[-1]))
        known = {
            "offsets": offsets.astype(index),
            "ends": self.ends[among],
            "places": number.take(places[among]).astype(index),
        }
        for array in known.values():
            array.setflags(write=False)
        return Order(row, end, self.num_vertices, both=self.both, known=known, stored=False)

    @property
    def presorted(self) -> bool:
        """Whether the ends were in this order from the start: a file has the arcs, or the edges
        themselves are stored as offsets."""
        return self._stored or (isinstance(self.row, CsrEnds) and self.is_sorted)

    @LazyArray
    def offsets(self) -> np.ndarray:
        """I (V+1): the pairs of row v are offsets[v] to offsets[v+1] - 1."""
        if isinstance(self.row, CsrEnds) and not self.both:
            index = self._index or index_dtype(len(self.row))
            return self.row.offsets.astype(index, copy=False)
        # The offsets, or else counts, those of a part, and those of the other ends.
        count, each = self.num_vertices, 4 if self.is_sorted else 24 if self.both else 16
        check_host_memory(each * count, f"the degrees of {count:,} vertices")
        if self.is_sorted:
            return self._begins()
        counts = _counts(self.row, self.num_vertices)
        if self.both:
            counts += _counts(self.end, self.num_vertices)
            loops = [self.row[b][self.row[b] == self.end[b]] for b in blocks(len(self.row))]
            if sum(map(len, loops)):
                counts -= _counts(np.concatenate(loops), self.num_vertices)
        offsets = np.zeros(len(counts) + 1, self._index or index_dtype(int(counts.sum())))
        np.cumsum(counts, out=offsets[1:])
        return offsets

    def _begins(self) -> np.ndarray:
        """The offsets of presorted pairs: the positions where the row changes."""
        num_pairs = len(self.row)
        index = self._index or index_dtype(num_pairs)
        offsets = np.full(self.num_vertices + 1, num_pairs, index)

        def begin(block: slice) -> None:
            row = self.row[max(block.start - 1, 0) : block.stop]
            first = np.flatnonzero(row[1:] != row[:-1]) + 1
            if block.start == 0:
                first = np.append(0, first)
            offsets[row[first]] = first + max(block.start - 1, 0)

        in_threads(begin, blocks(num_pairs))
        backwards = offsets[::-1]  # a row without pairs begins where the next one does
        np.minimum.accumulate(backwards, out=backwards)
        return offsets

    def know(self, offsets: np.ndarray) -> None:
        """Keep offsets that were computed elsewhere."""
        with self.lock:
            offsets.setflags(write=False)
            self.kept.setdefault("offsets", offsets)

    def replace(self, name: str, array: np.ndarray, copy: np.ndarray) -> None:
        """Keep a copy of one of the arrays instead, which a device reads, too."""
        with self.lock:
            if self.kept.get(name) is array:
                copy.setflags(write=False)
                self.kept[name] = copy

    def take_as_sorted(self) -> None:
        """Assume that the pairs were sorted from the start, without checking."""
        self._is_sorted = True

    def make(self) -> None:
        """Compute `offsets` and `ends` now."""
        for name in ("offsets", "ends"):
            getattr(self, name)

    @LazyArray
    def ends(self) -> np.ndarray:
        """int32 (P): the end of each pair."""
        if self.is_sorted:
            return np.asarray(self.end)
        few = int(self.offsets[-1]) <= _LEAST  # computing their places, too, costs little
        self._sort("ends", *(["places"] if few else []))
        return self.kept["ends"]

    @LazyArray
    def places(self) -> np.ndarray:
        """I (P): the position of each pair in the input."""
        if self.is_sorted:
            places = np.empty(len(self.row), self.offsets.dtype)
            return filled(places, lambda block: np.arange(block.start, block.stop))
        self._sort("places", *([] if "ends" in self.kept else ["ends"]))
        return self.kept["places"]

    def only_places(self) -> np.ndarray:
        """`places`, without computing and caching the ends as well."""
        return self.piece("places", Part(0, self.num_vertices, 0, int(self.offsets[-1])))

    def piece(self, name: str, part: Part) -> np.ndarray:
        """The items of a part in `ends` or `places`. Only its own pairs, and those of the rows that
        it shares, are sorted."""
        if part.cuts:
            return np.concatenate([self.piece(name, each) for each in part.pieces])
        own = slice(part.begin, part.end)
        if name in self.kept:
            return self.kept[name][own]
        if not self.is_sorted:
            begin = int(self.offsets[part.first])
            items = self._sorted([name], part.first, part.last)[name]
            return items[part.begin - begin : part.end - begin]
        if name == "ends":
            return self.end[own]
        return np.arange(part.begin, part.end, dtype=self.offsets.dtype)

    @property
    def rows(self) -> np.ndarray:
        """int32 (P): the row of each pair; computed at each call."""
        if self.is_sorted:
            return np.asarray(self.row)
        return CsrEnds(self.offsets).rows

    @property
    def is_sorted(self) -> bool:
        """Whether the pairs were sorted from the start; never if each also has its reverse."""
        with self.lock:
            if self._is_sorted is None:
                parts = blocks(len(self.row))
                self._is_sorted = _everywhere(self._rises, parts)
            return self._is_sorted

    def _rises(self, block: slice) -> bool:
        """Whether the pairs of a block, and the one after it, are in order."""
        if isinstance(self.row, CsrEnds):
            end = self.end[block.start : block.stop + 1]
            falls = block.start + 1 + np.flatnonzero(end[1:] < end[:-1])
            begins = self.row.offsets  # only there may ends fall
            return bool((begins[np.searchsorted(begins, falls)] == falls).all())
        row, end = (ends[block.start : block.stop + 1] for ends in (self.row, self.end))
        same = row[1:] == row[:-1]
        return bool(((row[1:] > row[:-1]) | (same & (end[1:] >= end[:-1]))).all())

    def ends_before(self, part: Part) -> np.ndarray:
        """int64 (V,): for each vertex, the number of pairs in the rows before a part that end in
        it."""
        before, size = np.zeros(self.num_vertices, np.int64), max(self.num_vertices, _LEAST)
        for block in blocks(len(self.row), size):
            row, end = self.row[block], self.end[block]
            before += np.bincount(end[row < part.first], minlength=self.num_vertices)
            if self.both:
                reverse = row[(end < part.first) & (row != end)]
                before += np.bincount(reverse, minlength=self.num_vertices)
        return before

    def _sort(self, *names: str) -> None:
        """Compute `ends` or `places`, or both."""
        arrays = self._sorted(names, 0, self.num_vertices)
        for array in arrays.values():
            array.setflags(write=False)
        self.kept |= arrays

    def _sorted(self, names: Sequence[str], first: int, last: int) -> dict[str, np.ndarray]:
        """`ends` or `places`, or both, of the pairs in a range of rows.

        Each piece is partitioned into the same ranges of rows, and then each range is sorted, all
        in the cache. A pair is one number, row before end.
        """
        offsets, bits = self.offsets[first : last + 1], max(self.num_vertices - 1, 1).bit_length()
        begin, num_pairs = int(offsets[0]), int(offsets[-1] - offsets[0])
        types = {"ends": np.dtype(np.int32), "places": offsets.dtype}
        arrays = {name: np.empty(num_pairs, types[name]) for name in names}
        places, whole = "places" in arrays, last - first == self.num_vertices
        bounds = _bounds(offsets)
        ranges = len(bounds) - 1
        kind = np.min_scalar_type(ranges)  # NumPy counts uint8 in one pass, and uint16 in two
        range_of = np.repeat(np.arange(ranges, dtype=kind), np.diff(bounds))
        low = bits if self._ends_rise() else 0  # the sort is stable

        def piece(part: slice) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
            keys, place = self._keys(part, bits, places)
            if not whole:
                keys -= first << bits
                own = np.flatnonzero((keys >= 0) & (keys < last - first << bits))
                keys, place = keys.take(own), None if place is None else place.take(own)
            if ranges < 2:
                return keys, place, np.array([0, len(keys)])
            order = np.argsort(range_of.take(keys >> bits), kind="stable")
            keys = keys.take(order)
            cuts = np.searchsorted(keys, bounds << bits)
            return keys, None if place is None else place.take(order), cuts

        size = max(_LEAST, int(self.offsets[-1]) // _PIECES) >> self.both
        slices = blocks(len(self.row) if num_pairs else 0, max(1, size))
        pieces = in_threads(piece, slices)

        def sort(number: int) -> None:
            lowest, end = bounds[number : number + 2].tolist()
            keys = np.concatenate([k[c[number] : c[number + 1]] for k, _, c in pieces])
            place = None
            if places:
                own = [p[c[number] : c[number + 1]] for _, p, c in pieces if p is not None]
                place = np.concatenate(own)
            keys -= lowest << bits
            keys, place = radix_sorted(keys, place, low, bits + (end - lowest - 1).bit_length())
            part = slice(offsets[lowest] - begin, offsets[end] - begin)
            if place is not None:
                arrays["places"][part] = place
            if "ends" in arrays:
                keys &= (1 << bits) - 1
                arrays["ends"][part] = keys

        in_threads(sort, range(ranges) if num_pairs else [])
        return arrays

    def _ends_rise(self) -> bool:
        """Whether the pairs were sorted by end from the start, as those of the other order are."""

        def rises(block: slice) -> bool:
            end = self.end[block.start : block.stop + 1]
            return bool((end[1:] >= end[:-1]).all())

        parts = blocks(0 if self.both else len(self.row))
        return not self.both and _everywhere(rises, parts)

    def _keys(self, part: slice, bits: int, places: bool) -> tuple[np.ndarray, np.ndarray | None]:
        """Some of the pairs, each as one number, row before end, and their positions.

        Both ways, each pair is followed by its reverse.
        """
        row, end = self.row[part], self.end[part]
        keys = np.empty(len(row) << self.both, np.int64)
        for first, a, b in ((0, row, end), (1, end, row))[: 1 + self.both]:
            half = keys[first :: 1 + self.both]
            half[:] = a
            half <<= bits
            half |= b
        place = None
        if places:
            place = np.arange(part.start, part.stop, dtype=self.offsets.dtype)
            place = place.repeat(2) if self.both else place
        if self.both and self.offsets[-1] < 2 * len(self.row):
            once = np.ones(len(keys), bool)
            np.not_equal(row, end, out=once[1::2])
            keys, place = keys[once], None if place is None else place[once]
        return keys, place


def _everywhere(holds: Callable[[slice], bool], parts: Sequence[slice]) -> bool:
    """Whether something holds for all parts. Where it does not, the first parts show that in most
    graphs, so parts are tested in rounds."""
    at_once = 16 * cores()
    rounds = [parts[:1], *(parts[i : i + at_once] for i in range(1, len(parts), at_once))]
    return all(all(in_threads(holds, some)) for some in rounds)


def _bounds(offsets: np.ndarray) -> np.ndarray:
    """int64: the bounds of ranges of rows, each of less than 2 `size` pairs or a single row."""
    size = max(_LEAST, int(offsets[-1] - offsets[0]) // _RANGES)
    rows = np.searchsorted(offsets, np.arange(offsets[0], offsets[-1], size), "right") - 1
    long = rows[offsets[rows + 1] - offsets[rows] > size]
    return bounds_of([0], rows, long + 1, [len(offsets) - 1])


def sorting_bytes(num_pairs: int) -> int:
    """The largest number of bytes that sorting takes beyond the arrays of the Order."""
    each = 8 + index_dtype(num_pairs).itemsize  # a key and a position
    size = max(_LEAST, num_pairs // _PIECES)
    threads = min(cores(), -(-num_pairs // size))
    # Threads sort different pairs; each of these is in up to seven arrays of 8 bytes at the time.
    return each * num_pairs + 56 * min(2 * size * threads, num_pairs)


def _counts(ends: Ends, num_vertices: int) -> np.ndarray:
    """int64 (V,): the number of times that each vertex occurs among the ends."""
    # Each part is counted in an array of its own, which must not be larger than the part.
    size = max(len(ends) // cores() + 1, num_vertices, _LEAST)
    parts = blocks(len(ends), size) or [slice(0, 0)]
    # NumPy copies what it counts to 8-byte numbers, and makes an array of counts, in each call.
    step = max(num_vertices, min(4 * num_vertices, _MOST), _LEAST)

    def count(part: slice) -> np.ndarray:
        counts = np.zeros(num_vertices, np.int64)
        for begin in range(part.start, part.stop, step):
            piece = ends[begin : min(begin + step, part.stop)]
            counts += np.bincount(piece, minlength=num_vertices)
        return counts

    total, *more = in_threads(count, parts)

    def add(block: slice) -> None:
        for counts in more:
            total[block] += counts[block]

    in_threads(add, blocks(num_vertices))
    return total


class Arcs:
    """Every arc twice: by the vertex that scatters (CSR) and by the one that receives (CSC).

    CSR order is by (scattering vertex, other end, edge id), CSC order by (receiving vertex,
    scattering vertex, edge id). A arcs, V vertices; I is `index_dtype(A)`. All arrays are
    read-only, and computed when they are first read. Equal arrays are shared: the flags if all arcs
    run one way, the two orders if all run both ways, and the edges' own if they are in order.

    Args:
        out, into: the arcs in CSR and in CSC order, whose places are edge ids.
        edge_src: int32 (E,), as `row` of an Order.
        direction: "out" if all arcs run from edge_src to edge_dst, "in" if from edge_dst to
            edge_src, "both" if every edge is two arcs, a self-loop one.
        known: `out_reversed`, `in_reversed` or `slot` if they exist already.
    """

    def __init__(
        self,
        out: Order,
        into: Order,
        edge_src: Ends,
        direction: str,
        known: dict[str, np.ndarray] | None = None,
    ):
        self.out, self.into, self.edge_src, self.direction = out, into, edge_src, direction
        self.lock = Lock()
        self.kept = known or {}
        self._parts: dict[tuple[type[ArcsPart], Part], ArcsPart] = {}

    @property
    def out_offsets(self) -> np.ndarray:
        """I (V+1): the arcs that v scatters on are out_offsets[v:v+2]."""
        return self.out.offsets

    @property
    def out_targets(self) -> np.ndarray:
        """int32 (A): the receiving end of each arc, in CSR order."""
        return self.out.ends

    @property
    def out_edges(self) -> np.ndarray:
        """I (A): edge ids."""
        return self.out.places

    @property
    def in_offsets(self) -> np.ndarray:
        """I (V+1): the arcs that v receives on are in_offsets[v:v+2]."""
        return self.into.offsets

    @property
    def in_sources(self) -> np.ndarray:
        """int32 (A): the scattering end of each arc, in CSC order."""
        return self.into.ends

    @property
    def in_edges(self) -> np.ndarray:
        """I (A): edge ids."""
        return self.into.places

    @LazyArray
    def out_reversed(self) -> np.ndarray:
        """uint8 (A): 1 where the arc runs from edge_dst to edge_src."""
        if self.direction != "both":
            return np.full(int(self.out_offsets[-1]), self.direction == "in", np.uint8)
        rows = CsrEnds(self.out_offsets)
        return self.reversed_among(self.out_edges, lambda block: rows[block])

    @LazyArray
    def in_reversed(self) -> np.ndarray:
        """uint8 (A): `out_reversed` in CSC order."""
        if self.direction != "both":
            return self.out_reversed
        sources = self.in_sources
        return self.reversed_among(self.in_edges, lambda block: sources[block])

    def reversed_among(
        self, edges: np.ndarray, scatterers: Callable[[slice], np.ndarray]
    ) -> np.ndarray:
        """uint8: the flags of arcs, from their edges and the vertices that scatter on them."""
        flags = np.empty(len(edges), np.uint8)
        return filled(flags, lambda b: self.edge_src.take(edges[b]) != scatterers(b))

    @LazyArray
    def slot(self) -> np.ndarray:
        """I (A): for each arc in CSR order its place in CSC order.

        It is the reverse-edge index of Che, "GasCL: A Vertex-Centric Graph Model for GPUs"
        (HPEC 2014), section IV-B: a vertex that scatters along CSR arc i writes its message to
        `slot[i]`, and the slots of each receiving vertex are contiguous.
        """
        if self.into.is_sorted:
            return self.out_edges
        return Order(self.in_sources, self.into.rows, self.into.num_vertices).only_places()

    @property
    def is_complete(self) -> bool:
        """Whether all arrays of both orders are known."""
        return all({"offsets", "ends", "places"} <= set(o.kept) for o in (self.out, self.into))

    def selected(
        self, kept: np.ndarray, number: np.ndarray, src: np.ndarray, dst: np.ndarray
    ) -> Arcs:
        """The arcs of some of the edges, if complete; arguments as in `Order.selected`."""
        row, end = (dst, src) if self.direction == "in" else (src, dst)
        out = self.out.selected(kept, number, row, end)
        into = out if self.into is self.out else self.into.selected(kept, number, end, row)
        return Arcs(out, into, src, self.direction)

    def made(self) -> dict[str, np.ndarray]:
        """The arrays that have been computed, by name."""
        arrays = dict(self.kept)
        for order, names in ((self.out, ORDERS["out"]), (self.into, ORDERS["in"])):
            arrays |= {name: order.kept[own] for own, name in names.items() if own in order.kept}
        return {name: arrays[name] for name in ARRAYS if name in arrays}

    def transposed(self) -> Arcs:
        """The transposed arcs; all arcs must run one way."""
        direction = {"out": "in", "in": "out"}[self.direction]
        return type(self)(self.into, self.out, self.edge_src, direction)

    def given(self, values: np.ndarray) -> np.ndarray:
        """(E,) values of the edges, in the order of the input pairs of the two orders."""
        return values

    def part(self, part: Part) -> ArcsPart:
        """The arcs of a part, between all vertices."""
        return self._part_as(ArcsPart, part)

    def local(self, part: Part) -> LocalArcs:
        """The arcs of a part, between its own vertices and its halo."""
        return self._part_as(LocalArcs, part)

    def _part_as(self, kind: type[PartKind], part: Part) -> PartKind:
        with self.lock:
            if (kind, part) not in self._parts:
                self._parts[kind, part] = kind(self, part)
            made = self._parts[kind, part]
        assert isinstance(made, kind)
        return made


class ArcsPart:
    """The arcs that end in a range of vertices, with the same attributes as `Arcs`.

    Vertices and edges keep their ids, and I is that of all arcs. In CSC order, these arcs are a
    contiguous piece of all arcs, and only they are sorted; from there they are sorted into CSR
    order. Rows that are cut have no arcs there: the part's own arcs of these follow after all rows,
    and are not in CSR order.

    Attributes:
        rows: the range of vertices.
        receivers: the receiver of each arc, in CSC order.
    """

    def __init__(self, whole: Arcs, part: Part):
        self.whole, self.part, self.rows = whole, part, (part.first, part.last)
        ends = whole.into.piece("ends", part)
        self._order(ends, len(whole.in_offsets) - 1, {"ends": ends})

    def _order(self, ends: Ends, count: int, known: dict[str, np.ndarray]) -> None:
        """Set both orders of the arcs.

        Args:
            ends: their senders, in CSC order.
            count: the number of vertices.
            known: arrays that exist already, in CSC order.
        """
        offsets = self._begins(count)
        offsets.setflags(write=False)
        self.receivers, known = CsrEnds(offsets), {"offsets": offsets, **known}
        self.into = Order(self.receivers, ends, count, known=known, index=offsets.dtype)
        self.out = Order(ends, self.receivers, count, index=offsets.dtype)
        self.lock = Lock()
        self.kept: dict[str, np.ndarray] = {}

    def _begins(self, count: int) -> np.ndarray:
        """I (count + 1,): where the arcs of each receiver begin."""
        (first, last), part = self.rows, self.part
        own = self.whole.in_offsets[part.first : part.last + 1]
        offsets = np.zeros(count + 1, own.dtype)
        offsets[first : last + 1] = own - own.dtype.type(part.begin)
        for cut in part.own_cuts:
            offsets[first + cut.row - part.first + 1 : last + 1] -= cut.end - cut.begin
        offsets[last + 1 :] = part.num_whole
        return offsets

    def row_of(self, vertex: int) -> int:
        """The row of a vertex on the device."""
        return vertex

    @property
    def offset(self) -> np.dtype:
        """I."""
        return self.into.offsets.dtype

    @property
    def out_edges(self) -> np.ndarray:
        return self.in_edges.take(self.slot)

    @property
    def out_reversed(self) -> np.ndarray:
        return self.in_reversed.take(self.slot)

    @LazyArray
    def in_edges(self) -> np.ndarray:
        return self.whole.into.piece("places", self.part)

    @LazyArray
    def in_reversed(self) -> np.ndarray:
        sources = self.into.ends
        return self._reversed(lambda block: sources[block])

    def _reversed(self, senders: Callable[[slice], np.ndarray]) -> np.ndarray:
        """`in_reversed`, given the senders of some of the arcs."""
        whole, part = self.whole, self.part
        if whole.direction != "both":
            return np.full(part.num_arcs, whole.direction == "in", np.uint8)
        if "in_reversed" in whole.kept:
            flags = whole.in_reversed
            return np.concatenate([flags[each.begin : each.end] for each in part.pieces])
        return whole.reversed_among(self.in_edges, senders)

    @property
    def slot(self) -> np.ndarray:
        return self.out.places

    @LazyArray
    def before(self) -> np.ndarray:
        """int64 (V,): how many arcs lead from each vertex to those before this part's."""
        return self.whole.into.ends_before(self.part)

    @LazyArray
    def places(self) -> np.ndarray:
        """I (arcs of the part): the position of each, in CSR order, among all arcs in CSR order."""
        # Targets rise within a row, so that arcs to the vertices before this part's come first.
        shift = self.whole.out_offsets[:-1] + self.before - self.out.offsets[:-1]
        return np.arange(self.part.num_arcs) + np.repeat(shift, np.diff(self.out.offsets))

    def know_before(self, before: np.ndarray) -> None:
        """Keep `before` that was found without the other arcs, and what else `places` needs, after
        `drop_ends`, too."""
        before.setflags(write=False)
        with self.lock:
            self.kept["before"] = before
            _ = self.out.offsets

    def given(self, values: np.ndarray) -> np.ndarray:
        """As `Arcs.given`; the input pairs are the part's arcs in CSC order."""
        return values.take(self.in_edges)

    def drop_ends(self, absent: Any) -> None:
        """Free the ends of the arcs, which the device has now and which cannot be made again.

        Args:
            absent: an array that raises an error where it is read.
        """
        with self.lock:
            for order in (self.whole.into, self.into, self.out):
                order.kept = {"offsets": order.kept["offsets"]} if "offsets" in order.kept else {}
            self.into.end = self.out.row = absent


class PlacesOf(Remade):
    """The places of the senders of a rank's arcs, int32 (arcs,)."""

    dtype = np.dtype(np.int32)


class _FoundPlaces(PlacesOf):
    """The same, looked up among all vertices.

    Args:
        ends: int32 (arcs,), vertices.
        vertices: as in `LocalArcs`.
        count: the number of all vertices.
    """

    def __init__(self, ends: np.ndarray, vertices: np.ndarray, count: int):
        super().__init__()
        self._ends, self._vertices, self._count, self.shape = ends, vertices, count, (len(ends),)

    def read(self) -> np.ndarray:
        places = np.empty(self._count, np.int32)
        places[self._vertices] = np.arange(len(self._vertices), dtype=np.int32)
        found = np.empty(len(self._ends), np.int32)
        return filled(found, lambda block: places.take(self._ends[block]))


class LocalArcs(ArcsPart):
    """The arcs that end in a range of vertices, as an `ArcsPart`, between places: those of the
    range and of its *halo*, the other vertices that send to it, numbered from 0 in the order of
    their ids. So the arcs of a row stay in order, and smaller ids have smaller places.

    L places. A range without vertices has vertex 0 as its halo, so that there is a place.

    Attributes:
        vertices: int32 (L,), the vertex at each place.
        halo: int32, rising, those outside of the range.
        rows: the places of the range.
    """

    def __init__(self, whole: Arcs, part: Part):
        self.whole, self.part = whole, part
        senders, count = whole.into.piece("ends", part), len(whole.in_offsets) - 1
        is_here = np.zeros(count, bool)
        is_here[senders] = True
        is_here[part.first : part.last] = True
        is_here[[cut.row for cut in part.cuts]] = True  # scatter may read the end of an arc
        is_here[:1] |= part.first == part.last
        self.vertices = np.flatnonzero(is_here).astype(np.int32)
        first = int(np.count_nonzero(is_here[: part.first]))
        self.rows = first, first + part.last - part.first
        self.halo = np.delete(self.vertices, np.arange(*self.rows))
        self._senders: PlacesOf = _FoundPlaces(senders, self.vertices, count)
        self._order(self._senders, len(self.vertices), {})
        self.into.take_as_sorted()

    def row_of(self, vertex: int) -> int:
        return int(np.searchsorted(self.vertices, vertex))

    @property
    def own_offsets(self) -> np.ndarray:
        """I: where the arcs of each vertex of the range begin."""
        return self.into.offsets[self.rows[0] : self.rows[1] + 1]

    def senders(self, part: Part) -> np.ndarray:
        """int32: the places of the senders of a part of these arcs."""
        return self.into.ends[part.begin : part.end]

    def drop_ends(self, absent: Any) -> None:
        super().drop_ends(absent)
        self._senders = _FoundPlaces(absent, self.vertices, len(self.whole.in_offsets) - 1)
        self.into.end = self.out.row = self._senders

    def forget(self) -> None:
        """Free what takes memory for each arc and can be made again: the device has it now."""
        with self.lock:
            for order in (self.into, self.out):
                order.kept = {"offsets": order.kept["offsets"]} if "offsets" in order.kept else {}
            self.receivers.kept.clear()
            self.kept.clear()
            self._senders.forget()

    @LazyArray
    def in_reversed(self) -> np.ndarray:
        sources, vertices = self.into.ends, self.vertices
        return self._reversed(lambda block: vertices.take(sources[block]))


def arcs_of(src: Ends, dst: Ends, num_vertices: int, direction: str) -> Arcs:
    """The arcs of the edges (src[i], dst[i]).

    Args:
        src, dst: int32 (E,), ids below `num_vertices`, or their new numbers.
        direction: as in `Arcs`.
    """
    if direction == "both":
        order = Order(src, dst, num_vertices, both=True)
        return Arcs(order, order, src, direction)
    arcs = Arcs(Order(src, dst, num_vertices), Order(dst, src, num_vertices), src, "out")
    return arcs if direction == "out" else arcs.transposed()


def stable_order(keys: np.ndarray, num_keys: int) -> np.ndarray:
    """The stable order that sorts `keys`, int32 in [0, num_keys)."""
    return Order(keys, np.broadcast_to(np.int32(0), len(keys)), num_keys).only_places()
