"""Local clustering coefficients: of the arcs that the neighbors of a vertex could have among them,
the share that exists.

    coefficient(v) = (arcs between neighbors of v) / (k * (k - 1)),  k neighbors of v

Algorithm: every pair of neighbors with an edge between them closes a triangle. Each triangle is
found once, as in triangles.py, and each of its corners gets the number of arcs, one or two, that
lead along the opposite edge.

Sources: Watts and Strogatz, Collective Dynamics of Small-World Networks (1998); LDBC Graphalytics,
which defines it for directed graphs (LCC); Schank and Wagner, Finding, Counting and Listing all
Triangles in Large Graphs (2005).
"""

import numpy as np

from gascl import VertexProgram, edge, vertex
from gascl.programs.triangles import Count, oriented, pairs_of_neighbors, size_of_oriented


class Corners(Count):
    """Sums up, for each corner of every triangle, the arcs between the other two."""

    ways = edge.int32()
    functions = """
        #define WAYS(edge) (edge)
    """


class LocalClustering(VertexProgram):
    """The local clustering coefficient of every vertex, in `coefficient`: from 0 to 1.

    Neighbors are the vertices at the other ends of arcs in or out, each counted once. In a
    directed graph two neighbors can have two arcs between them, one each way; an undirected edge
    counts as both. Self-loops and parallel edges do not count. A vertex with
    fewer than two neighbors has 0.
    """

    coefficient = vertex.real()

    def solve(self, stages):
        graph, (_, number) = stages.derived(oriented), stages.graph.oriented()
        ways = stages.graph.directed  # otherwise every edge is two arcs
        arcs = stages.run(Corners() if ways else Count(), graph=graph, fresh=True).closed
        possible = pairs_of_neighbors(graph.degree)
        if ways:
            possible *= 2
        found = arcs / np.maximum(possible, 1, out=possible)
        return {"coefficient": found.astype(self.dtype, copy=False)[number]}

    def largest_runs(self, size):
        return 1, size_of_oriented(size)
