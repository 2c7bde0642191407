"""Core numbers: the core number of a vertex is the largest k for which it is in a k-core, a
subgraph in which every vertex has at least k neighbours.

Algorithm: peeling. A vertex with the fewest arcs left is removed, its arcs with it, and those were
its core number. What its neighbours have left falls by as many arcs as they lose, but not below the
core number of what is being removed.

Sources: Seidman, Network Structure and Minimum Degree (1983); Matula and Beck (1983); Batagelj and
Zaveršnik, An O(m) Algorithm for Cores Decomposition of Networks (2003); Dasari, Desh and Zubair,
ParK (2014), who remove all vertices of a round at once; Dhulipala, Blelloch and Shun, Julienne
(2017), who keep vertices in buckets.

Differences: only vertices with few arcs left, up to a limit, wait in buckets for their turn. The
limit then rises by half.
"""

import numpy as np

from gascl import VertexProgram, param, struct, vertex


class Shells(VertexProgram):
    """Removes the vertices with core numbers from `begin` to below `limit`."""

    begin = param.int32()
    limit = param.int32()
    core = vertex.int32(doc="arcs that are left; of a removed vertex, those that were")

    Removal = struct([("core", "int32"), ("arcs", "int32")])
    message = Removal
    combine = "(Removal){max(a.core, b.core), a.arcs + b.arcs}"
    identity = "(Removal){0, 0}"
    edges = "both"
    mask = "v.core >= p.begin && v.core < p.limit"
    priority, delta = "v.core", 1
    receive_if = "msg.core < v.core"  # else it is removed already, or in this superstep
    scatter = """
        if (e.dst != v.id)
            send((Removal){v.core, 1});
    """
    apply = """
        v.core = max(v.core - msg.arcs, msg.core);
        if (v.core < p.limit)
            set_mask();
    """


class CoreNumber(VertexProgram):
    """The core number of each vertex, in `core` (int32), as NetworkX's `core_number` has it.

    A vertex's degree is that of arcs in and out, so that on a directed graph two arcs u -> v and
    v -> u count as two, and parallel edges as many; `graph.simple(undirected=True)` is the simple
    graph beneath. Self-loops do not count. A vertex without edges has 0. Of a run that
    `max_supersteps` ended, `core` is an upper bound; a path needs half as many supersteps as it has
    vertices.
    """

    core = vertex.int32()

    def solve(self, stages):
        stages.state = None  # an arc more or less can change any core number
        core = degrees_without_loops(stages.graph)
        fields = {"core": core}
        begin, limit = 0, 1
        while True:
            core = stages.run(Shells(begin=begin, limit=limit, **fields)).core
            left = core[core >= limit]
            if not len(left):
                return {"core": core}
            begin, limit, fields = limit, 3 * max(limit, int(left.min())) // 2 + 1, {}


def degrees_without_loops(graph):
    """int32 (V,): the arcs in and out of each vertex."""
    degree = np.diff(graph.arcs("both").out_offsets)
    loops = graph.edge_src[graph.edge_src == graph.edge_dst]
    return (degree - np.bincount(loops, minlength=graph.num_vertices)).astype(np.int32)
