"""An arc may be left out only where nobody can tell: scatter runs on every arc of every vertex that
scatters, and `receive_if`, `first` and `enough` only drop messages."""

from __future__ import annotations

from typing import Any

import pytest
from support.admitting_deliveries import admitted, some_admitted
from support.agreement import in_parts, mask_of, part_of

from gascl import Engine, GasclError, Graph, VertexProgram, arc, vertex

CYCLE = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])


def runs(cls: Any, graph: Graph, device: Any, part: int | None = None) -> dict[str, Any]:
    """The result of each delivery that takes the program, or of a part of them, of as many
    supersteps at most."""
    engine = Engine(graph, device)
    options: dict[str, Any] = {"max_supersteps": 8, "not_converged": "ignore"}
    names = part_of([*admitted(cls(), device), "auto"], part)
    return {name: engine.run(cls(), delivery=name, keep_state=True, **options) for name in names}


class Marks(VertexProgram):
    """Only vertex 1 receives nothing; that it is put into the mask takes effect all the same."""

    a = vertex.int32()
    message, combine, edges = "int32", "sum", "both"
    mask = "v.id == 0"
    receive_if = "v.id != 1"
    scatter = "send(1); set_mask_of(e.dst);"
    apply = "v.a += msg;"


class MarksForEver(Marks):
    """After two supersteps nobody receives anything, and the mask goes round and round."""

    receive_if = "superstep < 2"


class Posts(Marks):
    """What scatter sends to vertex 0 arrives, whoever the arc leads to."""

    mask = None
    receive_if = "v.id == 0"
    scatter = "send_to(0, 1);"
    apply = "v.a += msg; set_mask();"


class Writes(VertexProgram):
    """Each vertex scatters, and counts on its arcs how often."""

    a = vertex.int32()
    times = arc.int32()
    message, combine, edges = "int32", "sum", "both"
    receive_if = "v.in_degree != 0"
    scatter = "send(1); e.times = e.times + 1;"
    apply = "v.a += msg; set_mask();"


class FirstWrites(Writes):
    """The message is what stood on the arc before."""

    combine, receive_if = "first", None
    scatter = "send(e.times); e.times = e.times + 1;"


JOINS = Graph.from_edges([0, 0, 1], [1, 2, 2])
#: Along the cycle, both ways, 0 | 1 3 | 0 2 | 1 3 | ... are in the mask.
EVERY_OTHER = [(2, 4), (2, 2), (2, 4), (2, 2), (2, 4), (2, 2), (2, 4)]
#: (program, graph, `a`, active vertices and messages of each superstep, the mask then, `times`)
CASES: dict[str, tuple[Any, ...]] = {
    "marks": (Marks, CYCLE, [8, 0, 8, 7], [(1, 1), *EVERY_OTHER], [1, 0, 1, 0], None),
    "nobody receives any more": (
        *(MarksForEver, CYCLE, [2, 1, 2, 1], [(1, 2), (2, 4), *[(2, 0)] * 6]),
        *([1, 0, 1, 0], None),
    ),
    # Two arcs of each of four vertices, then only those of vertex 0, which alone applies.
    "to anyone": (Posts, CYCLE, [22, 0, 0, 0], [(4, 8), *[(1, 2)] * 7], [1, 0, 0, 0], None),
    # Of six arcs, two lead to vertex 0, which receives nothing and stays out of the mask.
    "writes on arcs": (
        *(Writes, JOINS, [0, 9, 9], [(3, 4), *[(2, 2)] * 7], [0, 1, 1]),
        [1, 1, 8, 8, 8, 8],
    ),
    "the first, as the arc was": (
        *(FirstWrites, JOINS, [28, 28, 28], [(3, 3)] * 8, [1, 1, 1], [8] * 6),
    ),
}


