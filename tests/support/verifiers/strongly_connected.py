"""Strongly connected components by SciPy (Pearce's algorithm), named by their smallest vertex."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import StronglyConnected


def verify(graph: Graph, result: Result, program: StronglyConnected) -> None:
    """Raises AssertionError where a vertex's component has another name."""
    n = graph.num_vertices
    ones = np.ones(graph.num_edges, np.int8)
    matrix = coo_array((ones, (graph.edge_src, graph.edge_dst)), shape=(n, n))
    count, number = connected_components(matrix, graph.directed, "strong")
    least = np.full(count, n)
    np.minimum.at(least, number, np.arange(n))
    agree(graph, "component", result.component, least[number])
