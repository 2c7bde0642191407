"""Local clustering coefficients that count triangles by weights and directions.

    coefficient(v) = sum over triangles v, u, w of s(v, u) * s(u, w) * s(w, v) / P(v)

where s(u, w) is the sum, over the arcs between u and w, of the cube root of weight / largest
weight. In an undirected graph, P(v) = k * (k - 1) / 2 is the number of pairs of the k neighbors,
and a triangle counts by the geometric mean of its three weights. In a directed one, P(v) is the
number of directed triangles that there could be: d * (d - 1) - 2 * b, where d is the number of arcs
in and out, and b that of neighbors with an arc each way.

Algorithm: for each pair of neighbors, one of the two arcs visits their common neighbors, and both
ends add up what it has found: every triangle twice, by the two arcs that a vertex has in it. If
several ranks have a part of the arcs each, both arcs do so.

Sources: Onnela, Saramäki, Kertész and Kaski, Intensity and Coherence of Motifs in Weighted Complex
Networks (2005); Fagiolo, Clustering in Complex Directed Networks (2007).
"""

from dataclasses import replace

import numpy as np

from gascl import Graph, ProgramError, VertexProgram, edge, param, vertex
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


class IntensitiesOfPairs(Intensities):
    """The same, once for each pair: by the arc to the vertex with more neighbors, whose row a CPU
    looks up in a table; or to the other one, so that on a GPU no work-group does all for a hub."""

    to = param.choice("more", "fewer")
    scatter = """
        const int degree = num_neighbors_of(e.src), other = num_neighbors_of(e.dst);
        const bool ascends = degree < other || (degree == other && e.src < e.dst);
        if (ascends != (p.to == to_more))
            return;
        real sum = 0;
        for_common(w, e.src, e.dst)
            sum += strength_from_first(w) * strength_from_second(w);
        send(sum * e.strength);
        send_to(e.src, sum * e.strength);
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
        pairs = stages.derived(joined, self.largest(stages.graph))
        intensities = Intensities(dtype=self.dtype)
        if stages.alone:
            to = "more" if stages.device.is_cpu else "fewer"
            intensities = IntensitiesOfPairs(dtype=self.dtype, to=to)
        total = stages.run(intensities, graph=pairs, fresh=True).total
        possible = pairs.vertex_fields["possible"]
        found = total.astype(np.float64)
        return {"coefficient": np.divide(found, possible, out=found * 0, where=possible > 0)}

    def largest_runs(self, size):
        return 1, replace(size, directed=False, num_loops=0)

    def largest(self, graph):
        """The largest weight; 0 if there are none."""
        if "weight" not in graph.edge_fields or not graph.num_edges:
            return 0.0
        largest = float(graph.edge_fields["weight"].max())
        if not largest > 0:
            why = f"the largest weight must be above 0, but is {largest}: change the weights"
            raise ProgramError(self.title(), f": {why}")
        return largest


def joined(graph, largest):
    """The graph of pairs with their `strength`, and how many triangles are `possible` at each
    vertex."""
    simple = graph.simple()
    root = np.ones(simple.num_edges)
    if largest:
        root = np.cbrt(simple.edge_fields["weight"].astype(np.float64) / largest)
    degree = simple.degree.astype(np.int64)
    if not graph.directed:
        possible = {"possible": degree * (degree - 1) / 2}
        ends = simple.edge_src, simple.edge_dst
    else:
        pairs, pair = joined_pairs(simple)
        ends, root = (pairs.edge_src, pairs.edge_dst), np.bincount(pair, root, pairs.num_edges)
        # A vertex has an arc more than neighbors for each neighbor with an arc each way.
        possible = {"possible": degree * (degree - 1) - 2 * (degree - pairs.degree)}
    return Graph.from_edges(
        *ends,
        num_vertices=graph.num_vertices,
        directed=False,
        vertex_fields=possible,
        strength=root,
    )
