"""Answers of several programs by plain Python and SciPy, for several files of tests."""

from __future__ import annotations

import heapq
import math

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gascl import Graph


def iterate(graph: Graph, *, damping=0.85, start=None, dangling="spread", supersteps=None):
    """Ranks by the formula, arc by arc, in float64: after some supersteps, or at the fixpoint."""
    n = graph.num_vertices
    src, dst = np.asarray(graph.edge_src), np.asarray(graph.edge_dst)
    if not graph.directed:
        other = src != dst
        src, dst = np.concatenate([src, dst[other]]), np.concatenate([dst, src[other]])
    start = np.full(n, 1 / n) if start is None else np.asarray(start, float) / np.sum(start)
    degree = np.bincount(src, minlength=n)
    rank = np.full(n, 1 / n)
    for _ in range(10_000 if supersteps is None else supersteps):
        new = (1 - damping) * start
        new = new + damping * np.bincount(dst, rank[src] / degree[src], minlength=n)
        if dangling == "spread":
            new += damping * rank[degree == 0].sum() * start
        change = np.abs(new - rank).sum()
        rank = new
        if supersteps is None and change < 1e-15:
            break
    return rank


def smallest(graph: Graph) -> np.ndarray:
    """The smallest vertex of each vertex's component, by SciPy."""
    n = graph.num_vertices
    ones = np.ones(graph.num_edges, np.int8)
    matrix = coo_array((ones, (graph.edge_src, graph.edge_dst)), shape=(n, n))
    count, number = connected_components(matrix, directed=False)
    least = np.full(count, n)
    np.minimum.at(least, number, np.arange(n))
    return least[number]


def weighted_arcs(graph: Graph) -> list[tuple[int, int, float]]:
    weights = graph.edge_fields.get("weight", np.ones(graph.num_edges))
    edges = list(
        zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), weights.tolist(), strict=True)
    )
    return edges if graph.directed else edges + [(v, u, w) for u, v, w in edges]


def by_heap(graph: Graph, source: int) -> list[float]:
    out: dict[int, list[tuple[int, float]]] = {}
    for u, v, w in weighted_arcs(graph):
        out.setdefault(u, []).append((v, w))
    found = [math.inf] * graph.num_vertices
    found[source] = 0
    heap = [(0, source)]
    while heap:
        far, u = heapq.heappop(heap)
        if far == found[u]:
            for v, w in out.get(u, []):
                if far + w < found[v]:
                    found[v] = far + w
                    heapq.heappush(heap, (far + w, v))
    return found


def check_tree(graph: Graph, source: int, far: np.ndarray, parent: np.ndarray) -> None:
    """Each parent is an arc before, whose weight is the difference; and all lead to the source."""
    weights: dict[tuple[int, int], set[float]] = {}
    for u, v, w in weighted_arcs(graph):
        weights.setdefault((u, v), set()).add(w)
    root = {v for v, u in enumerate(parent.tolist()) if u == -1}
    assert root == {source} | set(np.flatnonzero(np.isinf(far)).tolist())
    for v in set(range(graph.num_vertices)) - root:
        u = int(parent[v])
        real = far.dtype.type  # NumPy 1 adds a float to a float32 in float64
        assert any(far[u] + real(w) == far[v] for w in weights[u, v]), (u, v)
    reached = np.flatnonzero(np.isfinite(far))
    at = reached.copy()
    for _ in range(graph.num_vertices):
        at = np.where(at == source, source, parent[at])
    assert (at == source).all(), "a cycle"
