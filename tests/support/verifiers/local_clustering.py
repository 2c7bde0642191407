"""Clustering by igraph where the graph is undirected, else by SciPy's matrices.

With A the arcs of the simple graph and S = A or A', the arcs between the neighbors of v are the
sum of (S A)[v, u] over its neighbors u: at R-MAT scale 18 two minutes.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import LocalClustering

ROWS = 1 << 12  # of the product at a time, which is far from sparse


def verify(graph: Graph, result: Result, program: LocalClustering) -> None:
    """Raises AssertionError where a coefficient is off by more than rounding."""
    eps = np.finfo(program.dtype).eps
    assert result.coefficient.dtype == program.dtype
    by = of_directed if graph.directed else of_undirected
    agree(graph, "coefficient", result.coefficient, by(graph), relative=4 * eps)


def of_undirected(graph: Graph) -> np.ndarray:
    """float64 (V,)."""
    simple = graph.to_igraph().simplify()
    return np.array(simple.transitivity_local_undirected(mode="zero"), float)


def of_directed(graph: Graph) -> np.ndarray:
    """float64 (V,)."""
    other = graph.edge_src != graph.edge_dst
    src, dst = graph.edge_src[other], graph.edge_dst[other]
    shape = (graph.num_vertices, graph.num_vertices)
    arcs = csr_array((np.ones(len(src), np.int32), (src, dst)), shape=shape)
    arcs.data[:] = 1  # parallel ones were added up
    near = arcs + arcs.T
    near.data[:] = 1
    closed = [np.empty(0)]
    for row in range(0, graph.num_vertices, ROWS):
        part = near[row : row + ROWS]
        closed.append(np.asarray((part @ arcs).multiply(part).sum(axis=1)).ravel())
    count = np.diff(near.indptr).astype(float)
    return np.concatenate(closed) / np.maximum(count * (count - 1), 1)
