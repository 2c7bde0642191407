"""`Engine.steps`: the state between any two supersteps, and what is left when the loop is left."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import warnings

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.bundled import NAMES, example, with_needed_fields
from support.resumes import Posts, Waves
from support.samples import arcs_of, grid, random_graph, skewed, to_networkx, weighted
from support.widest_paths import WidestPaths

from gascl import (
    Engine,
    FieldError,
    GasclError,
    Graph,
    NotConverged,
    NotConvergedError,
    ProgramError,
    VertexProgram,
    aggregate,
    param,
    vertex,
)
from gascl.device_graph import stream
from gascl.graph import reordering
from gascl.programs import BreadthFirst, Hits, PageRank, ShortestPaths
from gascl.run import prepare as preparation
from gascl.run.options import MAX_SUPERSTEPS

pytestmark = pytest.mark.filterwarnings("ignore:.*no edge field")

DELIVERIES = ("auto", "slots", "pull", "outbox", "push", "frontier", "edges", "serial")


class Search(VertexProgram):
    """Distances along arcs; every delivery but outbox takes it."""

    source = param.vertex()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    reached = aggregate.int64("sum")
    message, combine = "int32", "max"
    mask = "v.id == p.source"
    scatter = "send(v.depth + 1);"
    apply = """
        if (v.depth < 0) {
            v.depth = msg;
            aggregate_reached(1);
            set_mask();
        }
    """


@pytest.fixture(params=[True, False], ids=["directed", "undirected"])
def graph(request) -> Graph:
    return random_graph(3, directed=request.param)


def threads() -> list[threading.Thread]:
    """Those that a run may have left; the pool's stay."""
    return [
        each
        for each in threading.enumerate()
        if each is not threading.main_thread() and not each.name.startswith("gascl.pool")
    ]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threads())
    yield
    if not set(threads()) <= before:  # a collection takes longer than most of these tests
        gc.collect()
    assert set(threads()) <= before


def rows(*columns: np.ndarray) -> list[tuple]:
    """The rows of a table, sorted."""
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("debug", [False, True], ids=["", "debug"])
def test_the_states_of_a_search(graph, delivery, debug):
    """Compared with NetworkX: after k supersteps, all vertices up to k arcs away are reached."""
    source = int(graph.edge_src[0])
    program = Search(source=source)
    if delivery not in ("auto", *admitted(program)):
        pytest.skip("the delivery does not take this program")
    lengths = nx.single_source_shortest_path_length(to_networkx(graph), source)
    depth = np.array([lengths.get(v, -1) for v in range(graph.num_vertices)])
    engine = Engine(graph, debug=debug)
    used = engine.explain(program, delivery=delivery).runs[0].delivery
    steps = engine.steps(program, delivery=delivery)
    senders = depth[[tail for tail, _ in arcs_of(graph)]]
    for k, step in enumerate(steps):
        assert step.superstep == k
        assert step["depth"].tolist() == np.where(depth <= k, depth, -1).tolist()
        assert np.array_equal(step.mask, depth == k) and step.mask.dtype == bool
        assert step.active == np.count_nonzero(depth == k)
        assert step.aggregates == {"reached": np.count_nonzero(depth == k) if k else 0}
        assert (step.last is None) == (k == 0)
        if step.last:
            assert (step.last.superstep, step.last.messages) == (k - 1, step.messages)
            assert step.last.active == np.count_nonzero(depth == k - 1)
        assert step.messages == (np.count_nonzero(senders == k - 1) if k else 0)
        assert (step.sent is None) == (k == 0 or used != "slots")
        if step.sent is not None:
            arcs = [(u, v, k) for u, v in arcs_of(graph) if depth[u] == k - 1]
            assert rows(step.sent.source, step.sent.target, step.sent.value) == sorted(arcs)
    assert not step.mask.any() and k == depth.max() + 1
    assert steps.result.converged and steps.result.supersteps == k
    assert steps.result.depth.tolist() == depth.tolist()


@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("program", [Posts, Waves, WidestPaths], ids=lambda each: each.__name__)
def test_messages_to_any_vertex_arc_fields_and_vertices_that_wait(graph, delivery, program):
    """The states are those in which runs of so many supersteps end."""
    needed = {"source": 0} if program is WidestPaths else {}
    if delivery not in ("auto", *admitted(program(**needed))):
        pytest.skip("the delivery does not take this program")
    engine = Engine(graph.with_edge_fields(capacity=np.arange(graph.num_edges) % 7))
    steps = engine.steps(program(**needed), delivery=delivery)
    for k, step in enumerate(steps):
        options = {"max_supersteps": k, "not_converged": "ignore", "delivery": delivery}
        part = engine.run(program(**needed), **options)
        assert step.superstep == part.supersteps == k
        for field, values in {**part.fields, **part.arc_fields}.items():
            assert np.array_equal(step[field], values), field
        assert step.aggregates == part.aggregates
    whole = engine.run(program(**needed), delivery=delivery)
    assert k == whole.supersteps > 1
    assert [s.messages for s in whole.trace] == [s.messages for s in steps.result.trace]


