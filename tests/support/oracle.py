"""What a vertex program means, as slow and plain Python: the oracle of the random-program tests.

A program is a small tree (`program_tree`) that is rendered to C snippets and that `run` interprets
here, vertex by vertex and arc by arc, word for word after the rules of a superstep. Nothing of
gascl is imported: the arcs are derived from the plain edge list once more.

Exactness: every number is a small integer (or an infinity, or the extreme value of an integer
type), also where it is held in a `real`. The interpreter computes with Python's int and float and
raises `Inexact` whenever an arithmetic result leaves +-2**24, a stored value does not fit its type,
or (under float32) a float is not a float32. So where `run` returns, int32, int64, float32 and
float64 arithmetic in C agree with it to the last bit and in every order of evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from support.interpreter import Interpreter
from support.plain_graph import PlainGraph
from support.program_tree import Program, SetMask, contains
from support.values import Inexact

__all__ = ["Inexact", "Outcome", "PlainGraph", "Run", "Step", "run"]


@dataclass
class Step:
    superstep: int
    active: int
    messages: int
    aggregates: dict[str, Any]


@dataclass
class Outcome:
    """What a run leaves behind, and what of the language it made use of (see `features`)."""

    fields: dict[str, np.ndarray]
    arc_fields: dict[str, np.ndarray]
    supersteps: int
    converged: bool
    mask: list[int]  # who would scatter next
    trace: list[Step]
    used: set[str] = field(default_factory=set)


class Run(Interpreter):
    """The order of events."""

    def first(self, given: Mapping[str, Any]) -> None:
        """Field inits, the init snippet and the mask."""
        n, lanes, arcs = self.graph.num_vertices, range(self.lanes), self.arcs
        self.set_by = [[set() for _ in range(n)] for _ in lanes]
        self.pending = self.empty()
        for self.lane in lanes:
            for self.v in range(n):
                for name, declared in self.program.fields.items():
                    value = self.given(given[name]) if name in given else self.ev(declared.init)
                    self.fields[self.lane][name][self.v] = self.store.fit(declared.type, value)
                self.snippet(self.program.init)
            for self.place, self.arc in enumerate(arcs):
                for name, declared in self.program.arc_fields.items():
                    value = self.store.fit(declared.type, self.ev(declared.init))
                    self.arc_fields[self.lane][name][self.place] = value
        # Without `mask` it is every vertex, unless the init snippet says who (on any path).
        unsaid = not contains(self.program.init, SetMask)
        for self.lane in lanes:
            for self.v in range(n):
                wanted = unsaid if self.program.mask is None else self.ev(self.program.mask)
                if wanted or self.set_by[self.lane][self.v]:
                    self.waiting[self.v] = 1

    def given(self, values: Any) -> Any:
        """An initial value given as an array: (V,), or with an axis of lanes behind it."""
        value = np.asarray(values[self.v])
        return (value[self.lane] if value.ndim else value).item()

    def step(self) -> Step:
        """One superstep: scatter, gather, apply; those who wait for the next are known then."""
        n, lanes = self.graph.num_vertices, range(self.lanes)
        if self.program.edges == "alternate":
            self.go_along("in" if self.superstep % 2 else "out")
        self.mask = self.lowest()
        self.prev, self.tally = self.totals(), self.no_tally()
        self.set_by = [[set() for _ in range(n)] for _ in lanes]
        self.deliver()
        messages = self.scatter() + self.pairs() + self.calls
        if self.program.combine == "first" or self.program.enough is not None:
            messages = sum(bool(box) for boxes in self.inbox for box in boxes)
        self.set_by = [[{"scatter"} if by else set() for by in lane] for lane in self.set_by]
        self.gather_and_apply()
        active = n if self.program.scatter_on == "all" else sum(self.mask)
        for v in range(n):
            was = self.waiting[v] and not self.mask[v]
            self.waiting[v] = int(was or any(self.set_by[lane][v] for lane in lanes))
        return Step(self.superstep, active, messages, self.totals())

    def lowest(self) -> list[int]:
        """The mask of this superstep: who waits and, with a priority, is in the lowest bucket."""
        if self.program.priority is None or not any(self.waiting):
            return list(self.waiting)
        buckets = {v: self.bucket(v) for v, waits in enumerate(self.waiting) if waits}
        low = min(buckets.values())
        if max(buckets.values()) > low:
            self.used.add("some wait")
        return [int(buckets.get(v) == low) for v in range(self.graph.num_vertices)]

    def bucket(self, v: int) -> float:
        """The bucket of a vertex: the least of its lanes."""
        rule, delta = self.program.priority, self.program.delta
        assert rule is not None and delta is not None, "what gascl chooses is not said"
        found = set()
        self.phase, self.v, lanes = "priority", v, range(self.lanes)
        for self.lane in lanes:
            value = self.ev(rule) / delta
            value = math.inf if math.isnan(value) else value
            found.add(math.floor(value) if math.isfinite(value) else value)
        if len(found) > 1:
            self.used.add("a priority of each lane")
        return min(found)

    def deliver(self) -> None:
        """What apply has sent to anyone arrives, if the receiver wants it now."""
        self.inbox, self.pending = self.pending, self.empty()
        if any(box for boxes in self.inbox for box in boxes) and not any(self.mask):
            self.used.add("runs on while messages are under way")
        lanes = range(self.lanes)
        for self.lane in lanes:
            boxes = enumerate(self.inbox[self.lane])
            wanted = [[m for m in box if self.wants(v, m)] for v, box in boxes]
            self.inbox[self.lane] = wanted
        self.calls = sum(len(box) for boxes in self.inbox for box in boxes)

    def scatter(self) -> int:
        """Returns how many arcs carried a message."""
        program, lanes, arcs = self.program, range(self.lanes), self.arcs
        carried = 0
        self.phase, self.seen = "scatter", self.fields
        for self.lane in lanes:
            for self.place, self.arc in enumerate(arcs):
                if program.scatter_on == "mask" and not self.mask[self.arc[0]]:
                    continue
                self.v = self.arc[0]
                sent: list[Any] = []
                before = self.effects
                self.snippet(program.scatter, sent)
                single = program.gather is not None or program.grouping is not None
                assert not single or len(sent) < 2, "two messages along an arc"
                if len(sent) > 1:  # together they are the message of the arc
                    sent = self.partial(sent)[-1:]
                wanted = [message for message in sent if self.wants(self.arc[1], message)]
                if sent and not wanted and self.effects > before:
                    self.used.add("a message is dropped, other effects are not")
                sent = wanted
                self.inbox[self.lane][self.arc[1]] += sent
                carried += bool(sent)
        return carried

    def pairs(self) -> int:
        """Returns how many pairs carried a message. Who gives is as who scatters."""
        program, everyone = self.program, range(self.graph.num_vertices)
        carried = 0
        self.phase = "pairs"
        if not program.pairs:
            return carried
        lanes = range(self.lanes)
        for self.lane in lanes:
            for self.v in everyone:
                for self.u in everyone:
                    idle = program.scatter_on == "mask" and not self.mask[self.u]
                    if idle or self.u == self.v:
                        continue
                    if not self.within(self.v, self.u):
                        self.used.add("a pair is too far apart")
                        continue
                    sent: list[Any] = []
                    self.snippet(program.pairs, sent)
                    self.used.add("a pair sends" if sent else "a pair does not send")
                    sent = [message for message in sent if self.wants(self.v, message)]
                    self.inbox[self.lane][self.v] += sent
                    carried += bool(sent)
        return carried

    def within(self, v: int, u: int) -> bool:
        """Whether two vertices are near enough to be a pair."""
        if self.program.pairs_at is None:
            return True
        at = self.fields[self.lane][self.program.pairs_at]
        reach = self.ev(self.program.pairs_within)
        ends = [x if isinstance(x, tuple | list) else (x,) for x in (at[v], at[u])]
        squares = sum(self.store.exact((a - b) ** 2) for a, b in zip(*ends, strict=True))
        return self.store.exact(squares) <= self.store.exact(reach**2)

    def gather_and_apply(self) -> None:
        program, n, lanes = self.program, self.graph.num_vertices, range(self.lanes)
        self.seen = [{name: list(x) for name, x in fields.items()} for fields in self.fields]
        for self.lane in lanes:
            for self.v in range(n):
                received = self.inbox[self.lane][self.v]
                self.phase, self.has_msg = "gather", int(bool(received))
                self.msg = self.combined(received)
                self.phase = "apply"
                on_mask = program.apply_on == "mask" and self.mask[self.v]
                if on_mask and not received:
                    self.used.add("apply in the mask without a message")
                if received or on_mask or program.apply_on == "all":
                    self.snippet(program.apply)

    def done(self) -> bool:
        """Whether a program that scatters on its mask has nothing left to do."""
        under_way = any(box for boxes in self.pending for box in boxes)
        idle = not any(self.waiting) and not under_way
        if self.program.scatter_on == "mask" and idle and self.program.ends == "stop":
            self.used.add("runs on without a mask")
            return False
        return self.program.scatter_on == "mask" and idle

    def note_lanes(self) -> None:
        """What the next mask has made use of."""
        for v in range(self.graph.num_vertices):
            setters = [bool(self.set_by[lane][v]) for lane in range(self.lanes)]
            if any(setters) and not all(setters):
                self.used.add("a mask set by some of the lanes")

    def array(self, kind: str, values: list[list[Any]]) -> np.ndarray:
        """Values by lane and place as an array, the lanes behind."""
        if not self.laned:
            return self.store.array(kind, values[0], (len(values[0]),))
        turned = [list(at) for at in zip(*values, strict=True)]
        return self.store.array(kind, turned, (len(turned), self.lanes))


def run(
    program: Program,
    graph: PlainGraph,
    *,
    dtype: str = "float32",
    params: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    max_supersteps: int = 100_000,
) -> Outcome:
    """Interpret a program; `given` are the fields passed at construction. May raise `Inexact`."""
    params = params or {}
    r = Run(program, graph, dtype, params)
    r.first(given or {})
    supersteps = params.get("supersteps", program.supersteps)
    trace: list[Step] = []
    converged = graph.num_vertices == 0 or supersteps == 0 or r.done()
    while not converged and len(trace) < max_supersteps:
        step = r.step()
        r.note_lanes()
        trace.append(step)
        if supersteps is not None:
            converged = len(trace) == supersteps
        else:
            converged = bool(
                (program.stop is not None and r.ev(program.stop))
                or (program.converged is not None and program.converged(step))
            )
        converged = converged or r.done()
        r.superstep += 1
    fields, arc_fields = (
        {
            name: r.array(declared.type, [lane[name] for lane in values])
            for name, declared in fields.items()
        }
        for fields, values in ((program.fields, r.fields), (program.arc_fields, r.arc_fields))
    )
    return Outcome(fields, arc_fields, len(trace), converged, list(r.waiting), trace, r.used)
