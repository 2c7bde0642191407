"""Matrix Market: by hand, and against SciPy, which writes what we read and reads what we write."""

import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from support.filecases import (
    CHANGES,
    changed_bytes,
    edges_of,
    put,
    read_by_both,
    refused,
    shared,
)

from gascl.graph.graph import Graph

HEADER = "%%MatrixMarket matrix coordinate {} {}\n% a comment\n"
REAL_GENERAL = HEADER.format("real", "general")
ARRAY = "%%MatrixMarket matrix array {} {}\n"


def test_general_matrix(write):
    text = HEADER.format("real", "general") + "3 3 4\n1 2 0.5\n3 1 0\n1 2 2\n3 3 -1\n"
    graph = Graph.read(write("a.mtx", text))
    assert graph.directed and graph.labels is None and graph.num_vertices == 3
    assert edges_of(graph) == [(0, 1, 0.5), (2, 0, 0), (0, 1, 2), (2, 2, -1)]
    assert graph.report[0] == "Matrix Market: real, general"
    assert graph.report[1] == "ids, which start at 1, became vertices from 0"
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
    assert "directed=True: both triangles of the symmetric matrix became edges" in both.report


def test_pattern_gzip_and_undirected_general(write):
    text = HEADER.format("pattern", "general") + "2 2 2\n1 2\n2 1\n"
    path = write("a.mtx.gz", gzip.compress(text.encode()))
    assert not Graph.read(path).edge_fields
    graph = Graph.read(path, directed=False, duplicates="first")
    assert edges_of(graph) == [(0, 1)]
    said = "directed=False: every entry of the general matrix became an undirected edge"
    assert said in graph.report


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 2\n2 3\n", ["Missing banner", "format='edgelist'"]),
        ("%%MatrixMarket matrix coordinate\n", ["header", "correct"]),
        ("", ["header", "correct"]),
        (REAL_GENERAL + "3 3 2\n1 2 0.5\n", ["declares 2 entries", "has 1", "again"]),
        (REAL_GENERAL + "3 3 1\n1 2 1\n1 3 1\n", ["declares 1", "has 2; correct"]),
        (REAL_GENERAL + "3 3 1\n1 4 1\n", ["line 4", "(1, 4)", "3 rows", "start at 1"]),
        (
            REAL_GENERAL + "3 3 2\n1 1 1\n% c\n\n0 3 1\n",
            ["line 7", "(0, 3)", "3 rows", "start at 1"],
        ),
        (REAL_GENERAL + "3 3 1\n1 2 x\n", ["line 4", "'1 2 x'", "value (float64)"]),
        # SciPy 1.17's mmread reads the first as 0.5, and ends the process at the other two.
        (REAL_GENERAL + "3 3 2\n1 2 1\n1 3 0.5x\n", ["line 5", "'1 3 0.5x'", "value (float64)"]),
        (REAL_GENERAL + "3 3 1\n1 2 1e-", ["line 4", "'1 2 1e-'"]),
        (REAL_GENERAL + "3 3 1\n1 2 1\0\n", ["line 4", "1 2 1"]),
        (REAL_GENERAL + "3 3 1\n1 2\n", ["line 4", "'1 2'", "row (int64), column (int64), value"]),
        (HEADER.format("integer", "general") + f"2 2 1\n1 2 {2**70}\n", ["value (int64)"]),
        (REAL_GENERAL + "3 4 1\n1 2 1\n", ["3 rows", "4 columns", "square"]),
        (HEADER.format("complex", "general") + "2 2 1\n1 2 1 0\n", ["complex", "real, integer"]),
        (HEADER.format("pattern", "skew-symmetric") + "2 2 1\n2 1\n", ["signs"]),
        (HEADER.format("real", "skew-symmetric") + "2 2 1\n2 2 1\n", ["diagonal"]),
        (HEADER.format("complex", "hermitian") + "2 2 1\n2 1 1 1\n", ["complex"]),
        (ARRAY.format("real", "general") + "1 1\n2\n3\n", ["declares 1 entries", "has 2"]),
        (ARRAY.format("real", "symmetric") + "2 2\n1\n2\n", ["declares 3 entries", "has 2"]),
        (ARRAY.format("real", "general") + "1 2\n2\n3\n", ["1 rows", "2 columns", "square"]),
        (ARRAY.format("real", "general") + "1 1\n2 3\n", ["line 3", "'2 3'", "value (float64)"]),
        (ARRAY.format("integer", "general") + "1 1\n.5\n", ["line 3", "'.5'", "value (int64)"]),
        (HEADER.format("integer", "general") + "2 2 1\n1 2 1.5\n", ["line 4", "value (int64)"]),
        (REAL_GENERAL + "3 3 1\n1 2 1_0\n", ["line 4", "'1 2 1_0'"]),
        (REAL_GENERAL + "3 3 1\n1 2 1 5\n", ["line 4", "'1 2 1 5'"]),
    ],
)
def test_bad_matrices(write, text, words):
    path = write("a.mtx", text)
    refused([str(path), *words], lambda: Graph.read(path))


