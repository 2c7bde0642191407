"""Weakly connected components: trees of pointers grow together until each component is one.

Algorithm: every vertex points to one of its component that is no larger, at first to its smallest
neighbor. Compressing makes it point to the root of its tree. Along some arcs, the larger of two
roots is then hooked to the smaller one: first along one more arc of each vertex, and again along a
third, after which most of a graph tends to be one tree; then along all arcs of the vertices that
are not in the tree of the vertex with the most neighbors. What is outside looks again until it
finds no other tree; what is inside needs not look at all, since its arcs to the outside are seen
from there.

Where vertices can apply in place, a single pass over them does all that: a vertex hooks roots along
its arcs, one after the other, until it is in the tree of a vertex with many neighbors. There, it
looks no further.

Sources: Sutton, Ben-Nun and Barak, Optimizing Parallel Graph Connectivity Computation via Subgraph
Sampling (2018), Afforest; Shiloach and Vishkin, An O(log n) Parallel Connectivity Algorithm (1982).

Differences: a root is hooked to the smallest of the roots that it meets, by a message, so that a
run repeats; a tree is skipped because it has the vertex of most neighbors, not because a sample of
vertices says that it is the largest; a pointer is followed only so far in a superstep, because
no vertex sees how others are compressed meanwhile, and trees can be as high as paths are long.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, vertex


class Hooked(VertexProgram):
    """ConnectedComponents in place, where a root that is hooked is seen to be one at once."""

    component = vertex.vertex(
        init="num_neighbors ? min(v.id, neighbor(0)) : v.id", doc="the vertex that it points to"
    )

    message, combine, order = "vertex", "min", "any"
    edges, apply_on = "both", "all"
    receive_if = "v.component == v.id"
    functions = """
        #define IS_ROOT(id) (component_of(id) == (id))
        #define FOLLOW(id) for (int i = 0, up; i < 12 && (up = component_of(id)) != id; ++i) id = up
    """
    apply = """
        if (has_msg) {
            v.component = min(v.component, msg);
            set_mask();
            return;
        }
        int most = component_of(max(g.hub, 0)), root = v.component;  // the hub is -1 without edges
        FOLLOW(most);
        const bool ends = IS_ROOT(most);  // else the way to the hub's root is longer
        for (int i = 0, up; i < 12 && !(ends && root == most); ++i, root = up)
            if ((up = component_of(root)) == root)
                break;
        for (int k = 0; root != most && get_mask() && k < num_neighbors; ++k) {
            int theirs = component_of(neighbor(k));
            FOLLOW(theirs);
            if (root != theirs) {
                send_to(max(root, theirs), min(root, theirs));
                FOLLOW(root);
                FOLLOW(theirs);
                if (root != theirs) {  // not yet
                    set_mask();
                    break;
                }
            }
            most = component_of(most);
        }
        v.component = root;
        if (!IS_ROOT(root))
            set_mask();
    """

    def prepare(self, graph, initial):
        refuse_cycles(graph, initial)


class ConnectedComponents(VertexProgram):
    """The smallest vertex of each vertex's component, in `component`; edges run both ways.

    After edges were added, a run can continue from the earlier components: give them as
    `component`, or their State.
    """

    component = vertex.vertex(init="v.id", doc="the vertex that it points to")
    phase = aggregate.int32("max", doc="what this superstep did")
    busy = aggregate.uint8("max", doc="it has to be done again")
    hub = aggregate.int64("max", doc="the vertex of most neighbors, behind their number")

    message, combine = "vertex", "min"
    mask, edges, apply_on = "v.id < 0", "both", "all"
    restart, ends = "added", "stop"
    functions = """
        #define IS_ROOT(id) (component_of(id) == (id))
        #define FOLLOW(id) for (int i = 0; i < 12 && !IS_ROOT(id); ++i) id = component_of(id)

        enum { LINK, SOME, HOOK, MORE, HOOK_MORE, OUTSIDE, HOOK_OUTSIDE, MEET, REST };
    """
    scatter = """
        const int mine = v.component, theirs = component_of(e.dst);
        if (!IS_ROOT(mine) || !IS_ROOT(theirs)) {
            set_mask();  // to look again once it is compressed
        } else if (mine != theirs) {
            send_to(max(mine, theirs), min(mine, theirs));
            set_mask();
        }
    """
    apply = """
        if (superstep == 0) {
            // Messages: a run that goes on after edges were added. Its trees have been sampled.
            aggregate_phase(has_msg ? HOOK_OUTSIDE : LINK);
            aggregate_hub((long)num_neighbors << 32 | v.id);
            if (num_neighbors && v.component == v.id)
                v.component = min(v.id, min(msg, neighbor(0)));
            return;
        }
        const int phase = prev.phase + !prev.busy;
        if (v.id == 0) {
            aggregate_phase(phase);
            aggregate_hub(prev.hub);
        }
        if (has_msg && v.component == v.id) {
            v.component = msg;
            if (phase == REST)
                aggregate_busy(1);
            return;
        }
        if (phase == HOOK || phase == HOOK_MORE || phase == HOOK_OUTSIDE)
            return;
        int root = v.component;
        FOLLOW(root);
        if (phase == REST ? root != v.component : !IS_ROOT(root))
            aggregate_busy(1);
        v.component = root;
        if (!IS_ROOT(root))
            return;
        bool looks = (phase == SOME || phase == MORE) && v.id % 8 == 0;
        if (phase == OUTSIDE || phase == MEET) {
            int most = component_of((int)prev.hub);
            FOLLOW(most);
            looks = root != most;
        }
        if (!looks || !num_neighbors)
            return;
        if (phase == MEET) {
            set_mask();
            return;
        }
        int theirs = component_of(neighbor(min(root != v.id, num_neighbors - 1)));
        FOLLOW(theirs);
        if (theirs != root && IS_ROOT(theirs))
            send_to(max(root, theirs), min(root, theirs));
    """
    stop = "agg.phase == 8 && !agg.busy"  # REST

    def prepare(self, graph, initial):
        refuse_cycles(graph, initial)

    def in_any_order(self):
        return Hooked(dtype=self.dtype, **self.initial)


def refuse_cycles(graph, initial):
    """Raise ProgramError if the vertices that others point to at first are no earlier ones: such
    pointers may form a cycle, which has no root."""
    given = initial.get("component")
    if given is None:
        return
    wrong = np.flatnonzero((given < 0) | (given > np.arange(len(given))))
    if len(wrong):
        first = int(wrong[0])
        raise ProgramError(
            f"ConnectedComponents: the initial component of {graph.label_of(first)!r}, which is "
            f"vertex {first}, is {given[first]}: give the components of an earlier run on a part "
            "of the graph, where each is a vertex of the component that does not come after its "
            "own; or none"
        )
