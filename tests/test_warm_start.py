"""Runs that go on from a kept State: after edges changed, after a stop, and from one to another."""

from __future__ import annotations

import signal

import networkx as nx
import numpy as np
import pytest
from samples import arcs_of, grid, random_graph, skewed
from test_connected_components import smallest
from test_lanes import weighted
from test_page_rank import iterate
from test_shortest_paths import by_heap, check_tree

from gascl import (
    Engine,
    GasclError,
    Graph,
    Interrupted,
    ProgramError,
    VertexProgram,
    aggregate,
    arc,
    param,
    vertex,
)
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


# Going on where a run stopped is as if it had not.


class Posts(VertexProgram):
    """Messages are under way between supersteps: each vertex writes ahead to another."""

    supersteps = param.supersteps(9)
    token = vertex.int32(init="v.id + 1")
    total = aggregate.int64("sum")
    seen = vertex.int64()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.token % 5 + superstep);"
    apply = """
        v.token = (v.token * 3 + msg) % 1009;
        v.seen += prev.total + (has_msg ? 1 : 0);
        aggregate_total(v.token);
        send_to((v.id * 7 + superstep) % g.num_vertices, v.token % 11);
    """


class Waves(VertexProgram):
    """State on arcs, and a mask that depends on the superstep."""

    supersteps = param.supersteps(9)
    level = vertex.int32(init="v.id")
    passed = arc.int32()
    message, combine = "int32", "max"
    mask = "v.id % 3 == 0"
    scatter = """
        e.passed += 1 + superstep;
        send((v.level + e.passed) % 1009);
    """
    apply = """
        v.level = max(v.level, msg);
        if ((v.id + superstep) % 2 == 0)
            set_mask();
    """


#: What makes a program of so many supersteps, of them all how many (None: its rule says), and
#: the deliveries that take it.
CONTINUED = {
    "PageRank": (lambda n: PageRank(tolerance=1e-5), None, "slots auto serial"),
    "PageRank twelve times": (lambda n: PageRank(supersteps=n), 12, "pull outbox"),
    "ShortestPaths": (
        lambda n: ShortestPaths(source=0), None, "slots push edges auto"
    ),
    "BreadthFirst": (lambda n: BreadthFirst(source=0), None, "outbox push auto"),
    "lanes": (lambda n: BreadthFirst(source=[0, 5, 9]), None, "slots edges"),
    "ConnectedComponents": (lambda n: ConnectedComponents(), None, "slots push"),
    "LabelPropagation": (lambda n: LabelPropagation(supersteps=n), 6, "slots"),
    "Posts": (lambda n: Posts(supersteps=n), 9, "slots push edges serial"),
    "Waves": (lambda n: Waves(supersteps=n), 9, "slots push serial"),
}  # fmt: skip


EACH = [(name, d) for name, (_, _, taken) in CONTINUED.items() for d in taken.split()]


@pytest.mark.parametrize(("name", "delivery"), EACH)
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_a_run_in_parts_equals_a_whole_one(name, delivery):
    make, total, _ = CONTINUED[name]
    graph = weighted(random_graph(3, directed=True, edges=200), seed=7)
    runner = Engine(graph)
    whole = runner.run(make(total), delivery=delivery)
    for cuts in ([1], [2, 1], [0, 3]):
        assert whole.supersteps > sum(cuts)
        state, trace = None, []
        for count in [*cuts, None]:
            left = total and (total - sum(cuts) if count is None else count)
            part = runner.run(
                make(left), delivery=delivery, max_supersteps=count, keep_state=True, state=state
            )
            trace += part.trace
            state = part.state
        seen = [(s.active, s.messages, s.aggregates) for s in trace]
        assert seen == [(s.active, s.messages, s.aggregates) for s in whole.trace], cuts
        for field in whole.fields:
            assert part[field].tobytes() == whole[field].tobytes(), (cuts, field)
        for field in whole.arc_fields:
            assert part.arc_fields[field].tobytes() == whole.arc_fields[field].tobytes()
        assert part.converged


@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_the_trace_counts_on():
    runner = Engine(grid(5, 5))
    first = runner.run(PageRank(), max_supersteps=3, keep_state=True)
    rest = runner.run(PageRank(), state=first.state)
    assert rest.trace[0].superstep == 3


