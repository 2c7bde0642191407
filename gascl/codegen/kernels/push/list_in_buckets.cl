// Programs with a priority: apply lists a vertex in the next frontier if it is in the current bucket, and
// otherwise in a pile.
typedef gascl_bucket_lists gascl_listing;

static void gascl_begin_listing(gascl_listing *to, GASCL_STATE, GASCL_PUSHED) {
    gascl_begin_bucket_lists(to, gascl_control_->superstep + 1, gascl_control_->near_side,
                             gascl_control_->far_side, GASCL_STATE_ON, frontiers, most_pieces,
                             piles);
}

static GASCL_INLINE void gascl_list_applied(gascl_listing *to, const bool applies,
                                            const bool listed, const int id, long2 *counted,
                                            GASCL_STATE,
                                            __global const gascl_offset *restrict offsets,
                                            __local gascl_step_memory *memory) {
    const int where = applies ? gascl_choose_list(id, listed, gascl_control_->superstep + 1, to,
                                                  GASCL_STATE_ON)
                              : GASCL_NO_LIST;
    const bool next = where == GASCL_TO_FRONTIER;
    const gascl_offset arcs = next ? offsets[id + 1] - offsets[id] : 0;
    counted->x += next;
    counted->y += arcs;
    gascl_add_to_bucket_list(to, where, id, arcs, &memory->lists);
}

static GASCL_INLINE void gascl_end_listing(gascl_listing *to, GASCL_STATE,
                                           __local gascl_step_memory *memory) {
    gascl_end_bucket_lists(to, &gascl_control_->near_low, &gascl_control_->far_low, &memory->lists);
}
