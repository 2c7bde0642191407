"""Triangles by igraph: local clustering times the pairs of neighbors, of the simple graph."""

from __future__ import annotations

import numpy as np
from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import Triangles


def verify(graph: Graph, result: Result, program: Triangles) -> None:
    """Raises AssertionError where a vertex's triangles or wedges are others than igraph's."""
    simple = graph.to_igraph().as_undirected().simplify()
    degree = np.array(simple.degree(), np.int64)
    wedges = degree * (degree - 1) // 2
    closed = np.array(simple.transitivity_local_undirected(mode="zero"), float) * wedges
    agree(graph, "wedges", result.wedges, wedges)
    agree(graph, "triangles", result.triangles, np.rint(closed).astype(np.int64))
