"""Communities by label propagation: each vertex takes the most frequent label among its neighbours.

Algorithm: at first every vertex is its own label. In a superstep, all vertices take the label that
most of their neighbours have, of equally frequent ones the smallest. A neighbour with an arc each
way counts twice, and a vertex without neighbours keeps its label.

To find the most frequent label, a vertex first counts its own: if most neighbours have that, it is
the one. Else it divides the labels at one drawn at random into those smaller, equal and larger, and
so on, but drops every part that is smaller than the highest count found so far; small parts are
counted label by label. Few labels remain after some supersteps, and then a hub with a million
neighbours reads each of them once or twice.

Sources: Raghavan, Albert and Kumara, Near Linear Time Algorithm to Detect Community Structures
(2007); LDBC Graphalytics, which defines it as above (CDLP); Dobkin and Munro, Determining the Mode
(1980), the division.

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
    functions = """
        #define FEW 64  // values; to count each needs no branches, and is faster than to sort them

        // The most frequent value, of equally frequent ones the smallest; `guess` is likely.
        int most_frequent(__global int *values, const int n, const int guess) {
            int best = guess, most = 0;
            for (int i = 0; i < n; ++i)
                most += values[i] == guess;
            if (most > n / 2)
                return guess;
            int begin = 0, end = n, parts = 0;
            int2 waiting[32];  // parts; the larger one waits, so that there are at most log2(n)
            while (true) {
                while (end - begin >= most) {
                    if (end - begin <= FEW) {
                        for (int i = begin; i < end; ++i) {
                            int count = 0;
                            for (int j = begin; j < end; ++j)
                                count += values[j] == values[i];
                            if (count > most || (count == most && values[i] < best)) {
                                most = count;
                                best = values[i];
                            }
                        }
                        break;
                    }
                    const int pivot = values[begin + hash(begin ^ end) % (end - begin)];
                    int equal = begin, larger = end;
                    for (int i = begin; i < larger;) {
                        const int value = values[i];
                        if (value < pivot) {
                            values[i++] = values[equal];
                            values[equal++] = value;
                        } else if (value > pivot) {
                            values[i] = values[--larger];
                            values[larger] = value;
                        } else {
                            ++i;
                        }
                    }
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
    scatter = "send(v.label);"
    gather = "msg = most_frequent(messages, num_messages, v.label);"
    apply = """
        if (msg != v.label) {
            v.label = msg;
            aggregate_changed(1);
        }
    """
    stop = "agg.changed == 0"
