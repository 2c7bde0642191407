"""`Snapshot`, the state of a run between two supersteps, which `Engine.steps` yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from gascl.errors import FieldError
from gascl.graph.graph import Graph
from gascl.results.trace import Step


@dataclass(frozen=True, eq=False, repr=False)
class Messages:
    """The messages that scatter sent along arcs in a superstep, before any was combined, or dropped
    by `receive_if`. N messages, in the order of receivers, then of senders and edge ids.

    Attributes:
        source, target: int32 (N,), the vertices that sent and received each one.
        value: (N,), what was sent, plus a dimension for the components of a vector.
        lane: int32 (N,), the lane that sent it; 0 in runs without lanes.
    """

    source: np.ndarray
    target: np.ndarray
    value: np.ndarray
    lane: np.ndarray

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return f"Messages({len(self)} along arcs)"


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot:
    """The state of a run after some of its supersteps. It is a copy, which stays as it is.

    `snapshot["depth"]` is the vertex field `depth`, with the shape that it has in a `Result`, or
    the arc field of that name.

    Attributes:
        graph: the graph of the run.
        superstep: the number of supersteps that have run, which is also the number of the next
            one: 0 before the first.
        fields: the vertex fields by name, (V,) or (V, lanes) in the graph's vertex order, plus a
            dimension for the components of a vector.
        arc_fields: the arc fields by name, (A,) or (A, lanes), in the order of
            `Result.arc_fields`.
        mask: bool (V,), the vertices that scatter in the next superstep and, with a `priority`,
            those that wait; with lanes, those of any lane. Where every vertex scatters
            (`scatter_on = "all"`), it is what `get_mask()` returns, or all True if the program
            keeps no mask.
        active: the number of vertices that scatter in the next superstep.
        aggregates: the aggregators' values after the last superstep, or else after init.
        last: the `Step` of the trace for the superstep that has just run; None before the first.
        sent: the Messages of that superstep, if its delivery stores those of each arc, as
            `delivery="slots"` does; None with other deliveries, which combine messages as they
            arrive, and before the first superstep.
        program: the program that runs, in a program of several stages.
    """

    graph: Graph
    superstep: int
    fields: Mapping[str, np.ndarray]
    mask: np.ndarray
    active: int
    aggregates: Mapping[str, Any] = field(default_factory=dict)
    arc_fields: Mapping[str, np.ndarray] = field(default_factory=dict)
    last: Step | None = None
    sent: Messages | None = None
    program: str = ""

    @property
    def messages(self) -> int:
        """The number of messages in the superstep that has just run; 0 before the first."""
        return 0 if self.last is None else self.last.messages

    def __getitem__(self, name: str) -> np.ndarray:
        for fields in (self.fields, self.arc_fields):
            if name in fields:
                return fields[name]
        known = [*self.fields, *self.arc_fields]
        near = get_close_matches(str(name), known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        if name in self.aggregates:
            hint = f": it is an aggregator, aggregates[{name!r}]."
        available = ", ".join(known) or "none"
        raise FieldError(f"the state has no field {name!r}{hint} Available fields: {available}")

    def __contains__(self, name: object) -> bool:
        return name in self.fields or name in self.arc_fields

    def __repr__(self) -> str:
        fields = ", ".join([*self.fields, *self.arc_fields]) or "no field"
        program = f"{self.program}, " if self.program else ""
        return (
            f"Snapshot({program}superstep {self.superstep}: {fields}; {self.active} active, "
            f"{self.messages} messages)"
        )
