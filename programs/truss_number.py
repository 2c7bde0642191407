"""Truss numbers: the truss number of an edge is the largest k for which it is in a k-truss, a
subgraph in which every edge is in at least k - 2 triangles.

Algorithm: peeling. Those edges are removed that are in the fewest triangles, and with them these
triangles, of which the others have so many fewer. The number of triangles in which an edge was when
it was removed, or the largest one before if that is more, is its truss number - 2.

Sources: Cohen, Trusses: Cohesive Subgraphs for Social Network Analysis (2008); Kabir and Madduri,
Parallel k-Truss Decomposition on Multicore Systems (2017), who remove all edges of a round at once.

Differences: an edge is looked at by a vertex of its number, so that the stage runs on a graph with
as many vertices as there are edges, if these are more.
"""

from dataclasses import replace

import numpy as np

from gascl import Graph, VertexProgram, aggregate, arc, edge, vertex
from gascl.programs.pair_join import joined_pairs


class Peeling(VertexProgram):
    """The truss number of pair v.id, which joins `one` and `other`.

    In even supersteps the pairs learn which triangles they have lost, and in odd ones those with
    the fewest are removed.
    """

    pair = edge.int32(doc="the number of the edge")
    one = vertex.int32()
    other = vertex.int32(doc="-1: there is no such pair")
    left = vertex.int32(init="v.other < 0 ? -1 : 0", doc="triangles; -1: the pair is removed")
    truss = vertex.int32(init=2, doc="at least, until it is removed")
    level = aggregate.int32("min")

    message, combine = "int32", "sum"
    mask, apply_on, ends = "v.id < 0", "all", "stop"  # no vertex scatters
    stop = "superstep % 2 == 0 && agg.level == INT_MAX"  # no pair is left
    apply = """
        if (v.left < 0)
            return;
        if (superstep % 2 == 0) {
            v.left += superstep ? -msg : common(v.one, v.other);
            aggregate_level(max(v.left, v.truss - 2));
            return;
        }
        v.truss = prev.level + 2;
        if (v.left > prev.level)
            return;
        v.left = -1;
        for_common(w, v.one, v.other) {
            const int a = pair_from_first(w), b = pair_from_second(w);
            if (left_of(a) < 0 || left_of(b) < 0)
                continue;
            const bool keeps_a = left_of(a) > prev.level, keeps_b = left_of(b) > prev.level;
            if ((!keeps_a && a < v.id) || (!keeps_b && b < v.id))
                continue;  // that one is removed, too, and tells the others
            if (keeps_a)
                send_to(a, 1);
            if (keeps_b)
                send_to(b, 1);
        }
    """


class TrussNumber(VertexProgram):
    """The truss number of every edge, in the arc field `truss` (int32): an undirected edge's two
    arcs have the same.

    Edges of a k-truss are those with k or more; an edge in no triangle has 2. Direction and
    parallel edges make no difference; a self-loop has 0.
    """

    truss = arc.int32()

    def solve(self, stages):
        graph = stages.graph
        pairs, pair = joined_pairs(graph)
        count = pairs.num_edges
        size = max(pairs.num_vertices, count)
        one, other = np.full((2, size), -1, np.int32)
        one[:count], other[:count] = ends = pairs.edge_src, pairs.edge_dst
        number = np.arange(count, dtype=np.int32)
        rows = Graph.from_edges(*ends, num_vertices=size, directed=False, pair=number)
        found = stages.run(Peeling(one=one, other=other), graph=rows, fresh=True).truss
        truss = np.where(pair < 0, 0, found[pair])
        return {"truss": truss[graph.arcs().out_edges]}

    def largest_runs(self, size):
        vertices = max(size.num_vertices, size.num_edges)
        return 1, replace(size, num_vertices=vertices, directed=False, num_loops=0)
