"""Longest paths in directed acyclic graphs, as NetworkX defines them."""

from gascl import VertexProgram, edge, vertex


class LongestPaths(VertexProgram):
    """The largest length of a path to each vertex, 0 or more: paths may begin anywhere.

    A vertex sends on its distance once all arcs to it have brought one, as in a topological order.
    At the end, `left` is above 0 at the vertices that a cycle reaches.
    """

    weight = edge.real(default=1)
    left = vertex.int32(init="v.in_degree", doc="arcs that have not brought a distance")
    distance = vertex.real()

    message, combine = "real2", "(real2)(max(a.x, b.x), a.y + b.y)"  # a length, and how many arcs
    identity = "(real2)(0)"
    mask = "v.in_degree == 0"
    scatter = "send((real2)(v.distance + e.weight, 1));"
    apply = """
        v.distance = max(v.distance, msg.x);
        v.left -= (int)msg.y;
        if (v.left == 0)
            set_mask();
    """
