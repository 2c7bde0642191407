"""The machine that runs the process, and its memory."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

#: The files in which Linux gives a container's memory limit, by the version of control groups.
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
#: Beside each of them: how much of it is in use.
USES = ("memory.current", "memory.usage_in_bytes")
MEMINFO = "/proc/meminfo"


def machine_memory() -> int | None:
    """The bytes of memory that the process may use: the machine's, or a container's; None where
    the system does not say, as on Windows."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    for path in LIMITS:
        with suppress(OSError, ValueError):  # another version of control groups, or "max"
            total = min(total, int(Path(path).read_text(encoding="ascii")))
    return total


def free_memory() -> int | None:
    """The bytes of memory that the process may still take without swapping: of the machine, or of a
    container; None where the system does not tell, as on Windows and macOS."""
    with suppress(OSError, KeyError):
        free = 1024 * _numbers(MEMINFO)["MemAvailable"]
        for path, use in zip(LIMITS, USES, strict=True):
            limit = Path(path)
            with suppress(OSError, ValueError, KeyError):
                cached = _numbers(limit.with_name("memory.stat"))
                used = int(limit.with_name(use).read_text(encoding="ascii"))
                used -= cached["active_file"] + cached["inactive_file"]  # given back when needed
                free = min(free, max(int(limit.read_text(encoding="ascii")) - used, 0))
        return free
    return None


def _numbers(path: str | Path) -> dict[str, int]:
    """The numbers in a file with a name and a number in each line."""
    text = Path(path).read_text(encoding="ascii")
    return {name: int(number) for name, number in re.findall(r"(?m)^(\w+):?\s+(\d+)", text)}
