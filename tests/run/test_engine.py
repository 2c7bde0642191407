"""The superstep loop: how runs stop, what they record, and what is refused before they start."""

from __future__ import annotations

import functools
import signal
import threading
import warnings

import numpy as np
import pyopencl as cl
import pytest
from support.admission import ANY_ORDER
from support.case_subsets import one_in

from gascl import (
    Engine,
    GasclError,
    Graph,
    Interrupted,
    NotConverged,
    NotConvergedError,
    ProgramError,
    VertexProgram,
    aggregate,
    edge,
    param,
    vertex,
)
from gascl.delivery.registry import DELIVERIES
from gascl.programs import PageRank


class Bfs(VertexProgram):
    source = param.vertex()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    reached = aggregate.int32("sum")
    deepest = aggregate.int32("max")
    message, combine = "int32", "min"
    mask = "v.id == p.source"
    scatter = "send(v.depth + 1);"
    apply = """
        if (v.depth < 0) {
            v.depth = msg;
            aggregate_reached(1);
            aggregate_deepest(msg);
            set_mask();
        }
    """


class Counting(VertexProgram):
    """Every vertex counts supersteps."""

    n = vertex.int32()
    limit = param.int32(3)
    supersteps = param.supersteps()
    rule = param.choice("at", "past")
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = "v.n += 1;"
    stop = "superstep + 1 == p.limit + (p.rule == rule_past)"


class Told(Counting):
    """Stops where Python says so, or at its limit."""

    at = param.int32(4)

    def converged(self, step):
        return step.superstep == self.at


GRAPH = Graph.from_edges([0, 0, 1, 2, 3, 5], [1, 2, 3, 3, 4, 0])
LETTERS = Graph.from_edges([0, 1, 2], [3, 3, 3], labels=["a", "b", "c", "d"])
INT_MIN = -(2**31)


@functools.cache
def engine(graph: Graph = GRAPH) -> Engine:
    return Engine(graph)


def test_trace_of_a_breadth_first_search():
    """0 > 1 and 2; both > 3; 3 > 4. Vertex 5 is out of reach."""
    result = engine().run(Bfs(source=0))
    assert result.depth.tolist() == [0, 1, 1, 2, 3, -1]
    assert [s.superstep for s in result.trace] == [0, 1, 2, 3]
    assert [s.active for s in result.trace] == [1, 2, 1, 1]
    assert [s.messages for s in result.trace] == [2, 2, 1, 0]
    assert [s.aggregates["reached"] for s in result.trace] == [2, 1, 1, 0]
    assert [s.aggregates["deepest"] for s in result.trace] == [1, 2, 3, INT_MIN]
    assert all(s.seconds > 0 for s in result.trace)
    assert (result.supersteps, result.converged) == (4, True)
    assert result.stopped == "no vertex is active and no message is pending"
    assert result.delivery == " and ".join(dict.fromkeys(s.delivery for s in result.trace))
    assert result.device == str(engine().device)
    assert result.graph is GRAPH


