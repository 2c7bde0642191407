"""The programs whose generated headers are tested; three of the headers are kept in golden/."""

from gascl import VertexProgram, aggregate, arc, edge, param, struct, vertex
from gascl.programs import PageRank, ShortestPaths


class Masks(VertexProgram):
    """Every word of masks, integers, a choice, and messages that are checked for overflow."""

    level = vertex.uint8(init="v.id % 3")
    heard = vertex.int64()
    cost = edge.int16(default=1)
    root = param.vertex()
    most = param.int32(9)
    rule = param.choice("near", "far")
    seen = aggregate.int32("sum")
    least = aggregate.uint16("min")

    message, combine = "int32", "sum"
    edges = "both"
    mask = "v.id == p.root || v.in_degree > g.num_edges"
    init = "aggregate_least(v.level); if (v.id == 1) set_mask_of(0);"
    functions = "int twice(int x) { return 2 * x; }"
    scatter = """
        if (e.reversed && p.rule == rule_far)
            return;
        set_mask_of(e.dst);
        if (get_mask_of(e.dst))
            set_mask();
        send(twice(e.cost) + (int)(e.id % 2));
    """
    apply = """
        v.heard += msg;
        aggregate_seen(has_msg);
        if (superstep > p.most || prev.seen == 0)
            return;
        if (get_mask())
            unset_mask();
        else
            set_mask_of(v.id / 2);
    """
    stop = "agg.seen == 0 || superstep > p.most"


class Everywhere(VertexProgram):
    """What travels along arcs and to anyone, in three lanes: structs, arc state, the adjacency."""

    Pair = struct([("distance", "real"), ("parent", "int32")])
    best = vertex.struct(Pair, init="(Pair){v.id == p.source ? 0 : INFINITY, -1}")
    up = vertex.int32(init="v.id + lane")
    place = vertex.real2()
    used = arc.int16(init="e.id % 2")
    rest = arc.struct(Pair, init="(Pair){e.used, e.dst}")
    weight = edge.real(default=1)
    source = param.vertex()
    change = aggregate.real("sum")
    mean = aggregate.int32("mean")
    calls = aggregate.real("count")
    farthest = aggregate.struct(Pair, "a.distance > b.distance ? a : b", identity="(Pair){0}")

    lanes = 3
    message = Pair
    combine = "a.distance < b.distance ? a : b"
    identity = "(Pair){INFINITY, -1}"
    mask = "v.id == p.source"
    scatter = """
        e.used += 1;
        if (e.used > 3 || has_edge(e.dst, v.id))
            return;
        send((Pair){v.best.distance + e.weight, v.id});
        send_to(up_of(e.dst), e.rest);
    """
    apply = """
        v.up = up_of(up_of(v.up));
        for (int i = 0; i < num_neighbors; ++i)
            if (best_of(neighbor(i)).distance < msg.distance)
                set_mask_of(neighbor(i));
        if (msg.distance < v.best.distance) {
            v.best = msg;
            send_to(v.up, (Pair){msg.distance, lane});
            aggregate_farthest(msg);
            aggregate_change(1);
        }
        aggregate_mean(prev.calls);
        aggregate_calls(1);
    """
    stop = "agg.farthest.distance > 100 || agg.mean > 1000"


class Singly(VertexProgram):
    """Messages one by one, and what debug mode adds."""

    x = vertex.real(init="1.0f / (1 + v.id)")
    share = vertex.real()
    most = aggregate.real("max")

    message, gathered, identity = "real", "float64", "-1"
    scatter = "send(v.x / v.out_degree);"
    gather = """
        for (int i = 0; i < num_messages; ++i)
            if (messages[i] > msg / num_messages)
                msg = messages[i] += share_of(neighbor(i % num_neighbors));
    """
    apply_on = "all"
    apply = """
        v.share = msg / prev.most;
        v.x /= 2 + v.share;
        aggregate_most(v.x);
        if (has_msg)
            set_mask();
    """


