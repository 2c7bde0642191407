"""Renumbering the vertices on the device changes nothing that a user sees."""

import json
import re

import numpy as np
import pytest
from support.agreement import find_device
from support.case_subsets import one_in, thinned

from gascl import Engine, Graph, VertexProgram, aggregate, arc, edge, param, struct, vertex
from gascl.delivery.admission import demand_of
from gascl.delivery.registry import admitted
from gascl.device_graph import gather
from gascl.errors import GasclError, Interrupted, ProgramError
from gascl.graph import reordering
from gascl.language.traits import Traits
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    Eigenvector,
    Hits,
    Katz,
    PageRank,
    WeightedEigenvector,
    WeightedPageRank,
)
from gascl.run.memory_estimate import described, estimate
from gascl.run.state import State


def graph_of(seed, count=60, edges=400, directed=True):
    """With loops, parallel edges, and vertices without any."""
    rng = np.random.default_rng(seed)
    src = (rng.random(edges) ** 2 * count * 0.8).astype(int)
    dst = rng.permutation(count)[(rng.random(edges) * count * 0.8).astype(int)]
    return Graph.from_edges(
        src,
        dst,
        num_vertices=count,
        directed=directed,
        labels=[f"v{i}" for i in rng.permutation(count)],
        w=rng.integers(1, 5, edges),
        weight=rng.random(edges),
    )


def copy(graph):
    """The same graph, which has found out nothing about itself."""
    return Graph.from_edges(
        graph.edge_src,
        graph.edge_dst,
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        labels=graph.labels,
        **graph.edge_fields,
    )


def run(graph, program, device, numbered, monkeypatch, **options):
    with monkeypatch.context() as patch:
        if not numbered:
            patch.setattr(reordering, "LEAST", 2**40)
        engine = Engine(copy(graph), device, deterministic=False)
        result = engine.run(program, not_converged="ignore", **options)
    assert bool(result.numbering) == numbered
    return result


def same(one, two):
    assert one.supersteps == two.supersteps and one.stopped == two.stopped
    assert list(one.fields) == list(two.fields)
    for name in one.fields:
        assert one[name].dtype == two[name].dtype
        assert one[name].tolist() == two[name].tolist(), name
    seen = [[(s.active, s.messages, s.aggregates) for s in r.trace] for r in (one, two)]
    assert seen[0] == seen[1]


def random_program(seed):
    """Of whole numbers, so that sums are exact in any order; it asks for ids wherever it may."""
    rng = np.random.default_rng(seed)

    def pick(*forms):
        return str(rng.choice(forms))

    reads_edge = rng.random() < 0.5
    ids = [] if reads_edge else ["v.id", "(int)(hash(v.id) % 7u)"]
    value = pick("v.x", "v.x + v.out_degree", "v.y", *(f"v.x % 5 + {i}" for i in ids))
    if reads_edge:
        value += pick(" + e.w", " + (int)(e.id % 3)", " * e.reversed", " + (e.src == e.dst)")
    sends = f"send({value});"
    body = {
        "x": vertex.int32(init=pick("v.id", "v.id % 4", "3", "v.in_degree")),
        "y": vertex.int32(init="0"),
        "w": edge.int32(default=1),
        "who": param.vertex(0),
        "supersteps": param.supersteps(int(rng.integers(1, 6))),
        "total": aggregate.int64("sum"),
        "least": aggregate.int32("min"),
        "message": "int32",
        "combine": pick("min", "max", "or", "and", "max"),
        "edges": pick("out", "in", "both", "alternate"),
        "scatter_on": "all",
        "apply_on": pick("all", "message"),
        "scatter": pick(sends, f"if (v.x % 3) {sends}"),
        "apply": f"""
            const int next = has_msg ? msg % 1000 : {pick("-1", "v.id", "v.x")};
            aggregate_total(next * (v.id + 1));
            if (next > 2)
                aggregate_least(v.id);
            v.y = {pick("v.x", "v.id - v.y", "v.id == p.who")};
            v.x = next;
        """,
    }
    if rng.random() < 0.3:
        body["receive_if"] = pick("v.id % 3 != 1", "v.x < 500", "v.id != p.who")
    if rng.random() < 0.3:
        body["init"] = "aggregate_total(v.id); v.y = v.id;"
    return type("Random", (VertexProgram,), body)


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=[] if n == 1 else pytest.mark.slow) for n in range(24)]
)
@pytest.mark.usefixtures("renumbered", "poisoned")
def test_random_programs(monkeypatch, seed):
    """Every delivery, on a graph of each kind, beside runs by the graph's own numbers."""
    cls, device = random_program(seed), find_device((1, 8)[seed % 2])
    assert Traits.of(cls.spec).renumbers
    graph = graph_of(seed, directed=bool(seed % 3))
    program = (
        cls(who=graph.label_of(7), x=np.arange(60)[::-1])
        if seed % 4 == 1
        else cls(who=graph.label_of(7))
    )
    plain = run(graph, program, device, False, monkeypatch)
    able = admitted(demand_of(program, device.atomics, device.fp64, False, group=device.group))
    assert {"pull", "slots"} <= set(able)
    for delivery in able:
        if delivery != "serial" or device.group == 1:
            same(run(graph, program, device, True, monkeypatch, delivery=delivery), plain)


