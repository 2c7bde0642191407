"""`RunOptions`: the options of a run, as `Engine.run` and `Engine.steps` take them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gascl.errors import GasclError, check_flags
from gascl.language.program import VertexProgram
from gascl.results.result import KeptState
from gascl.results.snapshot import Snapshot
from gascl.results.trace import Step
from gascl.run.state import State
from gascl.user_messages import Option, Placeholder
from gascl.util.progress import Progress

#: The default limit of supersteps.
MAX_SUPERSTEPS = 100_000


@dataclass(frozen=True)
class RunOptions:
    """The options of a run; `Engine.run` says what each one means.

    Raises:
        GasclError: an option has an invalid value.
    """

    delivery: str = "auto"
    state: KeptState | None = None
    start: Any = None
    keep_state: bool = False
    max_supersteps: int | None = None
    callback: Callable[[Step], Any] | None = None
    progress: bool | Progress = False
    not_converged: str = "warn"
    checkpoint: str | Path | None = None
    every: str | int | None = None
    resume: bool = False
    collect: bool = True
    #: Called with the state before the first superstep and after each one (`Engine.steps`).
    watch: Callable[[Snapshot], None] | None = None

    def __post_init__(self) -> None:
        check_not_converged(self.not_converged)
        check_flags(keep_state=self.keep_state, resume=self.resume, collect=self.collect)
        if self.state is not None and not isinstance(self.state, State):
            raise GasclError(
                f"state must be result.state of a run with keep_state=True, not {self.state!r}"
            )
        if self.callback is not None and not callable(self.callback):
            raise GasclError(f"callback must be a function of a Step, not {self.callback!r}")
        if not isinstance(self.progress, bool | Progress):
            raise GasclError(f"progress must be True or False, not {self.progress!r}")
        if self.checkpoint is None and (self.resume or self.every is not None):
            given = Option("resume", True) if self.resume else Option("every", self.every)
            missing = Option("checkpoint", Placeholder("FILE"))
            raise GasclError(given, " is about a checkpoint: give ", missing, ", too")

    @property
    def previous(self) -> State | None:
        """The State that the run continues from."""
        return self.state if isinstance(self.state, State) else None

    def why_in_supersteps(self, may_need_order: bool) -> str:
        """Why the run must be made in supersteps, whatever its program says of their order; "" if
        it need not be.

        Args:
            may_need_order: the program may find that the order matters, and then begins again.
        """
        asked = {
            "max_supersteps": self.max_supersteps is not None,
            "callback": self.callback is not None,
            "checkpoint": self.checkpoint is not None,
            "steps()": self.watch is not None,
            "state": self.state is not None and may_need_order,
        }
        names = [name for name, is_asked in asked.items() if is_asked]
        return f"the run has {names[0]}, which concerns supersteps" if names else ""

    @property
    def why_whole(self) -> str:
        """Why each process of a run must have all vertices; "" if it need not."""
        asked = {
            "state": self.state is not None,
            "start": self.start is not None,
            "keep_state": self.keep_state,
        }
        names = [name for name, is_asked in asked.items() if is_asked]
        return f"the run has {names[0]}, which concerns all vertices" if names else ""

    @property
    def shown(self) -> Progress | None:
        """The bar that shows how far the run is; None if there is none, or not yet."""
        return self.progress if isinstance(self.progress, Progress) else None

    def limit(self, program: VertexProgram) -> int:
        """The largest number of supersteps.

        Raises:
            GasclError: `max_supersteps` is not a whole number, 0 or more.
        """
        fixed = program.fixed_supersteps()
        if self.max_supersteps is None:
            return MAX_SUPERSTEPS if fixed is None else fixed
        try:
            limit = operator.index(self.max_supersteps)
        except TypeError:
            limit = -1
        if limit < 0:
            raise GasclError(
                f"max_supersteps must be a whole number, 0 or more, not {self.max_supersteps!r}"
            )
        return limit if fixed is None else min(fixed, limit)


def check_not_converged(value: Any) -> None:
    """Raise GasclError unless it is one of the three words."""
    if value not in ("warn", "error", "ignore"):
        raise GasclError(f"not_converged must be warn, error or ignore, not {value!r}")
