"""What every format does with every kind of graph: it gives back the same, or refuses it."""

import random
import re
import warnings

import numpy as np
import pytest
from support.filecases import edges_of

from gascl import Engine, Graph
from gascl.errors import FormatError, GraphError
from gascl.io.registry import FORMATS as REGISTRY
from gascl.programs import BreadthFirst

pytest.importorskip("networkx")
pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

#: Every format that is written, by its first extension, and extensions that change what is written.
FORMATS = [
    *(f"{n if n == 'scipynpz' else 'a'}{f.extensions[0]}" for n, f in REGISTRY.items() if f.write),
    *("a.tsv", "a.csv", "a.edges", "a.el", "a.wel", "a.dat", "a.wsg"),
    *("a.csv.gz", "a.gml.xz", "a.graphml.bz2"),
]
#: Files in which edges are sorted, and so may be read in another order than they were written in.
SORTED = ("a.graph", "a.sg", "a.wsg", "scipy.npz")
#: Those whose files may be compressed as a whole.
PACKING = [f.extensions[0] for f in REGISTRY.values() if f.write and f.packs]
INT64, UINT64 = np.iinfo(np.int64), np.iinfo(np.uint64)

LABELS = {
    "none": None,
    "nothing": [],
    "integers": [3, 1, 2, 7],
    "the vertices": [0, 1, 2, 3],
    "least": [INT64.min, -1, 0, 5],
    "greatest": [INT64.max, -1, 0, INT64.min],
    "unsigned": np.array([UINT64.max, 0, 1, 2], np.uint64),
    "unsigned that fit": np.array([INT64.max, 0, 1, 2], np.uint64),
    "narrow": np.array([-128, 127, 0, 1], np.int8),
    "text": ["a", "b", "c", "d"],
    "not sorted": ["b", "a", "d", "c"],
    "digits": ["1", "2", "3", "4"],
    "signs": ["+1", "-0", "01", "1"],
    "reals": ["1.0", "1e5", "nan", "inf"],
    "blanks": ["a b", " c", "d ", "\t"],
    "marks": ["a,b", "c;d", 'e"f', "g|h"],
    "quotes": ['"a"', "'", '""', '"'],
    "comments": ["#a", "%b", "a #b", "# gascl: directed, 1 vertices, 0 edges"],
    "lines": ["a\nb", "c\rd", "e\x85", "f\u2028g"],
    "control": ["a\0b", "\x01", "\x7f", "\x0b"],
    "ends in NUL": ["a\0", "b", "c", "d"],
    "empty": ["", "b", "c", "d"],
    "scripts": ["é", "ü", "e\u0301", "日本"],
    "beyond": ["\U0001f600", "\uffff", "\ufeff", "a\u200b"],
    "surrogate": ["a\ud800", "b", "c", "d"],
    "markup": ["<a>", "&amp;", "&#65;", "]]>"],
    "brackets": ["[", "()", "[]", "graph ["],
    "names": ["source", "target", "None", "nan"],
    "long": ["x" * 5000, "b", "c", "d"],
    "objects": [("a", 1), None, 2.5, "a"],
    "mixed": [1, "1", 2, "2"],
    "huge": [2**70, 1, 2, 3],
}

REAL = [0.0, -0.0, 0.1, 1e-5, 1e22, 1e16, 123456789.125, -2.5]
VALUES = {
    "bool": np.array([True, False]),
    **{f"{t} extremes": np.array([np.iinfo(t).min, np.iinfo(t).max]) for t in
       (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)},
    "uint64 high alone": np.array([UINT64.max, UINT64.max - 1], np.uint64),
    "int64 beyond float64": np.array([2**53 + 1, -(2**53) - 1]),
    "ones": np.array([1, 1]),
    "zeros": np.array([0, 0]),
    "float64": np.array(REAL),
    "whole floats": np.array([1.0, 2.0]),
    "float32": np.array([0.1, 1e-45, 3.4028235e38, 16777216], np.float32),
    "float64 extremes": np.array([5e-324, np.finfo(float).max, np.finfo(float).tiny, -5e-324]),
    "not numbers": np.array([np.nan, np.inf, -np.inf, 1.5]),
    "nan alone": np.array([np.nan, np.nan]),
    "infinite alone": np.array([np.inf, -np.inf]),
    "other order": np.array([1, 2], ">i4"),
}  # fmt: skip
NAMES = ["weight", "é", "_", "source", "target", "key", "id", "label", "time", "from", "Weight",
         "名", "w1", "graph", "weight_", "ª", "distance", "column2"]  # fmt: skip


