"""Laplacian matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from gascl.nx.convert_matrix import of_matrix, to_scipy_sparse_array
from gascl.nx.converted_graph import Converted


def _diagonal(values: np.ndarray) -> Any:
    return sparse.dia_array((values, 0), shape=(len(values), len(values))).tocsr()


@of_matrix
def laplacian_matrix(G: Converted, nodelist: Any = None, weight: Any = "weight") -> Any:
    """The degrees on the diagonal, less the adjacency matrix; sparse."""
    adjacency = to_scipy_sparse_array(G, nodelist=nodelist, weight=weight)
    return _diagonal(adjacency.sum(axis=1)) - adjacency


@of_matrix
def normalized_laplacian_matrix(G: Converted, nodelist: Any = None, weight: Any = "weight") -> Any:
    """The Laplacian matrix, divided by the square roots of both ends' degrees; sparse."""
    adjacency = to_scipy_sparse_array(G, nodelist=nodelist, weight=weight)
    degrees = adjacency.sum(axis=1)
    with np.errstate(divide="ignore"):
        inverse = 1.0 / np.sqrt(degrees)
    inverse[np.isinf(inverse)] = 0
    scale = _diagonal(inverse)
    return scale @ ((_diagonal(degrees) - adjacency) @ scale)
