"""`Engine.run` in several threads at once: on one engine and on several, with right results."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph
from support.samples import random_graph

from gascl import Engine, GasclError, Graph, ProgramError, VertexProgram, edge, vertex
from gascl.cli.find_program import program_class
from gascl.device_graph import sort
from gascl.programs import BreadthFirst, ConnectedComponents, PageRank, ShortestPaths
from gascl.run import plan

THREADS = 2


@pytest.fixture(autouse=True)
def often():
    """Threads take turns every 10 µs, not every 5 ms."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def weighted(seed: int) -> Graph:
    """Whole weights, whose sums are exact; without parallel edges, which SciPy would add up."""
    graph = random_graph(seed, directed=True, vertices=200, edges=900)
    ends = np.unique(np.stack([graph.edge_src, graph.edge_dst]), axis=1)
    weight = np.random.default_rng(seed).integers(1, 50, ends.shape[1])
    return Graph.from_edges(*ends, num_vertices=200, weight=weight.astype(np.float64))


def matrix(graph: Graph) -> sparse.csr_matrix:
    ends = (graph.edge_src, graph.edge_dst)
    return sparse.csr_matrix((graph.edge_fields["weight"], ends), shape=(graph.num_vertices,) * 2)


class Answers:
    """What SciPy and NumPy say of a graph and of the same with one more edge."""

    def __init__(self, seed: int):
        self.graph = weighted(seed)
        self.changed = self.graph.with_edges(add=[(0, 150), (7, 100)], weight=[1.0, 2.0])
        arcs = matrix(self.graph)
        self.distance = csgraph.dijkstra(arcs)
        hops = csgraph.dijkstra(arcs, unweighted=True)
        self.depth = np.where(np.isfinite(hops), hops, -1)
        names = csgraph.connected_components(arcs, connection="weak")[1]
        self.component = np.array([np.flatnonzero(names == n)[0] for n in names])
        more = arcs.tolil()
        for place, cost in (((0, 150), 1.0), ((7, 100), 2.0)):
            more[place] = min(cost, more[place] or np.inf)
        self.longer = csgraph.dijkstra(more.tocsr())
        self.rank = ranks(arcs)


def ranks(arcs: sparse.csr_matrix) -> np.ndarray:
    """PageRank by a power iteration."""
    count = arcs.shape[0]
    links = (arcs > 0).astype(float)
    degree = np.asarray(links.sum(axis=1)).ravel()
    rank = np.full(count, 1 / count)
    for _ in range(200):
        given = np.divide(rank, degree, out=np.zeros(count), where=degree > 0)
        rank = 0.15 / count + 0.85 * (links.T @ given + rank[degree == 0].sum() / count)
    return rank


def wrong(answers: Answers, engine: Engine, changed: Engine, kind: int, at: int) -> str:
    """Run one of the kinds of runs; what is wrong with it, or nothing."""
    lanes = [at, (at * 7 + 1) % 200, (at * 11 + 2) % 200]
    if kind == 0:
        found, expected = engine.run(BreadthFirst(source=at)).depth, answers.depth[at]
    elif kind == 1:
        found, expected = engine.run(BreadthFirst(source=lanes)).depth, answers.depth[lanes].T
    elif kind == 2:
        found, expected = engine.run(ConnectedComponents()).component, answers.component
    elif kind == 3:
        rank = engine.run(PageRank()).rank
        close = np.allclose(rank, answers.rank, rtol=1e-3, atol=1e-5)
        return "" if close else f"ranks are off by {abs(rank - answers.rank).max()}"
    elif kind == 4:
        way = ("slots", "pull", "push", "edges")[at % 4]
        found = engine.run(ShortestPaths(source=at), delivery=way).distance
        expected = answers.distance[at]
    else:
        first = engine.run(ShortestPaths(source=at), keep_state=True)
        found = changed.run(ShortestPaths(source=at), state=first.state).distance
        expected = answers.longer[at]
    places = np.flatnonzero((found != expected).reshape(len(found), -1).any(axis=1))
    return f"kind {kind} from {at}: wrong at {places[:5]}" if len(places) else ""


def count_wrong(runs: int, shared: bool) -> list[str]:
    """Two threads on the same engines, or each on its own; so many runs in all."""
    answers = [Answers(seed) for seed in range(2)]
    engines = [[(Engine(a.graph), Engine(a.changed)) for a in answers]] * THREADS
    if not shared:
        engines = [[(Engine(a.graph), Engine(a.changed)) for a in answers] for _ in range(THREADS)]
    begin = threading.Barrier(THREADS)

    def work(thread: int) -> list[str]:
        rng = np.random.default_rng(thread)
        begin.wait()
        said = []
        for _ in range(runs // THREADS):
            which, kind, at = (int(rng.integers(n)) for n in (2, 6, 200))
            said.append(wrong(answers[which], *engines[thread][which], kind, at))
        return said

    with ThreadPoolExecutor(THREADS) as pool:
        said = [s for found in pool.map(work, range(THREADS)) for s in found]
    assert len(said) == runs
    return [s for s in said if s]


@pytest.mark.parametrize("shared", [True, False], ids=["one-engine", "an-engine-each"])
def test_two_threads(shared):
    assert count_wrong(400, shared) == []


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False], ids=["one-engine", "an-engine-each"])
def test_two_threads_2000_runs(shared):
    assert count_wrong(2000, shared) == []


