"""Closeness and harmonic centrality from SciPy's distances, by their formulas in float64."""

from __future__ import annotations

import numpy as np
from support.verifiers.compare import agree
from support.verifiers.distances import distances, sources_of

from gascl import Graph, Result
from gascl.programs import (
    Closeness,
    HarmonicCloseness,
    WeightedCloseness,
    WeightedHarmonicCloseness,
)


def verify(graph: Graph, result: Result, program: Closeness | HarmonicCloseness) -> None:
    """Raises AssertionError where a centrality is off by more than its dtype's rounding."""
    n = graph.num_vertices
    sources = sources_of(graph, program.sources, program.seed)
    reached, far, near, others = (np.zeros(n) for _ in range(4))
    weighted = isinstance(program, WeightedCloseness | WeightedHarmonicCloseness)
    weight = "weight" if weighted and "weight" in graph.edge_fields else None
    for some, way in distances(graph, sources, weight):
        way[np.arange(len(some)), some] = np.inf  # oneself does not count
        there = np.isfinite(way)
        reached += there.sum(0)
        far += np.where(there, way, 0).sum(0)
        near += np.divide(1, way, out=np.zeros_like(way), where=way > 0).sum(0)
    others = len(sources) - np.isin(np.arange(n), sources)
    if isinstance(program, HarmonicCloseness):
        expected = near
    else:
        expected = np.divide(reached, far, out=np.zeros(n), where=far > 0)
        if program.wf_improved:
            expected *= np.divide(reached, others, out=np.zeros(n), where=others > 0)
    assert result.centrality.dtype == program.dtype
    most = 1e-5 if program.dtype == "float32" else 1e-12
    agree(graph, "centrality", result.centrality, expected, relative=most)
