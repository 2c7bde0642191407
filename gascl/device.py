"""Finding, choosing and describing OpenCL devices."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyopencl as cl

from gascl.errors import DeviceError

NO_PLATFORM = (
    "no OpenCL platform found: `pip install pocl-binary-distribution` brings a CPU one "
    "(Linux, x86-64; see the README for other platforms)"
)
#: Items of a work-group on anything but a CPU.
GROUP = 256


@dataclass(eq=False)
class Device:
    """One OpenCL device, with the context and the queue that gascl uses on it.

    Attributes:
        cl: the pyopencl device.
        group: items a work-group; 1 gives an item a whole range of rows (best on CPUs).
    """

    cl: Any
    group: int = field(default=0)

    def __post_init__(self) -> None:
        if not self.group:
            self.group = 1 if self.is_cpu else min(GROUP, self.cl.max_work_group_size)

    @property
    def name(self) -> str:
        return self.cl.name.strip()

    @property
    def platform(self) -> str:
        return self.cl.platform.name.strip()

    @property
    def is_cpu(self) -> bool:
        return bool(self.cl.type & cl.device_type.CPU)

    @property
    def kind(self) -> str:
        is_gpu = bool(self.cl.type & cl.device_type.GPU)
        return "GPU" if is_gpu else "CPU" if self.is_cpu else "accelerator"

    @property
    def memory(self) -> int:
        """Bytes of global memory, as the driver reports them."""
        return int(self.cl.global_mem_size)

    @property
    def largest_buffer(self) -> int:
        """Bytes of the largest single buffer."""
        return int(self.cl.max_mem_alloc_size)

    @property
    def fp64(self) -> bool:
        return bool(self.cl.double_fp_config)

    @property
    def groups(self) -> int:
        """Work-groups that keep the device busy over a range of vertices."""
        return int(self.cl.max_compute_units) * 8

    def lacks(self) -> list[str]:
        """What gascl uses and the device does not have, in words."""
        missing = []
        if not self.fp64:
            missing.append("double precision (no dtype='float64'; float sums are float)")
        if not self.cl.compiler_available:
            missing.append("a compiler (no kernel can be built)")
        return missing

    @cached_property
    def context(self) -> Any:
        return cl.Context([self.cl])

    @cached_property
    def queue(self) -> Any:
        profiling = cl.command_queue_properties.PROFILING_ENABLE
        return cl.CommandQueue(self.context, properties=profiling)

    def speed(self) -> tuple[bool, int]:
        """Sorts GPUs before the rest, then by compute units times clock."""
        return (self.kind == "GPU", self.cl.max_compute_units * self.cl.max_clock_frequency)

    def __str__(self) -> str:
        return f"{self.name} ({self.platform})"


_known: dict[int, Device] = {}


def _device(device: Any) -> Device:
    """The one `Device` of a pyopencl device in this process, so that contexts are shared."""
    return _known.setdefault(device.int_ptr, Device(device))


def devices() -> list[Device]:
    """Every OpenCL device, in the order of `gascl devices`. Raises DeviceError if there is none."""
    try:
        platforms = cl.get_platforms()
    except cl.LogicError:
        raise DeviceError(NO_PLATFORM) from None
    found = []
    for platform in platforms:
        try:
            found += [_device(d) for d in platform.get_devices()]
        except cl.LogicError:  # a platform without devices
            continue
    if not found:
        raise DeviceError(NO_PLATFORM)
    return found


def find(choice: Any = None) -> Device:
    """The device of a user's choice.

    Args:
        choice: part of a device's or platform's name (the fastest that matches), an index into
            `devices()`, a pyopencl device, a `Device`, or None: the environment's
            GASCL_DEVICE, else the fastest GPU, else the fastest CPU.
    """
    if isinstance(choice, Device):
        return choice
    if isinstance(choice, cl.Device):
        return _device(choice)
    said = ""
    if choice is None and os.environ.get("GASCL_DEVICE"):
        choice, said = os.environ["GASCL_DEVICE"], "GASCL_DEVICE="
    found = devices()
    listing = "; ".join(f"{i}: {d}" for i, d in enumerate(found))
    if choice is None:
        return max(found, key=Device.speed)
    if isinstance(choice, int) or (isinstance(choice, str) and choice.strip().isdigit()):
        if not 0 <= int(choice) < len(found):
            raise DeviceError(f"no device {said}{choice}; there is {listing}")
        return found[int(choice)]
    if not isinstance(choice, str):
        raise DeviceError(
            f"device={choice!r}: expected part of a name, an index or a pyopencl device"
        )
    matching = [d for d in found if choice.lower() in str(d).lower()]
    if not matching:
        raise DeviceError(f"no device named {said}{choice!r}; there is {listing}")
    return max(matching, key=Device.speed)
