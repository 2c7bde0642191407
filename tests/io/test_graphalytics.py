"""LDBC Graphalytics: files by hand, properties as Java writes them, and the published examples."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components, dijkstra
from support.filecases import (
    CHANGES,
    changed_bytes,
    edges_of,
    put,
    read_by_both,
    read_or_refused,
    refused,
    shared,
)

from gascl.errors import GasclError
from gascl.graph.graph import Graph
from gascl.io.formats.graphalytics import load_properties, properties_text, read_properties

VERTICES = "30\n-7\n9223372036854775807\n5\n"
EDGES = "30 -7 0.5\n9223372036854775807 30 1e3\n5 5 inf\n"
ROWS = [(30, -7, 0.5), (2**63 - 1, 30, 1000.0), (5, 5, np.inf)]
PROPERTIES = """# a comment
graph.a.vertex-file = a.v
graph.a.edge-file = a.e
graph.a.meta.vertices = 4
graph.a.meta.edges = 3
graph.a.directed = false
graph.a.edge-properties.names = length
graph.a.edge-properties.types = real
graph.a.bfs.source-vertex = 30
"""


def three(folder, vertices=VERTICES, edges=EDGES, properties=PROPERTIES):
    for name, text in (("a.v", vertices), ("a.e", edges), ("a.properties", properties)):
        if text is not None:
            put(folder, name, text)
    return folder / "a.e"


@pytest.mark.parametrize("name", ["a.properties", "a.v", "a.e"])
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: "# ü\n" + text.replace("\n", "\n\n"),
        lambda text: text.replace(" ", "\t "),
        lambda text: "\ufeff" + text,
    ],
)
def test_three_files(tmp_path, change, name):
    three(tmp_path, *map(change, (VERTICES, EDGES, PROPERTIES)))
    graph = Graph.read(tmp_path / name)
    assert not graph.directed and graph.labels.tolist() == [30, -7, 2**63 - 1, 5]
    assert graph.labels.dtype == np.int64
    assert edges_of(graph) == ROWS and list(graph.edge_fields) == ["length"]
    assert "properties from a.properties: undirected" in graph.report
    assert "column 3 read as length, float64" in graph.report


def test_packed(tmp_path):
    properties = PROPERTIES.replace("a.e\n", "b.e.gz\n")
    put(tmp_path, "a.properties.gz", gzip.compress(properties.encode()))
    put(tmp_path, "b.e.gz", gzip.compress(EDGES.encode()))
    put(tmp_path, "a.v.gz", gzip.compress(VERTICES.encode()))  # a.v is named
    assert edges_of(Graph.read(tmp_path / "a.properties.gz")) == ROWS


def test_without_properties(tmp_path):
    path = three(tmp_path, properties=None)
    graph = Graph.read(path)
    assert graph.directed and edges_of(graph) == ROWS and list(graph.edge_fields) == ["weight"]
    assert (
        "read as directed, since there are no properties; directed=False: undirected"
        in graph.report
    )
    assert not Graph.read(path, directed=False).directed
    graph = Graph.read(three(tmp_path, edges="# x\n30 5 7\n5 30 -8\n", properties=None))
    assert graph.edge_fields["weight"].dtype == np.int64 and edges_of(graph)[1] == (5, 30, -8)
    plain = Graph.read(three(tmp_path, edges="30 5\n5 +30\n", properties=None))
    assert not plain.edge_fields and edges_of(plain) == [(30, 5), (5, 30)]
    assert Graph.read(three(tmp_path, "", "", None)).num_vertices == 0
    assert Graph.read(three(tmp_path, VERTICES, "# none\n", None)).num_edges == 0


def test_direction_may_be_overruled(tmp_path):
    both = Graph.read(three(tmp_path), directed=True)
    assert both.directed and both.num_edges == 5  # one of them is a self-loop
    assert edges_of(both)[:3] == ROWS and edges_of(both)[3] == (-7, 30, 0.5)
    directed = PROPERTIES.replace("false", "true")
    loose = Graph.read(three(tmp_path, properties=directed), directed=False)
    assert not loose.directed and edges_of(loose) == ROWS
    unsaid = Graph.read(three(tmp_path, properties=PROPERTIES.replace("graph.a.directed", "x")))
    assert unsaid.directed
    assert (
        "properties from a.properties: directed, the default, since they do not say"
        in unsaid.report
    )


def test_several_fields(tmp_path):
    properties = PROPERTIES.replace("names = length", "names = when,length").replace(
        "types = real", "types = integer , real"
    )
    edges = "30 5 9007199254740993 0.1\n5 30 -1 nan\n"
    path = three(tmp_path, edges=edges, properties=properties.replace("edges = 3", "edges = 2"))
    graph = Graph.read(path)
    assert graph.edge_fields["when"].tolist() == [2**53 + 1, -1]
    np.testing.assert_array_equal(graph.edge_fields["length"], [0.1, np.nan])


def test_content_tells(tmp_path):
    path = three(tmp_path).with_name("a.properties")
    assert edges_of(Graph.read(path.rename(tmp_path / "data.txt"))) == ROWS


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vertices": "30\n5\n# x\n30\n"}, ["a.v, line 4: the vertex 30 is already in line 1"]),
        (
            {"vertices": f"{2**40}\n{2**40 + 1}\n", "edges": "30 5 1\n"},
            ["a.e, line 1: 30 is not a vertex"],
        ),
        ({"vertices": "30\n5 6\n"}, ["a.v, line 2: '5 6' is not a vertex"]),
        ({"vertices": "30\n5.0\n"}, ["a.v, line 2: '5.0'", "64-bit"]),
        ({"vertices": f"30\n{2**63}\n"}, ["a.v, line 2", "64-bit"]),
        ({"vertices": "30\nann\n"}, ["a.v, line 2: 'ann'"]),
        ({"vertices": ""}, ["a.e, line 1: 30 is not a vertex", "lists 0"]),
        ({"edges": "30 5 1\n\n# c\n30 6 1\n"}, ["a.e, line 4: 6 is not a vertex", "a.v lists 4"]),
        ({"edges": "30 5 1\n30 5\n"}, ["a.e, line 2: '30 5'", "SOURCE TARGET length (float64)"]),
        ({"edges": "30 5 1 2\n"}, ["a.e, line 1: '30 5 1 2'", "edge-properties"]),
        ({"edges": "30 5 x\n"}, ["a.e, line 1: '30 5 x'", "length (float64)"]),
        ({"edges": "30 5.5 1\n"}, ["a.e, line 1: '30 5.5 1'", "64-bit integers"]),
        ({"edges": "30 5 1\r30 5 2\n"}, ["a.e, line 1"]),
        ({"edges": "30 5 1_0\n"}, ["a.e, line 1: '30 5 1_0'"]),
        ({"edges": EDGES + "30 5 1\n"}, ["meta.edges is 3, and the files have 4"]),
        ({"vertices": VERTICES + "1\n"}, ["meta.vertices is 4, and the files have 5"]),
        ({"edges": "1 2 3 4\n", "properties": None}, ["a.e, line 1: '1 2 3 4'", "SOURCE TARGET'"]),
        ({"edges": "1\n", "properties": None}, ["a.e, line 1: '1'", "SOURCE TARGET'"]),
        ({"edges": "30 5 1\n30 5\n", "properties": None}, ["a.e, line 2: '30 5'", "weight"]),
        ({"vertices": None}, ["a.v belongs to it and is missing", "format='edgelist'"]),
        ({"edges": b"\xff\xfd"}, ["a.e, line 1"]),
    ],
)
def test_bad_files(tmp_path, changes, words):
    three(tmp_path, **changes)
    refused([str(tmp_path), *words], lambda: Graph.read(tmp_path / "a.e"))


def test_without_its_edges_a_graph_is_no_list_of_them(tmp_path):
    three(tmp_path, edges=None)
    for name in ("a.v", "a.properties"):
        with pytest.raises(GasclError, match=r"a\.e belongs to it and is missing") as caught:
            Graph.read(tmp_path / name)
        assert "edgelist" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("directed = false", "directed = perhaps", ["'perhaps'", "true or false"]),
        ("types = real", "types = string", ["'string'", "only integer and real"]),
        ("types = real", "types = real, real", ["1 edge-properties.names and 2 types"]),
        ("names = length", "names = a b", ["'a b'", "names"]),
        ("edges = 3", "edges = many", ["meta.edges is many"]),
        ("edge-file = a.e", "edge-file = b.e", ["b.e belongs to it and is missing"]),
        ("edge-file = a.e", "edge-file = " + "x" * 999, ["belongs to it and is missing"]),
        ("graph.a.edge-file = a.e", "", ["names no edge-file", "graph.a.edge-file"]),
        ("graph.a.edge-file", "graph.b.edge-file", ["the graphs a, b"]),
        ("graph.a.", "graph.", ["no graph", "graph.NAME.vertex-file"]),
    ],
)
def test_bad_properties(tmp_path, old, new, words):
    three(tmp_path, properties=PROPERTIES.replace(old, new))
    refused(["a.properties", *words], lambda: Graph.read(tmp_path / "a.properties"))


# Properties: what java.util.Properties.load makes of each line, by its documentation


def test_java_properties(tmp_path):
    text = (
        "Truth = Beauty\n Truth2:Beauty\nTruth3\t\t\t:Beauty\n"
        "fruits   apple, banana, pear, \\\n         cantaloupe, watermelon, \\\n  kiwi\n"
        "cheeses\n! c = d\n#c = d\na\\:b\\=c\\ d = \\u00e9\\t\\\\\nA = 1\nA = 2\n"
        "path=c:\\\\d = e\r\nmac = os\rlast = x\\"
    )
    assert load_properties(put(tmp_path, "x", text)) == {
        **{"Truth": "Beauty", "Truth2": "Beauty", "Truth3": "Beauty", "cheeses": "", "A": "2"},
        "fruits": "apple, banana, pear, cantaloupe, watermelon, kiwi",
        "a:b=c d": "é\t\\",
        **{"path": "c:\\d = e", "mac": "os", "last": "x"},
    }


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=6), st.text(max_size=6)))
def test_properties_written_are_read(tmp_path_factory, properties):
    text = properties_text(properties)
    assert text.isascii()
    read = load_properties(put(tmp_path_factory.mktemp("p"), "x", text))
    kept = {key: value for key, value in properties.items() if value == value.strip()}
    assert {key: read[key] for key in kept} == kept


def test_parameters_of_the_algorithms(tmp_path):
    text = PROPERTIES.replace("graph.a.", "graph.datagen-7.5.fb.")
    found = read_properties(put(tmp_path, "a.properties", text))
    assert found["name"] == "datagen-7.5.fb" and found["bfs.source-vertex"] == "30"
    assert found["vertex-file"] == "a.v" and found["directed"] == "false"


# Writing


@pytest.mark.parametrize("name", ["my graph.1.properties", "my graph.1.v", "my graph.1.e"])
def test_writing(tmp_path, name):
    fields = {"length": [0.1, np.nan], "when": [2**63 - 1, -1]}
    labels = [7, -5, 2**62]
    graph = Graph.from_edges([2, 0], [0, 0], labels=labels, directed=False, **fields)
    graph.write(tmp_path / name)
    assert (tmp_path / "my graph.1.v").read_text() == f"7\n-5\n{2**62}\n"
    assert (tmp_path / "my graph.1.e").read_text() == f"{2**62} 7 0.1 {2**63 - 1}\n7 7 nan -1\n"
    assert read_properties(tmp_path / "my graph.1.properties") == {
        **{"name": "my graph.1", "vertex-file": "my graph.1.v", "edge-file": "my graph.1.e"},
        **{"meta.vertices": "3", "meta.edges": "2", "directed": "false"},
        **{"edge-properties.names": "length, when", "edge-properties.types": "real, integer"},
    }
    again = Graph.read(tmp_path / name)
    assert not again.directed and again.labels.tolist() == labels
    for field, values in fields.items():
        np.testing.assert_array_equal(again.edge_fields[field], values)


def test_writing_packed_and_without_labels(tmp_path):
    Graph.from_edges([1, 0], [0, 2]).write(tmp_path / "ü.e.gz")
    assert gzip.decompress((tmp_path / "ü.v.gz").read_bytes()) == b"0\n1\n2\n"
    assert gzip.decompress((tmp_path / "ü.e.gz").read_bytes()) == b"1 0\n0 2\n"
    text = gzip.decompress((tmp_path / "ü.properties.gz").read_bytes()).decode("ascii")
    assert "graph.\\u00fc.directed = true\n" in text
    for end in (".e", ".v", ".properties"):
        assert edges_of(Graph.read(tmp_path / f"ü{end}.gz")) == [(1, 0), (0, 2)]


def test_what_it_cannot_hold(tmp_path):
    path = tmp_path / "a.e"
    one = {"src": [0], "dst": [1]}
    far = np.array([2**63, 1], np.uint64)
    for words, graph in [
        (["64-bit integers"], Graph.from_edges(**one, labels=["a", "b"])),
        (["64-bit integers"], Graph.from_edges(**one, labels=far)),
        (["9223372036854775808"], Graph.from_edges(**one, cost=far[:1])),
    ]:
        refused(
            [str(path), *words],
            lambda graph=graph: graph.write(path, format="graphalytics"),
        )
    refused([".properties"], lambda: graph.write(tmp_path / "a.b", format="graphalytics"))
    assert not list(tmp_path.iterdir())


# The published examples


@pytest.mark.parametrize(("kind", "counts"), [("directed", (10, 17)), ("undirected", (9, 12))])
def test_the_published_examples(tmp_path, kind, counts):
    path = shared(f"graphalytics/example-{kind}.properties")
    graph = Graph.read(path)
    assert (graph.num_vertices, graph.num_edges) == counts
    assert graph.directed == (kind == "directed")
    said = read_properties(path)
    assert said["pr.damping-factor"] == "0.85" and said["sssp.weight-property"] == "weight"
    graph.write(tmp_path / "a.properties")
    for each in (graph, Graph.read(tmp_path / "a.v")):
        expected = [line.split() for line in path.with_suffix("").with_name(
            f"example-{kind}-SSSP").read_text().splitlines()]  # fmt: skip
        assert each.labels.tolist() == [int(label) for label, _ in expected]
        source = each.index_of(said["sssp.source-vertex"])
        found = dijkstra(each.to_scipy("weight"), indices=source)
        np.testing.assert_allclose(found, [float(value) for _, value in expected], rtol=1e-12)
        parts = re.findall(r"\d+ (\d+)", path.with_name(f"example-{kind}-WCC").read_text())
        assert len(set(parts)) == connected_components(each.to_scipy(), connection="weak")[0]


@settings(deadline=None)
@given(CHANGES, CHANGES, CHANGES, st.booleans(), st.sampled_from(["a.e", "a.properties"]))
def test_damaged(tmp_path_factory, vertices, edges, properties, has_properties, name):
    folder = tmp_path_factory.mktemp("ldbc")
    content = changed_bytes(EDGES.encode(), edges)
    put(folder, "a.v", VERTICES)
    put(folder, "a.e", content)
    if has_properties:
        text = changed_bytes(PROPERTIES.replace("meta.edges", "x").encode(), properties)
        put(folder, "a.properties", text)
    graph = read_by_both(folder / name)
    if graph is not None:
        rows = [line for line in content.split(b"\n") if line.strip() and line[:1] != b"#"]
        assert graph.num_edges == len(rows)
    put(folder, "a.v", changed_bytes(VERTICES.encode(), vertices))
    read_or_refused(folder / name)
