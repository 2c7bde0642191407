"""A graph on a device: its arrays as buffers, and the row blocks that work-groups handle."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from gascl.codegen import constants
from gascl.delivery.device_facts import DeviceLimits
from gascl.delivery.run_layout import (
    ALL,
    GRAPH,
    IDS,
    OWN,
    Array,
    EdgeValues,
    Extent,
    Key,
    block_type,
    is_of_vertices,
)
from gascl.device_graph import sort
from gascl.device_graph.device_arcs import DeviceOrder, DeviceWeights
from gascl.errors import DeviceError, GraphError
from gascl.graph.arcs import Arcs, ArcsPart, LocalArcs, Order, index_dtype
from gascl.graph.field_types import Times
from gascl.graph.graph import Graph
from gascl.graph.implicit_arcs import ImplicitLocalArcs, Offsets
from gascl.graph.lazy import held
from gascl.graph.parallel import filled
from gascl.graph.partition import Division, Part, bounds_of, cut, reaches, shares
from gascl.graph.remote_field import RemoteField
from gascl.graph.reordering import Numbering, Places, Renumbered, by_number
from gascl.language.spec import ProgramSpec
from gascl.language.types import TIME, Type
from gascl.opencl import fork_guard, pinned
from gascl.opencl.device import Device
from gascl.opencl.spill import SPILLED, Spill, SpilledBuffer
from gascl.util.host import machine_memory
from gascl.util.units import amount

#: The number of work-groups over row blocks for each work-group over vertices: enough to keep the
#: device busy to the end, and few enough to add up their tallies quickly.
GROUPS = 8
#: The bytes that sorting takes for each arc, a key and an end; and the largest share of the host's
#: memory that it may take if a file already has the arcs in an order.
SORTING, SHARE = 12, 0.5
#: Up to this many bytes of vertices, it does not take long to determine exactly what a run needs.
MUCH = 2**26
#: About this many blocks of a part are determined one after the other.
PART = 64


def row_blocks(offsets: np.ndarray, group: int, size: int, parts: int) -> np.ndarray:
    """Divide rows into blocks of consecutive rows with about equal work: arcs plus rows.

    Args:
        offsets: (V + 1,) the arc offsets of the rows.
        group: the number of items in a work-group. With 1, there are about `parts` blocks;
            otherwise blocks have up to `size` arcs and rows, and a longer row is a block by itself
            (CSR-adaptive, Greathouse and Daga 2014).

    Returns:
        (blocks + 1,) int32, the bounds of the blocks, strictly increasing from 0 to V.
    """
    rows = len(offsets) - 1
    if group == 1:
        work = offsets + np.arange(rows + 1)
        targets = np.linspace(0, work[-1], parts + 1)
        cuts = np.searchsorted(work, targets[1:-1])
        return bounds_of([0], cuts, [rows]).astype(np.int32)
    # Longer rows are blocks by themselves. The rows between them are cut into parts, which are
    # divided simultaneously: each iteration determines one block of each part.
    alone, part = np.flatnonzero(np.diff(offsets) > size), PART * size
    cuts = np.searchsorted(offsets, np.arange(part, int(offsets[-1]), part, dtype=offsets.dtype))
    bounds = [bounds_of(np.arange(0, rows, part), cuts, alone, alone + 1, [rows])]
    first, last = bounds[0][:-1], bounds[0][1:]
    longer = np.isin(first, alone, assume_unique=True)
    first, last = first[~longer], last[~longer]
    while len(first):
        full = np.minimum(offsets[first].astype(np.int64) + size, offsets[-1])
        fits = np.searchsorted(offsets, full.astype(offsets.dtype), "right") - 1
        first = np.minimum(np.minimum(fits, first + size), last)
        bounds.append(first)
        first, last = first[first < last], last[first < last]
    return bounds_of(*bounds).astype(np.int32)


def block_table(offsets: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """The arcs and rows of each block, as `gascl_block` in runtime.cl.

    Very long rows come first, the longest at the start, because they keep a group busy longest. All
    others stay in order, for locality.
    """
    table = np.empty(len(bounds) - 1, block_type(offsets.dtype.name))
    table["first"], table["last"] = bounds[:-1], bounds[1:]
    table["begin"], table["end"] = offsets[bounds[:-1]], offsets[bounds[1:]]
    length = (table["end"] - table["begin"]).astype(np.int64)
    length[length <= constants.VERY_LONG_ROW] = 0
    return table[np.argsort(-length, kind="stable")]


def segment_table(blocks: np.ndarray) -> np.ndarray:
    """The segments of very long rows, as `gascl_block` in runtime.cl; `last` is the place of a
    segment's box, which no other has: see `num_segments`.

    Args:
        blocks: what `block_table` returns.
    """
    rows = blocks[(blocks["end"] - blocks["begin"]) > constants.VERY_LONG_ROW]
    size = constants.SEGMENT
    counts = -(-(rows["end"] - rows["begin"]) // size)
    table = rows.repeat(counts)
    number = np.arange(len(table)) - np.repeat(counts.cumsum() - counts, counts)
    table["last"] = 2 * (table["begin"] // size) + number
    table["begin"] += (number * size).astype(table["begin"].dtype)
    table["end"] = np.minimum(table["begin"] + size, table["end"])
    return table


def cut_segments(arcs: ArcsPart, size: int) -> np.ndarray:
    """The segments that a rank has of rows that ranks share, as `gascl_block` in runtime.cl, with
    the rank's own numbers of the arcs; `last` is the place of a segment's box."""
    begin, cuts = arcs.part.num_whole, arcs.part.cuts
    table = np.empty(sum(each.segments(size) for each in cuts), block_type(arcs.offset.name))
    table["last"] = np.arange(len(table))
    left = table
    for each in cuts:
        own, left = np.split(left, [each.segments(size)])
        own["begin"] = np.arange(each.first, each.last, size) - each.first + begin
        begin += each.last - each.first
        own["end"] = np.minimum(own["begin"] + size, begin)
        own["first"] = arcs.row_of(each.row)
    return table


def cut_rows(arcs: ArcsPart, size: int) -> np.ndarray:
    """The rows of a rank that ranks share, as `gascl_block` in runtime.cl, with the places of their
    segments' boxes instead of arcs."""
    rows = arcs.part.own_cuts
    table = np.zeros(len(rows), block_type(arcs.offset.name))
    table["first"] = [arcs.row_of(each.row) for each in rows]
    table["end"] = np.cumsum([each.all_segments(size) for each in rows])
    table["begin"][1:] = table["end"][:-1]
    return table


