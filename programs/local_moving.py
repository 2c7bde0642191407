"""Vertices that move between communities: the stages that Louvain and Leiden share."""

from gascl import VertexProgram, aggregate, by_key, edge, param, struct, vertex

#: What a vertex hears of a neighbor: its community, and the weight of the edge, 0 for a self-loop.
LINK = struct([("target", "int32"), ("weight", "int64")])
#: What all stages share. Weights and masses are integers, so that sums do not depend on the order.
#: Vertices look around in turns. Of two neighbors in the same turn, neither sees what the other one
#: does: if too many move at once, they change places forever.
MACROS = """
    #define ROUND (superstep / p.turns)
    #define HAS_TURN(id) (((hash((id) ^ hash(p.seed + ROUND)) ^ superstep) & (p.turns - 1)) == 0)
    #define IS_LONE(community) (total_of(community) == mass_of(community))
    // What v adds to a community of such a total to which it has edges of such a weight.
    #define GAIN_OF(weight, total) ((weight) - p.price * v.mass * (total))
"""


class Move(VertexProgram):
    """Vertices go to the communities to which they add most, until none adds more elsewhere.

    Only those look around that have a neighbor which has moved to another community than theirs.
    """

    Link = LINK
    seed = param.uint32(doc="another one gives vertices other turns")
    turns = param.int32(4, doc="of a round, a power of two: each vertex has one of them")
    price = param.real(doc="of a unit of mass next to another one, as a weight")
    rounds = param.int32(100, doc="at most, since synchronous moves may go on forever")
    few = param.int64(doc="it ends when no more vertices than that have moved or have yet to look")
    weight = edge.int64(default=1)
    mass = vertex.int64()
    group = vertex.vertex(init="v.id", doc="its community, by the number of a vertex")
    total = vertex.int64(init="v.mass", doc="the mass of the community of this number")
    waits = vertex.int8(init=1, doc="whether it looks around even if no neighbor has moved")
    busy = aggregate.int64("count", doc="vertices that moved or wait for their turn")

    message, combine = Link, by_key("target", weight="sum")
    scatter_on, edges, apply_on, mask = "all", "both", "mask", "v.waits"
    functions = f"""{MACROS}
        #define OTHERS(c) (total_of(c) - ((c) == v.group ? v.mass : 0))
        #define GAIN(link) GAIN_OF((link).weight, OTHERS((link).target))
        // A number below 2e-10 that depends on the vertex and the community.
        #define ANY(c) (1e-17 * (hash((c) ^ hash(v.id ^ p.seed)) >> 8))
    """
    scatter = "send((Link){v.group, e.src == e.dst ? 0 : e.weight});"
    receive_if = "get_mask() && HAS_TURN(v.id)"
    # A vertex stays where it is unless it gains more elsewhere than rounding can explain. Of equal
    # gains, as there are many without weights by CPM, it takes any: the smallest number would draw
    # all vertices into few communities.
    prefer = "GAIN(a) + (a.target == v.group ? 1e-9 : ANY(a.target)) * a.weight"
    apply = """
        if (!HAS_TURN(v.id)) {
            aggregate_busy(1);
            set_mask();
            return;
        }
        if (!has_msg)
            return;
        int target = msg.target;
        const real stays = GAIN_OF(0, OTHERS(v.group));
        real gain = GAIN(msg);
        if (target != v.group && gain <= stays) {
            target = v.group;
            gain = stays;
        }
        if (gain < 0 && total_of(v.id) == 0)
            target = v.id;
        if (target == v.group)
            return;
        aggregate_busy(1);
        // Two lone vertices would change places.
        if (target > v.group && IS_LONE(v.group) && IS_LONE(target)
                && group_of(target) == target && get_mask_of(target) && HAS_TURN(target)) {
            set_mask();
            return;
        }
        add_to_total(v.group, -v.mass);
        add_to_total(target, v.mass);
        v.group = target;
        for (int i = 0; i < num_neighbors; ++i)
            if (group_of(neighbor(i)) != target)
                set_mask_of(neighbor(i));
    """
    stop = "agg.busy <= p.few || superstep + 1 == p.turns * p.rounds"


class Refine(VertexProgram):
    """Lone vertices join others of the same `group`: connected parts of each group.

    A vertex joins only a part that none leaves at the same time: one of several vertices, or one
    whose vertex has another turn.
    """

    supersteps = param.supersteps()
    Link = LINK
    seed = param.uint32(doc="another one gives vertices other turns")
    turns = param.int32(4, doc="of a round, a power of two: each vertex has one of them")
    price = param.real(doc="of a unit of mass next to another one, as a weight")
    weight = edge.int64(default=1)
    mass = vertex.int64()
    group = vertex.vertex()
    part = vertex.vertex(init="v.id", doc="by the number of its first vertex")
    total = vertex.int64(init="v.mass", doc="the mass of the part of this number")
    joined = vertex.int8(doc="whether another vertex has joined this one")

    message, combine = Link, by_key("target", weight="sum")
    scatter_on, edges, apply_on = "all", "both", "mask"
    mask = "false"  # then, those that others have just joined
    functions = f"""{MACROS}
        #define IS_OPEN(c) (group_of(c) == v.group && !(IS_LONE(c) && HAS_TURN(c)))
        #define GAIN(link) (IS_OPEN((link).target) \\
                            ? GAIN_OF((link).weight, total_of((link).target)) : -1)
    """
    scatter = "send((Link){v.part, e.src == e.dst ? 0 : e.weight});"
    receive_if = "v.part == v.id && !v.joined && !get_mask() && HAS_TURN(v.id)"
    prefer = "GAIN(a)"
    apply = """
        if (get_mask()) {
            v.joined = 1;
        } else if (GAIN(msg) > 0) {
            add_to_total(v.id, -v.mass);
            add_to_total(msg.target, v.mass);
            v.part = msg.target;
            set_mask_of(msg.target);
        }
    """
