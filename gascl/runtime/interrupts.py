"""Ctrl-C that waits for a superstep to be whole."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from gascl.errors import warn

#: Seconds after Ctrl-C until the user is told what is being waited for.
PATIENCE = 1.0


class Interrupts:
    """Holds Ctrl-C back until a superstep is whole; the second one is not held back.

    Only the main thread receives signals; elsewhere, and where Ctrl-C is ignored or not Python's,
    this does nothing.

    Attributes:
        held: Ctrl-C is held back.
        pending: it was pressed.
    """

    held = pending = False

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            previous = signal.getsignal(signal.SIGINT)
            if callable(previous):
                self.held, self._previous = True, previous
                signal.signal(signal.SIGINT, self._handle)
        return self

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.pending:
            raise KeyboardInterrupt
        self.pending, self._due = True, time.monotonic() + PATIENCE

    def remind(self) -> None:
        """Say, where the user has waited for it, what a Ctrl-C waits for."""
        if self.pending and time.monotonic() > self._due:
            self._due = float("inf")
            warn("Ctrl-C waits for the superstep to end; press it again to end the run at once")

    def hand_on(self) -> None:
        """Let a Ctrl-C that ended no run go where it would have gone without the run."""
        if self.pending:
            self._previous(signal.SIGINT, sys._getframe())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.held:
            signal.signal(signal.SIGINT, self._previous)

    _previous: Callable[[int, FrameType | None], Any]
