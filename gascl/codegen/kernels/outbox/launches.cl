// Outbox: a superstep as launches.
__kernel void gascl_outbox_scatter(GASCL_STATE GASCL_OUT_OFFSETS,
                                   __global gascl_outbox_entry *restrict outbox) {
    gascl_fill_outboxes(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON GASCL_OUT_OFFSETS_ON, outbox);
}

__kernel void gascl_outbox_gather(GASCL_STATE, GASCL_BLOCKS_OF_PART GASCL_DELIVERY,
                                  __global gascl_tally *restrict tallies) {
    __local gascl_gather_memory memory;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    gascl_gather(gascl_team_of_launch(gascl_control_), GASCL_BLOCKS_OF_PART_ON, &memory, &tally,
                 GASCL_STATE_ON GASCL_DELIVERY_ON);
    GASCL_SEND_BUNDLES_AHEAD();
    gascl_tally_store(&tally, tallies, &memory.shared);
}
