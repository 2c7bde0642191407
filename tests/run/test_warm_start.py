"""Runs that go on from a kept State after edges changed."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.reference_answers import by_heap, check_tree, iterate, smallest
from support.samples import arcs_of, grid, random_graph, skewed, weighted

from gascl import Engine, GasclError, Graph, ProgramError, VertexProgram, edge, vertex
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    LabelPropagation,
    PageRank,
    ShortestPaths,
)

pytestmark = pytest.mark.usefixtures("poisoned")


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
    # The nearest first: "f", which nothing has reached yet, waits for its turn.
    assert [step.active for step in warm.trace] == [1, 1, 1]


# What a change of the graph makes wrong is refused.


@pytest.mark.parametrize("program", [ShortestPaths(source=0), ConnectedComponents()], ids=repr)
def test_removed_edges_are_refused_by_what_only_falls(program):
    graph = grid(4, 4)
    for changes in ({"remove": [(0, 1)]}, {"remove": [(0, 1)], "add": [(0, 15)]}):
        state = kept(graph, program).state
        with pytest.raises(ProgramError, match=rf"{type(program).__name__}.*removed"):
            Engine(graph.with_edges(**changes)).run(program, state=state)


@pytest.mark.parametrize("program", [BreadthFirst(source=0), LabelPropagation()], ids=repr)
def test_any_change_is_refused_by_what_must_restart(program):
    graph = grid(4, 4)
    state = kept(graph, program).state
    with pytest.raises(ProgramError, match=type(program).__name__):
        Engine(graph.with_edges(add=[(0, 15)])).run(program, state=state)


def test_a_state_of_another_graph_is_refused():
    """PageRank goes on from any edges, but not from other vertices."""
    assert Engine(grid(2, 8)).run(PageRank(), state=kept(grid(4, 4), PageRank()).state).converged
    with pytest.raises(GasclError, match="16 vertices, but the graph has 25"):
        Engine(grid(5, 5)).run(PageRank(), state=kept(grid(4, 4), PageRank()).state)
    state = kept(grid(4, 4), ShortestPaths(source=0)).state
    with pytest.raises(GasclError, match="with_edges"):
        Engine(grid(2, 8)).run(ShortestPaths(source=0), state=state)


def test_a_change_twice_is_not_one_change():
    """The change that a graph knows is the last one; a State from before both does not fit."""
    graph = grid(4, 4)
    state = kept(graph, ConnectedComponents()).state
    twice = graph.with_edges(add=[(0, 15)]).with_edges(add=[(1, 14)])
    with pytest.raises(GasclError, match="ConnectedComponents cannot continue"):
        Engine(twice).run(ConnectedComponents(), state=state)


def reweighted(graph: Graph, weight) -> Graph:
    """The same edges with other weights, or without."""
    fields = {} if weight is None else {"weight": weight}
    options = {"num_vertices": graph.num_vertices, "directed": graph.directed}
    return Graph.from_edges(graph.edge_src, graph.edge_dst, **options, **fields)


@pytest.mark.parametrize("directed", [True, False])
def test_other_weights_of_the_edges_that_stay_are_refused(directed):
    """A graph that with_edges made knows what it added, not what was there before."""
    roads = weighted(random_graph(1, directed=directed, edges=140), seed=1)
    longer = reweighted(roads, roads.edge_fields["weight"] + 1)
    add = {"add": new_edges(roads, 0), "weight": np.full(6, 0.1)}
    program = ShortestPaths(source=0)
    for other in (longer, longer.with_edges(**add), reweighted(roads, None)):
        state = kept(roads, program).state
        with pytest.raises(
            ProgramError, match="the values of the edge field 'weight' have changed"
        ):
            Engine(other).run(program, state=state)
    grown = roads.with_edges(**add)  # as it was
    warm = Engine(grown).run(program, state=kept(roads, program).state)
    assert np.array_equal(warm.distance, Engine(grown).run(program).distance)


def test_weights_are_compared_as_the_program_reads_them():
    """In another dtype, or by the default: what is read is the same."""
    graph = grid(4, 4)
    ones = np.ones(graph.num_edges)
    kinds = (None, ones, ones.astype(np.float32), ones.astype(np.uint8), ones + 1e-12)
    program = ShortestPaths(source=0)
    for then in kinds:
        for now in kinds:
            state = kept(reweighted(graph, then), program).state
            more = {} if now is None else {"weight": [1]}
            longer = reweighted(graph, now).with_edges(add=[(0, 15)], **more)
            warm = Engine(longer).run(program, state=state)
            assert warm.distance.tolist() == pytest.approx(by_heap(longer, 0))
    state = kept(reweighted(graph, ones), ShortestPaths(source=0, dtype="float64")).state
    with pytest.raises(ProgramError, match="'weight' have changed"):
        Engine(reweighted(graph, kinds[-1])).run(
            ShortestPaths(source=0, dtype="float64"), state=state
        )


def test_weights_that_the_program_does_not_read_may_change():
    graph = weighted(grid(4, 4), seed=2)
    other = reweighted(graph, graph.edge_fields["weight"] * 2)
    for program in (ConnectedComponents(), BreadthFirst(source=0)):
        part = kept(graph, program, max_supersteps=2, not_converged="ignore", delivery="push")
        rest = Engine(other).run(program, state=part.state, delivery="push")
        whole = Engine(graph).run(program, delivery="push")
        assert part.supersteps + rest.supersteps == whole.supersteps
        for name in whole.fields:
            assert np.array_equal(rest[name], whole[name])


class Farthest(VertexProgram):
    """The largest sum of weights on a way from vertex 0: of no `restart` that is declared."""

    far = vertex.real(init="v.id ? -1 : 0")
    weight = edge.real()
    message, combine = "real", "max"
    mask = "v.id == 0"
    scatter = "send(v.far + e.weight);"
    apply = "if (msg > v.far) { v.far = msg; set_mask(); }"


def test_other_weights_restart():
    """The mask that is left is that of the run with the old weights: of no use."""
    graph = Graph.from_edges([0, 1, 0], [1, 2, 2], weight=[1.0, 1.0, 1.0])
    state = kept(graph, Farthest()).state
    warm = Engine(reweighted(graph, [1.0, 5.0, 7.0])).run(Farthest(), state=state)
    assert warm.far.tolist() == [0, 1, 7]
    assert warm.trace[0].superstep == 0


@pytest.mark.parametrize("start", [None, "changed"])
def test_what_changed_besides_the_change_is_not_passed_over(start):
    """Who scatters first are the ends of the edges that the change knows, which are not all."""
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], weight=[1.0, 1.0, 1.0, 1.0])
    other = reweighted(graph, [1.0, 9.0, 1.0, 1.0])
    edited = (
        other.with_edges(add=[(3, 4)], weight=[2.0]),
        other.with_edges(remove=[(3, 4)]),
        graph.with_edges(add=[(0, 2)], weight=[2.0]).with_edges(add=[(3, 4)], weight=[2.0]),
    )
    for new in edited:
        with pytest.raises(GasclError, match="does not record everything that has changed"):
            Engine(new).run(Farthest(), state=kept(graph, Farthest()).state, start=start)
    # What the change knows is all, also where edges went.
    once = graph.with_edges(remove=[(3, 4)], add=[(0, 3), (3, 4)], weight=[8.0, 1.0])
    warm = Engine(once).run(Farthest(), state=kept(graph, Farthest()).state, start=start)
    assert warm.far.tolist() == [0, 1, 2, 8, 9]
    assert warm.trace[0].active == 3


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
