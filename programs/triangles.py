"""Triangles: how many each vertex is in.

Algorithm: every edge is directed from the vertex of lower degree to the other, so that no row is
long. Each arc visits the vertices to which arcs lead from both of its ends. Such a vertex is the
corner of highest degree, so that each triangle is found once: by the arc between the other two.

Sources: Chiba and Nishizeki, Arboricity and Subgraph Listing Algorithms (1985); Schank and Wagner,
Finding, Counting and Listing all Triangles in Large Graphs (2005), the algorithm `forward`; Beamer,
Asanovic and Patterson, The GAP Benchmark Suite (2015).

Differences: GAP counts the triangles of the graph, not those of each vertex.
"""

from dataclasses import replace

import numpy as np

from gascl import VertexProgram, param, vertex


class Count(VertexProgram):
    """How many triangles each vertex of an oriented graph is in.

    WAYS is for LocalClustering: what a triangle counts for a corner by the edge opposite to it.
    """

    supersteps = param.supersteps(1)
    closed = vertex.int64()

    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    functions = """
        #define WAYS(edge) 1
    """
    scatter = """
        int of_source = 0, of_target = 0;
        for_common(w, e.src, e.dst) {
            send_to(w, WAYS(e.ways));
            of_source += WAYS(ways_from_second(w));
            of_target += WAYS(ways_from_first(w));
        }
        if (of_target) {
            send_to(e.src, of_source);
            send(of_target);
        }
    """
    apply = "v.closed = msg;"


class Triangles(VertexProgram):
    """The triangles that each vertex is in, in `triangles` (int64), as NetworkX counts them.

    They are those of the underlying simple graph: direction, self-loops and parallel edges do not
    count. `wedges` (int64) is how many pairs of neighbors a vertex has there. The whole graph has
    `triangles.sum() // 3` triangles, and its transitivity (global clustering) is
    `triangles.sum() / wedges.sum()`.
    """

    triangles = vertex.int64()
    wedges = vertex.int64()

    def solve(self, stages):
        graph, (_, number) = stages.derived(oriented), stages.graph.oriented()
        found = stages.run(Count(), graph=graph, fresh=True)
        wedges = pairs_of_neighbors(graph.degree[number])
        return {"triangles": found.closed[number], "wedges": wedges}

    def largest_runs(self, size):
        return 1, size_of_oriented(size)


def oriented(graph):
    """The graph of `Graph.oriented`, which `stages.derived` keeps on the device."""
    return graph.oriented()[0]


def size_of_oriented(size):
    """The size of an oriented graph, where no edges are parallel."""
    return replace(size, directed=True, num_loops=0)


def pairs_of_neighbors(degree):
    """int64 (V,): how many pairs of neighbors each vertex of a simple graph has."""
    pairs = np.multiply(degree, degree - 1, dtype=np.int64)
    pairs >>= 1
    return pairs
