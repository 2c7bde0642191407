"""Several runs at once: each lane is what a run of its own would be, bit for bit."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from support.case_subsets import one_in
from support.reference_answers import iterate
from support.samples import random_graph, skewed, weighted

from gascl import Engine, GasclError, Graph, VertexProgram, aggregate, arc, param, struct, vertex
from gascl.programs import BreadthFirst, PageRank, ShortestPaths
from gascl.results.result import Result

SOURCES = 64


@functools.cache
def one_by_one(program: type[VertexProgram], **options) -> tuple[Graph, list[int], list[Result]]:
    """A graph, sources in it, and a run from each."""
    directed = program is BreadthFirst
    graph = weighted(random_graph(4, directed=directed, vertices=150, edges=300))
    sources = np.random.default_rng(1).integers(0, 150, SOURCES).tolist()
    runner = Engine(graph)
    return graph, sources, [runner.run(program(source=s, **options)) for s in sources]


@pytest.mark.parametrize("delivery", one_in(2, ["auto", "slots", "outbox", "pull", "serial"]))
def test_breadth_first_from_64_sources(delivery):
    graph, sources, singles = one_by_one(BreadthFirst)
    result = Engine(graph).run(BreadthFirst(source=sources), delivery=delivery)
    assert result.depth.shape == result.parent.shape == (150, SOURCES)
    messages = np.zeros(result.supersteps, int)
    for lane, single in enumerate(singles):
        assert np.array_equal(single.depth, result.depth[:, lane])
        assert np.array_equal(single.parent, result.parent[:, lane])
        messages[: single.supersteps] += [step.messages for step in single.trace]
    assert [step.messages for step in result.trace] == messages.tolist()
    assert result.converged and len(np.unique(result.depth)) > 4


@pytest.mark.parametrize(
    ("dtype", "delivery"),
    one_in(
        3,
        [
            *(("float32", d) for d in ("slots", "auto", "edges", "pull")),
            *(("float64", "auto"), ("float32", "serial")),
        ],
    ),
)
def test_shortest_paths_from_64_sources(dtype, delivery):
    graph, sources, singles = one_by_one(ShortestPaths, dtype=dtype)
    program = ShortestPaths(source=np.array(sources), dtype=dtype)
    result = Engine(graph).run(program, delivery=delivery)
    assert result.distance.shape == (150, SOURCES)
    for lane, single in enumerate(singles):
        assert np.array_equal(single.distance, result.distance[:, lane])
        assert np.array_equal(single.parent, result.parent[:, lane])


def test_sources_are_labels():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], labels=["a", "b", "c", "d"])
    result = Engine(graph).run(BreadthFirst(source=["b", "d"]))
    assert result.depth.tolist() == [[-1, -1], [0, -1], [1, -1], [2, 0]]
    assert [step.active for step in result.trace] == [2, 1, 1]
    one = Engine(graph).run(BreadthFirst(source=["b"]))
    assert one.depth.shape in ((4,), (4, 1)) and one.depth.ravel().tolist() == [-1, 0, 1, 2]


def round_trip(vertices: int, edges: int) -> Graph:
    """Without vertices that arcs don't leave."""
    drawn = skewed(6, vertices, edges)
    ring = np.arange(vertices)
    src = np.concatenate([drawn.edge_src, ring])
    return Graph.from_edges(src, np.concatenate([drawn.edge_dst, (ring + 1) % vertices]))


@pytest.mark.parametrize("delivery", one_in(2, ["auto", "slots", "pull"]))
def test_page_rank_with_several_dampings(delivery):
    graph = round_trip(90, 300)
    dampings = [0.5, 0.85, 0.95]
    program = PageRank(damping=dampings, supersteps=8, dtype="float64")
    result = Engine(graph).run(program, delivery=delivery)
    for lane, damping in enumerate(dampings):
        expected = iterate(graph, damping=damping, supersteps=8)
        assert np.abs(result.rank[:, lane] - expected).sum() < 1e-14


def test_page_rank_from_several_people():
    """Initial values: (V, k), or (V,) for all lanes; the tolerance is for all lanes together."""
    graph = round_trip(90, 300)
    people = np.zeros((90, 3))
    people[[3, 20, 70], [0, 1, 2]] = 7, 1, 0.5
    program = PageRank(
        damping=[0.8, 0.8, 0.9], personalization=people, dtype="float64", tolerance=1e-12
    )
    result = Engine(graph).run(program)
    for lane, damping in enumerate([0.8, 0.8, 0.9]):
        expected = iterate(graph, damping=damping, start=people[:, lane])
        assert np.abs(result.rank[:, lane] - expected).sum() < 1e-10
    same = Engine(graph).run(
        PageRank(damping=[0.8, 0.9], personalization=people[:, 1], supersteps=5, dtype="float64")
    )
    expected = iterate(graph, damping=0.9, start=people[:, 1], supersteps=5)
    assert np.abs(same.rank[:, 1] - expected).sum() < 1e-14
    last = result.trace[-1].aggregates["change"]
    assert last < 1e-12 <= result.trace[-2].aggregates["change"]


