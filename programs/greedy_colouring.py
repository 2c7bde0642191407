"""Greedy colouring: no two adjacent vertices have the same colour, and there are few colours,
though not always the fewest.

Algorithm: every vertex has a priority, a random number unless it is given. It waits until all
neighbours of higher priority have a colour, and then takes the least one that no neighbour has.

Source: Jones and Plassmann, A Parallel Graph Coloring Heuristic (1993).

Differences: priorities are a hash of the vertex and the seed, so that a run gives the same colours
on every device, those of a sequential greedy colouring in the order of priorities; ties go to the
first vertex. A vertex counts how many neighbours it waits for, and hears once from each that has a
colour, instead of asking all of them in every round.
"""

from gascl import VertexProgram, param, vertex


class GreedyColouring(VertexProgram):
    """A colour from 0 for every vertex, in `colour` (int32): at most one more than the largest
    number of neighbours.

    Args:
        seed: another one draws other priorities, and finds another colouring.
        precedence: (V,) or {label: number}, 0 or more: who chooses first, vertices with higher
            numbers, and of those with the same number the first vertex. By default it is drawn.

    Edges run both ways; parallel ones and self-loops change nothing; a vertex without neighbours
    has colour 0.
    """

    seed = param.int32(0, low=0)
    precedence = vertex.uint32(init="hash(hash(p.seed) ^ v.id)")
    # Below 0: minus the arcs from neighbours that it waits for.
    colour = vertex.int32(init="v.in_degree + v.out_degree ? -1 : 0")

    message, combine = "int32", "sum"
    edges = "both"
    restart = "never"
    # At first every vertex tells who has to wait for it; later, one with a new colour tells those.
    scatter = """
        const uint theirs = precedence_of(e.dst);
        const bool first = v.precedence > theirs || (v.precedence == theirs && e.src < e.dst);
        if (first || superstep == 0)
            send(first);
    """
    apply = """
        v.colour = superstep == 0 ? -msg : v.colour + msg;
        if (v.colour < 0)
            return;
        ulong taken;  // bit i: a neighbour has the colour least + i
        int least = -64;
        do {
            taken = 0;
            least += 64;
            for (int i = 0; i < num_neighbors; ++i) {
                const int colour = colour_of(neighbor(i)) - least;
                if (colour >= 0 && colour < 64)
                    taken |= 1UL << colour;
            }
        } while (taken == ULONG_MAX);
        v.colour = least + popcount(taken & ~(taken + 1));  // the number of ones that it ends with
        set_mask();
    """
