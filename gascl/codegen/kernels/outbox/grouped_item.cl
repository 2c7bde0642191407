// An item owns a block. All rows of a block use the same place for their messages, which stays in the
// cache.

// Only the memory that every kernel needs.
typedef struct {
    gascl_shared shared;
} gascl_gather_memory;

static GASCL_INLINE void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        __global gascl_stored *place = messages + block.begin;
        for (int row = block.first; row < block.last; ++row)
            GASCL_FOR_LANES {
                const bool fetches = !GASCL_SKIPS || !GASCL_RECEIVES ||
                                     gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON);
                const gascl_offset last = fetches ? offsets[row + 1] : offsets[row];
                int sent = 0;
                for (gascl_offset arc = offsets[row]; arc < last; ++arc) {
                    gascl_message x;
                    if (gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON))
                        place[sent++] = GASCL_STORED(x);
                }
#if GASCL_DEBUG
                gascl_shuffle(place, sent, row, gascl_control_->superstep);
#endif
                gascl_apply_single(row, place, sent, tally, GASCL_STATE_ON GASCL_LANE_ON);
                gascl_fill_ahead(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
    }
}
