"""Readers: small files by hand, the registry, and real graphs with published counts."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from gascl.errors import FormatError
from gascl.graph import Graph
from gascl.io import FORMATS, read_file
from gascl.io.edgelist import _read_any, _read_integers

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def refused(words, call):
    with pytest.raises(FormatError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def edges_of(graph):
    """(source label, target label, weight...) of every edge, in edge order."""
    labels = graph.labels if graph.labels is not None else np.arange(graph.num_vertices)
    columns = [labels[graph.edge_src], labels[graph.edge_dst], *graph.edge_fields.values()]
    return list(zip(*(column.tolist() for column in columns), strict=True))


# Edge lists


@pytest.mark.parametrize(
    "text",
    [
        "10 3\n3 7\n",
        "10\t3\n3\t7",
        "10,3\r\n3,7\r\n",
        "10 , 3\n 3 ,7\n",
        "# comment\n% another\n\n10 3\n3 7\n\n",
        "10 3\n# later\n3 7\n",
        "10 3 # trailing\n3\t7%\n".replace("%", " %"),
        "10 3\n3,7\n",
        "\ufeff10 3\n3 7\n",
        "+10 3\n03 7\n",
    ],
)
def test_two_integer_columns(write, text):
    graph = Graph.read(write("a.txt", text))
    assert graph.labels.tolist() == [3, 7, 10] and graph.labels.dtype == np.int64
    assert edges_of(graph) == [(10, 3), (3, 7)]
    assert graph.directed and "ids taken as integers" in graph.report


def test_report_counts_rows_and_comments(write):
    graph = Graph.read(write("a.txt", "# one\n# two\n1 2 3\n1 2 4\n"), duplicates="sum")
    assert graph.report == [
        "edge list: rows: 2; comment lines skipped: 2",
        "ids taken as integers",
        "read as directed, which the format can't say; else directed=False",
        "third column taken as weight, int64",
        "duplicates='sum': merged 1 edge into others",
    ]
    assert edges_of(graph) == [(1, 2, 7)]
    assert "comment lines skipped: 1" in Graph.read(write("b.txt", "1 2\n#\n")).report[0]


def test_sparse_and_negative_ids(write):
    far = 2**63 - 1
    graph = Graph.read(write("a.txt", f"{far} -7\n-7 {-far - 1}\n"), directed=False)
    assert graph.labels.tolist() == [-far - 1, -7, far]
    assert edges_of(graph) == [(far, -7), (-7, -far - 1)]
    assert not graph.directed and graph.index_of("-7") == 1


@pytest.mark.parametrize("text", ["b a\na ü\n", "b,a\na, ü", "# x\nb\ta\r\na\tü"])
def test_text_ids(write, text):
    graph = Graph.read(write("a.csv", text))
    assert graph.labels.tolist() == ["a", "b", "ü"]
    assert edges_of(graph) == [("b", "a"), ("a", "ü")]
    assert "ids taken as text, since 'a' is not an integer of 64 bits" in graph.report


def test_ids_that_are_not_quite_integers_are_text(write):
    for odd in ("1.0", "1_0", "2e3", str(2**63)):
        graph = Graph.read(write("a.txt", f"1 2\n{odd} 2\n"))
        assert graph.labels.tolist() == sorted(["1", "2", odd])


@pytest.mark.parametrize(
    ("weights", "expected", "dtype"),
    [
        (["3", "-4"], [3, -4], np.int64),
        (["3", "4.5"], [3, 4.5], np.float64),
        (["1e3", "inf"], [1000, np.inf], np.float64),
        (["7", str(2**63)], [7, 2.0**63], np.float64),
        (["nan", "-inf"], [np.nan, -np.inf], np.float64),
    ],
)
@pytest.mark.parametrize("name", ["1", "x"])
def test_weights(write, weights, expected, dtype, name):
    text = "".join(f"{name} 2 {weight}\n" for weight in weights)
    weight = Graph.read(write("a.txt", text)).edge_fields["weight"]
    assert weight.dtype == dtype
    np.testing.assert_array_equal(weight, np.array(expected, dtype=dtype))


ROWS = st.lists(st.tuples(st.integers(-20, 10**6), st.integers(0, 9), st.integers()), min_size=1)


@given(ROWS, st.sampled_from([" ", "\t", ",", " , "]), st.booleans())
def test_both_ways_of_reading_agree(tmp_path_factory, rows, separator, weighted):
    lines = [separator.join(map(str, row if weighted else row[:2])) for row in rows]
    path = tmp_path_factory.mktemp("rows") / "a.txt"
    path.write_text("# rows\n" + "\n".join(lines))
    fast, slow = _read_integers(path), _read_any(path)
    assert fast is not None
    for name in ("labels", "src", "dst"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))
    assert fast.labels.dtype == slow.labels.dtype
    assert fast.comments == slow.comments == 1
    assert fast.labels[fast.src].tolist() == [row[0] for row in rows]
    if weighted:
        assert fast.weight.dtype == slow.weight.dtype
        np.testing.assert_array_equal(fast.weight, np.array([row[2] for row in rows], float))
        np.testing.assert_array_equal(fast.weight, slow.weight)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_file_without_edges(write, text):
    graph = Graph.read(write("a.txt", text))
    assert (graph.num_vertices, graph.num_edges) == (0, 0)
    assert "the file has no edges: the graph is empty" in graph.report


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 2\n3\n", ["line 2", "'3'", "1 column;"]),
        ("# x\n1 2 3 4\n", ["line 2", "'1 2 3 4'", "4 columns"]),
        ("1 2\n\n3 4 5\n", ["line 3", "'3 4 5'", "3 columns", "before it have 2"]),
        ("1 2 5\n3 4\n", ["line 2", "'3 4'", "2 columns", "before it have 3"]),
        ("1 2 5\n3 4 heavy\n", ["line 2", "weight 'heavy'", "not a number"]),
        ("1 2 1_0\n", ["line 1", "weight '1_0'", "not a number"]),
        ("1,2\n3,\n", ["line 2", "'3,'", "empty column"]),
        ("New York,Boston\n", ["line 1", "weight 'Boston'"]),
    ],
)
def test_bad_rows(write, text, words):
    path = write("a.txt", text)
    more = [str(path), "expected source, target and perhaps a weight", "correct the line"]
    refused([*words, *more], lambda: Graph.read(path))


def test_no_text_at_all(write):
    refused(["0xff", "UTF-8"], lambda: Graph.read(write("a.txt", b"1 2\n\xff\xfe 3\n")))


# Matrix Market

HEADER = "%%MatrixMarket matrix coordinate {} {}\n% a comment\n"
REAL_GENERAL = HEADER.format("real", "general")


def test_general_matrix(write):
    text = HEADER.format("real", "general") + "3 3 4\n1 2 0.5\n3 1 0\n1 2 2\n3 3 -1\n"
    graph = Graph.read(write("a.mtx", text))
    assert graph.directed and graph.labels is None and graph.num_vertices == 3
    assert edges_of(graph) == [(0, 1, 0.5), (2, 0, 0), (0, 1, 2), (2, 2, -1)]
    assert graph.report[0] == "Matrix Market: real, general"
    merged = Graph.read(write("a.mtx", text), duplicates="sum", self_loops="drop")
    assert edges_of(merged) == [(0, 1, 2.5), (2, 0, 0)]


def test_symmetric_matrix(write):
    """Each stored entry is one edge; zeros and duplicates stay."""
    text = HEADER.format("integer", "symmetric") + "3 3 4\n1 1 4\n2 1 5\n2 1 0\n3 2 6\n"
    graph = Graph.read(write("a.mtx", text))
    assert not graph.directed
    assert edges_of(graph) == [(0, 0, 4), (1, 0, 5), (1, 0, 0), (2, 1, 6)]
    assert graph.edge_fields["weight"].dtype.kind == "i"
    both = Graph.read(write("a.mtx", text), directed=True)
    assert both.directed and both.num_edges == 7
    assert "directed=True: both triangles of the symmetric matrix are edges" in both.report


def test_pattern_gzip_and_undirected_general(write):
    text = HEADER.format("pattern", "general") + "2 2 2\n1 2\n2 1\n"
    path = write("a.mtx.gz", gzip.compress(text.encode()))
    assert not Graph.read(path).edge_fields
    graph = Graph.read(path, directed=False, duplicates="first")
    assert edges_of(graph) == [(0, 1)]
    assert "directed=False: every entry of the general matrix is an undirected edge" in graph.report


def test_what_scipy_writes(tmp_path):
    matrix = sp.random_array((20, 20), density=0.2, rng=1, format="csr")
    scipy.io.mmwrite(tmp_path / "a.mtx", matrix)
    graph = Graph.read(tmp_path / "a.mtx")
    np.testing.assert_allclose(graph.to_scipy("weight").toarray(), matrix.toarray(), rtol=1e-14)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 2\n2 3\n", ["Missing banner", "format='edgelist'"]),
        ("%%MatrixMarket matrix coordinate\n", ["header", "mend"]),
        ("", ["header", "mend"]),
        (REAL_GENERAL + "3 3 2\n1 2 0.5\n", ["announces 2 entries", "has 1", "again"]),
        (REAL_GENERAL + "3 3 1\n1 2 1\n1 3 1\n", ["announces 1 entries", "has 2"]),
        (REAL_GENERAL + "3 3 1\n1 4 1\n", ["entry 1", "(1, 4)", "3 rows", "count from 1"]),
        (REAL_GENERAL + "3 3 1\n0 3 1\n", ["entry 1", "(0, 3)", "3 rows", "count from 1"]),
        (REAL_GENERAL + "3 3 1\n1 2 x\n", ["line 4", "'1 2 x'", "value (float64)"]),
        # SciPy 1.17's mmread reads the first as 0.5, and ends the process at the other two.
        (REAL_GENERAL + "3 3 2\n1 2 1\n1 3 0.5x\n", ["line 5", "'1 3 0.5x'", "value (float64)"]),
        (REAL_GENERAL + "3 3 1\n1 2 1e-", ["line 4", "'1 2 1e-'"]),
        (REAL_GENERAL + "3 3 1\n1 2 1\0\n", ["line 4", "1 2 1"]),
        (REAL_GENERAL + "3 3 1\n1 2\n", ["line 4", "'1 2'", "row (int64), column (int64), value"]),
        (HEADER.format("integer", "general") + f"2 2 1\n1 2 {2**70}\n", ["value (int64)"]),
        (REAL_GENERAL + "3 4 1\n1 2 1\n", ["3 rows", "4 columns", "square"]),
        (HEADER.format("complex", "general") + "2 2 1\n1 2 1 0\n", ["complex", "real, integer"]),
        (HEADER.format("real", "skew-symmetric") + "2 2 1\n2 1 1\n", ["'skew-symmetric'"]),
        (HEADER.format("complex", "hermitian") + "2 2 1\n2 1 1 1\n", ["complex"]),
        ("%%MatrixMarket matrix array real general\n1 1\n2\n", ["'array'", "'coordinate'"]),
    ],
)
def test_bad_matrices(write, text, words):
    path = write("a.mtx", text)
    refused([str(path), *words], lambda: Graph.read(path))


# Files and the registry


def test_content_tells_before_the_extension(write):
    matrix = HEADER.format("pattern", "general") + "2 2 1\n1 2\n"
    assert "Matrix Market" in Graph.read(write("a.txt", matrix)).report[0]
    bare = write("b.mtx", "1 2\n")
    assert edges_of(Graph.read(bare, format="edgelist")) == [(1, 2)]
    packed = write("c.txt", gzip.compress(b"5 6\n"))
    assert edges_of(Graph.read(packed)) == [(5, 6)]
    assert edges_of(Graph.read(str(write("D.TSV.gz", "5\t6\n")))) == [(5, 6)]


def test_unknown_formats(write):
    path = write("a.graph", "1 2\n")
    names = ["edgelist", "matrixmarket"]
    assert sorted(FORMATS) == names
    refused([str(path), "'.graph'", "format=", *names], lambda: Graph.read(path))
    refused(["'edglist'", *names], lambda: Graph.read(path, format="edglist"))


def test_files_that_cannot_be_read(write, tmp_path):
    refused([str(tmp_path), "directory", "name a file"], lambda: Graph.read(tmp_path))
    refused(["no.txt", "no such file"], lambda: Graph.read(tmp_path / "no.txt"))
    refused(["no.mtx", "no such file"], lambda: read_file(tmp_path / "no.mtx", "matrixmarket"))
    rows = "".join(f"{row} {row * 7 % 1000}\n" for row in range(1000)).encode()
    refused(["cut off", "again"], lambda: Graph.read(write("a.txt.gz", gzip.compress(rows)[:-900])))
    matrix = HEADER.format("pattern", "general").encode() + b"1000 1000 999\n" + rows[4:]
    for cut in (9, 900):
        packed = write("a.mtx.gz", gzip.compress(matrix)[:-cut])
        refused(["cut off", "again"], lambda packed=packed: Graph.read(packed))
    broken = bytearray(gzip.compress(rows))
    broken[-6] ^= 0xFF  # in the checksum
    refused(["damaged", "again"], lambda: Graph.read(write("b.txt", bytes(broken))))


# Real graphs

REAL = [
    ("edgelist/ego-Facebook.txt.gz", {"directed": False}, 4039, 88234, 1),
    ("edgelist/wiki-Vote.txt.gz", {}, 7115, 103689, 24),
    ("edgelist/email-Eu-core.txt", {}, 1005, 25571, 20),
    ("edgelist/ca-GrQc.txt.gz", {"directed": False, "duplicates": "first"}, 5242, 14496, 355),
    ("edgelist/p2p-Gnutella08.txt", {}, 6301, 20777, None),
    ("mtx/delaunay_n10.mtx", {}, 1024, 3056, None),
    ("mtx/delaunay_n14.mtx.gz", {}, 16384, 49122, None),
    ("mtx/chesapeake.mtx", {}, 39, 170, None),
    ("graphalytics/example-directed.e", {}, 10, 17, None),
    ("graphalytics/example-undirected.e", {"directed": False}, 9, 12, None),
]


@pytest.mark.parametrize(("name", "keywords", "vertices", "edges", "components"), REAL)
def test_real_graphs(name, keywords, vertices, edges, components):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the package")
    graph = Graph.read(path, **keywords)
    assert (graph.num_vertices, graph.num_edges) == (vertices, edges)
    assert graph.directed == (keywords.get("directed", True) and not name.startswith("mtx"))
    if components is not None:
        assert connected_components(graph.to_scipy(), directed=True, connection="weak")[0] == (
            components
        )
    if "wiki-Vote" in name:
        assert np.count_nonzero(graph.out_degree == 0) == 1005
        assert graph.label_of(graph.index_of("4037")) == 4037
    if "email" in name:
        assert "self_loops='keep': 642 self-loops kept" in graph.report


def test_a_header_is_no_edge(write):
    with pytest.raises(FormatError, match=r"a\.csv, line 2: 'src,dst' looks like a header.*with #"):
        Graph.read(write("a.csv", "# from a table\nsrc,dst\n1,2\n2,3\n"))
    # Text ids everywhere: the first row is an edge like the others.
    assert Graph.read(write("b.csv", "src,dst\na,b\n")).num_edges == 2
    assert Graph.read(write("c.csv", "src,dst\n")).num_edges == 1
