// The items of a group share a block: neighboring items fetch neighboring arcs, whatever their row, and
// then take the rows. They share a row that is a block of its own.

// The row of an arc of a block, by binary search.
static int gascl_row_of(const gascl_offset arc, __global const gascl_offset *offsets,
                        const int first, const int rows) {
    int row = 0;
    for (uint step = gascl_search_step(rows); step > 0; step >>= 1)
        if (row + (int)step < rows && offsets[first + row + step] <= arc)
            row += step;
    return first + row;
}

// Moves the messages of a row, which counts only some of its arcs, to the front; returns how many they are.
static int gascl_pack(__global gascl_group *groups, const int arcs) {
    int sent = 0;
    for (int i = 0; i < arcs; ++i)
        if (groups[i].count >= 0)
            groups[sent++] = groups[i];
    return sent;
}

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        const int rows = block.last - block.first, arcs = (int)(block.end - block.begin);
        GASCL_FOR_LANES {
            __global gascl_group *groups = messages + GASCL_SLOT(block.begin, offsets);
            for (int i = item; i < arcs; i += GASCL_GROUP) {
                const int row = gascl_row_of(block.begin + i, offsets, block.first, rows);
                gascl_message x;
                const bool sent = gascl_fetches_row(row, GASCL_STATE_ON GASCL_LANE_ON) &&
                                  gascl_fetch(block.begin + i, row, &x,
                                              GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                if (sent)
                    groups[i] = gascl_group_of(x, i);
                else
                    groups[i].count = -1;
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
            const int alone = rows == 1 ? rows : 0;
            for (int row = block.first; row < block.first + alone; ++row) {
                gascl_apply_together(row, groups, arcs, &memory->shared, tally,
                                     GASCL_STATE_ON GASCL_LANE_ON);
                if (item == 0)
                    gascl_fill_ahead(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
            for (int row = block.first + item; !alone && row < block.last; row += GASCL_GROUP) {
                __global gascl_group *own = groups + (offsets[row] - block.begin);
                const int sent = gascl_pack(own, (int)(offsets[row + 1] - offsets[row]));
#if GASCL_DEBUG
                gascl_shuffle(own, sent, row, gascl_control_->superstep);
#endif
                gascl_apply_single(row, own, sent, tally, GASCL_STATE_ON GASCL_LANE_ON);
                gascl_fill_ahead(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
            barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        }
    }
}
