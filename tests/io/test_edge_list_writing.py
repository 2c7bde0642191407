"""Edge lists as they are written: for NetworkX, for GAP, and for reading again."""

import gzip

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse.csgraph import connected_components
from support.filecases import edges_of, refused, shared

from gascl.graph.graph import Graph


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.tsv", "a.wel", "a.txt.gz"])
def test_networkx_reads_what_is_written(tmp_path, name):
    rng = np.random.default_rng(4)
    src, dst = np.arange(40), rng.integers(0, 40, 40)
    values = [0.1, np.inf, 1e-300, 2 / 3] * 10
    graph = Graph.from_edges(src, dst, labels=range(100, 140), weight=values)
    graph.write(tmp_path / name, format="edgelist")
    mark = "," if "csv" in name else None
    opened = (gzip.open if name.endswith("gz") else open)(tmp_path / name, "rb")
    with opened as file:
        lines = [line for line in file if not line.startswith(b"source")]
    theirs = nx.parse_edgelist(
        [line.decode() for line in lines],
        delimiter=mark,
        create_using=nx.MultiDiGraph,
        nodetype=int,
        data=[("weight", float)],
    )
    rows = [(tail, head, data["weight"]) for tail, head, data in theirs.edges(data=True)]
    assert sorted(rows) == sorted(edges_of(graph))
    back = Graph.read(tmp_path / name)
    assert edges_of(back) == edges_of(graph) and back.labels.tolist() == list(range(100, 140))


def test_what_is_written(tmp_path, write):
    graph = Graph.from_edges(
        [0, 1, 1], [1, 2, 2], directed=False, labels=["ü", "b", "c"], n=[1, -2, 3], w=[0.5, 1, 2]
    )
    graph.write(tmp_path / "a.txt")
    text = (
        "# gascl: undirected, 3 vertices, 3 edges\nsource\ttarget\tn\tw\n"
        "ü\tb\t1\t0.5\nb\tc\t-2\t1.0\nb\tc\t3\t2.0\n"
    )
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == text
    back = Graph.read(tmp_path / "a.txt")
    assert edges_of(back) == edges_of(graph) and not back.directed
    assert [*back.edge_fields] == ["n", "w"]
    assert "as the comment '# gascl: undirected, 3 vertices, 3 edges' says" in "".join(back.report)
    lost = write("b.txt", text[:-10])
    refused(["declares 3 vertices and 3 edges", "3 and 2"], lambda: Graph.read(lost))
    names = Graph.from_edges([0], [1], labels=["from", "to"])
    names.write(tmp_path / "c.txt")
    assert edges_of(Graph.read(tmp_path / "c.txt")) == [("from", "to")]
    Graph.from_edges([], []).write(tmp_path / "d.txt")
    assert Graph.read(tmp_path / "d.txt").num_vertices == 0


def test_gap(tmp_path, write):
    """.el and .wel as GAP's reader takes them: nothing but numbers."""
    assert edges_of(Graph.read(write("a.el", "0 1\n1 2\n"))) == [(0, 1), (1, 2)]
    assert edges_of(Graph.read(write("a.wel", "0 1 7\n1 2 8\n"))) == [(0, 1, 7), (1, 2, 8)]
    Graph.from_edges([0, 1], [1, 2], weight=[7, 8]).write(tmp_path / "b.wel")
    assert (tmp_path / "b.wel").read_text() == "0 1 7\n1 2 8\n"
    refused(["no edge fields"], lambda: Graph.read(tmp_path / "b.wel").write(tmp_path / "c.el"))
    both = Graph.from_edges([0], [1], directed=False)
    refused(["undirected"], lambda: both.write(tmp_path / "c.el"))
    named = Graph.from_edges([0], [1], labels="ab")
    refused(["integers as ids"], lambda: named.write(tmp_path / "c.el"))
    assert not (tmp_path / "c.el").exists()


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (
            Graph.from_edges([0], [1], num_vertices=3),
            ["cannot hold vertices without edges", "such as 2"],
        ),
        (Graph.from_edges([0], [1], labels=["a b", "c"]), ["'a b'"]),
        (Graph.from_edges([0], [1], labels=["#a", "c"]), ["'#a'"]),
        (Graph.from_edges([0], [1], labels=[("a", 1), "c"]), ["('a', 1)"]),
        (Graph.from_edges([0], [1], labels=["1", "2"]), ["text", "integers"]),
    ],
)
def test_what_an_edge_list_cannot_hold(tmp_path, graph, words):
    refused([*words, "gascl's own format (.npz) can"], lambda: graph.write(tmp_path / "a.txt"))
    assert not (tmp_path / "a.txt").exists()


