"""From and to other libraries in memory, each of which is the judge of its own."""

import sys

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from support.refusals import refused

from gascl import Engine
from gascl.errors import GraphError
from gascl.graph.graph import Graph
from gascl.programs.page_rank import PageRank

LABELS = [None, [30, 10, 20, 40], ["b", "ü", "a", "c"]]


def made(labels=None, directed=True, vertex_fields=None):
    """Four vertices, the last without edges; a loop, and an edge twice."""
    fields = {"weight": np.array([0.5, 2, np.inf, 4]), "n": np.array([1, 2, 3, 4], np.int32)}
    options = {"num_vertices": 4, "directed": directed, "labels": labels}
    ends = [2, 0, 2, 1], [1, 1, 1, 1]
    return Graph.from_edges(*ends, **options, vertex_fields=vertex_fields, **fields)


def equal(one, other):
    """The same but for the order of edges, and in undirected graphs of their ends."""
    assert (one.num_vertices, one.directed) == (other.num_vertices, other.directed)
    assert np.array_equal(
        *(np.arange(g.num_vertices) if g.labels is None else g.labels for g in (one, other))
    )
    for name in one.edge_fields:
        assert (one.to_scipy(name) != other.to_scipy(name)).nnz == 0
    assert (one.to_scipy() != other.to_scipy()).nnz == 0
    assert list(one.vertex_fields) == list(other.vertex_fields)
    for name, values in one.vertex_fields.items():
        assert np.array_equal(values, other.vertex_fields[name])


# NetworkX


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("labels", LABELS)
def test_networkx_there_and_back(labels, directed):
    graph = made(labels, directed, {"x": np.arange(4) / 2, "pos": np.arange(8).reshape(4, 2)})
    G = graph.to_networkx()
    assert type(G) is (nx.MultiDiGraph if directed else nx.MultiGraph)
    names = labels or [0, 1, 2, 3]
    assert list(G) == names and G.number_of_edges() == 4
    assert G.nodes[names[1]] == {"x": 0.5, "pos": [2, 3]}
    assert sorted(data["n"] for data in G.get_edge_data(names[2], names[1]).values()) == [1, 3]
    equal(graph, Graph.from_networkx(G))


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=40)
def test_networkx_is_multiple_where_edges_are(seed, directed):
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, 5, (2, rng.integers(0, 6)))
    graph = Graph.from_edges(src, dst, num_vertices=5, directed=directed)
    G = graph.to_networkx()
    pairs = list(zip(src.tolist(), dst.tolist(), strict=True))
    ends = pairs if directed else [tuple(sorted(pair)) for pair in pairs]
    assert G.is_multigraph() == (len(set(ends)) < len(ends))
    assert G.number_of_edges() == len(ends) and G.is_directed() == directed
    assert np.array_equal(nx.to_scipy_sparse_array(G).toarray(), graph.to_scipy().toarray())


def test_networkx_attributes_of_some_edges_are_warned_of():
    made = nx.Graph([(0, 1, {"weight": 2}), (1, 2, {}), (2, 0, {"weight": 1})])
    warning = r"leaves out the edge attribute 'weight' \(1 of 3 do not have it\); set .* fields="
    with pytest.warns(UserWarning, match=warning):
        graph = Graph.from_networkx(made)
    assert not graph.edge_fields
    with pytest.warns(UserWarning, match=r"from_igraph leaves out .*'weight' \(1 of 3"):
        assert not Graph.from_igraph(igraph.Graph.from_networkx(made)).edge_fields
    with pytest.raises(GraphError, match="has no attribute 'weight'"):
        Graph.from_networkx(made, fields=["weight"])