class Sizes(VertexProgram):
    """Fields of all the sizes that a device takes, and of others."""

    tiny, small, one = (
        vertex.uint8(init="v.id"),
        vertex.int16(init="v.id"),
        vertex.int32(init="7 + v.id"),
    )
    two, three, four = (
        vertex.int2(init="v.id"),
        vertex.int3(init="v.id"),
        vertex.double4(init="v.id"),
    )
    supersteps = param.supersteps(1)
    message, combine, scatter_on, apply_on = "int32", "max", "all", "all"
    scatter, apply = "send(v.one);", "v.one = msg - v.tiny;"


@pytest.mark.usefixtures("renumbered")
def test_the_device_brings_results_into_order(device, monkeypatch):
    taken = []

    def gather_values(device, to, values, places, count, size, index="int32"):
        taken.append(size)
        own(device, to, values, places, count, size, index)

    graph, program, own = graph_of(3), Sizes(supersteps=2), gather.gather_values
    plain = run(graph, program, device, False, monkeypatch)
    monkeypatch.setattr(gather, "pays", lambda device: True)
    monkeypatch.setattr(gather, "gather_values", gather_values)
    engine = Engine(graph, device)
    result = engine.run(program)
    assert result.numbering
    same(result, plain)
    assert sorted(taken) == [1, 2, 4, 8], "int3 and double4 are left to the host"
    later = Engine(copy(graph), device).run(program)  # whose engine is gone
    same(later, plain)
    assert len(taken) == 4


@pytest.mark.parametrize(
    ("program", "directed"),
    thinned(
        [
            PageRank(dtype="float64"),
            PageRank(dtype="float64", personalization={"v3": 1, "v5": 2}),
            WeightedPageRank(dtype="float64"),
            Katz(alpha=1e-3, dtype="float64"),
            Eigenvector(dtype="float64"),
            WeightedEigenvector(dtype="float64"),
            Hits(dtype="float64"),
        ],
        [True, False],
    ),
    ids=repr,
)
@pytest.mark.usefixtures("renumbered")
def test_bundled_programs(device, monkeypatch, program, directed):
    graph = graph_of(1, directed=directed)
    one, two = (run(graph, program, device, n, monkeypatch) for n in (True, False))
    for name in two.fields:
        assert np.allclose(one[name], two[name], rtol=1e-6, atol=1e-9)
    assert [v for v, _ in one.top(next(iter(two.fields)), 5)] == [
        v for v, _ in two.top(next(iter(two.fields)), 5)
    ]


class Sees(VertexProgram):
    """What a snippet sees of itself and of its senders."""

    Pair = struct([("a", "int32"), ("b", "real")])
    me = vertex.int32(init="v.id")
    then = vertex.int32(init="-1")
    drawn = vertex.uint32()
    three = vertex.real3()
    pair = vertex.struct(Pair)
    senders = vertex.real()
    edges_seen = vertex.real()
    where = param.vertex(0)
    message, combine, scatter_on, apply_on = "real2", "sum", "all", "all"
    scatter = "send((real2)(v.me, (real)1));"
    init = "v.drawn = hash(v.id);"
    apply = """
        v.then = v.id == p.where ? 1000 : v.id;
        v.senders = msg.x;
        v.edges_seen = msg.y;
        v.three.y += v.id;
        v.pair.a += v.id;
    """
    supersteps = param.supersteps(1)


