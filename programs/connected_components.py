"""Weakly connected components by hooking and pointer jumping, in about log2(V) supersteps.

Each vertex points to one of its component that is no larger, at first to itself. Along every edge
whose ends have different grandparents, the larger grandparent and its end are hooked to the
smaller one; every vertex then jumps to its grandparent. What remains are stars around the smallest
vertex of each component. Zhang, Azad and Buluç, FastSV (2020), after Shiloach and Vishkin (1982).

Departures: only vertices whose pointer changed look at their edges again, from both ends, for a
star that was left behind notices when it jumps; and hooks go to the grandparent, where FastSV hooks
the parent: a few supersteps fewer on long paths.
"""

from gascl import VertexProgram, vertex


class ConnectedComponents(VertexProgram):
    """The smallest vertex of each vertex's component, in `component`; edges run both ways.

    A vertex is an index here, see `Graph.label_of`. After edges were added, a run can go on from
    the components that there were.
    """

    component = vertex.int32(init="v.id")

    message, combine = "int32", "min"
    edges, apply_on = "both", "all"
    restart = "added"
    scatter = """
        const int mine = component_of(v.component);
        const int theirs = component_of(component_of(e.dst));
        if (mine < theirs) {
            send_to(e.dst, mine);
            send_to(theirs, mine);
        } else if (theirs < mine) {
            send_to(e.src, theirs);
            send_to(mine, theirs);
        }
    """
    apply = """
        const int least = min(msg, component_of(v.component));
        if (least < v.component) {
            v.component = least;
            set_mask();
        }
    """
