// Pull: a superstep as launches.
#if GASCL_LANE_WORDS
__kernel void gascl_pull_lanes(GASCL_STATE GASCL_EDGE, __global ulong *restrict sending,
                               __global uint *restrict received) {
    gascl_note_sending(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON GASCL_EDGE_ON, sending,
                       received);
}
#endif

#if GASCL_APPLIES_BY_ROW
__kernel void gascl_pull_gather(GASCL_STATE, GASCL_BLOCKS_OF_PART GASCL_PULLED,
                                __global gascl_tally *restrict tallies) {
    __local gascl_gather_memory memory;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    gascl_gather(gascl_team_of_launch(gascl_control_), GASCL_BLOCKS_OF_PART_ON, &memory, &tally,
                 GASCL_STATE_ON GASCL_DELIVERY_ON);
    GASCL_SEND_BUNDLES_AHEAD();
    gascl_tally_store(&tally, tallies, &memory.shared);
}
#else
// The places, in the order of receivers, of the arcs by which messages to common neighbors are kept.
#if GASCL_ORDERS_CREDITS
#define GASCL_CREDIT_SLOTS , __global const gascl_offset *restrict slot
#else
#define GASCL_CREDIT_SLOTS
#endif

__kernel void gascl_pull_gather(GASCL_STATE, GASCL_BLOCKS_OF_PART GASCL_PULLED GASCL_CREDIT_SLOTS) {
    __local gascl_gather_memory memory;
#if GASCL_SCATTER_FINDS_COMMON && GASCL_GROUP == 1
    gascl_held_row row, *held = &row;
    held->vertex = held->num_marked = -1;
    held->end = blocks[get_group_id(0)].end;
#if GASCL_ORDERS_CREDITS
    held->slot = slot;
#endif
#endif
    gascl_gather(gascl_team_of_launch(gascl_control_), GASCL_BLOCKS_OF_PART_ON, &memory, 0,
                 GASCL_STATE_ON GASCL_DELIVERY_ON);
    GASCL_SEND_BUNDLES();
}

#include "arc_messages_kernels.cl"

__kernel void gascl_pull_apply(GASCL_STATE, __global const gascl_block *restrict blocks,
                               const int num_blocks, const int first_row, const int last_row,
                               __global const gascl_box *restrict pulled GASCL_RECEIVED,
                               __global gascl_tally *restrict tallies) {
    __local gascl_shared shared;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    gascl_apply_pulled(gascl_team_of_launch(gascl_control_), blocks, num_blocks, first_row, last_row,
                       pulled GASCL_RECEIVED_ON, &tally, GASCL_STATE_ON);
    GASCL_SEND_BUNDLES_AHEAD();
    gascl_tally_store(&tally, tallies, &shared);
}
#endif
