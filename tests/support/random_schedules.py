"""What a program with order = "any" may also mean: the oracle under a random schedule.

There are no supersteps. At random, a vertex that waits scatters, with its values or with those that
it had earlier since it began to wait; or one of the messages under way arrives, or several to the
same vertex arrive combined; or a message arrives and stays under way, so that it comes again. What
`FIELD_of` reads may be older than what the other vertex has. A message is dropped where
`receive_if` does not want it by the receiver's values, or by some that it had before. The run ends
when no vertex waits and no message is under way.

Where all vertices apply in place, they do so in passes, each in another order and some of them
several times, and messages arrive in between. The run ends with a pass that began without messages
under way, in which `FIELD_of` read what is there, and in which no vertex called `set_mask()`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

import numpy as np
from support.oracle import PlainGraph, Run
from support.program_tree import Program, Send

#: A run of so many events does not end, as far as this oracle can tell.
MOST_EVENTS = 200_000


class Endless(Exception):
    """A run has not ended."""


class _Message(NamedTuple):
    lane: int
    to: int
    value: Any


class _Schedule(Run):
    """The order of events.

    `seen` has what `FIELD_of` reads, which lags behind `fields`; `past`, what the fields of each
    vertex have been since the run began, by lane.
    """

    def __init__(self, seed: int, *of_program: Any):
        super().__init__(*of_program)
        self.random = Random(seed)
        self.flying: list[_Message] = []
        self.events = 0
        # Of each vertex that waits: what its fields have been since it began to wait, by lane.
        self.earlier: list[list[list[dict[str, Any]]]] = []

    def go(self, given: Mapping[str, Any]) -> None:
        n = self.graph.num_vertices
        self.first(given)
        self.seen = [{name: list(x) for name, x in fields.items()} for fields in self.fields]
        self.earlier = [[self.state(v)] for v in range(n)]
        self.past = [[self.state(v)] for v in range(n)]
        self.leaving = [[arc for arc in enumerate(self.arcs) if arc[1][0] == v] for v in range(n)]
        self.set_by = [[set() for _ in range(n)] for _ in range(self.lanes)]
        for _ in range(MOST_EVENTS):
            waiting = [v for v in range(n) if self.waiting[v]]
            if not waiting and not self.flying:
                return
            if waiting and (not self.flying or self.random.random() < 0.4):
                self.scatter_from(self.random.choice(waiting))
            else:
                self.arrive()
            self.catch_up()
        raise Endless

    def state(self, v: int) -> list[dict[str, Any]]:
        return [{name: x[v] for name, x in fields.items()} for fields in self.fields]

    def wants(self, v: int, message: Any) -> bool:
        """Whether its receiver wants it by its values and, perhaps, by some that it had before."""
        if self.random.random() < 0.4:
            now = self.state(v)
            self.take(v, self.random.choice(self.past[v]))
            wanted = super().wants(v, message)
            self.take(v, now)
            if not wanted:
                return False
        return super().wants(v, message)

    def catch_up(self) -> None:
        """Perhaps they see what some vertex has."""
        if self.graph.num_vertices and self.random.random() < 0.5:
            self.show(self.random.randrange(self.graph.num_vertices))

    def show(self, v: int) -> None:
        """Others see what a vertex has now."""
        for seen, fields in zip(self.seen, self.fields, strict=True):
            for name in fields:
                seen[name][v] = fields[name][v]

    def scatter_from(self, v: int) -> None:
        """A vertex scatters; it still waits if that was with older values, or by chance."""
        now, older = self.state(v), self.random.choice(self.earlier[v])
        if self.random.random() < 0.6:
            older = now
        self.waiting[v] = int(older != now or self.random.random() < 0.1)
        if not self.waiting[v]:
            self.earlier[v] = []
        self.take(v, older)
        arcs = self.leaving[v]
        lanes = range(self.lanes)
        for place, arc in self.random.sample(arcs, len(arcs)):
            for self.lane in lanes:
                self.place, self.arc, self.phase, self.v = place, arc, "scatter", v
                sent: list[Any] = []
                self.snippet(self.program.scatter, sent)
                if sent:  # together they are the message of the arc
                    value = self.partial(sent)[-1]
                    self.flying.append(_Message(self.lane, self.arc[1], value))
        self.take(v, now)

    def take(self, v: int, state: list[dict[str, Any]]) -> None:
        for fields, values in zip(self.fields, state, strict=True):
            for name, value in values.items():
                fields[name][v] = value

    def arrive(self) -> None:
        """A message arrives, sometimes together with others to the same vertex."""
        first = self.random.choice(self.flying)
        messages = [first]
        if self.random.random() < 0.4:
            others = [m for m in self.flying if m is not first and m[:2] == first[:2]]
            messages += self.random.sample(others, self.random.randint(0, len(others)))
        for message in messages:
            if self.random.random() < 0.8:
                self.flying = [m for m in self.flying if m is not message]
        self.lane, self.v = first.lane, first.to
        wanted = [m.value for m in messages if self.wants(first.to, m.value)]
        if not wanted:
            return
        self.msg, self.has_msg, self.phase = self.partial(wanted)[-1], 1, "apply"
        self.snippet(self.program.apply)
        self.past[first.to].append(self.state(first.to))
        set_by = self.set_by[self.lane][first.to]
        if set_by and not self.waiting[first.to]:
            self.waiting[first.to], self.earlier[first.to] = 1, []
        set_by.clear()
        if self.waiting[first.to]:
            self.earlier[first.to].append(self.state(first.to))

    def send_to(self, s: Send) -> None:
        value = self.store.fit(self.program.message, self.ev(s.value))
        self.flying.append(_Message(self.lane, self.ev(s.to), value))


class _InPlace(_Schedule):
    """The order of events where all vertices apply."""

    def go(self, given: Mapping[str, Any]) -> None:
        n = self.graph.num_vertices
        self.first(given)
        self.seen = [{name: list(x) for name, x in fields.items()} for fields in self.fields]
        self.set_by = [[set() for _ in range(n)] for _ in range(self.lanes)]
        self.past = [[self.state(v)] for v in range(n)]
        self.mask = list(self.waiting)
        busy = any(self.mask)
        while busy:
            current = not self.flying and self.random.random() < 0.5
            if current:
                self.seen = [{name: list(x) for name, x in each.items()} for each in self.fields]
            busy = self.make_pass() or not current

    def make_pass(self) -> bool:
        """Returns whether a vertex has called `set_mask()`, or a message is under way."""
        n, found = self.graph.num_vertices, False
        for v in self.random.sample(range(n), n):
            for _ in range(self.random.choice((1, 1, 1, 2))):
                found |= self.apply_now(v)
            while self.flying and self.random.random() < 0.6:
                found |= self.arrive_now()
            if self.random.random() < 0.8:
                self.show(v)
        self.events += n
        if self.events > MOST_EVENTS:
            raise Endless
        return found or bool(self.flying)

    def apply_now(self, v: int) -> bool:
        self.lane = 0  # there are no others
        self.mask[v] = int(self.applies(v, None))
        return bool(self.mask[v])

    def arrive_now(self) -> bool:
        first = self.random.choice(self.flying)
        messages = [first]
        if self.random.random() < 0.4:
            messages += [m for m in self.flying if m is not first and m[:2] == first[:2]]
        for message in messages:
            if self.random.random() < 0.8:
                self.flying = [m for m in self.flying if m is not message]
        self.lane = first.lane
        wanted = [m.value for m in messages if self.wants(first.to, m.value)]
        found = bool(wanted) and self.applies(first.to, self.partial(wanted)[-1])
        self.mask[first.to] |= found
        return found

    def applies(self, v: int, msg: Any) -> bool:
        """Apply at a vertex, with a message or None; returns whether it called `set_mask()`."""
        self.v, self.phase, self.has_msg = v, "apply", int(msg is not None)
        self.msg = self.no_message() if msg is None else msg
        self.set_by[self.lane][v].clear()
        self.snippet(self.program.apply)
        self.past[v].append(self.state(v))
        return bool(self.set_by[self.lane][v])


def run_in_random_order(
    program: Program,
    graph: PlainGraph,
    seed: int,
    *,
    dtype: str = "float32",
    params: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
) -> dict[str, np.ndarray]:
    """The final fields by one random schedule; the arguments are those of `oracle.run`.

    Raises:
        Endless, Inexact: nothing is known of the program.
    """
    kind = _InPlace if program.apply_on == "all" else _Schedule
    schedule = kind(seed, program, graph, dtype, params or {})
    schedule.go(given or {})
    return {
        name: schedule.array(declared.type, [lane[name] for lane in schedule.fields])
        for name, declared in program.fields.items()
    }
