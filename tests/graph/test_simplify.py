"""Simple and reversed graphs, graphs by degree, and weighted degrees: by NetworkX, SciPy and by
hand."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pytest
from support.samples import random_graph, skewed

from gascl import Graph, GraphError
from gascl.graph.arcs import ARRAYS


def ends(graph: Graph) -> list[tuple[int, int]]:
    return list(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True))


def weighted(seed: int, directed: bool) -> Graph:
    graph = random_graph(seed, directed=directed)
    weight = np.random.default_rng(seed).integers(-3, 9, graph.num_edges)
    return Graph.from_edges(*zip(*ends(graph), strict=True), directed=directed, weight=weight)


def test_simple_by_hand():
    graph = Graph.from_edges(
        [0, 1, 0, 2, 2, 0],
        [1, 0, 1, 2, 1, 1],
        labels=["a", "b", "c"],
        weight=[1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
    )
    simple = graph.simple()
    assert simple.directed and ends(simple) == [(0, 1), (1, 0), (2, 1)]
    assert simple.edge_fields["weight"].tolist() == [1.5, 2.5, 5.5]
    below = graph.simple(undirected=True)
    assert not below.directed and ends(below) == [(0, 1), (2, 1)]
    assert below.edge_fields["weight"].tolist() == [1.5, 5.5]
    assert below.index_of("c") == 2 and below.labels.tolist() == ["a", "b", "c"]
    assert below.report[-2:] == [
        "self_loops='drop': dropped 1 self-loop",
        "duplicates='first': merged 3 edges into others",
    ]
    assert graph.num_edges == 6 and len(graph.report) == 1, "the graph is as it was"
    assert ends(below.simple()) == ends(below) and not below.simple().directed


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_simple_against_networkx(seed, directed):
    graph = random_graph(seed, directed=directed)
    for undirected in (True, False):
        kind = nx.DiGraph if directed and not undirected else nx.Graph
        expected = kind(ends(graph))
        expected.remove_edges_from(list(nx.selfloop_edges(expected)))
        found = kind(ends(graph.simple(undirected=undirected)))
        assert nx.utils.graphs_equal(found, expected)
        assert graph.simple(undirected=undirected).num_edges == expected.number_of_edges()


@pytest.mark.parametrize("made_before", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_reversed(seed, made_before):
    """Its arcs are those of the same edges given the other way round; they are the graph's own."""
    graph = weighted(seed, directed=True)
    if made_before:
        graph.arcs("in").slot, graph.arcs("both").slot
    turned = graph.reversed()
    anew = Graph.from_edges(graph.edge_dst, graph.edge_src, weight=graph.edge_fields["weight"])
    assert ends(turned) == ends(anew) and turned.directed
    assert turned.fingerprint == anew.fingerprint != graph.fingerprint
    for way in ("out", "in", "both"):
        for name in ARRAYS:
            found, expected = (getattr(g.arcs(way), name) for g in (turned, anew))
            assert found.dtype == expected.dtype and np.array_equal(found, expected), (way, name)
    assert turned.out_degree.tolist() == graph.in_degree.tolist()
    assert turned.weighted_out_degree().tolist() == graph.weighted_in_degree().tolist()
    assert turned.arcs().out_targets is graph.arcs().in_sources
    assert turned.arcs("both").out_targets is graph.arcs("both").out_targets
    assert graph.reversed() is turned and ends(turned.reversed()) == ends(graph)


@pytest.mark.parametrize("directed", [True, False])
def test_other_fields(directed):
    graph = weighted(0, directed)
    other = graph.with_edge_fields(cost=np.arange(graph.num_edges), open=[True] * graph.num_edges)
    assert list(other.edge_fields) == ["weight", "cost", "open"] and list(graph.edge_fields) == [
        "weight"
    ]
    assert other.edge_fields["cost"].tolist() == list(range(graph.num_edges))
    assert other.edge_fields["open"].dtype == np.int8
    assert other.fingerprint == graph.fingerprint and ends(other) == ends(graph)
    for way in ("out", "in", "both"):
        assert other.arcs(way).out_targets is graph.arcs(way).out_targets
        assert other.arcs(way).in_edges is graph.arcs(way).in_edges
    assert other.weighted_out_degree("cost").sum() >= other.edge_fields["cost"].sum()
    with pytest.raises(GraphError, match="cost"):
        graph.with_edge_fields(cost=[1, 2])


def test_reversed_undirected_and_changed():
    graph = random_graph(0, directed=False)
    assert graph.reversed() is graph
    graph = Graph.from_edges([0, 1], [1, 2], labels=list("abc")).with_edges(add=[("a", "b")])
    assert graph.reversed().change is None
    assert graph.reversed().index_of("c") == 2
    assert ends(pickle.loads(pickle.dumps(graph.reversed()))) == [(1, 0), (2, 1), (1, 0)]


def test_simple_forgets_the_change_that_made_its_graph():
    graph = Graph.from_edges([0, 1], [1, 2]).with_edges(add=[(0, 1)])
    assert graph.change is not None and graph.simple().change is None
    assert graph.by_degree()[0].change is None
    assert Graph.from_edges([0, 1], [1, 2]).with_edges(add=[(2, 0)]).simple().change is None


