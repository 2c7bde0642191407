"""Communities by label propagation: each vertex takes the most frequent label among its neighbors.

Algorithm: at first every vertex is its own label. In a superstep, all vertices take the label that
most of their neighbors have, of equally frequent ones the smallest. A neighbor with an arc each
way counts twice, and a vertex without neighbors keeps its label. A vertex whose neighbors all kept
their labels would choose as before, and does not look again.

Sources: Raghavan, Albert and Kumara, Near Linear Time Algorithm to Detect Community Structures
(2007); LDBC Graphalytics, which defines it as above (CDLP).

Differences: Raghavan, Albert and Kumara break ties at random and update one vertex after the other;
here nothing is random, so that a run repeats. In bipartite parts labels may then swap forever,
hence a number of supersteps.
"""

from gascl import VertexProgram, aggregate, by_key, param, vertex


class LabelPropagation(VertexProgram):
    """A community's label for every vertex, in `label`: one of its vertices.

    Args:
        supersteps: how many times all vertices choose; None: until no label changes, which may
            never happen.
    """

    supersteps = param.supersteps(10)
    label = vertex.vertex(init="v.id")
    changed = aggregate.int64("count")

    message, combine = "vertex", by_key()
    prefer = "a.count > b.count"
    scatter_on, edges = "all", "both"
    restart = "never"  # other labels at the beginning lead to another answer
    functions = "#define ALL_LOOK 3  // the last superstep in which everybody looks"
    # The mask has the vertices with a neighbor that changed in the previous superstep: no other
    # needs to look again. In the first supersteps nearly all change, and it costs less if all look.
    receive_if = "superstep <= ALL_LOOK || get_mask()"
    scatter = "send(v.label);"
    apply = """
        if (msg.key != v.label) {
            v.label = msg.key;
            aggregate_changed(1);
            if (superstep >= ALL_LOOK)
                for (int i = 0; i < num_neighbors; ++i)
                    set_mask_of(neighbor(i));
        }
    """
    stop = "agg.changed == 0"
