// Delivery `push`: the work follows the frontier, not the graph. The frontier is a list of pieces,
// each up to GASCL_PIECE arcs of one vertex, so that a vertex of many arcs is shared; work-groups
// take pieces and share out their arcs among their items (as Merrill, Garland and Grimshaw 2012
// gather a frontier's edges). Messages combine in the atomic inbox; the first one to a vertex lists
// it, and apply goes through that list. See frontier.cl for how the next frontier is found.
#include "runtime.cl"

#define GASCL_PIECE 128

static void gascl_append(const int id, __global const gascl_offset *offsets,
                         __global int2 *frontier, __global int *size) {
    const gascl_offset arcs = offsets[id + 1] - offsets[id];
    const int pieces = max(1, (int)((arcs + GASCL_PIECE - 1) / GASCL_PIECE));
    const int at = atomic_add(size, pieces);
    for (int i = 0; i < pieces; ++i)
        frontier[at + i] = (int2)(id, i);
}

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
    const int pieces = gascl_control_->stopped ? 0 : gascl_control_->frontier;
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
    GASCL_FOR_RANGE(i, gascl_control_->stopped ? 0 : gascl_control_->touched)
        gascl_apply(gascl_touched[i], gascl_box_empty(), &tally, GASCL_STATE_ON);
#endif
    gascl_tally_store(&tally, tallies, &shared);
}

// The frontier where every vertex scatters, once and for all: the same in both buffers.
__kernel void gascl_push_all(GASCL_STATE, __global const gascl_offset *restrict offsets,
                             __global int2 *restrict frontier,
                             __global int2 *restrict frontier_next) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices) {
        gascl_append(id, offsets, frontier, &gascl_control_->frontier);
        gascl_append(id, offsets, frontier_next, &gascl_control_->frontier_next);
#if !GASCL_MASKED  // of a run that goes on; else gascl_enter does it
        if (gascl_arrived[id])
            gascl_touched[atomic_inc(&gascl_control_->touched)] = id;
#endif
    }
}

#if GASCL_MASKED
// The bits and lists of vertices in use become the next superstep's mask and frontier.
__kernel void gascl_commit(GASCL_STATE, __global const gascl_offset *restrict offsets,
                           __global const int2 *restrict frontier,
                           __global int2 *restrict frontier_next, __global long *restrict counts,
                           const int starting) {
    __local gascl_shared shared;
    const uint now = GASCL_IN_MASK(gascl_control_->superstep);
    const uint next = starting ? now : GASCL_IN_MASK(gascl_control_->superstep + 1);
    long vertices = 0, arcs = 0;
#if GASCL_SCATTER_ALL
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_)) {
        const bool set = gascl_flags[id] & (GASCL_BY_SELF | GASCL_BY_OTHER);
        gascl_flags[id] = set ? next : 0;
    }
#else
    GASCL_FOR_RANGE(i, gascl_control_->stopped ? 0 : gascl_control_->frontier)
        if (!starting && frontier[i].y == 0)
            atomic_and(&gascl_flags[frontier[i].x], ~now);
    GASCL_FOR_RANGE(j, gascl_control_->stopped ? 0 : gascl_control_->listed) {
        const int id = gascl_listed[j];
        const uint set = GASCL_BY_SELF | GASCL_BY_OTHER;
        if (atomic_and(&gascl_flags[id], ~(set | GASCL_LISTED)) & set) {
            atomic_or(&gascl_flags[id], next);
            gascl_append(id, offsets, frontier_next, &gascl_control_->frontier_next);
            ++vertices;
            arcs += offsets[id + 1] - offsets[id];
        }
    }
#endif
    gascl_count(vertices, arcs, counts, &shared);
}

// From a mask of bytes to bits and lists, where a run changes to push.
__kernel void gascl_enter(GASCL_STATE, __global const uchar *restrict mask,
                          __global const gascl_offset *restrict offsets,
                          __global int2 *restrict frontier) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices) {
        gascl_flags[id] = mask[id] ? GASCL_IN_MASK(gascl_control_->superstep) : 0;
        if (!GASCL_SCATTER_ALL && mask[id])
            gascl_append(id, offsets, frontier, &gascl_control_->frontier);
        if (gascl_arrived[id])
            gascl_touched[atomic_inc(&gascl_control_->touched)] = id;
    }
}

// And back.
__kernel void gascl_leave(GASCL_STATE, __global uchar *restrict mask) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
        mask[id] = (gascl_flags[id] & GASCL_IN_MASK(gascl_control_->superstep)) != 0;
}
#endif
