"""Local clustering coefficients: of the arcs that the neighbours of a vertex could have among them,
the share that exists.

    coefficient(v) = (arcs between neighbours of v) / (k * (k - 1)),  k neighbours of v

Algorithm: every pair of neighbours with an edge between them closes a triangle. Each triangle a, b,
c is found once, in the graph whose edges lead from the end of lower degree to the other: for an
edge a -> b, both lists of out-neighbours are merged, and c is in both. Each corner then gets the
number of arcs, one or two, that the opposite edge stands for.

Sources: Watts and Strogatz, Collective Dynamics of Small-World Networks (1998); LDBC Graphalytics,
which defines it for directed graphs (LCC); Schank and Wagner, Finding, Counting and Listing all
Triangles in Large Graphs (2005), the algorithm `forward`.

Differences: that an edge stands for two arcs is written into the id of the vertex to which it
leads, because a merge sees ids alone: vertex c is 2c where one arc leads to it and 2c + 1 where two
do.
"""

import numpy as np

from gascl import Graph, VertexProgram, param, vertex


class Corners(VertexProgram):
    """Sums up, for each corner of every triangle, the arcs between the other two.

    Each vertex c is two: 2c, which has its out-arcs and takes its messages, and 2c + 1.
    """

    supersteps = param.supersteps(1)
    degree = vertex.int32()
    coefficient = vertex.real()

    message, combine = "int64", "sum"
    scatter_on = "all"
    functions = """
        #define VERTEX(end) ((end) & ~1)
        #define ARCS(end) (1 + ((end) & 1))
    """
    scatter = """
        const int a = v.id, b = VERTEX(e.dst);
        long between_b_c = 0, between_a_c = 0;
        for (int i = 0, j = 0; i < num_neighbors && j < num_neighbors_of(b);) {
            const int from_a = neighbor(i), from_b = neighbor_of(b, j);
            if (VERTEX(from_a) == VERTEX(from_b)) {
                between_b_c += ARCS(from_b);
                between_a_c += ARCS(from_a);
                send_to(VERTEX(from_a), ARCS(e.dst));
            }
            i += from_a <= from_b;
            j += from_b <= from_a;
        }
        if (between_b_c) {
            send_to(a, between_b_c);
            send_to(b, between_a_c);
        }
    """
    apply = "v.coefficient = (real)msg / ((real)v.degree * (v.degree - 1));"


class LocalClustering(VertexProgram):
    """The local clustering coefficient of every vertex, in `coefficient`: from 0 to 1.

    Neighbours are the vertices at the other ends of arcs in or out, each counted once. In a
    directed graph two neighbours can have two arcs between them, one each way; an undirected edge
    counts as both. Self-loops and parallel edges count as if they were not there. A vertex with
    fewer than two neighbours has 0.
    """

    coefficient = vertex.real()

    def solve(self, stages):
        edges = with_arcs(stages.graph.simple())
        upwards, rank = edges.oriented()
        doubled = Graph.from_edges(
            2 * upwards.edge_src.astype(np.int64),
            2 * upwards.edge_dst.astype(np.int64) + upwards.edge_fields["arcs"] - 1,
            num_vertices=2 * upwards.num_vertices,
        )
        degree = upwards.in_degree + upwards.out_degree
        corners = Corners(degree=degree.repeat(2), dtype=self.dtype)
        found = stages.run(corners, graph=doubled, fresh=True)
        return {"coefficient": found.coefficient[2 * rank]}


def with_arcs(simple):
    """The undirected graph with an edge for all arcs between two vertices; `arcs` says how many."""
    arcs = np.full(simple.num_edges, 1 if simple.directed else 2, np.int32)
    return Graph.from_edges(
        simple.edge_src,
        simple.edge_dst,
        num_vertices=simple.num_vertices,
        directed=False,
        duplicates="sum",
        arcs=arcs,
    )