# How a run stops -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "most", "ran", "words"),
    [
        (Counting(), 100, 3, "stop is true: superstep + 1 == p.limit + (p.rule == rule_past)"),
        (Counting(limit=1), 1, 1, "stop is true: "),
        (Counting(limit=150), 200, 150, "stop is true: "),
        (Counting(supersteps=5), 100, 5, "ran the requested 5 supersteps"),
        (Counting(supersteps=2), 100, 2, "ran the requested 2 supersteps"),
        (Counting(supersteps=5), 5, 5, "ran the requested 5 supersteps"),
        (Counting(supersteps=0), 100, 0, "ran the requested 0 supersteps"),
        (Counting(supersteps=0), 0, 0, "ran the requested 0 supersteps"),
        (Told(limit=100), 100, 5, "converged() returned True"),
        (Told(limit=2), 100, 2, "stop is true: "),
        (Told(supersteps=9), 100, 9, "ran the requested 9 supersteps"),
    ],
    ids=str,
)
def test_stop_rules(program, most, ran, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = engine().run(program, max_supersteps=most)
    assert (result.supersteps, len(result.trace), result.converged) == (ran, ran, True)
    assert result.stopped.startswith(words)
    assert result.n.tolist() == [ran] * 6


def test_an_empty_mask_stops_before_the_first_superstep():
    result = engine().run(type("Asleep", (Bfs,), {"mask": "0"})(source=0))
    assert (result.supersteps, result.converged) == (0, True)
    assert result.depth.tolist() == [0, -1, -1, -1, -1, -1]
    assert result.stopped == "no vertex is active and no message is pending"


@pytest.mark.parametrize(
    ("program", "most"), [(Counting(), 2), (Counting(supersteps=5), 2), (Told(), 0), (Told(), 2)]
)
def test_max_supersteps(program, most):
    words = f"reached max_supersteps={most} before it converged"
    name = type(program).__name__
    with pytest.warns(NotConverged, match=f"^{name} did not converge: {words}$") as caught:
        result = engine().run(program, max_supersteps=most)
    assert caught[0].filename == __file__
    assert (result.supersteps, result.converged, result.stopped) == (most, False, words)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ignored = engine().run(program, max_supersteps=most, not_converged="ignore")
    assert (ignored.stopped, ignored.converged) == (words, False)
    with pytest.raises(NotConvergedError, match=f"^{name}: {words}$") as error:
        engine().run(program, max_supersteps=most, not_converged="error")
    assert error.value.result.n.tolist() == [most] * 6


def test_callback_is_called_once_a_superstep_in_order():
    steps = []
    result = engine().run(Counting(limit=200), callback=steps.append)
    assert [s.superstep for s in steps] == list(range(200))
    assert steps == result.trace


def test_an_error_in_a_callback_reaches_the_caller():
    def fail(step):
        raise LookupError("mine")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(LookupError, match="mine"):
        engine().run(Counting(), callback=fail)
    assert signal.getsignal(signal.SIGINT) is before
    assert engine().run(Counting()).n.tolist() == [3] * 6


# Ctrl-C ------------------------------------------------------------------------------------------


def interrupt_at(number: int, times: int = 1):
    def callback(step):
        if step.superstep == number:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    return callback


@pytest.mark.parametrize("program", [Counting(limit=1000), Told(limit=1000, at=999)])
def test_ctrl_c_leaves_a_result_after_a_whole_superstep(program):
    def mine(number, frame):
        raise AssertionError("not during a run")

    before = signal.signal(signal.SIGINT, mine)
    try:
        with pytest.raises(Interrupted) as caught:
            engine().run(program, callback=interrupt_at(4))
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, before)
    result = caught.value.result
    assert 5 <= result.supersteps < 1000
    assert result.n.tolist() == [result.supersteps] * 6
    assert len(result.trace) == result.supersteps
    assert (result.converged, result.stopped) == (False, "interrupted by Ctrl-C")
    assert str(caught.value) == f"interrupted after {result.supersteps} supersteps"
    assert isinstance(caught.value, KeyboardInterrupt)
    assert engine().run(Counting()).supersteps == 3


def test_the_second_ctrl_c_is_not_held_back():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as caught:
        engine().run(Counting(limit=1000), callback=interrupt_at(0, times=2))
    assert not isinstance(caught.value, Interrupted)
    assert signal.getsignal(signal.SIGINT) is before


def test_runs_outside_the_main_thread():
    results = []
    thread = threading.Thread(target=lambda: results.append(engine().run(Counting())))
    thread.start()
    thread.join(60)
    assert results[0].n.tolist() == [3] * 6


# Small graphs ------------------------------------------------------------------------------------


class Vectors(VertexProgram):
    place = vertex.float3(init="(float3)(1, 2, 3)")
    count = vertex.uint16(init=7)
    message, combine = "int32", "sum"
    scatter = "send(1);"
    apply = "v.count += msg;"