def test_networkx_fields_of_nodes():
    G = nx.path_graph(3)
    for node, (x, name, pos) in enumerate([(1, "a", (0, 1)), (2.5, "b", (1, 2)), (0, "c", (4, 5))]):
        G.nodes[node].update(x=x, name=name, pos=np.array(pos), rag=[1] * (node + 1), big=2**64)
    G.nodes[0]["few"] = 1
    with pytest.warns(
        UserWarning, match=r"leaves out the node attributes .* vertex_fields="
    ) as warned:
        graph = Graph.from_networkx(G)
    for words in ("'big' (not all its values are numbers", "'few' (2 of 3 do not have it)"):
        assert words in str(warned[0].message)
    assert graph.vertex_fields["x"].tolist() == [1, 2.5, 0]
    assert graph.vertex_fields["pos"].tolist() == [[0, 1], [1, 2], [4, 5]]
    assert list(graph.vertex_fields) == ["x", "name", "pos"]
    assert graph.vertices["name"].tolist() == ["a", "b", "c"]
    report = "\n".join(graph.report)
    for words in (
        "node attribute 'name': text, 3 different: 0 is 'a', 1 is 'b', 2 is 'c'",
        "'few' left out: 2 of 3",
        "'rag' left out",
    ):
        assert words in report
    assert not Graph.from_networkx(G, vertex_fields=[]).vertex_fields
    refused(["node 1", "no attribute 'few'"], lambda: Graph.from_networkx(G, vertex_fields=["few"]))
    refused(["node 0", "big=1844"], lambda: Graph.from_networkx(G, vertex_fields=["big"]))


def test_networkx_texts_of_nodes():
    G = nx.karate_club_graph()
    graph = Graph.from_networkx(G)
    said = "text, 2 different: 0 is 'Mr. Hi', 1 is 'Officer'"
    assert f"node attribute 'club': {said}" in graph.report
    clubs = [int(data["club"] == "Officer") for _, data in G.nodes(data=True)]
    assert graph.vertex_fields["club"].tolist() == clubs
    nx.set_edge_attributes(G, "road", "kind")
    again = Graph.from_networkx(G)
    assert list(again.edge_fields) == ["weight", "kind"] and set(again.edges["kind"]) == {"road"}


def test_networkx_bools_are_int8():
    G = nx.Graph([(0, 1, {"open": True}), (1, 2, {"open": False})])
    nx.set_node_attributes(G, {0: True, 1: np.True_, 2: False}, "seen")
    nx.set_node_attributes(G, {0: True, 1: 2, 2: False}, "mixed")
    with pytest.warns(UserWarning, match="'mixed'"):
        graph = Graph.from_networkx(G)
    for values, expected in (
        (graph.vertex_fields["seen"], [1, 1, 0]),
        (graph.edge_fields["open"], [1, 0]),
        (Graph.from_networkx(G, vertex_fields=["seen"]).vertex_fields["seen"], [1, 1, 0]),
        (Graph.from_igraph(igraph.Graph.from_networkx(G)).edge_fields["open"], [1, 0]),
    ):
        assert values.dtype == np.int8 and values.tolist() == expected
    assert "edge attribute 'open': bool read as int8" in graph.report


def test_networkx_multigraph_on_request():
    single = Graph.from_edges([0, 1], [1, 2], w=[3, 4])
    assert type(single.to_networkx()) is nx.DiGraph
    G = single.to_networkx(multigraph=True)
    assert type(G) is nx.MultiDiGraph
    assert list(G.edges(keys=True, data=True)) == [(0, 1, 0, {"w": 3}), (1, 2, 0, {"w": 4})]
    assert type(single.to_networkx(multigraph=False)) is nx.DiGraph
    double = Graph.from_edges([0, 0], [1, 1], directed=False)
    assert type(double.to_networkx(multigraph=True)) is nx.MultiGraph
    refused(["multigraph=False", "duplicates="], lambda: double.to_networkx(multigraph=False))
    refused(["multigraph='yes'"], lambda: double.to_networkx(multigraph="yes"))


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


