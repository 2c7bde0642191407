"""Clusters cut by the lengths of edges, by hand."""

from __future__ import annotations

import numpy as np

from gascl import Graph
from gascl.programs.particle_clusters import by_length


def lengths(edges: list[tuple[int, int, float]], vertices: int) -> list[int]:
    src, dst, length = np.transpose(edges) if edges else np.empty((3, 0))
    graph = Graph.from_edges(
        src.astype(int), dst.astype(int), num_vertices=vertices, directed=False
    )
    found = by_length(graph, length)
    assert found.dtype == np.int32
    return found.tolist()


TRIANGLES = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.5), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)]


def test_by_hand():
    assert lengths([*TRIANGLES, (2, 3, 9.0)], 6) == [0, 0, 0, 1, 1, 1]
    assert lengths([*TRIANGLES, (2, 3, 0.0)], 6) == [0] * 6, "what lies together is not cut"
    assert lengths([(u, v, 0.0) for u, v, _ in TRIANGLES], 6) == [0, 0, 0, 1, 1, 1]
    assert lengths(TRIANGLES, 7) == [0, 0, 0, 1, 1, 1, 2]
    assert lengths([], 3) == [0, 1, 2]
    assert lengths([], 0) == []


def test_small_ones_join_by_their_shortest_edge():
    """6 hangs on 0 and, nearer, on 5; 7 on 6; no edge leads out of 8 and 9."""
    edges = [*TRIANGLES, (2, 3, 9.0), (0, 6, 6.0), (5, 6, 5.0), (6, 7, 7.0), (8, 9, 3.0)]
    assert lengths(edges, 10) == [0, 0, 0, 1, 1, 1, 1, 1, 2, 2]


def test_numbers_are_in_the_order_of_first_vertices():
    turned = [(5 - u, 5 - v, d) for u, v, d in TRIANGLES]
    assert lengths([*turned, (2, 3, 9.0)], 6) == [0, 0, 0, 1, 1, 1]