@pytest.mark.usefixtures("renumbered")
def test_what_a_snippet_sees(device, monkeypatch):
    graph = graph_of(2)
    n = graph.num_vertices
    three = np.arange(3 * n, dtype=np.float32).reshape(n, 3)
    pair = np.zeros(n, [("a", "i4"), ("b", "f4")])
    pair["a"] = np.arange(n) * 10
    program = Sees(where=graph.label_of(9), three=three, pair=pair)
    result = run(graph, program, device, True, monkeypatch)
    ids = np.arange(n)
    assert result.me.tolist() == ids.tolist()
    assert result.then.tolist() == np.where(ids == 9, 1000, ids).tolist()
    senders = np.bincount(graph.edge_dst, graph.edge_src, n)
    assert result.senders.tolist() == senders.tolist()
    assert result.edges_seen.tolist() == graph.in_degree.tolist()
    assert result.three.tolist() == (three + np.outer(ids, [0, 1, 0])).tolist()
    assert result.pair["a"].tolist() == (ids * 11).tolist()
    assert result.drawn.tolist() == run(graph, program, device, False, monkeypatch).drawn.tolist()


# States -------------------------------------------------------------------------------------


class Marks(VertexProgram):
    """Masked, so that its vertices keep their numbers: adds 1 at the neighbors of its mask."""

    rank = vertex.real(init="v.id")
    count = vertex.int32()
    mask = "v.id % 5 == 0"
    message, combine = "int32", "max"
    scatter = "send(1);"
    apply = "v.count += msg; if (v.id % 7 == superstep % 7) set_mask();"
    restart = "any"


class Dense(VertexProgram):
    rank = vertex.real(init="v.id")
    seen = vertex.real()
    message, combine, scatter_on, apply_on = "real", "max", "all", "all"
    scatter = "send(v.rank);"
    apply = "v.seen = msg; v.rank += v.id % 3;"
    supersteps = param.supersteps(2)
    restart = "any"


@pytest.mark.parametrize("numbered", one_in(2, [True, False]))
@pytest.mark.usefixtures("renumbered")
def test_states_go_from_run_to_run(device, monkeypatch, numbered):
    """From a run by other numbers to one by the graph's own, and back, with the mask between."""
    if not numbered:
        monkeypatch.setattr(reordering, "LEAST", 2**40)
    graph = graph_of(3)
    engine = Engine(graph, device)
    keep = {"keep_state": True, "not_converged": "ignore"}
    first = engine.run(Dense(), **keep)
    assert bool(first.numbering) == numbered
    first_rank = first.rank.tolist()
    ids = np.arange(graph.num_vertices)
    assert first_rank == (ids + 2 * (ids % 3)).tolist()

    marked = engine.run(Marks(), state=first.state, max_supersteps=1, **keep)
    assert not marked.numbering and marked.rank.tolist() == first_rank
    reached = np.zeros(graph.num_vertices, int)
    reached[graph.edge_dst[graph.edge_src % 5 == 0]] = 1
    assert marked["count"].tolist() == reached.tolist()

    dense = engine.run(Dense(), state=marked.state, **keep)  # which passes the mask on
    rank = np.asarray(first_rank) + 2 * (ids % 3)
    assert dense.rank.tolist() == rank.tolist()
    again = engine.run(Marks(), state=dense.state, start="mask", max_supersteps=1, **keep)
    # The first superstep marks those with a message whose id is a multiple of 7.
    sends = (reached == 1) & (ids % 7 == 0)
    more = np.zeros(graph.num_vertices, int)
    more[graph.edge_dst[sends[graph.edge_src]]] = 1
    assert sends.any() and again.trace[0].active == sends.sum()
    assert again["count"].tolist() == (reached + more).tolist()
    assert again.rank.tolist() == rank.tolist()


