"""Katz centrality by linear equations: the solution of one system, not a sum of walks."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, eye
from support.verifiers.matrices import counted, solved

from gascl import Graph, Result
from gascl.programs import Katz, WeightedKatz


def verify(graph: Graph, result: Result, program: Katz) -> None:
    """Raises AssertionError where centralities are further off, in sum, than is allowed."""
    n = graph.num_vertices
    if n == 0:
        return
    weighted = isinstance(program, WeightedKatz) and "weight" in graph.edge_fields
    matrix = counted(graph, "weight" if weighted else None)
    system = csr_array(eye(n)) - program.alpha * matrix.T.tocsr()
    own = result.fields["own"].astype(np.float64)
    expected = solved(system, program.beta * own)
    if program.normalized:
        expected = expected / (np.linalg.norm(expected) or 1)
    near = 4 * program.tolerance + 64 * np.finfo(program.dtype).eps
    near *= n * own.max() / (own.sum() or 1)  # the tolerance is a share of what all would give
    off = np.abs(result.centrality - expected).sum()
    assert off <= near * np.abs(expected).sum(), f"the centralities are {off:.1e} off in all"
    worst = np.abs(result.centrality - expected).max(initial=0)
    assert worst <= 16 * near * expected.max(initial=0), f"one centrality is {worst:.1e} off"
