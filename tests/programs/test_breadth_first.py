"""Breadth-first search against NetworkX, SciPy and the published example; and its parents."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra
from support.case_subsets import one_in, thinned
from support.samples import (
    arcs_of,
    graphalytics,
    graphalytics_answer,
    graphalytics_parameter,
    grid,
    random_graph,
    shared,
    skewed,
    to_networkx,
)

from gascl import Engine, Graph, ProgramError
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import BreadthFirst
from gascl.programs.breadth_first import BreadthFirstByDepth
from gascl.run import engine, long_run

DELIVERIES = ("auto", "slots", "pull", "outbox", "push", "frontier", "serial")


def depths(graph: Graph, source: int) -> list[int]:
    """By NetworkX."""
    found = nx.single_source_shortest_path_length(to_networkx(graph), source)
    return [found.get(v, -1) for v in range(graph.num_vertices)]


def first_parents(graph: Graph, depth: list[int]) -> list[int]:
    """The smallest vertex before on a shortest path, by looking at every arc."""
    before: dict[int, int] = {}
    for u, v in arcs_of(graph):
        if depth[u] >= 0 and depth[v] == depth[u] + 1:
            before[v] = min(u, before.get(v, u))
    return [before.get(v, -1) for v in range(graph.num_vertices)]


@pytest.mark.parametrize(("seed", "directed"), thinned([0, 1, 2], [True, False]))
def test_random_graphs(seed, directed):
    graph = random_graph(seed, directed=directed)
    source = int(graph.edge_src[3])
    depth = depths(graph, source)
    assert -1 in depth and max(depth) > 2
    runner = Engine(graph)
    for delivery in DELIVERIES:
        result = runner.run(BreadthFirst(source=source), delivery=delivery)
        assert result.depth.tolist() == depth, delivery
        assert result.parent.tolist() == first_parents(graph, depth), delivery
        assert result.converged
        assert (result.depth.dtype, result.parent.dtype) == (np.int32, np.int32)


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_the_trace_tells_the_levels(delivery):
    graph = skewed(3, 300, 900)
    source = int(np.argmax(graph.out_degree))
    depth = np.array(depths(graph, source))
    result = Engine(graph).run(BreadthFirst(source=source), delivery=delivery)
    sizes = [int((depth == d).sum()) for d in range(depth.max() + 1)]
    assert [step.active for step in result.trace] == sizes
    assert [step.messages for step in result.trace] == [*sizes[1:], 0]  # those reached, each by one


def test_a_path_and_nowhere_to_go():
    n = 500
    path = Engine(Graph.from_edges(np.arange(n - 1), np.arange(1, n)))
    result = path.run(BreadthFirst(source=0))
    assert result.depth.tolist() == list(range(n))
    assert result.parent.tolist() == [-1, *range(n - 1)]
    last = path.run(BreadthFirst(source=n - 1))
    assert last.depth.tolist() == [-1] * (n - 1) + [0]
    assert (last.parent == -1).all() and last.converged


def test_labels_and_a_tie():
    graph = Graph.from_edges([0, 0, 1, 2, 3, 3], [2, 1, 3, 3, 3, 0], labels=list("abcd"))
    result = Engine(graph).run(BreadthFirst(source="a"))
    assert result.depth.tolist() == [0, 1, 1, 2]
    assert result.parent.tolist() == [-1, 0, 0, 1]


@pytest.mark.parametrize("delivery", ["auto", "push", "pull"])
def test_votes_for_wikipedia(delivery):
    graph = Graph.read(shared("edgelist/wiki-Vote.txt.gz"))
    source = int(np.argmax(graph.out_degree))
    result = Engine(graph).run(BreadthFirst(source=graph.label_of(source)), delivery=delivery)
    far = dijkstra(graph.to_scipy(), indices=source, unweighted=True)
    assert np.array_equal(np.where(np.isinf(far), -1, far), result.depth)
    assert result.parent.tolist() == first_parents(graph, result.depth.tolist())


@pytest.mark.parametrize("kind", ["directed", "undirected"])
def test_graphalytics(kind):
    graph = graphalytics(kind)
    source = graphalytics_parameter(kind, "bfs.source-vertex")
    expected = graphalytics_answer(kind, "BFS")
    result = Engine(graph).run(BreadthFirst(source=source))
    far = [2**63 - 1 if depth < 0 else depth for depth in result.depth.tolist()]
    assert far == [int(x) for x in expected]


@pytest.mark.slow
def test_a_grid_of_a_million_vertices():
    result = Engine(grid(1000, 1000)).run(BreadthFirst(source=0))
    rows, columns = np.divmod(np.arange(10**6), 1000)
    assert np.array_equal(result.depth, rows + columns)
    assert result.supersteps == 1999


class Inherited(BreadthFirst):
    """As it is."""


class Guarded(BreadthFirst):
    """A vertex sends only for the searches that have just reached it."""

    scatter = "if (v.depth == superstep) send(v.id);"


@pytest.mark.parametrize("delivery", one_in(2, ["auto", "pull", "slots", "serial"]))
def test_classes_that_inherit_it_and_several_sources(delivery):
    engine = Engine(Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]))
    assert engine.run(Inherited(source=3), delivery=delivery).depth.tolist() == [3, 4, 5, 0, 1, 2]
    with pytest.raises(ProgramError, match=r"Inherited .* one source, not 2: .* Give it scatter ="):
        Inherited(source=[0, 3])
    depth = engine.run(Guarded(source=[0, 3]), delivery=delivery).depth
    assert depth.T.tolist() == [[0, 1, 2, 3, 4, 5], [3, 4, 5, 0, 1, 2]]


@pytest.mark.parametrize("delivery", ["frontier", "push"])
def test_a_list_of_one_source_is_that_source(delivery):
    engine = Engine(Graph.from_edges([0, 1, 2], [1, 2, 0]))
    result = engine.run(BreadthFirst(source=[1]), delivery=delivery)
    assert result.depth.tolist() == [2, 0, 1]


@pytest.mark.skipif(not find().can_join, reason="work-groups cannot wait for each other")
@pytest.mark.parametrize(
    "graph", [grid(90, 90), Graph.from_edges(range(300), range(1, 301))], ids=["grid", "path"]
)
def test_a_long_search_on_a_gpu_begins_again_in_any_order(graph, monkeypatch):
    monkeypatch.setattr(engine, "MANY_VERTICES", 0)
    monkeypatch.setattr(long_run, "MOST", 0)  # whatever is left
    monkeypatch.setattr(Device, "kind", "GPU")
    depth = depths(graph, 0)
    assert max(depth) > long_run.LONG_RUN
    runner = Engine(graph)
    for _ in range(5):
        result = runner.run(BreadthFirst(source=0))
        assert (result.delivery, result.converged) == ("asynchronous", True)
        assert result.depth.tolist() == depth
        assert result.parent.tolist() == first_parents(graph, depth)
    assert runner.run(BreadthFirst(source=0, hops=150)).supersteps == 150
    kept = runner.run(BreadthFirst(source=0), keep_state=True)
    assert kept.delivery == "asynchronous"
    assert runner.run(BreadthFirst(source=0), state=kept.state).depth.tolist() == depth


@pytest.mark.parametrize("seed", [0, 1])
def test_by_depth(seed):
    graph = random_graph(seed, directed=True)
    source = int(graph.edge_src[3])
    depth = depths(graph, source)
    for delivery in ("auto", "slots", "push", "serial"):
        result = Engine(graph).run(BreadthFirstByDepth(source=source), delivery=delivery)
        assert result.depth.tolist() == depth, delivery
        assert result.parent.tolist() == first_parents(graph, depth), delivery
