"""A graph as SciPy's matrices, from its edges alone."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import gmres

from gascl import Graph

DENSE = 2000  # rows: a matrix of 32 MB


def arcs(graph: Graph, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sources, targets and values of all arcs: an undirected edge is two, a self-loop one."""
    src, dst = graph.edge_src, graph.edge_dst
    if graph.directed:
        return src, dst, values
    back = src != dst
    return (
        np.concatenate([src, dst[back]]),
        np.concatenate([dst, src[back]]),
        np.concatenate([values, values[back]]),
    )


def least(graph: Graph, field: str | None) -> csr_array:
    """(V, V) float64: of parallel arcs the least value; ones without a field."""
    values = np.ones(graph.num_edges) if field is None else graph.edge_fields[field]
    src, dst, values = arcs(graph, values.astype(np.float64))
    order = np.lexsort((values, dst, src))
    src, dst, values = src[order], dst[order], values[order]
    first = np.ones(len(src), bool)
    first[1:] = (src[1:] != src[:-1]) | (dst[1:] != dst[:-1])
    shape = (graph.num_vertices, graph.num_vertices)
    return csr_array((values[first], (src[first], dst[first])), shape=shape)


def counted(graph: Graph, field: str | None = None) -> csr_array:
    """(V, V) float64: parallel arcs added up; each counts 1 without a field."""
    values = np.ones(graph.num_edges) if field is None else graph.edge_fields[field]
    src, dst, values = arcs(graph, values.astype(np.float64))
    shape = (graph.num_vertices, graph.num_vertices)
    return csr_array((values, (src, dst)), shape=shape)


def solved(system: csr_array, right: np.ndarray) -> np.ndarray:
    """The x for which system @ x is `right`: by LAPACK; of large systems, which are sparse and
    would fill up, by GMRES, whose answer is tried."""
    if len(right) <= DENSE:
        return np.linalg.solve(system.toarray(), right)
    found, _ = gmres(system, right, rtol=1e-13, restart=100)
    off = np.linalg.norm(system @ found - right)
    assert off <= 1e-12 * np.linalg.norm(right), f"GMRES found no solution: it is {off:.1e} off"
    return found


def entries(matrix: csr_array, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(n,): the values at those places; SciPy gives a matrix where there are none."""
    return np.asarray(matrix[rows, columns]).ravel() if len(rows) else np.zeros(0)
