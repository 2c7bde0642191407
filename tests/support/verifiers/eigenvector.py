"""Eigenvector centrality by ARPACK: the largest eigenvalue, and that the vector belongs to it."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import eigs
from support.verifiers.matrices import counted

from gascl import Graph, Result
from gascl.programs import Eigenvector, WeightedEigenvector


def largest(matrix) -> float:
    """The largest eigenvalue, by absolute value, of a matrix without negative entries."""
    if matrix.shape[0] < 200:
        return float(np.abs(np.linalg.eigvals(matrix.toarray())).max())
    return float(eigs(matrix, 1, which="LR", return_eigenvectors=False)[0].real)


def verify(graph: Graph, result: Result, program: Eigenvector) -> None:
    """Raises AssertionError where the vector moves when multiplied, or has another eigenvalue."""
    weighted = isinstance(program, WeightedEigenvector) and "weight" in graph.edge_fields
    matrix = counted(graph, "weight" if weighted else None).T.tocsr()
    x = result.centrality.astype(np.float64)
    near = 4 * program.tolerance + 8 * np.finfo(program.dtype).eps
    assert np.abs(np.linalg.norm(x) - 1) <= near if len(x) else True, "its length is not 1"
    assert (x >= 0).all(), "it has negative values"
    if graph.num_edges == 0:
        assert np.ptp(x) <= near if len(x) else True, "without edges, all should be equal"
        return
    moved = matrix @ x
    value = largest(matrix)
    shift = graph.edge_fields["weight"].max() if weighted else 1
    off = np.linalg.norm(moved - (moved @ x) * x)
    assert off <= near * (value + shift), f"multiplied, the vector is {off:.1e} off its direction"
    # The eigenvalue is off by what the vector is, times a condition that is seldom large.
    assert abs(moved @ x - value) <= 1e4 * near * value, f"{moved @ x}, not {value}, is its value"
