// Push, where a work-group is one item.

// Local memory: a single item needs only that of the lists.
typedef struct {
    gascl_list_memory lists;
} gascl_step_memory;

// Pushes along the arcs of the frontier; returns how many messages there were, if they are counted
// here.
static GASCL_INLINE long gascl_push(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_PUSHED,
                                    __local gascl_step_memory *memory) {
    const int superstep = gascl_control_->superstep;
    const int pieces = GASCL_HAS_SCATTER ? GASCL_FRONTIER_LENGTH(superstep) : 0;
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, superstep, most_pieces);
    long messages = 0;
    gascl_held_ids held;
    held.count = 0;
    int from, to;
    const int chunk = clamp(pieces / (4 * team.groups), 1, 64);
    for (int calls = 0; gascl_share(team, pieces, chunk, calls, &from, &to); ++calls) {
        if (team.taken) {  // a share of a launch may be too long for it
            for (int i = from; i < to; ++i)
                GASCL_PREFETCH(&offsets[frontier[i].x]);
            for (int i = from; i < to; ++i)
                GASCL_PREFETCH(&targets[offsets[frontier[i].x]]);
        }
        for (int i = from; i < to; ++i) {
            const int source = frontier[i].x;
            GASCL_NOTE_SENDER(frontier[i]);
            const gascl_offset begin = offsets[source] + (gascl_offset)frontier[i].y * GASCL_PIECE;
            const gascl_offset end = min(begin + GASCL_PIECE, offsets[source + 1]);
            if (i + 2 < to) {
                const int later = frontier[i + 2].x;
                const gascl_offset first =
                    offsets[later] + (gascl_offset)frontier[i + 2].y * GASCL_PIECE;
                const gascl_offset last = min(first + GASCL_AHEAD, offsets[later + 1]);
                for (gascl_offset arc = first; arc < last; ++arc)
                    gascl_prefetch_target(targets[arc], GASCL_STATE_ON);
            }
            const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON);
            for (gascl_offset arc = begin; arc < end; ++arc) {
                if (arc + GASCL_AHEAD < end)
                    gascl_prefetch_target(targets[arc + GASCL_AHEAD], GASCL_STATE_ON);
                const int target = targets[arc];
                gascl_posting x;
                if (!gascl_push_arc(source, target, arc, v, &x, GASCL_STATE_ON GASCL_EDGE_ON))
                    continue;
                ++messages;
                if (gascl_post_arc(target, x, GASCL_STATE_ON) && GASCL_LISTS_POSTED)
                    gascl_hold_if(true, target, &held, gascl_receivers, &GASCL_LENGTH(RECEIVERS));
            }
        }
    }
    gascl_flush_ids(&held, gascl_receivers, &GASCL_LENGTH(RECEIVERS));
    return GASCL_COUNTS_ONCE || GASCL_COUNTS_ARRIVED ? 0 : messages;
}

// Lists the vertex that an item has, if any, in a frontier.
static GASCL_INLINE void gascl_list_by_group(const bool has, const int id, const gascl_offset arcs,
                                             gascl_pieces *held, __global int2 *frontier,
                                             __global int *length,
                                             __local gascl_step_memory *memory) {
    gascl_list_if(has, id, arcs, held, frontier, length);
}

// gascl_listing: push/list_in_frontier.cl, push/list_in_buckets.cl or push/list_by_commit.cl.
#include "push_listing.cl"

// Applies all vertices that have received anything, or every vertex; lists those that are in the next
// frontier.
static GASCL_INLINE void gascl_apply_receivers(const gascl_team team, GASCL_STATE GASCL_EDGE,
                                               GASCL_PUSHED GASCL_PULLED_BOXES,
                                               __local gascl_step_memory *memory,
                                               gascl_tally *tally, long2 *counted) {
    gascl_listing to;
    gascl_begin_listing(&to, GASCL_STATE_ON, GASCL_PUSHED_ON);
    const int all = gascl_num_applied(GASCL_STATE_ON);
    const bool dense = gascl_applies_densely(GASCL_STATE_ON);
#if GASCL_APPLY_MASK
    const int receivers = GASCL_LENGTH(RECEIVERS);
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, gascl_control_->superstep, most_pieces);
#endif
    GASCL_FOR_SHARE(i, all, clamp(all / (16 * team.groups), 64, 2048)) {
        bool applies = true, listed = false;
#if GASCL_APPLY_ALL || GASCL_PAIRS
        const int id = (int)i;
        if (i + GASCL_AHEAD < all)
            gascl_prefetch_others(id + GASCL_AHEAD, GASCL_STATE_ON);
#elif GASCL_APPLY_MASK
        int id;
        applies = gascl_nth_in_mask(i, receivers, &id, GASCL_STATE_ON, frontier);
#else
        const int id = dense ? (int)i : gascl_receivers[i];
        applies = !dense || gascl_has_message(id, GASCL_STATE_ON);
        if (!dense && i + GASCL_AHEAD < all) {
            const int later = gascl_receivers[i + GASCL_AHEAD];
            GASCL_PREFETCH_POSTED(later);
            GASCL_PREFETCH(&offsets[later]);
            gascl_prefetch_apply(later, GASCL_STATE_ON);
        }
#endif
        if (applies)
            listed = gascl_apply_one(id, tally, GASCL_STATE_ON GASCL_EDGE_ON,
                                     GASCL_PUSHED_ON GASCL_PULLED_BOXES_ON);
        gascl_list_applied(&to, applies, listed, id, counted, GASCL_STATE_ON, offsets, memory);
    }
    gascl_end_listing(&to, GASCL_STATE_ON, memory);
}
