"""Weakly connected components: trees of pointers grow together until each component is one.

Algorithm: every vertex points to one of its component that is no larger: at first to its smallest
neighbor. Then each vertex follows its pointer to the root of its tree, and points there; and the
larger of two roots is hooked to the smaller one, along the arcs of a vertex one after the other,
until it is in the tree of a vertex with many neighbors, in which most of a graph tends to be soon.
What is inside needs not look further, since its arcs to the outside are seen from there.

Sources: Sutton, Ben-Nun and Barak, Optimizing Parallel Graph Connectivity Computation via Subgraph
Sampling (2018), Afforest; Shiloach and Vishkin, An O(log n) Parallel Connectivity Algorithm (1982).

Differences: there are no rounds of sampled arcs, since the first arcs of few vertices already make
a large tree; a tree is skipped because it has a vertex of many neighbors, not because a sample of
vertices says that it is the largest. In supersteps, where a root that is hooked is seen to be one
only in the next of them, a vertex looks at one tree at a time, and follows a pointer only so far,
because trees can be as high as paths are long.
"""

from gascl import VertexProgram, vertex


class ConnectedComponents(VertexProgram):
    """The smallest vertex of each vertex's component, in `component`; edges run both ways.

    After edges were added, a run can continue from the earlier components.
    """

    component = vertex.vertex(
        init="num_neighbors ? min(v.id, neighbor(0)) : v.id", doc="the vertex that it points to"
    )

    message, combine, order = "vertex", "min", "any"
    edges, apply_on, restart = "both", "all", "added"
    receive_if = "v.component == v.id"
    functions = """
        #define IS_ROOT(id) (component_of(id) == (id))
        #define FOLLOW(id) for (int i = 0; i < 12 && !IS_ROOT(id); ++i) id = component_of(id)
    """
    apply = """
        if (has_msg) {
            v.component = min(v.component, msg);
            set_mask();
            return;
        }
        int root = v.component;
        FOLLOW(root);
        if (get_mask()) {
            for (int k = 0; k < num_neighbors; ++k) {
                int most = component_of(g.hub), theirs = component_of(neighbor(k));
                FOLLOW(most);
                if (root == most)
                    break;
                FOLLOW(theirs);
                if (root == theirs)
                    continue;
                send_to(max(root, theirs), min(root, theirs));
                FOLLOW(root);
                FOLLOW(theirs);
                if (root != theirs) {  // not yet
                    set_mask();
                    break;
                }
            }
        }
        v.component = root;
        if (!IS_ROOT(root))
            set_mask();
    """
