"""Local clustering coefficients: of the arcs that the neighbors of a vertex could have among them,
the share that exists.

    coefficient(v) = (arcs between neighbors of v) / (k * (k - 1)),  k neighbors of v

Algorithm: every pair of neighbors with an edge between them closes a triangle. Each triangle is
found once, as in triangles.py, and each of its corners gets the number of arcs, one or two, that
lead along the opposite edge.

Sources: Watts and Strogatz, Collective Dynamics of Small-World Networks (1998); LDBC Graphalytics,
which defines it for directed graphs (LCC); Schank and Wagner, Finding, Counting and Listing all
Triangles in Large Graphs (2005).

Differences: a row of neighbors has ids alone, so that the direction of an arc is written into the
id: in the row of vertex v, vertex u is 2u where an arc leads to it, and 2u + 1 where one comes from
it; where there is an arc each way, it is both.
"""

from dataclasses import replace

import numpy as np

from gascl import Graph, VertexProgram, vertex
from gascl.programs.triangles import Count, in_order


class Corners(Count):
    """Sums up, for each corner of every triangle, the arcs between the other two.

    Each vertex v is two: 2v, which has the row and takes the messages, and 2v + 1.
    """

    edges = "out"
    functions = """
        #define VERTEX(entry) ((entry) & ~1)
        #define WAYS(entries) (entries)
    """


class LocalClustering(VertexProgram):
    """The local clustering coefficient of every vertex, in `coefficient`: from 0 to 1.

    Neighbors are the vertices at the other ends of arcs in or out, each counted once. In a
    directed graph two neighbors can have two arcs between them, one each way; an undirected edge
    counts as both. Self-loops and parallel edges count as if they were not there. A vertex with
    fewer than two neighbors has 0.
    """

    coefficient = vertex.real()

    def solve(self, stages):
        graph, number = in_order(stages.graph)
        if graph.directed:
            src, dst = (2 * ends.astype(np.int64) for ends in (graph.edge_src, graph.edge_dst))
            doubled = Graph.from_edges(
                np.concatenate([src, dst]),
                np.concatenate([dst, src + 1]),
                num_vertices=2 * graph.num_vertices,
            )
            found = stages.run(Corners(), graph=doubled, fresh=True)
            arcs, pairs = found.closed[::2], found.neighbor_pairs[::2]
        else:  # every edge is two arcs
            found = stages.run(Count(), graph=graph, fresh=True)
            arcs, pairs = 2 * found.closed, found.neighbor_pairs
        return {"coefficient": (arcs / np.maximum(2 * pairs, 1))[number]}

    def largest_runs(self, size):
        if size.directed:  # two vertices for each, and as many arcs as if it were undirected
            size = replace(size, num_vertices=2 * size.num_vertices, directed=False, num_loops=0)
        return 1, size
