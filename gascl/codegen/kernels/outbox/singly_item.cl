// An item owns a block. All rows of a block use the same place for their messages, which stays in the
// cache.
static GASCL_INLINE void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        __global gascl_message *place = messages + block.begin;
        for (int row = block.first; row < block.last; ++row)
            GASCL_FOR_LANES {
                const bool copies = !GASCL_SKIPS || !GASCL_RECEIVES ||
                                    gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON);
                const gascl_offset begin = offsets[row], last = copies ? offsets[row + 1] : begin;
                for (gascl_offset arc = begin; arc < last; ++arc)
                    place[arc - begin] = outbox[GASCL_AT(sources[arc])];
                gascl_apply_copied(row, place, offsets, tally,
                                   GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
    }
}
