"""GML: NetworkX and igraph write what is read, and read what is written; damage by hand."""

import gzip
import sys
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pytest

from gascl.errors import FormatError
from gascl.graph.graph import Graph

COMMUNITIES = Path(__file__).parents[3] / "shared" / "data" / "communities"

# V, E and groups as the description beside the files has them.
KNOWN = {
    "karate": (34, 78, 2),
    "dolphins": (62, 159, 2),
    "football": (115, 613, 12),
    "polbooks": (105, 441, 3),
}


@pytest.fixture
def read(tmp_path):
    def read_text(text, **options):
        path = tmp_path / "a.gml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Graph.read(path, **options)

    return read_text


@pytest.mark.parametrize("name", KNOWN)
def test_community_graphs(name, tmp_path):
    path = COMMUNITIES / f"{name}.gml"
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the package")
    graph = Graph.read(path)
    vertices, edges, groups = KNOWN[name]
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (vertices, edges, False)
    assert len(np.unique(graph.vertex_fields["gt"])) == groups
    truth = nx.read_gml(path)
    assert [str(label) for label in graph.labels] == list(truth)
    ends = {
        (str(graph.label_of(u)), str(graph.label_of(v))) for u, v in zip(*graph.coo(), strict=True)
    }
    assert ends == {pair for u, v in truth.edges for pair in ((u, v), (v, u))}
    # The same vertices are in the same groups, whatever the groups are called.
    theirs = nx.get_node_attributes(truth, "gt").values()
    pairs = set(zip(graph.vertex_fields["gt"].tolist(), theirs, strict=True))
    assert len(pairs) == groups
    graph.write(tmp_path / "b.gml")
    again = nx.read_gml(tmp_path / "b.gml")
    assert nx.utils.graphs_equal(nx.Graph(again.edges), nx.Graph(truth.edges))


def test_order_direction_and_fields(read):
    graph = read(
        'Creator "me"\ngraph [ directed 1\n'
        "node [ id 7 x 1.5 pos 1 pos 2 ] node [ id 3 x -INF pos 3 pos 4 ]\n"
        'edge [ source 3 target 7 w 1 note "b" ] edge [ source 7 target 3 w 2 ]\n'
        "edge [ source 7 target 3 w 5 ] ]\n"
    )
    assert graph.directed and graph.labels.tolist() == [7, 3]
    assert graph.edge_src.tolist() == [1, 0, 0] and graph.edge_dst.tolist() == [0, 1, 1]
    assert graph.edge_fields["w"].tolist() == [1, 2, 5]
    assert graph.vertex_fields["x"].tolist() == [1.5, -np.inf]
    assert graph.vertex_fields["pos"].tolist() == [[1, 2], [3, 4]]
    report = "\n".join(graph.report)
    assert "labels: the nodes' ids, integers" in report
    assert graph.edges["note"].tolist() == ["b", None, None]


def test_labels(read):
    nodes = 'graph [ node [ id 1 label "{}" name "x" ] node [ id 2 label "{}" name "y" ] ]'
    assert read(nodes.format("a", "b")).labels.tolist() == ["a", "b"]
    assert read(nodes.format("10", "-4")).labels.tolist() == [10, -4]
    assert read(nodes.format("10", "04")).labels.tolist() == ["10", "04"]
    assert read(nodes.format("()", "[]")).labels.tolist() == ["()", "[]"]
    assert read(nodes.format("&#233;", "b")).labels.tolist() == ["é", "b"]
    assert read(nodes.format("ü", "b")).labels.tolist() == ["ü", "b"]  # which NetworkX refuses
    twice = read(nodes.format("a", "a"))
    assert twice.labels.tolist() == [1, 2]
    assert "node 2 has the label 'a' of an earlier one, so the ids are the labels" in twice.report
    assert read(nodes.format("a", "a"), label="name").labels.tolist() == ["x", "y"]
    assert read(nodes.format("a", "b"), label="id").labels.tolist() == [1, 2]
    with pytest.raises(FormatError, match=r"node 1 has no 'nom'.*label='id'"):
        read(nodes.format("a", "b"), label="nom")
    with pytest.raises(FormatError, match="has the label 'a' of an earlier one"):
        read(nodes.format("a", "a"), label="label")


