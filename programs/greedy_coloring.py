"""Greedy coloring: no two adjacent vertices have the same color, and there are few colors,
though not always the fewest.

Algorithm: every vertex has a priority, a random number unless it is given. It waits until all
neighbors of higher priority have a color, and then takes the least one that no neighbor has.

Source: Jones and Plassmann, A Parallel Graph Coloring Heuristic (1993).

Differences: priorities are a hash of the vertex and the seed, so that a run gives the same colors
on every device, those of a sequential greedy coloring in the order of priorities; ties go to the
first vertex. A vertex counts the neighbors that it waits for, and gets one message from each when
it has a color, instead of reading all of them in every round.
"""

from gascl import VertexProgram, param, vertex


class GreedyColoring(VertexProgram):
    """A color from 0 for every vertex, in `color` (int32): at most one more than the largest
    number of neighbors.

    Args:
        seed: another one draws other priorities, and finds another coloring.
        precedence: (V,) or {label: number}, 0 or more: who chooses first, vertices with higher
            numbers, and of those with the same number the first vertex. By default it is drawn.

    Edges run both ways; parallel ones and self-loops change nothing; a vertex without neighbors
    has color 0.
    """

    seed = param.int32(0, low=0)
    precedence = vertex.uint32(init="hash(hash(p.seed) ^ v.id)")
    # Below 0: minus the arcs from neighbors that it waits for.
    color = vertex.int32(init="v.in_degree + v.out_degree ? -1 : 0")

    message, combine = "int32", "sum"
    edges = "both"
    restart = "never"
    # At first every vertex notifies the neighbors that wait for it; later, those that got a color.
    scatter = """
        const uint theirs = precedence_of(e.dst);
        const bool first = v.precedence > theirs || (v.precedence == theirs && e.src < e.dst);
        if (first || superstep == 0)
            send(first);
    """
    apply = """
        v.color = superstep == 0 ? -msg : v.color + msg;
        if (v.color < 0)
            return;
        ulong taken;  // bit i: a neighbor has the color least + i
        int least = -64;
        do {
            taken = 0;
            least += 64;
            for (int i = 0; i < num_neighbors; ++i) {
                const int color = color_of(neighbor(i)) - least;
                if (color >= 0 && color < 64)
                    taken |= 1UL << color;
            }
        } while (taken == ULONG_MAX);
        v.color = least + popcount(taken & ~(taken + 1));  // the number of ones that it ends with
        set_mask();
    """
