"""Shortest paths against Dijkstra's algorithm, SciPy's and a plain one; and the tree of parents."""

from __future__ import annotations

import functools
import math
import re
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from support.admitting_deliveries import admitted
from support.agreement import PARTS, part_of
from support.case_subsets import one_in, thinned
from support.reference_answers import by_heap, check_tree, weighted_arcs
from support.verifiers.shortest_paths import verify

from gascl import Engine, Graph, GraphError, ProgramError
from gascl.programs import BellmanFord, BreadthFirst, Distances, ShortestPaths
from gascl.programs.shortest_paths import predecessors
from gascl.run import engine as engine_module

pytestmark = pytest.mark.optimized

SHARED = Path(__file__).parents[3] / "shared" / "data"
DELIVERIES = ("auto", "slots", "pull", "push", "edges", "serial")


def random_graph(seed: int, *, directed: bool, zeros: bool = False, real: bool = False) -> Graph:
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, 60, (2, 150))
    weight = rng.random(150) if real else rng.integers(0 if zeros else 1, 4 if zeros else 50, 150)
    weight[:3] = weight[3:6]
    src[:2], dst[:2] = src[2:4], dst[2:4]  # parallel edges
    return Graph.from_edges(src, dst, num_vertices=64, directed=directed, weight=weight)


@pytest.mark.parametrize(
    ("directed", "zeros", "seed"), thinned([True, False], [False, True], [0, 1, 2], by=6)
)
def test_random_graphs(directed, zeros, seed):
    graph = random_graph(seed, directed=directed, zeros=zeros)
    runner, source = Engine(graph), int(graph.edge_src[0])
    expected = by_heap(graph, source)
    for delivery in DELIVERIES:
        result = runner.run(ShortestPaths(source=source), delivery=delivery)
        assert result.distance.tolist() == expected, delivery
        assert (result.distance.dtype, result.parent.dtype) == (np.float32, np.int32)
        check_tree(graph, source, result.distance, result.parent)
        assert result.converged
    assert math.inf in expected


@pytest.mark.parametrize("directed", [True, False])
def test_real_weights(directed):
    """Sums along a path are made in the same order, so that float64 is exact to the last bit."""
    graph = random_graph(5, directed=directed, real=True)
    source = int(graph.edge_src[0])
    expected = by_heap(graph, source)
    result = Engine(graph).run(ShortestPaths(source=source, dtype="float64"))
    assert result.distance.tolist() == expected
    check_tree(graph, source, result.distance, result.parent)
    single = Engine(graph).run(ShortestPaths(source=source))
    assert single.distance.tolist() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.slow)])
@pytest.mark.parametrize("directed", one_in(2, [True, False]))
@pytest.mark.parametrize(("program", "part"), thinned([Distances, ShortestPaths], PARTS, by=4))
def test_several_sources_and_a_cutoff(program, part, directed, dtype):
    graph = random_graph(1, directed=directed, zeros=True)
    runner, some = Engine(graph), [int(v) for v in graph.edge_src[:3]]
    for values in (
        {"sources": some},
        {"source": some[0], "cutoff": 3},
        {"sources": some, "cutoff": 2},
        {"sources": [some[0]], "cutoff": 0},
        {"source": some[0]},
    ):
        made = program(dtype=dtype, **values)
        for delivery in part_of(admitted(made), part):
            result = runner.run(made, delivery=delivery)
            verify(graph, result, made)
            assert result.distance.dtype == dtype and result.converged


def test_push_takes_float64():
    assert "push" in admitted(Distances(source=0, dtype="float64"))


@pytest.mark.parametrize("program", [Distances, ShortestPaths])
def test_no_cutoff(program):
    assert program(source=0, cutoff=None).cutoff == math.inf == program(source=0).cutoff


def test_a_cutoff_for_each_lane():
    graph = random_graph(1, directed=True)
    some = [int(v) for v in graph.edge_src[:2]]
    result = Engine(graph).run(Distances(sources=some, cutoff=[5, 50, math.inf]))
    for lane, cutoff in enumerate((5, 50, math.inf)):
        one = Engine(graph).run(Distances(sources=some, cutoff=cutoff))
        assert result.distance[:, lane].tolist() == one.distance.tolist()
    lanes = Engine(graph).run(Distances(source=some)).distance
    assert lanes[:, 1].tolist() == by_heap(graph, some[1])


