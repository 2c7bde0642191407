"""The errors and warnings of gascl. Every message gives the cause, the value and the remedy."""

from __future__ import annotations

import sys
import sysconfig
import traceback
import warnings
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any

from gascl.messages import Message, Option

#: Where Python keeps its library and installed packages.
_INSTALLED = ("stdlib", "purelib", "platlib")


def _callers_lines(error: BaseException) -> list[str]:
    """What IPython prints of an error: the lines of the user's code, without those inside gascl,
    which the message needs no help from. `traceback.print_exception(error)` shows them all."""
    lines, inside = [], False
    for frame, number in traceback.walk_tb(error.__traceback__):
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        inside = inside or package == "gascl"
        # What gascl calls of the standard library, such as contextlib, is inside, too.
        within = package in sys.stdlib_module_names if inside else package == "IPython"
        if package != "gascl" and not within:
            lines.append((frame, number))
    shown = traceback.StackSummary.extract(iter(lines)).format()
    last = f"{type(error).__name__}: {error}"
    return ["Traceback (most recent call last):", *(text.rstrip() for text in shown), last]


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


class GasclError(Exception):
    """Base class of all errors that gascl raises on purpose. The arguments are those of `Message`.

    Attributes:
        edge: the number of the edge that is wrong, if it is one.
    """

    edge: int | None = None
    _render_traceback_ = _callers_lines  # IPython's name

    def __init__(self, *parts: str | Option):
        super().__init__(Message(*parts))

    @property
    def message(self) -> Message:
        """The text of the error, which can also be rendered for the shell."""
        return Message(self.args[0])

    @property
    def options(self) -> tuple[Option, ...]:
        """The options that the message names, such as those that would help; often none."""
        return self.message.options


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

    _render_traceback_ = _callers_lines

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
