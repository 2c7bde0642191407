"""What `GASCL_NX_LOG=summary` prints when a script ends: how many calls ran on gascl, and how many
NetworkX ran itself."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from typing import TextIO


class Summary(logging.Handler):
    """Counts the lines of the log "gascl.nx", which say what became of each call."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = {"ran": Counter[str](), "left": Counter[str](), "declined": Counter[str]()}
        self._seconds = {"ran": 0.0, "converted": 0.0}

    def emit(self, record: logging.LogRecord) -> None:
        """Count a line."""
        name, _, what = record.getMessage().partition(": ")
        word = what.split(maxsplit=1)[0].rstrip(":")
        if word in self._calls:
            self._calls[word][name] += 1
        if word in self._seconds and what.endswith(" s"):
            self._seconds[word] += float(what.split()[-2])

    def print(self, file: TextIO | None = None) -> None:
        """Print the numbers; to stderr, unless there is a file."""
        ran, converted = self._seconds["ran"], self._seconds["converted"]
        titles = {
            "ran": f"ran on gascl in {ran:.3f} s, beside {converted:.3f} s for conversions",
            "left": "were left to NetworkX, which is faster",
            "declined": "were declined",
        }
        for word, title in titles.items():
            calls = self._calls[word]
            each = ", ".join(f"{name} {count:,}" for name, count in calls.most_common(10))
            if calls:
                print(f"gascl.nx: {calls.total():,} calls {title}: {each}", file=file or sys.stderr)
