"""Communities by label propagation: each vertex takes the most frequent label among its neighbors.

Algorithm: at first every vertex is its own label. In a superstep, all vertices take the label that
most of their neighbors have, of equally frequent ones the smallest. A neighbor with an arc each
way counts twice, and a vertex without neighbors keeps its label.

To find the most frequent label, a vertex first counts its own: if most neighbors have that, it is
the one. Else it divides the labels at one drawn at random into those smaller, equal and larger, and
so on, but drops every part that is smaller than the highest count found so far; small parts are
counted label by label. Few labels remain after some supersteps, and then a hub with a million
neighbors reads each of them once or twice. A vertex whose neighbors all kept their labels would
choose as before, and does not look again.

Sources: Raghavan, Albert and Kumara, Near Linear Time Algorithm to Detect Community Structures
(2007); LDBC Graphalytics, which defines it as above (CDLP); Dobkin and Munro, Determining the Mode
(1980), the division.

Differences: Raghavan, Albert and Kumara break ties at random and update one vertex after the other;
here nothing is random, so that a run repeats. In bipartite parts labels may then swap for ever,
hence a number of supersteps.
"""

from gascl import VertexProgram, aggregate, param, vertex


class LabelPropagation(VertexProgram):
    """A community's label for every vertex, in `label`: one of its vertices.

    Args:
        supersteps: how many times all vertices choose; None: until no label changes, which may
            never be.
    """

    supersteps = param.supersteps(10)
    label = vertex.vertex(init="v.id")
    changed = aggregate.int64("count")

    message, gathered = "vertex", "vertex"
    scatter_on, edges = "all", "both"
    restart = "never"  # other labels at the beginning lead to another answer
    functions = """
        #define ALL_LOOK 2  // the last superstep in which everybody looks
        #define FEW 64  // values; to count each needs no branches, and is faster than to sort them

        // Whether values are in order, as labels are at first; then also the most frequent one.
        bool count_ordered(__global const int *values, const int n, int *frequent) {
            int most = 0, run = 0;
            for (int i = 0; i < n; ++i) {
                if (i > 0 && values[i] < values[i - 1])
                    return false;
                run = i > 0 && values[i] == values[i - 1] ? run + 1 : 1;
                if (run > most) {
                    most = run;
                    *frequent = values[i];
                }
            }
            return true;
        }

        // Counts each of a few values; those that are more frequent than `*best` take its place.
        void count_few(__global const int *values, const int begin, const int end, int *most,
                       int *best) {
            int i = begin;
            for (; end - begin >= 16 && i < end; i += 16) {
                const int from = min(i, end - 16);
                const int16 sixteen = vload16(0, values + from);
                int16 counts = 0;
                for (int j = begin; j < end; ++j)
                    counts -= sixteen == values[j];
                if (!any(counts > *most || (counts == *most && sixteen < *best)))
                    continue;
                int each[16];
                vstore16(counts, 0, each);
                for (int j = 0; j < 16; ++j)
                    if (each[j] > *most || (each[j] == *most && values[from + j] < *best)) {
                        *most = each[j];
                        *best = values[from + j];
                    }
            }
            for (; i < end; ++i) {
                int count = 0;
                for (int j = begin; j < end; ++j)
                    count += values[j] == values[i];
                if (count > *most || (count == *most && values[i] < *best)) {
                    *most = count;
                    *best = values[i];
                }
            }
        }

        // Moves the values that equal `value` to the front, and returns where they end. Without a
        // branch, which would be mispredicted half of the time.
        int move_equal(__global int *values, const int begin, const int end, const int value) {
            int front = begin;
            for (int i = begin; i < end; ++i) {
                const int other = values[i];
                values[i] = values[front];
                values[front] = other;
                front += other == value;
            }
            return front;
        }

        // The same for the values that are less than `value`.
        int move_less(__global int *values, const int begin, const int end, const int value) {
            int front = begin;
            for (int i = begin; i < end; ++i) {
                const int other = values[i];
                values[i] = values[front];
                values[front] = other;
                front += other < value;
            }
            return front;
        }

        // The most frequent value, of equally frequent ones the smallest; `guess` is likely.
        int most_frequent(__global int *values, const int n, const int guess) {
            int best = guess, most = 0;
            for (int i = 0; i < n; ++i)
                most += values[i] == guess;
            int frequent;
            if (most > n / 2)
                return guess;
            if (count_ordered(values, n, &frequent))
                return frequent;
            int begin = 0, end = n, parts = 0;
            int2 waiting[32];  // parts; the larger one waits, so that there are at most log2(n)
            while (true) {
                while (end - begin >= most) {
                    if (end - begin <= FEW) {
                        count_few(values, begin, end, &most, &best);
                        break;
                    }
                    const int pivot = values[begin + hash(begin ^ end) % (end - begin)];
                    const int equal = move_less(values, begin, end, pivot);
                    const int larger = move_equal(values, equal, end, pivot);
                    const int count = larger - equal;
                    if (count > most || (count == most && pivot < best)) {
                        most = count;
                        best = pivot;
                    }
                    if (equal - begin < end - larger) {
                        waiting[parts++] = (int2)(larger, end);
                        end = equal;
                    } else {
                        waiting[parts++] = (int2)(begin, equal);
                        begin = larger;
                    }
                }
                if (parts == 0)
                    return best;
                begin = waiting[--parts].x;
                end = waiting[parts].y;
            }
        }
    """
    # The mask has the vertices with a neighbor that changed in the previous superstep: no other
    # needs to look again. In the first supersteps nearly all change, and it costs less if all look.
    receive_if = "superstep <= ALL_LOOK || get_mask()"
    scatter = "send(v.label);"
    gather = "msg = most_frequent(messages, num_messages, v.label);"
    apply = """
        if (msg != v.label) {
            v.label = msg;
            aggregate_changed(1);
            for (int i = 0; superstep >= ALL_LOOK && i < num_neighbors; ++i)
                set_mask_of(neighbor(i));
        }
    """
    stop = "agg.changed == 0"