def part_blocks(offsets: np.ndarray, part: Part, group: int, size: int, parts: int) -> np.ndarray:
    """The `block_table` of a part of the arcs.

    Args:
        offsets: those of all rows.
        group, size, parts: as in `row_blocks`.
    """
    rows = offsets[part.first : part.last + 1]
    bounds = row_blocks(rows - rows[0], group, size, parts)
    table = block_table(rows, bounds)
    table["first"] += part.first
    table["last"] += part.first
    return table


def arcs_along(edges: str, num_edges: int, directed: bool, num_loops: int) -> int:
    """The number of arcs along which programs scatter; the arcs need not be built.

    Args:
        edges: "out", "in" or "both".
    """
    return 2 * num_edges - num_loops if is_symmetric(directed, edges) else num_edges


def is_symmetric(directed: bool, edges: str) -> bool:
    """Whether every arc along which programs scatter has its reverse."""
    return edges == "both" or not directed


def num_arcs(graph: Graph, edges: str) -> int:
    """`arcs_along` for a graph."""
    if not graph.directed or edges != "both":
        return graph.num_arcs
    return arcs_along(edges, graph.num_edges, graph.directed, graph.num_loops)


def arcs_presorted(graph: Graph, edges: str) -> bool:
    """Whether the graph's file has the arcs in order, and the graph's own vertex numbers are kept:
    the file is mapped, and sorting by other numbers would read all arcs into memory."""
    numbered = graph.arcs_made()[1].get(edges if graph.directed else "both")
    return graph.arcs(edges).into.presorted and not (numbered and numbered[1].into.presorted)


def too_many_to_sort(graph: Graph, edges: str, memory: int | None) -> bool:
    """Whether sorting the arcs takes too much of the memory that all ranks may use."""
    return memory is not None and SORTING * num_arcs(graph, edges) > SHARE * memory


def offset_type(graph: Graph, edges: str) -> str:
    """NumPy's name of the type of arc offsets, which kernels are built for."""
    return index_dtype(num_arcs(graph, edges)).name