# igraph


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("labels", LABELS)
def test_igraph_there_and_back(labels, directed):
    graph = made(labels, directed, {"x": np.arange(4) / 2})
    g = graph.to_igraph()
    assert g.is_directed() == directed and g.vcount() == 4
    assert g.es["n"] == [1, 2, 3, 4] and g.vs["x"] == [0, 0.5, 1, 1.5]
    assert ("name" in g.vs.attributes()) == (labels is not None)
    assert g.degree(mode="out") == (graph.to_scipy().sum(axis=1) + (0 if directed else [0, 1, 0, 0])
                                    ).tolist()  # fmt: skip
    again = Graph.from_igraph(g)
    equal(graph, again)
    assert (again.labels is None) == (labels is None)


def test_igraph_attributes():
    g = igraph.Graph.Famous("Zachary")
    g.vs["color"] = "red"
    g.es[3]["few"] = 1
    graph = Graph.from_igraph(g)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (34, 78, False)
    assert list(zip(graph.edge_src, graph.edge_dst, strict=True)) == g.get_edgelist()
    report = "\n".join(graph.report)
    assert set(graph.vertices["color"]) == {"red"} and "'few' left out: 77 of 78" in report
    assert Graph.from_igraph(igraph.Graph()).num_vertices == 0
    g.vs["name"] = "same"
    refused(["same label", "'same'"], lambda: Graph.from_igraph(g))
    refused(["igraph Graph", "Graph"], lambda: Graph.from_igraph(nx.Graph()))
    named = made([1, 2, 3, 4], vertex_fields={"name": np.arange(4)})
    refused(["'name'"], named.to_igraph)


# pandas


@pytest.mark.parametrize("labels", LABELS)
def test_pandas(labels):
    graph = made(labels)
    df = graph.to_pandas()
    names = np.array(labels or [0, 1, 2, 3])
    expected = pd.DataFrame(
        {"source": names[[2, 0, 2, 1]], "target": names[[1, 1, 1, 1]], **graph.edge_fields}
    )
    pd.testing.assert_frame_equal(df, expected, check_dtype=False)
    assert df["n"].dtype == np.int32
    again = Graph.from_pandas(df)
    assert again.labels.tolist() == sorted(names[:3].tolist())
    assert [again.label_of(v) for v in again.edge_src] == df["source"].tolist()
    assert [again.label_of(v) for v in again.edge_dst] == df["target"].tolist()
    theirs = nx.from_pandas_edgelist(df, edge_attr=True, create_using=nx.MultiDiGraph)
    nodes = sorted(theirs)
    for name in graph.edge_fields:
        matrix = nx.to_numpy_array(theirs, nodes, weight=name)
        assert np.array_equal(again.to_scipy(name).toarray(), matrix)


@pytest.mark.parametrize(
    ("ids", "labels"),
    [
        (pd.array([5, 3, 5], "Int64"), [3, 5]),
        (pd.array([5, 3, 5], "int32[pyarrow]"), [3, 5]),
        (pd.array(["q", "é", "q"], "string[pyarrow]"), ["q", "é"]),
        (pd.Categorical(["q", "a", "q"]), ["a", "q"]),
        (pd.Categorical([5, 3, 5]), [3, 5]),
        (np.array(["q", "a", "q"], object), ["a", "q"]),
        ([-(2**62), 2**62, 0], [-(2**62), 0, 2**62]),
    ],
)
def test_pandas_ids(ids, labels):
    df = pd.DataFrame({"u": ids, "v": ids})
    graph = Graph.from_pandas(df, "u", "v", directed=False)
    assert graph.labels.tolist() == labels and not graph.directed
    assert [graph.label_of(v) for v in graph.edge_src] == list(ids)


def test_a_frame_of_another_library():
    """Polars' frames export Arrow streams, as pyarrow's tables do."""
    words = (
        r"from_pandas needs a pandas DataFrame, not a pyarrow\.Table: give it to Graph.from_arrow"
    )
    with pytest.raises(GraphError, match=words):
        Graph.from_pandas(pytest.importorskip("pyarrow").table({"a": [1], "b": [2]}), "a", "b")
    with pytest.raises(GraphError, match=r"not a builtins\.dict$"):
        Graph.from_pandas({}, "a", "b")


