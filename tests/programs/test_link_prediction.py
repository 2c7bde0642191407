"""Scores of pairs of vertices against NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.case_subsets import thinned
from support.samples import random_graph, skewed, to_networkx

from gascl import Engine, Graph, GraphError
from gascl.programs.link_prediction import link_scores

SCORES = {
    "jaccard": nx.jaccard_coefficient,
    "adamic_adar": nx.adamic_adar_index,
    "resource_allocation": nx.resource_allocation_index,
    "preferential_attachment": nx.preferential_attachment,
}


def check(graph: Graph, made: nx.Graph, pairs: list[tuple[int, int]], dtype: str) -> None:
    one, other = np.transpose(pairs)
    found = link_scores(Engine(graph), (one, other), dtype)
    for name, score in SCORES.items():
        expected = [value for *_, value in score(made, pairs)]
        most = 1e-12 if dtype == "float64" else 1e-5
        assert found[name].tolist() == pytest.approx(expected, rel=most), name
    assert found["common"].tolist() == [len(list(nx.common_neighbors(made, *p))) for p in pairs]
    kinds = {"common": "int32", "preferential_attachment": "int64"}
    assert {name: x.dtype.name for name, x in found.items()} == dict.fromkeys(SCORES, dtype) | kinds


@pytest.mark.parametrize(
    ("many", "dtype"), thinned([1, 64, 65, 500, 9000], ["float32", "float64"], by=4)
)
def test_random_graphs(many, dtype):
    """With self-loops; neighbors, equal vertices and many more pairs than vertices, too."""
    drawn = random_graph(1, directed=False, edges=300)
    made = nx.Graph(to_networkx(drawn))
    pairs = np.random.default_rng(many).integers(0, 64, (many, 2)).tolist()
    pairs = [(u, v) for u, v in pairs if u != v or made.degree(u) > 1]
    check(Graph.from_networkx(made), made, pairs, dtype)


def test_hubs_and_directions():
    graph = skewed(2, 300, 3000)
    made = nx.Graph(to_networkx(graph))
    below = graph.simple(undirected=True)
    loops = list(nx.selfloop_edges(made))
    made.remove_edges_from(loops)
    pairs = np.random.default_rng(0).integers(0, 300, (2000, 2))
    check(below, made, [(u, v) for u, v in pairs.tolist() if u != v], "float64")
    one_way = graph.simple()
    some = pairs[:50].T
    both = link_scores(Engine(one_way), some)["common"]
    assert both.tolist() == link_scores(Engine(below), some)["common"].tolist()


def test_labels_and_parallel_edges():
    graph = Graph.from_edges(
        [0, 0, 1, 1, 0], [2, 2, 2, 3, 3], directed=False, labels=["a", "b", "c", "d"]
    )
    found = link_scores(Engine(graph), (["a", "c"], ["b", "d"]), "float64")
    assert found["common"].tolist() == [2, 2] and found["jaccard"].tolist() == [1, 1]
    assert found["resource_allocation"].tolist() == pytest.approx([1 / 3 + 1 / 2, 1 / 3 + 1 / 2])
    assert found["preferential_attachment"].tolist() == [3 * 2, 3 * 2]
    nothing = link_scores(Engine(graph), ([], []))
    assert all(len(x) == 0 for x in nothing.values())
    with pytest.raises(GraphError, match="'e'"):
        link_scores(Engine(graph), (["a"], ["e"]))
