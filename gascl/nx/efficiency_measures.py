"""Efficiency: the mean of 1 / distance over all pairs of nodes."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csgraph

from gascl.nx.all_pairs import inverse_sums
from gascl.nx.convert_matrix import to_scipy_sparse_array
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


@backend_function(first=1_000, cached=500)
def global_efficiency(G: Converted) -> float:
    """The mean of 1 / distance."""
    pairs = len(G) * (len(G) - 1)
    return float(inverse_sums(G).sum()) / pairs if pairs else 0


@backend_function(first=500, cached=200, numpy=True)
def local_efficiency(G: Converted) -> float:
    """The mean efficiency of the subgraphs of each node's neighbors."""
    if len(G) == 0:
        raise ZeroDivisionError("division by zero")
    adjacency = to_scipy_sparse_array(G, weight=None)
    offsets, neighbors = G.rows()
    total = 0.0
    for row in np.split(neighbors, offsets[1:-1]):
        if (pairs := len(row) * (len(row) - 1)) == 0:
            continue
        distance = csgraph.shortest_path(adjacency[row][:, row], unweighted=True)
        reached = np.isfinite(distance) & (distance > 0)
        total += float((1 / distance[reached]).sum()) / pairs
    return total / len(G)
