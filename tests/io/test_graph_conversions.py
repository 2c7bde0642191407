"""Graphs from and to SciPy and NetworkX, each of which is the judge of its own."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from support.refusals import refused

from gascl.errors import GraphError
from gascl.graph.graph import Graph

# SciPy


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_scipy_round_trip(seed, directed):
    """Duplicates and explicit zeros survive, and the matrix is the one that SciPy would build."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 6))
    src, dst = rng.integers(0, count, (2, 20))
    weight = rng.integers(-2, 3, 20)
    graph = Graph.from_edges(src, dst, num_vertices=count, directed=directed, weight=weight)
    matrix = graph.to_scipy("weight")
    expected = np.zeros((count, count), dtype=int)
    np.add.at(expected, (src, dst), weight)
    if not directed:
        other = src != dst
        np.add.at(expected, (dst[other], src[other]), weight[other])
    assert np.array_equal(matrix.toarray(), expected)
    assert matrix.nnz == graph.num_arcs
    again = Graph.from_scipy(matrix, directed=directed)
    assert again.num_edges == graph.num_edges
    twice = again.to_scipy("weight")
    assert np.array_equal(twice.indptr, matrix.indptr)
    assert np.array_equal(twice.indices, matrix.indices)
    assert np.array_equal(twice.toarray(), expected)
    assert graph.to_scipy().data.tolist() == [1] * graph.num_arcs


def test_from_scipy_formats_and_fields():
    dense = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 3]])
    for kind in (sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_array, sp.dok_array):
        graph = Graph.from_scipy(kind(dense), directed=False, field="length")
        edges = zip(graph.edge_src, graph.edge_dst, graph.edge_fields["length"], strict=True)
        assert sorted(edges) == [(1, 0, 2), (2, 1, 1), (2, 2, 3)]
    assert not Graph.from_scipy(sp.csr_array(dense), field=None).edge_fields
    zeros = sp.coo_array(([0.0, 0.0], ([0, 1], [1, 0])))
    assert Graph.from_scipy(zeros, directed=False).num_edges == 1
    truth = Graph.from_scipy(sp.csr_array(dense > 1))
    assert truth.edge_fields["weight"].dtype == np.int8
    assert "bool entries read as weight, int8" in truth.report
    nan = sp.coo_array(([np.nan, np.nan], ([0, 1], [1, 0])))
    assert Graph.from_scipy(nan, directed=False).num_edges == 1


def test_matrix_is_the_callers_own():
    graph = Graph.from_edges([0, 0], [1, 1])
    matrix = graph.to_scipy()
    matrix.sum_duplicates()
    assert matrix.nnz == 1 and graph.arcs().out_targets.tolist() == [1, 1]


ROW = sp.coo_array(np.ones(2))  # of one dimension, from SciPy 1.13 on


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.eye(2), ["ndarray", "csr_array"]),
        (sp.csr_array((2, 3)), ["square", "(2, 3)"]),
        (ROW, ["square", str(ROW.shape)]),
        (sp.csr_array(np.eye(2) * 1j), ["complex128", "abs(matrix)"]),
        (sp.csr_array([[0, 1], [2, 0]]), ["symmetric", "(0, 1)", "directed=True", "matrix.T"]),
        (sp.csr_array([[0, 0], [2, 0]]), ["symmetric", "directed=True"]),
    ],
)
def test_bad_matrices(matrix, words):
    refused(words, lambda: Graph.from_scipy(matrix, directed=False))


# NetworkX


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_from_networkx(kind):
    source = kind()
    source.add_nodes_from([9, 4, 7])
    source.add_edges_from([(4, 9), (7, 4), (7, 7), (9, 4), (4, 9)], weight=0.5, hops=2)
    graph = Graph.from_networkx(source)
    assert graph.directed == source.is_directed()
    assert graph.labels.tolist() == [9, 4, 7] and graph.labels.dtype == np.int64
    assert graph.num_edges == source.number_of_edges()
    assert graph.edge_fields["weight"].dtype == np.float64
    assert graph.edge_fields["hops"].dtype == np.int64
    expected = nx.to_scipy_sparse_array(source, weight="weight").toarray()
    assert np.array_equal(graph.to_scipy("weight").toarray(), expected)
    assert np.array_equal(graph.out_degree, graph.to_scipy().sum(axis=1))


