"""Programs that read an edge field under another name: `ShortestPaths(weight="minutes")`.

By way of vertex 1 it is 2 minutes and 4 kilometers to vertex 2, otherwise 5 and 1.
"""

from __future__ import annotations

import signal

import numpy as np
import pytest

import gascl.programs
from gascl import (
    Engine,
    Graph,
    GraphError,
    Interrupted,
    NotConvergedError,
    ProgramError,
    VertexProgram,
    edge,
    param,
    vertex,
)
from gascl.programs import BellmanFord, Hits, ShortestPaths, SpanningForest, WeightedPageRank


def roads(**options) -> Graph:
    return Graph.from_edges([0, 1, 0], [1, 2, 2], minutes=[1.0, 1, 5], km=[2, 2, 1], **options)


@pytest.mark.parametrize("program", [ShortestPaths, BellmanFord])
def test_each_field_is_a_weight(program):
    engine = Engine(roads())
    for name, expected in (("minutes", [0, 1, 2]), ("km", [0, 2, 1])):
        result = engine.run(program(source=0, weight=name))
        assert result.distance.tolist() == expected
        assert result.graph is engine.graph
    assert repr(ShortestPaths(source=0, weight="km")).endswith("weight='km', dtype='float32')")


def test_other_fields_keep_their_names():
    forest = Engine(roads()).run(SpanningForest(weight="minutes"))
    assert forest.to_pandas(arcs=True).member.tolist() == [1, 0, 1]
    maximum = Engine(roads()).run(SpanningForest(weight="minutes", maximum=True))
    assert maximum.to_pandas(arcs=True).member.sum() == 2


def test_the_device_has_the_edges_once():
    engine = Engine(roads())
    engine.run(ShortestPaths(source=0, weight="minutes"), delivery="pull")
    engine.run(ShortestPaths(source=0, weight="km"), delivery="pull")
    one, other = (next(iter(view._resident.values())) for view in engine._views.values())
    held = [{id(buffer) for buffer in each.held()} for each in (one, other)]
    assert len(held[0] & held[1]) >= 2, "offsets and sources"
    assert len(held[0] - held[1]) == len(held[1] - held[0]) >= 1, "weights"


def test_as_with_the_field_renamed():
    rng = np.random.default_rng(3)
    ends, cost = rng.integers(0, 40, (2, 200)), rng.random(200) + 0.1
    once = {"num_vertices": 40, "duplicates": "first"}
    graph = Graph.from_edges(*ends, cost=cost, other=cost * 2, **once)
    renamed = Graph.from_edges(*ends, weight=cost, **once)
    networkx = pytest.importorskip("networkx")
    rank = Engine(graph).run(WeightedPageRank(weight="cost", dtype="float64", tolerance=1e-12)).rank
    expected = networkx.pagerank(renamed.to_networkx(), tol=1e-14, max_iter=500)
    assert rank == pytest.approx([expected[v] for v in range(40)], rel=1e-9)


def test_runs_that_continue():
    graph = roads()
    first = Engine(graph).run(ShortestPaths(source=0, weight="minutes"), keep_state=True)
    more = graph.with_edges(add=[(0, 2)], minutes=[1.5], km=[9])
    second = Engine(more).run(ShortestPaths(source=0, weight="minutes"), state=first.state)
    assert second.distance.tolist() == [0, 1, 1.5]
    third = Engine(graph).run(ShortestPaths(source=0, weight="minutes"), keep_state=True)
    with pytest.raises(ProgramError, match="the values of the edge field 'weight' have changed"):
        Engine(graph).run(ShortestPaths(source=0, weight="km"), state=third.state)


def test_names_that_are_refused():
    engine = Engine(roads())
    with pytest.raises(
        GraphError, match=r"\(weight='hours'\).* no edge field 'hours'; it has: min"
    ):
        engine.run(ShortestPaths(source=0, weight="hours"))
    with pytest.raises(
        ProgramError,
        match=r"weight=2: expected the name of an edge field .*None .*with_edge_fields",
    ):
        ShortestPaths(source=0, weight=2)
    with pytest.raises(ProgramError, match="no parameter 'weight'"):
        Hits(weight="km")
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"source": [0], "target": [1], "minutes": [3]})
    with pytest.raises(GraphError, match=r"it has: weight \(column 'minutes' read as edge field w"):
        Engine(Graph.from_pandas(table)).run(ShortestPaths(source=0, weight="minutes"))


def test_none_is_the_default_for_every_edge(recwarn):
    weighted = Graph.from_edges([0, 1, 0], [1, 2, 2], weight=[1.0, 1, 5], km=[2, 2, 1])
    for graph in (weighted, roads()):
        engine = Engine(graph)
        result = engine.run(ShortestPaths(source=0, weight=None))
        assert result.distance.tolist() == [0, 1, 1] and result.graph is graph
        tree = engine.run(SpanningForest(weight=None, maximum=True)).arc_fields["member"]
        assert tree.tolist() == [1, 0, 1], "the first edges, as none is heavier"
    assert not recwarn.list
    assert Engine(weighted).run(ShortestPaths(source=0)).distance.tolist() == [0, 1, 2]

    class Needs(VertexProgram):
        supersteps = param.supersteps(1)
        toll = edge.real()
        x = vertex.real()
        message, combine, scatter_on = "real", "sum", "all"
        scatter, apply = "send(e.toll);", "v.x = msg;"

    with pytest.raises(ProgramError, match="toll=None: toll has no default; give the name of an"):
        Needs(toll=None)


class Endless(VertexProgram):
    weight = edge.real(default=1)
    x = vertex.real()
    ends = "stop"
    stop = "0"
    message, combine, scatter_on = "real", "sum", "all"
    scatter, apply = "send(e.weight);", "v.x += msg;"


def test_a_run_that_is_ended_has_the_graph_that_was_given():
    engine = Engine(roads())

    def press(step):
        if step.superstep == 2:
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(Interrupted) as pressed:
            engine.run(Endless(weight="km"), callback=press)
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressed.value.result.graph is engine.graph
    with pytest.raises(NotConvergedError) as raised:
        engine.run(Endless(weight="km"), max_supersteps=2, not_converged="error")
    assert raised.value.result.graph is engine.graph
    assert raised.value.result.x.tolist() == [0, 4, 6]


def test_progress_is_shown(capfd):
    Engine(roads()).run(ShortestPaths(source=0, weight="km"), progress=True)
    assert "ShortestPaths" in capfd.readouterr().err


def test_every_program_along_weights_takes_the_name():
    for name in gascl.programs.__all__:
        cls = getattr(gascl.programs, name)
        if isinstance(cls, type) and issubclass(cls, VertexProgram) and "Weighted" in name:
            assert "weight" in cls.spec.edge_fields, name
