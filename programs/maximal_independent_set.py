"""A maximal independent set: vertices of which no two are adjacent, and to which none can be added.

Algorithm: in each round, every undecided vertex sends its priority, a random number, to its
neighbors. One whose priority is higher than all it receives becomes a member and says so; its
neighbors stay out. Where vertices can apply in place, one whose neighbors of higher priority are
all out becomes a member at once, and one with a member among its neighbors stays out.

Source: Luby, A Simple Parallel Algorithm for the Maximal Independent Set Problem (1986).

Differences: priorities are drawn once, not in each round, and the result is then that of the
sequential greedy algorithm in the order of priorities; rounds are still about log V (Blelloch,
Fineman and Shun, Greedy Sequential Maximal Independent Set and Matching are Parallel on Average,
2012). They are a hash of the vertex and the seed, so that a run gives the same set on every device.
"""

from gascl import VertexProgram, param, vertex


class InPlace(VertexProgram):
    """MaximalIndependentSet in place, where a decision is seen at once."""

    seed = param.int32(0, low=0)
    member = vertex.int8(init=-1)

    edges, order, apply_on = "both", "any", "all"
    restart = "never"
    functions = "#define PRIORITY(id) hash(hash(p.seed) ^ (id))"
    apply = """
        if (v.member >= 0)
            return;
        const ulong mine = PRIORITY(v.id);
        bool highest = true;  // of those that are undecided
        for (int i = 0; i < num_neighbors; ++i) {
            const int other = neighbor(i), theirs = member_of(other);
            if (theirs > 0) {
                v.member = 0;
                return;
            }
            highest = highest && (theirs == 0 || PRIORITY(other) <= mine);
        }
        if (highest)
            v.member = 1;
        else
            set_mask();
    """


class MaximalIndependentSet(VertexProgram):
    """1 in `member` (int8) for the vertices of the set, 0 for the others.

    Args:
        seed: it draws the priorities, and so decides on the set.

    Edges run both ways; parallel ones are one; a self-loop excludes no vertex; a vertex without
    neighbors is a member.
    """

    seed = param.int32(0, low=0)
    member = vertex.int8(init=-1, doc="-1: undecided yet")

    message, combine = "uint64", "max"
    edges, apply_on = "both", "all"
    restart = "never"
    functions = """
        #define PRIORITY hash(hash(p.seed) ^ v.id)
        #define MEMBER ULONG_MAX  // a message higher than any priority
    """
    scatter = "send(v.member > 0 ? MEMBER : PRIORITY);"
    apply = """
        if (v.member >= 0)
            return;
        if (msg == MEMBER) {
            v.member = 0;
        } else {
            if (PRIORITY >= msg)  // equal: a self-loop
                v.member = 1;
            set_mask();
        }
    """

    def in_any_order(self):
        return InPlace(seed=self.seed, **self.initial)
