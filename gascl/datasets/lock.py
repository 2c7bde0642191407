"""One process or thread at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(folder: Path, wait: bool) -> Iterator[None]:
    """Keeps others that call this away from the folder, until the block or the process ends.

    On Windows, and on network drives without locks, nothing hinders them.

    Raises:
        BlockingIOError: another one has it, and `wait` is False.
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
