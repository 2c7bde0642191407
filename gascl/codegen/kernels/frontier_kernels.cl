// How the lists of frontier.cl are built and renewed.
static void gascl_append(const int id, __global const gascl_offset *offsets,
                         __global int2 *frontier, __global int *length) {
    const gascl_offset arcs = offsets[id + 1] - offsets[id];
    const int pieces = max(1, (int)((arcs + GASCL_PIECE - 1) / GASCL_PIECE));
    const int at = atomic_add(length, pieces);
    for (int i = 0; i < pieces; ++i)
        frontier[at + i] = (int2)(id, i);
}

// Lists a vertex for which messages are under way, where a run goes on.
static void gascl_list_receiver(const int id, GASCL_STATE) {
#if GASCL_INBOX
    if (gascl_arrived[id])
        gascl_touched[atomic_inc(&gascl_lengths[GASCL_LENGTH_OF_TOUCHED])] = id;
#endif
}

// The frontier where every vertex scatters, once and for all: the same in both buffers.
__kernel void gascl_all_scatter(GASCL_STATE, __global const gascl_offset *restrict offsets,
                                __global int2 *restrict frontier,
                                __global int2 *restrict frontier_next) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices) {
        gascl_append(id, offsets, frontier, &gascl_lengths[GASCL_LENGTH_OF_FRONTIER]);
        gascl_append(id, offsets, frontier_next, &gascl_lengths[GASCL_LENGTH_OF_FRONTIER_NEXT]);
#if !GASCL_MASKED  // else gascl_enter does it
        gascl_list_receiver(id, GASCL_STATE_ON);
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
    const uint now = GASCL_MASK_BIT(gascl_control_->superstep);
    const uint next = starting ? now : GASCL_MASK_BIT(gascl_control_->superstep + 1);
    long vertices = 0, arcs = 0;
#if GASCL_SCATTER_ALL
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_)) {
        const bool set = gascl_flags[id] & (GASCL_BY_SELF | GASCL_BY_OTHER);
        gascl_flags[id] = set ? next : 0;
    }
#else
    GASCL_FOR_RANGE(i, gascl_control_->stopped ? 0 : gascl_lengths[GASCL_LENGTH_OF_FRONTIER])
        if (!starting && frontier[i].y == 0)
            atomic_and(&gascl_flags[frontier[i].x], ~now);
    GASCL_FOR_RANGE(j, gascl_control_->stopped ? 0 : gascl_lengths[GASCL_LENGTH_OF_LISTED]) {
        const int id = gascl_listed[j];
        const uint set = GASCL_BY_SELF | GASCL_BY_OTHER;
        if (atomic_and(&gascl_flags[id], ~(set | GASCL_LISTED)) & set) {
            atomic_or(&gascl_flags[id], next);
            gascl_append(id, offsets, frontier_next, &gascl_lengths[GASCL_LENGTH_OF_FRONTIER_NEXT]);
            ++vertices;
            arcs += offsets[id + 1] - offsets[id];
        }
    }
#endif
    gascl_count(vertices, arcs, counts, &shared);
}

// From a mask of bytes to bits and lists, where a run changes to this form or goes on in it.
__kernel void gascl_enter(GASCL_STATE, __global const uchar *restrict mask,
                          __global const gascl_offset *restrict offsets,
                          __global int2 *restrict frontier) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices) {
        gascl_flags[id] = mask[id] ? GASCL_MASK_BIT(gascl_control_->superstep) : 0;
        if (!GASCL_SCATTER_ALL && mask[id])
            gascl_append(id, offsets, frontier, &gascl_lengths[GASCL_LENGTH_OF_FRONTIER]);
        gascl_list_receiver(id, GASCL_STATE_ON);
    }
}

// And back.
__kernel void gascl_leave(GASCL_STATE, __global uchar *restrict mask) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
        mask[id] = (gascl_flags[id] & GASCL_MASK_BIT(gascl_control_->superstep)) != 0;
}
#endif

// The lists after a superstep: the next ones become this one's, and are empty. Where every vertex
// scatters, the frontier stays.
static void gascl_renew_lists(__global int *lengths) {
    if (!GASCL_SCATTER_ALL)
        lengths[GASCL_LENGTH_OF_FRONTIER] = lengths[GASCL_LENGTH_OF_FRONTIER_NEXT];
    lengths[GASCL_LENGTH_OF_TOUCHED] = lengths[GASCL_LENGTH_OF_TOUCHED_next];
    lengths[GASCL_LENGTH_OF_FRONTIER_NEXT] = lengths[GASCL_LENGTH_OF_LISTED] =
        lengths[GASCL_LENGTH_OF_TOUCHED_next] = 0;
}
#define GASCL_RENEW_LISTS() gascl_renew_lists(gascl_lengths)
