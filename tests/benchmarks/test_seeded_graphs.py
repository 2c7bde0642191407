"""The graphs of the benchmarks are the same everywhere, and what their names say."""

from __future__ import annotations

import zlib

import graphs
import numpy as np
import pytest
from scipy.sparse import csr_array

#: CRC-32 of the offsets (int64), targets (int32) and weights (float32), little-endian, as the
#: script computes them that made the graphs for the measurements of other libraries on GPUs.
PUBLISHED = {
    "rmat10": [2488801842, 1412474096, 2682722110],
    "rmat10, undirected": [3825247873, 3418053957, 2832400655],
    "uniform10": [3041947930, 2707158868, 1744376748],
    "uniform10, undirected": [2903927879, 420265211, 3944523552],
    "grid20": [866563787, 3989086445, 3597705506],
    "grid20, undirected": [866563787, 3989086445, 3597705506],
}


def sums(edges: graphs.Edges) -> list[int]:
    arrays = ((edges.offsets, "<i8"), (edges.targets, "<i4"), (edges.weights, "<f4"))
    return [zlib.crc32(array.astype(dtype).tobytes()) for array, dtype in arrays]


@pytest.mark.parametrize("name", PUBLISHED)
def test_bits(tmp_path, name):
    made = graphs.made(name, tmp_path)
    assert sums(made) == PUBLISHED[name]
    again = graphs.made(name, tmp_path)  # from the cache
    assert sums(again) == PUBLISHED[name]
    assert again.directed == made.directed == ("undirected" not in name)


def test_bits_in_many_pieces(tmp_path, monkeypatch):
    """However the work is divided among threads."""
    monkeypatch.setattr(graphs, "PIECE", 1000)
    monkeypatch.setattr(graphs, "BLOCK", 64)
    for name in ("rmat10", "rmat10, undirected"):
        assert sums(graphs.made(name, tmp_path)) == PUBLISHED[name]


@pytest.mark.parametrize("name", ["kron9", "holes30"])
def test_undirected(tmp_path, name):
    edges = graphs.made(name, tmp_path)
    n = edges.num_vertices
    matrix = csr_array((edges.weights, edges.targets, edges.offsets), shape=(n, n))
    assert not edges.directed
    assert (matrix != matrix.T).nnz == 0
    assert matrix.has_canonical_format and not matrix.diagonal().any()
    assert edges.weights.min() >= 1 and edges.weights.max() <= 255
    assert edges.graph().num_edges == edges.num_edges == matrix.nnz // 2
    assert edges.out_degree[edges.hub] == edges.out_degree.max()


def test_two_sided():
    edges = graphs.rmat(8)
    both, n = edges.two_sided(), edges.num_vertices
    shape = (2 * n, 2 * n)
    matrix = csr_array((np.ones_like(both.weights), both.targets, both.offsets), shape=shape)
    ones = np.ones_like(edges.weights)
    directed = csr_array((ones, edges.targets, edges.offsets), shape=(n, n))
    assert not both.directed and both.num_edges == edges.num_edges
    assert (matrix[:n, n:] != directed).nnz == (matrix[n:, :n] != directed.T).nnz == 0
    assert matrix.nnz == 2 * directed.nnz


def test_edges_once():
    edges = graphs.rmat(9, directed=False)
    once = edges.sources < edges.targets
    for found, array in zip(
        edges.listed(), (edges.sources, edges.targets, edges.weights), strict=True
    ):
        assert (found == array[once]).all() and found.dtype == array.dtype


def test_missing_edges():
    whole, holes = graphs.grid(100).undirected(), graphs.grid(100, 0.05)
    kept = np.isin(graphs.keys_of(*holes.listed()[:2]), graphs.keys_of(*whole.listed()[:2]))
    assert kept.all()
    # A binomial distribution: five standard deviations.
    count = whole.num_edges
    assert abs(holes.num_edges - 0.95 * count) < 5 * (count * 0.05 * 0.95) ** 0.5


@pytest.mark.parametrize(
    ("name", "degrees"),
    [("star3", [8] + [1] * 8), ("path3", [1, *[2] * 6, 1]), ("clique5", [4] * 5)],
)
def test_shapes(tmp_path, name, degrees):
    edges = graphs.made(name, tmp_path)
    n = len(degrees)
    matrix = csr_array((edges.weights, edges.targets, edges.offsets), shape=(n, n))
    assert edges.out_degree.tolist() == degrees
    assert not edges.directed and (matrix != matrix.T).nnz == 0 and not matrix.diagonal().any()
    # Each has one component: of n vertices, paths of n - 1 arcs or fewer join all.
    assert (np.linalg.matrix_power(matrix.toarray() + np.eye(n), n - 1) > 0).all()


def test_unknown_graph(tmp_path):
    with pytest.raises(SystemExit, match="unknown graph 'torus5'"):
        graphs.made("torus5", tmp_path)
