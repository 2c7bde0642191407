"""Local clustering coefficients: of the arcs that the neighbours of a vertex could have among them,
the share that exists.

    coefficient(v) = (arcs between neighbours of v) / (k * (k - 1)),  k neighbours of v

Algorithm: every pair of neighbours with an edge between them closes a triangle. Each triangle is
found once, as in triangles.py, and each of its corners gets the number of arcs, one or two, that
the opposite edge stands for.

Sources: Watts and Strogatz, Collective Dynamics of Small-World Networks (1998); LDBC Graphalytics,
which defines it for directed graphs (LCC); Schank and Wagner, Finding, Counting and Listing all
Triangles in Large Graphs (2005).

Differences: that an edge stands for two arcs is written into the id of the vertex to which it
leads, because a row of neighbours has ids alone: vertex c is 2c where one arc leads to it and
2c + 1 where two do.
"""

import numpy as np

from gascl import Graph, VertexProgram, vertex
from gascl.programs.triangles import Count


class Corners(Count):
    """Sums up, for each corner of every triangle, the arcs between the other two.

    Each vertex c is two: 2c, which has its out-arcs and takes its messages, and 2c + 1.
    """

    functions = """
        #define VERTEX(end) ((end) & ~1)
        #define WAYS(end) (1 + ((end) & 1))
    """


class LocalClustering(VertexProgram):
    """The local clustering coefficient of every vertex, in `coefficient`: from 0 to 1.

    Neighbours are the vertices at the other ends of arcs in or out, each counted once. In a
    directed graph two neighbours can have two arcs between them, one each way; an undirected edge
    counts as both. Self-loops and parallel edges count as if they were not there. A vertex with
    fewer than two neighbours has 0.
    """

    coefficient = vertex.real()

    def solve(self, stages):
        upwards, number = stages.graph.oriented()
        if stages.graph.directed:
            doubled = Graph.from_edges(
                2 * upwards.edge_src.astype(np.int64),
                2 * upwards.edge_dst.astype(np.int64) + upwards.edge_fields["ways"] - 1,
                num_vertices=2 * upwards.num_vertices,
            )
            arcs = stages.run(Corners(), graph=doubled, fresh=True).closed[::2]
            degree = doubled.out_degree[::2] + doubled.in_degree[::2] + doubled.in_degree[1::2]
        else:  # every edge is two arcs
            arcs = 2 * stages.run(Count(), graph=upwards, fresh=True).closed
            degree = upwards.out_degree + upwards.in_degree
        degree = degree.astype(np.int64)
        return {"coefficient": (arcs / np.maximum(degree * (degree - 1), 1))[number]}
