"""Betweenness by igraph, from the same sources, scaled as NetworkX does it; ends by SciPy's
distances; that of edges by NumPy, source by source, from the last level back."""

from __future__ import annotations

import numpy as np
from support.verifiers.compare import agree
from support.verifiers.distances import distances, sources_of
from support.verifiers.matrices import arcs

from gascl import Graph, Result
from gascl.programs import Betweenness, EdgeBetweenness


def verify(graph: Graph, result: Result, program: Betweenness | EdgeBetweenness) -> None:
    """Raises AssertionError where a centrality is off by more than its dtype's rounding."""
    if isinstance(program, EdgeBetweenness):
        return verify_edges(graph, result, program)
    n = graph.num_vertices
    sources = sources_of(graph, program.sources, program.seed)
    found = graph.to_igraph().betweenness(directed=graph.directed, sources=sources.tolist())
    pairs = np.array(found, float) * (1 if graph.directed else 2)  # ordered ones
    seen_from = len(sources) - np.isin(np.arange(n), sources)
    scale = (n - 1) / np.where(seen_from > 0, seen_from, np.nan)
    if program.endpoints:
        for some, way in distances(graph, sources):
            reached = np.isfinite(way)
            pairs += reached.sum(0)
            np.add.at(pairs, some, reached.sum(1) - 2)
        expected = pairs * whole(graph, program, len(sources))
    elif n < 3:
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


def whole(graph: Graph, program: Betweenness | EdgeBetweenness, sources: int) -> float:
    """What to multiply the ordered pairs by that some sources see."""
    n = graph.num_vertices
    if n < 2:
        return 1
    if program.normalized:
        return 1 / (sources * (n - 1))
    return n / sources / (1 if graph.directed else 2)


def verify_edges(graph: Graph, result: Result, program: EdgeBetweenness) -> None:
    n = graph.num_vertices
    edges = np.arange(graph.num_edges)
    src, dst, edge = arcs(graph, edges)
    order = np.lexsort((edge, dst, src))
    total = np.zeros(graph.num_edges)
    sources = sources_of(graph, program.sources, program.seed)
    for some, way in distances(graph, sources):
        for number in range(len(some)):
            far, paths, below = way[number], np.zeros(n), np.zeros(n)
            paths[some[number]] = 1
            down = np.isfinite(far[src]) & (far[src] + 1 == far[dst])
            levels = [down & (far[src] == d) for d in range(int(far[np.isfinite(far)].max()))]
            for on in levels:
                np.add.at(paths, dst[on], paths[src[on]])
            for on in reversed(levels):
                share = paths[src[on]] / paths[dst[on]] * (1 + below[dst[on]])
                np.add.at(below, src[on], share)
                np.add.at(total, edge[on], share)
    found = result.arc_fields["centrality"]
    expected = (total * whole(graph, program, len(sources)))[edge[order]]
    assert found.dtype == program.dtype
    relative, absolute = (2e-4, 1e-6) if program.dtype == "float32" else (1e-10, 1e-12)
    near = np.isclose(found, expected, relative, absolute * np.max(expected, initial=0))
    assert near.all(), f"centrality of arc {np.argmin(near)} is wrong, of {(~near).sum()} such"
