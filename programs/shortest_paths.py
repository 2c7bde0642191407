"""Single-source shortest paths by relaxation, from a frontier of vertices that came nearer.

Bellman (1958) and Ford (1956); as GasCL writes it (Che 2014, section VI-B): a vertex sends its
distance plus the arc's weight, the combiner is a minimum, the mask is the frontier.

Departures: a vertex is active only where its distance fell, not wherever a message arrived; and a
message carries its sender, so that parents come from the same minimum, ties to the smallest id.
They form a tree also where weights are 0, since a parent's distance was known a superstep earlier.
"""

import numpy as np

from gascl import Graph, VertexProgram, edge, param, struct, vertex
from gascl.errors import warn


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
    scatter = "send((message){v.distance + e.weight, v.id});"
    apply = """
        if (msg.distance < v.distance) {
            v.distance = msg.distance;
            v.parent = msg.parent;
            set_mask();
        }
    """

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        weights = graph.edge_fields.get("weight")
        if weights is None or not len(weights):
            return
        weights, whole = weights[np.isfinite(weights)], weights.dtype.kind in "iu"
        most = float(weights.max(initial=0))
        with np.errstate(over="ignore"):
            longest = min(most * (graph.num_vertices - 1), weights.sum(dtype=np.float64))
        largest = float(np.finfo(self.dtype).max)
        exact = 2 ** (np.finfo(self.dtype).nmant + 1)  # whole numbers beyond may be rounded
        why, way = "", " or give dtype='float64'" if self.dtype == "float32" else ""
        if longest > largest:
            why = f"more than {self.dtype} holds, and be lost: scale them all down{way}"
        elif longest > exact and (whole or (most <= exact and not (weights % 1).any())):
            why = f"more than {exact:,}, from where {self.dtype} rounds whole numbers"
            why += "; dtype='float64' is exact to 2^53" if way else ""
        if why:
            said = f"ShortestPaths: weights up to {weights.max()} may sum to {why}"
            warn(said)
