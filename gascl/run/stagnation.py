"""Detects runs that would never end, because of rounding or a rule that cannot hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gascl.language.fields import ToleranceParam
from gascl.language.program import VertexProgram
from gascl.results.trace import Step
from gascl.user_messages import DOUBLE, Message, Option

#: States are compared when the records of this many supersteps repeat, with at most this period.
RECENT, LONGEST = 128, 32
#: States are compared this many periods apart, because the period of the state may be a multiple of
#: that of the records: if two parts swap their values, a sum does not change. It is even, since
#: where edges alternate, only every other superstep has the same arcs.
APART = 12
#: A change that falls at a known rate may fall for at least this many supersteps:
#: most runs end earlier, so that the host need not look at their first superstep by itself.
PATIENT = 64


class StagnationDetector:
    """Watches a run for two signs that its rule will never hold.

    First, a state is repeated. From the same state a program always continues in the same way,
    unless a snippet reads `superstep` or Python decides when it ends. Reading a state takes time,
    so this is done only when the records of the last supersteps repeat; if the states differ, it is
    not done again before the run is a quarter longer.

    Second, a change that falls at a known rate (`param.tolerance(rate=...)`) should by now be below
    the tolerance: what is left is rounding error. This also ends runs in which states take very
    long to repeat, because parts of the graph oscillate with different periods.
    """

    def __init__(
        self,
        program: VertexProgram,
        digest: Callable[[], bytes],
        aggregates: Callable[[], Mapping[str, Any]],
    ):
        """`digest` returns a hash of the current state, and `aggregates` the aggregators' values
        after the last superstep."""
        self._program, self._digest, self._aggregates = program, digest, aggregates
        self._stop = program.spec.snippet("stop")
        self._asked = program.fixed_supersteps() is None and program.converged is None
        reads = program.spec.reads_superstep
        self._compare = RECENT if self._asked and not reads else math.inf
        # Until the first superstep has been looked at, the least.
        self._fallen: float = PATIENT if program.spec.falling and self._asked else math.inf
        self._period, self._kept = 0, b""

    @property
    def known(self) -> dict[str, Any]:
        """The observations that are not in the trace, as JSON, for `restore` in a resumed run."""
        compare, fallen = self._compare, self._fallen
        return {
            "compare": compare,
            "fallen": fallen,
            "period": self._period,
            "kept": self._kept.hex(),
        }

    def restore(self, known: Mapping[str, Any]) -> None:
        self._compare, self._fallen = known["compare"], known["fallen"]
        self._period, self._kept = known["period"], bytes.fromhex(known["kept"])

    @property
    def due(self) -> float:
        """The number of supersteps before which `check` cannot find anything."""
        return min(self._compare, self._fallen)

    def check(self, trace: Sequence[Step]) -> str:
        """Why the run would never end, and what to do; "" while that is not certain."""
        done = len(trace)
        if done >= PATIENT == self._fallen:
            self._fallen = max(PATIENT, self._time_to_fall(trace[0]))
        if done >= self._fallen:
            return self._words(trace)
        if done < self._compare:
            return ""
        if self._period and self._digest() == self._kept:
            return self._words(trace)
        self._period = 0 if self._period else period(trace)
        if self._period:
            self._compare, self._kept = done + APART * self._period, self._digest()
        else:
            self._compare = done + max(RECENT, done // 4)
        return ""

    def _time_to_fall(self, first: Step) -> float:
        """After how many supersteps a change consists only of rounding, by the first one."""
        assert self._program.spec.falling
        param, name = self._program.spec.falling
        return param.time_to_fall(self._program, first.aggregates[name])

    def _words(self, trace: Sequence[Step]) -> str:
        program, params = self._program, self._program.spec.params
        sums, bounds = (sorted(self._stop.reads(n)) for n in ("agg", "p"))
        last = self._aggregates()
        for name in sums:
            if _is_nan(last[name]):
                return self._nan_words(name, trace)
        values = [f"{n}={x:.4g}" for n in sums if isinstance(x := last[n], int | float)]
        values += [f"{n}={getattr(program, n)}" for n in bounds]
        shown = f" ({', '.join(values)})" if values else ""
        types = [f.resolve for f in program.spec.vertex_fields.values()]
        floats = program.dtype == "float32" and any(t("float32") != t("float64") for t in types)
        larger = [
            f"a larger {n}" if isinstance(params[n], ToleranceParam) else f"another {n}"
            for n in bounds
        ]
        remedies: list[str | Option] = [*larger, *[DOUBLE] * floats]
        if self._fallen < math.inf:  # without rounding, the change would fall
            above = f"rounding in {program.dtype} keeps the change above the tolerance{shown}"
            return Message(f"{above}; give ", *_either(remedies))
        if program.spec.order == "any":
            remedies.append("an apply that calls set_mask() only where a field changes")
        else:
            remedies += ["another stop rule", "a number of supersteps"]
        repeats = f"returned to an earlier state and would never end{shown}; give "
        return Message(repeats, *_either(remedies))

    def _nan_words(self, name: str, trace: Sequence[Step]) -> str:
        first = next(step.superstep for step in trace if _is_nan(step.aggregates[name]))
        mean = "nothing was added to it, or " * (self._program.spec.aggregates[name].op == "mean")
        return Message(
            f"aggregator {name!r} became NaN in superstep {first}, and stop does not hold for NaN: "
            f"usually {mean}a snippet computed 0/0, infinity minus infinity or a function outside "
            "of its domain, or a field of the graph has NaN; run it with ",
            Option("debug", True),
            ", which stops there and names the line",
        )


def _is_nan(value: Any) -> bool:
    """Whether an aggregator's value is NaN, or contains it."""
    values = np.asarray(value)
    return values.dtype.kind == "f" and bool(np.isnan(values).any())


def _either(choices: Sequence[str | Option]) -> list[str | Option]:
    """The choices with " or " between them."""
    return [part for choice in choices for part in (" or ", choice)][1:]


def period(trace: Sequence[Step]) -> int:
    """The period with which the last RECENT records repeat; 0 if they do not."""
    last = [_seen(s) for s in trace[-LONGEST - 1 :]]
    if last[-1] not in last[:-1]:  # mostly; then the others need not be looked at
        return 0
    seen = [_seen(s) for s in trace[-RECENT:]]
    return next((n for n in range(1, LONGEST + 1) if seen[n:] == seen[:-n]), 0)


def _seen(step: Step) -> str:
    return repr((step.active, step.messages, step.aggregates))