def test_pandas_fields_and_errors():
    df = pd.DataFrame({"source": [1, 2], "target": [2, 1], "ok": [True, False], "a b": [1, 2]})
    df = df.assign(t=["x", "y"], w=[np.nan, 1], i=pd.array([1, None], "Int8"))
    graph = Graph.from_pandas(df.drop(columns="i"))
    assert {k: v.dtype.name for k, v in graph.edge_fields.items()} == {
        **{"ok": "int8", "a_b": "int64", "t": "int32", "w": "float64"}
    }
    report = "\n".join(graph.report)
    for words in (
        "'t': text, 2 different",
        "column 'a b' read as edge field a_b",
        "'ok': bool read as int8",
    ):
        assert words in report
    assert list(Graph.from_pandas(df, fields=["w", "ok"]).edge_fields) == ["weight", "ok"]
    refused(["row 1", "'i'", "dropna"], lambda: Graph.from_pandas(df))
    refused(["'t'", "not numeric"], lambda: Graph.from_pandas(df, weight="t"))
    assert list(Graph.from_pandas(df, fields=["a b", "w"]).edge_fields) == ["a_b", "w"]
    odd = df.rename(columns={"a b": "2nd"})
    refused(["'2nd'", "identifier"], lambda: Graph.from_pandas(odd, fields=["2nd", "w"]))
    refused(["no column 'src'", "'source'"], lambda: Graph.from_pandas(df, "src", "target"))
    refused(["source='src', target=None", "both", "'target'"], lambda: Graph.from_pandas(df, "src"))
    refused(
        ["weight='target' is the column of targets; name one of the others: 'ok',"],
        lambda: Graph.from_pandas(df, weight="target"),
    )
    numbered = pd.DataFrame({"x": ["a"], "y": [1.5], "weight": [2]})
    refused(
        ["'x' and 'y' must both", "; or name the columns: from_pandas(df, SOURCE, TARGET)"],
        lambda: Graph.from_pandas(numbered),
    )
    refused(["two columns", "has: 'source'"], lambda: Graph.from_pandas(df[["source"]]))
    unnamed = Graph.from_pandas(pd.DataFrame({"x": [1, 2], "weight": [5, 6], "z": [2, 3]}))
    assert "source and target: 'x', 'z'" in unnamed.report[0]
    assert unnamed.edge_fields["weight"].tolist() == [5, 6]
    refused(
        ["column 'w' cannot be both 'one' and 'two'; name each column once"],
        lambda: Graph.from_pandas(df, fields={"one": "w", "two": "w"}),
    )
    refused(["fields=['w']"], lambda: Graph.from_pandas(df, fields="w"))
    refused(["DataFrame", "dict"], lambda: Graph.from_pandas({}))
    refused(["row 0", "'w'"], lambda: Graph.from_pandas(df, "w", "target"))
    refused(["both be integers or both text", "1"], lambda: Graph.from_pandas(df, "source", "t"))
    refused(["negative"], lambda: Graph.from_pandas(
        pd.DataFrame({"source": np.array([2**63], np.uint64), "target": [-1]})))  # fmt: skip
    refused(["'target'"], Graph.from_edges([0], [1], target=[1]).to_pandas)
    assert Graph.from_pandas(df.iloc[:0].drop(columns="i")).num_vertices == 0


# Arrow


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("labels", LABELS)
def test_arrow_there_and_back(labels, directed):
    graph = made(labels, directed)
    table = graph.to_arrow()
    names = labels or [0, 1, 2, 3]
    assert table.column_names == ["source", "target", "weight", "n"]
    assert table["source"].to_pylist() == [names[v] for v in (2, 0, 2, 1)]
    assert table["n"].type == pa.int32()
    again = Graph.from_arrow(table)
    assert again.fingerprint == graph.fingerprint and again.directed == directed
    equal(graph, again)
    fewer = Graph.from_arrow(table.slice(1, 2))
    assert fewer.num_vertices == 4 and fewer.edge_src.tolist() == [0, 2]


