"""Core numbers: the core number of a vertex is the largest k for which it is in a k-core, a
subgraph in which every vertex has at least k neighbors.

Algorithm: peeling. A vertex with the fewest arcs left is removed, its arcs with it, and those were
its core number. What its neighbors have left falls by as many arcs as they lose, but not below the
core number of what is being removed.

Sources: Seidman, Network Structure and Minimum Degree (1983); Matula and Beck (1983); Batagelj and
Zaveršnik, An O(m) Algorithm for Cores Decomposition of Networks (2003); Dasari, Desh and Zubair,
ParK (2014), who remove all vertices of a round at once; Dhulipala, Blelloch and Shun, Julienne
(2017), who keep vertices in buckets.

Differences: each run on the device removes the vertices of a range of core numbers. If only few
vertices can have them, the range is half as wide as its first number, and vertices wait in buckets
for their turn. If many can, or few numbers are in it, it is one number, so that nothing waits.
"""

import numpy as np

from gascl import VertexProgram, param, struct, vertex

#: A run for a single core number is worth starting where at least _MANY vertices, and 1 / _PART of
#: all, can have one of the next few numbers.
_MANY, _PART = 2**16, 16


class Shell(VertexProgram):
    """Removes the vertices with core number `k`; those with a smaller one are removed already."""

    k = param.int32()
    core = vertex.int32(doc="arcs that are left; of a removed vertex, its core number")

    message, combine = "int32", "sum"
    edges = "both"
    mask = "v.core == p.k"
    receive_if = "v.core > p.k"  # else it is removed already, or in this superstep
    scatter = "send(1);"
    apply = """
        v.core = max(v.core - msg, p.k);
        if (v.core == p.k)
            set_mask();
    """


class Shells(VertexProgram):
    """Removes the vertices with core numbers from `begin` to below `limit`, as `Shell` does."""

    begin = param.int32()
    limit = param.int32()
    core = vertex.int32()

    Removal = struct([("core", "int32"), ("arcs", "int32")])
    message = Removal
    combine = "(Removal){max(a.core, b.core), a.arcs + b.arcs}"
    identity = "(Removal){0, 0}"
    edges = "both"
    mask = "v.core >= p.begin && v.core < p.limit"
    priority, delta = "v.core", 1
    receive_if = "msg.core < v.core"
    scatter = "send((Removal){v.core, 1});"
    apply = """
        v.core = max(v.core - msg.arcs, msg.core);
        if (v.core < p.limit)
            set_mask();
    """


class CoreNumber(VertexProgram):
    """The core number of each vertex, in `core` (int32), as NetworkX's `core_number` has it.

    A vertex's degree is that of arcs in and out, so that on a directed graph two arcs u -> v and
    v -> u count as two, and parallel edges as many; `graph.simple(undirected=True)` is the simple
    graph. Self-loops do not count. A vertex without edges has 0. Of a run that
    `max_supersteps` ended, `core` is an upper bound; a path needs half as many supersteps as it has
    vertices.
    """

    core = vertex.int32()

    def solve(self, stages):
        stages.state = None  # an arc more or less can change any core number
        core = degrees_without_loops(stages.graph)
        fields = {"core": core}
        many = max(len(core) // _PART, _MANY)
        removed = 0  # those with core numbers up to this one
        while True:
            # How many more the others have: of the removed ones, the difference becomes very large.
            more = (core - (removed + 1)).view(np.uint32)
            least = int(more.min())
            if least > np.iinfo(np.int32).max:
                return {"core": core}
            begin = removed + 1 + least
            limit = max(3 * begin // 2, begin + 1)
            if np.count_nonzero(more < limit - removed - 1) >= many:
                limit = begin + 1
            if limit == begin + 1:
                core = stages.run(Shell(k=begin, **fields)).core
            else:
                core = stages.run(Shells(begin=begin, limit=limit, **fields)).core
            removed, fields = limit - 1, {}


def degrees_without_loops(graph):
    """int32 (V,): the arcs in and out of each vertex."""
    degree = np.diff(graph.arcs("both").out_offsets).astype(np.int32)
    return degree - graph.loops if graph.num_loops else degree