@pytest.mark.parametrize("delivery", ["slots", "auto"])
def test_an_interrupted_run_goes_on(delivery):
    graph = weighted(grid(20, 20), seed=1)
    runner = Engine(graph)

    def stop(step):
        if step.superstep == 4:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted) as raised:
        runner.run(ShortestPaths(source=0), callback=stop, keep_state=True, delivery=delivery)
    before = raised.value.result
    rest = runner.run(ShortestPaths(source=0), state=before.state, start="mask", delivery=delivery)
    whole = runner.run(ShortestPaths(source=0), delivery=delivery)
    assert np.array_equal(rest.distance, whole.distance)
    assert np.array_equal(rest.parent, whole.parent)
    assert before.supersteps > 4
    assert before.supersteps + rest.supersteps == whole.supersteps


# Programs take turns on one State.


class Adds(VertexProgram):
    """A vertex takes on what its neighbours have."""

    supersteps = param.supersteps(1)
    x = vertex.int64(init="v.id")
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    apply = "v.x = (v.x + msg) % 10007;"


class Doubles(VertexProgram):
    """Doubles it, against the arcs; counts its turns in a field of its own."""

    supersteps = param.supersteps(1)
    turns = vertex.int32()
    first = vertex.int32(init=-1)
    x = vertex.int64(init=-1)
    message, combine = "int64", "max"
    scatter_on = apply_on = "all"
    edges = "in"
    scatter = "send(v.x);"
    apply = """
        v.x = (2 * v.x + (has_msg ? msg : 0)) % 10007;
        v.turns += 1;
        v.first = superstep;
    """


@pytest.mark.parametrize("delivery", ["auto", "slots", "push"])
def test_two_programs_take_turns(delivery):
    graph = random_graph(9, directed=True, edges=150)
    runner = Engine(graph)
    x = np.arange(graph.num_vertices)
    arcs = np.array(arcs_of(graph))
    result = runner.run(Adds(), keep_state=True, delivery=delivery)
    for turn in range(6):
        total = np.zeros_like(x)
        if turn % 2 == 0:
            np.add.at(total, arcs[:, 1], x[arcs[:, 0]])
            x = (x + total) % 10007
        else:
            np.maximum.at(total, arcs[:, 0], x[arcs[:, 1]])
            x = (2 * x + total) % 10007
        assert np.array_equal(result.x, x), turn
        program = Adds() if turn % 2 else Doubles()
        result = runner.run(program, state=result.state, keep_state=True, delivery=delivery)
    assert result.supersteps == 1
    again = runner.run(Doubles(), state=result.state, delivery=delivery)
    assert (again.turns == 4).all() and (again["first"] == 0).all()


def test_a_field_of_another_type_is_refused():
    class Reals(Adds):
        x = vertex.real(init="v.id + 0.5")
        message, combine = "real", "sum"
        apply = "v.x = v.x + msg;"

    graph = Graph.from_edges([0], [1])
    runner = Engine(graph)
    state = runner.run(Adds(), keep_state=True).state
    with pytest.raises(ProgramError, match="the State's field 'x' is long"):
        runner.run(Reals(), state=state)
    assert runner.run(Reals(x=[1, 2]), state=state).x.tolist() == [1, 3]


# A State is used up.


def test_what_was_not_read_is_gone():
    runner = Engine(grid(3, 3))
    first = runner.run(PageRank(), keep_state=True)
    ranks = first.rank.copy()
    second = runner.run(PageRank(), state=first.state, keep_state=True)
    assert np.array_equal(first.rank, ranks), "it was read before"
    with pytest.raises(GasclError, match="used up by a later run of PageRank"):
        first["personalization"]
    with pytest.raises(GasclError, match="used up by a later run of PageRank"):
        runner.run(PageRank(), state=first.state)
    assert runner.run(PageRank(), state=second.state).converged


def test_without_keep_state_there_is_none():
    result = Engine(grid(3, 3)).run(PageRank())
    assert result.state is None
    with pytest.raises(GasclError, match="keep_state=True"):
        Engine(grid(3, 3)).run(PageRank(), state=result)


def test_starts_that_are_none():
    runner = Engine(grid(3, 3))
    for start, said in (("twice", "mask"), ([99], "99"), ("changed", "with_edges")):
        state = runner.run(ShortestPaths(source=0), keep_state=True).state
        with pytest.raises(GasclError, match=said):
            runner.run(ShortestPaths(source=0), state=state, start=start)


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