@pytest.mark.parametrize("program", [BreadthFirst, Distances, ShortestPaths, BellmanFord])
def test_which_sources(program):
    engine = Engine(Graph.from_edges([0, 1], [1, 2], labels=["a", "b", "c"]))
    for values, said in (
        ({}, r"parameter 'source' is required: give source=\.\.\., or sources=\[\.\.\.\]"),
        ({"sorce": 1}, "no parameter 'sorce'; did you mean 'source'?"),
        ({"source": "a", "sources": ["b"]}, r"give source=... or sources=\[...\], not both"),
        ({"sources": 2}, "sources=2: expected a list of labels"),
        ({"sources": []}, r"sources=\[\]: expected labels, not an empty list"),
    ):
        with pytest.raises(ProgramError, match=f"{program.__name__}: {said}"):
            program(**values)
    for values in ({"sources": ["d"]}, {"sources": ["a", "d"]}, {"source": "d"}):
        with pytest.raises(GraphError, match="'d'"):
            engine.run(program(**values))
    field = "depth" if program is BreadthFirst else "distance"
    for values in ({"sources": ["b", "a"]}, {"sources": "a,b"}):
        assert engine.run(program(**values))[field].tolist() == [0, 0, 1]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_all_predecessors(seed, directed):
    """NetworkX's, also where arcs of weight 0 lead round."""
    graph = random_graph(seed, directed=directed, zeros=True)
    made, source = graph.to_networkx(multigraph=True), int(graph.edge_src[0])
    before, far = nx.dijkstra_predecessor_and_distance(made, source)
    distance = Engine(graph).run(Distances(source=source)).distance
    offsets, vertices = predecessors(graph, distance)
    found = [vertices[offsets[v] : offsets[v + 1]].tolist() for v in range(graph.num_vertices)]
    assert found == [sorted(set(before.get(v, []))) for v in range(graph.num_vertices)]
    assert any(len(x) > 1 for x in found) and len(far) < graph.num_vertices
    depth = Engine(graph).run(BreadthFirst(source=source)).depth
    offsets, vertices = predecessors(graph, depth, None)
    found = [vertices[offsets[v] : offsets[v + 1]].tolist() for v in range(graph.num_vertices)]
    before = nx.predecessor(made, source)
    assert found == [sorted(set(before.get(v, []))) for v in range(graph.num_vertices)]


def test_by_hand():
    """a > b > d and a > c > d, equally long: of two parents in one superstep the first vertex."""
    graph = Graph.from_edges(
        [0, 0, 2, 1, 3, 4], [2, 1, 3, 3, 3, 0], labels=["a", "b", "c", "d", "e"],
        weight=[1.0, 2.0, 2.0, 1.0, 0.0, 1.0],
    )  # fmt: skip
    result = Engine(graph).run(ShortestPaths(source="a"))
    assert result.distance.tolist() == [0, 2, 1, 3, math.inf]
    assert result.parent.tolist() == [-1, 0, 0, 1, -1]
    assert [(s.active, s.messages) for s in result.trace] == [(1, 2), (2, 2), (1, 0)]
    alone = Engine(graph).run(ShortestPaths(source="d"))
    assert alone.distance.tolist() == [math.inf] * 3 + [0, math.inf]


def test_a_later_and_shorter_path_replaces_the_parent():
    graph = Graph.from_edges([0, 0, 1, 2], [3, 1, 2, 3], weight=[9, 1, 1, 1])
    result = Engine(graph).run(ShortestPaths(source=0))
    assert result.distance.tolist() == [0, 1, 2, 3]
    assert result.parent.tolist() == [-1, 0, 1, 2]


def test_without_weights_edges_are_counted():
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 2])
    result = Engine(graph).run(ShortestPaths(source=0))
    assert result.distance.tolist() == [0, 1, 1, 2]
    assert result.parent.tolist() == [-1, 0, 0, 2]


def test_infinite_weights_lead_nowhere():
    graph = Graph.from_edges([0, 1], [1, 2], weight=[np.inf, 1.0])
    result = Engine(graph).run(ShortestPaths(source=0))
    assert result.distance.tolist() == [0, math.inf, math.inf]
    assert result.parent.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        ([1.0, -0.5, -2.0], r"edge 1 \('b' to 'c'\) has -0.5 \(2 such edges\)"),
        ([1.0, 2.0, np.nan], r"edge 2 \('c' to 'a'\) has nan \(1 such edge\)"),
        ([-3, 2, 1], r"edge 0 \('a' to 'b'\) has -3 \(1 such edge\)"),
    ],
)
def test_negative_weights_are_refused_before_the_run(weight, said, monkeypatch):
    def refuse(*args):
        raise AssertionError("the run begins")

    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], labels=["a", "b", "c"], weight=weight)
    monkeypatch.setattr(engine_module, "State", refuse)
    with pytest.raises(GraphError, match=f"ShortestPaths: weight must be 0 or more, but {said}"):
        Engine(graph).run(ShortestPaths(source="a"))