def extent_of(
    device: DeviceLimits,
    vertices: int,
    arcs: int,
    group: int,
    block: int,
    lines: int = 0,
    symmetric: bool = False,
    all_arcs: int | None = None,
) -> Extent:
    """The size of a run on a device.

    Args:
        group, block: as in `ResidentGraph`.
        lines: the number of lines of the longest source text.
        symmetric: every arc has its reverse.
        all_arcs: as in `Extent`.
    """
    blocks = block_groups = groups = device.groups
    if group > 1:
        blocks = min(vertices, 4 * arcs // block + 2 * vertices // block + 2)
        block_groups = min(blocks, GROUPS * groups)
    return Extent(
        vertices=vertices,
        arcs=arcs,
        offset=index_dtype(arcs if all_arcs is None else all_arcs).name,
        group=group,
        groups=groups,
        blocks=blocks,
        block_groups=block_groups,
        lines=lines,
        symmetric=symmetric,
        all_arcs=all_arcs,
    )


def convert(
    values: np.ndarray, type_: Type, what: str, remedy: str = "declare another type"
) -> np.ndarray:
    """The values in a field's type.

    Rounding of floats is allowed; fractions as integers, values out of range, and values other than
    0 that would become 0 are not.

    Raises:
        GraphError: the type cannot hold the values.
    """
    target = type_.scalar
    if values.dtype == target:
        return np.ascontiguousarray(values)
    with np.errstate(all="ignore"):
        converted = values.astype(target)
        if type_.is_float:
            wrong = (np.isinf(converted) & np.isfinite(values)) | ((converted == 0) & (values != 0))
        else:
            wrong = converted != values
            if values.dtype.kind == "f" or target.kind == "u" or values.dtype.kind == "u":
                # int64 -> uint64 and float -> integer can wrap around and still compare equal
                info = np.iinfo(target)
                wrong |= (values < info.min) | (values > info.max)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise GraphError(
            f"{what} has {values.flat[first].item()!r} at {first}, which {target} cannot hold "
            f"({int(wrong.sum())} such values); ",
            remedy,
            " or change the values",
        )
    return converted


#: The row blocks of both orders.
_BLOCKS = "in_blocks", "out_blocks"
#: The arrays of arcs: the order that each is of, and its name there.
_OF_ARCS = {
    **{"out_offsets": ("out", "offsets"), "in_offsets": ("in", "offsets")},
    **{"out_targets": ("out", "ends"), "in_sources": ("in", "ends")},
    **{"out_blocks": ("out", "blocks"), "in_blocks": ("in", "blocks")},
    **{"out_segments": ("out", "segments"), "in_segments": ("in", "segments")},
    **{"out_sources": ("out", "rows"), "slot": ("out", "slot")},
}


#: The offsets of the arcs that are counted in each kind of degree.
_OFFSETS = {"in_degree": "in_offsets", "out_degree": "out_offsets"}


class SharedArcs:
    """The arrays of arcs on a device, which graphs with the same arcs share: a graph, and what its
    `reversed` and its `with_edge_fields` return.

    Args:
        out, into: the two orders of the arcs; exchanged, they are those of the reversed graph.

    Attributes:
        buffers: by the id of an order and the name of an array there; `slot` belongs to the order
            by whose arcs it is read.
        blocks: the bounds of row blocks, by the order's id.
        lock: held while arrays are uploaded, so that threads do not upload one twice.
    """

    def __init__(self, out: Order, into: Order):
        self.orders = out, into  # while these exist, no other object has their ids
        self.buffers: dict[tuple[int, str], Any] = {}
        self.blocks: dict[int, np.ndarray] = {}
        self.lock = threading.RLock()
        fork_guard.holds_opencl(self)


#: All in use, by the ids of the orders, the device, and the sizes of a work-group and of a block.
_shared: WeakValueDictionary[tuple[Any, ...], SharedArcs] = WeakValueDictionary()
_finding = threading.Lock()


def shared_arcs(arcs: Arcs | ArcsPart, device: Device, group: int, block: int) -> SharedArcs:
    """The arrays of the arcs on the device; arguments are as in `ResidentGraph`."""
    key = (frozenset((id(arcs.out), id(arcs.into))), device, group, block)
    with _finding:
        shared = _shared.get(key)
        if shared is None:
            shared = _shared[key] = SharedArcs(arcs.out, arcs.into)
        return shared


def resident_bytes(graphs: Iterable[ResidentGraph]) -> int:
    """The bytes of the graphs' arrays in the device's memory; those that are shared count once."""
    held = {id(b): b.size for g in graphs for b in g.held() if not isinstance(b, SpilledBuffer)}
    return sum(held.values())


class ResidentGraph:
    """The arrays of a graph on a device, each uploaded when first used.

    Args:
        edges: the arcs along which programs scatter, "out", "in" or "both".
        group: the number of items in a work-group.
        block: the largest number of arcs, and of rows, in a block of a work-group.
        numbered: the numbers of the vertices on the device, and the arcs by these numbers, as
            `Graph.numbered` returns them; None: the graph's own.
        share: how processes share the arcs, if they do.
        memory: the bytes of the device that a run may take; None: all.
        local: this process has only the vertices of its part and their halo (`LocalArcs`).
        spill: where the data of vertices are, if not in memory.

    Attributes:
        numbering: where the vertices are on the device, or None.
        all_numbers: the numbers of all vertices, or None.
        num_vertices: the number of vertices on the device.
        arcs: the arcs as they are on the device.
        all_arcs: the arcs of all processes.
        parts: the part of each process.
        rows: the range of the vertices in which the arcs end.
        num_arcs: the number of arcs on the device.
    """

    def __init__(
        self,
        graph: Graph,
        device: Device,
        edges: str,
        group: int,
        block: int,
        numbered: tuple[Numbering, Arcs] | None = None,
        share: Division | None = None,
        memory: int | None = None,
        local: bool = False,
        spill: Spill | None = None,
    ):
        self.graph, self.device, self.edges = graph, device, edges
        self.spill = spill
        self.group, self.block, self.share = group, block, share
        self.memory = device.memory if memory is None else memory
        self.num_arcs = num_arcs(graph, edges)
        self.offset = index_dtype(self.num_arcs)
        self.all_numbers: Numbering | None
        self.all_numbers, self.all_arcs = numbered or (None, graph.arcs(edges))
        self.numbering: Numbering | Places | None = self.all_numbers
        self.arcs: Arcs | ArcsPart = self.all_arcs
        self.num_vertices, self.rows = graph.num_vertices, (0, graph.num_vertices)
        self.parts: list[Part] = []
        if share:
            self.parts = shares(self.all_arcs.into.offsets, share)
            own = self.parts[share.rank]
            arcs = self.all_arcs.local(own) if local else self.all_arcs.part(own)
            self.arcs, self.rows, self.num_arcs = arcs, arcs.rows, own.num_arcs
            if isinstance(arcs, LocalArcs):
                order, numbers = arcs.vertices, self.all_numbers
                if numbers is not None:
                    order = numbers.order.take(order)
                self.numbering = Places(order, numbers is None)
                self.num_vertices, self.offset = len(order), arcs.offset
        self._transposed: ResidentGraph | None = None
        self._own: dict[Key, Any] = {}  # not shared
        self._cut: dict[tuple[Key, tuple[Part, ...]], list[np.ndarray]] = {}
        self._tables: dict[tuple[Part, ...], list[np.ndarray]] = {}
        self._reaches: dict[tuple[Part, ...], np.ndarray] = {}
        self._shared_arcs = shared_arcs(self.arcs, self.device, self.group, self.block)
        self._lock = self._shared_arcs.lock
        fork_guard.holds_opencl(self)

    @property
    def is_local(self) -> bool:
        """Whether the device has only the vertices of this process and their halo."""
        return isinstance(self.arcs, LocalArcs)

    @property
    def is_implicit(self) -> bool:
        """Whether the arcs are made by a rule, and ids have 64 bits."""
        return isinstance(self.arcs, ImplicitLocalArcs)

    @property
    def base(self) -> int:
        """The first vertex of this process, less its place on the device; of a local graph."""
        return self.parts[self.share.rank].first - self.rows[0] if self.share else 0

    @property
    def own_places(self) -> tuple[int, int]:
        """The range of the vertices on the device whose values this process adds up at the start:
        its own if it has only some, and otherwise all."""
        return self.rows if self.is_local else (0, self.num_vertices)

    def transposed(self) -> ResidentGraph:
        """The same graph, with the same numbers of the vertices and reversed arcs."""
        if is_symmetric(self.graph.directed, self.edges):
            return self
        with self._lock:
            if self._transposed is None:
                direction = {"out": "in", "in": "out"}[self.edges]
                size = self.group, self.block
                numbering = self.all_numbers
                numbered = None if numbering is None else (numbering, self.all_arcs.transposed())
                common = (
                    self.graph,
                    self.device,
                    direction,
                    *size,
                    numbered,
                    self.share,
                    self.memory,
                )
                self._transposed = ResidentGraph(*common, spill=self.spill)
            return self._transposed

    def numbers(self) -> Any:
        """A buffer, int32 (V,), with the number of each vertex, by which results are reordered."""
        assert self.all_numbers is not None
        key = Key(GRAPH, "number")
        with self._lock:
            if key not in self._own:
                self._own[key] = self.device.upload(self.all_numbers.number)
            return self._own[key]

    def allocate(self, size: int) -> Any:
        """A buffer of a run on the graph; its content is undefined."""
        if self.spill is None or size < SPILLED:
            return self.device.allocate(size)
        return self.spill.buffer(self.device.context, self.spill.array(size))

    def upload(self, array: np.ndarray) -> Any:
        """A buffer with an array that is none of the arcs."""
        if self.spill is None or array.nbytes < SPILLED:
            return self.device.upload(array)
        return self.spill.buffer(self.device.context, array)

    def _room(self, count: int, dtype: Any) -> np.ndarray:
        """An array for so many vertices, all 0: in a file, if it is to be uploaded to one."""
        size = count * np.dtype(dtype).itemsize
        if self.spill is None or size < SPILLED:
            return np.zeros(count, dtype)
        return self.spill.array(size).view(dtype)

    def missing(self, arrays: Mapping[Key, Array]) -> dict[Key, int]:
        """The bytes of those arrays that are not on the device yet."""
        with self._lock:
            return {k: a.nbytes for k, a in arrays.items() if self._found(k) is None}

    def held(self) -> list[Any]:
        """The buffers that are on the device, shared or not."""
        with self._lock:
            return [*self._own.values(), *self._shared_arcs.buffers.values()]

    def _place(self, key: Key) -> tuple[dict[Any, Any], Any]:
        """The dict that holds a buffer, and its key there."""
        if key.owner == GRAPH and key.name in _OF_ARCS:
            order, name = _OF_ARCS[key.name]
            return self._shared_arcs.buffers, (id(self._order(order)), name)
        return self._own, key

    def _found(self, key: Key) -> Any:
        """A buffer that is on the device, or None."""
        held, own_key = self._place(key)
        return held.get(own_key)

    def blocks(self, name: str) -> np.ndarray:
        """The row blocks called "in_blocks" or "out_blocks"."""
        order = self._order(_OF_ARCS[name][0])
        with self._lock:
            bounds = self._shared_arcs.blocks.get(id(order))
            if bounds is None:
                first, last = self.rows if name == "in_blocks" else (0, self.num_vertices)
                offsets = order.offsets[first : last + 1]
                bounds = first + row_blocks(offsets, self.group, self.block, self.device.groups)
                self._shared_arcs.blocks[id(order)] = bounds
            return bounds

    def table(self, name: str) -> np.ndarray:
        """The `block_table` of the row blocks called "in_blocks" or "out_blocks"."""
        return block_table(self._order(_OF_ARCS[name][0]).offsets, self.blocks(name))

    def number(self, name: str) -> int:
        """The number of row blocks with this name, or of items of another table of blocks."""
        return len(self.blocks(name)) - 1 if name in _BLOCKS else len(self._values(name))

    def buffers(self, arrays: Mapping[Key, Array]) -> dict[Key, Any]:
        """Buffers with the graph arrays of a RunLayout."""
        with self._lock:
            missing = {key: array for key, array in arrays.items() if self._found(key) is None}
            orders = {name: self._sorted(name, missing) for name in ("in", "out")}
            for key, array in missing.items():
                held, own_key = self._place(key)
                held[own_key] = self._buffer(key.name, array, orders)
            if isinstance(self.arcs, LocalArcs):
                self.arcs.forget()
            return {key: self._found(key) for key in arrays}

    def _sorted(self, name: str, wanted: Mapping[Key, Array]) -> sort.Sorted | None:
        """The arcs in the order "in" or "out", sorted on the device; None if `wanted` does not need
        them, the host has sorted them, it does not pay, or there is no room."""
        order, ends = self._order(name), {"in": "in_sources", "out": "out_targets"}[name]
        cuts = self.share and self.share.segment  # the host has then put the arcs together
        if isinstance(order, DeviceOrder) or cuts:
            return None
        edges = [array.edge for array in wanted.values() if array.edge is not None]
        places = any(e.order == name and self._given(e) and not self._remote(e) for e in edges)
        if not places and not any(key.name == ends for key in wanted):
            return None
        made = (order.presorted or "ends" in order.kept) and (not places or "places" in order.kept)
        offset = self.offset
        if made or index_dtype(len(order.row) << order.both) != offset:
            return None
        numbers = order.num_vertices if isinstance(order.row, Renumbered) else 0
        room = resident_bytes([self]) + sum(array.nbytes for array in wanted.values())
        room += sort.sorting_bytes(len(order.row), order.both, offset, places, numbers)
        if not sort.pays(self.device) or room > self.memory:
            return None
        return sort.Sorted(self.device, order, self.num_arcs, offset, places)

    def _order(self, name: str) -> Order:
        return self.arcs.into if name == "in" else self.arcs.out

    def scatter_degrees(self) -> np.ndarray:
        """int32 (places,): the number of arcs on which each vertex of a local graph scatters, to
        vertices of all processes."""
        assert isinstance(self.arcs, LocalArcs)
        return self._differences(self.all_arcs.out_offsets, self.arcs.vertices)

    def cut(self, number: int) -> list[Part]:
        """The arcs on the device, cut into at most `number` parts."""
        return cut(self.arcs.into.offsets, number, *self.rows)

    def pieces(self, key: Key, array: Array, parts: Sequence[Part]) -> Callable[[int], np.ndarray]:
        """The parts of an array of the arcs in the order of receivers, by number. They are on the
        host: in pinned memory, if the device copies from there several times as fast. Those of arcs
        by a rule are made again each time, so that no memory is needed for all of them."""

        if isinstance(self.arcs, ImplicitLocalArcs):
            return lambda number: self._made(key, array, parts[number])
        with self._lock:
            cut_values = self._cut.get((key, tuple(parts)))
            if cut_values is None:
                if key.name == "in_offsets":
                    cut_values = [self._offsets(part) for part in parts]
                else:
                    whole = self._values(key.name) if array.edge is None else self._edge(array.edge)
                    cut_values = [whole[part.begin : part.end] for part in parts]
                if self.device.pools:
                    cut_values = [
                        pinned.in_pinned(self.device.context, values) for values in cut_values
                    ]
                self._cut[key, tuple(parts)] = cut_values
            return cut_values.__getitem__

    def _offsets(self, part: Part) -> np.ndarray:
        """Where the arcs of each vertex of a part begin, numbered from 0."""
        offsets = self.arcs.into.offsets[part.first : part.last + 1]
        return offsets - offsets.dtype.type(part.begin)

    def _senders(self, part: Part) -> np.ndarray:
        """The senders of the arcs of a part."""
        if isinstance(self.arcs, ImplicitLocalArcs):
            return self.arcs.senders(part)
        return self.arcs.into.ends[part.begin : part.end]

    def _made(self, key: Key, array: Array, part: Part) -> np.ndarray:
        """A part of an array of arcs by a rule, which have the defaults of edge fields."""
        if array.edge is None:
            return self._offsets(part) if key.name == "in_offsets" else self._senders(part)
        assert array.edge.field is not None
        return np.full(part.end - part.begin, array.edge.field.default, array.dtype)

    def tables(self, parts: Sequence[Part]) -> list[np.ndarray]:
        """The row blocks of each of the parts, whose arcs are numbered from 0."""
        with self._lock:
            part_tables = self._tables.get(tuple(parts))
            if part_tables is None:
                offsets, size = self.arcs.into.offsets, (self.group, self.block)
                part_tables = [
                    part_blocks(offsets, part, *size, self.device.groups) for part in parts
                ]
                for table, part in zip(part_tables, parts, strict=True):
                    table["begin"] -= part.begin
                    table["end"] -= part.begin
                self._tables[tuple(parts)] = part_tables
            return part_tables

    def reaches(self, parts: Sequence[Part]) -> np.ndarray:
        """uint32: the parts that have arcs from the first SENDERS_OF_WORD vertices, from the next
        ones and so on, as bits."""
        with self._lock:
            key, found = tuple(parts), self._reaches.get(tuple(parts))
            if found is None:
                senders = (self._senders(part) for part in parts)
                found = self._room(-(-self.num_vertices // constants.SENDERS_OF_WORD), np.uint32)
                reaches(senders, len(parts), constants.SENDERS_OF_WORD, found)
                if self.spill is None:  # else a run would keep the file for the next one
                    self._reaches[key] = found
            return found

    def _buffer(self, name: str, array: Array, orders: Mapping[str, sort.Sorted | None]) -> Any:
        if array.edge is not None:
            weights = held(self.graph.edge_fields).get(array.edge.name)
            if isinstance(weights, DeviceWeights) and array.edge.type is not None:
                order_of_arcs = self._order(array.edge.order)
                made = weights.of_arcs(order_of_arcs, array.edge.type, self.device)
                if made is not None:
                    return made
            order = orders.get(array.edge.order)
            given = self._given(array.edge) and not self._remote(array.edge)
            if order and order.places and given:
                values = self.arcs.given(self._field(array.edge))
                return order.gathered(values, self.num_arcs)
            return self.device.upload(self._edge(array.edge))
        side, _, part = name.partition("_")
        if name in _OF_ARCS:
            own, array_name = self._order(_OF_ARCS[name][0]), _OF_ARCS[name][1]
            if isinstance(own, DeviceOrder) and own.device is self.device:
                buffer = own.buffers.get(array_name)
                if buffer is not None:
                    return buffer
        order = orders.get(side)
        if order and part == "offsets":
            return order.offsets
        if order and name in ("in_sources", "out_targets"):
            return order.ends
        values = self._values(name)
        of_vertices = is_of_vertices(Key(GRAPH, name))
        buffer = self.upload(values) if of_vertices else self.device.upload(values)
        if name in _OF_ARCS and self.spill is None and buffer.hostbuf is not None:
            self._order(_OF_ARCS[name][0]).replace(_OF_ARCS[name][1], values, buffer.hostbuf)
        return buffer

    def _values(self, name: str) -> np.ndarray:
        if name in ("in_degree", "out_degree"):
            offsets = getattr(self.graph.arcs(), _OFFSETS[name])
            if self.numbering is not None and self.is_local:
                return self._differences(offsets, self.numbering.order)
            return by_number(self.numbering, np.diff(offsets).astype(np.int32, copy=False))
        if name == IDS:
            assert self.numbering is not None
            if isinstance(self.arcs, ImplicitLocalArcs):
                return self.arcs.halo
            return self.numbering.order
        if name == "all_out_offsets" and self.is_local:
            begins = self._room(self.num_vertices + 1, self.offset)
            np.cumsum(self.scatter_degrees(), out=begins[1:], dtype=self.offset)
            return begins
        if name in _BLOCKS:
            return self.table(name)
        if name in ("cut_segments", "cut_rows"):
            assert self.share and isinstance(self.arcs, ArcsPart)
            table = cut_segments if name == "cut_segments" else cut_rows
            return table(self.arcs, self.share.segment)
        if name in ("in_segments", "out_segments"):
            return segment_table(self.table(name.replace("segments", "blocks")))
        if name in ALL:
            return getattr(self.all_arcs, ALL[name])
        if name in OWN:
            return self._of_own_rows(OWN[name])
        if name == "slot":
            return self.arcs.slot
        order, array = _OF_ARCS[name]
        return np.asarray(getattr(self._order(order), array))

    def _differences(self, offsets: np.ndarray | Offsets, rows: Any) -> np.ndarray:
        """int32: the number of arcs of some of the rows; uint8 if a rule gives them."""
        if isinstance(offsets, Offsets):
            return offsets.counts(rows, self._room(len(rows), np.uint8))
        differences = self._room(len(rows), np.int32)

        def counts(block: slice) -> np.ndarray:
            some = rows[block]
            return offsets.take(some + 1) - offsets.take(some)

        return filled(differences, counts)

    def _of_own_rows(self, name: str) -> np.ndarray:
        """`out_targets` of the vertices of this process, or `out_offsets` to read them by."""
        assert self.share
        arcs, offsets = self.all_arcs, self.all_arcs.out_offsets
        first, last = self.parts[self.share.rank][:2]
        if name == "out_offsets":
            return offsets - offsets[first]
        if arcs.out is arcs.into:  # which this process has sorted
            return self.arcs.into.ends
        return arcs.out.piece("ends", Part(first, last, int(offsets[first]), int(offsets[last])))

    def _edge(self, edge: EdgeValues) -> np.ndarray:
        """One value per arc, in the requested order of arcs."""
        arcs = self.all_arcs if edge.order == "all_out" else self.arcs
        name, order = edge.name, edge.order.removeprefix("all_")
        if edge.field is None or edge.type is None:
            return getattr(arcs, f"{order}_{'edges' if name == 'id' else name}")
        if self._given(edge) and (remote := self._remote(edge)):
            return self._own_values(edge, remote)
        if self._given(edge):  # check_edge_fields() has checked its values
            ids: np.ndarray = getattr(arcs, f"{order}_edges")
            values = self._field(edge)
            return filled(np.empty(len(ids), values.dtype), lambda block: values.take(ids[block]))
        count = int(arcs.into.offsets[-1]) if arcs is self.all_arcs else self.num_arcs
        return np.full(count, edge.field.default, edge.type.scalar)

    def _given(self, edge: EdgeValues) -> bool:
        """Whether these are the values of an edge field that the graph has."""
        return edge.field is not None and edge.name in self.graph.edge_fields

    def _remote(self, edge: EdgeValues) -> RemoteField | None:
        """An edge field whose values are in the order of this process's arcs; None: another one."""
        values = held(self.graph.edge_fields).get(edge.name)
        return values if isinstance(values, RemoteField) else None

    def _own_values(self, edge: EdgeValues, remote: RemoteField) -> np.ndarray:
        """The values of such a field, in the requested order of arcs."""
        if not isinstance(self.arcs, ArcsPart) or edge.order.startswith("all_"):
            return np.asarray(remote)  # an error
        part = self.arcs.part
        values = self._as_read(edge, remote.own[self.arcs.whole.into][part.begin : part.end])
        return values if edge.order == "in" else values.take(self.arcs.slot)

    def _field(self, edge: EdgeValues) -> np.ndarray:
        """An edge field, in the order of the edges."""
        return self._as_read(edge, self.graph.edge_fields[edge.name])

    def _as_read(self, edge: EdgeValues, values: np.ndarray) -> np.ndarray:
        """Values of an edge field as the program reads them."""
        assert edge.type is not None
        values = values.astype(edge.type.scalar, copy=False)
        times = edge.field is not None and edge.field.type == TIME
        known = self.graph.edge_types.get(edge.name)
        return known.as_read(values) if times and isinstance(known, Times) else values


def shortage(
    device: DeviceLimits, sizes: Mapping[Key, int], resident: int = 0, limit: int | None = None
) -> str:
    """Why the buffers do not fit on the device together with the `resident` bytes that are already
    there, in a clause; "" if they fit.

    Args:
        limit: the bytes of the device that the run may take; None: all.
    """
    needed = resident + sum(sizes.values())
    most = device.memory if limit is None else limit
    if needed > most:
        may = "which has" if limit is None else "and may take"
        return f"the run needs {amount(needed, up=True)} on {device}, {may} {amount(most)}"
    return too_large(device, sizes)


def too_large(device: DeviceLimits, sizes: Mapping[Key, int]) -> str:
    """Which buffer is larger than any on the device can be, in a clause; "" if none is."""
    largest = max(sizes, key=lambda n: sizes[n])
    if sizes[largest] <= device.largest_buffer:
        return ""
    return (
        f"the run needs one buffer of {sizes[largest] / 2**20:,.1f} MiB ({largest}) on "
        f"{device}, whose largest is {device.largest_buffer / 2**20:,.1f} MiB"
    )


def check_vertices(
    device: Device,
    graph: Graph,
    spec: ProgramSpec,
    dtype: str,
    lanes: int,
    limit: int | None,
    spills: bool = False,
) -> None:
    """Raise DeviceError, before anything is computed, if the fields of the vertices and the offsets
    of their arcs do not fit on the device, to which arcs may be streamed, or in the host's memory;
    or if pairs by distance have more places than an offset can count.

    Args:
        dtype, lanes: those of the program.
        limit: as in `shortage`.
        spills: the data of vertices are in files.
    """
    vertices, types = graph.num_vertices, [f.resolve(dtype) for f in spec.vertex_fields.values()]
    offset = np.dtype(offset_type(graph, spec.direction))
    most_places = int(np.iinfo(offset).max)
    if spec.pairs_at is not None and vertices * lanes > most_places:
        raise DeviceError(
            f"pairs by distance sort all vertices in all lanes, at most {most_places:,}, "
            f"and there are {vertices:,} vertices in {lanes:,} lanes: run fewer lanes at once"
        )
    offsets = (vertices + 1) * offset.itemsize
    least = vertices * lanes * sum(type_.itemsize for type_ in types) + offsets
    if least < MUCH or spills:
        return
    most = device.memory if limit is None else limit
    if least > most:
        raise DeviceError(
            f"the run needs at least {amount(least, up=True)} on {device} for the fields of "
            f"{vertices:,} vertices; it may take {amount(most)}: let it take more, or use a device "
            "with more"
        )
    mapped = arcs_presorted(graph, spec.direction)  # they need not be in memory
    needed, have = (least if device.is_cpu else 0) + (0 if mapped else offsets), machine_memory()
    if have is not None and needed > have:
        raise DeviceError(
            f"the run needs at least {amount(needed, up=True)} of the host's memory for "
            f"{vertices:,} vertices, and there are {amount(have)}: use a machine with more"
        )


def check_memory(device: Device, sizes: Mapping[Key, int], resident: int) -> None:
    """Raise DeviceError, before anything is allocated, where there is a `shortage`."""
    if why := shortage(device, sizes, resident):
        hint = (
            "PoCL's limit can be raised: POCL_MEMORY_LIMIT=16 is 16 GiB"
            if "portable" in device.platform.lower()
            else "use a device with more memory"
        )
        raise DeviceError(f"{why}; {hint}")
