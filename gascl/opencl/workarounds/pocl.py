"""Works around defects of the PoCL from pip: two by patching memory of this process, one by a
compiler option.

pocl-binary-distribution 3.0, from 2022, is the last version on PyPI. First, its LLVM 14 does not
know newer processors. It calls them `generic`, a name that its own compiler then rejects; or it
takes a Zen 4 for a Zen 3, which has no AVX-512, but links the built-in functions for AVX-512, so
that sums of wide vectors abort the process. Second, its hwloc may report much less memory than the
machine has. No environment variable corrects either.

A `cl_device_id` points to PoCL's struct of the device, and that struct points to the processor's
name (`llvm_cpu` in lib/CL/pocl_cl.h), which is read at every build. Memory is read and written
through /proc/self/mem, where a wrong address causes an error and not a crash. Nothing is written
unless the version is exactly this one and everything read beforehand has the expected value.

Third, its clang prints "1 error generated." to stderr besides writing the build log.
"""

from __future__ import annotations

import ctypes
import os
import re
import struct
from typing import Any

from gascl.util.host import machine_memory

#: The only build that is corrected, by the version of its platform.
VERSION = "PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO"
#: Offsets in bytes in the struct `_cl_device_id` of that build.
LARGEST_BUFFER, MEMORY, TRIPLE, PROCESSOR, ACCOUNT = 232, 376, 632, 640, 656
#: The offset of the allocation limit in the struct `pocl_global_mem_t` at ACCOUNT.
LIMIT = 56
#: The processor that each of PoCL's libraries of built-in functions is built for, and the features
#: for which PoCL links it: the first match counts (getX86KernelLibName in
#: lib/CL/pocl_llvm_build.cc, which of AVX-512 only tests the first part).
PROCESSORS = {
    "skylake-avx512": "avx512f avx512cd avx512bw avx512dq avx512vl",
    "haswell": "avx avx2 cx16 popcnt abm f16c fma bmi1 bmi2",
    "bdver1": "avx cx16 popcnt xop fma4",
    "ivybridge": "avx cx16 popcnt f16c",
    "sandybridge": "avx cx16 popcnt",
    "penryn": "sse4_1 cx16",
    "core2": "ssse3 cx16",
    "x86-64": "",
}
#: LLVM 14's names for the processors with AVX-512.
WITH_AVX512 = (
    *("knl", "knm", "skylake-avx512", "cascadelake", "cooperlake", "cannonlake"),
    *("icelake-client", "icelake-server", "rocketlake", "tigerlake", "sapphirerapids"),
)

#: Clang counts errors on stderr if it shows the code of an error. PoCL refuses the option that
#: disables this, but splits options at spaces only, and clang at any white space.
_QUIET = "-DGASCL_QUIET\t-fno-caret-diagnostics"


def quiet_options(device: Any) -> list[str]:
    """The options with which building a program for a pyopencl device prints nothing."""
    return [_QUIET] if VERSION in device.platform.version else []


def mend(device: Any) -> str:
    """Give a PoCL device a processor that its compiler knows, and all of the machine's memory.

    The memory is not changed if the user has set POCL_MEMORY_LIMIT.

    Args:
        device: a pyopencl device; other versions of PoCL and other platforms are left alone.

    Returns:
        LLVM's name of the processor that it compiles for; "" if that is not known.
    """
    if VERSION not in device.platform.version:
        return ""
    try:
        with Memory() as memory:
            at = device.int_ptr
            if not os.environ.get("POCL_MEMORY_LIMIT"):
                _mend_memory(memory, device)
            triple = memory.text(memory.number(at + TRIPLE))
            old = memory.text(memory.number(at + PROCESSOR)).decode("ascii", "replace")
            if triple != b"x86_64-unknown-linux-gnu" or not re.fullmatch(r"[\w.-]+", old):
                return ""
            new = better_name(old, flags())
            if new != old:
                memory.put(at + PROCESSOR, _lasting(new))
            return new
    except OSError:  # no /proc, or an invalid address
        return ""


def better_name(name: str, flags: set[str]) -> str:
    """The right name for a processor with these flags that LLVM 14 calls `name`."""
    needed = {n: set(words.split()) for n, words in PROCESSORS.items()}
    if name == "generic":
        return next(n for n, words in needed.items() if words <= flags)
    if needed["skylake-avx512"] <= flags and name not in WITH_AVX512:
        return "skylake-avx512"
    return name


def flags() -> set[str]:
    """The features of the processor, as Linux lists them."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        match = re.search(r"^flags\s*:(.*)$", file.read(), re.MULTILINE)
    return set(match[1].split()) if match else set()


def _mend_memory(memory: Memory, device: Any) -> None:
    """Let PoCL allocate all of the memory that the process may use, even in one buffer.

    As PoCL does, this leaves 2 GiB to the system, or a quarter on a small machine. PoCL itself has
    no limit for a single buffer (pocl_setup_device_for_system_memory in lib/CL/devices/common.c).
    """
    total = machine_memory() or 0
    total -= 2 << 30 if total > 7 << 30 else total >> 2
    for place in known(memory, device):
        memory.put(place, max(memory.number(place), total))


def known(memory: Memory, device: Any) -> tuple[int, ...]:
    """The addresses of the device's memory size in PoCL; () unless they hold what PoCL reports."""
    now, largest = device.global_mem_size, device.max_mem_alloc_size
    limit = memory.number(device.int_ptr + ACCOUNT) + LIMIT
    places = (limit, device.int_ptr + MEMORY, device.int_ptr + LARGEST_BUFFER)
    return places if [*map(memory.number, places)] == [now, now, largest] else ()


def _lasting(text: str) -> int:
    """The address of a copy of the text that is never freed, like PoCL's own."""
    copy = ctypes.CDLL(None).strdup
    copy.restype, copy.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    return int(copy(text.encode()))


class Memory:
    """The memory of this process. Its methods raise OSError for an invalid address."""

    def __enter__(self) -> Memory:
        self._file = os.open("/proc/self/mem", os.O_RDWR)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def text(self, address: int) -> bytes:
        """The C string at an address, or its first 32 bytes."""
        return os.pread(self._file, 32, address).split(b"\0")[0]

    def number(self, address: int) -> int:
        """The unsigned 64-bit integer at an address, which may be a pointer."""
        read = os.pread(self._file, 8, address)
        if len(read) != 8:
            raise OSError(f"no memory at {address:#x}")
        return int(struct.unpack("<Q", read)[0])

    def put(self, address: int, number: int) -> None:
        """Write an unsigned 64-bit integer to an address."""
        os.pwrite(self._file, struct.pack("<Q", number), address)
