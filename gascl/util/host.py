"""The machine that runs the process, and its memory."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from gascl.errors import GraphError
from gascl.util.units import amount

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

#: The files in which Linux gives a container's memory limit, by the version of control groups.
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
#: Beside each of them: how much of it is in use.
USES = ("memory.current", "memory.usage_in_bytes")
MEMINFO = "/proc/meminfo"
#: Its first number: the pages of the process's address space.
STATM = "/proc/self/statm"
#: The bytes from which memory is checked before it is allocated.
MUCH = 1 << 24


def machine_memory() -> int | None:
    """The bytes of memory that the process may use: the machine's, a container's, or what `ulimit
    -v` says; None where the system does not say, as on Windows."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    for path in LIMITS:
        with suppress(OSError, ValueError):  # another version of control groups, or "max"
            total = min(total, int(Path(path).read_text(encoding="ascii")))
    return min(total, _address_space())


def give_back() -> None:
    """Return to the system what Arrow keeps of the memory that it has freed, which may be more than
    the edges that it has read."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


def take_arrow_pool(name: str) -> str:
    """Let Arrow take memory from the pool of this name; returns the name of the one before."""
    import pyarrow

    before: str = pyarrow.default_memory_pool().backend_name
    pyarrow.set_memory_pool(getattr(pyarrow, f"{name}_memory_pool")())
    return before


def free_memory() -> int | None:
    """The bytes of memory that the process may still take without swapping: of the machine, of a
    container, or of what `ulimit -v` says; None where the system does not tell, as on Windows and
    macOS."""
    with suppress(OSError, KeyError):
        free = 1024 * _numbers(MEMINFO)["MemAvailable"]
        for path, use in zip(LIMITS, USES, strict=True):
            limit = Path(path)
            with suppress(OSError, ValueError, KeyError):
                cached = _numbers(limit.with_name("memory.stat"))
                used = int(limit.with_name(use).read_text(encoding="ascii"))
                used -= cached["active_file"] + cached["inactive_file"]  # given back when needed
                free = min(free, max(int(limit.read_text(encoding="ascii")) - used, 0))
        with suppress(OSError, ValueError):
            pages = int(Path(STATM).read_text(encoding="ascii").split()[0])
            free = min(free, max(_address_space() - pages * os.sysconf("SC_PAGE_SIZE"), 0))
        return free
    return None


def check_host_memory(size: int, what: str, remedy: str = "use a machine with more") -> None:
    """Check that at least `size` bytes are free for `what`, before any is allocated.

    Raises:
        GraphError: they are not.
    """
    free = free_memory() if size >= MUCH else None
    if free is not None and size > free:  # if unknown, NumPy will raise MemoryError
        raise GraphError(
            f"{what} need at least {amount(size, up=True)} of memory, and {amount(free)} are free; "
            f"{remedy}"
        )


def _address_space() -> int:
    """The bytes to which `ulimit -v` limits the process."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0] if resource else -1
    return limit if limit >= 0 else sys.maxsize


def _numbers(path: str | Path) -> dict[str, int]:
    """The numbers in a file with a name and a number in each line."""
    text = Path(path).read_text(encoding="ascii")
    return {name: int(number) for name, number in re.findall(r"(?m)^(\w+):?\s+(\d+)", text)}
