"""GraphML: NetworkX and igraph write what is read, and read what is written; damage by hand."""

import bz2
import sys
import time

import igraph
import networkx as nx
import numpy as np
import pytest

from gascl.errors import FormatError
from gascl.graph.graph import Graph

HEAD = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge" attr.name="weight" attr.type="double"><default>2.5</default></key>
<key id="x" attr.name="x" attr.type="int"/><key id="s" for="node" attr.name="s" attr.type="string"/>
<key id="b" for="edge" attr.name="good" attr.type="boolean"/>
<graph edgedefault="{}">
"""
TAIL = "</graph></graphml>\n"


@pytest.fixture
def read(tmp_path):
    def read_text(text, **options):
        path = tmp_path / "a.graphml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Graph.read(path, **options)

    return read_text


def test_order_direction_defaults_and_fields(read):
    text = (
        '<node id="b"><data key="x">1</data><data key="s">p</data></node>\n'
        '<node id="a"><data key="x">-3</data><data key="s">q</data></node>\n'
        '<edge source="a" target="b"/>\n<edge source="b" target="a"><data key="w">7</data></edge>\n'
        '<edge source="a" target="b"><data key="b">true</data></edge>'
    )
    for direction, directed in (("directed", True), ("undirected", False)):
        graph = read(HEAD.format(direction) + text + TAIL)
        assert graph.directed == directed and graph.labels.tolist() == ["b", "a"]
        assert graph.edge_src.tolist() == [1, 0, 1] and graph.edge_dst.tolist() == [0, 1, 0]
        assert graph.edge_fields["weight"].tolist() == [2.5, 7, 2.5]
        assert graph.vertex_fields["x"].tolist() == [1, -3]
        report = "\n".join(graph.report)
        assert "'good' left out: 2 of 3 do not have it" in report
        assert graph.vertices["s"].tolist() == ["p", "q"]
        assert read(HEAD.format(direction) + text + TAIL, label="s").labels.tolist() == ["p", "q"]
    all_directed = text.replace("<edge ", '<edge directed="true" ')
    assert read(HEAD.format("undirected") + all_directed + TAIL).directed


def test_without_namespace_packed_and_by_content(tmp_path):
    text = '<graphml><graph edgedefault="directed"><node id="4"/><node id="-2"/></graph></graphml>'
    path = tmp_path / "a.xml"
    path.write_bytes(bz2.compress(text.encode()))
    assert Graph.read(path).labels.tolist() == [4, -2]


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_what_networkx_writes(tmp_path, kind):
    source = kind()
    source.add_nodes_from([5, 2, 9])
    source.add_edges_from([(2, 5), (5, 2), (9, 9), (2, 5)], weight=0.25)
    nx.write_graphml(source, tmp_path / "a.graphml")
    graph = Graph.read(tmp_path / "a.graphml")
    assert graph.labels.tolist() == [5, 2, 9] and graph.directed == source.is_directed()
    expected = nx.to_scipy_sparse_array(source, weight="weight").toarray()
    assert np.array_equal(graph.to_scipy("weight").toarray(), expected)


def test_what_igraph_writes(tmp_path):
    zachary = igraph.Graph.Famous("Zachary")
    zachary.vs["name"] = [f"p{i}" for i in range(34)]
    zachary.vs["x"] = [i / 2 for i in range(34)]
    zachary.es["weight"] = range(78)
    zachary.write_graphml(str(tmp_path / "a.graphml"))
    graph = Graph.read(tmp_path / "a.graphml", label="name")
    assert graph.labels.tolist() == zachary.vs["name"]
    assert list(zip(graph.edge_src, graph.edge_dst, strict=True)) == zachary.get_edgelist()
    assert graph.vertex_fields["x"].tolist() == zachary.vs["x"]
    assert graph.edge_fields["weight"].tolist() == list(range(78))


def test_nested_graphs_and_ports(read):
    text = (
        '<node id="a"><port name="p"/><graph edgedefault="directed"><node id="b"/>'
        '<edge source="b" target="b"/></graph></node><edge source="a" target="b"/>'
    )
    graph = read(HEAD.format("directed") + text + TAIL)
    assert graph.labels.tolist() == ["a", "b"] and graph.edge_src.tolist() == [1, 0]
    assert "borders of nested graphs left out: 1" in graph.report
    assert "ports of nodes left out: 1" in graph.report


NODE = '<node id="a"/>'


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<node/>", "line 7: a node has no id"),
        (NODE + "\n" + NODE, "line 8: a node has the id 'a' of an earlier one"),
        (NODE + '<edge source="a"/>', "line 7: an edge has no target"),
        (NODE + '\n<edge source="b" target="a"/>', "line 8: .*source 'b', which is not a node"),
        (NODE + '<edge source="a" target="a" directed="maybe"/>', "directed='maybe'"),
        (NODE + '<edge source="a" target="a"/><edge source="a" target="a" directed="true"/>',
         "line 7: an edge is directed, and earlier ones are not"),
        (NODE + '\n<edge source="a" target="a"><data key="w">x</data></edge>',
         "line 8: the <data> of this edge.*'x'"),
        ('<node id="a"><data key="z">1</data></node>', "line 7: the <data> of this node.*no key z"),
        ("<hyperedge/>", "line 7: has a hyperedge"),
        ("<node></edge>", "line 7: this is not readable XML: mismatched tag"),
        ('<node id="&lt;&x;"/>', "line 7: this is not readable XML: undefined entity"),
        ("</graph><graph>", "contains 2 graphs"),
    ],
)  # fmt: skip
def test_damage(read, body, words):
    with pytest.raises(FormatError, match=r"a\.graphml(?s:.*)" + words):
        read(HEAD.format("undirected") + body + TAIL)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no element found"),
        ("<graphml>", "line 1"),
        ("<graphml/>", "contains 0 graphs"),
        ("<svg/>", "starts with <svg>"),
        ('<graphml><graph edgedefault="x"/></graphml>', "edgedefault is 'x'"),
        ('<graphml><key id="a" attr.type="short" attr.name="x"/><graph/></graphml>', "<key>"),
        ('<graphml><key id="a" attr.type="int"/><graph/></graphml>', "<key>"),
        ('<?xml version="1.0" encoding="none"?><graphml/>', "unknown encoding"),
        (b"<graphml>\xff</graphml>", "not well-formed"),
    ],
)
def test_no_graphml(read, text, words):
    with pytest.raises(FormatError, match=words):
        read(text, format="graphml")


def test_entities_are_refused(read, tmp_path):
    """Lots of tiny entities would be 3 GB of text, and others are files of this machine."""
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    for entities in ('<!ENTITY l0 "ha">' + laughs, '<!ENTITY l9 SYSTEM "secret.txt">'):
        text = f'<!DOCTYPE g [{entities}]>\n<graphml><graph><node id="&l9;"/></graph></graphml>'
        begin = time.perf_counter()
        with pytest.raises(FormatError, match="line 1: declares the entity 'l"):
            read(text)
        assert time.perf_counter() - begin < 2


@pytest.mark.parametrize("directed", [True, False])
def test_written_for_others(tmp_path, directed):
    graph = Graph.from_edges(
        *([2, 0, 2, 1], [1, 1, 1, 1]),
        directed=directed,
        labels=["a b", "ü\n", '"<q'],
        vertex_fields={"x": np.array([1.5, np.nan, 2])},
        weight=[0.1, np.inf, -1e-300, 3],
        n=[1, 2, 3, 2**40],
    )
    path = tmp_path / "a.graphml"
    graph.write(path)
    theirs = nx.read_graphml(path)
    assert theirs.is_directed() == directed and list(theirs) == graph.labels.tolist()
    assert sorted(n for *_, n in theirs.edges(data="n")) == [1, 2, 3, 2**40]
    also = igraph.Graph.Read_GraphML(str(path))
    assert also.is_directed() == directed and also.vs["id"] == graph.labels.tolist()
    assert also.get_edgelist() == [(2, 1), (0, 1), (2, 1), (1, 1)] or not directed
    assert also.es["n"] == [1, 2, 3, 2**40]
    again = Graph.read(path)
    assert again.fingerprint == graph.fingerprint
    np.testing.assert_array_equal(again.edge_fields["weight"], graph.edge_fields["weight"])
    np.testing.assert_array_equal(again.vertex_fields["x"], graph.vertex_fields["x"])


def test_what_graphml_cannot_hold(tmp_path, monkeypatch):
    path = tmp_path / "a.graphml"
    graph = Graph.from_edges([0], [1])
    with pytest.raises(FormatError, match=r"label 'a.x00b'"):
        Graph.from_edges([0], [1], labels=["a\0b", "c"]).write(path)
    with pytest.raises(FormatError, match="integers or text"):
        Graph.from_edges([0], [1], labels=[1, "a"]).write(path)
    drawn = nx.Graph()
    drawn.add_node(1, pos=(1, 2))
    with pytest.raises(FormatError, match="vertex field 'pos', which has 2 values"):
        Graph.from_networkx(drawn).write(path)
    monkeypatch.setitem(sys.modules, "networkx", None)
    monkeypatch.delitem(sys.modules, "networkx.readwrite.graphml")
    for call in (graph.write, lambda p: Graph.read(tmp_path / p, format="graphml")):
        with pytest.raises(FormatError, match="GraphML needs NetworkX: `pip install networkx`"):
            call(path)
    assert not path.exists()


def test_without_labels(tmp_path):
    """Others see the numbers of the vertices; we know that there were none."""
    graph = Graph.from_edges([2, 0], [1, 1], num_vertices=4, weight=[1e-5, 2])
    graph.write(tmp_path / "a.graphml")
    assert list(nx.read_graphml(tmp_path / "a.graphml")) == ["0", "1", "2", "3"]
    again = Graph.read(tmp_path / "a.graphml")
    assert again.labels is None and again.fingerprint == graph.fingerprint
    assert "ids are the vertices themselves, without labels" in again.report


def test_without_defusedxml(monkeypatch, read):
    monkeypatch.setitem(sys.modules, "defusedxml", None)
    monkeypatch.delitem(sys.modules, "defusedxml.ElementTree", raising=False)
    with pytest.raises(FormatError, match="GraphML needs defusedxml: `pip install defusedxml`"):
        read(HEAD.format("directed") + TAIL)


@pytest.mark.parametrize("body", ["<node id='a'/><edge source='a' target='b'/>", "<node/>"])
def test_networkx_alone_would_read_it(read, body):
    """Why nodes and edges are read here: NetworkX makes up the missing node, or its name."""
    text = HEAD.format("directed") + body + TAIL
    assert len(nx.parse_graphml(text)) > 0
    with pytest.raises(FormatError, match="line"):
        read(text)