def write_and_read(graph, folder, name):
    """The graph that comes back, or the error of writing."""
    path = folder / name
    for earlier in folder.iterdir():
        earlier.unlink()
    options = {}
    kind = "scipynpz" if name.startswith("scipy") else None
    try:
        graph.write(path, format=kind)
    except FormatError as error:
        complete = str(error).startswith(str(path)) and ";" in str(error) and not path.exists()
        return error if complete else pytest.fail(f"names no remedy, or leaves a file: {error}")
    if kind:  # a matrix says neither
        options = {"directed": graph.directed, "field": next(iter(graph.edge_fields), "weight")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Graph.read(path, **options)


def rows(graph, fields, unordered):
    """The edges by labels and values, NaN as text; those of undirected graphs with sorted ends."""
    edges = []
    for tail, head, *_ in edges_of(graph):
        ends = (tail, head)
        edges.append(tuple(sorted(ends, key=repr)) if not graph.directed else ends)
    columns = [[repr(value) for value in np.asarray(values).tolist()] for values in fields.values()]
    found = [*zip(edges, *columns, strict=True)] if columns else edges
    return sorted(found, key=repr) if unordered else found


def as_read(before, after, what):
    """Fields as they are after reading, in the types from before."""
    assert list(after) == list(before), what
    found = {}
    for name, values in before.items():
        kind = after[name].dtype.kind
        assert kind in ("iu" if values.dtype.kind in "iu" else "iuf"), (what, name, kind)
        found[name] = after[name].astype(values.dtype)
        if kind != values.dtype.kind == "f":  # integers in a text
            assert np.array_equal(values, after[name])
    return found


def check_same(graph, again, name):
    """Asserts that a graph has come back from a file."""
    assert again.directed == graph.directed
    assert again.num_vertices == graph.num_vertices
    assert again.num_edges == graph.num_edges
    labels = [np.arange(g.num_vertices) if g.labels is None else g.labels for g in (graph, again)]
    kinds = [{type(label) for label in each.tolist()} for each in labels]
    assert kinds[0] == kinds[1]
    assert {*labels[0].tolist()} == {*labels[1].tolist()}
    # GML and GraphML have fields in edges and vertices alone
    edge_fields, vertex_fields = (
        {} if "ml" in name and not count else fields
        for fields, count in (
            (graph.edge_fields, graph.num_edges),
            (graph.vertex_fields, graph.num_vertices),
        )
    )
    after = as_read(edge_fields, again.edge_fields, "edge fields")
    is_sorted = name in SORTED
    found, expected = (rows(g, f, is_sorted) for g, f in ((again, after), (graph, edge_fields)))
    assert found == expected, "if the format sorts edges, add its file to SORTED"
    after = as_read(vertex_fields, again.vertex_fields, "vertex fields")
    order = [np.argsort(each.astype(object), kind="stable") for each in labels]
    for field, values in vertex_fields.items():
        pairs = [
            [repr(value) for value in v[at].tolist()]
            for v, at in zip((values, after[field]), order, strict=True)
        ]
        assert pairs[0] == pairs[1], field


def test_an_empty_graph_with_labels(tmp_path):
    for name in ("a.npz", "a.mtx", "a.csv", "a.gml", "a.parquet"):
        graph = write_and_read(Graph.from_edges([], [], labels=[]), tmp_path, name)
        assert (graph.num_vertices, graph.num_edges) == (0, 0)


@pytest.mark.parametrize("extension", PACKING)
@pytest.mark.parametrize("directed", [True, False])
def test_compressed(extension, directed, tmp_path):
    """Readers and writers that open files themselves, not by `opened` and `created`, fail."""
    graph = Graph.from_edges([0, 1, 0], [1, 2, 2], directed=directed, weight=[1, 2, 3])
    for each in (graph, Graph.from_edges([0, 1, 0], [1, 2, 2], directed=directed)):
        again = write_and_read(each, tmp_path, f"a{extension}.gz")
        if isinstance(again, FormatError):
            continue  # the format has no such graphs
        assert next(tmp_path.glob("a*.gz")).read_bytes()[:2] == b"\x1f\x8b"
        check_same(each, again, f"a{extension}")


def test_a_lone_surrogate(tmp_path):
    graph = Graph.from_edges([0], [1], labels=["a\ud800", "b"])
    for name in ("a.parquet", "a.arrow", "a.csv", "a.graphml"):
        error = write_and_read(graph, tmp_path, name)
        assert r"cannot hold the label 'a\ud800'" in str(error)
    for name in ("a.npz", "a.gml"):
        assert write_and_read(graph, tmp_path, name).labels.tolist() == ["a\ud800", "b"]


def test_a_lone_surrogate_in_tables_of_pandas(tmp_path):
    graph = Graph.from_edges([0, 1], [1, 0], labels=["a\ud800", "b"])
    table = graph.to_pandas()
    assert table.source.tolist() == ["a\ud800", "b"]
    assert Graph.from_pandas(table).labels.tolist() == ["a\ud800", "b"]
    result = Engine(graph).run(BreadthFirst(source="b"))
    table = result.to_pandas()
    assert table.index.tolist() == ["a\ud800", "b"]
    assert table.parent["a\ud800"] == "b"
    assert Engine(graph).run(BreadthFirst(source="a\ud800")).to_pandas().parent["b"] == "a\ud800"


def test_none_is_no_node_of_networkx():
    with pytest.raises(GraphError, match="label None cannot be a node of NetworkX"):
        Graph.from_edges([0], [1], labels=[None, "b"]).to_networkx()


def test_labels_that_a_reader_would_take_for_others(tmp_path):
    unsigned = Graph.from_edges([0], [1], labels=np.array([UINT64.max, 5], np.uint64))
    for name in ("a.csv", "a.txt", "a.gml", "a.graphml"):
        assert "18446744073709551615 is not a 64-bit" in str(
            write_and_read(unsigned, tmp_path, name)
        )
    for labels in (np.array([INT64.min, 5]), np.array(["1", "2"])):
        for name in ("a.gml", "a.graphml"):
            again = write_and_read(Graph.from_edges([0], [1], labels=labels), tmp_path, name)
            assert again.labels.dtype.kind == labels.dtype.kind
            assert again.labels.tolist() == labels.tolist()


def test_names_of_fields_beyond_ascii(tmp_path):
    graph = Graph.from_edges([0, 1], [1, 0], **{"é": [1, 2], "ü": [0.5, 2]})
    for name in ("a.csv", "a.tsv", "a.txt", "a.parquet", "a.graphml"):
        again = write_and_read(graph, tmp_path, name)
        assert again.edge_fields["é"].tolist() == [1, 2]
        assert again.edge_fields["ü"].tolist() == [0.5, 2]
    (tmp_path / "b.csv").write_text("from,to,Länge (m),x²\n1,2,3,4\n", "utf-8")
    columns = ["from", "to", "Länge (m)", "x²"]
    again = Graph.read(tmp_path / "b.csv", columns=columns, weight="Länge (m)")
    assert list(again.edge_fields) == ["x_", "weight"]


NUMBER = {
    "a.csv": "from,to,w\na,b,{}\n",
    "a.txt": "0 1 {}\n",
    "a.mtx": "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 {}\n",
    "a.gml": "graph [\n node [ id 0 ]\n node [ id 1 ]\n edge [ source 0 target 1 w {} ] ]\n",
    "a.graphml": '<graphml><key id="w" for="edge" attr.name="w" attr.type="double"/><graph>'
    '<node id="a"/><node id="b"/><edge source="a" target="b"><data key="w">{}</data></edge>'
    "</graph></graphml>",
}


@pytest.mark.parametrize("name", NUMBER)
def test_numbers_that_float64_cannot_hold(name, tmp_path):
    path = tmp_path / name
    for number in ("1e-400", "1E400", "-1.5e+999", f"0.{'0' * 400}1", ".1e-330"):
        path.write_text(NUMBER[name].format(number))
        with pytest.raises(FormatError, match=re.escape(number[:20])):
            Graph.read(path)
    for number in ("0e-400", "5e-324", "1e5", "-1.5e+99", "0.00", ".5E3", "2.E1"):
        path.write_text(NUMBER[name].format(number))
        (values,) = Graph.read(path).edge_fields.values()
        assert values.tolist() == [float(number)]


def check(graph, folder, name, what):
    """Asserts that a graph comes back from a file, or is refused."""
    try:
        again = write_and_read(graph, folder, name)
        if isinstance(again, Graph):
            check_same(graph, again, name)
    except Exception as error:
        raise AssertionError(f"{what}: {graph}") from error


@pytest.mark.parametrize("name", FORMATS)
def test_labels(name, tmp_path):
    for kind, labels in LABELS.items():
        for directed in (True, False):
            src, dst = ([0, 1, 2, 3], [1, 2, 3, 0]) if kind != "nothing" else ([], [])
            graph = Graph.from_edges(
                src, dst, num_vertices=len(src), labels=labels, directed=directed
            )
            check(graph, tmp_path, name, kind)


@pytest.mark.parametrize("name", FORMATS)
def test_values(name, tmp_path):
    for kind, values in VALUES.items():
        count = len(values)
        for directed in (True, False):
            src, dst = np.arange(count), np.arange(1, count + 1)
            graph = Graph.from_edges(src, dst, directed=directed, weight=values)
            check(graph, tmp_path, name, kind)
            of_vertices = {"size": np.append(values, values[:1])}
            graph = Graph.from_edges(src, dst, directed=directed, vertex_fields=of_vertices)
            check(graph, tmp_path, name, kind)


@pytest.mark.parametrize("name", FORMATS)
def test_names_of_fields(name, tmp_path):
    for field in NAMES:
        for more in ({}, {"weight": [1, 2]}, {"other": [0.5, 2]}):
            fields = {**{n: np.array(v) for n, v in more.items()}, field: np.array([3, 4])}
            graph = Graph.from_edges([0, 1], [1, 2], **fields)
            check(graph, tmp_path, name, field)
        graph = Graph.from_edges([0, 1], [1, 2], vertex_fields={field: np.arange(3)})
        check(graph, tmp_path, name, field)


@pytest.mark.parametrize("name", FORMATS)
def test_any_mixture(name, tmp_path):
    draw = random.Random(name)
    for number in range(30):
        kind = draw.choice(list(LABELS))
        labels = LABELS[kind]
        count = draw.randint(0, 4) if labels is None else len(labels)
        edges = draw.randint(0, 6) if count else 0
        src, dst = ([draw.randrange(count) for _ in range(edges)] for _ in range(2))
        fields, of_vertices = (
            {
                field: values[[draw.randrange(len(values)) for _ in range(items)]]
                for field in draw.sample(NAMES, draw.choice(how_many))
                for values in [VALUES[draw.choice(list(VALUES))]]
            }
            for items, how_many in ((edges, [0, 0, 1, 2]), (count, [0, 0, 0, 1]))
        )
        graph = Graph.from_edges(
            *(np.array(end, np.int64) for end in (src, dst)),
            num_vertices=count,
            labels=labels,
            directed=draw.random() < 0.5,
            vertex_fields=of_vertices,
            **fields,
        )
        check(graph, tmp_path, name, f"{number}, labels: {kind}")