@pytest.mark.usefixtures("renumbered")
def test_a_run_in_parts(device, monkeypatch):
    """A run that is continued, twice, is the run without interruption, bit for bit."""
    graph = graph_of(4)
    engine = Engine(graph, device)
    whole = engine.run(PageRank(supersteps=9, dtype="float64"))
    part = engine.run(
        PageRank(tolerance=1e-12, dtype="float64"),
        max_supersteps=4,
        keep_state=True,
        not_converged="ignore",
    )
    more = engine.run(
        PageRank(tolerance=1e-12, dtype="float64"),
        state=part.state,
        max_supersteps=5,
        keep_state=True,
        not_converged="ignore",
    )
    assert part.numbering and more.trace[0].superstep == 4
    assert more.rank.tobytes() == whole.rank.tobytes()


@pytest.mark.usefixtures("renumbered")
def test_a_changed_graph(device):
    """It has other degrees, and so other numbers."""
    graph = graph_of(5)
    before = Engine(graph, device).run(PageRank(tolerance=1e-5), keep_state=True)
    add = [(graph.label_of(1), graph.label_of(int(i))) for i in (3, 5, 9)]
    other = graph.with_edges(add, w=[1] * 3, weight=[1.0] * 3)
    engine = Engine(other, device)
    warm = engine.run(PageRank(tolerance=1e-5), state=before.state)
    cold = engine.run(PageRank(tolerance=1e-5))
    assert warm.numbering and warm.supersteps < cold.supersteps
    assert np.abs(warm.rank - cold.rank).sum() < 1e-4


@pytest.mark.usefixtures("renumbered")
def test_components_continue_from_a_state_of_ranks(device):
    graph = graph_of(6, directed=False)
    engine = Engine(graph, device)
    state = engine.run(PageRank(supersteps=2), keep_state=True).state
    assert state.field("rank").tolist() == engine.run(PageRank(supersteps=2)).rank.tolist()
    found = engine.run(ConnectedComponents(), state=state)
    assert found.component.tolist() == engine.run(ConnectedComponents()).component.tolist()


# What ends early or goes wrong ---------------------------------------------------------------


@pytest.mark.usefixtures("renumbered")
def test_callbacks_and_limits(device, monkeypatch):
    graph, called = graph_of(7), ([], [])
    for steps, numbered in zip(called, (True, False), strict=True):
        result = run(
            graph,
            Dense(supersteps=9),
            device,
            numbered,
            monkeypatch,
            callback=steps.append,
            max_supersteps=3,
        )
        assert result.supersteps == 3
        ids = np.arange(graph.num_vertices)
        assert result.rank.tolist() == (ids + 3 * (ids % 3)).tolist()
    assert [s.messages for s in called[0]] == [s.messages for s in called[1]]


@pytest.mark.usefixtures("renumbered")
def test_an_interrupted_run(device):
    import os
    import signal

    graph = graph_of(8)

    def press(step):
        if step.superstep == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted) as caught:
        Engine(graph, device).run(Dense(supersteps=5000), callback=press)
    result, ids = caught.value.result, np.arange(graph.num_vertices)
    assert result.numbering and result.supersteps >= 3
    assert result.rank.tolist() == (ids + result.supersteps * (ids % 3)).tolist()


class Breaks(VertexProgram):
    x = vertex.real()
    broken = param.vertex(0)
    message, combine, scatter_on, apply_on = "real", "sum", "all", "all"
    scatter = "send(v.x);"
    apply = "v.x = v.id == p.broken ? msg / (real)0 - msg / (real)0 : 1;"
    supersteps = param.supersteps(1)


@pytest.mark.usefixtures("renumbered")
def test_nan_is_at_the_vertex_where_it_is(device):
    graph = graph_of(9)
    with pytest.warns(RuntimeWarning, match=f"NaN at 1 vertices, first at '{graph.label_of(17)}'"):
        result = Engine(graph, device).run(Breaks(broken=graph.label_of(17)))
    assert result.numbering and np.flatnonzero(np.isnan(result.x)).tolist() == [17]
    with pytest.raises(ProgramError, match=f"vertex '{graph.label_of(17)}' "):
        Engine(graph, device, debug=True).run(Breaks(broken=graph.label_of(17)))


