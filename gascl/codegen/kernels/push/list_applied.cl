// Lists the vertices that the items of a group have just applied (`applies`: this item has one), in the
// next frontier or in a pile. All items call it.
static GASCL_INLINE void gascl_list_applied(gascl_listing *to, const bool applies, const bool listed,
                                            const int id, long2 *counted, GASCL_STATE,
                                            __global const gascl_offset *restrict offsets,
                                            __local gascl_step_memory *memory) {
#if GASCL_PRIORITY
    const int where = applies ? gascl_place(id, listed, gascl_control_->superstep + 1, to,
                                            GASCL_STATE_ON)
                              : GASCL_NOWHERE;
    const bool next = where == GASCL_TO_FRONTIER;
    const gascl_offset arcs = next ? offsets[id + 1] - offsets[id] : 0;
    counted->x += next;
    counted->y += arcs;
    gascl_list_turn(to, where, id, arcs, &memory->lists);
#elif GASCL_LISTS_DIRECTLY
    const gascl_offset arcs = listed ? offsets[id + 1] - offsets[id] : 0;
    counted->x += listed;
    counted->y += arcs;
    gascl_list_together(listed, id, arcs, to, memory);
#endif
}

static GASCL_INLINE void gascl_end_listing(gascl_listing *to, GASCL_STATE,
                                           __local gascl_step_memory *memory) {
#if GASCL_PRIORITY
    gascl_end_turns(to, &gascl_control_->near_low, &gascl_control_->far_low, &memory->lists);
#elif GASCL_LISTS_DIRECTLY
    gascl_flush_pieces(&to->held, to->frontier, to->length);
#endif
}
