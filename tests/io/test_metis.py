"""METIS graphs: the manual's figures, files by hand, NetworKit's reader and writer, 4elt."""

import gzip

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.filecases import (
    CHANGES,
    changed_bytes,
    edges_of,
    put,
    read_or_refused,
    refused,
    shared,
)

from gascl.graph.graph import Graph
from gascl.io import text_lines

# METIS 5.1.0's manual, figure 2: one graph, (a) without weights, (b) with weights of edges, (c)
# with weights of vertices, too, and (d) with three weights per vertex.
PLAIN = "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"
EDGES = """7 11 001
5 1 3 2 2 1
1 1 3 2 4 1
5 3 4 2 2 2 1 2
2 1 3 2 6 2 7 5
1 1 3 3 6 2
5 2 4 2 7 6
6 6 4 5
"""
BOTH = """7 11 011
4 5 1 3 2 2 1
2 1 1 3 2 4 1
5 5 3 4 2 2 2 1 2
3 2 1 3 2 6 2 7 5
1 1 1 3 3 6 2
6 5 2 4 2 7 6
2 6 6 4 5
"""
THREE = """7 11 010 3
1 2 0 5 3 2
0 2 2 1 3 4
4 1 1 5 4 2 1
2 2 3 2 3 6 7
1 1 1 1 3 6
2 2 1 5 4 7
1 2 1 6 4
"""
WEIGHTED = {
    **{(1, 5): 1, (1, 3): 2, (1, 2): 1, (2, 3): 2, (2, 4): 1, (3, 5): 3, (3, 4): 2},
    **{(4, 6): 2, (4, 7): 5, (5, 6): 2, (6, 7): 6},
}
EXPECTED = [(u - 1, v - 1, w) for (u, v), w in WEIGHTED.items()]


def ends(rows):
    return sorted((min(row[:2]), max(row[:2]), *row[2:]) for row in rows)


@pytest.mark.parametrize("change", ["", "crlf", "cut", "comments", "tabs", "slow"])
@pytest.mark.parametrize("text", [PLAIN, EDGES, BOTH, THREE], ids="abcd")
def test_figures_of_the_manual(tmp_path, text, change):
    lines = text.split("\n")
    text = {
        "": text,
        "crlf": text.replace("\n", "\r\n"),
        "cut": text.rstrip("\n"),
        "comments": "% one\n%two\n" + lines[0] + "\n%\n" + "\n% x\n".join(lines[1:]),
        "tabs": text.replace(" ", " \t").replace("\n", " \n") + "\n\n",
        "slow": "\n".join([lines[0], "+" + lines[1], *lines[2:]]),
    }[change]
    graph = Graph.read(put(tmp_path, "a.graph", text))
    assert not graph.directed and graph.labels is None and graph.num_vertices == 7
    weighted = lines[0] in ("7 11 001", "7 11 011")
    assert ends(edges_of(graph)) == ends(EXPECTED if weighted else [e[:2] for e in EXPECTED])
    fields = {name: values.tolist() for name, values in graph.vertex_fields.items()}
    if lines[0] == "7 11 011":
        assert fields == {"weight": [4, 2, 5, 3, 1, 6, 2]}
    elif lines[0] == "7 11 010 3":
        rows = ["120", "022", "411", "223", "111", "221", "121"]
        assert fields == {"weight": [list(map(int, row)) for row in rows]}
    else:
        assert not fields
    if change == "comments":
        assert graph.report[0] == "METIS: comment lines skipped: 10"


def test_edges_in_the_order_of_the_file(tmp_path):
    assert edges_of(Graph.read(put(tmp_path, "a.graph", EDGES))) == EXPECTED
    both = Graph.read(put(tmp_path, "a.graph", EDGES), directed=True)
    assert both.directed and both.num_edges == 22
    assert sorted(edges_of(both)) == sorted(EXPECTED + [(v, u, w) for u, v, w in EXPECTED])