def test_a_simple_graph_is_itself():
    graph = Graph.from_edges([0, 1], [1, 0])
    assert graph.simple() is graph and graph.simple(undirected=True).num_edges == 1
    undirected = Graph.from_edges([0, 1], [1, 2], directed=False)
    assert undirected.simple(undirected=True) is undirected.simple() is undirected


@pytest.mark.parametrize("directed", [True, False])
def test_by_degree(directed):
    graph = skewed(2, 200, 3000, directed=directed)
    degree = np.zeros(200, int)
    for u, v in ends(graph):
        degree[u] += 1
        degree[v] += u != v
    numbered, number = graph.by_degree()
    assert number.dtype == np.int32 and sorted(number.tolist()) == list(range(200))
    order = sorted(range(200), key=lambda v: (-degree[v], v))
    assert [number[v] for v in order] == list(range(200))
    assert numbered.directed == directed
    assert ends(numbered) == [(number[u], number[v]) for u, v in ends(graph)]
    simple = numbered.simple(undirected=True)
    lower = np.bincount(np.maximum(simple.edge_src, simple.edge_dst), minlength=200)
    assert lower.max() <= (2 * graph.num_edges) ** 0.5 < degree.max()


def test_by_degree_by_hand():
    graph = Graph.from_edges(
        [0, 0, 1, 1, 0], [1, 0, 2, 0, 1], labels=["x", "y", "z"], weight=[1, 2, 3, 4, 5]
    )
    numbered, number = graph.by_degree()
    assert number.tolist() == [0, 1, 2]
    assert ends(numbered) == ends(graph)
    assert numbered.labels is None and not numbered.edge_fields and numbered.index_of(2) == 2
    numbered, number = Graph.from_edges([0, 1], [1, 2], num_vertices=4).by_degree()
    assert number.tolist() == [1, 0, 2, 3] and ends(numbered) == [(1, 0), (0, 2)]
    nothing, number = Graph.from_edges([], []).by_degree()
    assert nothing.num_vertices == nothing.num_edges == len(number) == 0


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_weighted_degrees(seed, directed):
    graph = weighted(seed, directed)
    matrix = graph.to_scipy("weight")
    for found, axis in ((graph.weighted_out_degree(), 1), (graph.weighted_in_degree(), 0)):
        assert found.dtype == np.float64
        assert found.tolist() == matrix.sum(axis=axis).tolist()


def test_weighted_degrees_by_hand():
    for directed, out, into in ((True, [7, 2, 0], [4, 1, 4]), (False, [7, 3, 4], [7, 3, 4])):
        graph = Graph.from_edges([0, 0, 0, 1], [0, 1, 2, 2], directed=directed, length=[4, 1, 2, 2])
        assert graph.weighted_out_degree("length").tolist() == out
        assert graph.weighted_in_degree("length").tolist() == into
    empty = Graph.from_edges([], [], num_vertices=2, weight=[])
    assert empty.weighted_in_degree().tolist() == [0, 0]
    assert empty.weighted_in_degree().dtype == np.float64
    with pytest.raises(GraphError, match="the graph has no edge field 'cost'; it has: weight"):
        empty.weighted_out_degree("cost")


def test_weighted_degrees_with_infinite_weights():
    graph = Graph.from_edges([0, 1, 2], [1, 1, 3], directed=False, weight=[np.inf, np.inf, 2.0])
    assert graph.weighted_out_degree().tolist() == [np.inf, np.inf, 2, 2]


@pytest.mark.parametrize("directed", [True, False])
def test_oriented(directed):
    """An edge for every two vertices that edges join, to the one of higher degree."""
    graph = random_graph(5, directed=directed, vertices=40, edges=300)
    oriented, number = graph.oriented()
    ways: dict[tuple[int, int], set[bool]] = {}
    for u, v in zip(number[graph.edge_src].tolist(), number[graph.edge_dst].tolist(), strict=True):
        if u != v:
            ways.setdefault((max(u, v), min(u, v)), set()).add(u > v)
    pairs = list(zip(oriented.edge_src.tolist(), oriented.edge_dst.tolist(), strict=True))
    assert oriented.directed and sorted(pairs) == sorted(ways) and len(pairs) < graph.num_edges
    assert sorted(number.tolist()) == list(range(40))
    by_number = graph.degree[np.argsort(number)]
    assert (np.diff(by_number) <= 0).all()
    if directed:
        assert oriented.edge_fields["ways"].tolist() == [len(ways[pair]) for pair in pairs]
        assert {1, 2} == set(oriented.edge_fields["ways"].tolist())
    assert graph.oriented()[0] is oriented


def test_oriented_of_nothing():
    for graph in (Graph.from_edges([], []), Graph.from_edges([1, 1], [1, 1], num_vertices=3)):
        oriented, number = graph.oriented()
        assert oriented.num_vertices == graph.num_vertices == len(number)
        assert oriented.num_edges == 0
