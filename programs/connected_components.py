"""Weakly connected components by hooking and pointer jumping, in about log2(V) supersteps.

Algorithm: every vertex points to one of its component that is no larger, at first to itself.
Hooking: along every edge whose ends have different grandparents, the larger grandparent and its end
of the edge are made to point to the smaller one. Pointer jumping: every vertex then points to its
grandparent. At the end, all vertices of a component point to its smallest one.

Sources: Zhang, Azad and Buluç, FastSV: A Distributed-Memory Connected Component Algorithm with Fast
Convergence (2020), after Shiloach and Vishkin, An O(log n) Parallel Connectivity Algorithm (1982).

Differences: only vertices whose pointer changed look at their edges again, from both ends: a vertex
whose tree was left behind notices when its own pointer jumps. The grandparent is hooked, where
FastSV hooks the parent: a few supersteps fewer on long paths.
"""

from gascl import VertexProgram, vertex


class ConnectedComponents(VertexProgram):
    """The smallest vertex of each vertex's component, in `component`; edges run both ways.

    A vertex is an index here, see `Graph.label_of`. After edges were added, a run can go on from
    the components that there were.
    """

    component = vertex.int32(init="v.id", doc="the vertex that it points to")

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
