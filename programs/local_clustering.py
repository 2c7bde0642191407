"""Local clustering: how many of the arcs that a vertex's neighbours could have among them exist.

    coefficient(v) = (arcs between neighbours of v) / (k * (k - 1)),  k neighbours of v

As LDBC Graphalytics defines it (LCC), after Watts and Strogatz, Collective dynamics of small-world
networks (1998). Every triangle a, b, c is found once: edges point from the end of fewer neighbours
to the other, so that hubs have short lists, and the lists of an edge's two ends are merged. Schank
and Wagner, Finding, Counting and Listing all Triangles in Large Graphs (2005), their `forward`.

Departure: each vertex comes twice. An edge leads to vertex 2b + 1 where there are arcs both ways
between its ends, else to 2b, so that a merge sees how many arcs close each corner of a triangle.
"""

import numpy as np

from gascl import Graph, VertexProgram, param, vertex


class LocalClustering(VertexProgram):
    """The local clustering coefficient of every vertex, in `coefficient`: from 0 to 1.

    Neighbours are the vertices at the other ends of arcs in or out, each counted once. In a
    directed graph two neighbours can have two arcs between them, one each way; an undirected edge
    counts as both. Self-loops and parallel edges count as if they were not there. A vertex with
    fewer than two neighbours has 0.
    """

    coefficient = vertex.real()

    def solve(self, turns):
        graph = turns.graph
        n, directed = graph.num_vertices, graph.directed
        simple = Graph.from_edges(
            graph.edge_src, graph.edge_dst, num_vertices=n, directed=directed,
            duplicates="first", self_loops="drop",
        )  # fmt: skip
        ways = np.full(simple.num_edges, 1 if directed else 2, np.int32)
        pairs = Graph.from_edges(
            simple.edge_src, simple.edge_dst, num_vertices=n, directed=False,
            duplicates="sum", ways=ways,
        )  # fmt: skip
        a, b, ways = pairs.edge_src, pairs.edge_dst, pairs.edge_fields["ways"]
        degree = np.bincount(np.append(a, b), minlength=n)
        down = (degree[a] > degree[b]) | ((degree[a] == degree[b]) & (a > b))
        a, b = np.where(down, [b, a], [a, b]).astype(np.int64)
        upwards = Graph.from_edges(2 * a, 2 * b + ways - 1, num_vertices=2 * n)
        corners = Corners(degree=degree.repeat(2), dtype=self.dtype)
        found = turns.run(corners, graph=upwards, fresh=True)
        return {"coefficient": found.coefficient[::2]}


class Corners(VertexProgram):
    """Each corner of a triangle a -> b -> c, a -> c gets the number of arcs between the others."""

    supersteps = param.supersteps(1)
    degree = vertex.int32()
    coefficient = vertex.real()

    message, combine = "int64", "sum"
    scatter_on = "all"
    scatter = """
        const int b = e.dst & ~1, mine = num_neighbors, theirs = num_neighbors_of(b);
        long to_a = 0, to_b = 0;
        for (int i = 0, j = 0; i < mine && j < theirs;) {
            const int ac = neighbor(i), bc = neighbor_of(b, j);  // odd: arcs both ways
            if ((ac | 1) == (bc | 1)) {
                to_a += 1 + (bc & 1);
                to_b += 1 + (ac & 1);
                send_to(ac & ~1, 1 + (e.dst & 1));
            }
            i += ac <= bc;
            j += bc <= ac;
        }
        if (to_a) {
            send_to(v.id, to_a);
            send_to(b, to_b);
        }
    """
    apply = "v.coefficient = (real)msg / ((real)v.degree * (v.degree - 1));"