def test_what_networkx_alone_reads_wrong(read):
    """A quote in a comment hides what follows from it; parallel edges it refuses."""
    graph = read(
        '# 5" disks\r\ngraph # one\r\n[\r\nnode [ id 0 label "a\r\n\r\nb" ]\r\n'
        'node [ id 1 label "c" ]\r\n'
        "edge # an\r\n [ source 1 target 0 ] # one\r\nedge [ source 0 target 1 ]\r\n]"
    )
    assert graph.labels.tolist() == ["a  b", "c"] and not graph.directed
    assert graph.edge_src.tolist() == [1, 0]


def test_exponents(read):
    """NetworkX takes 1e-05, as Python and igraph write it, for a 1 and a name e."""
    weights = ["1e-05", "-2E3", "+7e+25", "5", "1.5e2", ".5E1", "4.e-1"]
    edges = "".join(f"edge [ source 0 target 0 weight {weight} ]" for weight in weights)
    graph = read(f'graph [ node [ id 0 label "1e5x 2y" ] {edges}]')
    assert graph.edge_fields["weight"].tolist() == [1e-05, -2e3, 7e25, 5, 150, 5, 0.4]
    assert [*graph.edge_fields] == ["weight"] and graph.labels.tolist() == ["1e5x 2y"]


def test_text_as_numbers_and_as_codes(read):
    nodes = "".join(f'node [ id {i} n "{i}.5" g "{"xy"[i % 2]}" s "t{i}" ]' for i in range(4))
    graph = read(f"graph [ {nodes} ]")
    assert graph.vertex_fields["n"].tolist() == [0.5, 1.5, 2.5, 3.5]
    assert graph.vertex_fields["g"].tolist() == [0, 1, 0, 1]
    assert graph.vertices["s"].tolist() == ["t0", "t1", "t2", "t3"]
    assert "node attribute 'g': text, 2 different: 0 is 'x', 1 is 'y'" in graph.report


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no graph"),
        ("1 2\n", "line 1: '1 2': expected the end of the file, found 1"),
        ("graph [\n node [\n  id $ ] ]", r"line 3: 'id \$ \] \]': expected a name, a number"),
        ("graph [\n node [ id 1 ]", "line 2: 'node .*expected ']', found the end of the file"),
        ('graph [\n node [ id 1 label "a ] ]', "line 2: the text that starts here"),
        ("graph 5", "not a list of names and values"),
        ("graph [ node [ id [ ] ] ]", "not a list of names and values"),
        ("graph [ node [ label 1 ] ]", "node #0 has no 'id'"),
        ("graph [ node [ id 1 ] node [ id 1 ] ]", "node id 1 is duplicated"),
        ('graph [ node [ id 1 ] node [ id "1" ] ]', "node '1' has the id 1 of an earlier one"),
        ("graph [ node [ id 1 ] edge [ source 1 ] ]", "edge #0 has no 'target'"),
        ("graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "undefined target 2"),
        ("graph [\n node [ id 1x 2 ] ]", "line 2: '1x' is neither a number nor a name"),
        ("graph [\n node [ id\n] ]", "line 2: 'id' has no value"),
        ("graph [ directed 2 ]", "`directed` is 2, and must be 0 or 1"),
        ("graph [ ] graph [ ]", "more than one graph"),
        ("graph [" + "a [ " * 5000, "nested too deep"),
        ("graph [ node [ id " + "9" * 5000 + " ] ]", "digits"),
        ("<gml:Point/>", "is XML"),
        (b"graph [ node [ id \xff ] ]", "UTF-8"),
    ],
)
def test_damage(read, text, words):
    with pytest.raises(FormatError, match=r"a\.gml(?s:.*)" + words):
        read(text)