@pytest.mark.parametrize("name", NAMES)
def test_bundled_programs_end_as_by_run(name):
    graph = with_needed_fields(weighted(grid(5, 8)), name)
    program = {"steps": example(name), "run": example(name)}
    options = {"not_converged": "ignore"}
    engine = Engine(graph)
    steps = engine.steps(program["steps"], **options)
    shown = list(steps)
    whole = engine.run(program["run"], max_supersteps=MAX_SUPERSTEPS, **options)
    assert steps.result.stopped == whole.stopped
    assert steps.result.supersteps == whole.supersteps == shown[-1].superstep
    for field in whole:
        assert np.array_equal(steps.result[field], whole[field], equal_nan=True), field
    if type(program["run"]).solve is None:
        assert len(shown) == whole.supersteps + 1
        for field in whole:
            assert np.array_equal(shown[-1][field], whole[field], equal_nan=True), field
        return
    made = [step.last for step in shown if step.last]  # consecutive, with the program of each
    assert [(s.superstep, s.program) for s in made if s.superstep >= 0][-1:] == [
        (s.superstep, s.program) for s in whole.trace[-1:]
    ]
    assert {step.program for step in shown} >= {s.program for s in whole.trace}


def test_lanes(graph):
    sources = [0, 5, 9]
    for k, step in enumerate(Engine(graph).steps(BreadthFirst(source=sources))):
        assert step["depth"].shape == (graph.num_vertices, 3)
        assert step["depth"].max() == min(k, step["depth"].max())
    for lane, source in enumerate(sources):
        lengths = nx.single_source_shortest_path_length(to_networkx(graph), source)
        expected = [lengths.get(v, -1) for v in range(graph.num_vertices)]
        assert step["depth"][:, lane].tolist() == expected


def test_every_vertex_scatters(graph):
    shown = list(Engine(graph).steps(PageRank(supersteps=4)))
    assert [step.superstep for step in shown] == [0, 1, 2, 3, 4]
    assert all(step.mask.all() and step.active == graph.num_vertices for step in shown)
    assert shown[0]["rank"] == pytest.approx(np.full(graph.num_vertices, 1 / graph.num_vertices))
    assert shown[0].aggregates["change"] == 0 and shown[0].messages == 0


def test_vertices_with_other_numbers_on_the_device(monkeypatch):
    """The states are in the graph's order all the same."""
    monkeypatch.setattr(reordering, "LEAST", 10)
    monkeypatch.setattr(reordering, "SHARE", 0.1)
    graph = skewed(1, 60, 400)
    rank = np.random.default_rng(0).random(60).astype("f4")
    steps = Engine(graph).steps(PageRank(rank=rank, supersteps=2))
    first, _, last = steps
    assert steps.result.numbering
    assert np.allclose(first["rank"], rank / rank.sum())
    assert np.array_equal(last["rank"], steps.result.rank)


def test_streamed_arcs(graph, monkeypatch):
    expected = Engine(graph).run(ShortestPaths(source=0), delivery="push")
    monkeypatch.setattr(preparation, "shortage", lambda *given, **limit: "the device is small")
    monkeypatch.setattr(stream, "FEWEST", 2)
    steps = Engine(graph).steps(ShortestPaths(source=0))
    shown = list(steps)
    assert "2 parts" in shown[-1].last.why
    assert [step.superstep for step in shown] == [*range(expected.supersteps + 1)]
    assert shown[-1]["distance"].tolist() == expected.distance.tolist()


def test_copies_stay_as_they_are():
    graph = grid(1, 6)
    first, *_, last = Engine(graph).steps(Search(source=0))
    assert first["depth"].tolist() == [0, -1, -1, -1, -1, -1]
    first["depth"][:] = 7
    assert last["depth"].tolist() == [0, 1, 2, 3, 4, 5]


def test_from_a_state_and_from_other_vertices():
    graph = grid(1, 6)
    engine = Engine(graph)
    half = engine.run(Search(source=0), keep_state=True, max_supersteps=2, not_converged="ignore")
    shown = list(engine.steps(Search(source=0), state=half.state))
    assert [step.superstep for step in shown] == [2, 3, 4, 5, 6]
    assert shown[0]["depth"].tolist() == [0, 1, 2, -1, -1, -1]
    shown = list(engine.steps(Search(source=0), start=[3, 4]))
    assert np.flatnonzero(shown[0].mask).tolist() == [3, 4]