class Overflows(VertexProgram):
    x = vertex.int32(init="v.id % 3 == 2 ? 2147483647 : 0")
    message, combine, scatter_on, apply_on = "int32", "sum", "all", "all"
    scatter = "send(v.x);"
    apply = "v.x = msg;"
    supersteps = param.supersteps(1)


@pytest.mark.usefixtures("renumbered")
def test_an_overflow_is_at_the_first_vertex(device):
    graph = graph_of(10)
    sums = np.bincount(graph.edge_dst, graph.edge_src % 3 == 2, graph.num_vertices)
    first = graph.label_of(int(np.flatnonzero(sums > 1)[0]))
    with pytest.raises(GasclError, match=f"a message at vertex '{first}' overflowed"):
        Engine(graph, device).run(Overflows())


# Programs whose vertices keep their numbers ---------------------------------------------------


def changed(base=Dense, **more):
    return type("Changed", (VertexProgram,), dict(vars(base)) | more)


MESSAGES = {"gather": "msg = num_messages;", "combine": "", "restart": "never"}
KEPT = {
    "a mask": changed(scatter_on="mask"),
    "get_mask": changed(apply="v.seen = get_mask();"),
    "FIELD_of": changed(apply="v.seen = rank_of(0);"),
    "send_to": changed(apply="v.seen = msg; send_to(0, msg);", restart="never"),
    "neighbor": changed(apply="v.seen = num_neighbors ? neighbor(0) : 0;"),
    "gather": changed(**MESSAGES),
    "first": changed(combine="first"),
    "ids along arcs": changed(scatter="send(v.rank + e.src);"),
    "ids of senders along arcs": changed(w=edge.real(default=1), scatter="send(e.w * v.id);"),
    "an arc's state": changed(
        kept=arc.real(), scatter="e.kept += 1; send(e.kept);", restart="never"
    ),
    "overflow": Overflows,
    "lanes": changed(lanes=2),
    "a pair": changed(pairs="if (u.rank < v.rank) send(u.rank);"),
    "no message": changed(scatter=""),
}


@pytest.mark.parametrize("name", KEPT)
def test_programs_that_ask_for_places(name):
    assert not Traits.of(KEPT[name].spec).renumbers


def test_programs_that_do_not():
    loops = changed(w=edge.real(default=1), scatter="if (e.src != e.dst) send(e.w * v.rank);")
    several = [Dense, Sees, PageRank, WeightedPageRank, loops]
    assert all(Traits.of(cls.spec).renumbers for cls in several)
    assert not Traits.of(BreadthFirst.spec).renumbers


@pytest.mark.usefixtures("renumbered")
def test_lanes_and_frontiers_are_as_before(device):
    graph = graph_of(11)
    engine = Engine(graph, device)
    lanes = engine.run(PageRank(damping=[0.5, 0.85], dangling="ignore", supersteps=5))
    for lane, damping in enumerate((0.5, 0.85)):
        one = engine.run(PageRank(damping=damping, dangling="ignore", supersteps=5))
        assert one.numbering and not lanes.numbering
        assert np.allclose(lanes.rank[:, lane], one.rank, rtol=1e-5)
    assert not engine.run(BreadthFirst(source=graph.label_of(0))).numbering


# What a user is told --------------------------------------------------------------------------


def test_a_result_says_so(monkeypatch, tmp_path, gascl_):
    monkeypatch.setattr(reordering, "LEAST", 10)
    rng = np.random.default_rng(1)
    src, dst = np.repeat([0, 1, 2], 30), rng.integers(0, 48, 90)
    graph = Graph.from_edges(src, dst, num_vertices=48)
    result = Engine(graph).run(PageRank())
    words = "hubs first: 100% of the arcs leave 1/16 of the vertices"
    assert result.numbering == words
    assert Engine(graph).run(Eigenvector(), not_converged="ignore").numbering == words
    result.save_trace(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())["numbering"] == words
    graph.write(tmp_path / "g.npz")
    code, out, _ = gascl_("run", "PageRank", tmp_path / "g.npz", "--verbose")
    assert code == 0 and f"vertices on the device: {words}" in out
    assert not Engine(graph, debug=True).run(PageRank()).numbering


