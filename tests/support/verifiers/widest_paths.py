"""Widths by Dijkstra's algorithm with a heap, the widest first: exact, as nothing is added up."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from support.verifiers.compare import agree
from support.verifiers.matrices import arcs
from support.widest_paths import WidestPaths

from gascl import Graph, Result


def widths(graph: Graph, source: int, capacity: np.ndarray) -> list[float]:
    """Of the widest path to each vertex; infinite at the source, 0 where there is none."""
    src, dst, wide = arcs(graph, capacity)
    order = np.argsort(src, kind="stable")
    starts = np.searchsorted(src[order], np.arange(graph.num_vertices + 1)).tolist()
    ends, wides = dst[order].tolist(), wide[order].tolist()
    found = [0.0] * graph.num_vertices
    heap = [(-np.inf, source)]
    while heap:
        width, v = heappop(heap)
        if found[v]:
            continue  # a wider path was found before
        found[v] = -width
        for arc in range(starts[v], starts[v + 1]):
            through = min(-width, wides[arc])
            if through > found[ends[arc]]:
                heappush(heap, (-through, ends[arc]))
    return found


def verify(graph: Graph, result: Result, program: WidestPaths) -> None:
    """Raises AssertionError where a width is not that of the widest path."""
    capacity = graph.edge_fields["capacity"].astype(program.dtype)
    expected = widths(graph, graph.index_of(program.source), capacity)
    agree(graph, "width", result.width, np.array(expected, program.dtype))
