"""Distances by SciPy's Dijkstra; parents by what they must be."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import dijkstra
from support.verifiers.compare import agree
from support.verifiers.distances import begun_at
from support.verifiers.matrices import entries, least

from gascl import Graph, Result
from gascl.programs import Distances, ShortestPaths


def verify(graph: Graph, result: Result, program: Distances) -> None:
    """Raises AssertionError where a distance is off by more than rounding, or a parent is none."""
    sources = begun_at(graph, program)
    matrix = least(graph, "weight" if "weight" in graph.edge_fields else None)
    expected = np.min(dijkstra(matrix, indices=sources), axis=0)
    expected[expected > program.cutoff] = np.inf
    relative = 8 * np.finfo(program.dtype).eps * max(result.supersteps, 1)
    distance = result.distance.astype(np.float64)
    agree(graph, "distance", distance, expected, relative)
    found = np.isfinite(expected) & ~np.isin(np.arange(graph.num_vertices), sources)
    if not isinstance(program, ShortestPaths):
        return
    parent = np.asarray(result.parent)
    assert (parent[~found] == -1).all(), "a parent where there is no path"
    known = (parent >= 0) & (parent < graph.num_vertices)
    assert known[found].all(), "a parent is no vertex"
    arc = entries(least(graph, None), parent[found], np.flatnonzero(found)) > 0
    assert (arc & (parent[found] != np.flatnonzero(found))).all(), "no arc leads from a parent"
    own = entries(matrix, parent[found], np.flatnonzero(found))
    through = distance[parent[found]] + own
    assert np.allclose(through, distance[found], relative, 0), "a parent is on no shortest path"
