"""Runs that go on from a kept State of the same graph: after a stop, and from one to another."""

import signal

import networkx as nx
import numpy as np
import pytest
from support.case_subsets import one_in
from support.resumes import Posts, Waves
from support.samples import arcs_of, grid, random_graph, weighted

from gascl import (
    Engine,
    GasclError,
    Graph,
    Interrupted,
    ProgramError,
    VertexProgram,
    arc,
    param,
    vertex,
)
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    Distances,
    LabelPropagation,
    PageRank,
    ShortestPaths,
)
from gascl.run.options import MAX_SUPERSTEPS

pytestmark = pytest.mark.usefixtures("poisoned")

# Going on where a run stopped is as if it had not.


#: What makes a program of so many supersteps, of them all how many (None: its rule says), and
#: the deliveries that take it.
CONTINUED = {
    "PageRank": (lambda n: PageRank(tolerance=1e-5), None, "slots auto serial"),
    "PageRank twelve times": (lambda n: PageRank(supersteps=n), 12, "pull outbox"),
    "ShortestPaths": (
        lambda n: ShortestPaths(source=0), None, "slots push edges auto"
    ),
    "BreadthFirst": (lambda n: BreadthFirst(source=0), None, "outbox push auto"),
    "lanes": (lambda n: BreadthFirst(source=[0, 5, 9]), None, "slots pull"),
    "ConnectedComponents": (lambda n: ConnectedComponents(), None, "slots push"),
    "LabelPropagation": (lambda n: LabelPropagation(supersteps=n), 6, "slots"),
    "Posts": (lambda n: Posts(supersteps=n), 9, "slots push edges serial"),
    "Waves": (lambda n: Waves(supersteps=n), 9, "slots push serial"),
}  # fmt: skip


EACH = [(name, d) for name, (_, _, taken) in CONTINUED.items() for d in taken.split()]


@pytest.mark.parametrize(("name", "delivery"), one_in(4, EACH))
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_a_run_in_parts_equals_a_whole_one(name, delivery):
    make, total, _ = CONTINUED[name]
    graph = weighted(random_graph(3, directed=True, edges=200), seed=7)
    runner = Engine(graph)
    whole = runner.run(make(total), delivery=delivery, max_supersteps=MAX_SUPERSTEPS)
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
def test_an_interrupted_run_resumes(delivery):
    graph = weighted(grid(20, 20), seed=1)
    runner = Engine(graph)

    def stop(step):
        if step.superstep == 4:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted) as raised:
        runner.run(ShortestPaths(source=0), callback=stop, keep_state=True, delivery=delivery)
    before = raised.value.result
    rest = runner.run(ShortestPaths(source=0), state=before.state, start="mask", delivery=delivery)
    asked = {"delivery": delivery, "max_supersteps": MAX_SUPERSTEPS}
    whole = runner.run(ShortestPaths(source=0), **asked)
    assert np.array_equal(rest.distance, whole.distance)
    assert np.array_equal(rest.parent, whole.parent)
    assert before.supersteps > 4
    assert before.supersteps + rest.supersteps == whole.supersteps


# Programs take turns on one State.


class Adds(VertexProgram):
    """A vertex takes on what its neighbors have."""

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


@pytest.mark.parametrize("delivery", one_in(3, ["auto", "slots", "push"]))
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


def test_fields_of_another_width_or_kind_are_other_fields():
    """A State's memory is only handed on where it has the type, all of it."""

    class Wide(Adds):
        x = vertex.int32(init=3)
        place = vertex.real3(init="(real3)(v.id, 2, 3)")
        told = arc.int64(init=5)
        message, combine = "int32", "sum"
        scatter = "send(1); e.told += 1;"

    class Narrow(Wide):
        place = vertex.real()

    class Told(Wide):
        told = arc.int32(init=5)

    class Turned(Wide):
        """A vertex field and an arc field under each other's names."""

        place = arc.int16(init=7)
        told = vertex.int8(init=9)
        scatter = "send(1); e.place += 1;"

    runner = Engine(random_graph(9, directed=True, edges=150))
    for other, said in ((Narrow, "'place' is float3, but that of Narrow is float"),
                        (Told, "'told' is long, but that of Told is int")):  # fmt: skip
        state = runner.run(Wide(), keep_state=True).state
        with pytest.raises(ProgramError, match=said):
            runner.run(other(), state=state)
    turned = runner.run(Turned(), state=runner.run(Wide(), keep_state=True).state, keep_state=True)
    assert (turned.told == 9).all() and (turned.arc_fields["place"] == 8).all()
    back = runner.run(Wide(), state=turned.state)
    assert back.place.tolist() == [[v, 2, 3] for v in range(64)]
    assert (back.arc_fields["told"] == 7).all()


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
    with pytest.raises(GasclError, match="the run has kept no State: give it keep_state=True"):
        Engine(grid(3, 3)).run(PageRank(), state=result.state)
    with pytest.raises(GasclError, match="keep_state=True"):
        Engine(grid(3, 3)).run(PageRank(), state=result)


@pytest.mark.parametrize(("program", "field"), [(Distances, "distance"), (BreadthFirst, "depth")])
def test_a_search_from_several_sources_continues_from_its_state(program, field):
    """`prepare` says where it begins, and must not begin again."""
    graph = grid(6, 7)
    ways = [nx.single_source_shortest_path_length(graph.to_networkx(), v) for v in (0, 7)]
    expected = [min(way[v] for way in ways) for v in range(graph.num_vertices)]
    engine = Engine(graph)
    for supersteps in (0, 1, 4):
        options = {"max_supersteps": supersteps, "keep_state": True, "not_converged": "ignore"}
        part = engine.run(program(sources=[0, 7]), **options)
        rest = engine.run(program(sources=[0, 7]), state=part.state)
        assert rest[field].tolist() == expected


def test_a_search_from_several_sources_continues_after_an_edge_was_added():
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    first = Engine(graph).run(Distances(sources=[0, 3]), keep_state=True)
    assert first.distance.tolist() == [0, 1, 2, 0, 1]
    changed = Engine(graph.with_edges(add=[(3, 2)]))
    second = changed.run(Distances(sources=[0, 3]), state=first.state)
    assert second.distance.tolist() == [0, 1, 1, 0, 1]
