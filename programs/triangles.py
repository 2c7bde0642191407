"""Triangles: how many each vertex is in.

Algorithm: vertices are numbered by degree and every edge leads to the higher number, so that hubs
have few out-arcs and each triangle a -> b -> c, a -> c is found once: c is an out-neighbour of both
a and its out-neighbour b. A vertex a puts its own out-neighbours into a hash table and looks up
those of each b there.

Sources: Schank and Wagner, Finding, Counting and Listing all Triangles in Large Graphs (2005), the
algorithm `forward-hashed`; Latapy, Main-memory Triangle Computations (2008).

Differences: the table is small enough for a processor's innermost cache. A row that is longer than
it takes is looked up part by part.
"""

import numpy as np

from gascl import VertexProgram, param, vertex


class Count(VertexProgram):
    """How many triangles of an oriented graph each vertex is in.

    VERTEX and WAYS are for LocalClustering: which vertex the end of an arc stands for, and how many
    arcs of the original graph the arc does.
    """

    supersteps = param.supersteps(2)
    closed = vertex.int64(doc="for each triangle, the ways of the edge between the other two")

    message, combine = "int64", "sum"
    mask, apply_on, ends = "v.id < 0", "all", "stop"  # no vertex scatters
    functions = """
        #define VERTEX(end) (end)
        #define WAYS(end) 1
    """
    apply = """
        #define MOST 512  // out-neighbours in the table at a time
        #define HEADS (16 * MOST)

        if (superstep > 0) {
            v.closed += msg;
            return;
        }
        const int degree = num_neighbors;
        ushort head[HEADS], next[MOST + 1];  // chains of places in the table; 0 ends them
        int end[MOST + 1], found[MOST + 1];
        for (int begin = 0; degree > 1 && begin < degree; begin += MOST) {
            const int count = min(MOST, degree - begin);
            const int mask = (int)(0xffffffffu >> clz(16 * count - 1));
            for (int i = 0; i <= mask; ++i)
                head[i] = 0;
            for (int i = 1; i <= count; ++i) {
                end[i] = neighbor(begin + i - 1);
                found[i] = 0;
                const int chain = VERTEX(end[i]) & mask;
                next[i] = head[chain];
                head[chain] = i;
            }
            for (int i = 0; i < degree; ++i) {
                const int to_b = neighbor(i), b = VERTEX(to_b);
                if (b >= VERTEX(end[count]))
                    break;  // all that follows b is beyond this part of the row
                const int others = num_neighbors_of(b);
                int between_b_c = 0, between_a_c = 0;
                for (int j = 0; j < others; ++j) {
                    const int to_c = neighbor_of(b, j), c = VERTEX(to_c);
                    int at = head[c & mask];
                    while (at && VERTEX(end[at]) != c)
                        at = next[at];
                    if (at) {
                        found[at] += WAYS(to_b);
                        between_b_c += WAYS(to_c);
                        between_a_c += WAYS(end[at]);
                    }
                }
                if (between_b_c) {
                    send_to(b, between_a_c);
                    v.closed += between_b_c;
                }
            }
            for (int i = 1; i <= count; ++i)
                if (found[i])
                    send_to(VERTEX(end[i]), found[i]);
        }
    """


class Triangles(VertexProgram):
    """The triangles that each vertex is in, in `triangles` (int64), as NetworkX counts them.

    They are those of the simple graph beneath: direction, self-loops and parallel edges do not
    count. `wedges` (int64) is how many pairs of neighbours a vertex has there. The whole graph has
    `triangles.sum() // 3` triangles, and its transitivity (global clustering) is
    `triangles.sum() / wedges.sum()`.
    """

    triangles = vertex.int64()
    wedges = vertex.int64()

    def solve(self, stages):
        upwards, number = stages.graph.oriented()
        found = stages.run(Count(), graph=upwards, fresh=True)
        degree = upwards.out_degree.astype(np.int64) + upwards.in_degree
        return {
            "triangles": found.closed[number],
            "wedges": (degree * (degree - 1) // 2)[number],
        }