class AllPairs(VertexProgram):
    """What every vertex gives to every other one: structs, vectors, lanes, a mask."""

    Force = struct([("along", "real2"), ("up", "real")])
    Known = struct([("weight", "real"), ("kind", "int32")])
    place = vertex.real2()
    known = vertex.struct(Known)
    push = vertex.struct(Force)
    reach = param.real(2.0)
    change = aggregate.real("max")

    message, combine = Force, "sum"
    mask = "v.in_degree > 1"
    pairs = """
        const real far = sqrt(u.place.x * v.place.x + exp(-p.reach));
        if (far > prev.change || u.known.kind == v.out_degree)
            return;
        send((Force){v.place - u.place, u.known.weight / far});
    """
    apply = """
        v.push = msg;
        aggregate_change(msg.up);
        set_mask();
    """
    stop = "superstep > 3"


class Fewer(VertexProgram):
    """The same in few words: how many have a smaller id, and what is seen of integers."""

    below = vertex.int32()
    supersteps = param.supersteps(1)
    message, combine = "int32", "sum"
    scatter_on = "all"
    scatter = "send(1000);"
    pairs = "if (u.id < v.id) send(1);"
    apply = "v.below = msg;"


class Around(VertexProgram):
    """Loops over neighbors that only reduce, in order or not, one in a condition."""

    x = vertex.int32(init="v.id")
    level = vertex.real()
    weight = edge.real(default=1)
    supersteps = param.supersteps(1)
    scatter_on = apply_on = "all"
    apply = """
        real level = v.level;
        for (int i = 0; i < num_neighbors; ++i)
            level += level_of(neighbor(i)) * weight_to(i);
        if (level < 0)
            return;
        int most = 0;
        bool any = false;
        if (v.x > 3)
            for (int i = 0;
                 i < num_neighbors; ++i) {
                most = max(most, x_of(neighbor(i)));
                any = any || x_of(neighbor(i)) == 7;
            }
        v.x = any ? most : 0;
        v.level = level;
    """


class Nearby(VertexProgram):
    """Pairs by distance, and groups that send as one: a struct of floats, lanes, a mask."""

    Known = struct([("weight", "real"), ("along", "real2")])
    place = vertex.real2()
    known = vertex.struct(Known)
    push = vertex.struct(Known)
    reach = param.real(2.0)

    message, combine = Known, "sum"
    mask = "v.in_degree > 1"
    pairs_at = "place"
    pairs_within = "p.reach / (1 + superstep)"
    pairs_merge = "radius < exp(-p.reach) * distance"
    pairs = "send((Known){u.known.weight * exp(v.place.x - u.place.x), u.known.along});"
    apply = "v.push = msg; set_mask();"
    stop = "superstep > 3"


class Wide(VertexProgram):
    """Messages that are arrays."""

    x = vertex.real(6)
    message, combine = "real(6)", "sum"
    scatter = "send(v.x);"
    apply = "for (int k = 0; k < 6; ++k) v.x[k] = msg[k];"
    stop = "superstep >= 3"


#: What headers are generated of, for all tests of them.
GENERATED = {
    "shortest_paths_float32": (ShortestPaths, {}),
    "page_rank_float32": (PageRank, {}),
    "page_rank_float64": (PageRank, {"real": "float64"}),
    "masks_far_int64": (Masks, {"offset": "int64", "choices": {"rule": "far"}}),
    "everywhere_lanes3": (Everywhere, {"lanes": 3}),
    "singly": (Singly, {}),
    "singly_debug": (Singly, {"debug": True}),
    "all_pairs_lanes2": (AllPairs, {"lanes": 2}),
    "all_pairs_debug": (AllPairs, {"debug": True}),
    "nearby_lanes2": (Nearby, {"lanes": 2}),
    "nearby_debug": (Nearby, {"debug": True}),
    "fewer": (Fewer, {}),
    "wide": (Wide, {}),
    "around_shared": (Around, {"shares": True}),
}
#: The headers that are kept: between them nearly every part of the language, lanes and debug mode.
GOLDENS = ("all_pairs_debug", "around_shared", "everywhere_lanes3", "singly")
