"""How far a long run is, on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gascl.result import Step

CLEAR = "\r\033[K"  # back to the beginning of a terminal's line, which is emptied


class RunProgress:
    """A run's callback: says on stderr how far it is, where steps take longer than `AFTER` seconds.

    What comes before the first step, kernels that are built, does not count. On a terminal it
    rewrites one line.
    """

    AFTER, TERMINAL, FILE = 2.0, 0.5, 10.0  # seconds until the first line, and between two

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
        """Take the line away, so that what follows begins a line of its own."""
        if self.shown:
            print(CLEAR, end="", file=sys.stderr, flush=True)
            self.shown = False
