"""Distances by V rounds over all arcs in NumPy; what still falls after that becomes -infinity."""

from __future__ import annotations

import numpy as np
from support.verifiers.compare import agree
from support.verifiers.distances import begun_at
from support.verifiers.matrices import arcs

from gascl import Graph, Result
from gascl.programs import BellmanFord


def verify(graph: Graph, result: Result, program: BellmanFord) -> None:
    """Raises AssertionError where a distance is another, or the parents are no tree."""
    n, dtype = graph.num_vertices, np.dtype(program.dtype)
    weight = graph.edge_fields.get("weight", np.ones(graph.num_edges)).astype(dtype)
    src, dst, weight = arcs(graph, weight)
    sources = begun_at(graph, program)
    expected = np.full(n, np.inf, dtype)
    expected[sources] = 0
    for last in (False, True):
        for _ in range(n):
            through = expected[src] + weight
            falls = through < expected[dst]
            if not falls.any():
                break
            np.minimum.at(expected, dst[falls], -np.inf if last else through[falls])
    agree(graph, "distance", result.distance, expected)
    parent, finite = np.asarray(result.parent), np.isfinite(expected)
    finite[sources] = False
    assert (parent[~finite] == -1).all(), "a parent where there is no shortest path"
    tight = np.isfinite(expected[dst]) & (expected[src] + weight == expected[dst])
    pairs = set(zip(src[tight].tolist(), dst[tight].tolist(), strict=True))
    own = np.flatnonzero(finite).tolist()
    assert {(int(parent[v]), v) for v in own} <= pairs, "a parent is on no shortest path"
    at = np.arange(n)
    for _ in range(n):
        at = np.where(parent[at] >= 0, parent[at], at)
    assert np.isin(at[finite], sources).all(), "parents go round"
