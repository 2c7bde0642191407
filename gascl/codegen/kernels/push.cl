// Delivery `push`: the work follows the frontier (frontier.cl), not the graph. Work-groups take
// pieces of the frontier and share out their arcs among their items (as Merrill, Garland and
// Grimshaw 2012 gather a frontier's edges). Messages combine in the atomic inbox; the first one to
// a vertex lists it, and apply goes through that list.
#include "runtime.cl"

static void gascl_push_arc(const int source, const gascl_offset arc, const gascl_vertex v,
                           GASCL_STATE GASCL_EDGE, __global const int *targets) {
    const int target = targets[arc];
    gascl_edge e = gascl_edge_at(source, target, arc GASCL_EDGE_ON);
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON);
#if GASCL_ARC_STATE
    gascl_store_arc(e, arc GASCL_EDGE_ON);
#endif
    if (out.count)
        gascl_post(target, GASCL_TO_ACCUMULATOR(gascl_narrow(out, source, gascl_control_)),
                   GASCL_POST());
}

__kernel void gascl_push_scatter(GASCL_STATE GASCL_EDGE,
                                 __global const gascl_offset *restrict offsets,
                                 __global const int *restrict targets,
                                 __global const int2 *restrict frontier) {
    const int pieces = gascl_control_->stopped ? 0 : gascl_lengths[GASCL_LENGTH_OF_FRONTIER];
#if GASCL_GROUP == 1
    GASCL_FOR_RANGE(i, pieces) {
        const int source = frontier[i].x;
        const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON);
        const gascl_offset begin = offsets[source] + (gascl_offset)frontier[i].y * GASCL_PIECE;
        const gascl_offset end = min(begin + GASCL_PIECE, offsets[source + 1]);
        for (gascl_offset arc = begin; arc < end; ++arc)
            gascl_push_arc(source, arc, v, GASCL_STATE_ON GASCL_EDGE_ON, targets);
    }
#else
    __local int ends[GASCL_GROUP], sources[GASCL_GROUP];
    __local gascl_offset begins[GASCL_GROUP];
    const int item = get_local_id(0);
    // A small frontier is shared out among all groups: then each takes less than a piece an item.
    const int groups = get_num_groups(0);
    const int share = clamp((pieces + groups - 1) / groups, 1, GASCL_GROUP);
    for (int base = get_group_id(0) * share; base < pieces; base += groups * share) {
        int arcs = 0;
        if (item < share && base + item < pieces) {
            const int2 piece = frontier[base + item];
            const gascl_offset begin = offsets[piece.x] + (gascl_offset)piece.y * GASCL_PIECE;
            arcs = (int)min((gascl_offset)GASCL_PIECE, offsets[piece.x + 1] - begin);
            sources[item] = piece.x;
            begins[item] = begin;
        }
        // Where each piece's arcs end among those of the group: a scan (Hillis and Steele).
        for (int stride = 1; stride < GASCL_GROUP; stride *= 2) {
            ends[item] = arcs;
            barrier(CLK_LOCAL_MEM_FENCE);
            arcs += item >= stride ? ends[item - stride] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        ends[item] = arcs;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < ends[GASCL_GROUP - 1]; i += GASCL_GROUP) {
            int piece = 0;
            for (int step = GASCL_GROUP / 2; step > 0; step /= 2)  // the first that ends behind i
                piece += ends[piece + step - 1] <= i ? step : 0;
            const int source = sources[piece];
            const gascl_offset arc = begins[piece] + i - (piece ? ends[piece - 1] : 0);
            gascl_push_arc(source, arc, gascl_scattering(source, GASCL_STATE_ON),
                           GASCL_STATE_ON GASCL_EDGE_ON, targets);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}

__kernel void gascl_push_apply(GASCL_STATE, __global gascl_tally *restrict tallies) {
    __local gascl_shared shared;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
#if GASCL_APPLY_ALL || GASCL_PAIRS
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_))
        gascl_apply(id, gascl_box_empty(), &tally, GASCL_STATE_ON);
#else
    const int touched = gascl_control_->stopped ? 0 : gascl_lengths[GASCL_LENGTH_OF_TOUCHED];
    GASCL_FOR_RANGE(i, touched)
        gascl_apply(gascl_touched[i], gascl_box_empty(), &tally, GASCL_STATE_ON);
#endif
    gascl_tally_store(&tally, tallies, &shared);
}
