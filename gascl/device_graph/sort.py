"""Sorts the arcs of a graph on a device, where that is faster than on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.codegen.constants import DIGIT_BITS, KEYS_PER_ITEM
from gascl.delivery.run_layout import MOST_SUMS, num_tiles
from gascl.delivery.sort_kernels import LEAST_GROUP, fitting_group, sorting
from gascl.device_graph.gather import gather_values, program_of
from gascl.graph.arcs import Order
from gascl.graph.reordering import Renumbered
from gascl.opencl.device import Device

#: How many counts an item adds up before more than one group does.
FEW_COUNTS = 16


def pays(device: Device) -> bool:
    """Whether the device sorts faster than the host does in threads."""
    return device.kind == "GPU"


def sorting_bytes(pairs: int, both: bool, offset: np.dtype, places: bool, numbers: int = 0) -> int:
    """The bytes of the device that sorting takes beyond its results.

    Args:
        pairs: the number of pairs to sort.
        both: as in `Order`.
        offset, places: as in `Sorted`.
        numbers: the number of vertices whose numbers the device looks up.
    """
    keys, index = pairs << both, offset.itemsize
    counts = index * (MOST_SUMS + (keys // (LEAST_GROUP * KEYS_PER_ITEM) + 1 << DIGIT_BITS))
    ends = 8 * pairs * (2 if numbers else 1) + 4 * numbers
    return ends + 2 * keys * (8 + index * places) + counts


class Sorted:
    """An Order, sorted on a device; the Order gets the offsets.

    Attributes:
        offsets, ends, places: buffers with those arrays of the Order; `places` may be None.
    """

    def __init__(
        self, device: Device, order: Order, num_pairs: int, offset: np.dtype, places: bool
    ):
        """
        Args:
            num_pairs: the number of sorted pairs.
            offset: the dtype of offsets and places.
            places: whether to compute `places`.
        """
        self.device, self.order = device, order
        group = fitting_group(device.group, offset.itemsize, places, device.cl.local_mem_size)
        self._bits = max(order.num_vertices - 1, 1).bit_length()
        self._keys = len(order.row) << order.both
        self._offset = offset
        text = sorting(self._offset.name, group, places)
        run = Launches(device, program_of(device, text), group)
        ends = self._ends()
        bits, rows = np.int32(self._bits), np.int32(order.num_vertices)
        side, other = [self._buffers(places) for _ in range(2)]
        pairs, both = np.int64(len(order.row)), np.int32(order.both)
        run("sort_keys", device.groups, *side, *ends, pairs, bits, both)
        if not order.is_sorted:
            # The reverse of a self-loop has a key that differs from others only above the rows.
            digits = 2 * self._bits + order.both
            memory = sums_memory(device, self._keys, group, offset.itemsize)
            size = group, device.groups
            side, other = radix_sort(run, side, other, self._keys, digits, memory, size)
        self.offsets = device.reserve((order.num_vertices + 1) * self._offset.itemsize)
        run("sort_offsets", device.groups, side[0], self.offsets, np.int64(self._keys), bits, rows)
        self.ends, self.places = ends[1], side[1] if places else None
        if not order.is_sorted:
            self.ends = device.reserve(4 * num_pairs)
            run("sort_ends", device.groups, side[0], self.ends, np.int64(num_pairs), bits)
        if "offsets" not in order.kept:
            offsets = np.empty(order.num_vertices + 1, self._offset)
            cl.enqueue_copy(device.queue, offsets, self.offsets)
            order.know(offsets)

    def gathered(self, values: np.ndarray, count: int) -> Any:
        """A buffer with the values of the pairs, in sorted order."""
        uploaded = self.device.upload(values)
        return self._gather(uploaded, self.places, count, values.itemsize, self._offset.name)

    def _ends(self) -> list[Any]:
        """The rows and ends before sorting, with new numbers looked up on the device."""
        device, pair = self.device, [self.order.row, self.order.end]
        ends = [device.upload(np.asarray(e.ends if isinstance(e, Renumbered) else e)) for e in pair]
        if isinstance(pair[1], Renumbered):
            number = device.upload(pair[1].number)
            ends = [self._gather(number, places, len(pair[1]), 4, "int32") for places in ends]
        return ends

    def _gather(self, values: Any, places: Any, count: int, size: int, index: str) -> Any:
        """A buffer with the values, of `size` bytes each, at `count` places."""
        gathered = self.device.reserve(size * count)
        gather_values(self.device, gathered, values, places, count, size, index)
        return gathered

    def _buffers(self, places: bool) -> list[Any]:
        """Buffers for the keys and, if they are computed, for the places."""
        sizes = [8, self._offset.itemsize] if places else [8]
        return [self.device.reserve(size * self._keys) for size in sizes]


class Launches:
    """Launches the kernels `gascl_...` of a program in the thread's queue.

    Args:
        group: the number of items in a work-group.
    """

    def __init__(self, device: Device, program: Any, group: int):
        self.device, self.group = device, group
        self._program = program

    def __call__(self, name: str, groups: int, *arguments: Any) -> None:
        """Enqueue a kernel for so many work-groups, at least one."""
        run = self.device.queue_of_thread().kernel(self._program, f"gascl_{name}")
        size = (max(groups, 1) * self.group,)
        run.set_args(*arguments)
        cl.enqueue_nd_range_kernel(self.device.queue, run, size, (self.group,))


def sums_memory(device: Device, num_keys: int, group: int, offset: int) -> tuple[Any, Any]:
    """What `radix_sort` needs beside the keys, in offsets of so many bytes."""
    number = num_tiles(num_keys, group) << DIGIT_BITS
    return device.allocate(number * offset), device.allocate(MOST_SUMS * offset)


def radix_sort(
    run: Callable[..., None],
    side: list[Any],
    other: list[Any],
    num_keys: int,
    bits: int,
    memory: tuple[Any, Any],
    size: tuple[int, int],
) -> tuple[list[Any], list[Any]]:
    """Enqueue a stable sort of keys by their lowest bits.

    Args:
        run: enqueues a kernel of sort.cl, given its name, groups and arguments: `Launches`.
        side: buffers with the keys and, if they are moved along, the places.
        other: buffers of the same sizes.
        memory: buffers for the counts of all tiles, and for MOST_SUMS sums.
        size: the items of a work-group, and the groups that keep the device busy.

    Returns:
        The two, in the order in which the first one has what is sorted.
    """
    group, groups = size
    tiles = num_tiles(num_keys, group)
    for shift in range(0, bits, DIGIT_BITS):
        at = np.int64(num_keys), np.int32(tiles), np.int32(shift)
        run("sort_count", min(tiles, groups), side[0], memory[0], *at)
        exclusive_sums(run, *memory, tiles << DIGIT_BITS, group)
        run("sort_move", min(tiles, groups), *side, *other, memory[0], *at)
        side, other = other, side
    return side, other


def exclusive_sums(
    run: Callable[..., None], counts: Any, sums: Any, number: int, group: int
) -> None:
    """Enqueue that each of the counts becomes the sum of those before it; `sums` has room for
    MOST_SUMS more. Few are added up by one group, in one launch instead of two."""
    few = number <= FEW_COUNTS * group
    adding = 1 if few else min(MOST_SUMS, -(-number // group))
    for name in ("sort_sum", "sort_add")[few:]:
        run(name, adding, counts, sums, np.int64(number))
