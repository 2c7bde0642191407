"""Shortest paths from a source, by relaxation from a frontier of vertices that came nearer.

Algorithm: a vertex whose distance fell waits in a bucket of distances. Those of the lowest bucket
send their distance plus the arc's weight along each of their arcs; a vertex receives only what is
less than its distance, takes the least of that, and waits again. As GasCL writes it (section VI-B),
the combiner is a minimum and the mask is the frontier.

Sources: Bellman, On a Routing Problem (1958); Ford, Network Flow Theory (1956); Meyer and Sanders,
Delta-Stepping (2003), the buckets; Che, GasCL (2014).

Differences: a vertex is in the frontier only where its distance fell, not wherever a message
arrived; and a message carries its sender, so that parents come from the same minimum, ties to the
smallest id. They form a tree also where weights are 0: a parent is nearer than its child, or its
distance was known a superstep earlier. `Distances` leaves parents out: its messages fit 8 bytes in
float64, too.
"""

import math
from typing import Any

import numpy as np

from gascl import Graph, VertexProgram, edge, param, struct, vertex
from gascl.errors import warn
from gascl.graph.field_stats import Summary
from gascl.programs.source_params import begin_at_sources, with_source
from gascl.user_messages import DOUBLE, Message


class Distances(VertexProgram):
    """The length of a shortest path to every vertex along the edge field `weight`, in `distance`.

    It is infinite where there is no path. Weights are 0 or more; a graph without the field counts
    edges.

    Args:
        source: where paths begin; a list is several searches at once.
        sources: a list, instead of `source`: one search from all of them together, in which the
            nearest one counts.
        cutoff: longer paths are left out; None: no limit.
    """

    source = param.vertex()
    sources = param.vertices()
    cutoff = param.real(math.inf, low=0)
    distance = vertex.real(init="v.id == p.source ? 0 : INFINITY")
    weight = edge.real(default=1, low=0)

    message: Any = "real"
    combine = "min"
    # An added edge can only bring vertices nearer, and relaxing it finds all that follows. This
    # holds where the source is the same and no weight of an edge that was there has grown.
    order, restart = "any", "added"
    mask = "v.distance == 0"
    receive_if = "msg < v.distance && msg <= p.cutoff"
    priority = "v.distance"
    scatter = "send(v.distance + e.weight);"
    apply = """
        v.distance = msg;
        set_mask();
    """

    def __init__(self, *positional: Any, **values: Any) -> None:
        if values.get("cutoff", math.inf) is None:
            values["cutoff"] = math.inf
        super().__init__(*positional, **with_source(self, positional, values))

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        begin_at_sources(self, graph, initial, "distance", math.inf)
        if "weight" in graph.edge_fields:
            warn_of_sums(self, graph.edge_summary("weight"), graph.num_vertices)


class ShortestPaths(Distances):
    """Distances along arcs from a vertex, in `distance`, as Distances computes them; and the vertex
    before on a shortest path, in `parent` (see `Result.path`): -1 at a source and where there is no
    path.
    """

    parent = vertex.vertex()

    # A parent by an arc of length 0, or of a length that rounding loses, is as far as the vertex
    # itself. Chosen by its id, it could become its own ancestor: it is only taken where it comes
    # first, and is sent as a number below -1.
    message = struct([("distance", "real"), ("parent", "vertex")])
    combine = """
        a.distance < b.distance || (a.distance == b.distance && (uint)a.parent <= (uint)b.parent)
            ? a : b
    """
    identity = "(message){INFINITY, -1}"
    receive_if = """
        msg.distance <= p.cutoff && (msg.distance < v.distance ||
            (msg.distance == v.distance && msg.parent >= 0 && msg.parent < v.parent))
    """
    scatter = """
        const real there = v.distance + e.weight;
        if (there > v.distance) {
            send((message){there, v.id});
        } else {
            needs_order();
            send((message){there, -2 - v.id});
        }
    """
    apply = """
        if (msg.distance < v.distance)
            set_mask();
        v.distance = msg.distance;
        v.parent = msg.parent < 0 ? -2 - msg.parent : msg.parent;
    """


def predecessors(
    graph: Graph, distance: np.ndarray, weight: str | None = "weight"
) -> tuple[np.ndarray, np.ndarray]:
    """All vertices before each one on its shortest paths: those with an arc that is as long as the
    distance between its ends.

    They are found on the host, from what a search has found. As in NetworkX, an arc of weight 0
    counts, too, so that a vertex can come before itself.

    Args:
        distance: (V,) as a search gives it: infinite, or if these are integers less than 0, where
            there is no path.
        weight: the edge field that was followed; 1 each if it is None, or not in the graph.

    Returns:
        offsets, int64 (V + 1,), and vertices, int32: those before v are
        vertices[offsets[v]:offsets[v + 1]], each once, in order.
    """
    arcs = graph.arcs()
    before, after = arcs.in_sources, arcs.into.rows
    length = np.ones(1, distance.dtype)
    if weight is not None and weight in graph.edge_fields:
        length = graph.edge_fields[weight].astype(distance.dtype)[arcs.in_edges]
    reached = distance >= 0 if distance.dtype.kind == "i" else np.isfinite(distance)
    tight = reached[before] & (distance[before] + length == distance[after])
    before, after = before[tight], after[tight]
    once = np.ones(len(before), bool)  # sorted: parallel arcs lie together
    once[1:] = (before[1:] != before[:-1]) | (after[1:] != after[:-1])
    offsets = np.zeros(graph.num_vertices + 1, np.int64)
    np.cumsum(np.bincount(after[once], minlength=graph.num_vertices), out=offsets[1:])
    return offsets, before[once]


def warn_of_sums(program: VertexProgram, weights: Summary, num_vertices: int) -> None:
    """Warn where distances may be more than the dtype holds, or where those of whole numbers, which
    a user expects to be exact, may be rounded."""
    if not weights.count:
        return
    dtype = program.dtype
    most = float(weights.greatest)
    longest = min(most * (num_vertices - 1), weights.total)  # a path has no edge twice
    exact = 2 ** (np.finfo(dtype).nmant + 1)  # larger whole numbers may be rounded
    wider = dtype == "float32"
    integers = weights.greatest.dtype.kind in "iu"
    if longest > float(np.finfo(dtype).max):
        why = f"more than {dtype} holds, and be lost: scale them all down"
        why = Message(why, " or give ", DOUBLE) if wider else why
    elif longest > exact and (integers or (most <= exact and weights.whole)):
        why = f"more than {exact:,}, from where {dtype} rounds whole numbers"
        why = Message(why, "; ", DOUBLE, " is exact to 2^53") if wider else why
    else:
        return
    warn(f"{type(program).__name__}: weights up to {weights.greatest} may sum to " + why)
