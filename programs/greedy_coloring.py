"""Greedy coloring: no two adjacent vertices have the same color, and there are few colors,
though not always the fewest.

Algorithm: the vertices have an order, by default those of higher degree first. A vertex waits until
all neighbors before it have a color, and then takes the least color that none of them has.

Each vertex counts the neighbors that it waits for. One that gets a color notifies those that wait
for it, and tells them the color. A vertex remembers which of the 32 colors from `least` on are
taken; as soon as all of them are, it goes on to the next 32, and asks its neighbors, by a message
to itself along each arc, which of these they have.

Sources: Jones and Plassmann, A Parallel Graph Coloring Heuristic (1993); Hasenplaugh, Kaler,
Schardl and Leiserson, Ordering Heuristics for Parallel Graph Coloring (2014), for the order.

Differences: degrees are compared by the first bits of their floating-point form (the exponent and
three more), so that neighbors of similar degree are in random order; they would otherwise wait for
each other in long chains. The
colors are those of a sequential greedy coloring in that order, the same on every device.
"""

from gascl import VertexProgram, param, vertex


class GreedyColoring(VertexProgram):
    """A color from 0 for every vertex, in `color` (int32): at most one more than the largest
    number of neighbors.

    Args:
        seed: another one orders vertices of similar degree otherwise, and finds another coloring.
        precedence: (V,) or {label: number}, 0 or more: who chooses first, vertices with higher
            numbers, and of those with the same number the first vertex.

    Edges run both ways; parallel ones and self-loops change nothing; a vertex without neighbors
    has color 0.
    """

    seed = param.int32(0, low=0)
    precedence = vertex.uint32(init="by_degree(v.in_degree + v.out_degree, hash(p.seed) ^ v.id)")
    color = vertex.int32(init=-1, doc="below 0: none yet")
    awaited = vertex.int32(doc="arcs from neighbors that the vertex waits for")
    least = vertex.int32(doc="all colors below it are taken")
    taken = vertex.uint32(doc="bit i: a neighbor has the color least + i")

    # The lower half counts arcs, the upper half has the bits of `taken`.
    message = "uint64"
    combine, identity = "(a | b) >> 32 << 32 | (uint)(a + b)", "0"
    edges, apply_on = "both", "mask"
    restart = "never"
    functions = """
        #define BIT(color, least) \\
            ((color) >= (least) && (color) - (least) < 32 ? 1UL << (32 + (color) - (least)) : 0)

        uint by_degree(const float degree, const uint vertex) {
            return (as_uint(degree) - as_uint(1.0f)) >> 20 << 24 | hash(vertex) >> 8;
        }
    """
    scatter = """
        const uint theirs = precedence_of(e.dst);
        const bool first = v.precedence > theirs || (v.precedence == theirs && e.src < e.dst);
        if (superstep == 0) {
            if (first)
                send(1);
        } else if (v.color < 0) {
            const ulong bit = BIT(color_of(e.dst), v.least);
            if (bit)
                send_to(e.src, bit);
        } else if (first) {
            send(1 | BIT(v.color, least_of(e.dst)));
        }
    """
    apply = """
        if (v.color >= 0)
            return;
        const int count = (int)(uint)msg;
        v.awaited += superstep == 0 ? count : -count;
        v.taken |= (uint)(msg >> 32);
        if (v.taken == UINT_MAX) {
            v.least += 32;
            v.taken = 0;
            set_mask();
        } else if (v.awaited == 0) {
            v.color = v.least + popcount(v.taken & ~(v.taken + 1));  // the ones that it ends with
            set_mask();
        }
    """
