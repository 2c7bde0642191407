"""Modularity matrices: what the adjacency matrix has more than is expected by the degrees."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.nx.convert_matrix import of_matrix, to_scipy_sparse_array
from gascl.nx.converted_graph import Converted


@of_matrix
def modularity_matrix(G: Converted, nodelist: Any = None, weight: Any = None) -> Any:
    """The adjacency matrix, less the product of both ends' degrees by twice the edges."""
    adjacency = to_scipy_sparse_array(G, nodelist=nodelist, weight=weight)
    degrees = adjacency.sum(axis=1)
    return adjacency - np.outer(degrees, degrees) / (2 * (degrees.sum() * 0.5))


@of_matrix
def directed_modularity_matrix(G: Converted, nodelist: Any = None, weight: Any = None) -> Any:
    """The adjacency matrix, less the product of out- and in-degrees by the number of edges."""
    adjacency = to_scipy_sparse_array(G, nodelist=nodelist, weight=weight)
    into, out = adjacency.sum(axis=0), adjacency.sum(axis=1)
    return adjacency - np.outer(out, into) / into.sum()
