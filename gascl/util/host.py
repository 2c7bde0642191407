"""The machine that runs the process."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

#: The files in which Linux gives a container's memory limit, by the version of control groups.
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


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
