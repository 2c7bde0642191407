"""Betweenness centrality where an arc is as long as its weight.

Algorithm: as in betweenness.py, from one source at a time. Once distances are known, the arcs that
are as long as the distance between their ends form no cycles. A vertex waits for all of these arcs
that lead to it; then its number of shortest paths is known, and is sent along those that leave it.
Dependencies travel the same way backward, from the ends of all paths.

Sources: Brandes, A Faster Algorithm for Betweenness Centrality (2001), which visits the vertices in
the order of distances; Kahn, Topological Sorting of Large Networks (1962), which counts the arcs
that a vertex still waits for.
"""

import numpy as np

from gascl import VertexProgram, aggregate, edge, vertex
from gascl.programs.betweenness import (
    ArcSums,
    Betweenness,
    EdgeBetweenness,
    check_paths,
    lane_macros,
    of_each,
)
from gascl.programs.shortest_paths import Distances
from gascl.programs.validation import refuse_edges


class Paths(VertexProgram):
    """The number of shortest paths to each vertex. Each first notifies those that wait for it."""

    distance = vertex.real()
    paths = vertex.real(init="v.distance == 0")
    awaited = vertex.real(doc="arcs of shortest paths from vertices whose number is not known")
    most = aggregate.real("max", doc="the largest number of paths")
    weight = edge.real(default=1, low=0)

    message, combine = "real2", "sum"
    apply_on = "mask"
    mask = "v.distance < INFINITY"
    scatter = """
        const real distance = v.distance + e.weight;
        if (distance < INFINITY && distance == distance_of(e.dst))
            send((real2)(superstep ? v.paths : 0, 1));
    """
    apply = """
        if (superstep > 0 && !has_msg)
            return;
        v.paths += msg.x;
        v.awaited = superstep ? v.awaited - msg.y : msg.y;
        if (v.awaited == 0) {
            aggregate_most(v.paths);
            set_mask();
        }
    """


class Shares(VertexProgram):
    """The source's dependency on each vertex, from the ends of paths back."""

    distance = vertex.real()
    paths = vertex.real()
    dependency = vertex.real()
    awaited = vertex.real()
    weight = edge.real(default=1, low=0)

    message, combine, edges = "real2", "sum", "in"
    apply_on = "mask"
    mask = "v.distance < INFINITY"
    scatter = """
        if (distance_of(e.dst) + e.weight == v.distance)
            send((real2)(superstep ? (1 + v.dependency) / v.paths : 0, 1));
    """
    apply = """
        if (superstep > 0 && !has_msg)
            return;
        v.dependency += msg.x;
        v.awaited = superstep ? v.awaited - msg.y : msg.y;
        if (v.awaited == 0) {
            v.dependency *= v.distance > 0 ? v.paths : 0;  // none on the source itself
            set_mask();
        }
    """


def weighted_dependencies(stages, sources, dtype):
    """What `dependencies` gives, along weights."""
    if "weight" in stages.graph.edge_fields:
        positive = stages.graph.edge_fields["weight"] > 0
        refuse_edges(stages.graph, "weight", positive, "above 0")
    for source in sources:
        stages.run(Distances(source=source, dtype=dtype), fresh=True)
        counted = stages.run(Paths(dtype=dtype), fresh=["paths", "awaited"])
        check_paths(max(step.aggregates["most"] for step in counted.trace), dtype)
        yield [source], stages.run(Shares(dtype=dtype), fresh=["dependency", "awaited"])


class WeightedBetweenness(Betweenness):
    """Betweenness where an arc is as long as the edge field `weight` says, which is above 0.

    Paths are equally long if their lengths are equal to the last bit.
    """

    weight = edge.real(default=1)

    def largest_runs(self, size):
        return 1, size

    def searches(self, stages, sources):
        """Some of the sources at a time, and a Result with the dependency on each vertex."""
        return weighted_dependencies(stages, sources, self.dtype)

    def reached(self, batch, found):
        """bool (V, sources): whether there is a path."""
        return np.isfinite(of_each(batch, found, "distance"))


class WeightedArcSums(ArcSums):
    """The same along weights. An arc of infinite weight is none."""

    far = vertex.real()
    weight = edge.real(default=1)

    functions = lane_macros(1, "real", "real")
    scatter = (
        "#define FOLLOWS(from, to) ((to) < INFINITY && (from) + e.weight == (to))" + ArcSums.along
    )


class WeightedEdgeBetweenness(EdgeBetweenness):
    """Betweenness of edges where an arc is as long as the edge field `weight` says."""

    weight = edge.real(default=1)

    program, left = WeightedArcSums, ("distance", "paths", "dependency")

    def largest_runs(self, size):
        return 1, size

    def searches(self, stages, sources):
        """As that of `WeightedBetweenness`."""
        return weighted_dependencies(stages, sources, self.dtype)