def test_skew_symmetric(write):
    text = HEADER.format("integer", "skew-symmetric") + "3 3 2\n2 1 5\n3 1 -2\n"
    path = write("a.mtx", text)
    graph = Graph.read(path)
    assert edges_of(graph) == [(1, 0, 5), (2, 0, -2), (0, 1, -5), (0, 2, 2)] and graph.directed
    theirs = scipy.io.mmread(path).toarray()
    np.testing.assert_array_equal(graph.to_scipy("weight").toarray(), theirs)
    assert (
        "skew-symmetric: both triangles of the skew-symmetric matrix became edges" in graph.report
    )
    refused(["leave out directed=False"], lambda: Graph.read(path, directed=False))


@pytest.mark.parametrize("kind", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
@pytest.mark.parametrize("dense", [False, True])
def test_what_scipy_writes(tmp_path, kind, dtype, dense):
    rng = np.random.default_rng(1)
    matrix = rng.integers(-9, 10, (12, 12)) * (rng.random((12, 12)) < 0.4)
    matrix = matrix.astype(dtype) / 7 if dtype is np.float64 else matrix
    if kind != "general":
        matrix = matrix + (1 if kind == "symmetric" else -1) * matrix.T
    path = tmp_path / "a.mtx"
    scipy.io.mmwrite(path, matrix if dense else sp.coo_array(matrix), symmetry=kind)
    graph = Graph.read(path)
    np.testing.assert_allclose(graph.to_scipy("weight").toarray(), matrix, rtol=1e-15)
    assert graph.directed == (kind != "symmetric")
    assert graph.edge_fields["weight"].dtype == dtype
    if dense:
        stored = {"general": 144, "symmetric": 78, "skew-symmetric": 66}[kind]
        assert any(f"of {stored} entries of the array are edges" in line for line in graph.report)
        assert np.all(graph.edge_fields["weight"] != 0)


def test_small_arrays(write):
    text = ARRAY.format("integer", "general") + "2 2\n1\n0\n3\n4\n"
    assert edges_of(Graph.read(write("a.mtx", text))) == [(0, 0, 1), (0, 1, 3), (1, 1, 4)]
    for size, kind in ((0, "general"), (0, "symmetric"), (1, "skew-symmetric")):
        text = ARRAY.format("real", kind) + f"{size} {size}\n"
        graph = Graph.read(write("a.mtx", text))
        assert (graph.num_vertices, graph.num_edges) == (size, 0)


def test_entries_of_many_forms(write):
    """Blanks and empty lines, CRLF, no newline at the end, NaN and infinity."""
    text = REAL_GENERAL.replace("\n", "\r\n") + "3 3 5\r\n 1\t2  nan\r\n\r\n% c\n2 1 -inf\n"
    graph = Graph.read(write("a.mtx", text + "3 1 1e-3\n+1 3 0x\n".replace("0x", "5") + "2 2 .5"))
    assert repr(edges_of(graph)) == repr(
        [(0, 1, np.nan), (1, 0, -np.inf), (2, 0, 0.001), (0, 2, 5.0), (1, 1, 0.5)]
    )
    largest = 2**64 - 1
    text = HEADER.format("unsigned-integer", "general") + f"2 2 2\n1 2 {largest}\n2 1 3\n"
    graph = Graph.read(write("a.mtx", text))
    assert edges_of(graph) == [(0, 1, largest), (1, 0, 3)]
    assert graph.edge_fields["weight"].dtype == np.uint64


@pytest.mark.parametrize("text", ["1 2\n\r", "1 2\r", "% a\rb\n1 2\n"])
def test_carriage_returns_beside_rows(write, text):
    text = HEADER.format("pattern", "general") + "2 2 1\n" + text
    assert edges_of(Graph.read(write("a.mtx", text))) == [(0, 1)]


def test_integers_beyond_64_bits_are_floats(write):
    large = 2**64 + 2**20
    text = REAL_GENERAL + f"2 2 2\n1 2 {large}\n2 1 1e300\n"
    assert edges_of(Graph.read(write("a.mtx", text))) == [(0, 1, float(large)), (1, 0, 1e300)]


@settings(max_examples=3 * settings.default.max_examples)
@given(CHANGES)
def test_damaged_files_are_read_the_same_by_both_readers_or_refused(tmp_path_factory, changes):
    content = (REAL_GENERAL + "9 9 4\n1 2 0.5\n9 3 7\r\n2 2 1e3\n\n3\t1 12\n").encode()
    folder = tmp_path_factory.mktemp("damaged")
    read_by_both(put(folder, "a.mtx", changed_bytes(content, changes)))


@pytest.mark.parametrize("text", ["1 2\n2 3\n", "5 5 2\n1 2\n2 3\n", "% c\n1 2 .5\r\n", ""])
def test_without_a_header(write, text):
    path = write("a.mtx", text)
    words = ["no Matrix Market header", "%%MatrixMarket matrix coordinate", "format='edgelist'"]
    refused([str(path), *words], lambda: Graph.read(path))


# Writing


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12, unique=True),
    st.sampled_from([None, np.float64, np.float32, np.int64, np.int32, np.uint64]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_scipy_reads_what_is_written(tmp_path_factory, pairs, dtype, directed, random):
    if not directed:
        pairs = list({(min(pair), max(pair)): pair for pair in pairs}.values())
    src, dst = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    values = {}
    if dtype is not None:
        most = 2.0**70 if np.dtype(dtype).kind == "f" else int(np.iinfo(dtype).max)
        values["weight"] = np.array([random.random() * most for _ in pairs]).astype(dtype)
    graph = Graph.from_edges(src, dst, num_vertices=7, directed=directed, **values)
    path = tmp_path_factory.mktemp("written") / "a.mtx"
    graph.write(path)
    ours = graph.to_scipy(*values).toarray()
    theirs = scipy.io.mmread(path).toarray()
    kind = np.float32 if ours.dtype == np.float32 else np.float64  # as many digits are written
    np.testing.assert_array_equal(theirs.astype(kind), ours.astype(kind))
    back = Graph.read(path)
    assert back.directed == directed and back.num_vertices == 7
    np.testing.assert_array_equal(back.to_scipy(*values).toarray().astype(ours.dtype), ours)
    header = path.read_text().split("\n")[0].split()
    assert header[4] == ("general" if directed else "symmetric")
    kinds = {"f": ["real"], "i": ["integer"], "u": ["integer", "unsigned-integer"]}
    assert header[3] in (kinds[np.dtype(dtype).kind] if values else ["pattern"])


def test_order_and_parallel_edges(tmp_path):
    graph = Graph.from_edges([2, 0, 2], [1, 0, 1], num_vertices=4, weight=[0.1, np.nan, -np.inf])
    graph.write(tmp_path / "a.mtx.gz")
    text = "%%MatrixMarket matrix coordinate real general\n4 4 3\n3 2 0.1\n1 1 nan\n3 2 -inf\n"
    assert gzip.decompress((tmp_path / "a.mtx.gz").read_bytes()).decode() == text
    assert repr(edges_of(Graph.read(tmp_path / "a.mtx.gz"))) == repr(edges_of(graph))
    numbered = Graph.from_edges([0], [1], labels=[0, 1])
    numbered.write(tmp_path / "b.mtx")
    assert edges_of(Graph.read(tmp_path / "b.mtx")) == edges_of(numbered)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (Graph.from_edges([0], [1], labels=["a", "b"]), ["cannot hold labels", "'a'", "edge list"]),
        (Graph.from_edges([0], [1], labels=[1, 2]), ["cannot hold labels", "1 of vertex 0"]),
        (Graph.from_edges([0], [1], cost=[1]), ["one edge field, 'weight'", "cost"]),
    ],
)
def test_what_matrix_market_cannot_hold(tmp_path, graph, words):
    refused([*words, "gascl's own format (.npz) can"], lambda: graph.write(tmp_path / "a.mtx"))
    assert not (tmp_path / "a.mtx").exists()


