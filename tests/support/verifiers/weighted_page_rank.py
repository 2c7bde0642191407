"""Ranks over weighted arcs by linear equations, scaled to the ranks' sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, eye
from support.verifiers.matrices import counted, solved
from support.verifiers.page_rank import begun, landing_of

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
    landing = landing_of(result, program, start)
    if program.supersteps is not None:
        rank = begun(graph, program)
        for _ in range(program.supersteps):
            d = program.damping
            rank = d * (pull @ rank + rank[strength == 0].sum() * landing) + (1 - d) * start
        near = 64 * np.finfo(program.dtype).eps
    else:
        rank = at_rest(program.damping, pull.tocsr(), start, landing, strength == 0)
        near = program.tolerance / (1 - program.damping) + 64 * np.finfo(program.dtype).eps
    whole = n if program.scale == "vertices" else 1
    off = np.abs(result.rank / whole - rank).sum()
    assert off <= near, f"the ranks are {off:.1e} off in all"


def at_rest(
    damping: float, pull: Any, start: np.ndarray, landing: np.ndarray, dangling: np.ndarray
) -> np.ndarray:
    """Where the ranks come to rest: those without what lands, and what each unit of that adds."""
    system = csr_array(eye(len(start))) - damping * pull
    rank, more = (solved(system, x) for x in ((1 - damping) * start, damping * landing))
    return rank + more * rank[dangling].sum() / (1 - more[dangling].sum())
