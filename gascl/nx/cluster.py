"""Triangles and clustering."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function, directed
from gascl.programs.triangles import Triangles
from gascl.programs.weighted_clustering import WeightedClustering

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
