"""Betweenness along weights by plain Python: a heap, and dependencies in the order of distances."""

from __future__ import annotations

import heapq
from collections import defaultdict

import numpy as np
from support.verifiers.betweenness import whole
from support.verifiers.compare import agree
from support.verifiers.distances import sources_of
from support.verifiers.matrices import arcs

from gascl import Graph, Result
from gascl.programs import WeightedBetweenness, WeightedEdgeBetweenness


def verify(
    graph: Graph, result: Result, program: WeightedBetweenness | WeightedEdgeBetweenness
) -> None:
    """Raises AssertionError where a centrality is off by more than its dtype's rounding."""
    n = graph.num_vertices
    weight = graph.edge_fields.get("weight", np.ones(graph.num_edges)).astype(program.dtype)
    src, dst, edge = (x.tolist() for x in arcs(graph, np.arange(graph.num_edges)))
    out = defaultdict(list)
    for u, v, e in zip(src, dst, edge, strict=True):
        out[u].append((v, e))
    sources = sources_of(graph, program.sources, program.seed).tolist()
    of_edges, of_vertices, ends = (np.zeros(x) for x in (graph.num_edges, n, n))
    for s in sources:
        far = {s: weight.dtype.type(0)}
        heap = [(0.0, s)]
        while heap:
            way, u = heapq.heappop(heap)
            if way == far[u]:
                for v, e in out[u]:
                    if far[u] + weight[e] < far.get(v, np.inf):
                        far[v] = far[u] + weight[e]
                        heapq.heappush(heap, (float(far[v]), v))
        order = sorted(far, key=lambda v: far[v])
        paths, share = dict.fromkeys(far, 0.0) | {s: 1.0}, dict.fromkeys(far, 0.0)
        for u in order:
            for v, e in out[u]:
                if far[u] + weight[e] == far.get(v):
                    paths[v] += paths[u]
        for u in reversed(order):
            for v, e in out[u]:
                if far[u] + weight[e] == far.get(v):
                    part = paths[u] / paths[v] * (1 + share[v])
                    share[u] += part
                    of_edges[e] += part
            if u != s:
                of_vertices[u] += share[u]
                ends[u] += 1
        ends[s] += len(far) - 1
    relative, absolute = (2e-4, 1e-6) if program.dtype == "float32" else (1e-10, 1e-12)
    if isinstance(program, WeightedEdgeBetweenness):
        found = result.arc_fields["centrality"]
        expected = (of_edges * whole(graph, program, len(sources)))[graph.arcs().out_edges]
        assert np.allclose(found, expected, relative, absolute), "an arc's centrality is wrong"
        return
    if program.endpoints:
        expected = (of_vertices + ends) * whole(graph, program, len(sources))
    elif n < 3:
        expected = np.zeros(n)
    else:
        seen_from = len(sources) - np.isin(np.arange(n), sources)
        scale = (n - 1) / np.where(seen_from > 0, seen_from, np.nan)
        pairs = (n - 1) * (n - 2) if program.normalized else 1 if graph.directed else 2
        expected = of_vertices * scale / pairs
    agree(graph, "centrality", result.centrality, expected, relative, absolute * expected.max())