def test_networkx_labels_and_attributes():
    source = nx.Graph()
    source.add_edge("a", "b", w=1, name="x", **{"x y": 2})
    source.add_edge("b", "c", w=2.5, name="y", few=1, **{"x y": 3})
    with pytest.warns(UserWarning, match=r"leaves out the edge attribute 'few' \(1 of 2"):
        graph = Graph.from_networkx(source)
    assert graph.labels.dtype.kind == "U"
    assert {name: list(graph.edges[name]) for name in graph.edges} == {
        **{"w": [1, 2.5], "name": ["x", "y"], "x_y": [2, 3]}
    }
    report = "\n".join(graph.report)
    for words in (
        "'name': text, 2 different",
        "'few' left out: 1 of 2",
        "edge attribute 'x y' read as x_y",
    ):
        assert words in report
    assert list(Graph.from_networkx(source, fields=[]).edge_fields) == []
    assert list(Graph.from_networkx(source, fields=["x y"]).edge_fields) == ["x_y"]
    words = ["('a', 'b')", "no attribute 'few'", "leave it out"]
    refused(words, lambda: Graph.from_networkx(source, fields=["few"]))
    source["a"]["b"]["name"] = {}
    words = ["('a', 'b')", "name={}", "neither a number nor text"]
    refused(words, lambda: Graph.from_networkx(source, fields=["w", "name"]))
    refused(["fields=['w']"], lambda: Graph.from_networkx(source, fields="w"))
    refused(["NetworkX graph", "list"], lambda: Graph.from_networkx([(0, 1)]))


def test_networkx_mixed_nodes_policies_and_nothing():
    source = nx.MultiGraph([("a", 1), (1, "a"), (1, 1)])
    graph = Graph.from_networkx(source, duplicates="first", self_loops="drop")
    assert graph.labels.tolist() == ["a", 1] and graph.num_edges == 1
    assert Graph.from_networkx(nx.DiGraph()).num_vertices == 0
    flags = nx.Graph()
    flags.add_edge(0, 1, good=True)
    assert Graph.from_networkx(flags).edge_fields["good"].tolist() == [1]


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("in_order", [False, True])
def test_symmetry_is_found_out_in_entries_of_any_order(repeats, in_order):
    """Against a dense matrix of the entries of each place, sorted."""
    rng = np.random.default_rng(4)
    verdicts = set()
    for _ in range(200):
        size = int(rng.integers(1, 6))
        ends, values = rng.integers(0, size, (2, 6)), rng.choice([1.0, 2.0, np.nan], 6)
        if rng.random() < 0.7:
            ends, values = np.hstack([ends, ends[::-1]]), np.hstack([values, values])
        if not repeats:
            first = np.unique(ends[0] * size + ends[1], return_index=True)[1]
            ends, values = ends[:, first], values[first]
        if in_order:
            order = np.lexsort(ends[::-1])
            ends, values = ends[:, order], values[order]
        places = [
            [
                sorted(str(value) for value in values[(ends[0] == i) & (ends[1] == j)])
                for j in range(size)
            ]
            for i in range(size)
        ]
        symmetric = places == [list(column) for column in zip(*places, strict=True)]
        matrix = sp.coo_array((values, tuple(ends)), (size, size))
        try:
            graph = Graph.from_scipy(matrix, directed=False)
        except GraphError:
            assert not symmetric
        else:
            assert symmetric and graph.num_edges == np.count_nonzero(ends[0] >= ends[1])
        verdicts.add(symmetric)
    assert verdicts == {False, True}