def test_page_rank_refuses_to_mix_what_lanes_lose():
    graph = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(GasclError, match=r"lanes.*without out-arcs; run one by one"):
        Engine(graph).run(PageRank(damping=[0.5, 0.85], dtype="float64"))
    result = Engine(graph).run(PageRank(damping=[0.5, 0.85], dangling="ignore", supersteps=3))
    for lane, damping in enumerate([0.5, 0.85]):
        expected = iterate(graph, damping=damping, dangling="ignore", supersteps=3)
        assert result.rank[:, lane] == pytest.approx(expected, rel=1e-6)


class Everything(VertexProgram):
    """Each kind of declaration, with a value that tells vertex and lane."""

    lanes = 3
    Pair = struct([("far", "real"), ("near", "int32")])
    factor = param.int32(10)
    supersteps = param.supersteps(2)
    one = vertex.int32(init="p.factor * v.id + lane")
    two = vertex.real2(init="(real2)(v.id, lane)")
    pair = vertex.struct(Pair, init="(Pair){lane, v.id}")
    given = vertex.int32()
    total = aggregate.int64("sum")
    calls = aggregate.int64("count")
    passed = arc.int32(init="100 * e.src + 10 * e.dst + lane")
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        e.passed += 1000;
        send(v.one);
    """
    apply = """
        v.one = msg;
        v.given += lane;
        aggregate_total(msg);
        aggregate_calls(1);
    """


@pytest.mark.parametrize("delivery", one_in(2, ["slots", "edges", "serial"]))
def test_every_kind_of_field_has_k_values(delivery):
    graph = Graph.from_edges([0, 1, 1], [1, 2, 0])
    given = np.arange(9).reshape(3, 3)
    result = Engine(graph).run(Everything(given=given), delivery=delivery)
    # one = 10 v + lane; after a superstep that of the vertex before, after two of that before it.
    assert result.one.tolist() == [[0, 1, 2], [10, 11, 12], [0, 1, 2]]
    assert result.two.shape == (3, 3, 2)
    assert result.two[2].tolist() == [[2, 0], [2, 1], [2, 2]]
    assert result.pair.shape == (3, 3)
    assert result.pair["far"].tolist() == [[0, 1, 2]] * 3
    assert result.pair["near"].tolist() == [[v] * 3 for v in range(3)]
    assert result.given.tolist() == (given + np.array([0, 2, 4])).tolist()
    passed = result.arc_fields["passed"]
    assert passed.tolist() == [[x + lane for lane in range(3)] for x in (2010, 2100, 2120)]
    assert [step.messages for step in result.trace] == [9, 9]
    assert [step.active for step in result.trace] == [3, 3]
    assert [step.aggregates["calls"] for step in result.trace] == [9, 9]
    assert [step.aggregates["total"] for step in result.trace] == [69, 39]
    for_all = Engine(graph).run(Everything(given=[1, 2, 3], factor=5), delivery=delivery)
    assert for_all.given.tolist() == [[1, 3, 5], [2, 4, 6], [3, 5, 7]]
    listed = Engine(graph).run(Everything(factor=[1, 2, 3], supersteps=0), delivery=delivery)
    assert listed.one.tolist() == [[0, 1, 2], [1, 3, 5], [2, 5, 8]]


class OneLane(VertexProgram):
    """Only lane 0 sets the mask; all lanes scatter."""

    lanes = 2
    heard = vertex.int32()
    message, combine = "int32", "sum"
    mask = "v.id == 0 && lane == 0"
    scatter = "send(1 + lane);"
    apply = """
        v.heard += msg;
        if (lane == 0)
            set_mask();
    """


@pytest.mark.parametrize("delivery", one_in(4, ["slots", "pull", "outbox", "serial", "edges"]))
def test_the_mask_is_the_union(delivery):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    result = Engine(graph).run(OneLane(), delivery=delivery)
    assert result.heard.tolist() == [[0, 0], [1, 2], [1, 2], [1, 2]]
    assert [step.active for step in result.trace] == [1, 1, 1, 1]


def test_refused():
    graph = random_graph(0, directed=True)
    with pytest.raises(GasclError, match="65 values; at most 64 lanes"):
        BreadthFirst(source=list(range(65)))
    with pytest.raises(
        GasclError, match=r"2 values, but there are 3 lanes|3 values, but there are 2 lanes"
    ):
        PageRank(damping=[0.1, 0.2, 0.3], tolerance=[1e-3, 1e-4])
    with pytest.raises(GasclError, match=r"push.*lanes"):
        Engine(graph).run(BreadthFirst(source=[0, 1]), delivery="push")
    with pytest.raises(GasclError, match="empty"):
        BreadthFirst(source=[])
