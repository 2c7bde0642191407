"""Depths by SciPy's Dijkstra without weights; parents by what they must be."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import dijkstra
from support.verifiers.compare import agree
from support.verifiers.distances import begun_at
from support.verifiers.matrices import entries, least

from gascl import Graph, Result
from gascl.programs import BreadthFirst


def verify(graph: Graph, result: Result, program: BreadthFirst) -> None:
    """Raises AssertionError where a depth is another, or a parent is none."""
    sources = begun_at(graph, program)
    matrix = least(graph, None)
    hops = np.min(dijkstra(matrix, indices=sources, unweighted=True), axis=0)
    if program.hops is not None:
        hops[hops > program.hops] = np.inf
    agree(graph, "depth", result.depth, np.where(np.isfinite(hops), hops, -1).astype(np.int64))
    found = np.flatnonzero(np.isfinite(hops) & ~np.isin(np.arange(graph.num_vertices), sources))
    parent = np.asarray(result.parent)
    others = np.setdiff1d(np.arange(graph.num_vertices), found)
    assert (parent[others] == -1).all(), "a parent where there is no path"
    assert ((parent[found] >= 0) & (parent[found] < graph.num_vertices)).all(), "no vertex"
    assert (hops[parent[found]] == hops[found] - 1).all(), "a parent is not one arc nearer"
    assert (entries(matrix, parent[found], found) > 0).all(), "no arc leads from a parent"
