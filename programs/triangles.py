"""Triangles: how many each vertex is in.

Algorithm: where degrees differ much, vertices are numbered by degree, the highest first, so that
few neighbors of a vertex have lower numbers than itself. A triangle c < b < a is found once, by
the vertex in the middle: b puts its lower neighbors into a hash table, and looks up there the
neighbors of each higher neighbor a, which are sorted, up to b itself.

Sources: Schank and Wagner, Finding, Counting and Listing all Triangles in Large Graphs (2005), the
algorithm `forward-hashed`; Latapy, Main-memory Triangle Computations (2008); Beamer, Asanovic and
Patterson, The GAP Benchmark Suite (2015), which renumbers vertices only where degrees differ.

Differences: there, a triangle is found by its first or its last vertex. The middle one reads only
the beginning of each row, which is a quarter of the look-ups on a Kronecker graph. The table is
small enough for a processor's innermost cache; a row that is longer than it takes is looked up part
by part. Self-loops and parallel edges are passed over instead of being removed.
"""

import numpy as np

from gascl import Graph, VertexProgram, param, vertex


class Count(VertexProgram):
    """How many triangles each vertex is in, and how many pairs of neighbors it has.

    VERTEX and WAYS are for LocalClustering: the vertex that an entry of a row stands for, and what
    counts where a vertex has `entries` different ones.
    """

    supersteps = param.supersteps(2)
    closed = vertex.int64(doc="for each triangle, the ways of the edge between the other two")
    neighbor_pairs = vertex.int64()

    message, combine, edges = "int64", "sum", "both"
    mask, apply_on, ends = "v.id < 0", "all", "stop"  # no vertex scatters
    functions = """
        #define VERTEX(entry) (entry)
        #define WAYS(entries) 1
    """
    apply = """
        #define MOST 1024  // neighbors in the table at a time
        #define HEADS (8 * MOST)
        #define AHEAD 8  // rows that are fetched together
        #define HELD 64  // entries of a row that are looked up together

        if (superstep > 0) {
            v.closed += msg;
            return;
        }
        const int degree = num_neighbors;
        int lower = 0, higher = 0, different = 0;  // where the higher neighbors begin
        for (int i = 0, last = v.id; i < degree; ++i) {
            const int other = VERTEX(neighbor(i));
            lower += other < v.id;
            higher += other <= v.id;
            different += other != last && other != v.id;
            last = other;
        }
        v.neighbor_pairs = (long)different * (different - 1) / 2;

        ushort head[HEADS], next[MOST + 1];  // chains of places in the table; 0 ends them
        int end[MOST + 1], ways[MOST + 1], found[MOST + 1], first[AHEAD], held[HELD];
        for (int begin = 0; begin < lower && higher < degree;) {
            const int mask = (int)(0xffffffffu >> clz(8 * min(MOST, lower - begin) - 1));
            for (int i = 0; i <= mask; ++i)
                head[i] = 0;
            int count = 0;
            for (; begin < lower; ++begin) {
                const int to_c = neighbor(begin), c = VERTEX(to_c);
                if (count && c == end[count]) {
                    ways[count] += to_c != neighbor(begin - 1);
                    continue;
                }
                if (count == MOST)
                    break;
                end[++count] = c;
                ways[count] = 1;
                found[count] = 0;
                next[count] = head[c & mask];
                head[c & mask] = count;
            }
            for (int i = higher; i < degree; ++i) {
                const int turn = (i - higher) % AHEAD;
                for (int k = 0; turn == 0 && k < AHEAD && i + k < degree; ++k)
                    first[k] = VERTEX(neighbor_of(VERTEX(neighbor(i + k)), 0));
                const int a = VERTEX(neighbor(i));
                if (first[turn] >= v.id || (i > higher && a == VERTEX(neighbor(i - 1))))
                    continue;
                int ways_to_a = 1, between_a_c = 0, between_b_c = 0, last = -1;
                for (int k = i + 1; k < degree && VERTEX(neighbor(k)) == a; ++k)
                    ways_to_a += neighbor(k) != neighbor(k - 1);
                bool whole = false;
                for (int j = 0; !whole;) {
                    // Few are in the table: these are collected without a branch.
                    int likely = 0;
                    for (const int stop = j + HELD; j < stop; ++j) {
                        const int to_c = neighbor_of(a, j);
                        whole = VERTEX(to_c) >= v.id;  // at the latest at v itself
                        if (whole)
                            break;
                        held[likely] = to_c;
                        likely += head[VERTEX(to_c) & mask] != 0;
                    }
                    for (int k = 0; k < likely; ++k) {
                        const int c = VERTEX(held[k]);
                        int at = head[c & mask];
                        while (at && end[at] != c)
                            at = next[at];
                        if (!at || held[k] == last)
                            continue;
                        if (last < 0 || c != VERTEX(last)) {
                            between_b_c += WAYS(ways[at]);
                            found[at] += WAYS(ways_to_a);
                        }
                        between_a_c += 1;
                        last = held[k];
                    }
                }
                if (between_a_c) {
                    send_to(a, between_b_c);
                    v.closed += between_a_c;
                }
            }
            for (int i = 1; i <= count; ++i)
                if (found[i])
                    send_to(end[i], found[i]);
        }
    """


def in_order(graph: Graph) -> tuple[Graph, np.ndarray | slice]:
    """The graph, by degree where degrees differ so much that it saves time; and the number of each
    vertex in it, or all vertices as a slice if they keep theirs."""
    degree = np.diff(graph.arcs("both").out_offsets).astype(np.float64)
    if (degree @ degree) * len(degree) <= 2 * degree.sum() ** 2:
        return graph, slice(None)
    return graph.by_degree()


class Triangles(VertexProgram):
    """The triangles that each vertex is in, in `triangles` (int64), as NetworkX counts them.

    They are those of the simple graph beneath: direction, self-loops and parallel edges do not
    count. `wedges` (int64) is how many pairs of neighbors a vertex has there. The whole graph has
    `triangles.sum() // 3` triangles, and its transitivity (global clustering) is
    `triangles.sum() / wedges.sum()`.
    """

    triangles = vertex.int64()
    wedges = vertex.int64()

    def solve(self, stages):
        graph, number = in_order(stages.graph)
        found = stages.run(Count(), graph=graph, fresh=True)
        return {"triangles": found.closed[number], "wedges": found.neighbor_pairs[number]}