@pytest.mark.parametrize(("name", "device", "part"), in_parts(CASES, turn=1), indirect=["device"])
def test_what_scatter_does_besides_sending(device, name, part):
    cls, graph, a, steps, mask, times = CASES[name]
    for delivery, result in runs(cls, graph, device, part).items():
        assert result.a.tolist() == a, delivery
        assert [(step.active, step.messages) for step in result.trace] == steps, delivery
        assert mask_of(result) == mask, delivery
        assert not result.converged
        if times is not None:
            assert result.arc_fields["times"].tolist() == times, delivery


# Faults ------------------------------------------------------------------------------------------


class Asks(VertexProgram):
    """Along the arc to vertex 1, which receives nothing, scatter names no vertex."""

    a, b = vertex.int32(), vertex.int32()
    message, combine = "int32", "sum"
    receive_if = "v.id != 1"
    scatter = "send(b_of(e.dst == 1 ? -1 : 0));"
    apply = "v.a += msg; set_mask();"


class AsksBehindTheFirst(Asks):
    """The arc from vertex 0 comes first, and that from vertex 1 names no vertex."""

    combine, receive_if = "first", None
    scatter = "send(b_of(v.id == 1 ? -1 : 0));"


class AsksWithEnough(AsksBehindTheFirst):
    combine, enough = "min", "msg <= 0"


class Overflows(VertexProgram):
    """What is sent along the arc to vertex 1 is too much, and dropped."""

    a = vertex.int32()
    message, combine = "int32", "sum"
    receive_if = "v.id != 1"
    scatter = "send(2000000000); if (e.dst == 1) send(2000000000);"
    apply = "v.a = msg;"


class OverflowsAtTheSender(Overflows):
    """The vertex that the error names is the one that sent too much."""

    receive_if = None
    scatter = "send(1000000000); if (e.dst == 1) send(2000000000);"


class Divides(VertexProgram):
    """Debug mode stops at the arc to vertex 1, though it receives nothing."""

    a = vertex.int32()
    message, combine = "int32", "min"
    receive_if = "v.id != 1"
    scatter = "send(10 / (e.dst - 1));"
    apply = "v.a = msg;"


JOINED = Graph.from_edges([0, 1], [2, 2])


FAULTS: dict[str, tuple[Any, ...]] = {
    "no vertex": (Asks, CYCLE, "vertex 0 used an id"),
    "no vertex, behind the first": (AsksBehindTheFirst, JOINED, "vertex 1 used an id"),
    "no vertex, with enough": (AsksWithEnough, JOINED, "vertex 1 used an id"),
    "overflow": (Overflows, CYCLE, "a message at vertex 0 overflowed"),
    "overflow at the sender": (OverflowsAtTheSender, CYCLE, "a message at vertex 0 overflowed"),
}


@pytest.mark.parametrize(
    ("name", "device", "part"), in_parts(FAULTS, turn=1, by=2), indirect=["device"]
)
def test_a_message_that_is_dropped_may_fail(device, name, part):
    cls, graph, says = FAULTS[name]
    names = [*admitted(cls(), device), "auto"]
    assert {"pull", "push", "frontier"} & {*names}
    for delivery in part_of(names, part):
        with pytest.raises(GasclError, match=says):
            Engine(graph, device).run(cls(), delivery=delivery)


def test_debug_mode_looks_at_arcs_whose_messages_are_dropped(device):
    for name in [*some_admitted(Divides(), device), "auto"]:
        with pytest.raises(GasclError, match="vertex 0 divided by zero"):
            Engine(CYCLE, device, debug=True).run(Divides(), delivery=name)


class AsksInLanes(VertexProgram):
    """A vertex without arcs does not scatter: vertex 3 would name no vertex."""

    a, b = vertex.int32(), vertex.int32()
    lanes = 2
    message, combine = "int32", "first"
    scatter = "send(b_of(v.id == 3 ? -1 : 0));"
    apply = "v.a = 1;"


def test_lanes_of_a_vertex_without_arcs(device):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], num_vertices=4)
    for name, result in runs(AsksInLanes, graph, device).items():
        assert result.a.tolist() == [[1, 1], [1, 1], [1, 1], [0, 0]], name
