"""Local clustering coefficients that count triangles by weights and directions.

    coefficient(v) = sum over triangles v, u, w of s(v, u) * s(u, w) * s(w, v) / P(v)

where s(u, w) is the sum, over the arcs between u and w, of the cube root of weight / largest
weight. In an undirected graph, P(v) = k * (k - 1) / 2 is the number of pairs of the k neighbors,
and a triangle counts by the geometric mean of its three weights. In a directed one, P(v) is the
number of directed triangles that there could be: d * (d - 1) - 2 * b, where d is the number of arcs
in and out, and b that of neighbors with an arc each way.

Algorithm: on a CPU, every pair is directed to the vertex with more neighbors, so that each triangle
is found once, as in triangles.py, and added up at its three corners. On a GPU, where sums of floats
must not wait for each other, one of the two arcs of each pair visits the common neighbors, and both
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


class IntensitiesOfTriangles(VertexProgram):
    """The same, of a graph in which each pair is directed to the vertex with more neighbors."""

    supersteps = param.supersteps(1)
    strength = edge.real()
    total = vertex.real()

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        real sum = 0;
        for_common(w, e.src, e.dst) {
            const real product = strength_from_first(w) * strength_from_second(w) * e.strength;
            send_to(w, product);
            sum += product;
        }
        if (sum) {
            send_to(e.src, sum);
            send(sum);
        }
    """
    apply = "v.total = msg;"


class IntensitiesOfPairs(Intensities):
    """The same, once for each pair: by the arc to the vertex with fewer neighbors, so that no
    work-group does all for a hub."""

    scatter = """
        const int degree = num_neighbors_of(e.src), other = num_neighbors_of(e.dst);
        if (degree < other || (degree == other && e.src < e.dst))
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
        alone, on_cpu = stages.alone, stages.alone and stages.device.is_cpu
        kind = IntensitiesOfTriangles if on_cpu else IntensitiesOfPairs if alone else Intensities
        pairs = stages.derived(rising if on_cpu else joined, self.largest(stages.graph))
        found = stages.run(kind(dtype=self.dtype), graph=pairs, fresh=True).total
        possible = pairs.vertex_fields["possible"]
        mean = np.divide(found, possible, out=np.zeros(len(found)), where=possible > 0)
        coefficient = np.empty_like(mean)
        coefficient[pairs.vertex_fields["vertex"]] = mean
        return {"coefficient": coefficient}

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
    """The graph of pairs with their `strength`; at each vertex, how many triangles are `possible`,
    and which `vertex` of the graph it is."""
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
        vertex_fields=possible | {"vertex": np.arange(graph.num_vertices)},
        strength=root,
    )


def rising(graph, largest):
    """The same, with the vertices numbered by degree, the highest first, and each pair directed to
    the lower number."""
    pairs = joined(graph, largest)
    vertex = np.argsort(-pairs.degree.astype(np.int64), kind="stable")
    number = np.empty_like(vertex)
    number[vertex] = np.arange(len(vertex))
    src, dst = number[pairs.edge_src], number[pairs.edge_dst]
    return Graph.from_edges(
        np.maximum(src, dst),
        np.minimum(src, dst),
        num_vertices=graph.num_vertices,
        vertex_fields={"possible": pairs.vertex_fields["possible"][vertex], "vertex": vertex},
        strength=pairs.edge_fields["strength"],
    )
