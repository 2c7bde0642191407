"""Triangles, squares and clustering."""

from __future__ import annotations

from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csr_array

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function, directed
from gascl.programs.triangles import Triangles
from gascl.programs.weighted_clustering import WeightedClustering

#: Paths of length two that `square_clustering` looks at at once.
PATHS = 20_000_000

_SOME_NODES = argument("nodes", reason="some of the nodes")


def _counts(G: Converted) -> tuple[np.ndarray, np.ndarray]:
    """int64 (V,): the triangles at each node, and the pairs of its neighbors."""
    result = G.run(Triangles())
    return result["triangles"], result["wedges"]


def _refuse_multigraphs(G: Converted) -> None:
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


@backend_function(first=5_000, cached=2_000, slower=[_SOME_NODES])
def triangles(G: Converted, nodes: Any = None) -> Any:
    """The number of triangles at nodes."""
    if nodes is not None:
        _refuse_multigraphs(G)
    return G.chosen(nodes, _counts(G)[0].tolist())


def _coefficients(G: Converted, weight: Any) -> list[Any]:
    """Clustering coefficients; where there is no triangle, the integer 0, as in NetworkX.

    Raises:
        NotImplementedError: a weight is below 0.
    """
    _refuse_multigraphs(G)
    field = G.weight_field(weight)
    if field is not None and (field[1] < 0).any():
        raise NotImplementedError("weights below 0, whose sums may differ from 0 only by rounding")
    if G.is_directed() or field is not None:
        shares = G.run(WeightedClustering(dtype="float64"), weight=field)["coefficient"]
    else:
        closed, pairs = _counts(G)
        shares = closed / np.maximum(pairs, 1)
    return [share or 0 for share in shares.tolist()]


@backend_function(first=5_000, cached=2_000, slower=[_SOME_NODES])
def clustering(G: Converted, nodes: Any = None, weight: Any = None) -> Any:
    """Clustering coefficients."""
    return G.chosen(nodes, _coefficients(G, weight))


@backend_function(first=5_000, cached=2_000, slower=[_SOME_NODES])
def average_clustering(
    G: Converted, nodes: Any = None, weight: Any = None, count_zeros: bool = True
) -> float:
    """The mean of the clustering coefficients."""
    values = _coefficients(G, weight)
    if nodes is not None:
        values = list(G.chosen(nodes, values).values())
    if not count_zeros:
        values = [value for value in values if abs(value) > 0]
    return sum(values) / len(values)


@backend_function(first=5_000, cached=2_000, limits="No directed graphs.", unsupported=[directed])
def transitivity(G: Converted) -> float:
    """The share of the pairs of neighbors that are connected."""
    _refuse_multigraphs(G)
    closed, pairs = (int(counts.sum()) for counts in _counts(G))
    return 0 if closed == 0 else closed / pairs


@backend_function(first=5_000, cached=2_000, slower=[_SOME_NODES])
def generalized_degree(G: Converted, nodes: Any = None) -> Any:
    """How many edges of each node are in how many triangles."""
    from gascl.programs.link_prediction import link_scores  # which loads OpenCL

    _refuse_multigraphs(G)
    src, dst = G.ends
    proper = src != dst
    ends = np.stack([src[proper], dst[proper]]).astype(np.int64)
    shared = link_scores(G.engine(), ends)["common"].tolist() if ends.size else []
    counts: list[Counter[int]] = [Counter() for _ in G.nodes]
    for one, other, triangles in zip(*ends.tolist(), shared, strict=True):
        counts[one][triangles] += 1
        counts[other][triangles] += 1
    return G.chosen(nodes, counts)


@backend_function(
    first=500,
    cached=200,
    numpy=True,
    limits="No directed graphs.",
    unsupported=[directed],
    slower=[_SOME_NODES],
)
def square_clustering(G: Converted, nodes: Any = None) -> Any:
    """The share of the possible squares at each node that exist."""
    src, dst = G.ends
    proper = src != dst
    ends = np.concatenate([src[proper], dst[proper]]), np.concatenate([dst[proper], src[proper]])
    adjacency = csr_array((np.ones(len(ends[0]), np.int64), ends), shape=(len(G), len(G)))
    adjacency.data[:] = 1  # parallel edges are one
    degree = np.diff(adjacency.indptr).astype(np.int64)
    triangles, squares = np.zeros((2, len(G)), np.int64)
    # Two paths of length two between the same nodes make a square. So many are looked at at once
    # that they fit into the memory of some 100,000,000 numbers.
    paths = np.cumsum(adjacency @ degree)
    begin = 0
    while begin < len(G):
        before = paths[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(paths, before + PATHS, side="right")))
        rows = adjacency[begin:end]
        shared = (rows @ adjacency).tocsr()
        triangles[begin:end] = rows.multiply(shared).sum(axis=1)
        tail = np.repeat(np.arange(begin, end), np.diff(shared.indptr))
        pairs = np.where(shared.indices == tail, 0, shared.data * (shared.data - 1) // 2)
        squares[begin:end] = np.bincount(tail - begin, pairs, end - begin)
        begin = end
    less = degree - 1
    possible = less * (adjacency @ degree) - degree * less - triangles - squares
    shares = squares / np.maximum(possible, 1)
    known = (degree > 1) & (possible > 0)
    values = [share if exists else 0 for share, exists in zip(shares.tolist(), known, strict=True)]
    return G.chosen(nodes, values)
