"""Delays Ctrl-C until a superstep is complete."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from gascl.errors import warn

#: Seconds after Ctrl-C until a warning says why the run has not ended yet.
PATIENCE = 1.0


class Interrupts:
    """Delays the first Ctrl-C until a superstep is complete; a second one takes effect at once.

    Only the main thread receives signals. In other threads, and if SIGINT is ignored or not handled
    by Python, this does nothing.

    Attributes:
        held: Ctrl-C is being delayed.
        pending: Ctrl-C was pressed.
        agreed: Ctrl-C was pressed in any of the processes of a run; None: there is only one.
    """

    held = pending = False
    agreed: bool | None = None

    @property
    def ends(self) -> bool:
        """Whether the run must end with this superstep."""
        return self.pending if self.agreed is None else self.agreed

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
        """Warn the user, after some time, why Ctrl-C has not ended the run yet."""
        if self.pending and time.monotonic() > self._due:
            self._due = float("inf")
            warn("waiting for the current superstep; press Ctrl-C again to end the run at once")

    def hand_on(self) -> None:
        """Pass a Ctrl-C that did not end the run on to the previous handler."""
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
