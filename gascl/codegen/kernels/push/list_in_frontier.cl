// Programs in which only apply sets the mask (`Traits.lists_directly`): it lists the vertex in the next
// frontier.
typedef struct {
    __global int2 *frontier;
    __global int *length;
    gascl_pieces held;
} gascl_listing;

static void gascl_begin_listing(gascl_listing *to, GASCL_STATE, GASCL_PUSHED) {
    const int coming = gascl_control_->superstep + 1;
    to->frontier = gascl_frontier_of(frontiers, coming, most_pieces);
    to->length = &GASCL_FRONTIER_LENGTH(coming);
    to->held.count = 0;
}

static GASCL_INLINE void gascl_list_applied(gascl_listing *to, const bool applies,
                                            const bool listed, const int id, long2 *counted,
                                            GASCL_STATE,
                                            __global const gascl_offset *restrict offsets,
                                            __local gascl_step_memory *memory) {
    const gascl_offset arcs = GASCL_GROUP == 1 || listed ? offsets[id + 1] - offsets[id] : 0;
    counted->x += listed;
    counted->y += arcs & -(gascl_offset)listed;
    gascl_list_by_group(listed, id, arcs, &to->held, to->frontier, to->length, memory);
}

static GASCL_INLINE void gascl_end_listing(gascl_listing *to, GASCL_STATE,
                                           __local gascl_step_memory *memory) {
    gascl_flush_pieces(&to->held, to->frontier, to->length);
}
