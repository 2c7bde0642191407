"""Contracts groups of vertices on a device: a quotient graph whose arcs stay there.

On CPUs by an accumulator for each group, on GPUs by hash tables and a sort (kernels/contract/);
`summed` in graph/contract.py makes the same graph on the host.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.codegen.constants import KEYS_PER_ITEM
from gascl.delivery.run_layout import EDGE, GRAPH, MOST_SUMS, Array, EdgeValues, Key
from gascl.delivery.sort_kernels import contracting, fitting_group
from gascl.device_graph.buffers import ResidentGraph, is_symmetric, resident_bytes
from gascl.device_graph.device_arcs import DeviceOrder, DeviceWeights
from gascl.device_graph.gather import program_of
from gascl.device_graph.sort import Launches, exclusive_sums, radix_sort, sums_memory
from gascl.graph.arcs import Arcs, index_dtype
from gascl.graph.contract import know_sums, weight_unit
from gascl.graph.graph import Graph
from gascl.graph.reordering import by_number
from gascl.language.fields import EdgeField
from gascl.language.types import resolve

#: The ranges of groups for each core of a CPU: they do not take the same time.
_RANGES = 2
#: The most bytes to fill at once: NVIDIA's driver fails from 2 GiB on.
_FILL = 2**30
#: The codes of errors by which drivers say that there is no room for a buffer.
_NO_ROOM = {
    cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE,
    cl.status_code.OUT_OF_RESOURCES,
    cl.status_code.OUT_OF_HOST_MEMORY,
    cl.status_code.INVALID_BUFFER_SIZE,
}
#: The types of weights on the device.
_INTEGER, _FLOAT = resolve("int64", ""), resolve("float64", "")


class _Rows(NamedTuple):
    """The arcs of a quotient in one order: the host's array of offsets, buffers of ends and
    weights, and the number of loops."""

    offsets: np.ndarray
    ends: Any
    weights: Any
    loops: int


def contracted(
    resident: ResidentGraph, number: np.ndarray, count: int, memory: int
) -> Graph | None:
    """The quotient of a graph by groups that are numbered already; None if the device cannot make
    it: it lacks 64-bit atomics, double precision for weights that are floats, or memory.

    Args:
        resident: the graph on the device; with arcs both ways, the quotient is undirected.
        number: int32 (V,), the group of each vertex, of `count`, none of which is empty.
        memory: the bytes of the device that this may take.

    Raises:
        GraphError: as `weight_unit`.
    """
    graph, device = resident.graph, resident.device
    work = _Contraction(resident, number, count, weight_unit(graph))
    if not work.is_possible(memory):
        return None
    device.release(work.nbytes)
    try:
        rows = [work.rows(side) for side in (("out",) if work.both else ("out", "in"))]
    except cl.Error as error:  # others use the device, too
        if error.code not in _NO_ROOM:
            raise
        return None
    num_edges = int(rows[0].offsets[-1])
    if work.both:
        num_edges = (num_edges + rows[0].loops) // 2
    out: DeviceOrder | None = None
    orders = []
    for each in rows:
        arrays = each.offsets, each.ends, each.weights, work.type.scalar
        out = DeviceOrder(device, *arrays, num_edges, out)
        orders.append(out)
    out, into = orders[0], orders[-1]
    weights: dict[str, Any] = {"weight": DeviceWeights(out, into)}
    quotient = Graph(out.src, out.dst, count, not work.both, edge_fields=weights)
    direction = "both" if work.both else "out"
    quotient._arcs[direction] = Arcs(out, into, out.src, direction)
    vars(quotient)["num_loops"] = rows[0].loops
    know_sums(quotient, graph)
    return quotient


class _Contraction:
    """The sums of the weights between groups.

    Args:
        unit: as `weight_unit` returns it.

    Attributes:
        both: every arc has its reverse.
        type: that of weights on the device.
    """

    def __init__(self, resident: ResidentGraph, number: np.ndarray, count: int, unit: float | None):
        graph, device = resident.graph, resident.device
        self.resident, self.device, self.count = resident, device, count
        self.number = by_number(resident.numbering, number)
        self.both = is_symmetric(graph.directed, resident.edges)
        self.weighted, self.type = "weight" in graph.edge_fields, _INTEGER
        if unit is not None:
            self.type = _FLOAT
        self.unit = self.type.scalar.type(1 if unit is None else unit)
        self.by_items = device.group == 1

    def is_possible(self, memory: int) -> bool:
        """Whether the device can do it, in so many bytes."""
        device, arcs = self.device, self.resident.num_arcs
        if (self.type is _FLOAT and not device.fp64) or self.resident.share is not None:
            return False
        if not self.by_items and not device.atomics.int64:
            return False
        largest = 8 * self._most_slots
        if self.by_items:
            places = self._ranges * self.count
            largest = max(8 * arcs, self.resident.offset.itemsize * places)
        needed = self.nbytes + resident_bytes([self.resident])
        return needed <= memory and largest <= device.largest_buffer

    @property
    def nbytes(self) -> int:
        """The bytes of the device that it takes at most, and those of the arrays that it reads."""
        arcs, index = self.resident.num_arcs, self.resident.offset.itemsize
        graph = (4 + self.type.itemsize * self.weighted) * arcs + (4 + index) * len(self.number)
        result = 12 * arcs * (1 if self.both else 2)  # of one order, or of two
        if self.by_items:
            return graph + result + 12 * arcs + (4 + 2 * index) * self._ranges * self.count
        return graph + result + 16 * self._most_slots + (16 + 2 * index) * arcs

    @property
    def _most_slots(self) -> int:
        return 3 * self.resident.num_arcs // 2 + self.count

    @property
    def _ranges(self) -> int:
        """So few that what they keep of each group takes no more than the arcs."""
        most = self.device.units * _RANGES
        return max(min(most, self.resident.num_arcs // max(self.count, 1)), 1)

    def rows(self, side: str) -> _Rows:
        """The arcs of the quotient in the order "out" or "in"."""
        if not self.resident.num_arcs:
            nothing = self.device.reserve(0)
            return _Rows(np.zeros(self.count + 1, np.int32), nothing, nothing, 0)
        if self.by_items:  # which transposes
            return self._by_items({"out": "in", "in": "out"}[side])
        return self._by_groups(side)

    def _arrays(self, side: str) -> tuple[np.ndarray, list[Any]]:
        """The offsets of the graph's arcs in an order, on the host; and buffers of offsets, ends,
        weights and groups."""
        resident, scalar = self.resident, self.type.scalar
        side = "out" if self.both else side
        order = resident.arcs.into if side == "in" else resident.arcs.out
        names = f"{side}_offsets", "in_sources" if side == "in" else "out_targets"
        arrays = {
            Key(GRAPH, names[0]): Array(resident.offset, len(order.offsets)),
            Key(GRAPH, names[1]): Array(np.dtype(np.int32), resident.num_arcs),
        }
        if self.weighted:
            field = EdgeField(scalar.name, name="weight", default=1)
            values = EdgeValues("weight", side, field, self.type)
            key = Key(EDGE, f"weight@{side}:{self.type.c}:1")
            arrays[key] = Array(scalar, resident.num_arcs, edge=values)
        buffers = [*resident.buffers(arrays).values()]
        weights = buffers[2] if self.weighted else buffers[1]
        return order.offsets, [*buffers[:2], weights, self.device.upload(self.number)]

    def _by_items(self, side: str) -> _Rows:
        """The arcs in the opposite order of `side`, on a CPU."""
        device, count, arcs = self.device, self.count, self.resident.num_arcs
        offsets, graph = self._arrays(side)
        run, ranges = self._launches(self.resident.offset, 1), self._ranges
        vertices, members = _members(self.number, count)
        before = np.zeros(len(vertices) + 1, offsets.dtype)
        np.cumsum(np.diff(offsets)[vertices], out=before[1:])
        begins = before[members]
        cuts = np.linspace(0, arcs, ranges + 1)[1:-1]
        firsts = np.concatenate([[0], np.searchsorted(begins, cuts), [count]]).astype(np.int32)
        rows = [device.upload(values) for values in (begins, firsts)]
        rows.append(device.allocate(4 * count))  # the numbers of entries
        row_entries = device.allocate(4 * arcs), device.allocate(8 * arcs)  # columns and sums
        graph += [device.upload(values) for values in (vertices, members)]
        places = self._filled(ranges * count * offsets.itemsize, -1)
        end = np.int32(count), self.unit
        run("contract_rows", ranges, *graph, *rows[:2], places, rows[2], *row_entries, *end)
        counted = device.allocate(4 * ranges * count)
        run("contract_count", ranges, *rows, row_entries[0], counted, end[0])
        counts = np.empty((ranges, count), np.int32)
        cl.enqueue_copy(device.queue, counts, counted)
        made = np.zeros(count + 1, np.int64)
        np.cumsum(counts.sum(axis=0), out=made[1:])
        entries = int(made[-1])
        made = made.astype(index_dtype(entries))
        to = np.cumsum(counts, axis=0, dtype=offsets.dtype)
        to += made[:-1].astype(offsets.dtype) - counts
        result = device.reserve(4 * entries), device.reserve(8 * entries)  # they outlive the thread
        loops, found = device.allocate(4 * ranges), np.empty(ranges, np.int32)
        run("contract_move", ranges, *rows, *row_entries, device.upload(to), *result, loops, *end)
        cl.enqueue_copy(device.queue, found, loops)
        return _Rows(made, *result, int(found.sum()))

    def _launches(self, offset: np.dtype, group: int) -> Launches:
        text = contracting(
            offset.name,
            self.resident.offset.name,
            group,
            weighted=self.weighted,
            floats=self.type is _FLOAT,
            halves=self.both,
            oclgrind=self.device.is_oclgrind,
        )
        return Launches(self.device, program_of(self.device, text), group)

    def _by_groups(self, side: str) -> _Rows:
        """The arcs in the order of `side`, on a GPU."""
        device, count, arcs = self.device, self.count, self.resident.num_arcs
        offsets, graph = self._arrays(side)
        offset, bits = index_dtype(self._most_slots), max(count - 1, 1).bit_length()
        index = offset.itemsize
        group = fitting_group(device.group, index, True, device.cl.local_mem_size)
        run, groups = self._launches(offset, group), device.groups
        begins, adding = self._filled((count + 1) * index, 0), device.allocate(MOST_SUMS * index)
        vertices = np.int32(len(offsets) - 1)
        run("contract_degrees", groups, graph[0], graph[3], begins, vertices)
        run("contract_sizes", groups, begins, np.int32(count))
        exclusive_sums(run, begins, adding, count + 1, group)
        slots = self._read(begins, count, offset)
        keys, sums = self._filled(8 * slots, -1), self._filled(8 * slots, 0)
        shape = np.int64(arcs), vertices, np.int32(bits), self.unit
        run("contract_insert", groups, *graph, begins, keys, sums, *shape)
        tiles = -(-slots // (group * KEYS_PER_ITEM))
        counts = device.allocate((tiles + 1) * index)
        run("contract_count", groups, keys, counts, np.int64(slots))
        exclusive_sums(run, counts, adding, tiles + 1, group)
        entries = self._read(counts, tiles, offset)
        packed, other = (
            [device.allocate(8 * entries), device.allocate(index * entries)] for _ in range(2)
        )
        run("contract_pack", groups, keys, *packed, counts, np.int64(slots))
        memory = sums_memory(device, entries, group, index)
        packed, _ = radix_sort(run, packed, other, entries, 2 * bits, memory, (group, groups))
        ends, weights = device.reserve(4 * entries), device.reserve(8 * entries)
        loops = self._filled(4, 0)
        number = np.int64(entries), np.int32(bits)
        run("contract_weights", groups, *packed, sums, weights, loops, *number, self.unit)
        run("sort_ends", groups, packed[0], ends, *number)
        begin, made = device.allocate((count + 1) * index), np.empty(count + 1, offset)
        run("sort_offsets", groups, packed[0], begin, *number, np.int32(count))
        device.download(made, begin)
        made = made.astype(index_dtype(entries), copy=False)
        return _Rows(made, ends, weights, self._read(loops, 0, np.dtype(np.int32)))

    def _read(self, buffer: Any, place: int, dtype: np.dtype) -> int:
        """An item of a buffer of integers."""
        item = np.empty(1, dtype)
        cl.enqueue_copy(self.device.queue, item, buffer, src_offset=place * dtype.itemsize)
        return int(item[0])

    def _filled(self, size: int, value: int) -> Any:
        """A buffer of `size` bytes, a multiple of 4, of a number."""
        buffer, pattern = self.device.allocate(size), np.full(1, value, np.int32)
        for start in range(0, size, _FILL):
            part = min(_FILL, size - start)
            cl.enqueue_fill_buffer(self.device.queue, buffer, pattern, start, part)
        return buffer


def _members(number: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """int32 (V,): the vertices, sorted by their groups; and int32 (count + 1,): where the members
    of each group begin."""
    from scipy.sparse import csr_array

    each = np.ones(len(number), np.int8), number, np.arange(len(number) + 1)
    by_group = csr_array(each, shape=(len(number), count)).tocsc()
    return by_group.indices.astype(np.int32, copy=False), by_group.indptr.astype(np.int32)
