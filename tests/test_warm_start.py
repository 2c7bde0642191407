"""Runs that go on from a kept State after edges changed."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from samples import arcs_of, grid, random_graph, skewed
from test_connected_components import smallest
from test_lanes import weighted
from test_page_rank import iterate
from test_shortest_paths import by_heap, check_tree

from gascl import Engine, GasclError, Graph, ProgramError, VertexProgram
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    LabelPropagation,
    PageRank,
    ShortestPaths,
)


def kept(graph: Graph, program: VertexProgram, **options):
    return Engine(graph).run(program, keep_state=True, **options)


def new_edges(graph: Graph, seed: int, count: int = 6) -> tuple[np.ndarray, np.ndarray]:
    src, dst = np.random.default_rng(seed).integers(0, graph.num_vertices, (2, count))
    return src, dst


# Edges were added: programs whose values only fall go on to what a new run finds.


@pytest.mark.parametrize("delivery", ["auto", "slots", "push", "edges"])
@pytest.mark.parametrize("directed", [True, False])
def test_shortest_paths_after_edges_were_added(directed, delivery):
    graph = weighted(random_graph(1, directed=directed, edges=140), seed=1)
    source = int(graph.edge_src[0])
    state = kept(graph, ShortestPaths(source=source), delivery=delivery).state
    for seed in range(4):
        weight = np.random.default_rng(seed).random(6) / 4
        graph = graph.with_edges(add=new_edges(graph, seed), weight=weight)
        runner = Engine(graph)
        cold = runner.run(ShortestPaths(source=source), delivery=delivery)
        warm = runner.run(
            ShortestPaths(source=source),
            state=state,
            keep_state=True,
            delivery=delivery,
        )
        assert np.array_equal(warm.distance, cold.distance)
        assert warm.distance.tolist() == pytest.approx(by_heap(graph, source), rel=1e-6)
        check_tree(graph, source, warm.distance, warm.parent)
        assert warm.trace[0].active <= len(graph.change.vertices)
        state = warm.state


@pytest.mark.parametrize("delivery", ["auto", "slots", "edges"])
def test_components_after_edges_were_added(delivery):
    graph = random_graph(2, directed=True, vertices=200, edges=110)
    state = kept(graph, ConnectedComponents(), delivery=delivery).state
    for seed in range(4):
        graph = graph.with_edges(add=new_edges(graph, seed, 12))
        warm = Engine(graph).run(
            ConnectedComponents(), state=state, start="changed", keep_state=True, delivery=delivery
        )
        assert np.array_equal(warm.component, smallest(graph))
        assert warm.trace[0].active == len(graph.change.vertices)
        state = warm.state
    assert len(np.unique(warm.component)) < 60


def test_the_work_follows_the_change():
    graph = weighted(grid(60, 60), seed=3)
    state = kept(graph, ShortestPaths(source=0)).state
    changed = graph.with_edges(add=[(3590, 3599)], weight=[0.01])
    warm = Engine(changed).run(ShortestPaths(source=0), state=state, start="changed")
    cold = Engine(changed).run(ShortestPaths(source=0))
    assert np.array_equal(warm.distance, cold.distance)
    assert sum(step.messages for step in warm.trace) < sum(s.messages for s in cold.trace) / 20


def test_only_added_labels_start():
    """`start` may name the vertices, by their labels."""
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], num_vertices=6, labels=list("abcdef"))
    state = kept(graph, ShortestPaths(source="a")).state
    changed = graph.with_edges(add=[("b", "f"), ("f", "e")])
    warm = Engine(changed).run(ShortestPaths(source="a"), state=state, start=["b", "f"])
    assert warm.distance.tolist() == [0, 1, 2, 3, 3, 2]
    assert [step.active for step in warm.trace] == [2, 1, 1]


# What a change of the graph makes wrong is refused.


@pytest.mark.parametrize("program", [ShortestPaths(source=0), ConnectedComponents()], ids=repr)
def test_removed_edges_are_refused_by_what_only_falls(program):
    graph = grid(4, 4)
    for changes in ({"remove": [(0, 1)]}, {"remove": [(0, 1)], "add": [(0, 15)]}):
        state = kept(graph, program).state
        with pytest.raises(ProgramError, match=rf"{type(program).__name__}.*removed"):
            Engine(graph.with_edges(**changes)).run(program, state=state)


@pytest.mark.parametrize("program", [BreadthFirst(source=0), LabelPropagation()], ids=repr)
def test_any_change_is_refused_by_what_must_begin_anew(program):
    graph = grid(4, 4)
    state = kept(graph, program).state
    with pytest.raises(ProgramError, match=type(program).__name__):
        Engine(graph.with_edges(add=[(0, 15)])).run(program, state=state)


def test_a_state_of_another_graph_is_refused():
    """PageRank goes on from any edges, but not from other vertices."""
    assert Engine(grid(2, 8)).run(PageRank(), state=kept(grid(4, 4), PageRank()).state).converged
    with pytest.raises(GasclError, match="16 vertices and the graph has 25"):
        Engine(grid(5, 5)).run(PageRank(), state=kept(grid(4, 4), PageRank()).state)
    state = kept(grid(4, 4), ShortestPaths(source=0)).state
    with pytest.raises(GasclError, match="with_edges"):
        Engine(grid(2, 8)).run(ShortestPaths(source=0), state=state)


def test_a_change_twice_is_not_one_change():
    """The change that a graph knows is the last one; a State from before both does not fit."""
    graph = grid(4, 4)
    state = kept(graph, ConnectedComponents()).state
    twice = graph.with_edges(add=[(0, 15)]).with_edges(add=[(1, 14)])
    with pytest.raises(GasclError, match="ConnectedComponents can't go on"):
        Engine(twice).run(ConnectedComponents(), state=state)


def test_starts_that_are_none():
    runner = Engine(grid(3, 3))
    for start, said in (("twice", "mask"), ([99], "99"), ("changed", "with_edges")):
        state = runner.run(ShortestPaths(source=0), keep_state=True).state
        with pytest.raises(GasclError, match=said):
            runner.run(ShortestPaths(source=0), state=state, start=start)


# PageRank goes on after any change, and gets there sooner.


def drawn(directed: bool) -> Graph:
    return skewed(8, 300, 1500, directed=directed)


def changed(graph: Graph) -> Graph:
    """Some vertices that no arc left get one, and others lose theirs."""
    degree = graph.out_degree
    dangling, poor, rich = (
        np.flatnonzero(degree == 0),
        np.flatnonzero(degree == 1),
        np.argmax(degree),
    )
    remove = [(u, v) for u, v in arcs_of(graph) if u in poor[:3]]
    return graph.with_edges(add=(dangling[:4], np.full(4, rich)), remove=remove)


@pytest.mark.parametrize("directed", [True, False])
def test_page_rank_after_a_change(directed):
    graph = drawn(directed)
    new = changed(graph)
    assert {*np.flatnonzero(graph.out_degree == 0)} ^ {*np.flatnonzero(new.out_degree == 0)}
    state = kept(graph, PageRank(dtype="float64", tolerance=1e-12)).state
    program = PageRank(dtype="float64", tolerance=1e-9)
    cold = Engine(new).run(program)
    warm = Engine(new).run(program, state=state)
    assert warm.converged and len(warm.trace) < len(cold.trace)
    expected = iterate(new)
    assert np.abs(warm.rank - expected).sum() < 1e-8
    assert warm.rank.sum() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("supersteps", [1, 2, 5])
def test_page_rank_does_not_count_on_what_was_lost_before(supersteps):
    """From the first superstep on, what is spread is the rank of the new graph's dangling."""
    graph = drawn(True)
    new = changed(graph)
    before = kept(graph, PageRank(dtype="float64", supersteps=30))
    rank = before.rank.copy()
    program = PageRank(dtype="float64", supersteps=supersteps)
    warm = Engine(new).run(program, state=before.state)
    src, dst, degree = new.edge_src, new.edge_dst, new.out_degree
    for _ in range(supersteps):
        lost = rank[degree == 0].sum() / 300
        rank = 0.85 * (np.bincount(dst, rank[src] / degree[src], minlength=300) + lost) + 0.15 / 300
    assert warm.rank == pytest.approx(rank, rel=1e-13)
    assert warm.rank.sum() == pytest.approx(1, abs=1e-14)


# The change itself.


def test_with_edges_against_networkx():
    graph = random_graph(6, directed=True)
    made = graph.with_edges(
        add=[(0, 5), (0, 5)], remove=[(int(graph.edge_src[0]), int(graph.edge_dst[0]))]
    )
    expected = nx.MultiDiGraph(list(arcs_of(graph)))
    u, v = int(graph.edge_src[0]), int(graph.edge_dst[0])
    while expected.has_edge(u, v):
        expected.remove_edge(u, v)
    expected.add_edges_from([(0, 5), (0, 5)])
    assert sorted(expected.edges()) == sorted(arcs_of(made))
    assert set(made.change.vertices.tolist()) == {0, 5, u, v}
    assert made.change.added == 2
