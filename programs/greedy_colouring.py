"""A colouring: no two adjacent vertices alike, with few colours, though not always the fewest.

Each vertex waits for its neighbours of higher priority, a random number, and then takes the least
colour that none of them has. Jones and Plassmann, A Parallel Graph Coloring Heuristic (1993).

Departures: the priorities are a hash of the vertex and the seed, so that a run repeats anywhere and
gives what one vertex after the other, by priority, would choose. A vertex counts for whom it waits,
and hears once of each that is done, instead of asking all its neighbours in every round.
"""

from gascl import VertexProgram, param, vertex


class GreedyColouring(VertexProgram):
    """A colour from 0 for every vertex, in `colour` (int32): at most one more than the largest
    number of neighbours.

    Args:
        seed: another one draws other priorities, and finds another colouring.

    Edges run both ways; parallel ones and self-loops change nothing; a vertex without neighbours
    has colour 0.
    """

    seed = param.int32(0, low=0)
    # Until there is one: minus the arcs from neighbours that go first and have none, either.
    colour = vertex.int32(init="v.in_degree + v.out_degree ? -1 : 0")

    message, combine = "int32", "sum"
    edges = "both"
    restart = "never"
    # At first everyone tells who has to wait for it; later, those with a new colour that they do.
    scatter = """
        const uint seed = hash(p.seed);
        const bool first = hash(seed ^ v.id) > hash(seed ^ e.dst);
        if (first || superstep == 0)
            send(first);
    """
    apply = """
        v.colour = superstep == 0 ? -msg : v.colour + msg;
        if (v.colour < 0)
            return;
        ulong taken;  // of 64 colours, from `least`
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
        v.colour = least + popcount(taken & ~(taken + 1));  // as many ones as it ends with
        set_mask();
    """
