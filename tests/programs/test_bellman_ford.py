"""Paths along weights of either sign against NetworkX and plain rounds in NumPy."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.agreement import part_of
from support.bundled import verified_run as run
from support.samples import random_graph

from gascl import Engine, Graph, GraphError
from gascl.programs import BellmanFord, ShortestPaths, bellman_ford
from gascl.programs.bellman_ford import Parents, Relax


def weighted(seed: int, least: int, *, vertices: int = 64, edges: int = 110) -> Graph:
    graph = random_graph(seed, directed=True, vertices=vertices, edges=edges)
    weight = np.random.default_rng(seed).integers(least, 9, edges)
    ends = graph.edge_src, graph.edge_dst
    return Graph.from_edges(*ends, num_vertices=vertices, weight=weight)


def without_negative_cycles(seed: int) -> Graph:
    """Weights of 0 or more, changed by a height of each vertex: lengths of cycles stay."""
    graph = weighted(seed, 0, edges=200)
    height = np.random.default_rng(seed).integers(0, 20, 64)
    weight = graph.edge_fields["weight"] + height[graph.edge_src] - height[graph.edge_dst]
    return Graph.from_edges(graph.edge_src, graph.edge_dst, num_vertices=64, weight=weight)


@pytest.mark.parametrize(
    ("seed", "dtype"),
    [
        (0, "float32"),
        *(
            pytest.param(seed, dtype, marks=pytest.mark.slow)
            for seed, dtype in ((1, "float64"), (1, "float32"), (2, "float64"), (3, "float32"))
        ),
    ],
)
def test_weights_below_0(seed, dtype):
    graph = without_negative_cycles(seed)
    source = int(graph.edge_src[0])
    assert (graph.edge_fields["weight"] < 0).any()
    expected = nx.single_source_bellman_ford_path_length(graph.to_networkx(), source)
    program = BellmanFord(source=source, dtype=dtype)
    common = set(admitted(Relax(dtype=dtype))) & set(admitted(Parents(dtype=dtype)))
    for delivery in ("auto", *part_of(common, seed)):
        result = run(graph, program, delivery=delivery)
        assert result.distance.tolist() == [expected.get(v, math.inf) for v in range(64)]
    assert {"slots", "pull", "push", "serial"} <= common
    run(graph, BellmanFord(sources=[source, 5, 7], dtype=dtype))


@pytest.mark.parametrize("patience", [1, 2, 64])
@pytest.mark.parametrize("seed", range(4))
def test_negative_cycles(seed, patience, monkeypatch):
    monkeypatch.setattr(bellman_ford, "PATIENCE", patience)
    graph = weighted(seed, -1)
    source = int(graph.edge_src[0])
    result = run(graph, BellmanFord(source=source))
    endless = np.isneginf(result.distance).any()
    assert endless == nx.negative_edge_cycle(reached(graph, result).copy())


def reached(graph: Graph, result) -> nx.MultiDiGraph:
    made = graph.to_networkx(multigraph=True)
    return made.subgraph([v for v in range(64) if result.distance[v] < math.inf])


def test_a_long_negative_cycle():
    """Of 700 arcs, beside a path from it, and one to it; found before long."""
    n = 700
    ring, tail = np.arange(n), np.arange(n + 50, n + 99)
    src = np.concatenate([ring, [n + 50 - 1], tail, [3, n + 120]])
    dst = np.concatenate([(ring + 1) % n, [n + 50], tail + 1, [n + 110, 5]])
    weight = np.full(len(src), 1.0)
    weight[17] = -(n - 0.5)
    graph = Graph.from_edges(src, dst, num_vertices=n + 121, weight=weight)
    result = run(graph, BellmanFord(source=n + 120))
    assert np.isneginf(result.distance[:n]).all() and np.isneginf(result.distance[n + 110])
    assert result.distance[n + 120] == 0 and result.supersteps < 5 * n
    far = run(graph, BellmanFord(source=n + 60))
    assert far.distance[n + 99] == 39
    weight[17] = -(n - 1)  # a cycle of length 0
    graph = Graph.from_edges(src, dst, num_vertices=n + 121, weight=weight)
    assert np.isfinite(run(graph, BellmanFord(source=n + 120)).distance[:n]).all()


def test_undirected_edges_and_loops():
    graph = Graph.from_edges([0, 1, 3], [1, 2, 4], directed=False, weight=[2, -1, 1])
    assert run(graph, BellmanFord(source=0)).distance[:3].tolist() == [-math.inf] * 3
    assert run(graph, BellmanFord(source=3)).distance.tolist() == [*[math.inf] * 3, 0, 1]
    loop = Graph.from_edges([0, 1, 1], [1, 1, 2], weight=[1, -1, 1])
    assert run(loop, BellmanFord(source=0)).distance.tolist() == [0, -math.inf, -math.inf]


def test_small_graphs():
    for n in (1, 3):
        graph = Graph.from_edges([], [], num_vertices=n)
        result = run(graph, BellmanFord(source=0))
        assert result.distance.tolist() == [0] + [math.inf] * (n - 1)
    plain = random_graph(0, directed=True)
    found = run(plain, BellmanFord(source=3))
    assert found.distance.tolist() == Engine(plain).run(ShortestPaths(source=3)).distance.tolist()
    infinite = Graph.from_edges([0], [1], weight=[math.inf])
    with pytest.raises(GraphError, match="weight must be finite"):
        Engine(infinite).run(BellmanFord(source=0))


def test_weights_of_no_edges():
    empty = Graph.from_edges([], [], num_vertices=2, weight=np.zeros(0))
    assert Engine(empty).run(BellmanFord(source=0)).distance.tolist() == [0, np.inf]
