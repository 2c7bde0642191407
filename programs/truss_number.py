"""Truss numbers: the truss number of an edge is the largest k for which it is in a k-truss, a
subgraph in which every edge is in at least k - 2 triangles.

Algorithm: every edge has a bound, at first its triangles + 2. It falls to the largest k for which
k - 2 of the edge's triangles have two other edges with bounds of k or more. Whenever it has fallen,
the edges of these triangles look again. Where no bound falls any more, they are the truss numbers.
Triangles are found by looking up the entries of the shorter one of two rows in the other one.

Sources: Cohen, Trusses: Cohesive Subgraphs for Social Network Analysis (2008); Sariyüce, Seshadhri
and Pinar, Local Algorithms for Hierarchical Dense Subgraph Discovery (2018), bounds that fall.

Differences: an edge is looked at by a vertex of its number, since rows hold ids alone: the stage
runs on a graph with as many vertices as there are arcs.
"""

import numpy as np

from gascl import VertexProgram, arc, vertex
from gascl.programs.pair_join import joined_pairs, size_with_places, with_places


class Bounds(VertexProgram):
    """The truss number of pair v.id, which joins `one` and `other`."""

    begin = vertex.int32(doc="the place of the vertex's first arc")
    pair = vertex.int32(doc="that of the arc at this place")
    one = vertex.int32(doc="-1: there is no such pair")
    other = vertex.int32()
    truss = vertex.int32(init="INT_MAX")

    apply_on = "mask"
    mask = "v.one >= 0"
    apply = """
        const bool shorter = num_neighbors_of(v.one) <= num_neighbors_of(v.other);
        const int row = shorter ? v.one : v.other, longer = shorter ? v.other : v.one;
        const int begin = begin_of(row), begin_of_longer = begin_of(longer);
        const int size = num_neighbors_of(row), size_of_longer = num_neighbors_of(longer);
        int low = 2, high = min(v.truss, size + 1);  // the new bound is between these
        bool fallen = false;
        for (;;) {
            if (low == high) {
                if (low == v.truss)
                    return;
                v.truss = low;
                fallen = true;  // a last time, to tell the others
            }
            const int middle = high - (high - low) / 2;
            int triangles = 0;
            for (int k = 0; k < size; ++k) {
                const int w = neighbor_of(row, k);
                int first = 0, last = size_of_longer;
                while (first < last) {
                    const int center = first + (last - first) / 2;
                    if (neighbor_of(longer, center) < w)
                        first = center + 1;
                    else
                        last = center;
                }
                if (first == size_of_longer || neighbor_of(longer, first) != w)
                    continue;
                const int a = pair_of(begin + k), b = pair_of(begin_of_longer + first);
                if (!fallen) {
                    triangles += min(truss_of(a), truss_of(b)) >= middle;
                    continue;
                }
                if (truss_of(a) > low)
                    set_mask_of(a);
                if (truss_of(b) > low)
                    set_mask_of(b);
            }
            if (fallen)
                return;
            if (triangles >= middle - 2)
                low = middle;
            else
                high = middle - 1;
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
        rows, begin = with_places(pairs)
        place, one, other = (np.full(rows.num_vertices, -1, np.int32) for _ in range(3))
        place[: pairs.num_arcs] = pairs.arcs().out_edges
        one[: pairs.num_edges], other[: pairs.num_edges] = pairs.edge_src, pairs.edge_dst
        program = Bounds(begin=begin, pair=place, one=one, other=other)
        found = stages.run(program, graph=rows, fresh=True).truss
        truss = np.where(pair < 0, 0, found[pair])
        return {"truss": truss[graph.arcs().out_edges]}

    def largest_runs(self, size):
        return 1, size_with_places(size)
