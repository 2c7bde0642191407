"""Gathers values by index, on the device."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.delivery.sort_kernels import VALUES, gathering
from gascl.opencl.device import Device, built, kernel

#: The sizes of values that can be gathered, in bytes.
SIZES = tuple(VALUES)


def pays(device: Device) -> bool:
    """Whether the device reorders values faster than the host does in threads."""
    return device.kind == "GPU"


def gather_values(
    device: Device, to: Any, values: Any, places: Any, count: int, size: int, index: str = "int32"
) -> None:
    """Enqueue `to[:count] = values[places[:count]]`, of buffers.

    Args:
        size: the bytes of a value, one of SIZES.
        index: the dtype of places, "int32" or "int64".
    """
    run = kernel(program_of(device, gathering(index, size)), "gascl_gather_values")
    run.set_args(values, places, to, np.int64(count))
    items = (device.groups * device.group,)
    cl.enqueue_nd_range_kernel(device.queue, run, items, (device.group,))


@cache
def program_of(device: Device, text: str) -> Any:
    """The built program with this text."""
    return built(device, text, [])
