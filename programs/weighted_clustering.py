"""Local clustering coefficients that count triangles by weights and directions.

    coefficient(v) = sum over triangles v, u, w of s(v, u) * s(u, w) * s(w, v) / P(v)

where s(u, w) is the sum, over the arcs between u and w, of the cube root of weight / largest
weight. In an undirected graph, P(v) = k * (k - 1) / 2 is the number of pairs of the k neighbors,
and a triangle counts by the geometric mean of its three weights. In a directed one, P(v) is the
number of directed triangles that there could be: d * (d - 1) - 2 * b, where d is the number of arcs
in and out, and b that of neighbors with an arc each way.

Algorithm: each arc visits the common neighbors of its two ends. A vertex adds up what its arcs have
found: every triangle twice, by both of its arcs there.

Sources: Onnela, Saramäki, Kertész and Kaski, Intensity and Coherence of Motifs in Weighted Complex
Networks (2005); Fagiolo, Clustering in Complex Directed Networks (2007).
"""

from dataclasses import replace

import numpy as np

from gascl import ProgramError, VertexProgram, edge, param, vertex
from gascl.programs.pair_join import joined_pairs


class Intensities(VertexProgram):
    """The sum over the triangles of each vertex, of a graph of pairs."""

    supersteps = param.supersteps(1)
    strength = edge.real()
    total = vertex.real()

    message, combine, edges = "real", "sum", "both"
    scatter_on = "all"
    scatter = """
        real sum = 0;
        for_common(w, e.src, e.dst)
            sum += strength_from_first(w) * strength_from_second(w);
        send(sum * e.strength);
    """
    apply = "v.total = msg / 2;"


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
        joined = pairs.with_fields(strength=strength)
        total = stages.run(Intensities(dtype=self.dtype), graph=joined, fresh=True).total
        total = total.astype(np.float64)
        ends = np.concatenate([pairs.edge_src, pairs.edge_dst])
        degree = np.bincount(ends, np.tile(ways, 2), count)
        ordered = degree * (degree - 1)
        if graph.directed:
            possible: np.ndarray = ordered - 2 * np.bincount(ends, np.tile(ways == 2, 2), count)
        else:
            possible = ordered / 2
        return {"coefficient": np.divide(total, possible, out=total * 0, where=possible > 0)}

    def largest_runs(self, size):
        return 1, replace(size, directed=False, num_loops=0)

    def roots(self, graph, simple):
        """The cube roots of the weights of the simple graph, as shares of the largest one."""
        if "weight" not in graph.edge_fields or not graph.num_edges:
            return np.ones(simple.num_edges)
        weights = graph.edge_fields["weight"].astype(np.float64)
        if not weights.max() > 0:
            why = f"the largest weight must be above 0, but is {weights.max()}: change the weights"
            raise ProgramError(self.title(), f": {why}")
        return np.cbrt(simple.edge_fields["weight"] / weights.max())
