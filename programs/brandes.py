"""Brandes's two searches from a source: the numbers of shortest ways, and what depends on a vertex.

Outwards, a breadth-first search counts the shortest ways to every vertex, level by level. Back from
the last level, what depends on each vertex v, its share of the ways from the source to all others:

    share(v) = sum over v's successors w in the next level of ways(v) / ways(w) * (1 + share(w))

Brandes, A Faster Algorithm for Betweenness Centrality (2001). Betweenness is made of it.

Departure: all sources of several lanes go level by level together, the second time from the last
level that any of them has.
"""

from gascl import VertexProgram, aggregate, param, vertex


class Forward(VertexProgram):
    """How many shortest ways lead from the source to each vertex, and of how many arcs."""

    source = param.vertex()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    ways = vertex.real(init="v.id == p.source")
    most = aggregate.real("max")

    message, combine = "real", "sum"
    mask = "v.id == p.source"
    scatter = """
        if (v.depth == superstep)
            send(v.ways);
    """
    apply = """
        if (v.depth < 0) {
            v.depth = superstep + 1;
            v.ways = msg;
            aggregate_most(msg);
            set_mask();
        }
    """


class Backward(VertexProgram):
    """The share of each vertex but the source, from the `last` level on."""

    last = param.int32()
    depth = vertex.int32()
    ways = vertex.real()
    share = vertex.real()

    message, combine = "real", "sum"
    edges, apply_on = "in", "all"
    mask = "v.depth == p.last"
    scatter = """
        if (v.depth == p.last - superstep)
            send((1 + v.share) / v.ways);
    """
    apply = """
        if (v.depth > 0 && v.depth == p.last - superstep - 1) {
            v.share = v.ways * msg;
            set_mask();
        }
    """
