"""SciPy's .npz files: SciPy writes what is read, and reads what is written."""

import gzip
import random
import re
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from gascl.errors import FormatError
from gascl.graph.arcs import ARRAYS
from gascl.graph.graph import Graph

FORMATS = ["csr", "csc", "coo", "bsr", "dia"]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("compressed", [True, False])
def test_what_scipy_writes(tmp_path, kind, compressed):
    matrix = sp.coo_array(sp.random(12, 12, density=0.3, random_state=1))
    path = tmp_path / "a.npz"
    for form in (matrix, sp.coo_matrix(matrix)):
        sp.save_npz(path, form.asformat(kind), compressed=compressed)
        graph = Graph.read(path)
        assert np.array_equal(graph.to_scipy("weight").toarray(), matrix.toarray())
        assert graph.report[0].startswith(f"SciPy .npz: {kind}, float64")
        assert graph.directed and graph.labels is None
    assert not Graph.read(path, field=None).edge_fields
    assert list(Graph.read(path, field="far").edge_fields) == ["far"]
    (tmp_path / "b.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert Graph.read(tmp_path / "b.gz").fingerprint == graph.fingerprint


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("directed", [True, False])
def test_arcs_of_entries_in_any_order(tmp_path, kind, index, directed):
    """The file's offsets are those of the arcs, even if the entries of a row are not sorted."""
    half = sp.random(30, 30, density=0.1, random_state=2)
    matrix = sp.csr_array(half + half.T).asformat(kind)
    if kind != "coo":
        for part in (matrix.indices, matrix.data):
            for begin, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
                part[begin:end] = part[begin:end][::-1].copy()
        matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    sp.save_npz(tmp_path / "a.npz", matrix)
    graph = Graph.read(tmp_path / "a.npz", directed=directed)
    made = Graph.from_edges(
        graph.edge_src, graph.edge_dst, num_vertices=30, directed=directed
    ).arcs()
    for name in ARRAYS:
        found, expected = getattr(graph.arcs(), name), getattr(made, name)
        assert found.dtype == expected.dtype and np.array_equal(found, expected), name


def test_zeros_patterns_and_symmetry(tmp_path):
    path = tmp_path / "a.npz"
    sp.save_npz(path, sp.coo_array(([0, 2, 2], ([2, 0, 1], [2, 1, 0]))))
    assert Graph.read(path).num_edges == 3
    graph = Graph.read(path, directed=False)
    assert graph.edge_src.tolist() == [2, 1] and graph.edge_fields["weight"].tolist() == [0, 2]
    sp.save_npz(path, sp.csr_array([[False, True], [False, False]]))
    assert not Graph.read(path).edge_fields
    with pytest.raises(FormatError, match=r"a\.npz: directed=False needs a symmetric matrix"):
        Graph.read(path, directed=False)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("field", [None, "weight"])
def test_written_for_others_and_for_us(tmp_path, directed, field):
    rng = np.random.default_rng(4)
    src, dst = rng.integers(0, 8, (2, 30))
    fields = {} if field is None else {field: rng.integers(-2, 3, 30).astype(np.int16)}
    graph = Graph.from_edges(src, dst, num_vertices=9, directed=directed, **fields)
    path = tmp_path / "a.npz"
    graph.write(path, format="scipynpz")
    theirs = sp.load_npz(path)
    expected = np.zeros((9, 9), dtype=int)
    weight = fields.get(field, np.ones(30, int))
    np.add.at(expected, (src, dst), weight)
    if not directed:
        np.add.at(expected, (dst[src != dst], src[src != dst]), weight[src != dst])
    assert np.array_equal(theirs.astype(int).toarray(), expected)
    again = Graph.read(path, directed=directed)
    ends = [np.column_stack([g.edge_src, g.edge_dst]) for g in (graph, again)]
    if not directed:
        ends = [np.sort(each) for each in ends]
    assert np.array_equal(*ends) and again.num_vertices == 9
    assert list(again.edge_fields) == list(fields)
    for name, values in fields.items():
        assert np.array_equal(again.edge_fields[name], values)
        assert again.edge_fields[name].dtype == np.int16


def test_what_a_matrix_cannot_hold(tmp_path):
    path = tmp_path / "a.npz"
    labeled = Graph.from_edges([0], [1], labels=["a", "b"])
    many = Graph.from_edges([0], [1], u=[1], v=[2])
    filled = Graph.from_edges([0], [1], vertex_fields={"x": [1, 2]})
    for graph, words in ((labeled, "labels"), (many, r"\(u, v\)"), (filled, r"\(x\)")):
        with pytest.raises(FormatError, match=f"cannot hold .*{words}; write gascl's own"):
            graph.write(path, format="scipynpz")
    assert not path.exists()


def test_damage(tmp_path):
    path = tmp_path / "a.npz"
    for content, words in (
        (b"", "is empty"),
        (b"PK\x03\x04", "is damaged, or not a sparse matrix"),
        (b"1 2\n", "is not an .npz file, which starts with PK"),
    ):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=rf"a\.npz {re.escape(words)}"):
            Graph.read(path, format="scipynpz")
    np.savez(path, data=np.arange(3))
    with pytest.raises(FormatError, match="does not contain a sparse array"):
        Graph.read(path)
    np.savez(path, data=np.array([{}], dtype=object), format="coo", row=[0], col=[0], shape=(1, 1))
    with pytest.raises(FormatError, match="Python objects, which are never unpickled"):
        Graph.read(path)
    sp.save_npz(path, sp.csr_array(np.eye(2) * 1j))
    with pytest.raises(FormatError, match="must be real numbers, not complex128"):
        Graph.read(path)
    sp.save_npz(path, sp.csr_array((2, 3)))
    with pytest.raises(FormatError, match=r"square; this one has the shape \(2, 3\)"):
        Graph.read(path)


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([0, 9], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 9, 2]), ([0, 1], [0, 2, 1])],
)
def test_indices_that_would_leave_memory(tmp_path, indices, indptr):
    """SciPy checks no indices when it loads them."""
    members = {"indices": np.array(indices), "indptr": np.array(indptr)}
    np.savez(tmp_path / "a.npz", **members, format=b"csr", shape=(2, 2), data=np.ones(2))
    with pytest.raises(FormatError, match="damaged"):
        Graph.read(tmp_path / "a.npz")


@pytest.mark.filterwarnings("ignore")  # of NumPy, on odd headers
@pytest.mark.parametrize("kind", FORMATS)
def test_bytes_changed_by_chance(tmp_path, kind):
    path = tmp_path / "a.npz"
    sp.save_npz(path, sp.coo_array(sp.random(9, 9, density=0.3, random_state=1)).asformat(kind))
    whole = path.read_bytes()
    chance = random.Random(6)
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] = chance.randrange(256)
        path.write_bytes(
            damaged[: chance.randrange(len(whole))] if chance.random() < 0.2 else damaged
        )
        try:
            Graph.read(path, format="scipynpz")
        except FormatError:
            continue
        assert zipfile.ZipFile(path).testzip() is None
