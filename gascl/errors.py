"""The errors and warnings of gascl. Every message gives the cause, the value and the remedy."""

from __future__ import annotations

import linecache
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from gascl.user_messages import Message, Option

#: Where Python keeps its library and installed packages.
_INSTALLED = ("stdlib", "purelib", "platlib")


@dataclass(frozen=True)
class Place:
    """A line of the user's, which an error or a warning is about.

    Attributes:
        where: what messages call it: `file:line` or, if there is no file, `Class.attribute:line`.
        text: the line.
        file: its file, or None.
        line: its number in the file, from 1 on, or 0.
    """

    where: str
    text: str = ""
    file: str | None = None
    line: int = 0

    def __str__(self) -> str:
        return self.where

    @classmethod
    def at(cls, file: str, line: int) -> Place:
        """A line of a file, with its text."""
        return cls(f"{file}:{line}", linecache.getline(file, line).rstrip("\n"), file, line)


class Complaint(NamedTuple):
    """What a compiler says about a line of the user's."""

    place: Place
    text: str


def users_frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """The frames of a traceback, with their lines, that are of the user's code: neither of gascl
    nor of Python's library or installed packages."""
    for frame, line in traceback.walk_tb(trace):
        if not _is_own(frame) and not _is_installed(frame):
            yield frame, line


def users_lines(trace: TracebackType | None) -> TracebackType | None:
    """The traceback with which a public method of gascl raises an error again: without gascl's own
    lines if the user's code, which gascl has called, raised the error, such as a program's
    `converged` or a callback. The method's own line is left out, since it appears again."""
    found = []
    while trace is not None:
        trace = trace.tb_next
        found += [trace] if trace else []
    own = [_is_own(each.tb_frame) for each in found]
    last = len(own) - 1 - own[::-1].index(True) if True in own else len(own)
    if last + 1 < len(found) and not _is_installed(found[last + 1].tb_frame):
        found = [each for each, is_own in zip(found, own, strict=True) if not is_own]
    for each in reversed(found):
        trace = TracebackType(trace, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return trace


def _is_own(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "gascl"


def _is_installed(frame: FrameType) -> bool:
    """Whether it is of Python's own library or of a package, rather than of a user's script."""
    file = frame.f_code.co_filename
    return file.startswith(("<frozen", *(sysconfig.get_path(n) for n in _INSTALLED)))


def _shown_by_ipython(error: BaseException) -> list[str]:
    """The traceback that IPython prints for an error: only the lines of the user's code, since the
    message needs no lines of gascl. `traceback.print_exception(error)` shows them all."""
    shown = traceback.StackSummary.extract(users_frames(error.__traceback__)).format()
    last = f"{type(error).__name__}: {error}"
    return ["Traceback (most recent call last):", *(text.rstrip() for text in shown), last]


class GasclError(Exception):
    """Base class of all errors that gascl raises on purpose.

    Args:
        parts: the text, as those of `Message`.
        place: the user's line that is wrong, if there is one; the message begins with it, and ends
            with its text.

    Attributes:
        edge: the number of the edge that is wrong, if it is one.
        complaints: the lines that a compiler complains of, if the error is that of a compiler.
    """

    edge: int | None = None
    complaints: tuple[Complaint, ...] = ()
    _render_traceback_ = _shown_by_ipython  # IPython's name

    def __init__(self, *parts: str | Option, place: Place | None = None):
        if place is not None:
            text = place.text.strip()
            parts = f"{place}: ", *parts, *([f"\n    {text}"] if text else [])
        super().__init__(Message(*parts))
        self.place = place

    @property
    def message(self) -> Message:
        """The text of the error, which can also be rendered for the shell."""
        return Message(self.args[0])

    @property
    def options(self) -> tuple[Option, ...]:
        """The options that the message names, such as those that would help; often none."""
        return self.message.options


def check_flags(error: type[GasclError] = GasclError, **flags: Any) -> None:
    """Raises the error where an argument is neither True nor False."""
    for name, value in flags.items():
        # NumPy's bool is known by its name: this module imports nothing that takes time.
        if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
            raise error(
                Option(name, value), " must be True or False: any other value could be misread"
            )


class ProgramError(GasclError, ValueError):
    """A vertex program or one of its parameters is wrong; names the user's file and line."""


class GraphError(GasclError, ValueError):
    """A graph, or the data to build it from, is wrong."""


class FormatError(GraphError):
    """A file does not follow its format, or cannot be read or written; names file and line."""


class DeviceError(GasclError, RuntimeError):
    """There is no such device, or it cannot do what the run needs."""


class RankError(DeviceError):
    """Another rank of the same run has failed, and this one cannot continue without it."""


class FieldError(GasclError, KeyError, AttributeError):
    """A Result has no such field, or not yet. It is also a KeyError and an AttributeError."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would add quotes


class NotConvergedError(GasclError, RuntimeError):
    """The run ended before it converged, and the caller asked for an error.

    Attributes:
        result: the partial `Result`.
    """

    def __init__(self, message: str, result: Any):
        super().__init__(message)
        self.result = result


class NotConverged(UserWarning):
    """The run ended before it converged: what it returns is not the final answer."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run.

    Attributes:
        result: the partial `Result`, after the last complete superstep.
    """

    _render_traceback_ = _shown_by_ipython

    def __init__(self, message: str, result: Any):
        super().__init__(message)
        self.result = result


#: In a thread that gascl has started: the warnings that the user's own thread is to show, since
#: only there the line is known that called gascl.
deferred_warnings: ContextVar[list[tuple[str | Warning, type[Warning]]] | None] = ContextVar(
    "deferred_warnings", default=None
)


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn with the user's line that called gascl, not one inside a program's `solve`."""
    deferred = deferred_warnings.get()
    if deferred is not None:
        deferred.append((message, category))
        return
    frame: FrameType | None = sys._getframe(1)
    level, user_level = 2, 0
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module == "gascl.run.stages" and frame.f_code.co_name == "solve":
            user_level = 0  # so far, the lines were those of the program with `solve`
        elif not user_level and module.partition(".")[0] != "gascl":
            user_level = level
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=user_level or 2)
