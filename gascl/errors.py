"""What gascl raises and warns with. Every message gives the cause, the value and the remedy."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Any


class GasclError(Exception):
    """Base of every error that gascl raises on purpose."""


class ProgramError(GasclError, ValueError):
    """A vertex program, or a parameter given to one, is wrong; names the user's file and line."""


class GraphError(GasclError, ValueError):
    """A graph, or what it was to be built from, is wrong."""


class FormatError(GraphError):
    """A file is not what its format says, or cannot be read or written; names it and the line."""


class DeviceError(GasclError, RuntimeError):
    """No such device, or the device lacks what the run needs."""


class FieldError(GasclError, KeyError, AttributeError):
    """A Result has no such field, or not yet; what dictionaries and attributes raise, too."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError's own is in quotes


class NotConvergedError(GasclError, RuntimeError):
    """The run ended before its own rule held, and the caller asked for an error.

    Attributes:
        result: the partial `Result`.
    """

    def __init__(self, message: str, result: Any):
        super().__init__(message)
        self.result = result


class NotConverged(UserWarning):
    """The run ended before its own rule held: what it returns is not the answer yet."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run.

    Attributes:
        result: the partial `Result`, after the last whole superstep.
    """

    def __init__(self, message: str, result: Any):
        super().__init__(message)
        self.result = result


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn of the line that called gascl; of a run within a `solve`, of the line that ran that."""
    frame: FrameType | None = sys._getframe(1)
    level, found = 2, 0
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module == "gascl.runtime.composite" and frame.f_code.co_name == "solve":
            found = 0  # the lines further in are the program's
        elif not found and module.partition(".")[0] != "gascl":
            found = level
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=found or 2)
