"""Eccentricities by SciPy's distances, of the reversed arcs."""

from __future__ import annotations

import numpy as np
from support.verifiers.compare import agree
from support.verifiers.distances import distances, sources_of

from gascl import Graph, Result
from gascl.programs import Eccentricity, WeightedEccentricity


def verify(graph: Graph, result: Result, program: Eccentricity) -> None:
    """Raises AssertionError where a vertex's farthest target, or the sums, are others."""
    targets = sources_of(graph, program.targets, program.seed)
    weighted = isinstance(program, WeightedEccentricity)
    weight = "weight" if weighted and "weight" in graph.edge_fields else None
    far, reached, total = (np.zeros(graph.num_vertices) for _ in range(3))
    for some, way in distances(graph, targets, weight, backwards=True):
        way[np.arange(len(some)), some] = np.inf  # oneself does not count
        there = np.isfinite(way)
        own = np.where(there, way, 0)
        far = np.maximum(far, own.max(0))
        reached += there.sum(0)
        total += own.sum(0)
    relative = 0 if not weighted else 1e-5 if program.dtype == "float32" else 1e-12
    agree(graph, "reached", result.reached, reached)
    agree(graph, "eccentricity", result.eccentricity, far, relative)
    agree(graph, "distances", result.distances, total, relative)