@pytest.mark.parametrize(
    "delivery", one_in(4, ["auto", *(name for name in DELIVERIES if name not in ANY_ORDER)])
)
def test_small_graphs(delivery):
    empty = Engine(Graph.from_edges([], [])).run(Vectors(), delivery=delivery)
    assert (empty.supersteps, empty.converged, empty.trace) == (0, True, [])
    assert empty.stopped == "the graph has no vertices"
    assert (empty.place.shape, empty.place.dtype) == ((0, 3), np.float32)
    assert (empty.count.shape, empty.count.dtype) == ((0,), np.uint16)
    for vertices in (1, 3):
        alone = Engine(Graph.from_edges([], [], num_vertices=vertices)).run(
            Vectors(), delivery=delivery
        )
        assert alone.count.tolist() == [7] * vertices
        assert alone.place.tolist() == [[1, 2, 3]] * vertices
        assert [(s.active, s.messages) for s in alone.trace] == [(vertices, 0)]
    loop = Engine(Graph.from_edges([0, 0], [0, 0])).run(Vectors(), delivery=delivery)
    assert loop.count.tolist() == [9]
    assert loop.trace[0].messages == 2


# What is refused ---------------------------------------------------------------------------------


class Marking(Bfs):
    scatter = "send(v.depth + 1); set_mask();"


class Weighing(Bfs):
    weight = edge.int32(default=1)
    scatter = "if (depth_of(e.dst) < 0) send(v.depth + e.weight);"


REFUSED = [
    (Bfs, {}, r"run takes .*, such as Bfs\(source=...\), not the class Bfs$"),
    ("Bfs", {}, "run takes a constructed program"),
    (VertexProgram(), {}, "VertexProgram has neither scatter nor pairs nor apply"),
    (Counting(), {"not_converged": "stop"}, "must be warn, error or ignore, not 'stop'"),
    (
        Counting(),
        {"max_supersteps": -1},
        "max_supersteps must be a whole number, 0 or more, not -1",
    ),
    (Counting(), {"delivery": "pigeon"}, r"no delivery 'pigeon'; known: auto, slots, pull, out"),
    (Counting(), {"delivery": None}, "no delivery None; known: auto, slots, pull, out"),
    (
        Marking(source=0),
        {"delivery": "pull"},
        "'pull' cannot run Marking.*use one of: slots, push, edges, serial$",
    ),
    (Marking(source=0), {"delivery": "outbox"}, "'outbox' cannot run Marking"),
    (
        Weighing(source=0),
        {"delivery": "outbox"},
        "reads `e`, and fields.*use one of: slots, pull, push, frontier, reached, edges, serial$",
    ),
    (Bfs(source=0), {"callback": 3}, "callback must be a function of a Step, not 3"),
    (
        Bfs(source=0),
        {"state": 3},
        "state must be result.state of a run with keep_state=True, not 3",
    ),
    (Bfs(source=0), {"start": "mask"}, "start='mask' needs a State"),
    (Bfs(source=0), {"start": "changed"}, "start='changed' needs a State"),
    (
        Bfs(source=0),
        {"start": "all"},
        "start must be 'mask', 'changed' or an array of vertices, not",
    ),
    (Bfs(source=0), {"start": 3}, "start must be an array or list of vertices, not 3"),
    (Bfs(source=0), {"start": [0, 6]}, "no vertex 6; the graph's vertices are 0 to 5"),
    (Counting(), {"start": [0]}, r"Counting scatters on all vertices: start=\[0\] has no effect"),
]


@pytest.mark.parametrize(("program", "options", "message"), REFUSED, ids=lambda x: str(x)[:25])
def test_refused(program, options, message):
    with pytest.raises(GasclError, match=message):
        engine().run(program, **options)


def test_an_engine_takes_a_graph():
    with pytest.raises(GasclError, match=r"takes a gascl\.Graph, not list: see Graph\.read"):
        Engine([(0, 1)])


def test_an_unknown_source():
    with pytest.raises(GasclError, match="no vertex 6; the graph's vertices are 0 to 5"):
        engine().run(Bfs(source=6))
    with pytest.raises(GasclError, match="no vertex has the label 'e'"):
        engine(LETTERS).run(Bfs(source="e"))
    assert engine(LETTERS).run(Bfs(source="b")).depth.tolist() == [-1, 0, -1, 1]


