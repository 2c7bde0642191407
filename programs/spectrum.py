"""Bounds of the largest eigenvalue of a graph's adjacency matrix, on the host."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from gascl.graph.graph import Graph

#: Steps of power iteration, which end when the bounds are this close.
STEPS, CLOSE = 200, 1e-4


def most_eigenvalue(graph: Graph, weights: np.ndarray | None = None) -> float:
    """No eigenvalue is larger; where nothing is in the way, the largest is only a little less.

    Collatz and Wielandt: of a matrix M without negative entries and any x above 0, no eigenvalue
    is more than the largest (M x) / x. Power iteration brings x there, on M plus a multiple of the
    unit matrix, so that it does not swing where the graph is periodic.

    With t a little less than 1 / the bound, (t M)^k, summed over k, stays below 1e25: x is never
    less than 1e-25 of its largest, times the number of vertices.

    Args:
        weights: (E,), 0 or more; None: 1 each.
    """
    n, src, dst = graph.num_vertices, graph.edge_src, graph.edge_dst
    values = np.ones(len(src)) if weights is None else weights.astype(np.float64)
    unit = values.max(initial=0) or 1.0  # or else sums may overflow
    matrix = csr_array((values / unit, (dst, src)), (n, n))
    if not graph.directed:
        other = src != dst
        matrix = matrix + csr_array(((values / unit)[other], (src[other], dst[other])), (n, n))
    x, best = np.ones(n), np.inf
    for _ in range(STEPS):
        more = matrix @ x
        ratio = more / x
        best = min(best, float(ratio.max(initial=0)))
        if best == 0 or best - ratio.min(initial=best) <= CLOSE * best:
            break
        x = more + best / 2 * x
        x = np.maximum(x / x.max(), 1e-25 * n)
    return best * unit
