// Pulling, where an item takes a row. If scatter reads nothing that apply writes, a vertex applies what it has
// pulled at once. On GPUs, an item visits only the first arcs of a row; if that is not enough for the vertex, it
// is listed in `receivers`, and a work-group searches its other arcs in a later phase. A frontier is only pulled
// where it is large, so that most vertices find a sender early.
#define GASCL_PULLS_AT_ONCE GASCL_SCATTER_INDEPENDENT
#define GASCL_SEARCHES (GASCL_GROUP > 1)
#define GASCL_VISITED_BY_ITEM (GASCL_GROUP / 4)

#if GASCL_GROUP == 1 && GASCL_HAS_OUTBOX
// What the senders of a row send, without a branch on who does: the identity is combined for the others.
static gascl_box gascl_pull_filled(const int row, GASCL_STATE GASCL_DELIVERY) {
    gascl_box in = gascl_box_empty();
    const gascl_offset end = in_offsets[row + 1];
    for (gascl_offset arc = in_offsets[row]; arc < end; ++arc) {
        const gascl_outbox_entry entry = outbox[sources[arc]];
        const bool takes = entry.sent & gascl_receives_message(entry.message, row, GASCL_STATE_ON);
        gascl_box_combine(&in, takes ? GASCL_TO_ACCUMULATOR(entry.message) : gascl_identity());
        in.count += takes;
    }
    return in;
}
#elif GASCL_GROUP == 1 && !GASCL_FIRST
// What the senders of a row send, who are first sorted out without a branch: which vertices send is often
// random, and a branch for each arc is mispredicted then. In short rows that costs more than it saves, unless
// it is random, and where nearly all vertices send, the branch is predicted.
#define GASCL_SORTED_OUT 64
#define GASCL_SORTS_OUT(row)                                                                   \
    (now && in_offsets[row + 1] - in_offsets[row] >= GASCL_SORTED_ROW &&                       \
     gascl_control_->next_active <                                                             \
         gascl_run_->graph.num_vertices - gascl_run_->graph.num_vertices / 8)
static gascl_box gascl_pull_sorted_out(const int row, GASCL_STATE GASCL_DELIVERY) {
    gascl_box in = gascl_box_empty();
    const gascl_offset end = in_offsets[row + 1];
    for (gascl_offset from = in_offsets[row]; from < end; from += GASCL_SORTED_OUT) {
        const int visited = (int)min(end - from, (gascl_offset)GASCL_SORTED_OUT);
        uchar places[GASCL_SORTED_OUT];
        int sending = 0;
        for (int i = 0; i < visited; ++i) {
            const int source = sources[from + i];
            places[sending] = (uchar)i;
            sending += (int)(now[source / 32] >> source % 32 & 1);
        }
        for (int i = 0; i < sending; ++i) {
            gascl_message x;
            if (!gascl_fetch(from + places[i], row, &x,
                             GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PULLED_ON, 0) ||
                !gascl_receives_message(x, row, GASCL_STATE_ON))
                continue;
            gascl_box_add(&in, x);
            if (GASCL_SKIPS && gascl_stops(in, row, GASCL_STATE_ON))
                return in;
        }
    }
    return in;
}
#endif

