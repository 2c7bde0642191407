"""`add_to_FIELD`: apply adds to a field of any vertex, which is seen in the next superstep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.samples import skewed

from gascl import Engine, Graph, ProgramError, VertexProgram, param, vertex


class Wander(VertexProgram):
    """Everybody is in a house and goes to the emptier one of its own and the next one, by what has
    been known before."""

    supersteps = param.supersteps(4)
    house = vertex.vertex(init="v.id / 8")
    people = vertex.int64(init="v.id < (g.num_vertices + 7) / 8 ? 8 : 0")
    heard = vertex.int32()

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.house);"
    functions = "#define NEXT ((v.house + v.id % 3 + 1) % g.num_vertices)"
    apply = """
        v.heard = msg % 1000;
        if (people_of(NEXT) < people_of(v.house)) {
            add_to_people(v.house, -1);
            v.house = NEXT;
            add_to_people(v.house, 1);
        }
    """


def wandered(graph: Graph, steps: int) -> tuple[list[int], list[int]]:
    n = graph.num_vertices
    house, people = [v // 8 for v in range(n)], [8 if v < (n + 7) // 8 else 0 for v in range(n)]
    for _ in range(steps):
        before = [*people]
        for v in range(n):
            other = (house[v] + v % 3 + 1) % n
            if before[other] < before[house[v]]:
                people[house[v]] -= 1
                people[other] += 1
                house[v] = other
    return house, people


def test_sums_are_the_same_by_each_delivery(device):
    graph = skewed(1, 400, 3000)
    house, people = wandered(graph, 4)
    names = admitted(Wander(), device)
    assert {"slots", "pull", "outbox", "serial", "push", "edges"} <= set(names)
    for name in names:
        found = Engine(graph, device).run(Wander(), delivery=name)
        assert found.house.tolist() == house, name
        assert found.people.tolist() == people, name
    found = Engine(graph, device, debug=True).run(Wander())
    assert found.people.tolist() == people


def test_lanes(device):
    """Each has its own sums."""

    class Votes(VertexProgram):
        supersteps = param.supersteps(2)
        shift = param.int32()
        votes = vertex.int64()
        scatter_on = apply_on = "all"
        apply = "add_to_votes((v.id / 3 + p.shift) % g.num_vertices, v.id);"

    graph = Graph.from_edges([], [], num_vertices=50)
    found = Engine(graph, device).run(Votes(shift=[0, 7, 20])).votes
    for lane, shift in enumerate((0, 7, 20)):
        to = (np.arange(50) // 3 + shift) % 50
        expected = 2 * np.bincount(to, np.arange(50), minlength=50)
        np.testing.assert_array_equal(found[:, lane], expected)


def test_an_id_that_is_no_vertex_stops_the_run(device):
    class Lost(VertexProgram):
        supersteps = param.supersteps(1)
        votes = vertex.int64()
        scatter_on = apply_on = "all"
        apply = "add_to_votes(v.id - 1, 1);"

    with pytest.raises(ProgramError, match="vertex 0"):
        Engine(Graph.from_edges([0], [1]), device).run(Lost())


WRONG = [
    ({"votes": vertex.int32()}, "declare votes = vertex.int64()"),
    ({"apply": "add_to_vote(0, 1);"}, "did you mean add_to_votes"),
    ({"apply": "add_to_votes(1);"}, "add_to_votes takes 2 arguments, not 1"),
    ({"scatter": "add_to_votes(0, 1); send(1);"}, "can only be used in apply"),
    ({"apply": "add_to_votes(0, 1); v.votes = 3;"}, r"read votes_of(v.id)"),
    ({"scatter": "send(v.votes);"}, r"read votes_of(v.id)"),
    ({"order": "any", "combine": "min", "supersteps": None}, "remove it or order"),
]


@pytest.mark.parametrize(("wrong", "why"), WRONG)
def test_mistakes_are_refused(wrong: dict[str, Any], why: str):
    body = {
        "supersteps": param.supersteps(1),
        "votes": vertex.int64(),
        "message": "int32",
        "combine": "sum",
        "scatter": "send(1);",
        "apply": "add_to_votes(0, msg);",
        **wrong,
    }
    with pytest.raises(ProgramError) as refused:
        type("Wrong", (VertexProgram,), {k: x for k, x in body.items() if x is not None})
    assert why in str(refused.value)
