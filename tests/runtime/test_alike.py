"""Vertex fields that have one value at every vertex, which the device stores once."""

from __future__ import annotations

import numpy as np
import pytest
from support.samples import random_graph

from gascl import Engine, Graph, VertexProgram, param, vertex
from gascl.delivery.runspec import VERTEX, Key
from gascl.programs import PageRank, WeightedPageRank

pytestmark = pytest.mark.usefixtures("poisoned")
GRAPH = random_graph(3, directed=True, edges=200)
COUNT = GRAPH.num_vertices
#: By their declarations below, with k = 3.
VALUES = {"flat": 3 / COUNT, "twice": 6 / COUNT, "plain": 7, "sum": 9 / COUNT + 7}


class Constant(VertexProgram):
    """`sum` adds up three fields that nothing writes; `second` reads one of vertex 0."""

    k = param.real(3)
    flat = vertex.real(init="p.k / g.num_vertices")
    twice = vertex.real(init="2 * v.flat")
    pair = vertex.real2(init="(real2)(1, 2)")
    plain = vertex.int32(init=7)
    own = vertex.int32(init="v.id")
    sum = vertex.real()
    second = vertex.real()
    number = vertex.int32(init="lane")
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    supersteps = param.supersteps(2)
    scatter = "send(v.flat);"
    apply = "v.sum = v.flat + v.twice + v.plain; v.second = twice_of(0) + v.pair.y + msg;"


class Writes(VertexProgram):
    """Adds its id to a field that Constant only reads."""

    flat = vertex.real()
    plain = vertex.int32()
    supersteps = param.supersteps(1)
    scatter_on = apply_on = "all"
    apply = "v.flat += v.id;"


def stored(result) -> dict[str, int]:
    """The values that the kept State has of each field."""
    state = result.state
    types = {key.name: state.types[key].itemsize for key in state.types if key.owner == VERTEX}
    return {n: state.sizes[Key(VERTEX, n)] // types[n] for n in state.names()}


def test_which_fields_are_alike():
    spec = Constant.spec
    assert spec.alike() == ("flat", "twice", "pair", "plain", "number")
    assert spec.alike(["flat"]) == ("pair", "plain", "number")  # twice follows from it
    assert spec.alike(["twice"]) == ("flat", "pair", "plain", "number")
    assert PageRank.spec.alike() == ("personalization", "landing")
    assert PageRank.spec.alike(["landing"]) == ("personalization",)
    assert WeightedPageRank.spec.alike(["strength"]) == ("personalization", "landing")
    assert Writes.spec.alike() == ("plain",)


@pytest.mark.parametrize("delivery", ["pull", "slots", "serial"])
@pytest.mark.parametrize("debug", [False, True])
def test_every_vertex_has_the_value(delivery, debug):
    result = Engine(GRAPH, debug=debug).run(Constant(), delivery=delivery, keep_state=True)
    for name, value in VALUES.items():
        assert result[name].shape == (COUNT,) and result[name].flags.writeable
        assert result[name] == pytest.approx(np.full(COUNT, value))
    assert result.pair.tolist() == [[1, 2]] * COUNT
    received = GRAPH.in_degree * VALUES["flat"]
    assert result.second == pytest.approx(VALUES["twice"] + 2 + received)
    assert stored(result) == dict.fromkeys(("flat", "twice", "pair", "plain", "number"), 1) | (
        dict.fromkeys(("own", "sum", "second"), COUNT)
    )


def test_each_lane_has_its_own():
    result = Engine(GRAPH).run(Constant(k=[1, 2, 5]))
    assert result.flat == pytest.approx(np.tile(np.array([1, 2, 5]) / COUNT, (COUNT, 1)))
    assert result.number.tolist() == [[0, 1, 2]] * COUNT
    assert result.sum == pytest.approx(np.tile(3 * np.array([1, 2, 5]) / COUNT + 7, (COUNT, 1)))


def test_values_that_are_given_count():
    flat = np.arange(COUNT, dtype=np.float32)
    result = Engine(GRAPH).run(Constant(flat=flat), keep_state=True)
    assert result.flat.tolist() == flat.tolist() and result.twice.tolist() == (2 * flat).tolist()
    assert result.sum.tolist() == (3 * flat + 7).tolist()
    assert stored(result)["flat"] == stored(result)["twice"] == COUNT
    again = Engine(GRAPH).run(Constant(), state=result.state)  # as the State has it
    assert again.sum.tolist() == (3 * flat + 7).tolist()


def test_a_kept_value_is_that_of_the_earlier_run():
    runner = Engine(GRAPH)
    first = runner.run(Constant(), keep_state=True)
    second = runner.run(Constant(k=5), state=first.state, keep_state=True)
    assert second.flat == pytest.approx(np.full(COUNT, VALUES["flat"]))
    assert stored(second)["flat"] == 1
    flat = np.arange(COUNT, dtype=np.float32)
    third = runner.run(Constant(flat=flat), state=second.state)
    assert third.twice == pytest.approx(np.full(COUNT, VALUES["twice"]))
    assert third.sum == pytest.approx(flat + VALUES["twice"] + 7)


def test_another_program_may_write_it():
    runner = Engine(GRAPH)
    kept = runner.run(Constant(), keep_state=True)
    other = runner.run(Writes(), state=kept.state, keep_state=True)
    expected = VALUES["flat"] + np.arange(COUNT)
    assert other.flat == pytest.approx(expected) and other.plain.tolist() == [7] * COUNT
    assert stored(other) == dict.fromkeys(("twice", "pair", "plain", "number"), 1) | (
        dict.fromkeys(("flat", "own", "sum", "second"), COUNT)
    )
    back = runner.run(Constant(), state=other.state)
    assert back.sum == pytest.approx(expected + VALUES["twice"] + 7)


def test_other_numbers_of_the_vertices(renumbered):
    graph = random_graph(4, directed=True, edges=200)
    count, runner = graph.num_vertices, Engine(graph)
    first = runner.run(PageRank(supersteps=3), keep_state=True)
    assert first.personalization == pytest.approx(np.full(count, 1 / count))
    second = runner.run(PageRank(supersteps=3), state=first.state)
    assert second.rank.tolist() == Engine(graph).run(PageRank(supersteps=6)).rank.tolist()


def test_one_vertex():
    result = Engine(Graph.from_edges([0], [0])).run(Constant())
    assert result.flat.tolist() == [3] and result.sum.tolist() == [16]
