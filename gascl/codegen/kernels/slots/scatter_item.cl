// Scatter into slots, where a work-group is one item, which owns a block.
__kernel void gascl_slots_scatter(GASCL_STATE GASCL_EDGE, GASCL_BLOCKS,
                                  __global const int *restrict targets,
                                  __global const gascl_offset *restrict slot,
                                  __global gascl_stored *restrict messages,
                                  __global uchar *restrict sent,
                                  __global uchar *restrict received) {
    const gascl_block block = blocks[get_group_id(0)];
    const int last = gascl_control_->stopped ? 0 : block.last;
    for (int row = block.first; row < last; ++row) {
        if (!GASCL_SCATTERS(row))
            continue;
        const gascl_offset end = offsets[row + 1];
        GASCL_FOR_LANES {
            const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON);
            for (gascl_offset arc = offsets[row]; arc < end; ++arc)
                gascl_slots_send(row, arc, v, GASCL_STATE_ON GASCL_EDGE_ON GASCL_LANE_ON, offsets,
                                 targets, slot, messages, sent, received);
        }
    }
    GASCL_SEND_BUNDLES();
}
