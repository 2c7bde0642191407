"""`Device`: an OpenCL device, its queues and memory; the list of devices; building for them."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np
import platformdirs
import pyopencl as cl
from pyopencl.tools import ImmediateAllocator, MemoryPool

from gascl.delivery import atomics_probe
from gascl.delivery.atomics import Atomics
from gascl.delivery.device_facts import DeviceFacts
from gascl.errors import DeviceError
from gascl.graph.reordering import spread
from gascl.opencl import fork_guard
from gascl.opencl.large_pages import LEAST, in_large_pages
from gascl.opencl.pinned import PIECE, Staging, pinned
from gascl.opencl.workarounds import intel_icd, nvidia, pocl, pocl_builtins, pocl_cache
from gascl.user_messages import Message, Option

NO_PLATFORM = (
    "no OpenCL platform found: `pip install pocl-binary-distribution` installs one for the CPU "
    "(Linux, x86-64; see the README for other platforms)"
)
#: The number of items in a work-group, except on CPUs.
GROUP = 256
#: Arrays from LARGE bytes on are copied from or to a GPU through pinned memory. That takes 30 ms to
#: allocate: it begins when so many bytes of such arrays, SEVERAL, have been copied.
LARGE, SEVERAL = 1 << 23, 1 << 27
#: The most bytes that a GPU writes to pinned memory at the end of a run. Through other memory, they
#: arrived up to half a millisecond later on an H200.
LANDING = 1 << 18


@dataclass(eq=False)
class Device:
    """An OpenCL device, with the context and the queues that gascl uses on it.

    Attributes:
        cl: the pyopencl device.
        group: items per work-group; with 1, an item handles a whole range of rows (best on CPUs).
        processor: LLVM's name of the processor that PoCL from pip compiles for (pocl.py), or "".
    """

    cl: Any
    group: int = field(default=0)
    processor: str = field(default="", init=False)
    _own: threading.local = field(default_factory=threading.local, init=False, repr=False)
    _queues: WeakSet[Queue] = field(default_factory=WeakSet, init=False, repr=False)
    _unread: WeakSet[Unread] = field(default_factory=WeakSet, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self.processor = pocl.mend(self.cl)
        if not self.group:
            self.group = 1 if self.is_cpu else min(GROUP, self.cl.max_work_group_size)

    @cached_property
    def name(self) -> str:
        return str(self.cl.name).strip()

    @cached_property
    def platform(self) -> str:
        return str(self.cl.platform.name).strip()

    @cached_property
    def is_cpu(self) -> bool:
        return bool(self.cl.type & cl.device_type.CPU)

    @cached_property
    def is_gpu(self) -> bool:
        return bool(self.cl.type & cl.device_type.GPU)

    @property
    def kind(self) -> str:
        return "GPU" if self.is_gpu else "CPU" if self.is_cpu else "accelerator"

    @cached_property
    def units(self) -> int:
        """The number of compute units."""
        return int(self.cl.max_compute_units)

    @cached_property
    def memory(self) -> int:
        """Global memory in bytes, as the driver reports it."""
        return int(self.cl.global_mem_size)

    @property
    def largest_buffer(self) -> int:
        """The size of the largest possible buffer, in bytes."""
        return int(self.cl.max_mem_alloc_size)

    @property
    def fp64(self) -> bool:
        return bool(self.cl.double_fp_config)

    @cached_property
    def is_nvidia(self) -> bool:
        return "nvidia" in self.platform.lower()

    @property
    def is_oclgrind(self) -> bool:
        """Whether it is Oclgrind, which looks for races and accesses out of bounds."""
        return self.platform == "Oclgrind"

    @property
    def can_join(self) -> bool:
        """Whether groups of a launch can wait for each other, as those of a persistent kernel do
        (kernels/persistent/): the writes of one must become visible to the others, which OpenCL 1.2
        cannot express. PoCL hangs at barriers in branches, which these kernels have unless a group
        is one item."""
        return self.is_nvidia or (self._is_pocl and self.group == 1)

    @property
    def may_skip_optimizer(self) -> bool:
        """Whether kernels that are not optimized give the same results bit for bit: PoCL's compiler
        neither contracts nor reorders operations on floats, and is slow to optimize."""
        return self._is_pocl and self.group == 1

    @property
    def _is_pocl(self) -> bool:
        return self.is_cpu and "portable" in self.platform.lower()

    @property
    def groups(self) -> int:
        """The number of work-groups that keeps the device busy in kernels over vertices."""
        return self.units * 8

    @property
    def alignment(self) -> int:
        """In bytes, where a buffer within another may begin."""
        return max(int(self.cl.mem_base_addr_align) // 8, 8)

    @property
    def facts(self) -> DeviceFacts:
        """What the preparation of a run needs to know about the device."""
        return DeviceFacts(
            name=str(self),
            kind=self.kind,
            fp64=self.fp64,
            atomics=self.atomics,
            group=self.group,
            units=self.units,
            groups=self.groups,
            local_memory=int(self.cl.local_mem_size),
            constant_memory=int(self.cl.max_constant_buffer_size),
            memory=self.memory,
            largest_buffer=self.largest_buffer,
            alignment=self.alignment,
            can_join=self.can_join,
            may_skip_optimizer=self.may_skip_optimizer,
        )

    def lacks(self) -> list[str]:
        """Optional features that the device lacks, each with its consequence, as text."""
        missing = []
        if not self.fp64:
            missing.append("double precision (no dtype='float64'; float sums are float)")
        if not self.cl.compiler_available:
            missing.append("a compiler (no kernel can be built)")
        return missing

    @cached_property
    def atomics(self) -> Atomics:
        """The device's atomic operations; on NVIDIA's platform some are tested when first used."""
        extensions = self.cl.extensions.split()
        atomics = Atomics(
            int64="cl_khr_int64_base_atomics" in extensions,
            int64_extended="cl_khr_int64_extended_atomics" in extensions,
        )
        if not self.is_nvidia:
            return atomics
        added = Atomics(int64=True, ptx_float32=True, ptx_float64=True)
        matched = Atomics(int64=True, native=False, ptx_match=True)
        return replace(
            atomics,
            ptx_float32=self._adds("float32", added),
            ptx_float64=self._adds("float64", added),
            ptx_match=self._adds("float64", matched),
        )

    def _adds(self, type_: str, trial: Atomics) -> bool:
        """Whether floats are added correctly here by these atomic operations, NVIDIA's."""
        text = atomics_probe.probe(type_)
        sums = np.zeros(atomics_probe.CELLS, type_)
        try:
            program = built(self, text, trial.options())
            flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
            cells = cl.Buffer(self.context, flags, hostbuf=sums)
            kernel(program, "gascl_probe")(self.queue, (atomics_probe.ITEMS,), None, cells)
            cl.enqueue_copy(self.queue, sums, cells)
        except cl.Error:
            return False
        each = atomics_probe.ITEMS // atomics_probe.CELLS * atomics_probe.VALUE
        return bool((sums == each).all())

    @cached_property
    def context(self) -> Any:
        with _lock:  # two contexts would not share buffers
            return _context(self.cl)

    @property
    def queue(self) -> Any:
        """This thread's queue. Threads do not wait for commands that others have enqueued."""
        return self.queue_of_thread().cl

    def queue_of_thread(self) -> Queue:
        if not hasattr(self._own, "queue"):
            profiling = cl.command_queue_properties.PROFILING_ENABLE
            self._own.queue = Queue(cl.CommandQueue(self.context, properties=profiling), self.pools)
            self._queues.add(self._own.queue)
        queue: Queue = self._own.queue
        return queue

    @property
    def pools(self) -> bool:
        """Whether memory is kept for later runs, and pinned memory of the host for large arrays. A
        GPU's driver takes 0.2 to 1 ms for an allocation, as long as a search of a large graph; on a
        CPU, malloc does this."""
        return self.kind == "GPU"

    def allocate(self, size: int) -> Any:
        """A buffer of `size` bytes or a little more; its content is undefined."""
        pool = self.queue_of_thread().pool
        return self.reserve(size) if pool is None else pool.allocate(max(size, 1))

    def reserve(self, size: int) -> Any:
        """A buffer of `size` bytes, at least one; its content is undefined."""
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, max(size, 1))

    def upload(self, array: np.ndarray) -> Any:
        """A buffer with the array."""
        array = np.ascontiguousarray(array)
        if array.nbytes and self.is_cpu:  # without a wait for a thread of the driver
            source = cl.mem_flags.COPY_HOST_PTR
            if array.nbytes >= LEAST:
                array, source = in_large_pages(array), cl.mem_flags.USE_HOST_PTR
            return cl.Buffer(self.context, cl.mem_flags.READ_WRITE | source, hostbuf=array)
        buffer = self.reserve(array.nbytes)
        staging = self.queue_of_thread().staging(array.nbytes)
        if staging:
            staging.write(buffer, array)
        elif array.nbytes:
            # COPY_HOST_PTR takes NVIDIA's driver six times as long.
            cl.enqueue_copy(self.queue, buffer, array)
        return buffer

    def download(self, array: np.ndarray, buffer: Any, places: np.ndarray | None = None) -> None:
        """Fill a contiguous array from the start of a buffer.

        Args:
            places: for each row of the buffer, its index in the array; None: the same order.
        """
        staging = self.queue_of_thread().staging(array.nbytes)
        if staging and (places is None or PIECE % (array.nbytes // len(array)) == 0):
            staging.read(array, buffer, places)
            return
        rows = array if places is None else np.empty_like(array)
        cl.enqueue_copy(self.queue, rows, buffer)
        if places is not None:
            spread(array, places, rows)

    def release(self, needed: int) -> None:
        """`give_back`, if a run that needs `needed` bytes, together with the memory that is kept,
        would take more than half of the device's memory."""
        kept = 0
        for queue in list(self._queues):
            if queue.pool is not None:
                kept += queue.pool.managed_bytes - queue.pool.active_bytes
        with self._lock:
            results = list(self._unread)
        for result in results:
            kept += result.nbytes
        if needed + kept > self.memory // 2:
            self.give_back()

    def give_back(self) -> None:
        """Free the memory of results, which are read first, of quotient graphs that nobody holds,
        and the memory that is kept for later runs of any thread."""
        self.read_results()
        gc.collect()  # the arcs of quotients refer to each other
        for queue in list(self._queues):
            if queue.pool is not None:
                queue.pool.free_held()

    def holds(self, result: Unread) -> None:
        """Register a result that is in the device's memory."""
        with self._lock:
            self._unread.add(result)

    def unread(self) -> list[Unread]:
        """The results that are in the device's memory."""
        with self._lock:
            return [each for each in self._unread if each.nbytes]

    def read_results(self) -> None:
        """Read the results that are in the device's memory, which frees it."""
        for each in self.unread():
            each.read()

    def speed(self) -> tuple[bool, int]:
        """A sort key: GPUs are faster than the rest, then compute units times clock rate counts."""
        return (self.kind == "GPU", self.units * self.cl.max_clock_frequency)

    def __str__(self) -> str:
        return self._title

    @cached_property
    def _title(self) -> str:
        return f"{self.name} ({self.platform})"

    def __repr__(self) -> str:
        return f"Device({str(self)!r})"


class Unread(Protocol):
    """The result of a run that stays in a device's memory until it is read."""

    @property
    def nbytes(self) -> int:
        """The bytes that it takes there; 0 once it has been read."""

    def read(self) -> None:
        """Copy it to the host."""


class Queue:
    """A pyopencl queue, with its context, and the memory that is kept for runs in it."""

    def __init__(self, queue: Any, pools: bool):
        self.cl, self.context, self.pool = queue, queue.context, None
        self._pools = pools
        self._staging: Staging | None = None
        self._copied = 0
        # Now, not on first use: a driver may map no memory while a kernel is running.
        self._landing = pinned(self.context, LANDING) if pools else None
        if pools:  # now, not on first use; sizes are rounded up by 0.4 % at most
            self.pool = MemoryPool(ImmediateAllocator(queue), leading_bits_in_bin_id=8)
        self._kernels = dict[tuple[Any, str], Any]()
        fork_guard.holds_opencl(self)

    def kernel(self, program: Any, name: str) -> Any:
        """A kernel of a program that is kept, which belongs to the queue's thread, as do its
        arguments. It is made once: that takes 0.2 ms."""
        if (program, name) not in self._kernels:
            self._kernels[program, name] = kernel(program, name)
        return self._kernels[program, name]

    def staging(self, size: int) -> Staging | None:
        """Pinned memory, if it makes copying an array of `size` bytes faster; else None."""
        if not self._pools or size < LARGE:
            return None
        self._copied += size
        if self._staging is None and self._copied >= SEVERAL:
            self._staging = Staging(self.cl)
        return self._staging

    def landing(self, size: int) -> np.ndarray | None:
        """Pinned memory, uint8 (size,), in which a copy of the device's memory arrives soonest; the
        next copy overwrites it. None: other memory is as fast."""
        return None if self._landing is None or size > LANDING else self._landing[:size]


@cache
def _context(device: Any) -> Any:
    """The only context of a pyopencl device: in some drivers, each one takes a tenth of a GiB."""
    return cl.Context([device])


def built(device: Device, text: str, options: Sequence[str]) -> Any:
    """A program built for a device.

    If the driver does not cache compiled programs on disk, pyopencl does. If that cache is damaged
    or cannot be written, the program is built without it.

    Raises:
        cl.RuntimeError: the driver cannot build it.
    """
    text, declaring = pocl_builtins.declared(device.cl, text)
    options = [*options, *pocl.quiet_options(device.cl), *declaring]
    with warnings.catch_warnings(), nvidia.without_counts(device.cl):
        warnings.simplefilter("ignore")  # of compilers, and about a damaged cache
        try:
            return cl.Program(device.context, text).build(options)
        except cl.RuntimeError:
            raise
        except Exception:  # from pyopencl, the system or pickle
            with tempfile.TemporaryDirectory(prefix="gascl-") as folder:
                return cl.Program(device.context, text).build(options, cache_dir=folder)


def kernel(program: Any, name: str) -> Any:
    """A kernel of a built program.

    pyopencl caches Python code that it generates for kernels in a database on disk. If that is
    damaged or cannot be written, pyopencl works without it from then on.
    """
    try:
        return cl.Kernel(program, name)
    except cl.Error:
        raise
    except Exception:  # from SQLite, the system or pickle
        cl._PYOPENCL_NO_CACHE = True
        return cl.Kernel(program, name)


def complaint(error: cl.Error) -> str:
    """The driver's reason for a failed build, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0].split(" - ")[0])


def cannot_build(device: Device, error: cl.Error) -> DeviceError:
    """The error to raise if a driver fails to build kernels without naming a line of them."""
    if "PoCL" in device.cl.platform.version and not _has_room(pocl_cache.place()):
        pocl_cache.suspect()
        remedy = (
            f"the disk with {pocl_cache.place()}, where PoCL caches compiled kernels, is full: "
            "free some space, or set POCL_CACHE_DIR to another folder"
        )
    else:
        remedy = Message(
            "the device is at fault, not the program: `gascl devices` shows which devices work; "
            "choose one with ",
            Option("device"),
            " or GASCL_DEVICE, or update the driver; "
            "`pip install 'gascl[intel]'` installs another device for CPUs (x86-64)",
        )
    return DeviceError(f"{device} cannot build kernels: {complaint(error)}; ", remedy)


def _has_room(folder: Path) -> bool:
    """Whether there is room for a compiled program, which takes less than a MiB."""
    try:
        return shutil.disk_usage(folder).free >= 2**20
    except OSError:
        return True


_known: dict[int, Device] = {}
#: Held while drivers start and contexts are created, which all threads share.
_lock = threading.RLock()


def device_of(device: Any) -> Device:
    """The only `Device` of a pyopencl device in this process, so that contexts are shared."""
    with _lock:
        if device.int_ptr not in _known:
            _known[device.int_ptr] = Device(device)
        return _known[device.int_ptr]


def _read_results() -> None:
    """Read the results that are in the memory of devices, which a forked child cannot do."""
    for device in list(_known.values()):
        # A device that is busy, and an inherited one, cannot be read.
        with suppress(DeviceError, cl.Error):
            device.read_results()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_read_results)


@cache
def _platforms() -> list[Any]:
    """The OpenCL platforms. The first call makes the loader and PoCL read the environment."""
    if sys.platform == "linux":
        pocl_cache.prepare()
    if not pocl_cache.writable(Path(platformdirs.user_cache_dir())):
        cl._PYOPENCL_NO_CACHE = True  # otherwise pyopencl would try, and warn, again and again
    with intel_icd.announced():
        return list(cl.get_platforms())


def devices() -> list[Device]:
    """All OpenCL devices, in the order of `gascl devices`.

    Raises:
        DeviceError: there is none, or this process was forked from one that had used a device.
    """
    fork_guard.check()
    try:
        with _lock:
            platforms = _platforms()
    except cl.LogicError:
        raise DeviceError(NO_PLATFORM) from None
    listed = []
    for platform in platforms:
        try:
            listed += [device_of(d) for d in platform.get_devices()]
        except cl.LogicError:  # a platform without devices
            continue
    if not listed:
        raise DeviceError(NO_PLATFORM)
    return listed
