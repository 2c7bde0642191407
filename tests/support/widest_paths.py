"""A program that is not one of gascl's own, with the declarations that frontier programs have."""

from gascl import VertexProgram, edge, param, vertex


class WidestPaths(VertexProgram):
    """The widest path from `source` to each vertex: the largest `capacity` of its narrowest arc.

    `width` is infinite at the source, and 0 where there is no path.
    """

    source = param.vertex()
    width = vertex.real(init="v.id == p.source ? INFINITY : 0")
    capacity = edge.real(low=0)

    message, combine = "real", "max"
    restart = "added"
    mask = "v.id == p.source"
    receive_if = "msg > v.width"
    priority = "-v.width"
    scatter = "send(fmin(v.width, e.capacity));"
    apply = """
        v.width = msg;
        set_mask();
    """
