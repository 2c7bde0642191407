"""Greedy coloring: no two adjacent vertices have the same color, and there are few colors,
though not always the fewest.

Algorithm: the vertices have an order, by default those of higher degree first. A vertex waits until
at most `ahead` of the neighbors before it have no color, and then chooses the least color that no
neighbor has. In the next superstep it tells those that have chosen the same one and come after it
in the order; these wait again. If nobody tells it so, it has the color, and notifies the neighbors
without one. With `ahead=0` none can choose the same, and the colors are those of the sequential
algorithm in that order. Where a vertex needs one of many colors, it takes a random one of a few
that are free, so that fewer choose the same.

A vertex counts the neighbors that it waits for, and remembers which of the 32 colors from `least`
on are taken; as soon as all of them are, it goes on to the next 32, and asks its neighbors, by a
message to itself along each arc, which of these they have.

Sources: Jones and Plassmann, A Parallel Graph Coloring Heuristic (1993), whose chains of vertices
that wait for each other are 8 times as long as there are colors on R-MAT graphs; Gebremedhin and
Manne, Scalable Parallel Graph Coloring Algorithms (2000), to choose first and repair; Hasenplaugh,
Kaler, Schardl and Leiserson, Ordering Heuristics for Parallel Graph Coloring (2014), for the order.

Differences: degrees are compared by the first bits of their floating-point form (the exponent and
three more), so that neighbors of similar degree are in random order; they would otherwise wait for
each other in long chains. Of several that choose the same color, the first in the order keeps it,
so that the colors are the same on every device.
"""

from gascl import VertexProgram, param, vertex


class GreedyColoring(VertexProgram):
    """A color from 0 for every vertex, in `color` (int32): at most one more than the largest
    number of neighbors.

    Args:
        seed: it decides on the order of vertices of similar degree, and so on the coloring.
        precedence: (V,) or {label: number}, 0 or more: vertices with higher numbers choose
            first, and of those with the same number the first vertex.
        ahead: how many earlier neighbors may have no color when a vertex chooses; 0: none.

    Edges run both ways; parallel ones and self-loops change nothing; a vertex without neighbors
    has color 0.
    """

    seed = param.int32(0, low=0)
    ahead = param.int32(32, low=0)
    precedence = vertex.uint32(init="by_degree(v.in_degree + v.out_degree, hash(p.seed) ^ v.id)")
    color = vertex.int32(init=-1, doc="below -1: -2 - a color that is chosen; -1: none yet")
    awaited = vertex.int32(doc="arcs from neighbors before the vertex that have no color")
    least = vertex.int32(doc="all colors below it are taken")
    taken = vertex.uint32(doc="bit i: a neighbor has the color least + i")

    # The lowest 31 bits count arcs, the next one is CLASH, the upper half has the bits of `taken`.
    message = "uint64"
    combine, identity = "((a | b) & ~COUNT) | ((a + b) & COUNT)", "0"
    edges, apply_on = "both", "mask"
    restart = "never"
    functions = """
        #define COUNT 0x7ffffffful
        #define CLASH 0x80000000ul
        #define SPREAD 64
        #define BIT(color, least) \\
            ((color) >= (least) && (color) - (least) < 32 ? 1UL << (32 + (color) - (least)) : 0)

        uint by_degree(const float degree, const uint vertex) {
            return (as_uint(degree) - as_uint(1.0f)) >> 20 << 24 | hash(vertex) >> 8;
        }
    """
    scatter = """
        const int theirs = color_of(e.dst);
        if (v.color == -1 && superstep > 0) {
            const ulong bit = BIT(theirs, v.least);
            if (bit)
                send_to(e.src, bit);
        } else if (v.color < -1 ? theirs == v.color : theirs < 0) {
            const uint next = precedence_of(e.dst);
            const bool first = v.precedence > next || (v.precedence == next && e.src < e.dst);
            const ulong bit = BIT(v.color, least_of(e.dst));  // none, unless it has a color
            if (first || bit)
                send(v.color < -1 ? CLASH : first | bit);
        }
    """
    apply = """
        if (v.color >= 0)
            return;
        const int count = (int)(msg & COUNT), chosen = -2 - v.color;
        v.awaited += superstep == 0 ? count : -count;
        v.taken |= (uint)(msg >> 32);
        if (chosen >= 0 && !(msg & CLASH) && !(BIT(chosen, v.least) & (ulong)v.taken << 32)) {
            v.color = chosen;
            set_mask();
            return;
        }
        v.color = -1;
        if (v.taken == UINT_MAX) {
            v.least += 32;
            v.taken = 0;
            set_mask();
        } else if (v.awaited <= p.ahead && !(msg & CLASH)) {
            uint free = ~v.taken;
            const uint drawn = hash(v.id + hash(superstep));
            for (uint i = drawn % (uint)(min(v.least / SPREAD, v.awaited) + 1); i > 0; --i)
                free &= free & (free - 1) ? free - 1 : free;
            const int color = v.least + popcount(~free & (free - 1));  // the zeros at its end
            v.color = p.ahead ? -2 - color : color;
            set_mask();
        }
    """
