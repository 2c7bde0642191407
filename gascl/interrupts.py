"""Ctrl-C that waits for a superstep to be whole."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Interrupts:
    """Holds Ctrl-C back until a superstep is whole; the second one is not held back.

    Only the main thread receives signals; elsewhere this does nothing.
    """

    pending = False

    def __enter__(self) -> Interrupts:
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._previous = signal.signal(signal.SIGINT, self._handle)
        return self

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.pending:
            raise KeyboardInterrupt
        self.pending = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._previous)
