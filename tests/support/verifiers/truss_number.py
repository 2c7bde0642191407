"""Truss numbers by peeling, edge by edge, with sets in plain Python."""

from __future__ import annotations

import numpy as np

from gascl import Graph, Result
from gascl.programs import TrussNumber


def verify(graph: Graph, result: Result, program: TrussNumber) -> None:
    """Raises AssertionError where the truss number of an arc is another."""
    around: list[set[int]] = [set() for _ in range(graph.num_vertices)]
    for u, v in zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True):
        if u != v:
            around[u].add(v)
            around[v].add(u)
    left = {(u, v): len(around[u] & around[v]) for u in range(len(around)) for v in around[u]}
    truss, k = {}, 2
    while left:
        low = [edge for edge, triangles in left.items() if triangles <= k - 2]
        if not low:
            k += 1
        for u, v in low:
            if (u, v) not in left:
                continue
            for w in around[u] & around[v]:
                for edge in ((u, w), (w, u), (v, w), (w, v)):
                    left[edge] -= 1
            around[u].discard(v)
            around[v].discard(u)
            for edge in ((u, v), (v, u)):
                del left[edge]
                truss[edge] = k
    src, dst = graph.coo()
    expected = [truss.get(ends, 0) for ends in zip(src.tolist(), dst.tolist(), strict=True)]
    found = result.arc_fields["truss"]
    assert found.dtype == np.int32
    wrong = np.flatnonzero(found != np.array(expected, np.int32))
    assert not len(wrong), f"truss of arc {wrong[:1]} is wrong, of {len(wrong)} such"
