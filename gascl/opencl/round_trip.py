"""How long one waits for a device."""

from __future__ import annotations

import statistics
import time

import numpy as np
import pyopencl as cl

from gascl.errors import DeviceError
from gascl.opencl.device import Device, complaint

#: The number of round trips whose median is taken.
TIMES = 50


def seconds(device: Device) -> float:
    """The time in which a device does nearly nothing and returns the result; needs no kernel.

    Raises:
        DeviceError: the device fails.
    """
    result, times = np.zeros(1, np.int32), []
    try:
        buffer = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, result.nbytes)
        for _ in range(TIMES):
            began = time.perf_counter()
            cl.enqueue_fill_buffer(device.queue, buffer, result, 0, result.nbytes)
            cl.enqueue_copy(device.queue, result, buffer)  # waits for both
            times.append(time.perf_counter() - began)
    except cl.Error as error:
        raise DeviceError(f"{device} failed: {complaint(error)}") from error
    return statistics.median(times)