# Real graphs

REAL = [
    ("edgelist/ego-Facebook.txt.gz", {"directed": False}, 4039, 88234, 1),
    ("edgelist/wiki-Vote.txt.gz", {}, 7115, 103689, 24),
    ("edgelist/email-Eu-core.txt", {}, 1005, 25571, 20),
    ("edgelist/ca-GrQc.txt.gz", {"directed": False, "duplicates": "first"}, 5242, 14496, 355),
    ("edgelist/p2p-Gnutella08.txt", {}, 6301, 20777, None),
]


@pytest.mark.parametrize(("name", "keywords", "vertices", "edges", "components"), REAL)
def test_real_graphs(name, keywords, vertices, edges, components, tmp_path):
    graph = Graph.read(shared(name), **keywords)
    assert (graph.num_vertices, graph.num_edges) == (vertices, edges)
    assert graph.directed == keywords.get("directed", True)
    if components is not None:
        assert connected_components(graph.to_scipy(), directed=True, connection="weak")[0] == (
            components
        )
    if "wiki-Vote" in name:
        assert np.count_nonzero(graph.out_degree == 0) == 1005
        assert graph.label_of(graph.index_of("4037")) == 4037
    if "email" in name:
        assert "self_loops='keep': 642 self-loops kept" in graph.report
    assert not any("the file has" in line for line in graph.report)  # other counts than declared
    graph.write(tmp_path / "a.tsv.gz")
    back = Graph.read(tmp_path / "a.tsv.gz")
    assert edges_of(back) == edges_of(graph) and back.directed == graph.directed
    np.testing.assert_array_equal(back.labels, graph.labels)


AWKWARD = ["New York", "a,b", 'say "x"', "#1", "50 %", "x;y|z", "tab\there", "plain", "\u00fc e"]


@pytest.mark.parametrize("fields", [{}, {"w": np.arange(9) / 4}])
def test_labels_in_quotes(tmp_path, fields):
    """pandas reads what is written, and so does gascl."""
    src, dst = np.arange(9), np.roll(np.arange(9), 4)
    graph = Graph.from_edges(src, dst, labels=AWKWARD, **fields)
    path = tmp_path / "a.csv"
    graph.write(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# gascl: directed, 9 vertices, 9 edges"
    assert lines[1] == ",".join(["source", "target", *fields])
    frame = pd.read_csv(path, comment="#", keep_default_na=False)
    rows = list(frame.itertuples(index=False, name=None))
    assert rows == edges_of(graph)
    assert edges_of(Graph.read(path)) == edges_of(graph)
    gz = tmp_path / "b.csv.gz"
    graph.write(gz)
    assert edges_of(Graph.read(gz)) == edges_of(graph)


def test_a_csv_has_a_header(tmp_path):
    graph = Graph.from_edges([0, 1], [1, 2], labels=["source", "target", "c"])
    graph.write(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[1:] == [
        "source,target",
        "source,target",
        "target,c",
    ]
    assert edges_of(Graph.read(tmp_path / "a.csv")) == [("source", "target"), ("target", "c")]
    older = tmp_path / "b.csv"
    older.write_text("# gascl: directed, 3 vertices, 2 edges\n1,2\n2,3\n")
    assert edges_of(Graph.read(older)) == [(1, 2), (2, 3)]


@pytest.mark.parametrize("label", ["a\nb", "a\rb", "a\0b", "", "\ud800"])
def test_labels_that_quotes_do_not_help(tmp_path, label):
    graph = Graph.from_edges([0], [1], labels=[label, "c"])
    refused(["cannot hold the label", "--drop labels"], lambda: graph.write(tmp_path / "a.csv"))
    assert not (tmp_path / "a.csv").exists()


def test_other_files_say_that_a_csv_quotes(tmp_path):
    graph = Graph.from_edges([0], [1], labels=["a b", "c"])
    for name in ("a.txt", "a.tsv"):
        refused(["'a b'", "a .csv can"], lambda name=name: graph.write(tmp_path / name))
