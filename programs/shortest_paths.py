"""Shortest paths from one source, by relaxation from a frontier of vertices that came nearer.

Algorithm: a vertex whose distance fell waits in a bucket of distances. Those of the lowest bucket
send their distance plus the arc's weight along each of their arcs; a vertex receives only what is
less than its distance, takes the least of that, and waits again. As GasCL writes it (section VI-B),
the combiner is a minimum and the mask is the frontier.

Sources: Bellman, On a Routing Problem (1958); Ford, Network Flow Theory (1956); Meyer and Sanders,
Delta-Stepping (2003), the buckets; Che, GasCL (2014).

Differences: a vertex is in the frontier only where its distance fell, not wherever a message
arrived; and a message carries its sender, so that parents come from the same minimum, ties to the
smallest id. They form a tree also where weights are 0, since a parent's distance was known a
superstep earlier.
"""

import numpy as np

from gascl import Graph, VertexProgram, edge, param, struct, vertex
from gascl.errors import warn
from gascl.graph.summary import Summary


class ShortestPaths(VertexProgram):
    """Distances from `source` along the edge field `weight`, in `distance` and `parent`.

    `distance` is infinite where there is no path. `parent` is the vertex before on a shortest
    path (an index, see `Graph.label_of`), -1 at the source and where there is no path. Weights
    are 0 or more; a graph without the field counts edges.
    """

    source = param.vertex()
    distance = vertex.real(init="v.id == p.source ? 0 : INFINITY")
    parent = vertex.int32(init=-1)
    weight = edge.real(default=1, low=0)

    message = struct([("distance", "real"), ("parent", "int32")])
    combine = """
        a.distance < b.distance || (a.distance == b.distance && a.parent <= b.parent) ? a : b
    """
    identity = "(message){INFINITY, -1}"
    # An added edge can only bring vertices nearer, and relaxing it finds all that follows. This
    # holds where the source is the same and no weight of an edge that was there has grown.
    restart = "added"
    mask = "v.id == p.source"
    receive_if = "msg.distance < v.distance"
    priority = "v.distance"
    scatter = "send((message){v.distance + e.weight, v.id});"
    apply = """
        v.distance = msg.distance;
        v.parent = msg.parent;
        set_mask();
    """

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        if "weight" in graph.edge_fields:
            warn_of_sums(graph.edge_summary("weight"), graph.num_vertices, self.dtype)


def warn_of_sums(weights: Summary, num_vertices: int, dtype: str) -> None:
    """Warn where distances may be more than `dtype` holds, or where those of whole numbers, which a
    user expects to be exact, may be rounded."""
    if not weights.count:
        return
    most = float(weights.greatest)
    longest = min(most * (num_vertices - 1), weights.total)  # a path has no edge twice
    exact = 2 ** (np.finfo(dtype).nmant + 1)  # larger whole numbers may be rounded
    wider = dtype == "float32"
    integers = weights.greatest.dtype.kind in "iu"
    if longest > float(np.finfo(dtype).max):
        why = f"more than {dtype} holds, and be lost: scale them all down"
        why += " or give dtype='float64'" if wider else ""
    elif longest > exact and (integers or (most <= exact and weights.whole)):
        why = f"more than {exact:,}, from where {dtype} rounds whole numbers"
        why += "; dtype='float64' is exact to 2^53" if wider else ""
    else:
        return
    warn(f"ShortestPaths: weights up to {weights.greatest} may sum to {why}")
