"""Communities by label propagation of one half of the vertices after the other, ties at random.

Algorithm: at first every vertex is its own label. In a superstep, half of the vertices, drawn at
random, take the label that most of their neighbors have; in the next one, the other half does. Of
equally frequent labels, each vertex and superstep prefers another one. A vertex without a neighbor
that changed since it chose does not look again.

Sources: Raghavan, Albert and Kumara, Near Linear Time Algorithm to Detect Community Structures
(2007), who break ties at random; Cordasco and Gargano, Community Detection via Semi-Synchronous
Label Propagation Algorithms (2010), by whom vertices that choose together do not swap labels.

Differences: Cordasco and Gargano color the graph, so that no two neighbors choose together; here
there are two halves, whatever the edges. What is drawn depends on ids and supersteps alone, so that
a run repeats.
"""

from gascl import VertexProgram, aggregate, by_key, param, vertex


class AlternatingLabelPropagation(VertexProgram):
    """A community's label for every vertex, in `label`: one of its vertices.

    Args:
        supersteps: how many times half of the vertices choose; None: until no label changes, which
            may never happen.
    """

    supersteps = param.supersteps(20)
    label = vertex.vertex(init="v.id")
    changed = aggregate.int64("count")

    # What is sent is a multiple of the label, by an odd number that each vertex and superstep
    # draws: of equally frequent labels, the one with the smallest multiple counts.
    message, combine = "uint32", by_key()
    prefer = "a.count > b.count"
    scatter_on, edges = "all", "both"
    restart = "never"  # other labels at the beginning lead to another answer
    functions = """
        #define ALL_LOOK 6  // the last superstep in which everybody whose turn it is looks
        #define IN_TURN ((hash((uint)v.id) + superstep) % 2 == 0)

        uint odd(const int id, const int step) {
            return hash(hash((uint)id) + (uint)step) | 1;
        }

        uint inverse(const uint odd) {  // modulo 2^32, by Newton's method
            uint x = odd;
            for (int i = 0; i < 4; ++i)
                x *= 2 - odd * x;
            return x;
        }
    """
    # The mask has the vertices with a neighbor that changed since they chose, until it is their
    # turn again.
    receive_if = "IN_TURN && (superstep <= ALL_LOOK || get_mask())"
    apply_on = "mask"
    scatter = "send(((uint)v.label + 1) * odd(e.dst, superstep));"
    apply = """
        const int chosen = (int)(msg.key * inverse(odd(v.id, superstep))) - 1;
        if (!has_msg && !IN_TURN)
            set_mask();
        if (has_msg && chosen != v.label) {
            v.label = chosen;
            aggregate_changed(1);
            if (superstep >= ALL_LOOK - 1)
                for (int i = 0; i < num_neighbors; ++i)
                    set_mask_of(neighbor(i));
        }
    """
    stop = "superstep > 0 && agg.changed + prev.changed == 0"
