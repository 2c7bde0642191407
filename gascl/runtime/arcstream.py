"""The arcs of a graph that do not fit on the device: they pass through it part by part.

The device keeps everything of the vertices, and two parts of the arcs: while kernels read one, the
other one is copied. The idea, arcs in intervals of receiving vertices that pass through memory in
turn, is that of GraphChi (Kyrola, Blelloch, Guestrin 2012) and, for GPUs, of Subway (Sabet, Zhao,
Gupta 2020).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.delivery.runspec import GRAPH, RUN, Array, Extent, Key, RunSpec, is_streamed
from gascl.errors import DeviceError
from gascl.graph.parts import cut
from gascl.runtime import process
from gascl.runtime.resident import ResidentGraph, block_table, row_blocks

OFFSETS, BLOCKS = Key(GRAPH, "in_offsets"), Key(GRAPH, "in_blocks")
#: The fewest parts: while kernels read one, another is copied.
FEWEST = 2
#: The groups' tallies of a part, which are copied to those of the superstep.
TALLIES = Key(RUN, "tallies")


@dataclass
class _Place:
    """Room on the device for one part.

    Attributes:
        holds: the number of the part that is in each of the buffers.
        ready: the events after which it is there.
        readers: of the kernels that read it, the last.
    """

    buffers: dict[Key, Any]
    holds: dict[Key, int] = field(default_factory=dict)
    ready: list[Any] = field(default_factory=list)
    readers: list[Any] = field(default_factory=list)


class Taken(NamedTuple):
    """A part on the device.

    Attributes:
        buffers: those that its kernels use in place of the whole graph's.
        blocks: the number of its row blocks.
        place: where its arcs are; the kernels that read them wait for `ready`, and the last one is
            to be noted in `readers`.
    """

    buffers: Mapping[Key, Any]
    blocks: int
    place: _Place


def in_parts(
    graphs: Sequence[ResidentGraph],
    specify: Callable[[Extent], RunSpec],
    extent: Extent,
    limit: int,
    ranks: int = 1,
) -> RunSpec:
    """What a run needs that takes the arcs in as few parts as fit.

    Args:
        graphs: the graph, and, where edges alternate, the same with its arcs turned round.
        specify: what a run of some extent needs.
        extent: that of all arcs.
        limit: the bytes of the device that it may use.
        ranks: the processes that share the parts; with a part each, the parts stay on the devices.

    Raises:
        DeviceError: not even parts with the arcs of one vertex do.
    """
    device = graphs[0].device

    def specified(arcs: int, parts: int) -> RunSpec:
        return specify(replace(extent, arcs=arcs, parts=parts, ranks=ranks, symmetric=False))

    def needed(spec: RunSpec) -> int:
        beside = [streamed_bytes(graph, spec) for graph in graphs]
        return part_bytes(spec, 0) + sum(sum(sizes.values()) for sizes in beside)

    orders = [graph.arcs.into.offsets for graph in graphs]
    longest = max(int(np.diff(offsets).max()) for offsets in orders)
    parts = ranks if ranks > 1 else FEWEST
    while True:
        least = specified(longest, parts)  # with parts as small as can be
        if needed(least) > limit:
            raise DeviceError(
                f"the run needs {needed(least) / 2**20:,.1f} MiB on {device} for what it keeps of "
                f"vertices and for parts of its arcs, the largest of {longest:,} arcs that end in "
                f"one vertex; it may take {limit / 2**20:,.1f} MiB: let it take more, or use a "
                "device with more"
            )
        cuts = [cut(offsets, parts) for offsets in orders]
        largest = max(part.end - part.begin for its in cuts for part in its)
        spec = specified(largest, parts)
        widest = max(array.nbytes for array in (*spec.own.values(), *_passing(spec).values()))
        if needed(spec) <= limit and (widest <= device.largest_buffer or largest == longest):
            return spec
        parts = max(parts + 1, int(1.1 * parts))


def part_bytes(spec: RunSpec, parts: int = 2) -> int:
    """The bytes of a run with so many parts of the arcs on the device at a time, about."""
    arrays = [*spec.own.values(), *whole_arrays(spec).values(), *parts * [*_passing(spec).values()]]
    return sum(array.nbytes for array in arrays)


def streamed_bytes(graph: ResidentGraph, spec: RunSpec) -> dict[Key, int]:
    """The bytes on the device of what an ArcStream keeps there."""
    sizes = {k: _at_once(spec.extent) * a.nbytes for k, a in _passing(spec).items()}
    extent, offsets = spec.extent, spec.graph[OFFSETS]
    whole = graph.extent()
    return sizes | {
        OFFSETS: offsets.nbytes + extent.parts * _alignment(graph),
        BLOCKS: spec.graph[BLOCKS].dtype.itemsize * (whole.blocks + extent.parts * extent.groups),
    }


def whole_arrays(spec: RunSpec) -> dict[Key, Array]:
    """The arrays of the graph that are on the device as a whole."""
    if spec.extent.parts == 1:
        return dict(spec.graph)
    return {key: array for key, array in spec.graph.items() if not is_streamed(key, array)}


def _passing(spec: RunSpec) -> dict[Key, Array]:
    """The arrays with an item for each arc."""
    streamed = {k: a for k, a in spec.graph.items() if is_streamed(k, a)}
    return {k: a for k, a in streamed.items() if k not in (OFFSETS, BLOCKS)}


def _at_once(extent: Extent) -> int:
    """How many parts are on a device at a time: its only one, or one to read and one to copy."""
    return 1 if extent.parts == extent.ranks else 2


def _alignment(graph: ResidentGraph) -> int:
    """In bytes, where a buffer within another may begin."""
    return max(int(graph.device.cl.mem_base_addr_align) // 8, 8)


class ArcStream:
    """The parts of a graph's arcs, on the device one or two at a time.

    The arcs of a part are numbered from 0, in its row blocks and its offsets, so that kernels need
    not know of parts. The offsets of all parts stay on the device, in one buffer: those of the next
    part begin a little later, so that the last offset of one and the first of the next have places
    of their own.

    Args:
        spec: what the run needs, in so many parts.
        rank: of the processes that share them.

    Attributes:
        parts: of all ranks.
        own: the numbers of those of this rank.
    """

    def __init__(self, graph: ResidentGraph, spec: RunSpec, rank: int = 0):
        self.device, extent = graph.device, spec.extent
        offsets = graph.arcs.into.offsets
        self.parts, self._ranks = cut(offsets, extent.parts), extent.ranks
        self.own = self._numbers_of(rank)
        arrays = _passing(spec)
        own = [self.parts[number] for number in self.own]
        self._values = {
            key: dict(zip(self.own, graph.cut(key, array, own), strict=True))
            for key, array in arrays.items()
        }
        self._queue = cl.CommandQueue(self.device.context)
        sizes = {key: array.nbytes for key, array in arrays.items()}
        self._places = [
            _Place({k: self.device.allocate(size) for k, size in sizes.items()})
            for _ in range(_at_once(extent))
        ]
        tally = spec.own[TALLIES].dtype.itemsize
        self._tallies = self.device.reserve(extent.block_groups * tally)
        pad = _alignment(graph) // offsets.itemsize
        placed = np.zeros(len(offsets) + pad * len(self.parts), offsets.dtype)
        self._blocks: list[Any] = []
        self._num_blocks: list[int] = []
        for number, (first, last, begin, _) in enumerate(self.parts):
            rows = offsets[first : last + 1] - offsets.dtype.type(begin)
            placed[number * pad + first : number * pad + last + 1] = rows
            bounds = row_blocks(rows, graph.group, graph.block, self.device.groups)
            table = block_table(rows, bounds)
            table["first"] += first
            table["last"] += first
            self._blocks.append(self.device.upload(table))
            self._num_blocks.append(len(table))
        whole = self.device.upload(placed)
        step = pad * offsets.itemsize
        self._offsets = [
            whole.get_sub_region(n * step, offsets.nbytes) for n in range(len(self.parts))
        ]
        process.holds_opencl(self)

    def _numbers_of(self, rank: int) -> list[int]:
        count = len(self.parts)
        return [n for n in range(count) if n * self._ranks // count == rank]

    def rows_of(self, rank: int) -> tuple[int, int]:
        """The range of the vertices that a rank gathers for."""
        its = [self.parts[number] for number in self._numbers_of(rank)]
        return (its[0].first, its[-1].last) if its else (0, 0)

    def take(self, number: int, keys: Sequence[Any]) -> Taken:
        """A part, of which the arrays in `keys` are copied to the device, unless they are there."""
        keys = [key for key in keys if key in self._values]
        place = next(
            (p for p in self._places if all(p.holds.get(k) == number for k in keys)),
            self._places[0],
        )
        self._places = [p for p in self._places if p is not place] + [place]  # used last
        if any(place.holds.get(key) != number for key in keys):
            self._fill(place, number, keys)
        buffers = {key: place.buffers[key] for key in keys}
        buffers |= {OFFSETS: self._offsets[number], BLOCKS: self._blocks[number]}
        buffers[TALLIES] = self._tallies
        return Taken(buffers, self._num_blocks[number], place)

    def _fill(self, place: _Place, number: int, keys: Sequence[Key]) -> None:
        self.device.queue.flush()  # a queue may wait for ever for what another has not been given
        events = []
        for key in keys:
            values = self._values[key][number]
            if values.nbytes:
                copied = cl.enqueue_copy(
                    *(self._queue, place.buffers[key], values),
                    is_blocking=False,
                    wait_for=place.readers,
                )
                events.append(copied)
            place.holds[key] = number
        self._queue.flush()
        place.ready, place.readers = events, []
