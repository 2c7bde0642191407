"""Warnings that point to the user's line."""

from __future__ import annotations

import sys
import warnings
from types import FrameType


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn of the line that called gascl; of a run within a `solve`, of the line that ran that."""
    frame: FrameType | None = sys._getframe(1)
    level, found = 2, 0
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module == "gascl.turns" and frame.f_code.co_name == "solve":
            found = 0  # the lines further in are the program's
        elif not found and module.partition(".")[0] != "gascl":
            found = level
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=found or 2)
