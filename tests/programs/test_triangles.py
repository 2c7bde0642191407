"""Triangles against igraph and NetworkX, on graphs of any kind, and of published numbers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.bundled import verified_run
from support.samples import random_graph, shared, skewed, to_networkx

from gascl import Engine, FieldError, Graph
from gascl.generators import rmat
from gascl.programs import Triangles


def run(graph: Graph, **options):
    result = verified_run(graph, Triangles(), **options)
    assert result.triangles.dtype == result.wedges.dtype == np.int64
    return result


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_random_graphs(seed, directed):
    graph = random_graph(seed, directed=directed, vertices=50, edges=260)
    result = run(graph)
    simple = nx.Graph(to_networkx(graph))
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    found = nx.triangles(simple)
    assert result.triangles.tolist() == [found[v] for v in range(50)]
    assert max(found.values()) > 10
    by_networkx = nx.transitivity(simple)
    assert result.triangles.sum() / result.wedges.sum() == pytest.approx(by_networkx, abs=1e-15)
    clustering = nx.clustering(simple)
    for v, wedges in enumerate(result.wedges.tolist()):
        assert result.triangles[v] == pytest.approx(clustering[v] * wedges, abs=1e-9)


def test_hubs_and_other_deliveries():
    graph = skewed(3, 300, 6000)
    expected = run(graph).triangles
    assert expected.max() > 1000
    for delivery in ("edges", "slots", "push", "serial"):
        assert np.array_equal(run(graph, delivery=delivery).triangles, expected)


def test_direction_loops_and_parallel_edges_do_not_count():
    src, dst = [0, 1, 2, 0, 2, 1, 1, 3, 0], [1, 2, 0, 1, 1, 1, 1, 3, 3]
    for directed in (True, False):
        result = run(Graph.from_edges(src, dst, num_vertices=5, directed=directed))
        assert result.triangles.tolist() == [1, 1, 1, 0, 0]
        assert result.wedges.tolist() == [3, 1, 1, 0, 0]


def test_small_and_complete():
    for vertices in (0, 1, 2):
        result = run(Graph.from_edges([], [], num_vertices=vertices))
        assert result.triangles.tolist() == [0] * vertices
    src, dst = np.triu_indices(40, 1)
    result = run(Graph.from_edges(src, dst, labels=[f"v{i}" for i in range(40)]))
    assert result.triangles.tolist() == [39 * 38 // 2] * 40 == result.wedges.tolist()


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
    """The numbers are those published with the graphs."""
    result = run(Graph.read(shared(f"edgelist/{name}")))
    assert result.triangles.sum() == 3 * triangles


@pytest.mark.slow
@pytest.mark.parametrize("directed", [True, False])
def test_a_large_graph(directed):
    run(rmat(16, 16, seed=1, directed=directed))


def test_a_run_that_ends_early_has_no_field_by_other_numbers():
    """The vertices of a star are numbered by degree, so that nothing of that may be handed out."""
    star = Graph.from_edges(np.full(9, 9), np.arange(9), directed=False)
    early = Engine(star).run(Triangles(), max_supersteps=0, not_converged="ignore")
    with pytest.raises(FieldError, match="'wedges' is not computed yet"):
        _ = early.wedges
    assert Engine(star).run(Triangles()).wedges.tolist() == [0] * 9 + [36]
