"""`say_last`: prints a message that is read even though the process then ends all others."""

from __future__ import annotations

import array
import os
import stat
import sys
import time
from contextlib import suppress

#: The most seconds to wait until the message has been read, and the seconds between two checks.
MOST, LOOK = 10.0, 0.005


def say_last(text: str) -> None:
    """Print a line on stderr, and wait until it has been read, where that is a pipe.

    A launcher of MPI forwards the output of the ranks. If a rank aborts before the launcher has
    read it, as on a busy machine, the launcher may end without forwarding it (Hydra, MPICH 5.0.2).
    """
    if sys.__stderr__ is None:
        return
    print(text, file=sys.__stderr__, flush=True)
    end = time.monotonic() + MOST
    while _unread(sys.__stderr__.fileno()) and time.monotonic() < end:
        time.sleep(LOOK)


def _unread(file: int) -> int:
    """The number of unread bytes in a pipe; 0 where that is not known."""
    if not stat.S_ISFIFO(os.fstat(file).st_mode):
        return 0
    count = array.array("i", [0])
    with suppress(ImportError, OSError):  # Windows has neither module
        import fcntl
        import termios

        fcntl.ioctl(file, termios.FIONREAD, count)
    return count[0]
