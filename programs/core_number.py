"""Core numbers: the core number of a vertex is the largest k for which it is in a k-core, a
subgraph in which every vertex has at least k neighbours.

Algorithm: peeling. At level k, every vertex with at most k arcs left is removed, its arcs with it,
which may bring others down to k; it has core number k. When none is removed any more, the level
rises to the least number of arcs that any vertex has left.

Sources: Seidman, Network Structure and Minimum Degree (1983); Matula and Beck (1983); Batagelj and
Zaveršnik, An O(m) Algorithm for Cores Decomposition of Networks (2003); Dasari, Desh and Zubair,
ParK (2014), who remove all vertices of a round at once.

Differences: the level jumps over numbers that no vertex has. Iterated h-indices (Lü, Zhou, Zhang
and Stanley, 2016) need fewer supersteps, but took three times as long on R-MAT graphs.
"""

from gascl import VertexProgram, aggregate, vertex


class CoreNumber(VertexProgram):
    """The core number of each vertex, in `core` (int32), as NetworkX's `core_number` has it.

    A vertex's degree is that of arcs in and out, so that on a directed graph two arcs u -> v and
    v -> u count as two, and parallel edges as many; `graph.simple(undirected=True)` is the simple
    graph beneath. Self-loops do not count. A vertex without edges has 0. -1 is a vertex that was
    not removed before `max_supersteps` ended the run; a path needs half as many supersteps as it
    has vertices.
    """

    core = vertex.int32(init=-1)
    left = vertex.int32(doc="arcs to vertices that have not been removed")
    # A vertex sends in one superstep: in 0 that it is there, later that it is removed.
    leaves = vertex.int32(doc="the superstep in which it sends")
    level = aggregate.int32("min")

    message, combine = "int32", "sum"
    edges, apply_on = "both", "all"
    restart = "never"  # an arc more or less can change any core number
    scatter = """
        if (v.leaves == superstep && e.dst != v.id)
            send(1);
    """
    apply = """
        if (superstep == 0) {
            v.left = msg;
            aggregate_level(v.left);
        } else if (v.core < 0) {
            v.left -= msg;
            if (v.left <= prev.level) {
                v.core = prev.level;
                v.leaves = superstep + 1;
                set_mask();
                aggregate_level(prev.level);  // it stays while any vertex is removed
            } else {
                aggregate_level(v.left);
            }
        }
    """
    stop = "agg.level == INT_MAX"  # no vertex is left
    ends = "stop"  # and not on an empty mask: where the level rises, no vertex is removed
