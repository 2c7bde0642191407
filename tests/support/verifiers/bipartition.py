"""Sides by a walk from the first vertex of each component, in plain Python."""

from __future__ import annotations

from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import Bipartition


def verify(graph: Graph, result: Result, program: Bipartition) -> None:
    """Raises AssertionError where a vertex is on another side."""
    around: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for u, v in zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True):
        around[u].append(v)
        around[v].append(u)
    side: list[int] = [2] * graph.num_vertices
    for root in range(graph.num_vertices):
        if side[root] != 2:
            continue
        side[root], reached, odd = 0, [root], False
        for v in reached:
            for u in around[v]:
                if side[u] == 2:
                    side[u] = 1 - side[v]
                    reached.append(u)
                odd |= side[u] == side[v]
        if odd:
            for v in reached:
                side[v] = -1
    agree(graph, "side", result.side, side)