def test_weights_whose_sums_may_be_rounded_are_warned_of():
    path = [[0, 1, 2], [1, 2, 3]]
    graph = Graph.from_edges(*path, weight=[2**23, 2**23, 1])  # 2^24 + 1 is no float32
    with pytest.warns(UserWarning, match="weights up to 8388608 may sum to more than 16,777,216"):
        rounded = Engine(graph).run(ShortestPaths(source=0))
    assert rounded.distance.tolist()[:3] == [0, 2**23, 2**24]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exact = Engine(graph).run(ShortestPaths(source=0, dtype="float64"))
        assert exact.distance[3] == 2**24 + 1
        small = Graph.from_edges(*path, weight=[2**22, 2**22, 1])
        assert Engine(small).run(ShortestPaths(source=0)).distance[3] == 2**23 + 1


def test_whole_numbers_given_as_floats_are_warned_of_and_others_are_not():
    for weight, warned in (([2.0**24, 1, 1], 1), ([2.0**24, 1, 0.5], 0), ([2.0**24 - 2, 1, 1], 0)):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            graph = Graph.from_edges([0, 1, 2], [1, 2, 3], weight=weight)
            Engine(graph).run(ShortestPaths(source=0))
        assert len(said) == warned
        assert not warned or "from where float32 rounds whole numbers" in str(said[0].message)


def test_distances_that_may_overflow_are_warned_of():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], weight=[3e38, 3e38, 1])
    said = r"weights up to 3e\+38 may sum to more than float32 holds, .* or give dtype='float64'"
    for large in (graph, Graph.from_edges([0, 1], [1, 2], weight=[3e38, 3e38])):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Engine(large).run(ShortestPaths(source=0))
        (alone,) = caught  # none of NumPy's beside it
        assert re.search(said, str(alone.message))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Engine(graph).run(ShortestPaths(source=0, dtype="float64"))
        assert found.distance[3] == pytest.approx(6e38)
        blocked = Graph.from_edges([0, 1], [1, 2], weight=[1.0, np.inf])
        assert Engine(blocked).run(ShortestPaths(source=0)).distance.tolist() == [0, 1, np.inf]
    huge = Graph.from_edges([0, 1], [1, 2], weight=[1e308, 1e308])
    with pytest.warns(UserWarning, match="more than float64 holds, and be lost: scale them all"):
        Engine(huge).run(ShortestPaths(source=0, dtype="float64"))


def test_parents_are_exact_beyond_what_float32_holds():
    """A predecessor is an integer beside the distance: 2^24 + 1, here, is no float32."""
    last = 2**24 + 1
    graph = Graph.from_edges([last, last - 1], [0, 0], num_vertices=last + 1, weight=[1.0, 0.5])
    result = Engine(graph).run(ShortestPaths(source=last))
    assert (result.distance[0], result.parent[0]) == (1, last)
    assert np.isfinite(result.distance).sum() == 2


def check_against_scipy(graph: Graph, source: int, **options) -> None:
    """SciPy adds parallel entries up: it gets the least of them."""
    src, dst, weight = (np.array(column) for column in zip(*weighted_arcs(graph), strict=True))
    order = np.lexsort((weight, dst, src))
    src, dst, weight = src[order], dst[order], weight[order]
    first = np.concatenate([[True], (src[1:] != src[:-1]) | (dst[1:] != dst[:-1])])
    shape = (graph.num_vertices,) * 2
    ends = np.array([src[first], dst[first]], np.int32)  # SciPy before 1.15 takes no others
    matrix = csr_array((weight[first].astype(float), ends), shape=shape)
    expected = dijkstra(matrix, indices=source)
    result = Engine(graph).run(ShortestPaths(source=graph.label_of(source)), **options)
    assert np.array_equal(result.distance.astype(float), expected)
    parent, at = result.parent, np.isfinite(expected)
    at[source] = False
    gap = expected[at] - expected[parent[at]]
    assert (gap == np.asarray(matrix[parent[at], np.flatnonzero(at)]).ravel()).all()


@functools.cache
def rome() -> Graph:
    file = SHARED / "dimacs" / "rome99.gr"
    if not file.exists():
        pytest.skip(f"the roads of Rome are not here: {file} is absent")
    arcs = [line.split()[1:] for line in file.read_text().splitlines() if line.startswith("a ")]
    src, dst, weight = np.array(arcs, dtype=np.int64).T
    return Graph.from_edges(src - 1, dst - 1, weight=weight)


@pytest.mark.filterwarnings("ignore:ShortestPaths. weights up to")
@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("source", [0, 1544])
def test_roads_of_rome(source, delivery):
    graph = rome()
    assert (graph.num_vertices, graph.num_edges) == (3353, 8870)
    check_against_scipy(graph, source, delivery=delivery)


def grid(side: int) -> Graph:
    ids = np.arange(side * side).reshape(side, side)
    src = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    dst = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    weight = np.random.default_rng(side).integers(1, 10, len(src))
    return Graph.from_edges(src, dst, directed=False, weight=weight)


def test_a_grid():
    check_against_scipy(grid(40), 820)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:ShortestPaths. weights up to")
def test_a_grid_of_a_million_vertices():
    check_against_scipy(grid(1000), 0)