def test_isolated_vertices_have_empty_lines(tmp_path):
    graph = Graph.read(put(tmp_path, "a.graph", "5 1\n\n3\n2\n\n\n"))
    assert graph.num_vertices == 5 and edges_of(graph) == [(1, 2)]
    empty = Graph.read(put(tmp_path, "a.graph", "0 0\n"))
    assert (empty.num_vertices, empty.num_edges) == (0, 0)
    only = Graph.read(put(tmp_path, "a.graph", "2 0\n \r\n\n\n"))
    assert (only.num_vertices, only.num_edges) == (2, 0)


def test_sizes(tmp_path):
    text = "2 1 111 2\n9 1 2 2 5\n8 3 4 1 5\n"
    graph = Graph.read(put(tmp_path, "a.graph", text))
    assert graph.vertex_fields["size"].tolist() == [9, 8]
    assert graph.vertex_fields["weight"].tolist() == [[1, 2], [3, 4]]
    assert edges_of(graph) == [(0, 1, 5)]
    graph.write(tmp_path / "b.graph")
    assert (tmp_path / "b.graph").read_text() == text
    sizes = Graph.read(put(tmp_path, "a.graph", "2 1 100\n9 2\n8 1\n"))
    assert sizes.vertex_fields["size"].tolist() == [9, 8]
    zero = Graph.read(put(tmp_path, "a.graph", "2 1 10 0\n9 2\n8 1\n"))  # 0 is 1, as in METIS
    assert zero.vertex_fields["weight"].tolist() == [9, 8]


def test_parallel_edges_need_a_mirror_each(tmp_path):
    graph = Graph.read(put(tmp_path, "a.graph", "2 2 1\n2 5 2 6\n1 6 1 5\n"))
    assert edges_of(graph) == [(0, 1, 5), (0, 1, 6)]
    words = ["line 2", "line 3, of vertex 2, has 1 1 times, not 2"]
    refused(words, lambda: Graph.read(put(tmp_path, "a.graph", "2 2\n2 2\n1\n")))