# Real graphs


@pytest.mark.parametrize(
    ("name", "vertices", "edges"),
    [
        ("mtx/delaunay_n10.mtx", 1024, 3056),
        ("mtx/delaunay_n14.mtx.gz", 16384, 49122),
        ("mtx/chesapeake.mtx", 39, 170),
    ],
)
def test_real_graphs(name, vertices, edges, tmp_path):
    path = shared(name)
    graph = Graph.read(path)
    assert (graph.num_vertices, graph.num_edges) == (vertices, edges) and not graph.directed
    theirs = scipy.io.mmread(path)
    assert (graph.to_scipy() != theirs).nnz == 0
    graph.write(tmp_path / "a.mtx")
    assert edges_of(Graph.read(tmp_path / "a.mtx")) == edges_of(graph)
    assert (scipy.io.mmread(tmp_path / "a.mtx") != theirs).nnz == 0


def test_both_triangles_of_a_symmetric_matrix(tmp_path):
    rows = HEADER.format("integer", "symmetric") + "3 3 5\n2 1 5\n1 2 5\n3 3 1\n3 1 2\n2 3 4\n"
    path = put(tmp_path, "a.mtx", rows)
    hint = "stores both triangles: 1 entries occur in each; duplicates='first' merges"
    assert hint in "\n".join(Graph.read(path).report)
    assert Graph.read(path, duplicates="first").num_edges == 4
    for text in ("3 3 2\n1 2 5\n1 3 2\n", "3 3 2\n2 1 5\n1 3 2\n"):
        path = put(tmp_path, "a.mtx", HEADER.format("integer", "symmetric") + text)
        assert "triangles" not in "\n".join(Graph.read(path).report)
