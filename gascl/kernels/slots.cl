// Delivery `slots` (Che, GasCL, section IV-B): scatter writes each message to its reverse-edge
// slot, so that a vertex's messages lie side by side; gather combines them and applies.
//
// Departures: a mark beside each slot says that a message was sent, whatever its value, and a mark
// per vertex that one was received, so that gather's cost follows the messages.
#include "runtime.cl"

__kernel void gascl_slots_scatter(GASCL_STATE GASCL_EDGE, __global const int *restrict blocks,
                                  __global const gascl_offset *restrict offsets,
                                  __global const int *restrict targets,
                                  __global const gascl_offset *restrict slot,
                                  __global gascl_message *restrict messages,
                                  __global uchar *restrict sent, __global uchar *restrict received) {
    if (gascl_control_->stopped)
        return;
    // A row that is a block of its own is shared by the group's items; other rows have one each.
    const int first = blocks[get_group_id(0)], last = blocks[get_group_id(0) + 1];
    const bool shared = GASCL_GROUP > 1 && last - first == 1;
    for (int row = first + (shared ? 0 : get_local_id(0)); row < last; row += GASCL_GROUP) {
#if !GASCL_SCATTER_ALL
        if (!gascl_mask[row])
            continue;
#endif
        const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON);
        const gascl_offset end = offsets[row + 1];
        for (gascl_offset arc = offsets[row] + (shared ? get_local_id(0) : 0); arc < end;
             arc += shared ? GASCL_GROUP : 1) {
            const int target = targets[arc];
            const gascl_edge e = gascl_edge_at(row, target, arc GASCL_EDGE_ON);
            const gascl_box out = gascl_scatter(v, e, 0, GASCL_STATE_ON);
            if (!out.count)
                continue;
            messages[slot[arc]] = gascl_narrow(out, row, gascl_control_);
#if !GASCL_EVERY_ARC_SENDS
            sent[slot[arc]] = 1;
            received[target] = 1;
#endif
        }
    }
}

static void gascl_slots_fetch(const gascl_offset arc, gascl_box *in,
                              __global const gascl_message *messages, __global uchar *sent) {
#if !GASCL_EVERY_ARC_SENDS
    if (!sent[arc])
        return;
    sent[arc] = 0;
#endif
    gascl_box_combine(in, messages[arc]);
    ++in->count;
}

static void gascl_slots_finish(const int row, const gascl_box in, gascl_tally *tally, GASCL_STATE,
                               __global uchar *received) {
#if !GASCL_EVERY_ARC_SENDS
    if (in.count)
        received[row] = 0;
#endif
    gascl_apply(row, in, tally, GASCL_STATE_ON);
}

#define GASCL_SLOTS_WANTED(row) (GASCL_EVERY_ARC_SENDS || received[row])
#define GASCL_SLOTS_FETCH(arc, row, in) gascl_slots_fetch(arc, &in, messages, sent)
#define GASCL_SLOTS_FINISH(row, in) gascl_slots_finish(row, in, &tally, GASCL_STATE_ON, received)

__kernel void gascl_slots_gather(GASCL_STATE, __global const int *restrict blocks,
                                 __global const gascl_offset *restrict offsets,
                                 __global const gascl_message *restrict messages,
                                 __global uchar *restrict sent, __global uchar *restrict received,
                                 __global gascl_tally *restrict tallies) {
    __local gascl_tally scratch[GASCL_GROUP];
    gascl_tally tally = gascl_tally_zero();
    GASCL_GATHER(blocks, offsets, GASCL_SLOTS_WANTED, GASCL_SLOTS_FETCH, GASCL_SLOTS_FINISH)
    gascl_tally_store(tally, tallies, scratch);
}
