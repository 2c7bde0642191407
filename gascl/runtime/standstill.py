"""Runs that rounding, or a rule that can't hold, would keep going for ever."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gascl.language.fields import ToleranceParam
from gascl.language.program import VertexProgram
from gascl.result import Step

#: Supersteps whose records have to repeat before states are compared, and their longest period.
RECENT, LONGEST = 128, 32
#: States are compared so many of these periods apart: a state's own period may be a multiple, since
#: two parts that swap leave a sum as it was.
APART = 12


class Standstill:
    """Watches one run for two signs that its rule will never hold.

    A state comes back. From one state a program always goes on in the same way, unless a snippet
    reads `superstep`, or Python decides when it ends. Reading a state takes time, so it is done
    only where the records of the last supersteps repeat, and if that was in vain, not again before
    the run is a quarter longer.

    A change that falls at a known rate (`param.tolerance(rate=...)`) has had the time to fall below
    the tolerance: what is left is rounding. This also ends runs whose states take very long to come
    back, where parts of a graph swap values, each with a period of its own.
    """

    def __init__(self, program: VertexProgram, digest: Callable[[], bytes]):
        """`digest` gives the same bytes for two states only if they are the same."""
        self._program, self._digest = program, digest
        self._stop = program.spec.snippets.get("stop")
        self._asked = program.fixed_supersteps() is None and program.converged is None
        reads = any(s.uses("superstep") for s in program.spec.snippets.values())
        self._compare = RECENT if self._asked and not reads else math.inf
        self._fallen: float = math.inf
        self._period, self._kept = 0, b""

    @property
    def due(self) -> float:
        """How many supersteps the run must have made for `look` to be of use."""
        return min(self._compare, self._fallen)

    def look(self, trace: Sequence[Step]) -> str:
        """Why the run would not end, and what to do, where that is certain by now; else ""."""
        done, last = len(trace), trace[-1]
        if done == 1:
            self._fallen = self._time_to_fall(last)
        if done >= self._fallen:
            return self._words(last)
        if done < self._compare:
            return ""
        if self._period and self._digest() == self._kept:
            return self._words(last)
        self._period = 0 if self._period else period(trace)
        if self._period:
            self._compare, self._kept = done + APART * self._period, self._digest()
        else:
            self._compare = done + max(RECENT, done // 4)
        return ""

    def _time_to_fall(self, first: Step) -> float:
        """In how many supersteps, if a tolerance of the program knows its rate."""
        for param in self._program.spec.params.values():
            if isinstance(param, ToleranceParam) and param.rate and self._stop and self._asked:
                (name,) = self._stop.reads("agg")
                return param.time_to_fall(self._program, first.aggregates[name])
        return math.inf

    def _words(self, last: Step) -> str:
        program, params = self._program, self._program.spec.params
        sums, bounds = (sorted(self._stop.reads(n)) if self._stop else [] for n in ("agg", "p"))
        values = [f"{n}={x:.4g}" for n in sums if isinstance(x := last.aggregates[n], int | float)]
        values += [f"{n}={getattr(program, n)}" for n in bounds]
        shown = f" ({', '.join(values)})" if values else ""
        types = [f.resolve for f in program.spec.vertex_fields.values()]
        floats = program.dtype == "float32" and any(t("float32") != t("float64") for t in types)
        larger = [
            f"a larger {n}" if isinstance(params[n], ToleranceParam) else f"another {n}"
            for n in bounds
        ]
        remedies = [*larger, *["dtype='float64'"] * floats]
        if self._fallen < math.inf:  # without rounding, the change would fall
            above = f"rounding in {program.dtype} keeps the change above the tolerance{shown}"
            return f"{above}; give {' or '.join(remedies)}"
        remedy = " or ".join([*remedies, "a rule that can hold", "a number of supersteps"])
        return f"came back to a state it had been in, and would never end{shown}; give {remedy}"


def period(trace: Sequence[Step]) -> int:
    """After how many supersteps the last RECENT records repeat; 0 where they do not."""
    seen = [repr((s.active, s.messages, s.aggregates)) for s in trace[-RECENT:]]
    return next((n for n in range(1, LONGEST + 1) if seen[n:] == seen[:-n]), 0)
