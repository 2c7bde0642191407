"""Eccentricities by words of 64 searches in NumPy: of all vertices, in components of many vertices
of those that can prove the diameter and the radius."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from support.verifiers.compare import agree
from support.verifiers.distances import matrix_of

from gascl import Graph, Result
from gascl.programs import Diameter

#: Vertices of a component all of which are searched from.
MANY = 4096


def verify(graph: Graph, result: Result, program: Diameter) -> None:
    """Raises AssertionError where a component has another diameter or radius."""
    matrix = matrix_of(graph)
    _, component = connected_components(matrix, directed=False)
    size = np.bincount(component)[component]
    largest, least = np.zeros(graph.num_vertices, np.int64), np.full(graph.num_vertices, MANY)
    some = np.flatnonzero((size > 1) & (size <= MANY))
    far = farthest(matrix, some)
    np.maximum.at(largest, component[some], far)
    np.minimum.at(least, component[some], far)
    least[component[size == 1]] = 0
    for number in np.unique(component[size > MANY]):
        within = np.flatnonzero(component == number)
        first = within[0]
        whole = int(result.diameter[first]), int(result.radius[first])
        prove(matrix, within, *whole)
        largest[number], least[number] = whole
    agree(graph, "diameter", result.diameter, largest[component])
    agree(graph, "radius", result.radius, least[component])


def levels(matrix: csr_array, sources: np.ndarray) -> Iterator[np.ndarray]:
    """uint64 (V,), after each level: a bit for each of up to 64 sources that has newly come."""
    seen = np.zeros(matrix.shape[0], np.uint64)
    seen[sources] = np.uint64(1) << np.arange(len(sources), dtype=np.uint64)
    rows = np.flatnonzero(np.diff(matrix.indptr))
    while True:
        come = np.zeros_like(seen)
        come[rows] = np.bitwise_or.reduceat(seen[matrix.indices], matrix.indptr[rows])
        come &= ~seen
        if not come.any():
            return
        seen |= come
        yield come


def farthest(matrix: csr_array, vertices: np.ndarray) -> np.ndarray:
    """int64 (n,): the eccentricity of each of the vertices."""
    found = np.zeros(len(vertices), np.int64)
    for begin in range(0, len(vertices), 64):
        part = found[begin : begin + 64]
        for number, come in enumerate(levels(matrix, vertices[begin : begin + 64]), 1):
            bits = np.bitwise_or.reduce(come) >> np.arange(len(part), dtype=np.uint64)
            part[(bits & np.uint64(1)) > 0] = number
    return found


def prove(matrix: csr_array, within: np.ndarray, diameter: int, radius: int) -> None:
    """Of two vertices at the distance of the diameter, one is at least half as far from any third
    vertex, here the one with most neighbors. No vertex is nearer to the farthest than to others
    that are far."""
    hub = within[np.argmax(np.diff(matrix.indptr)[within])]
    depth = np.zeros(matrix.shape[0], np.int64)
    for number, come in enumerate(levels(matrix, np.array([hub])), 1):
        depth[come > 0] = number
    outer = within[2 * depth[within] > diameter]
    longest = farthest(matrix, outer).max(initial=0)
    if longest < diameter:
        longest = farthest(matrix, within[2 * depth[within] == diameter]).max(initial=0)
    assert longest == diameter, f"a component has a diameter of {longest}, not {diameter}"
    far, bound = within[np.argsort(-depth[within], kind="stable")[:64]], np.zeros(len(depth))
    for number, come in enumerate(levels(matrix, far), 1):
        bound[come > 0] = number
    nearer = farthest(matrix, within[bound[within] < radius])
    assert nearer.min(initial=radius) == radius, f"a component has a radius below {radius}"
    central = within[bound[within] <= radius]
    central = central[np.argsort(depth[central], kind="stable")]
    parts = range(0, len(central), 64)
    assert any(radius in farthest(matrix, central[at : at + 64]) for at in parts), (
        f"no vertex has an eccentricity of {radius}"
    )