// What a vertex receives from the frontier, the least sender first. `listed`: whether it has been listed.
static gascl_box gascl_pull_row(const int row, bool *listed, GASCL_STATE GASCL_DELIVERY) {
    gascl_box in = gascl_box_empty();
    if (GASCL_SKIPS && !gascl_receives(row, GASCL_STATE_ON))
        return in;
#if GASCL_GROUP == 1 && GASCL_HAS_OUTBOX
    if (now)
        return gascl_pull_filled(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
#elif defined(GASCL_SORTS_OUT)
    if (GASCL_SORTS_OUT(row))
        return gascl_pull_sorted_out(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
#endif
    const gascl_offset begin = in_offsets[row], end = in_offsets[row + 1];
    const gascl_offset last =
        GASCL_SEARCHES ? min(end, begin + GASCL_VISITED_BY_ITEM) : end;
    for (gascl_offset arc = begin; arc < last; ++arc) {
        gascl_message x;
        if (!gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_DELIVERY_ON) ||
            !gascl_receives_message(x, row, GASCL_STATE_ON))
            continue;
        gascl_box_add(&in, x);
        if (GASCL_SKIPS && gascl_stops(in, row, GASCL_STATE_ON))
            return in;
    }
    if (last < end) {
        pulled[row] = in;
        gascl_receivers[atomic_inc(&GASCL_LENGTH(RECEIVERS))] = row;
        *listed = true;
    }
    return in;
}

#define GASCL_PREFETCH_SOURCES(row) GASCL_PREFETCH(&sources[in_offsets[row]])
#if GASCL_PULLS_AT_ONCE
static bool gascl_pull_and_apply(const int row, gascl_tally *tally, long2 *counted,
                                 __global const gascl_offset *restrict offsets,
                                 GASCL_STATE GASCL_DELIVERY) {
    bool listed = false;
    const gascl_box in = gascl_pull_row(row, &listed, GASCL_STATE_ON GASCL_DELIVERY_ON);
    return !listed && gascl_apply_pulled(row, in, tally, counted, GASCL_STATE_ON, offsets);
}
#define GASCL_PREFETCH_ROW GASCL_PREFETCH_SOURCES
#define GASCL_APPLY_ROW(row) \
    gascl_pull_and_apply(row, tally, counted, offsets, GASCL_STATE_ON GASCL_DELIVERY_ON)
#else
// Pulls for the second phase; leaves the bits of the next frontier empty.
static bool gascl_pull_only(const int row, GASCL_STATE GASCL_DELIVERY) {
    bool listed = false;
    const gascl_box in = gascl_pull_row(row, &listed, GASCL_STATE_ON GASCL_DELIVERY_ON);
    if (!listed)
        pulled[row] = in;
    return false;
}
#define GASCL_PREFETCH_ROW(row) GASCL_PREFETCH(&pulled[row])
#define GASCL_APPLY_ROW(row) \
    gascl_apply_pulled(row, pulled[row], tally, counted, GASCL_STATE_ON, offsets)
#endif

static GASCL_INLINE void gascl_pull_first(const gascl_team team, GASCL_STATE GASCL_DELIVERY,
                                          __local gascl_step_memory *memory) {
#if !GASCL_PULLS_AT_ONCE
    __global uint *coming = GASCL_BITS(gascl_control_->superstep + 1);
    GASCL_FOR_WORDS(GASCL_PREFETCH_SOURCES,
                    gascl_pull_only(row, GASCL_STATE_ON GASCL_DELIVERY_ON))
#endif
}

#if GASCL_SEARCHES
#define GASCL_MAY_STOP GASCL_SKIPS
static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return true;
}
#define GASCL_CONSUMES 0
static void gascl_consume(const gascl_offset arc, GASCL_STATE GASCL_DELIVERY) {}
#include "gather.cl"

// Searches the rest of the rows that are listed, a group for each. Where a vertex has pulled at once, applies
// it, too.
static void gascl_search_rows(const gascl_team team, GASCL_STATE GASCL_DELIVERY,
                              __global const gascl_offset *restrict offsets,
                              __local gascl_step_memory *memory, gascl_tally *tally,
                              long2 *counted) {
    __global uint *coming = GASCL_BITS(gascl_control_->superstep + 1);
    const int end = team.idle ? 0 : GASCL_LENGTH(RECEIVERS);
    for (int at = team.rank; at < end; at += team.groups) {
        const int row = gascl_receivers[at];
        const gascl_box rest = gascl_combine_shared_row(
            row, GASCL_VISITED_BY_ITEM, GASCL_GROUP, in_offsets, &memory->way.gather,
            GASCL_STATE_ON GASCL_DELIVERY_ON);
        if (get_local_id(0) == 0) {
            gascl_box in = pulled[row];
            gascl_box_merge(&in, rest);
#if GASCL_PULLS_AT_ONCE
            if (gascl_apply_pulled(row, in, tally, counted, GASCL_STATE_ON, offsets))
                atomic_or(&coming[row / 32], 1u << row % 32);
#else
            pulled[row] = in;
#endif
        }
    }
}
#endif
