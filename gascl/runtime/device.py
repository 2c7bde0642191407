"""Finding, choosing and describing OpenCL devices."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import pyopencl as cl

from gascl.codegen.kerneltext import kernel_text
from gascl.delivery import atomics
from gascl.delivery.atomics import Atomics
from gascl.errors import DeviceError
from gascl.runtime import drivers, pocl, poclcache, process

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
        processor: the one that PoCL from pip builds for, in LLVM's words (pocl.py); else empty.
    """

    cl: Any
    group: int = field(default=0)
    processor: str = field(default="", init=False)
    _own: threading.local = field(default_factory=threading.local, init=False, repr=False)

    def __post_init__(self) -> None:
        self.processor = pocl.mend(self.cl)
        if not self.group:
            self.group = 1 if self.is_cpu else min(GROUP, self.cl.max_work_group_size)

    @property
    def name(self) -> str:
        return str(self.cl.name).strip()

    @property
    def platform(self) -> str:
        return str(self.cl.platform.name).strip()

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
    def atomics(self) -> Atomics:
        """The device's atomic operations; on NVIDIA's platform the first look tries some out."""
        extensions = self.cl.extensions.split()
        known = Atomics(
            int64="cl_khr_int64_base_atomics" in extensions,
            int64_extended="cl_khr_int64_extended_atomics" in extensions,
        )
        if "nvidia" not in self.platform.lower():
            return known
        return replace(known, ptx_float32=self._adds("float32"), ptx_float64=self._adds("float64"))

    def _adds(self, type_: str) -> bool:
        """NVIDIA's atomic addition of `type_` compiles here, and gives the right sums."""
        trial = Atomics(int64=True, ptx_float32=True, ptx_float64=True)
        text = atomics.probe(type_, kernel_text("atomics.cl"))
        sums = np.zeros(atomics.PROBE_CELLS, type_)
        try:
            program = built(self, text, trial.options())
            flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
            cells = cl.Buffer(self.context, flags, hostbuf=sums)
            kernel(program, "gascl_probe")(self.queue, (atomics.PROBE_ITEMS,), None, cells)
            cl.enqueue_copy(self.queue, sums, cells)
        except cl.Error:
            return False
        each = atomics.PROBE_ITEMS // atomics.PROBE_CELLS * atomics.PROBE_VALUE
        return bool((sums == each).all())

    @property
    def context(self) -> Any:
        with _lock:  # two contexts would not share buffers
            return _context(self.cl)

    @property
    def queue(self) -> Any:
        """This thread's queue: no thread waits for what another one has enqueued."""
        if not hasattr(self._own, "queue"):
            profiling = cl.command_queue_properties.PROFILING_ENABLE
            self._own.queue = Queue(cl.CommandQueue(self.context, properties=profiling))
        return self._own.queue.cl

    def speed(self) -> tuple[bool, int]:
        """Sorts GPUs before the rest, then by compute units times clock."""
        return (self.kind == "GPU", self.cl.max_compute_units * self.cl.max_clock_frequency)

    def __str__(self) -> str:
        return f"{self.name} ({self.platform})"


class Queue:
    """A pyopencl queue, with its context."""

    def __init__(self, queue: Any):
        self.cl, self.context = queue, queue.context
        process.holds_opencl(self)


@cache
def _context(device: Any) -> Any:
    """The one context of a pyopencl device: some drivers keep a tenth of a GiB for each."""
    return cl.Context([device])


def built(device: Device, text: str, options: Sequence[str]) -> Any:
    """A program built for a device.

    Where the driver keeps no compiled programs, pyopencl does, on disk. Where what it kept is
    damaged, or it cannot write there, the program is built anew.

    Raises:
        cl.RuntimeError: the driver refuses it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what compilers say, and that what was kept is damaged
        try:
            return cl.Program(device.context, text).build(list(options))
        except cl.RuntimeError:
            raise
        except Exception:  # pyopencl's, the system's or pickle's
            with tempfile.TemporaryDirectory(prefix="gascl-") as folder:
                return cl.Program(device.context, text).build(list(options), cache_dir=folder)


def kernel(program: Any, name: str) -> Any:
    """A kernel of a built program.

    pyopencl keeps Python code that it generates for kernels in a database on disk. Where that is
    damaged or cannot be written, it does without from here on.
    """
    try:
        return cl.Kernel(program, name)
    except cl.Error:
        raise
    except Exception:  # SQLite's, the system's or pickle's
        cl._PYOPENCL_NO_CACHE = True
        return cl.Kernel(program, name)


def complaint(error: cl.Error) -> str:
    """What a driver says of a failed build, in a line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0].split(" - ")[0])


