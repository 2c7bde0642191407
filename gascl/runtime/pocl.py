"""Mends for the PoCL that pip brings, in its own memory.

pocl-binary-distribution 3.0 is of 2022 and the last one on PyPI. Its LLVM 14 does not know newer
processors: it calls them `generic`, a name that its own compiler then refuses, and takes a Zen 4
for a Zen 3, which has no AVX-512, while the built-in functions that it links are those for AVX-512:
sums of wide vectors then abort the process. And its hwloc takes the memory of a NUMA node that the
system has not yet filled for all there is. No environment variable sets either right.

A `cl_device_id` points to PoCL's struct of the device, and that struct to the processor's name
(`llvm_cpu` in lib/CL/pocl_cl.h), which is read at every build. Memory is read and written through
/proc/self/mem, where a wrong address is an error and no crash, and nothing is written unless the
version is this one and everything read beforehand is what it must be.
"""

from __future__ import annotations

import ctypes
import os
import re
import struct
from typing import Any

#: The only build that is mended, as its platform names itself.
VERSION = "PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO"
#: Where the struct `_cl_device_id` of that build has what is looked at, in bytes.
LARGEST_BUFFER, MEMORY, TRIPLE, PROCESSOR, ACCOUNT = 232, 376, 632, 640, 656
#: Where the struct `pocl_global_mem_t` at ACCOUNT has the most that may be allocated.
LIMIT = 56
#: The processor that each of PoCL's libraries of built-in functions is built for, and what one must
#: have for PoCL to link that library: the first that fits (getX86KernelLibName in
#: lib/CL/pocl_llvm_build.cc, which asks for AVX-512's first part only).
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
#: The processors with AVX-512 by the names that LLVM 14 gives the one it runs on.
WITH_AVX512 = (
    *("knl", "knm", "skylake-avx512", "cascadelake", "cooperlake", "cannonlake"),
    *("icelake-client", "icelake-server", "rocketlake", "tigerlake", "sapphirerapids"),
)


def mend(device: Any) -> str:
    """Give a PoCL device a processor that its compiler knows, and the machine's memory.

    Memory stays as it is where the user set POCL_MEMORY_LIMIT.

    Args:
        device: a pyopencl device; of other versions of PoCL, and other platforms, none is changed.

    Returns:
        The processor that it builds for, in LLVM's words; empty where that is not known.
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
    except OSError:  # no /proc, or an address that is none
        return ""


def better_name(name: str, flags: set[str]) -> str:
    """What to call a processor with these flags, which LLVM 14 calls `name`."""
    needed = {n: set(words.split()) for n, words in PROCESSORS.items()}
    if name == "generic":
        return next(n for n, words in needed.items() if words <= flags)
    if needed["skylake-avx512"] <= flags and name not in WITH_AVX512:
        return "skylake-avx512"
    return name


def flags() -> set[str]:
    """What the processor can do, as Linux names it."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^flags\s*:(.*)$", file.read(), re.MULTILINE)
    return set(found[1].split()) if found else set()


def _mend_memory(memory: Memory, device: Any) -> None:
    """Let PoCL allocate what the machine has, in one buffer if need be.

    Less what PoCL leaves to the system: 2 GiB, or a quarter of a small machine's. It has no limit
    of its own for a buffer, and says so (pocl_setup_device_for_system_memory in
    lib/CL/devices/common.c).
    """
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    total -= 2 << 30 if total > 7 << 30 else total >> 2
    now, largest = device.global_mem_size, device.max_mem_alloc_size
    places = (device.int_ptr + MEMORY, device.int_ptr + LARGEST_BUFFER)
    limit = memory.number(device.int_ptr + ACCOUNT) + LIMIT
    if (*map(memory.number, places), memory.number(limit)) != (now, largest, now):
        return
    for place in (limit, *places):
        memory.put(place, max(memory.number(place), total))


def _lasting(text: str) -> int:
    """The address of a copy of the text that lasts as long as the process, as PoCL's own does."""
    copy = ctypes.CDLL(None).strdup
    copy.restype, copy.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    return int(copy(text.encode()))


class Memory:
    """This process's memory. Its methods raise OSError where there is none at an address."""

    def __enter__(self) -> Memory:
        self._file = os.open("/proc/self/mem", os.O_RDWR)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def text(self, address: int) -> bytes:
        """The C string there, or its first 31 bytes."""
        return os.pread(self._file, 32, address).split(b"\0")[0]

    def number(self, address: int) -> int:
        """The unsigned 64-bit integer there, which may be a pointer."""
        read = os.pread(self._file, 8, address)
        if len(read) != 8:
            raise OSError(f"no memory at {address:#x}")
        return int(struct.unpack("<Q", read)[0])

    def put(self, address: int, number: int) -> None:
        """Write it there."""
        os.pwrite(self._file, struct.pack("<Q", number), address)
