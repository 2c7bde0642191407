"""What a process says before it ends all others, so that it is read."""

from __future__ import annotations

import array
import os
import stat
import sys
import time
from contextlib import suppress

#: The most seconds to wait until somebody has read it, and between two looks.
MOST, LOOK = 10.0, 0.005


def say_last(text: str) -> None:
    """Print a line on stderr, and wait until it has been read, where that is a pipe.

    A launcher of MPI passes on what ranks print. If it is told to end all before it has read that,
    as on a busy machine, it may end without doing so (Hydra, MPICH 5.0.2).
    """
    if sys.__stderr__ is None:
        return
    print(text, file=sys.__stderr__, flush=True)
    end = time.monotonic() + MOST
    while _unread(sys.__stderr__.fileno()) and time.monotonic() < end:
        time.sleep(LOOK)


def _unread(file: int) -> int:
    """How many bytes in a pipe nobody has read; 0 where that is not known."""
    if not stat.S_ISFIFO(os.fstat(file).st_mode):
        return 0
    count = array.array("i", [0])
    with suppress(ImportError, OSError):  # there is none on Windows
        import fcntl
        import termios

        fcntl.ioctl(file, termios.FIONREAD, count)
    return count[0]
