"""A lock on a folder, for one process or thread at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(folder: Path, wait: bool) -> Iterator[None]:
    """Hold the lock of a folder until the block or the process ends.

    On Windows, and on network drives without locks, this does nothing.

    Raises:
        BlockingIOError: another process or thread holds it, and `wait` is False.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise
        except OSError:
            pass
        yield
    finally:
        os.close(held)
