"""Triangles: how many each vertex is in.

Algorithm: vertices are numbered by degree and every edge leads to the higher number, so that hubs
have few out-arcs and each triangle a -> b -> c, a -> c is found once: for an edge a -> b, c is
among the out-neighbours of both. These lists are sorted, and one walk along the two finds what they
share.

Sources: Schank and Wagner, Finding, Counting and Listing all Triangles in Large Graphs (2005), the
algorithm `forward`; Latapy, Main-memory Triangle Computations (2008).
"""

from gascl import VertexProgram, param, vertex


class Count(VertexProgram):
    """The triangles of an oriented graph, and each vertex's pairs of neighbours."""

    supersteps = param.supersteps(1)
    closed = vertex.int64(doc="pairs of neighbours that an edge joins: triangles")
    possible = vertex.int64(doc="pairs of neighbours")

    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        // From the last out-neighbours down to b itself: those of b are all above it.
        const int b = e.dst;
        long shared = 0;
        int i = num_neighbors - 1, j = num_neighbors_of(b) - 1;
        for (int from_a; j >= 0 && (from_a = neighbor(i)) > b;) {
            const int from_b = neighbor_of(b, j);
            if (from_a == from_b) {
                send_to(from_a, 1);
                ++shared;
            }
            i -= from_a >= from_b;
            j -= from_b >= from_a;
        }
        if (shared) {
            send_to(e.src, shared);
            send_to(b, shared);
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

    def solve(self, stages):
        upwards, rank = stages.graph.simple(undirected=True).oriented()
        found = stages.run(Count(), graph=upwards, fresh=True)
        return {"triangles": found.closed[rank], "wedges": found.possible[rank]}