@settings(deadline=None)
@given(
    st.integers(0, 9),
    st.data(),
    st.sampled_from([0, 1, 2]),
    st.booleans(),
    st.sampled_from([4, 99]),
)
def test_written_by_hand(tmp_path_factory, count, data, ncon, weighted, size):
    graph = nx.gnp_random_graph(count, 0.4, seed=data.draw(st.integers(0, 99)))
    header = f"{count} {graph.number_of_edges()} 0{int(ncon > 0)}{int(weighted)} {ncon}\n"
    lines = []
    for u in graph:
        words = list(range(u, u + ncon))
        for v in graph[u]:
            words += [v + 1, u + v + 1] if weighted else [v + 1]
        lines.append(" ".join(map(str, words)) + "\n")
    path = put(tmp_path_factory.mktemp("metis"), "a.graph", header + "".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "PIECE", size)
        read = Graph.read(path)
    pairs = [(u, v, u + v + 1) if weighted else (u, v) for u, v in graph.edges]
    assert ends(edges_of(read)) == ends(pairs) and read.num_vertices == count
    read.write(path)
    assert edges_of(Graph.read(path)) == edges_of(read)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["no header", "'VERTICES EDGES [FMT [NCON]]'"]),
        ("% only\n", ["no header"]),
        ("\n3 1\n", ["line 1: ''", "is not a header"]),
        ("3\n", ["line 1: '3'", "is not a header"]),
        ("3 1 0 1 1\n", ["line 1", "is not a header"]),
        ("a b\n", ["line 1: 'a b'", "is not a header"]),
        ("2 1 2\n2\n1\n", ["line 1: '2 1 2'", "FMT '002'"]),
        ("2 1 0001\n2\n1\n", ["FMT '0001'"]),
        ("2 1 1 2\n2 1\n1 1\n", ["2 weights per vertex", "none"]),
        ("-2 1\n", ["impossible", "0 to 2,147,483,647"]),
        ("3000000000 1\n", ["impossible"]),
        ("2 1 11 2147483647\n2\n1\n", ["line 2: '2'", "too few numbers", "WEIGHT_2147483647"]),
        ("2 1 11 3000000000\n", ["line 1", "3000000000 weights per vertex"]),
        ("2 1\n% c\n2 x\n1\n", ["line 3: '2 x' has 'x'"]),
        # Counts that lie
        ("3 1\n2\n1\n", ["line 1 declares 3 vertices, and 2 lines follow", "which is empty"]),
        ("1 0\n\n1\n", ["line 3: '1'", "after the last of 1 vertices"]),
        ("2 2\n2\n1\n", ["line 1", "declares 2 edges", "have 1,"]),
        ("2 0\n2\n1\n", ["line 1", "declares 0 edges", "have 1,"]),
        (PLAIN.replace("7 11", "7 22"), ["line 1", "declares 22 edges", "have 11,"]),
        # Neighbors
        (
            "% c\n2 1\n%\n2\n3\n",
            ["line 5: '3', the line of vertex 2", "outside the vertices 1 to 2"],
        ),
        ("2 1\n0\n1\n", ["line 2: '0'", "outside the vertices 1 to 2"]),
        ("2 1\n-1\n1\n", ["line 2: '-1'", "outside the vertices"]),
        ("2 1\n2\n2\n", ["line 3: '2', the line of vertex 2", "self-loop"]),
        ("3 2\n2\n1 3\n\n", ["line 3: '1 3' has the neighbor 3", "line 4", "does not have 2"]),
        ("3 2\n\n1 3\n2\n", ["line 3: '1 3' has the neighbor 1", "line 2", "does not have 2"]),
        ("2 1 1\n2 5\n1 6\n", ["line 2: '2 5'", "line 3", "the weight 6, not 5"]),
        # Numbers
        ("2 1\n2 x\n1\n", ["line 2: '2 x' has 'x'", "expected 'NEIGHBOR ...'", "line 1"]),
        ("2 1 1\n2 1.5\n1 1.5\n", ["line 2: '2 1.5' has '1.5'", "NEIGHBOR WEIGHT ..."]),
        ("2 1\n2\n1 nan", ["line 3: '1 nan'", "'nan'"]),
        (f"2 1 1\n2 {2**63}\n1 {2**63}\n", ["line 2", "64-bit"]),
        ("2 1 1\n2\n1 5\n", ["line 2: '2'", "neighbor without its weight"]),
        ("2 1 1\n2 0\n1 0\n", ["line 2: '2 0'", "edge weight below 1"]),
        ("2 1 10\n3 2\n\n", ["line 3: ''", "too few numbers", "'WEIGHT NEIGHBOR ...'"]),
        ("2 1 100\n3 2\n-1 1\n", ["line 3: '-1 1'", "below 0", "'SIZE NEIGHBOR ...'"]),
    ],
)
def test_bad_files(tmp_path, text, words):
    path = put(tmp_path, "a.graph", text)
    refused([str(path), *words], lambda: Graph.read(path))


def test_long_lines_are_cut_in_errors(tmp_path):
    path = put(tmp_path, "a.graph", "2 1\n" + "2 " * 100 + "x\n1\n")
    refused(["2 2 2...", "'x'"], lambda: Graph.read(path))


def test_what_it_cannot_hold(tmp_path):
    path = tmp_path / "a.graph"
    one = {"src": [0], "dst": [1], "directed": False}
    for words, graph in [
        (["undirected graphs"], Graph.from_edges([0], [1])),
        (["labels"], Graph.from_edges(**one, labels=[5, 6])),
        (["'cost'"], Graph.from_edges(**one, cost=[1])),
        (["float64"], Graph.from_edges(**one, weight=[1.5])),
        (["contains 0", "1 to"], Graph.from_edges(**one, weight=[0])),
        (["edge 1 (1 to 1)", "drop"], Graph.from_edges([0, 1], [1, 1], directed=False)),
        (["edge 2 (1 to 0)", "merge"], Graph.from_edges([0, 1, 1], [1, 2, 0], directed=False)),
    ]:
        refused([str(path), *words], lambda graph=graph: graph.write(path))
    plain = Graph.from_edges(**one)
    for words, name, values in [
        (["'size'", "shape (2, 2)"], "size", np.ones((2, 2), int)),
        (["'weight'", "shape (2, 0)"], "weight", np.ones((2, 0), int)),
        (["'weight'", "float64"], "weight", np.ones(2)),
        (["'weight' contains -1", "0 to"], "weight", np.array([1, -1])),
        (["vertex field 'group'"], "group", np.array([1, 1])),
    ]:
        graph = Graph(plain.edge_src, plain.edge_dst, 2, False, vertex_fields={name: values})
        refused([str(path), *words], lambda graph=graph: graph.write(path))
    assert not list(tmp_path.iterdir())


