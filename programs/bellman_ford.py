"""Shortest paths along weights of either sign, and the vertices that have none because a cycle of
negative length leads to them.

Algorithm: a vertex whose distance fell sends its distance plus the arc's weight along each of its
arcs, until no distance falls. With a cycle of negative length, that would never end. So from time
to time the host looks for a cycle of arcs u -> v with distance(u) + weight <= distance(v), and <
for one of them: its length is negative. Its vertices get the distance minus infinity, which is sent
on like any other. Parents come last, level by level from the sources, along the arcs that are as
long as the distance between their ends.

Where all weights are 0 or more there is no such cycle, and Distances finds the distances. Almost
all vertices then have their parents at once, those that are nearer.

Sources: Bellman, On a Routing Problem (1958); Ford, Network Flow Theory (1956); Goldberg and
Radzik, A Heuristic Improvement of the Bellman-Ford Algorithm (1993), the graph of such arcs, which
has a cycle after V supersteps at the latest; Cherkassky and Goldberg, Negative-Cycle Detection
Algorithms (1999), when to look.

Differences: a negative cycle is no error; vertices that it does not lead to have their distances.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gascl import VertexProgram, edge, param, vertex
from gascl.programs.shortest_paths import Distances
from gascl.programs.source_params import with_source

#: Supersteps before the host first looks for negative cycles; later it is twice as many each time.
PATIENCE = 64


class Relax(VertexProgram):
    """A vertex whose distance fell notifies its neighbors."""

    supersteps = param.supersteps()
    distance = vertex.real()
    weight = edge.real(default=1, finite=True)

    message, combine = "real", "min"
    mask = "v.distance < INFINITY"
    receive_if = "msg < v.distance"
    scatter = "send(v.distance + e.weight);"
    apply = """
        v.distance = msg;
        set_mask();
    """


class Parents(VertexProgram):
    """Of each vertex, the first found before it on a shortest path, level by level."""

    distance = vertex.real()
    found = vertex.int8()
    parent = vertex.vertex()
    weight = edge.real(default=1, finite=True)

    message, combine = "vertex", "first"
    mask = "v.found"
    receive_if = "!v.found"
    scatter = """
        if (v.distance + e.weight == distance_of(e.dst))
            send(v.id);
    """
    apply = """
        v.found = 1;
        v.parent = msg;
        set_mask();
    """


class NearerParents(Parents):
    """Of each vertex, the first one before it on a shortest path that is nearer: one superstep."""

    supersteps = param.supersteps(1)
    mask = "v.distance < INFINITY"
    scatter = """
        const real there = distance_of(e.dst);
        if (v.distance < there && v.distance + e.weight == there)
            send(v.id);
    """


class BellmanFord(VertexProgram):
    """Distances from `source` along the edge field `weight`, of either sign, in `distance`, and the
    vertex before on a shortest path (see `Result.path`), in `parent`.

    `distance` is infinite where there is no path, and minus infinity where paths can be arbitrarily
    short, since some contain a cycle of negative length. `parent` is -1 there, and at a source. An
    undirected edge of negative weight is such a cycle. A graph without weights counts edges.

    Args:
        source: where paths begin.
        sources: a list, instead of `source`: one search from all of them together.
    """

    source = param.vertex()
    sources = param.vertices()
    weight = edge.real(default=1, finite=True)
    distance = vertex.real(init="v.id == p.source ? 0 : INFINITY")
    parent = vertex.vertex()

    def __init__(self, *positional, **values):
        super().__init__(*positional, **with_source(self, positional, values))

    def solve(self, stages):
        graph = stages.graph
        sources = [self.source] if self.sources is None else self.sources
        places = graph.indices_of(sources)
        weighted = graph.num_edges > 0 and "weight" in graph.edge_fields
        if weighted and graph.edge_summary("weight").least < 0:
            distance = with_negative_weights(stages, places, self.dtype)
            found = distance == -np.inf
            found[places] = True
            parents = stages.run(Parents(found=found.astype(np.int8), dtype=self.dtype))
            return {"distance": distance, "parent": parents.parent}
        search = Distances(sources=sources, dtype=self.dtype)
        distance = stages.run(search, fresh=True).distance
        found = np.zeros(graph.num_vertices, np.int8)
        found[places] = 1
        parents = stages.run(NearerParents(found=found, dtype=self.dtype))
        if np.any((distance < np.inf) & (parents.found == 0)):  # as far as those before them
            parents = stages.run(Parents(dtype=self.dtype))
        return {"distance": distance, "parent": parents.parent}


def with_negative_weights(stages, sources, dtype):
    """The distances from sources (indices), where some weights are below 0."""
    graph = stages.graph
    begin = np.full(graph.num_vertices, np.inf, dtype)
    begin[sources] = 0
    given, start, patience = {"distance": begin}, None, PATIENCE
    stages.state = None
    while True:
        relax = Relax(supersteps=patience, dtype=dtype, **given)
        result = stages.run(relax, start=start)
        distance = result.distance
        if result.supersteps < patience:
            return distance
        cycles = on_negative_cycles(graph, distance)
        if cycles.any():
            distance = np.where(cycles, -np.inf, distance).astype(dtype)
            given, start = {"distance": distance}, None
        else:
            given, start = {}, "mask"
        patience *= 2


def on_negative_cycles(graph, distance):
    """bool (V,): the vertices of cycles of negative length that the distances show."""
    arcs = graph.arcs()
    src, dst = arcs.out.rows, arcs.out_targets
    length = np.ones(1, distance.dtype)
    if "weight" in graph.edge_fields:
        length = graph.edge_fields["weight"].astype(distance.dtype)[arcs.out_edges]
    through = distance[src] + length
    there = (through <= distance[dst]) & (distance[src] < np.inf)
    src, dst, shorter = src[there], dst[there], (through < distance[dst])[there]
    size = (graph.num_vertices, graph.num_vertices)
    matrix = csr_array((np.ones(len(src), np.int8), (src, dst)), shape=size)
    _, part = connected_components(matrix, directed=True, connection="strong")
    negative = np.zeros(graph.num_vertices, bool)  # by the part
    negative[part[src[shorter & (part[src] == part[dst])]]] = True
    return negative[part]