def test_a_graph_without_vertices():
    steps = Engine(Graph.from_edges([], [])).steps(Search(source=0))
    (step,) = steps
    assert step["depth"].shape == step.mask.shape == (0,) and step.active == 0
    assert steps.result.supersteps == 0


# Messages ----------------------------------------------------------------------------------------


def test_messages_of_lanes_and_of_senders_that_are_dropped(graph):
    """`receive_if` drops them later, so that they are more than the trace counts."""
    sources = [0, 7]
    program = BreadthFirst(source=sources)
    lengths = [nx.single_source_shortest_path_length(to_networkx(graph), s) for s in sources]
    for k, step in enumerate(Engine(graph).steps(program, delivery="slots")):
        if not k:
            continue
        expected = [
            (u, v, lane)
            for u, v in arcs_of(graph)
            for lane, depth in enumerate(lengths)
            if depth.get(u) == k - 1
        ]
        assert rows(step.sent.source, step.sent.target, step.sent.lane) == sorted(expected)
        assert len(step.sent) >= step.messages


class Kinds(VertexProgram):
    """A vector of three, whose messages are read one by one, in lanes."""

    supersteps = param.supersteps(2)
    part = param.int32(1)
    x = vertex.int32()
    message, edges = "int3", "in"
    scatter_on = "all"
    scatter = "if (e.src % 2 == superstep) send((int3)(e.src, e.dst, 10 * p.part + superstep));"
    gather = "msg = messages[0];"
    apply = "v.x = msg.x;"


@pytest.mark.parametrize("lanes", [1, 2])
def test_messages_that_are_vectors_and_read_one_by_one(graph, lanes):
    part = [1, 2][:lanes]
    steps = Engine(graph).steps(Kinds(part=part), delivery="slots")
    for k, step in enumerate(steps):
        if not k:
            continue
        expected = [
            (u, v, [u, v, 10 * p + k - 1], lane)
            for u, v in arcs_of(graph, "in")
            for lane, p in enumerate(part)
            if u % 2 == k - 1
        ]
        sent = step.sent
        assert rows(sent.source, sent.target, sent.value, sent.lane) == sorted(expected)
        assert step.messages == len(expected)


def test_messages_where_vertices_have_other_numbers(monkeypatch):
    monkeypatch.setattr(reordering, "LEAST", 10)
    monkeypatch.setattr(reordering, "SHARE", 0.1)
    graph = skewed(1, 60, 400)
    steps = Engine(graph).steps(PageRank(supersteps=1), delivery="slots")
    first, last = steps
    assert steps.result.numbering and first.sent is None
    sent = last.sent
    assert rows(sent.source, sent.target) == sorted(arcs_of(graph))
    shares = first["rank"] / np.maximum(graph.out_degree, 1)
    assert np.allclose(sent.value, shares[sent.source])


def test_messages_along_edges_that_alternate(graph):
    steps = Engine(graph).steps(Hits(), delivery="slots", max_supersteps=4, not_converged="ignore")
    for k, step in enumerate(steps):
        if k:
            arcs = arcs_of(graph, "in" if k % 2 == 0 else "out")
            assert rows(step.sent.source, step.sent.target) == sorted(arcs)


# Leaving the loop --------------------------------------------------------------------------------


def runs_as_before(engine: Engine) -> bool:
    return engine.run(Search(source=0)).depth.tolist() == [0, 1, 2, 3, 4, 5]


def test_break():
    engine = Engine(grid(1, 6))
    for step in engine.steps(Search(source=0)):
        if step.superstep == 2:
            break
    assert not threads_of_steps() and runs_as_before(engine)


def threads_of_steps() -> list[threading.Thread]:
    return [each for each in threads() if each.name == "gascl.steps"]


def test_close_and_what_comes_after_the_end():
    engine = Engine(grid(1, 6))
    steps = engine.steps(Search(source=0))
    next(steps)
    assert threads_of_steps()
    steps.close()
    assert not threads_of_steps() and steps.result is None
    assert list(steps) == []
    steps.close()
    engine.steps(Search(source=0)).close()  # before it has begun
    assert runs_as_before(engine)


def test_an_error_in_the_loop():
    engine = Engine(grid(1, 6))

    def divide() -> None:
        for step in engine.steps(Search(source=0)):
            step.superstep / (step.superstep - 2)

    with pytest.raises(ZeroDivisionError):
        divide()
    assert runs_as_before(engine)


def test_other_runs_between_two_steps():
    engine = Engine(grid(1, 6))
    several = zip(
        engine.steps(Search(source=0)),
        engine.steps(Search(source=5), delivery="slots"),
        strict=True,
    )
    for one, other in several:
        assert one["depth"].tolist() == other["depth"].tolist()[::-1]
        assert runs_as_before(engine)


