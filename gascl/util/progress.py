"""Progress of long operations: a line on a terminal, or a bar in a notebook, drawn by tqdm."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gascl.errors import GasclError

CLEAR = "\r\033[K"  # go to the start of a terminal's line and erase it


class Progress:
    """Shows on stderr the current operation, how much of it is done, and how fast.

    A terminal's line is rewritten, and so is a notebook's bar. Elsewhere, such as in a log file,
    each report is a line.

    Args:
        after: seconds until the first report; shorter operations are not reported. The default is
            two seconds where lines are rewritten, and ten where each report is a line.
        leave: leave the last report on the screen.

    Attributes:
        done: the count.
    """

    AFTER = 2.0  # seconds until the first report
    BETWEEN, LINES = 0.2, 10.0  # seconds between two reports, and between two lines

    def __init__(self, after: float | None = None, leave: bool = False) -> None:
        self._title = self._unit = ""
        self._total: int | None = None
        self.done, self._note = 0, ""
        self._leave = leave
        # A notebook's stderr is no terminal, and yet its lines can be rewritten.
        self._rewrites = sys.stderr.isatty() or "ipykernel" in sys.modules
        if after is None:
            after = self.AFTER if self._rewrites else self.LINES
        self._began = time.monotonic()
        self._due = self._began + after
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, title: str, total: int | None = None, unit: str = "supersteps") -> None:
        """Begin an operation, and name the unit of its count: "B" for bytes.

        The count continues; `total` is its final value, if that is known.
        """
        self._title, self._total, self._unit, self._note = title, total, unit, ""
        self._report()

    def advance(self, count: int, note: str = "") -> None:
        """Add to the count; `note` describes the latest item."""
        self.at(self.done + count, note)

    def at(self, done: int, note: str = "") -> None:
        """Set the count."""
        self.done, self._note = done, note
        self._report()

    def close(self) -> None:
        """Draw the final state if it stays on the screen, else erase the line."""
        if self._bar is not None:
            self._update()
            self._bar.close()
            self._bar = None

    def _report(self) -> None:
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + (self.BETWEEN if self._rewrites else self.LINES)
        if self._bar is None:
            with warnings.catch_warnings():  # of a notebook without ipywidgets, which has a line
                warnings.filterwarnings("ignore", "IProgress not found")
                from tqdm.auto import tqdm  # imports asyncio: only when there is something to show

            file = None if self._rewrites else _PlainLines()
            # The delay keeps it from being drawn before it has a title. A notebook's bar appears at
            # the first refresh, but only if it has a delay then.
            self._bar = tqdm(total=self._total, file=file, leave=self._leave, delay=1e-9)
            self._bar.start_t -= now - self._began
        self._update()
        self._bar.refresh()
        self._bar.delay = 0

    def _update(self) -> None:
        bar, is_bytes = self._bar, self._unit == "B"
        if hasattr(bar, "container") and self._total and bar.total != self._total:
            bar.container.children[1].max = self._total  # of the bar in a notebook
        bar.n, bar.total = self.done, self._total
        bar.unit, bar.unit_scale = ("B", True) if is_bytes else (f" {self._unit}", False)
        bar.unit_divisor = 1024
        bar.set_description_str(f"gascl: {self._title}", refresh=False)
        bar.set_postfix_str(self._note, refresh=False)


@contextmanager
def showing(progress: bool | Progress) -> Iterator[Progress | None]:
    """The `Progress` for an argument `progress=`; None for False.

    True creates one that reports at once, and leaves the last report on the screen.

    Raises:
        GasclError: it is something else.
    """
    if not isinstance(progress, bool | Progress):
        raise GasclError(f"progress must be True or False, not {progress!r}")
    if not progress or isinstance(progress, Progress):
        yield progress or None
        return
    with Progress(after=0.0, leave=True) as created:
        yield created


class _PlainLines:
    """stderr where it is no terminal: each rewrite of a line becomes a new line."""

    def write(self, text: str) -> None:
        if text := text.strip():
            print(text, file=sys.stderr)

    def flush(self) -> None:
        sys.stderr.flush()