@pytest.mark.usefixtures("units")
def test_arcs_of_a_file_are_streamed_without_sorting_them_again(monkeypatch, tmp_path):
    """They are mapped, and memory may have no room for them."""
    monkeypatch.setattr(reordering, "LEAST", 10)
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 100, 200_000), rng.integers(0, 2000, 200_000)
    graph = Graph.from_edges(*ends, num_vertices=2000)
    graph.write(tmp_path / "plain.npz", arcs=True)
    whole = Engine(graph).run(PageRank())
    graph.write(tmp_path / "numbered.npz", arcs=True)
    memory = int(0.9 * sum(estimate(2000, 200_000, program=PageRank()).device.values()))
    assert whole.numbering and Engine(graph, device_memory=memory).run(PageRank()).numbering
    for name, numbered in (("plain", False), ("numbered", True)):
        mapped = Graph.read(tmp_path / f"{name}.npz")
        found = Engine(mapped, device_memory=memory).run(PageRank())
        assert found.trace[0].why.startswith("the arcs come in")
        assert bool(found.numbering) == numbered
        assert ("ends" in mapped.numbered()[1].into.kept) == numbered
        np.testing.assert_allclose(found.rank, whole.rank, rtol=1e-5)
        assert Engine(mapped).run(PageRank()).numbering == whole.numbering


def test_arcs_of_a_file_are_not_sorted_again_with_little_memory(monkeypatch, tmp_path):
    """To sort them takes 12 bytes each, of which half of the host's memory must have room."""
    monkeypatch.setattr(reordering, "LEAST", 10)
    monkeypatch.setattr("gascl.device_graph.sort.pays", lambda device: False)
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 100, 5000), rng.integers(0, 2000, 5000))
    graph.write(tmp_path / "plain.npz", arcs=True)
    few = 2 * 12 * graph.num_arcs - 1
    assert Engine(graph).run(PageRank()).numbering
    graph.write(tmp_path / "numbered.npz", arcs=True)
    for has, name, numbered in (
        (few, "plain", False),
        (few + 1, "plain", True),
        (None, "plain", True),  # nobody knows
        (few, "numbered", True),
    ):
        for module in ("run.engine", "run.memory_estimate"):
            monkeypatch.setattr(f"gascl.{module}.machine_memory", lambda has=has: has)
        mapped = Graph.read(tmp_path / f"{name}.npz")
        lines = described(mapped, PageRank())
        assert any("numbers of the vertices" in line for line in lines) == numbered
        result = Engine(mapped).run(PageRank())
        assert bool(result.numbering) == numbered
        assert ("ends" in mapped.numbered()[1].into.kept) == numbered
        assert Engine(graph).run(PageRank()).numbering  # whose arcs are in no file


@pytest.mark.parametrize("cls", [PageRank, Dense, changed(edges="alternate")])
@pytest.mark.usefixtures("renumbered")
def test_memory_is_estimated(device, monkeypatch, cls):
    computed = []
    check = State.__init__.__globals__["check_memory"]

    def note(device, sizes, resident):
        computed.append(sum(sizes.values()) + resident)
        return check(device, sizes, resident)

    graph = graph_of(12)
    known = estimate(
        graph.num_vertices,
        graph.num_edges,
        num_loops=graph.num_loops,
        program=cls(),
        device=device,
        numbered=True,
    )
    monkeypatch.setitem(State.__init__.__globals__, "check_memory", note)
    result = Engine(graph, device).run(cls(), max_supersteps=2, not_converged="ignore")
    assert result.numbering and sum(known.device.values()) == computed[0]
    n = graph.num_vertices
    assert known.host["numbers of the vertices"] == 8 * n + 4 * n
    assert ("v.id" in known.device) == (cls is not PageRank)
    assert any("numbers of the vertices" in line for line in described(graph, cls()))
    assert not any(re.search("numbers of", line) for line in described(graph))
