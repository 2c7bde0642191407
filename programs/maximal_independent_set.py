"""A maximal independent set: vertices of which no two are adjacent, and to which none can be added.

In each round every undecided vertex tells its neighbours its priority, a random number; it joins
where it has the highest of those still undecided around it, says so, and its neighbours stay out.
Luby, A Simple Parallel Algorithm for the Maximal Independent Set Problem (1986).

Departures: the priorities are drawn once, not anew in each round: what comes out is then what one
vertex after the other, by priority, would choose, in about log V rounds nevertheless (Blelloch,
Fineman and Shun 2012). They are a hash of the vertex and the seed, so that a run repeats anywhere.
"""

from gascl import VertexProgram, param, vertex


class MaximalIndependentSet(VertexProgram):
    """1 in `member` (int8) for the vertices of the set, 0 for the others.

    Args:
        seed: another one draws other priorities, and finds another set.

    Edges run both ways; parallel ones are one; a self-loop keeps nobody out; a vertex without
    neighbours is a member.
    """

    seed = param.int32(0, low=0)
    member = vertex.int8(init=-1, doc="-1: undecided yet")

    message, combine = "uint64", "max"
    edges, apply_on = "both", "all"
    restart = "never"
    scatter = "send(v.member > 0 ? ULONG_MAX : hash(hash(p.seed) ^ v.id));"
    apply = """
        if (v.member >= 0)
            return;
        if (msg == ULONG_MAX) {
            v.member = 0;
        } else {
            if (hash(hash(p.seed) ^ v.id) >= msg)  // equal: a self-loop
                v.member = 1;
            set_mask();
        }
    """