# Other programs


def test_networkit_reads_what_we_write(tmp_path):
    networkit = pytest.importorskip("networkit")
    made = nx.gnm_random_graph(60, 150, seed=4)
    src, dst = np.array(made.edges).T
    weight = np.arange(150) + 1
    plain = Graph.from_edges(dst, src, num_vertices=61, directed=False)
    heavy = Graph.from_edges(dst, src, num_vertices=61, directed=False, weight=weight)
    for graph in (plain, heavy):
        graph.write(tmp_path / "a.graph")
        read = networkit.readGraph(str(tmp_path / "a.graph"), networkit.Format.METIS)
        assert read.numberOfNodes() == 61
        rows = [
            (u, v, *([w] if "weight" in graph.edge_fields else []))
            for u, v, w in read.iterEdgesWeights()
        ]
        assert ends(rows) == ends(edges_of(graph))


def test_what_networkit_writes(tmp_path):
    networkit = pytest.importorskip("networkit")
    made = networkit.generators.ErdosRenyiGenerator(50, 0.1).generate()
    networkit.writeGraph(made, str(tmp_path / "a.graph"), networkit.Format.METIS)
    graph = Graph.read(tmp_path / "a.graph")
    assert graph.num_vertices == 50 and ends(edges_of(graph)) == ends(made.iterEdges())


def test_real_graphs(tmp_path):
    plain = Graph.read(shared("metis/4elt.graph.gz"))
    assert (plain.num_vertices, plain.num_edges, plain.directed) == (15606, 45878, False)
    assert not plain.edge_fields and not plain.vertex_fields
    lines = gzip.decompress(shared("metis/4elt.graph.gz").read_bytes()).decode().split("\n")[1:]
    pairs = [(u, int(word) - 1) for u, line in enumerate(lines) for word in line.split()]
    assert edges_of(plain) == [(u, v) for u, v in pairs if u < v]
    heavy = Graph.read(shared("metis/example_weighted.graph"))
    assert (heavy.num_vertices, heavy.num_edges) == (132, 328)
    assert set(heavy.edge_fields) == set(heavy.vertex_fields) == {"weight"}
    assert heavy.vertex_fields["weight"][:2].tolist() == [287, 233]
    assert edges_of(heavy)[:2] == [(0, 1, 53), (0, 9, 75)]
    for graph in (plain, heavy):
        graph.write(tmp_path / "a.graph.xz")
        again = Graph.read(tmp_path / "a.graph.xz")
        assert edges_of(again) == edges_of(graph)
        for name, values in graph.vertex_fields.items():
            np.testing.assert_array_equal(again.vertex_fields[name], values)


@settings(deadline=None)
@given(CHANGES, st.sampled_from([PLAIN, EDGES, BOTH, THREE]))
def test_damaged(tmp_path_factory, changes, text):
    """Whatever is read has as many edges as the header of the damaged file says."""
    content = changed_bytes(text.encode(), changes)
    graph = read_or_refused(put(tmp_path_factory.mktemp("metis"), "a.graph", content))
    if graph is not None:
        header = next(line for line in content.split(b"\n") if not line.startswith(b"%"))
        assert [graph.num_vertices, graph.num_edges] == list(map(int, header.split()[:2]))
