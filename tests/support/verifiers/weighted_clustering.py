"""Clustering by weights and directions by matrices, from the papers' formulas; of large graphs a
sample of vertices."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import WeightedClustering

#: Of graphs with more vertices, only so many are looked at.
SAMPLE = 500


def verify(graph: Graph, result: Result, program: WeightedClustering) -> None:
    """Raises AssertionError where a coefficient is off by more than its dtype's rounding."""
    n = graph.num_vertices
    weight = graph.edge_fields.get("weight", np.ones(graph.num_edges)).astype(np.float64)
    src, dst = graph.edge_src.astype(np.int64), graph.edge_dst.astype(np.int64)
    root = np.cbrt(weight / weight.max(initial=-np.inf))
    if not graph.directed:
        src, dst, root = np.append(src, dst), np.append(dst, src), np.tile(root, 2)
        edge = np.tile(np.arange(graph.num_edges), 2)
        order = np.argsort(edge, kind="stable")
        src, dst, root = src[order], dst[order], root[order]
    other = src != dst
    src, dst, root = src[other], dst[other], root[other]
    _, first = np.unique(src * n + dst, return_index=True)  # of parallel arcs
    ends, shape = (src[first], dst[first]), (n, n)
    roots, arcs = csr_array((root[first], ends), shape), csr_array((first * 0 + 1, ends), shape)
    both = roots + roots.T if graph.directed else roots
    degree = arcs.sum(axis=0) + arcs.sum(axis=1) if graph.directed else arcs.sum(axis=0)
    some = np.arange(n) if n <= SAMPLE else np.random.default_rng(0).choice(n, SAMPLE)
    back, expected = arcs.T.tocsr(), np.zeros(n)
    for v in some.tolist():
        around = both.indices[both.indptr[v] : both.indptr[v + 1]]
        own = both[[v]].toarray().ravel()[around]
        total = own @ (both[around][:, around] @ own)
        possible = degree[v] * (degree[v] - 1)
        if graph.directed:
            total /= 2
            possible -= 2 * (arcs[[v]].multiply(back[[v]])).sum()
        expected[v] = total / possible if possible else 0
    relative = 1e-4 if program.dtype == "float32" else 1e-11
    found = np.asarray(result.coefficient)
    assert found.dtype == program.dtype
    others = np.setdiff1d(np.arange(n), some)
    expected[others] = found[others]
    agree(graph, "coefficient", found, expected, relative, 0.1 * relative)
