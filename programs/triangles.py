"""Triangles: how many each vertex is in, by intersecting the neighbourhoods of each edge's ends.

Vertices are numbered by degree and every edge points upwards, so that a hub has few arcs out of it
and a triangle a -> b -> c, a -> c is found once: c is among those that both a and b point to. Both
lists are sorted; one walk along the two finds what they share. Schank and Wagner, Finding, Counting
and Listing all Triangles in Large Graphs (2005), their `forward`; Latapy, Main-memory Triangle
Computations (2008).

Departure: the degrees count parallel edges and self-loops, which are dropped only then: any order
of the vertices leads to the same counts.
"""

import numpy as np

from gascl import Graph, VertexProgram, param, vertex


class Count(VertexProgram):
    """The triangles of a graph whose arcs lead upwards, and each vertex's pairs of neighbours."""

    supersteps = param.supersteps(1)
    closed = vertex.int64()
    possible = vertex.int64()

    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        // Down to e.dst, which is among its own: all that e.dst points to is above.
        long shared = 0;
        int i = num_neighbors - 1, j = num_neighbors_of(e.dst) - 1;
        for (int a; j >= 0 && (a = neighbor(i)) > e.dst;) {
            const int b = neighbor_of(e.dst, j);
            if (a == b) {
                send_to(a, 1);
                ++shared;
            }
            i -= a >= b;
            j -= b >= a;
        }
        if (shared) {
            send_to(e.src, shared);
            send_to(e.dst, shared);
        }
    """
    apply = """
        const long degree = v.in_degree + v.out_degree;
        v.closed = msg;
        v.possible = degree * (degree - 1) / 2;
    """


class Triangles(VertexProgram):
    """The triangles that each vertex is in, in `triangles` (int64), as NetworkX counts them.

    They are those of the simple graph beneath: direction, self-loops and parallel edges do not
    count. `wedges` (int64) is how many pairs of neighbours a vertex has there. The whole graph has
    `triangles.sum() // 3` triangles, and its transitivity (global clustering) is
    `triangles.sum() / wedges.sum()`.
    """

    triangles = vertex.int64()
    wedges = vertex.int64()

    def solve(self, turns):
        graph = turns.graph
        ends = np.concatenate([graph.edge_src, graph.edge_dst])
        by_degree = np.argsort(np.bincount(ends, minlength=graph.num_vertices), kind="stable")
        rank = np.empty_like(by_degree)
        rank[by_degree] = np.arange(graph.num_vertices)
        a, b = rank[graph.edge_src], rank[graph.edge_dst]
        upwards = Graph.from_edges(
            np.minimum(a, b),
            np.maximum(a, b),
            num_vertices=graph.num_vertices,
            duplicates="first",
            self_loops="drop",
        )
        found = turns.run(Count(), graph=upwards, fresh=True)
        return {"triangles": found.closed[rank], "wedges": found.possible[rank]}