# One engine, many runs ---------------------------------------------------------------------------


def test_another_value_of_a_parameter_builds_nothing(monkeypatch):
    run = engine().run
    first = run(Counting(limit=3)), run(Bfs(source=0))
    ways = ("slots", "pull", "push", "edges")
    at = [run(Weighing(source=0), delivery=d).depth.tolist() for d in ways]

    def refuse(*args, **kwargs):
        raise AssertionError("a kernel is built")

    monkeypatch.setattr(cl, "Program", refuse)
    assert run(Counting(limit=7)).supersteps == 7
    assert run(Counting(supersteps=2)).supersteps == 2
    assert run(Bfs(source=5)).depth.tolist() == [1, 2, 2, 3, 4, 0]
    assert Engine(LETTERS).run(Bfs(source="a")).depth.tolist() == [0, -1, -1, 1]
    assert at == [run(Weighing(source=0), delivery=d).depth.tolist() for d in ways]
    assert run(Counting(limit=3)).n.tolist() == first[0].n.tolist()
    assert run(Bfs(source=0)).trace[0].messages == first[1].trace[0].messages
    with pytest.raises(AssertionError, match="a kernel is built"):
        run(Counting(rule="past"))
    monkeypatch.undo()
    assert run(Counting(rule="past")).supersteps == 4


def test_an_engine_serves_programs_along_different_edges():
    """By hand, on the edges 0>1, 0>2, 1>3, 2>3, 3>4, 5>0, from vertex 3."""
    expected = {
        "out": [-1, -1, -1, 0, 1, -1],
        "in": [2, 1, 1, 0, -1, 3],
        "both": [2, 1, 1, 0, 1, 3],
    }
    for way in ("out", "in", "both", "out"):
        for base in (Bfs, Weighing):
            program = type("Along", (base,), {"edges": way})
            for delivery in ("slots", "pull", "push", "edges"):
                result = engine().run(program(source=3), delivery=delivery)
                assert result.depth.tolist() == expected[way], (way, base, delivery)


def test_two_types_of_one_edge_field_on_one_engine():
    graph = Graph.from_edges([0, 1], [1, 2], weight=[300, 5])
    shared = Engine(graph)
    wide = shared.run(Weighing(source=0))

    class Narrow(Weighing):
        weight = edge.uint16()

    assert wide.depth.tolist() == shared.run(Narrow(source=0)).depth.tolist() == [0, 300, 305]
    assert shared.run(Weighing(source=0)).depth.tolist() == [0, 300, 305]


@functools.cache
def random_graph() -> Graph:
    rng = np.random.default_rng(7)
    return Graph.from_edges(*rng.integers(0, 3000, (2, 9000)), num_vertices=3000)


def test_results_are_the_same_bit_for_bit():
    """Two runs of one delivery; and every delivery, where sums over all vertices play no part."""
    shared = Engine(random_graph())
    spread, ignore = PageRank(supersteps=15), PageRank(supersteps=15, dangling="ignore")
    first = shared.run(spread)
    assert shared.run(spread).rank.tobytes() == first.rank.tobytes()
    assert [s.aggregates for s in shared.run(spread).trace] == [s.aggregates for s in first.trace]
    expected = shared.run(ignore, delivery="serial").rank
    for delivery in ("slots", "pull", "outbox", "auto"):
        assert shared.run(ignore, delivery=delivery).rank.tobytes() == expected.tobytes(), delivery
        near = shared.run(spread, delivery=delivery).rank
        assert np.abs(near.astype(float) - first.rank).sum() < 1e-6


def test_a_program_error_leaves_the_engine_usable():
    class Broken(Bfs):
        apply = "v.depth = nothing_such;"

    with pytest.raises(ProgramError, match="nothing_such"):
        engine().run(Broken(source=0))
    assert engine().run(Bfs(source=0)).supersteps == 4


def test_something_else_than_a_communicator():
    with pytest.raises(GasclError, match=r"comm=3 is no communicator: use mpi4py's"):
        Engine(GRAPH, comm=3)
