"""Local clustering coefficients that count triangles by weights and directions.

    coefficient(v) = sum over triangles v, u, w of s(v, u) * s(u, w) * s(w, v) / P(v)

where s(u, w) is the sum, over the arcs between u and w, of the cube root of weight / largest
weight. In an undirected graph, P(v) = k * (k - 1) / 2 is the number of pairs of the k neighbors,
and a triangle counts by the geometric mean of its three weights. In a directed one, P(v) is the
number of directed triangles that there could be: d * (d - 1) - 2 * b, where d is the number of arcs
in and out, and b that of neighbors with an arc each way.

Algorithm: a work-item takes a vertex, and for each neighbor looks up the entries of the shorter
one of their two rows in the other one by bisection.

Sources: Onnela, Saramäki, Kertész and Kaski, Intensity and Coherence of Motifs in Weighted Complex
Networks (2005); Fagiolo, Clustering in Complex Directed Networks (2007).

Differences: rows hold ids alone, and values of arcs are of no other vertex's concern; so the stage
runs on a graph with as many vertices as there are arcs, and s is a field of the vertex that has the
number of the arc's place.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, edge, param, vertex
from gascl.programs.pair_join import joined_pairs, size_with_places, with_places


class Intensities(VertexProgram):
    """The sum over the triangles of each vertex."""

    supersteps = param.supersteps(1)
    begin = vertex.int32(doc="the place of the vertex's first arc")
    value = vertex.real(doc="that of the arc at this place")
    total = vertex.real()

    scatter_on = apply_on = "all"
    apply = """
        real total = 0;
        for (int i = 0; i < num_neighbors; ++i) {
            const int u = neighbor(i);
            const bool mine = num_neighbors <= num_neighbors_of(u);
            const int row = mine ? v.id : u, other = mine ? u : v.id;
            const int begin = begin_of(row), begin_of_other = begin_of(other);
            const int size = num_neighbors_of(row), size_of_other = num_neighbors_of(other);
            real sum = 0;
            for (int k = 0; k < size; ++k) {
                const int w = neighbor_of(row, k);
                if (w <= u || w == v.id)  // each pair once
                    continue;
                int low = 0, high = size_of_other;
                while (low < high) {
                    const int middle = low + (high - low) / 2;
                    if (neighbor_of(other, middle) < w)
                        low = middle + 1;
                    else
                        high = middle;
                }
                if (low < size_of_other && neighbor_of(other, low) == w)
                    sum += value_of(begin + k) * value_of(begin_of_other + low);
            }
            total += sum * value_of(v.begin + i);
        }
        v.total = total;
    """


class WeightedClustering(VertexProgram):
    """The clustering coefficient of every vertex by the edge field `weight` and by directions, in
    `coefficient`, as NetworkX's `clustering` with `weight=`, and of directed graphs.

    Weights are finite, and the largest is above 0; a graph without the field has 1 each, where an
    undirected graph has the coefficients of `LocalClustering`. Self-loops do not count, except for
    the largest weight; of parallel edges the first counts. A vertex without possible triangles has
    0.
    """

    weight = edge.float64(default=1, finite=True)
    coefficient = vertex.real()

    def solve(self, stages):
        graph, count = stages.graph, stages.graph.num_vertices
        simple = graph.simple()
        pairs, pair = joined_pairs(simple)
        strength = np.bincount(pair, self.roots(graph, simple), pairs.num_edges)
        ways = np.bincount(pair, minlength=pairs.num_edges)  # the arcs there are, one or two
        rows, begin = with_places(pairs)
        value = np.zeros(rows.num_vertices)
        value[: pairs.num_arcs] = strength[pairs.arcs().out_edges]
        program = Intensities(begin=begin, value=value, dtype=self.dtype)
        total = stages.run(program, graph=rows, fresh=True).total[:count].astype(np.float64)
        ends = np.concatenate([pairs.edge_src, pairs.edge_dst])
        degree = np.bincount(ends, np.tile(ways, 2), count)
        ordered = degree * (degree - 1)
        if graph.directed:
            possible: np.ndarray = ordered - 2 * np.bincount(ends, np.tile(ways == 2, 2), count)
        else:
            possible = ordered / 2
        return {"coefficient": np.divide(total, possible, out=total * 0, where=possible > 0)}

    def largest_runs(self, size):
        return 1, size_with_places(size)

    def roots(self, graph, simple):
        """The cube roots of the weights of the simple graph, as shares of the largest one."""
        if "weight" not in graph.edge_fields or not graph.num_edges:
            return np.ones(simple.num_edges)
        weights = graph.edge_fields["weight"].astype(np.float64)
        if not weights.max() > 0:
            why = f"the largest weight must be above 0, but is {weights.max()}: change the weights"
            raise ProgramError(self.title(), f": {why}")
        return np.cbrt(simple.edge_fields["weight"] / weights.max())
