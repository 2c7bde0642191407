"""Ranks over weighted arcs by linear equations, scaled to the ranks' sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import eye_array
from support.verifiers.matrices import counted, solved

from gascl import Graph, Result
from gascl.programs import WeightedPageRank


def verify(graph: Graph, result: Result, program: WeightedPageRank) -> None:
    """Raises AssertionError where ranks are further off, in sum, than rounding and tolerance."""
    n = graph.num_vertices
    if n == 0:
        return
    matrix = counted(graph, "weight" if "weight" in graph.edge_fields else None)
    strength = np.asarray(matrix.sum(axis=1)).ravel()
    start = result.fields.get("personalization", np.full(n, 1 / n)).astype(np.float64)
    pull = matrix.multiply(np.divide(1, strength, where=strength > 0, out=strength * 0)[:, None]).T
    if program.supersteps is not None:
        rank = np.full(n, 1 / n)
        for _ in range(program.supersteps):
            lost = rank[strength == 0].sum() if program.dangling == "spread" else 0
            d = program.damping
            rank = d * (pull @ rank + lost * start) + (1 - d) * start
        near = 64 * np.finfo(program.dtype).eps
    else:
        rank, near = at_rest(program, pull.tocsr(), start)
    whole = n if program.scale == "vertices" else 1
    off = np.abs(result.rank / whole - rank).sum()
    assert off <= near, f"the ranks are {off:.1e} off in all"


def at_rest(program: WeightedPageRank, pull: Any, start: np.ndarray) -> tuple[np.ndarray, float]:
    """Where the ranks come to rest, and how near to it the tolerance leads."""
    # Rank that is lost comes back in proportion to the start: to ignore it is to scale the rest.
    system = eye_array(len(start), format="csr") - program.damping * pull
    rank = solved(system, (1 - program.damping) * start)
    if program.dangling == "spread":
        rank /= rank.sum() or 1
    return rank, program.tolerance / (1 - program.damping) + 64 * np.finfo(program.dtype).eps
