"""A spanning forest by Kruskal's algorithm, edge by edge in the order of weights."""

from __future__ import annotations

import numpy as np
from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import SpanningForest


def verify(graph: Graph, result: Result, program: SpanningForest) -> None:
    """Raises AssertionError where an edge or a tree is another."""
    weight = graph.edge_fields.get("weight", np.ones(graph.num_edges)).tolist()
    sign = -1 if program.maximum else 1
    first = list(range(graph.num_vertices))

    def root(v: int) -> int:
        while first[v] != v:
            first[v] = first[first[v]]
            v = first[v]
        return v

    member = np.zeros(graph.num_edges, np.int8)
    for e in sorted(range(graph.num_edges), key=lambda e: (sign * weight[e], e)):
        a, b = root(int(graph.edge_src[e])), root(int(graph.edge_dst[e]))
        if a != b:
            first[max(a, b)] = min(a, b)
            member[e] = 1
    agree(graph, "tree", result.tree, [root(v) for v in range(graph.num_vertices)])
    found = result.arc_fields["member"]
    wrong = np.flatnonzero(found != member[graph.arcs().out_edges])
    assert not len(wrong), f"member of arc {wrong[:1]} is wrong, of {len(wrong)} such"
    assert found.dtype == np.int8
