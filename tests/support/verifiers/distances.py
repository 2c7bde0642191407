"""Distances from sources, in arcs, by SciPy; and which vertices a `param.vertices` means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from support.verifiers.matrices import least

from gascl import Graph


def sources_of(graph: Graph, wanted: int | list | None, seed: int) -> np.ndarray:
    """Indices of the vertices asked for; a number is drawn as docs say."""
    if wanted is None:
        return np.arange(graph.num_vertices)
    if isinstance(wanted, list):
        return np.array([graph.index_of(label) for label in wanted])
    return np.random.RandomState(seed).permutation(graph.num_vertices)[:wanted]


def begun_at(graph: Graph, program: Any) -> np.ndarray:
    """Indices of the `source` of a program, or of its `sources`."""
    labels = [program.source] if program.sources is None else program.sources
    return np.array([graph.index_of(label) for label in labels])


def matrix_of(graph: Graph) -> csr_array:
    """A one wherever there is an arc or several."""
    src, dst = graph.edge_src, graph.edge_dst
    if not graph.directed:
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    n = graph.num_vertices
    matrix = csr_array((np.ones(len(src), np.int64), (src, dst)), shape=(n, n))
    matrix.data[:] = 1
    return matrix


def distances(
    graph: Graph, sources: np.ndarray, weight: str | None = None, backwards: bool = False
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Some sources, and the distance from each of them to each vertex (or backwards: to each of
    them from each vertex); infinite without a path."""
    matrix = matrix_of(graph) if weight is None else least(graph, weight)
    matrix = matrix.T.tocsr() if backwards else matrix
    for begin in range(0, len(sources), 64):
        some = sources[begin : begin + 64]
        way = dijkstra(matrix, unweighted=weight is None, indices=some)
        yield some, np.atleast_2d(way)