class Waiting(Search):
    """Ctrl-C comes while a superstep runs."""

    def converged(self, step):
        if step.superstep == 1:
            signal.raise_signal(signal.SIGINT)
        return False


@pytest.mark.parametrize("program", [Search, Waiting])
def test_ctrl_c(program):
    """In the body of the loop, and while the next state is computed."""
    engine = Engine(grid(1, 6))
    shown = []

    def look() -> None:
        for step in engine.steps(program(source=0)):
            shown.append(step.superstep)
            if program is Search and step.superstep == 2:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        look()
    assert shown[:2] == [0, 1]
    deadline = time.monotonic() + 60
    while threads_of_steps() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not threads_of_steps() and runs_as_before(engine)


def test_a_process_that_ends_in_the_middle(tmp_path):
    import subprocess

    code = (
        "from gascl import Engine, Graph\nfrom gascl.programs import BreadthFirst\n"
        "steps = Engine(Graph.dataset('karate')).steps(BreadthFirst(source='1'))\n"
        "print(next(steps).superstep, flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process():
    steps = Engine(grid(1, 6)).steps(Search(source=0))
    next(steps)
    child = os.fork()
    if not child:
        try:
            next(steps)
        except GasclError as error:
            os._exit("forked" in str(error))
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert [step.superstep for step in steps] == [1, 2, 3, 4, 5, 6]


class Counted(VertexProgram):
    """A program of two stages, of which one is cut off."""

    source = param.vertex()
    depth = vertex.int32()
    closed = ""

    def solve(self, stages):
        try:
            stages.run(Search(source=self.source))
            stages.run(Search(source=self.source), fresh=True)
            return {}
        except Exception:
            type(self).closed = "by an Exception"
            raise
        finally:
            type(self).closed = type(self).closed or "in order"


def test_stages():
    engine = Engine(grid(1, 6))
    shown = [(s.program, s.superstep, s.active) for s in engine.steps(Counted(source=0))]
    wave = [1, 1, 1, 1, 1, 1, 0]
    first = [("Search", k, wave[k]) for k in range(7)]
    assert shown == [*first, *(("Search", 6 + k, wave[k]) for k in range(7))]
    for step in engine.steps(Counted(source=0)):
        if step.superstep == 3:
            break
    assert Counted.closed == "in order" and runs_as_before(engine)


# Errors and warnings -----------------------------------------------------------------------------


def test_warnings_name_the_user_s_line():
    engine = Engine(grid(1, 6))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in engine.steps(Search(source=0), max_supersteps=2):
            pass
    (one,) = caught
    assert one.category is NotConverged and one.filename == __file__
    assert "reached max_supersteps=2" in str(one.message)


def test_a_run_that_does_not_converge():
    steps = Engine(grid(1, 6)).steps(Search(source=0), max_supersteps=2, not_converged="error")
    assert [next(steps).superstep for _ in range(3)] == [0, 1, 2]
    with pytest.raises(NotConvergedError, match="reached max_supersteps=2"):
        next(steps)
    assert list(steps) == []


class Wrong(VertexProgram):
    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter = "send(x_of(v.id + 100));"
    apply = "v.x = msg;"


def test_an_error_of_the_run():
    steps = Engine(grid(1, 6)).steps(Wrong())
    next(steps)
    with pytest.raises(ProgramError, match=r"test_steps\.py:\d+: Wrong: vertex .* in superstep 0"):
        next(steps)


def test_an_error_of_the_user_s_code_shows_no_line_of_gascl():
    class Faulty(Search):
        def converged(self, step):
            return 1 / 0

    with pytest.raises(ZeroDivisionError) as caught:
        list(Engine(grid(1, 6)).steps(Faulty(source=0)))
    inner = [entry.path.name for entry in caught.traceback][1:]
    assert inner[-1] == "test_steps.py" and "supersteps.py" not in inner


def test_what_is_refused():
    engine = Engine(grid(1, 6))
    with pytest.raises(ProgramError, match="not the class Search"):
        engine.steps(Search)
    with pytest.raises(GasclError, match="max_supersteps must be a whole number"):
        engine.steps(Search(source=0), max_supersteps=-1)
    with pytest.raises(GasclError, match="not_converged must be"):
        engine.steps(Search(source=0), not_converged="later")
    steps = engine.steps(Search(source=0), delivery="pigeon")
    with pytest.raises(ProgramError, match="pigeon"):
        next(steps)
    step = next(engine.steps(Search(source=0)))
    with pytest.raises(FieldError, match="did you mean 'depth'"):
        step["dept"]
