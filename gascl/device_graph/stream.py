"""Streams the arcs of a graph that do not fit on the device: they are copied there part by part.

The device keeps all data of the vertices, and two parts of the arcs: while kernels read one, the
other one is copied. The idea, to stream arcs through memory in intervals of their receivers, is
that of GraphChi (Kyrola, Blelloch, Guestrin 2012) and, for GPUs, of Subway (Sabet, Zhao, Gupta
2020).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.codegen.constants import SENDERS_OF_WORD
from gascl.delivery.device_facts import DeviceLimits
from gascl.delivery.run_layout import (
    GRAPH,
    RUN,
    Array,
    Extent,
    Key,
    RunLayout,
    is_of_vertices,
    is_streamed,
    transposed_arrays,
)
from gascl.device_graph.buffers import ResidentGraph, too_large
from gascl.errors import DeviceError
from gascl.graph.partition import bit_of, cut
from gascl.opencl import fork_guard
from gascl.opencl.spill import SPILLED
from gascl.util.units import amount

OFFSETS, BLOCKS = Key(GRAPH, "in_offsets"), Key(GRAPH, "in_blocks")
#: The fewest parts: while kernels read one, another is copied.
FEWEST = 2
#: The groups' tallies of a part, which are copied to those of the superstep.
TALLIES = Key(RUN, "tallies")
#: The parts with arcs of the vertices that scatter, if only these need be copied.
NEEDED = Key(RUN, "needed")
#: The parts in which vertices have outgoing arcs.
REACHES = Key(GRAPH, "reaches")


@dataclass
class _Place:
    """Buffers on the device for one part.

    Attributes:
        holds: the number of the part that is in each of the buffers.
        ready: the events of the copies of that part.
        readers: the events of the last kernels that read it.
    """

    buffers: dict[Key, Any]
    holds: dict[Key, int] = field(default_factory=dict)
    ready: list[Any] = field(default_factory=list)
    readers: list[Any] = field(default_factory=list)


class LoadedPart(NamedTuple):
    """A part on the device.

    Attributes:
        buffers: the buffers that its kernels use in place of the whole graph's.
        place: where its arcs are. Kernels that read them must wait for `ready`, and the event of
            the last one must be set in `readers`.
    """

    buffers: Mapping[Key, Any]
    place: _Place


def in_parts(
    device: DeviceLimits,
    orders: Sequence[np.ndarray],
    layout_of: Callable[[Extent], RunLayout],
    extent: Extent,
    limit: int,
    at_once: Mapping[Key, int],
    spills: bool = False,
) -> RunLayout:
    """The buffers of a run that streams its arcs in as few parts as possible.

    Args:
        orders: the offsets of the arcs of this device by receiving vertex, for the vertices that
            its arcs end in; where edges alternate, also those of the reversed arcs.
        layout_of: returns the buffers of a run with a certain extent.
        extent: the extent of all arcs of this device.
        limit: the bytes of the device that the run may take.
        at_once: the bytes of each buffer of a run with all arcs at once, which do not fit.
        spills: the data of the vertices are in files.

    Raises:
        DeviceError: not even parts with the arcs of one vertex fit.
    """

    def layout_in(arcs: int, parts: int, rows: int = 1) -> RunLayout:
        return layout_of(replace(extent, arcs=arcs, parts=parts, rows=rows, symmetric=False))

    def sizes_of(layout: RunLayout) -> dict[Key, int]:
        return run_bytes(device, layout, len(orders) > 1)

    def needed_in(layout: RunLayout) -> int:
        return sum(in_memory(layout, sizes_of(layout), spills).values())

    longest = max(map(longest_row, orders))
    finest = layout_in(longest, FEWEST)
    if why := too_large(device, sizes_of(finest)):
        raise DeviceError(f"{why}; use a device that can have a larger one")
    parts, smallest = FEWEST, 0
    while True:
        # With the smallest parts. The more parts there are, the more memory they take themselves.
        least = needed_in(layout_in(longest, parts))
        if least > limit and 0 < smallest <= least:
            raise _refusal(device, finest, limit, smallest, at_once)
        cuts = [cut(offsets, parts) for offsets in orders]
        largest = max((part.end - part.begin for turn in cuts for part in turn), default=0)
        rows = max((part.last - part.first for turn in cuts for part in turn), default=0)
        layout = layout_in(largest, parts, rows)
        needed, too_wide = needed_in(layout), too_large(device, sizes_of(layout))
        if needed <= limit and not too_wide:
            return layout
        if not too_wide:
            smallest = min(needed, smallest or needed)
        parts = max(parts + 1, int(1.1 * parts))


def longest_row(offsets: Any) -> int:
    """The largest number of arcs that end in a vertex, or at least as many."""
    most = getattr(offsets, "most", None)  # of a rule
    return int(np.diff(offsets).max(initial=0)) if most is None else most


def _refusal(
    device: DeviceLimits, finest: RunLayout, limit: int, smallest: int, at_once: Mapping[Key, int]
) -> DeviceError:
    """The error of a run whose buffers do not fit with any number of parts.

    Args:
        finest: the buffers with parts that have the arcs of one vertex.
        smallest: the bytes that the run needs with the best number of parts.
    """
    total = sum(at_once.values())
    if limit < total <= smallest and not too_large(device, at_once):
        needs = f"{amount(total, up=True)} on {device}, and no less where its arcs come in parts"
    else:
        asks = any(Key(GRAPH, f"{n}_out_targets") in finest.graph for n in ("all", "own"))
        needs = (
            f"{amount(smallest, up=True)} on {device} for what it keeps of "
            f"vertices{', for neighbors' if asks else ''} and for parts of its arcs, the "
            f"largest of {finest.extent.arcs:,} arcs that end in one vertex"
        )
    return DeviceError(
        f"the run needs {needs}; it may take {amount(limit)}: let it take more, or use a device "
        "with more"
    )


def run_bytes(device: DeviceLimits, layout: RunLayout, alternates: bool) -> dict[Key, int]:
    """The bytes of each buffer that a run has on the device.

    Args:
        alternates: edges alternate, so that odd supersteps read arrays of the reversed graph.
    """
    resident = resident_arrays(layout)
    turns = [resident]
    if alternates and not layout.extent.symmetric:
        turns.append(transposed_arrays(resident))
    sizes = [{key: array.nbytes for key, array in arrays.items()} for arrays in turns]
    return layout.own_bytes(device.alignment) | graph_bytes(device, layout, sizes)


def in_memory(layout: RunLayout, sizes: Mapping[Key, int], spills: bool = True) -> dict[Key, int]:
    """The buffers that are not in files: arrays of the arcs, and what is small.

    Args:
        spills: the data of the vertices are in files.
    """
    graph = {key for key in resident_arrays(layout) if is_of_vertices(key)}
    in_files = {*layout.own, *graph, REACHES}
    return {k: s for k, s in sizes.items() if not (spills and k in in_files and s >= SPILLED)}


def graph_bytes(
    device: DeviceLimits, layout: RunLayout, turns: Sequence[Mapping[Key, int]]
) -> dict[Key, int]:
    """The bytes of the buffers that a run has of the graph.

    Args:
        turns: the bytes of the arrays that stay on the device, in even supersteps, and
            in odd ones where edges alternate.
    """
    streamed = _streamed_bytes(device, layout) if layout.extent.parts > 1 else {}
    first, *others = ({**resident, **streamed} for resident in turns)
    return first | {
        _besides(key, "transposed"): size
        for transposed in others
        for key, size in transposed.items()
    }


def _streamed_bytes(device: DeviceLimits, layout: RunLayout) -> dict[Key, int]:
    """The bytes of the buffers of an ArcStream."""
    extent, sizes = layout.extent, {k: a.nbytes for k, a in _passing(layout).items()}
    sizes |= {_besides(key, "the next part"): size for key, size in sizes.items()}
    sizes[BLOCKS] = layout.graph[BLOCKS].dtype.itemsize * extent.blocks_of_parts
    sizes[_besides(TALLIES, "of a part")] = extent.block_groups * layout.own[TALLIES].dtype.itemsize
    if NEEDED in layout.own:
        sizes[REACHES] = 4 * -(-extent.vertices // SENDERS_OF_WORD)
        sizes[_besides(OFFSETS, "no arcs")] = layout.graph[OFFSETS].nbytes
        sizes[_besides(BLOCKS, "no arcs")] = sizes[BLOCKS]
    return sizes


def _besides(key: Key, what: str) -> Key:
    """The key of another buffer with the same array."""
    return Key(key.owner, f"{key.name}, {what}")


def resident_arrays(layout: RunLayout) -> dict[Key, Array]:
    """The arrays of the graph that stay on the device."""
    if layout.extent.parts == 1:
        return dict(layout.graph)
    return {key: array for key, array in layout.graph.items() if not is_streamed(key, array)}


def _passing(layout: RunLayout) -> dict[Key, Array]:
    """The arrays of which the device has one or two parts at a time."""
    return {k: a for k, a in layout.graph.items() if is_streamed(k, a) and k != BLOCKS}


class ArcStream:
    """The parts of a graph's arcs, on the device two at a time.

    The arcs of a part are numbered from 0, in its row blocks and its offsets, so that kernels need
    not know of parts, but for the row with the first offset. For a part that a superstep does not
    need, there are row blocks and offsets without arcs.

    Args:
        layout: the buffers of the run.

    Attributes:
        parts: in the order of their rows.
        reaches: a buffer with the bits of the parts that vertices send to (`bit_of`), where a
            superstep may not need all; else None.
    """

    def __init__(self, graph: ResidentGraph, layout: RunLayout):
        self.device, extent = graph.device, layout.extent
        self.parts = graph.cut(extent.parts)
        arrays = _passing(layout)
        self._values = {k: graph.pieces(k, array, self.parts) for k, array in arrays.items()}
        self._queue = cl.CommandQueue(self.device.context)
        sizes = {key: array.nbytes for key, array in arrays.items()}
        self._places = [
            _Place({k: self.device.allocate(size) for k, size in sizes.items()}) for _ in range(2)
        ]
        tally = layout.own[TALLIES].dtype.itemsize
        self._tallies = self.device.reserve(extent.block_groups * tally)
        self.reaches: Any = None
        self._blocks: list[Any] = []
        self._no_arcs: list[dict[Key, Any]] = []  # in place of a part's offsets and blocks
        self._num_blocks: list[int] = []
        if NEEDED in layout.own:
            self.reaches = graph.upload(graph.reaches(self.parts))
            none = arrays[OFFSETS]
            no_offsets = self.device.upload(np.zeros(none.count, none.dtype))
        for table in graph.tables(self.parts):
            self._blocks.append(self.device.upload(table))
            self._num_blocks.append(len(table))
            if NEEDED in layout.own:
                empty = table.copy()
                empty["begin"] = empty["end"] = 0
                self._no_arcs.append({OFFSETS: no_offsets, BLOCKS: self.device.upload(empty)})
        fork_guard.holds_opencl(self)

    def needed(self, words: np.ndarray) -> list[int]:
        """The numbers of the parts whose bit is set in any of the words."""
        count, bits = len(self.parts), int(np.bitwise_or.reduce(words))
        return [number for number in range(count) if bits & bit_of(number, count)]

    def resident_first(self) -> list[int]:
        """The numbers of the parts; those that are on the device come first."""
        there = {number for place in self._places for number in place.holds.values()}
        return sorted(range(len(self.parts)), key=lambda number: number not in there)

    def blocks_of(self, number: int) -> int:
        """The number of row blocks of a part."""
        return self._num_blocks[number]

    def load(self, number: int, keys: Collection[Any], needed: bool = True) -> LoadedPart:
        """A part, of which the arrays in `keys` are copied to the device, unless they are there.

        Args:
            needed: if not, the part has no arcs: its kernels run for vertices without messages.
        """
        keys = [key for key in keys if key in self._values]
        # Without arcs, the buffers are not read: any will do.
        place = self._place(number, keys) if needed and keys else _Place(self._places[0].buffers)
        buffers = {key: place.buffers[key] for key in keys}
        buffers |= {BLOCKS: self._blocks[number], TALLIES: self._tallies}
        buffers |= {} if needed else self._no_arcs[number]
        return LoadedPart(buffers, place)

    def _place(self, number: int, keys: Sequence[Key]) -> _Place:
        """The buffers with a part; copies of it to there may still be running."""
        place = next(
            (p for p in self._places if all(p.holds.get(k) == number for k in keys)),
            self._places[0],
        )
        self._places = [p for p in self._places if p is not place] + [place]  # used last
        if any(place.holds.get(key) != number for key in keys):
            self._fill(place, number, keys)
        return place

    def _fill(self, place: _Place, number: int, keys: Sequence[Key]) -> None:
        # Otherwise a queue may wait forever for an event of a queue that has not been flushed.
        self.device.queue.flush()
        events = []
        for key in keys:
            values = self._values[key](number)
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
