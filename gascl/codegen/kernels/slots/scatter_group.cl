// Scatter into slots, where the items of a work-group share a block: neighboring items take neighboring
// arcs, whatever their row. A block without an active row is skipped.
__kernel void gascl_slots_scatter(GASCL_STATE GASCL_EDGE, GASCL_BLOCKS,
                                  __global const int *restrict targets,
                                  __global const gascl_offset *restrict slot,
                                  __global gascl_stored *restrict messages,
                                  __global uchar *restrict sent,
                                  __global uchar *restrict received) {
    __local ushort starts[GASCL_BLOCK];
    __local int busy[2];
    const int item = get_local_id(0);
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    if (item < 2)
        busy[item] = GASCL_SCATTER_ALL;
    barrier(CLK_LOCAL_MEM_FENCE);
    int parity = 0;
    for (int i = get_group_id(0); i < end; i += get_num_groups(0), parity ^= 1) {
        const gascl_block block = blocks[i];
        const int rows = block.last - block.first;
        for (int j = item; j < rows; j += GASCL_GROUP) {
            starts[j] = (ushort)(offsets[block.first + j] - block.begin);
            if (!GASCL_SCATTER_ALL && GASCL_SCATTERS(block.first + j))
                busy[parity] = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const gascl_offset last = busy[parity] ? block.end : block.begin;
        for (gascl_offset arc = block.begin + item; arc < last; arc += GASCL_GROUP) {
            int row = 0;
            for (uint step = gascl_search_step(rows); step > 0; step >>= 1)
                if (row + (int)step < rows && starts[row + step] <= arc - block.begin)
                    row += step;
            row += block.first;
            if (!GASCL_SCATTERS(row))
                continue;
            GASCL_FOR_LANES
                gascl_slots_send(row, arc, gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON),
                                 GASCL_STATE_ON GASCL_EDGE_ON GASCL_LANE_ON, offsets, targets, slot,
                                 messages, sent, received);
        }
        if (!GASCL_SCATTER_ALL && item == 0)
            busy[parity ^ 1] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
