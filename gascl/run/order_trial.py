"""`OrderTrial`: what a random schedule of a program with order = "any" has found.

Engine runs such a program in supersteps and, in debug mode, once more by delivery `random`
(codegen/kernels/random.cl). If the fields differ, `OrderTrial.check` says which messages matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
from gascl.run.times import shown_fields, times_of

#: How many times as much work as in supersteps a random schedule may take before it counts as one
#: that does not end.
_PATIENCE = 50
#: What two messages show, after "two messages to 'b' show it, 3 from 'a' and 5 from 'c': "; or the
#: second one alone, if it is in `_BY_ONE`, after "a message to 'b' shows it, 5 from 'c': ".
_SHOWN = {
    Order.TWICE: "if it comes twice, fields change",
    Order.EXCHANGED: "one after the other, in either order, they lead to different fields",
    Order.TOGETHER: "combined, they lead to other fields than one after the other",
    Order.UNTOLD: "it changes what the vertex sends, but apply does not call set_mask(), so that "
    "it matters whether the vertex has scattered before it",
}
_BY_ONE = (Order.TWICE, Order.UNTOLD)
#: The cause if there are none.
_NO_MESSAGES = (
    "at no vertex does the order of its messages matter by itself: it must matter whether a "
    "vertex scatters before or after a message to it, or when scatter reads other vertices; by "
    "this schedule, the last message that changed {label!r} was {last}"
)
#: The same where all vertices apply.
_IN_PLACE = "vertices that apply in another order, or more often, see other values of each other"
#: What to do about each of them.
_REMEDIES: dict[Order | str, str] = {
    Order.TWICE: "let apply keep a minimum, a maximum or a set of bits instead of adding",
    Order.EXCHANGED: "let apply take a message only if it is better than the present value, and "
    "of equally good ones that from the smallest sender",
    Order.TOGETHER: "let apply compute its fields from the best message alone",
    Order.UNTOLD: "call set_mask() wherever a field changes that scatter reads",
    _NO_MESSAGES: "let fields change in one direction only, and let scatter send nothing that "
    "becomes worse meanwhile",
    _IN_PLACE: "let fields change in one direction only, toward a fixed point, and call "
    "set_mask() until it is reached",
}


def most_launches(result: Result) -> int:
    """The most launches of a random schedule, by the supersteps that the run has had. A launch has
    as much work as it may, or ends a pass over all vertices."""
    size = result.graph.num_vertices + 2 * result.graph.num_arcs
    work = _PATIENCE * (1 + result.supersteps) * size
    return 100 + 2 * result.supersteps + math.ceil(work / MOST_RANDOM_WORK)


def check_form(
    program: VertexProgram, other: VertexProgram, result: Result, of_other: Result
) -> None:
    """Compare the runs of a program and of what its `in_any_order` returned, both in supersteps.

    Raises:
        ProgramError: their fields differ.
    """
    differs = _first_difference(result.fields, of_other.fields)
    if differs is None:
        return
    name, vertex = differs
    declared = program.spec.vertex_fields[name].type
    one, two = (
        _in_words(result.graph, declared, each.fields[name][vertex]) for each in (result, of_other)
    )
    raise ProgramError(
        f"{type(program).__name__}.in_any_order returned a program with other final fields: field "
        f"{name!r} of vertex {result.graph.label_of(vertex)!r} is {one} by "
        f"{type(program).__name__}, and {two} by {type(other).__name__}, both in supersteps: let "
        "both compute the same, or return None",
        place=other.spec.source.place(),
    )


@dataclass(frozen=True)
class OrderTrial:
    """The end of a random schedule.

    Attributes:
        seed: that of the engine, which decides the schedule.
        fields: the final vertex fields.
        found: (V, lanes), for each vertex which of `Order` was found there, or 0.
        messages, senders: to each vertex and lane, of the first and the second message found there,
            and of the last one that changed it: the messages as the device stores them, and the
            senders, -1 if one is not known, and -2 if there is none.
        ended: whether it has ended.
    """

    seed: int
    fields: Mapping[str, np.ndarray]
    found: np.ndarray
    messages: Sequence[np.ndarray]
    senders: Sequence[np.ndarray]
    ended: bool

    @classmethod
    def of(cls, state: State, delivery: str, seed: int, ended: bool) -> OrderTrial:
        """Read the results of a run by delivery `random` from the device."""
        shape = state.graph.num_vertices, state.lanes
        type_ = state.header.message

        def read(name: str, values: np.ndarray) -> np.ndarray:
            return state.read(Key(delivery, name), values)

        def messages(name: str) -> np.ndarray:
            values = read(name, np.empty((*shape, type_.stored), type_.scalar))
            return values[..., : type_.width] if type_.width > 1 else values[..., 0]

        def senders(name: str) -> np.ndarray:
            return read(name, np.empty(shape, np.uint32)).astype(np.int64) - 2

        fields = {name: state.field(name, VERTEX) for name in state.names(VERTEX)}
        spec = state.program.spec
        return cls(
            seed,
            shown_fields(fields, spec.types, times_of(spec, state.graph)),
            read("found", np.empty(shape, np.uint8)),
            [messages(f"{which}_messages") for which in ("first", "second", "last")],
            [senders(f"{which}_senders") for which in ("first", "second", "last")],
            ended,
        )

    def check(self, program: VertexProgram, result: Result, is_form: bool) -> None:
        """Compare with the result of the run in supersteps.

        Args:
            is_form: the program is what the `in_any_order` of another one has returned.

        Raises:
            ProgramError: they differ.
        """
        place = program.spec.source.place("order")
        schedule = f"the random schedule of seed={self.seed}"
        remove = "or return None from in_any_order" if is_form else "or remove order = 'any'"
        if not self.ended:
            raise ProgramError(
                program.title(),
                f": order = 'any' does not hold: in supersteps the run ends after "
                f"{result.supersteps}, and by {schedule} it does not end; call set_mask() only "
                f"where a field has changed, {remove}",
                place=place,
            )
        shown = np.logical_or.reduce(self.found, axis=1)
        differs = _first_difference(result.fields, self.fields, shown)
        if differs is None:
            return
        name, vertex = differs
        graph = result.graph
        declared = program.spec.vertex_fields[name].type
        one, other = (
            _in_words(graph, declared, fields[name][vertex]) for fields in (result, self.fields)
        )
        receivers = [vertex] if shown[vertex] else np.flatnonzero(shown)[:1].tolist()
        told = [self._cause(program, graph, receiver) for receiver in receivers]
        cause, remedy = (told or [self._last(program, graph, vertex)])[0]
        raise ProgramError(
            program.title(),
            f": order = 'any' does not hold: field {name!r} of vertex {graph.label_of(vertex)!r} "
            f"is {one} in supersteps, and {other} by {schedule}; {cause}; {remedy}, {remove}",
            place=place,
        )

    def _cause(self, program: VertexProgram, graph: Graph, receiver: int) -> tuple[str, str]:
        """The messages to a vertex whose order matters, and what to do about it."""
        lane = int(np.flatnonzero(self.found[receiver])[0])
        told = [self._told(program, graph, number, receiver, lane) for number in (0, 1)]
        label = graph.label_of(receiver)
        kind = Order(int(self.found[receiver, lane]))
        one = f"a message to {label!r} shows it, {told[1]}"
        two = f"two messages to {label!r} show it, {told[0]} and {told[1]}"
        return f"{one if kind in _BY_ONE else two}: {_SHOWN[kind]}", _REMEDIES[kind]

    def _last(self, program: VertexProgram, graph: Graph, vertex: int) -> tuple[str, str]:
        """The same where nothing shows which messages matter: the last one to a vertex."""
        if program.spec.apply_on == "all":
            return _IN_PLACE, _REMEDIES[_IN_PLACE]
        lanes = np.flatnonzero(self.senders[2][vertex] > -2)
        last = [self._told(program, graph, 2, vertex, int(lane)) for lane in lanes[:1]]
        told = _NO_MESSAGES.format(label=graph.label_of(vertex), last=(last or ["none"])[0])
        return told, _REMEDIES[_NO_MESSAGES]

    def _told(
        self, program: VertexProgram, graph: Graph, number: int, receiver: int, lane: int
    ) -> str:
        """One of the messages to a vertex in words."""
        sender = int(self.senders[number][receiver, lane])
        text = _in_words(graph, program.spec.message, self.messages[number][receiver, lane])
        return text + (f" from {graph.label_of(sender)!r}" if sender >= 0 else "")


def _first_difference(
    one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray], rather: Any = False
) -> tuple[str, int] | None:
    """A field and the first vertex at which it differs, one of those `rather` (bool, (V,)) if it
    differs at any of them; None: it is the same everywhere."""
    unequal = {name: _unequal(one[name], other[name]) for name in other}
    differs = np.logical_or.reduce([*unequal.values()])
    if not differs.any():
        return None
    wanted = differs & rather
    vertex = int(np.flatnonzero(wanted if wanted.any() else differs)[0])
    return next(name for name, each in unequal.items() if each[vertex]), vertex


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
