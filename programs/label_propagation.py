"""Communities by label propagation: each vertex takes the most frequent label among its neighbours.

Algorithm: at first every vertex is its own label. In a superstep, all vertices take the label that
most of their neighbours have, of equally frequent ones the smallest. A neighbour with an arc each
way counts twice, and a vertex without neighbours keeps its label.

Sources: Raghavan, Albert and Kumara, Near Linear Time Algorithm to Detect Community Structures
(2007); LDBC Graphalytics, which defines it as above (CDLP).

Differences: Raghavan, Albert and Kumara break ties at random and update one vertex after the other;
here nothing is random, so that a run repeats. In bipartite parts labels may then swap for ever,
hence a number of supersteps.
"""

from gascl import VertexProgram, aggregate, param, vertex


class LabelPropagation(VertexProgram):
    """A community's label for every vertex, in `label`: one of its vertices (an index).

    Args:
        supersteps: how many times all vertices choose; None: until no label changes, which may
            never be.
    """

    supersteps = param.supersteps(10)
    label = vertex.int32(init="v.id")
    changed = aggregate.int64("count")

    message, gathered = "int32", "int32"
    scatter_on, edges = "all", "both"
    restart = "never"  # other labels at the beginning lead to another answer
    # Heapsort: in place, and n log n also for a hub with a million neighbours.
    functions = """
        void sift(__global int *heap, int at, const int n) {
            const int sinking = heap[at];
            for (int child; (child = 2 * at + 1) < n; at = child) {
                if (child + 1 < n && heap[child] < heap[child + 1])
                    ++child;
                if (heap[child] <= sinking)
                    break;
                heap[at] = heap[child];
            }
            heap[at] = sinking;
        }
        void sort(__global int *values, const int n) {
            for (int at = n / 2; at-- > 0;)
                sift(values, at, n);
            for (int last = n - 1; last > 0; --last) {
                const int greatest = values[0];
                values[0] = values[last];
                values[last] = greatest;
                sift(values, 0, last);
            }
        }
    """
    scatter = "send(v.label);"
    gather = """
        sort(messages, num_messages);
        int most = 0;
        for (int i = 0, begin = 0; i < num_messages; ++i) {
            if (messages[i] != messages[begin])
                begin = i;
            if (i - begin + 1 > most) {
                most = i - begin + 1;
                msg = messages[i];
            }
        }
    """
    apply = """
        if (msg != v.label) {
            v.label = msg;
            aggregate_changed(1);
        }
    """
    stop = "agg.changed == 0"
