// The items of a group share a block: neighboring items take neighboring arcs, whatever their row, and
// then the rows.
static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        const int rows = block.last - block.first;
        for (gascl_offset arc = block.begin + item; arc < block.end; arc += GASCL_GROUP)
            GASCL_FOR_LANES messages[GASCL_SLOT(arc, offsets)] = outbox[GASCL_AT(sources[arc])];
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int i = item; i < rows * GASCL_LANES; i += GASCL_GROUP) {
            const int row = block.first + i / GASCL_LANES;
            const int gascl_lane = i % GASCL_LANES;
            gascl_apply_copied(row, messages + GASCL_SLOT(offsets[row], offsets), offsets, tally,
                               GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
    }
}
