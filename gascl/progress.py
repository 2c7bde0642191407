"""Reports the progress of a long run on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gascl.result import Step

CLEAR = "\r\033[K"  # go to the start of a terminal's line and erase it


class RunProgress:
    """Callback of a run: reports its progress on stderr, if it takes longer than `AFTER` seconds.

    The time before the end of the first superstep, such as for building kernels, does not count. On
    a terminal, one line is rewritten.
    """

    AFTER, TERMINAL, FILE = 2.0, 0.5, 10.0  # seconds: until the first report, then between two

    def __init__(self, say: Callable[[str], Any]) -> None:
        self.say = say
        self.terminal = sys.stderr.isatty()
        self.due: float | None = None
        self.shown = False

    def __call__(self, step: Step) -> None:
        now = time.monotonic()
        if self.due is None:
            self.due = now + self.AFTER
        if now < self.due:
            return
        self.due = now + (self.TERMINAL if self.terminal else self.FILE)
        text = f"superstep {step.superstep:,}: {step.active:,} active, {step.messages:,} messages"
        if self.terminal:
            print(f"{CLEAR}gascl: {text}", end="", file=sys.stderr, flush=True)
            self.shown = True
        else:
            self.say(text)

    def clear(self) -> None:
        """Erase the line, so that the next output starts on an empty one."""
        if self.shown:
            print(CLEAR, end="", file=sys.stderr, flush=True)
            self.shown = False
