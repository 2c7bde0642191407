"""`OrderTrial`: what a random schedule of a program with order = "any" has found.

Engine runs such a program in supersteps and, in debug mode, once more by delivery `random`
(codegen/kernels/random.cl). If the fields differ, `OrderTrial.check` says which messages matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.codegen.constants import MOST_RANDOM_WORK, Order
from gascl.delivery.run_layout import VERTEX, Key
from gascl.errors import ProgramError
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.language.types import VERTEX as VERTEX_TYPE
from gascl.language.types import Struct
from gascl.results.result import Result
from gascl.run.state import State

#: How many times as much work as in supersteps a random schedule may take before it counts as one
#: that does not end.
_PATIENCE = 50
#: What the two messages show, after "two messages to 'b' show it: 3 from 'a' and 5 from 'c'".
_SHOWN = {
    Order.EXCHANGED: "one after the other, in either order, they lead to different fields",
    Order.TOGETHER: "combined, they lead to other fields than one after the other",
    Order.UNTOLD: "the second one changes what the vertex sends, but apply does not call "
    "set_mask(), so that it matters whether the vertex has scattered before it",
}
#: What it means that there are none.
_NO_MESSAGES = (
    "the messages to each vertex lead to the same fields in any order, so that what scatter sends "
    "must depend on when it reads other vertices"
)


def most_launches(result: Result) -> int:
    """The most launches of a random schedule, by the supersteps that the run has had."""
    size = result.graph.num_vertices + 2 * result.graph.num_arcs
    return 10 + math.ceil(_PATIENCE * (1 + result.supersteps) * size / MOST_RANDOM_WORK)


@dataclass(frozen=True)
class OrderTrial:
    """The end of a random schedule.

    Attributes:
        seed: that of the engine, which decides the schedule.
        fields: the final vertex fields.
        found: (V, lanes), for each vertex which of `Order` was found there, or 0.
        messages, senders: of the first and the second message to each vertex and lane: the
            messages as the device stores them, and the senders, -1 if one is not known.
        ended: whether it has ended.
    """

    seed: int
    fields: Mapping[str, np.ndarray]
    found: np.ndarray
    messages: tuple[np.ndarray, np.ndarray]
    senders: tuple[np.ndarray, np.ndarray]
    ended: bool

    @classmethod
    def of(cls, state: State, delivery: str, seed: int, ended: bool) -> OrderTrial:
        """Read what a run by delivery `random` has left on the device."""
        shape = state.graph.num_vertices, state.lanes
        type_ = state.header.message

        def read(name: str, values: np.ndarray) -> np.ndarray:
            return state.read(Key(delivery, name), values)

        def messages(name: str) -> np.ndarray:
            values = read(name, np.empty((*shape, type_.stored), type_.scalar))
            return values[..., : type_.width] if type_.width > 1 else values[..., 0]

        def senders(name: str) -> np.ndarray:
            return read(name, np.empty(shape, np.uint32)).astype(np.int64) - 2

        return cls(
            seed,
            {name: state.field(name, VERTEX) for name in state.names(VERTEX)},
            read("found", np.empty(shape, np.uint8)),
            (messages("first_messages"), messages("second_messages")),
            (senders("first_senders"), senders("second_senders")),
            ended,
        )

    def check(self, program: VertexProgram, result: Result) -> None:
        """Compare with the result of the run in supersteps.

        Raises:
            ProgramError: they differ.
        """
        place = program.spec.source.place("order")
        schedule = f"the random schedule of seed={self.seed}"
        if not self.ended:
            raise ProgramError(
                program.title(),
                f": order = 'any' does not hold: in supersteps the run ends after "
                f"{result.supersteps}, and by {schedule} it does not end",
                place=place,
            )
        unequal = {name: _unequal(result.fields[name], self.fields[name]) for name in self.fields}
        differs = np.logical_or.reduce([*unequal.values()])
        if not differs.any():
            return
        graph, shown = result.graph, np.logical_or.reduce(self.found, axis=1)
        both = differs & shown
        vertex = int(np.flatnonzero(both if both.any() else differs)[0])
        name = next(name for name, each in unequal.items() if each[vertex])
        declared = program.spec.vertex_fields[name].type
        one, other = (
            _in_words(graph, declared, fields[name][vertex]) for fields in (result, self.fields)
        )
        receivers = [vertex] if shown[vertex] else np.flatnonzero(shown)[:1].tolist()
        raise ProgramError(
            program.title(),
            f": order = 'any' does not hold: field {name!r} of vertex {graph.label_of(vertex)!r} "
            f"is {one} in supersteps, and {other} by {schedule}; ",
            *(self._cause(program, graph, receiver) for receiver in receivers),
            *([] if receivers else [_NO_MESSAGES]),
            place=place,
        )

    def _cause(self, program: VertexProgram, graph: Graph, receiver: int) -> str:
        """The messages to a vertex whose order matters."""
        lane = int(np.flatnonzero(self.found[receiver])[0])
        told, label = [], graph.label_of(receiver)
        for messages, senders in zip(self.messages, self.senders, strict=True):
            sender = int(senders[receiver, lane])
            text = _in_words(graph, program.spec.message, messages[receiver, lane])
            told.append(text + (f" from {graph.label_of(sender)!r}" if sender >= 0 else ""))
        kind = Order(int(self.found[receiver, lane]))
        if kind == Order.TWICE:
            return f"a message to {label!r} shows it, {told[0]}: if it comes twice, fields change"
        return f"two messages to {label!r} show it, {told[0]} and {told[1]}: {_SHOWN[kind]}"


def _unequal(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """bool (V,): where two fields differ; NaN equals NaN."""
    if one.dtype.names:
        members = [_unequal(one[name], other[name]) for name in one.dtype.names]
        return np.logical_or.reduce(members)
    differs = (one != other) & ((one == one) | (other == other))
    return np.logical_or.reduce(differs, axis=tuple(range(1, differs.ndim)))


def _in_words(graph: Graph, declared: Any, value: Any) -> str:
    """A value as users write it, with the labels of vertices."""
    if isinstance(declared, Struct):
        members = [f"{n}: {_in_words(graph, kind, value[n])}" for n, kind in declared.members]
        return f"{{{', '.join(members)}}}"
    if declared == VERTEX_TYPE and np.ndim(value) == 0:
        return repr(graph.label_of(int(value))) if value >= 0 else "no vertex"
    return str(value.tolist())