def test_arrow_shares_memory():
    for labels in ([7, 8, 9, 6], None):
        graph = made(labels)
        table = graph.to_arrow()
        chunks = {name: table[name].chunk(0) for name in table.column_names}
        if labels:
            dictionary = chunks["source"].dictionary.to_numpy()
            assert np.shares_memory(dictionary, graph.labels)
            chunks |= {name: chunks[name].indices for name in ("source", "target")}
        arrays = {name: chunk.to_numpy(zero_copy_only=True) for name, chunk in chunks.items()}
        assert np.shares_memory(arrays["source"], graph.edge_src)
        assert np.shares_memory(arrays["target"], graph.edge_dst)
        assert np.shares_memory(arrays["weight"], graph.edge_fields["weight"])
        assert not any(array.flags.writeable for array in arrays.values())


def test_arrow_from_others():
    table = pa.table({"from": ["a", "b"], "to": ["b", "c"], "w": [1, 2]})
    frame = table.to_pandas()
    others = [frame] if hasattr(frame, "__arrow_c_stream__") else []  # pandas 2.2 and newer
    for source in (table, table.to_batches()[0], *others):
        graph = Graph.from_arrow(source, directed=False)
        assert graph.labels.tolist() == ["a", "b", "c"] and not graph.directed
        assert graph.edge_fields["weight"].tolist() == [1, 2]
    assert Graph.from_arrow(table, ["to", "from"]).edge_src.tolist() == [1, 2]
    nulls = pa.table({"from": [1, None], "to": [2, 3]})
    refused(["the table: row 1", "'from'"], lambda: Graph.from_arrow(nulls))
    refused(["Arrow table", "list"], lambda: Graph.from_arrow([1]))
    refused(["'source'"], Graph.from_edges([0], [1], source=[1]).to_arrow)
    refused(["integers or text"], Graph.from_edges([0], [1], labels=[1, "a"]).to_arrow)


# SciPy, and DLPack


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


def test_scipy_shares_memory():
    graph = made()
    arcs = graph.arcs()
    matrix = graph.to_scipy("weight", copy=False)
    assert np.shares_memory(matrix.indices, arcs.out_targets)
    assert np.shares_memory(matrix.indptr, arcs.out_offsets)
    assert np.array_equal(
        (matrix @ sp.csr_array(sp.eye(4))).toarray(), graph.to_scipy("weight").toarray()
    )
    matrix.data[:] = 7  # the matrix's own
    assert graph.edge_fields["weight"].tolist() == [0.5, 2, np.inf, 4]
    with pytest.raises(ValueError, match="read-only"):
        matrix.indices[0] = 1
    own = graph.to_scipy("weight")
    assert not np.shares_memory(own.indices, arcs.out_targets)


def test_dlpack():
    graph = Graph.from_networkx(nx.karate_club_graph())
    result = Engine(graph).run(PageRank())
    rank = np.from_dlpack(result.rank)
    assert np.shares_memory(rank, result.rank) and rank.dtype == result.rank.dtype
    assert result.rank.flags.writeable and result.rank.flags.c_contiguous
    capsule = result.rank.__dlpack__()  # also for those of before DLPack 1.0
    assert "dltensor" in repr(capsule)
    # A graph's arrays are read-only, which only DLPack 1.0 can say.
    with pytest.raises(BufferError, match="readonly"):
        graph.edge_src.__dlpack__()
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        ends = np.from_dlpack(graph.edge_src)
        assert np.shares_memory(ends, graph.edge_src) and not ends.flags.writeable
    assert np.array_equal(np.from_dlpack(graph.edge_src.copy()), graph.edge_src)


@pytest.mark.parametrize("name", ["networkx", "igraph", "pandas", "pyarrow"])
def test_missing_packages(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    graph = made()
    method = graph.to_arrow if name == "pyarrow" else getattr(graph, f"to_{name}")
    refused(["needs", f"`pip install {name}`"], method)
