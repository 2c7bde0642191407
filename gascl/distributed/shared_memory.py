"""Memory of a host that all ranks of a run see, if they are on one host."""

from __future__ import annotations

import mmap
import os
import secrets
from typing import Any

import numpy as np

#: The number of random bytes that show that all ranks have mapped the same memory.
_TOKEN = 16


def shared_memory(comm: Any, size: int) -> np.ndarray | None:
    """Memory that all ranks of a communicator share: uint8 (size,), with any content. None in all
    of them if they are on several hosts, or the system has no such memory. All must call this.

    It has no name in any file system, so that nothing remains if ranks are killed.
    """
    first, size = comm.Get_rank() == 0, max(size, _TOKEN)
    file = _created(size) if first else None
    token = secrets.token_bytes(_TOKEN)
    own = None if file is None else _mapped(f"/proc/self/fd/{file}", size)
    if own is not None:
        own[:_TOKEN] = np.frombuffer(token, np.uint8)
    path, token = comm.bcast((f"/proc/{os.getpid()}/fd/{file}", token))
    mapped = own if first else _mapped(path, size)
    same = mapped is not None and mapped[:_TOKEN].tobytes() == token
    everywhere = all(comm.allgather(same))
    if file is not None:
        os.close(file)
    return mapped if everywhere else None


def _created(size: int) -> int | None:
    """A file in memory whose space is reserved; None: it cannot be created."""
    try:
        file = os.memfd_create("gascl")
    except (AttributeError, OSError):  # not on Linux
        return None
    try:
        os.posix_fallocate(file, 0, size)  # else, where memory ends, writing to it ends the process
    except OSError:
        os.close(file)
        return None
    return file


def _mapped(path: str, size: int) -> np.ndarray | None:
    """Such a file as an array; None: this process cannot open or map it."""
    try:
        with open(path, "r+b", buffering=0) as file:
            return np.frombuffer(mmap.mmap(file.fileno(), size), np.uint8)
    except (OSError, ValueError):
        return None