def cannot_build(device: Device, error: cl.Error) -> DeviceError:
    """What to raise where a driver fails to build kernels and blames no line of them."""
    if "PoCL" in device.cl.platform.version and not _has_room(poclcache.place()):
        remedy = (
            f"the disk of {poclcache.place()}, where PoCL keeps compiled kernels, is full: make "
            "room there, or name another folder with POCL_CACHE_DIR"
        )
    else:
        remedy = (
            "that is the device's fault, not the program's: see which devices work with "
            "`gascl devices`, and choose one with device=... or GASCL_DEVICE, or update the "
            "driver; `pip install 'gascl[intel]'` brings another device for CPUs (x86-64)"
        )
    return DeviceError(f"{device} can't build kernels: {complaint(error)}; {remedy}")


def _has_room(folder: Path) -> bool:
    """A compiled program takes less than a MiB."""
    try:
        return shutil.disk_usage(folder).free >= 2**20
    except OSError:
        return True


_known: dict[int, Device] = {}
#: Held while drivers set themselves up and contexts are made: all threads have the same ones.
_lock = threading.RLock()


def _device(device: Any) -> Device:
    """The one `Device` of a pyopencl device in this process, so that contexts are shared."""
    with _lock:
        if device.int_ptr not in _known:
            _known[device.int_ptr] = Device(device)
        return _known[device.int_ptr]


@cache
def _platforms() -> list[Any]:
    """OpenCL's platforms; the first look is when the loader and PoCL read their environment."""
    if sys.platform == "linux":
        poclcache.prepare()
    if not poclcache.writable(Path(platformdirs.user_cache_dir())):
        cl._PYOPENCL_NO_CACHE = True  # pyopencl would try again and again, and say so
    with drivers.announced():
        return list(cl.get_platforms())


def devices() -> list[Device]:
    """Every OpenCL device, in the order of `gascl devices`. Raises DeviceError if there is none, or
    this process was forked from one that had used them."""
    process.check()
    try:
        with _lock:
            platforms = _platforms()
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
            GASCL_DEVICE, else the fastest GPU that passes the trial (trial.py), else the fastest
            CPU that does.
    """
    process.check()
    if isinstance(choice, Device):
        return choice
    if isinstance(choice, cl.Device):
        return _device(choice)
    variable = ""
    if choice is None and os.environ.get("GASCL_DEVICE"):
        choice, variable = os.environ["GASCL_DEVICE"], "GASCL_DEVICE="
    found = devices()
    listing = "; ".join(f"{i}: {d}" for i, d in enumerate(found))
    if choice is None:
        return _fastest_that_works(found)
    if isinstance(choice, int) or (isinstance(choice, str) and choice.strip().isdigit()):
        if not 0 <= int(choice) < len(found):
            raise DeviceError(f"no device {variable}{choice}; there is {listing}")
        return found[int(choice)]
    if not isinstance(choice, str):
        raise DeviceError(
            f"device={choice!r}: expected part of a name, an index or a pyopencl device"
        )
    matching = [d for d in found if choice.lower() in str(d).lower()]
    if not matching:
        raise DeviceError(f"no device named {variable}{choice!r}; there is {listing}")
    return max(matching, key=Device.speed)


def _fastest_that_works(found: list[Device]) -> Device:
    """The fastest that runs a trial kernel; where none does or there is no choice, the fastest."""
    from gascl.runtime.trial import failure

    ranked = sorted(found, key=lambda device: device.speed(), reverse=True)
    if len(ranked) == 1:
        return ranked[0]
    return next((device for device in ranked if not failure(device)), ranked[0])
