"""Moves rows of values by index, lists vertices, and adds up lanes, on the device."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.delivery.sort_kernels import VALUES, gathering, lane_summing
from gascl.opencl.device import Device, built

#: The sizes of values that can be gathered, in bytes.
SIZES = tuple(VALUES)


def pays(device: Device) -> bool:
    """Whether the device reorders values, or adds them up, faster than the host in threads."""
    return device.kind == "GPU"


def gather_values(
    device: Device, to: Any, values: Any, places: Any, count: int, size: int, index: str = "int32"
) -> None:
    """Enqueue `to[:count] = values[places[:count]]`, of buffers.

    Args:
        size: the bytes of a value, one of SIZES.
        index: the dtype of places, "int32" or "int64".
    """
    run = _kernel(device, gathering(index, size), "gascl_gather_values")
    run.set_args(values, places, to, np.int64(count))
    _enqueue(device, run)


def get_rows(device: Device, to: Any, rows: Any, places: Any, count: int, size: int) -> None:
    """Enqueue `to[:count] = rows[places[:count]]`, of buffers.

    Args:
        places: int32.
        size: the bytes of a row.
    """
    _move_rows(device, "gascl_get_rows", to, rows, places, count, size)


def put_rows(device: Device, to: Any, rows: Any, places: Any, count: int, size: int) -> None:
    """Enqueue `to[places[:count]] = rows[:count]`, of buffers.

    Args:
        places: int32.
        size: the bytes of a row.
    """
    _move_rows(device, "gascl_put_rows", to, rows, places, count, size)


def _move_rows(
    device: Device, kernel: str, to: Any, rows: Any, places: Any, count: int, size: int
) -> None:
    value = math.gcd(size, SIZES[-1])
    run = _kernel(device, gathering("int32", value), kernel)
    run.set_args(rows, places, to, np.int64(count), np.int32(size // value))
    _enqueue(device, run)


def list_vertices(
    device: Device, pieces: Any, first: int, lengths: Any, frontier: int, listed: int, to: Any
) -> None:
    """Enqueue a list of the vertices of a frontier, whose order may differ from run to run.

    Args:
        pieces: int2, the pieces of the frontier from `first` on.
        lengths: int32, whose items `frontier` and `listed` are the number of pieces, and that of
            vertices, which is counted here.
    """
    zero = np.zeros(1, np.int32)
    cl.enqueue_fill_buffer(device.queue, lengths, zero, listed * zero.itemsize, zero.itemsize)
    run = _kernel(device, gathering("int32", zero.itemsize), "gascl_list_vertices")
    run.set_args(pieces, np.int64(first), lengths, np.int32(frontier), np.int32(listed), to)
    _enqueue(device, run)


def add_lanes(
    device: Device, sums: Any, values: Any, count: int, lanes: int, first: int, value: str
) -> None:
    """Enqueue `sums[:count] = values[:count, :first].sum(axis=1)`, of buffers.

    Args:
        lanes: the values of a row, of which the `first` ones are added up.
        value: their type in OpenCL C; sums of floats are double, others long.
    """
    total = "double" if value in ("float", "double") else "long"
    run = _kernel(device, lane_summing(value, total), "gascl_lane_sums")
    run.set_args(values, sums, np.int64(count), np.int32(lanes), np.int32(first))
    _enqueue(device, run)


def convert_values(
    device: Device, to: Any, values: Any, count: int, value: str, wanted: str
) -> None:
    """Enqueue `to[:count] = values[:count]`, of buffers, each as the sum of one lane.

    Args:
        value, wanted: the types in OpenCL C; the second holds all values.
    """
    run = _kernel(device, lane_summing(value, wanted), "gascl_lane_sums")
    run.set_args(values, to, np.int64(count), np.int32(1), np.int32(1))
    _enqueue(device, run)


def _kernel(device: Device, text: str, name: str) -> Any:
    return device.queue_of_thread().kernel(program_of(device, text), name)


def _enqueue(device: Device, run: Any) -> None:
    items = (device.groups * device.group,)
    cl.enqueue_nd_range_kernel(device.queue, run, items, (device.group,))


@cache
def program_of(device: Device, text: str) -> Any:
    """The built program with this text."""
    return built(device, text, [])
