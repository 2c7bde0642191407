"""Local clustering against igraph, SciPy and NetworkX, and of published numbers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.bundled import verified_run
from support.case_subsets import one_in
from support.samples import (
    arcs_of,
    graphalytics,
    graphalytics_answer,
    random_graph,
    shared,
    skewed,
    to_networkx,
)

from gascl import Graph, generators
from gascl.programs import LocalClustering


def run(graph: Graph, dtype: str = "float64", **options) -> np.ndarray:
    return verified_run(graph, LocalClustering(dtype=dtype), **options).coefficient


def by_definition(graph: Graph) -> list[float]:
    """Word for word: pairs of neighbors, and the arcs there are between them."""
    out = {(u, w) for u, w in arcs_of(graph) if u != w}
    found = []
    for v in range(graph.num_vertices):
        near = {u for u, w in out if w == v} | {w for u, w in out if u == v}
        held = sum((u, w) in out for u in near for w in near)
        found.append(held / (len(near) * (len(near) - 1)) if len(near) > 1 else 0.0)
    return found


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_random_graphs(seed, directed):
    graph = random_graph(seed, directed=directed, vertices=50, edges=260)
    expected = by_definition(graph)
    assert run(graph).tolist() == expected
    assert 0 in expected and len(set(expected)) > 20
    run(graph, "float32")


@pytest.mark.parametrize("seed", [3, 4])
def test_undirected_against_networkx(seed):
    graph = random_graph(seed, directed=False, vertices=60, edges=300)
    found = run(graph)
    simple = nx.Graph(to_networkx(graph))
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    by_networkx = nx.clustering(simple)
    assert found.tolist() == pytest.approx([by_networkx[v] for v in range(60)], rel=1e-15)


@pytest.mark.slow
def test_rows_longer_than_the_table():
    """All pairs of 1100, every third of them both ways: as many for each vertex."""
    src, dst = np.triu_indices(1100, 1)
    both = (src + dst) % 3 == 0
    graph = Graph.from_edges(np.append(src, dst[both]), np.append(dst, src[both]))
    assert 1 / 2 < run(graph).min() < run(graph).max() < 1


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
def test_hubs_and_other_deliveries(directed):
    graph = skewed(3, 300, 6000, directed=directed)
    expected = run(graph)
    for delivery in ("edges", "slots", "push", "serial"):
        assert np.array_equal(run(graph, delivery=delivery), expected)


def test_arcs_one_way_and_both_ways():
    """Of a triangle's three arcs one is between the neighbors of each: a half; of both, all."""
    ring = [[0, 1, 2], [1, 2, 0]]
    assert run(Graph.from_edges(*ring)).tolist() == [0.5] * 3
    assert run(Graph.from_edges(*ring, directed=False)).tolist() == [1] * 3
    back = Graph.from_edges([0, 1, 2, 1], [1, 2, 0, 0])
    assert run(back).tolist() == [0.5, 0.5, 1]
    complete = Graph.from_edges(*np.nonzero(~np.eye(9, dtype=bool)))
    assert run(complete).tolist() == [1] * 9


def test_loops_and_parallel_edges_do_not_count():
    src, dst = [0, 1, 2, 0, 0, 1, 3, 0, 0], [1, 2, 0, 1, 1, 1, 3, 3, 3]
    directed = run(Graph.from_edges(src, dst, num_vertices=5))
    assert directed.tolist() == [1 / 6, 0.5, 0.5, 0, 0]
    # In an undirected graph an edge given as (1, 0) is parallel to (0, 1), too.
    undirected = run(Graph.from_edges([*src, 1], [*dst, 0], num_vertices=5, directed=False))
    assert undirected.tolist() == [1 / 3, 1, 1, 0, 0]


@pytest.mark.parametrize("vertices", [0, 1, 2, 3])
def test_without_pairs_of_neighbors(vertices):
    assert run(Graph.from_edges([], [], num_vertices=vertices)).tolist() == [0] * vertices
    if vertices:
        loop = Graph.from_edges([0], [vertices - 1], num_vertices=vertices)
        assert run(loop).tolist() == [0] * vertices


@pytest.mark.parametrize("kind", ["directed", "undirected"])
def test_graphalytics(kind):
    expected = [float(x) for x in graphalytics_answer(kind, "LCC")]
    assert run(graphalytics(kind)).tolist() == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("name", "triangles"),
    [
        ("ego-Facebook.txt.gz", 1_612_010),
        ("wiki-Vote.txt.gz", 608_389),
        ("email-Eu-core.txt", 105_461),
        ("ca-GrQc.txt.gz", 48_260),
        ("p2p-Gnutella08.txt", 2_383),
    ],
)
def test_real_graphs(name, triangles):
    """Times its pairs of neighbors a coefficient is a vertex's triangles; read both ways, too."""
    path = shared(f"edgelist/{name}")
    graph = Graph.read(path, directed=False, duplicates="first", self_loops="drop")
    degree = graph.out_degree.astype(float)
    corners = run(graph) * degree * (degree - 1) / 2
    assert corners.sum() == pytest.approx(3 * triangles, rel=1e-12)
    run(Graph.read(path, directed=True))


@pytest.mark.slow
@pytest.mark.parametrize(("directed", "scale"), [(False, 18), (True, 15)])
def test_large_and_skewed(directed, scale):
    """At scale 18 there are 4 million edges, and a vertex with 25,000 neighbors."""
    run(generators.rmat(scale, seed=1, directed=directed))
