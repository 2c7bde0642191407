"""Betweenness by igraph, from the same sources, scaled as NetworkX does it."""

from __future__ import annotations

import numpy as np
from support.verifiers.compare import agree
from support.verifiers.distances import sources_of

from gascl import Graph, Result
from gascl.programs import Betweenness


def verify(graph: Graph, result: Result, program: Betweenness) -> None:
    """Raises AssertionError where a centrality is off by more than its dtype's rounding."""
    n = graph.num_vertices
    sources = sources_of(graph, program.sources, program.seed)
    found = graph.to_igraph().betweenness(directed=graph.directed, sources=sources.tolist())
    pairs = np.array(found, float) * (1 if graph.directed else 2)  # ordered ones
    seen_from = len(sources) - np.isin(np.arange(n), sources)
    scale = (n - 1) / np.where(seen_from > 0, seen_from, np.nan)
    if n < 3:
        expected = np.zeros(n)
    elif program.normalized:
        expected = pairs * scale / ((n - 1) * (n - 2))
    else:
        expected = pairs * scale / (1 if graph.directed else 2)
    assert result.centrality.dtype == program.dtype
    unknown = np.isnan(expected)
    agree(graph, "NaN of centrality", np.isnan(result.centrality), unknown)
    known = np.where(unknown, 0, result.centrality)
    relative, absolute = (2e-4, 1e-6) if program.dtype == "float32" else (1e-10, 1e-12)
    most = np.max(expected[~unknown], initial=0)
    agree(graph, "centrality", known, np.where(unknown, 0, expected), relative, absolute * most)