@pytest.mark.filterwarnings("ignore:One or more unknown entities")  # igraph on &#252;
@pytest.mark.parametrize("directed", [True, False])
def test_written_for_others(tmp_path, directed):
    graph = Graph.from_edges(
        *([2, 0, 2, 1], [1, 1, 1, 1]),
        directed=directed,
        labels=["a b", "ü", '"q"'],
        vertex_fields={"x": np.array([1.5, np.nan, 2]), "pos": np.array([[1, 2], [3, 4], [5, 6]])},
        weight=[0.1, np.inf, -1e-300, 3],
        n=[1, 2, 3, 2**40],
    )
    path = tmp_path / "a.gml.gz"
    graph.write(path)
    theirs = nx.read_gml(path)
    assert theirs.is_directed() == directed and theirs.is_multigraph()
    assert list(theirs) == graph.labels.tolist() and theirs.nodes['"q"']["pos"] == [5, 6]
    assert sorted(data["weight"] for *_, data in theirs.edges(data=True)) == [
        -1e-300,
        0.1,
        3,
        np.inf,
    ]
    again = Graph.read(path)
    assert again.fingerprint == graph.fingerprint
    for name in ("edge_fields", "vertex_fields"):
        ours, others = getattr(graph, name), getattr(again, name)
        assert list(ours) == list(others)
        for field in ours:
            np.testing.assert_array_equal(ours[field], others[field])
    (tmp_path / "b.gml").write_bytes(gzip.decompress(path.read_bytes()).replace(b"NAN", b"7.0"))
    also = igraph.Graph.Read_GML(str(tmp_path / "b.gml"))
    assert also.is_directed() == directed and also.get_edgelist() == (
        [(2, 1), (0, 1), (2, 1), (1, 1)] if directed else [(1, 2), (0, 1), (1, 2), (1, 1)]
    )


def test_what_igraph_writes(tmp_path):
    zachary = igraph.Graph.Famous("Zachary")
    zachary.es["weight"] = [float(f"{i}.25e{i - 40}") for i in range(78)]
    zachary.write_gml(str(tmp_path / "a.gml"))
    graph = Graph.read(tmp_path / "a.gml")
    ends = np.sort(np.column_stack([graph.edge_src, graph.edge_dst]))
    assert list(map(tuple, ends.tolist())) == [
        tuple(sorted(pair)) for pair in zachary.get_edgelist()
    ]
    assert graph.edge_fields["weight"].tolist() == zachary.es["weight"]


def test_what_gml_cannot_hold(tmp_path, monkeypatch):
    path = tmp_path / "a.gml"
    path.write_text("before")
    for field in ("source", "_w", "größe"):
        with pytest.raises(FormatError, match=f"cannot hold the edge field '{field}'"):
            Graph.from_edges([0], [1], **{field: [1]}).write(path)
    with pytest.raises(FormatError, match="integers or text"):
        Graph.from_edges([0], [1], labels=[1, "a"]).write(path)
    monkeypatch.setitem(sys.modules, "networkx", None)
    for call in (Graph.from_edges([0], [1]).write, lambda p: Graph.read(p, format="gml")):
        with pytest.raises(FormatError, match="GML needs NetworkX: `pip install networkx`"):
            call(path)
    assert path.read_text() == "before"


def test_known_by_content(tmp_path):
    (tmp_path / "a.dat").write_text('# c\nCreator "x"\nVersion 1\ngraph\n[ node [ id 3 ] ]')
    assert Graph.read(tmp_path / "a.dat").labels.tolist() == [3]


def test_without_labels(tmp_path):
    """Others see the numbers of the vertices; we know that there were none."""
    graph = Graph.from_edges([2, 0], [1, 1], num_vertices=4, weight=[1e-5, 2])
    graph.write(tmp_path / "a.gml")
    assert list(nx.read_gml(tmp_path / "a.gml")) == ["0", "1", "2", "3"]
    again = Graph.read(tmp_path / "a.gml")
    assert again.labels is None and again.fingerprint == graph.fingerprint
    assert "ids are the vertices themselves, without labels" in again.report