class Waits(VertexProgram):
    """Meets the other run after both have looked at the State, before either goes on from it."""

    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = "all"
    scatter = "send(1);"
    apply = "v.x += msg;"
    stop = "superstep % 4 == 3"

    def prepare(self, graph, initial):
        if barrier is not None:
            barrier.wait(60)


barrier = None


def test_a_state_is_continued_once(monkeypatch):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0])
    engine = Engine(graph)
    first = engine.run(Waits(), keep_state=True)
    monkeypatch.setitem(globals(), "barrier", threading.Barrier(2))

    def go_on(_):
        try:
            return engine.run(Waits(), state=first.state).x.tolist()
        except GasclError as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        found = sorted(pool.map(go_on, range(2)), key=str)
    assert found[0] == [8] * 3
    assert "this State of Waits was used up by a later run of Waits" in found[1]


def test_a_state_that_is_used_up_while_another_run_begins():
    engine = Engine(Graph.from_edges([0, 1, 2], [1, 2, 0]))
    state = engine.run(Waits(), keep_state=True).state

    class Using:
        """The program's header; reading it is slow."""

        def __init__(self, header):
            self.header = header

        def __getattr__(self, name):
            if not state.used_by:
                state.use("Another")
            return getattr(self.header, name)

    state.header = Using(state.header)
    with pytest.raises(GasclError, match="was used up by a later run of Another"):
        engine.run(Waits(), state=state)


def test_what_threads_share_is_made_once(monkeypatch):
    """Arcs, layouts, what is uploaded and what is built."""
    import gascl.graph.arcs
    from gascl.opencl.device import Device

    monkeypatch.setattr(sort, "pays", lambda device: False)
    made = []

    def counted(module, name):
        original = getattr(module, name)

        def call(*args, **kwargs):
            made.append(name)
            return original(*args, **kwargs)

        monkeypatch.setattr(module, name, call)

    class Own(VertexProgram):
        x = vertex.int32()
        weight = edge.int32(default=2)
        message, combine = "int32", "sum"
        scatter_on = "all"
        scatter = "send(e.weight);"
        apply = "v.x += msg;"
        stop = "superstep == 1"

    engine = Engine(random_graph(1, directed=True))
    for module, name in (
        (gascl.graph.arcs.Order, "_sort"),
        (plan, "_build"),
        (Device, "upload"),
    ):
        counted(module, name)
    begin = threading.Barrier(4)

    def run(_):
        begin.wait(60)
        return engine.run(Own(), delivery="pull").x.tolist()

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(run, range(4)))
    degree = np.bincount(engine.graph.edge_dst, minlength=engine.graph.num_vertices)
    assert found == [(4 * degree).tolist()] * 4
    assert made.count("_sort") == made.count("_build") == 1
    assert made.count("upload") == len(next(iter(engine._resident.values())).held())


# What is kept of programs ------------------------------------------------------------------------


def a_class(step: int = 1):
    class Passing(VertexProgram):
        x = vertex.int32()
        message, combine = "int32", "sum"
        scatter_on = "all"
        scatter = f"send({step});"
        apply = "v.x += msg;"
        stop = "superstep == 0"

    return Passing


def test_classes_that_are_gone_are_not_kept():
    engine = Engine(Graph.from_edges([0, 1], [1, 0]))
    cls = a_class()
    assert engine.run(cls()).x.tolist() == [1, 1]
    gone = weakref.ref(cls)
    del cls
    gc.collect()
    assert gone() is None


def test_few_programs_are_kept_of_classes_that_are_gone(monkeypatch):
    monkeypatch.setattr(plan, "_built", lru_cache(2)(plan._built.__wrapped__))
    engine = Engine(Graph.from_edges([0, 1], [1, 0]))
    built = []
    for step in range(1, 5):
        cls = a_class(step)
        assert engine.run(cls()).x.tolist() == [step, step]
        built += [weakref.ref(p.program) for p in plan._plans[cls].values()]
    del cls
    gc.collect()
    alive = [ref() is not None for ref in built]
    assert alive == [False, False, True, True]


def test_few_plans_are_kept_of_one_class(monkeypatch):
    monkeypatch.setattr(plan, "PLANS", 2)
    cls, graph = a_class(), Graph.from_edges([0, 1], [1, 0])
    for seed in range(4):
        assert Engine(graph, debug=True, seed=seed).run(cls()).x.tolist() == [1, 1]
    assert len(plan._plans[cls]) == 2


DIVIDES = """
from gascl import VertexProgram, vertex

class Divides(VertexProgram):
    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = "all"
    scatter = "send(1);"
    apply = "v.x = 1 / v.x;"
    stop = "superstep == 1"
"""


def test_errors_of_two_equal_classes_name_their_own_lines(write):
    """As a notebook's cell is run again, further down: what is built is shared, places are not."""
    engine = Engine(Graph.from_edges([0, 1], [1, 0]), debug=True)
    for name, above in (("first.py", 0), ("second.py", 7)):
        path = write(name, "\n" * above + DIVIDES)
        cls = program_class(f"{path}:Divides")
        with pytest.raises(ProgramError, match=f"{name}:{above + 9}: Divides: .* divided by zero"):
            engine.run(cls())
