// Delivery `slots` (Che, GasCL, section IV-B): scatter writes each message to its reverse-edge
// slot, so that a vertex's messages lie side by side; gather combines them and applies.
//
// Departures: a mark beside each slot says that a message was sent, whatever its value, and a mark
// per vertex that one was received, so that gather's cost follows the messages.
#include "runtime.cl"

// Lanes of one row are several items' work: none of them can take the row's mark back for all.
#define GASCL_RECEIVED (!GASCL_EVERY_ARC_SENDS && GASCL_LANES == 1)

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
        const gascl_offset end = offsets[row + 1];
        GASCL_FOR_LANES {
            const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON);
            for (gascl_offset arc = offsets[row] + (shared ? get_local_id(0) : 0); arc < end;
                 arc += shared ? GASCL_GROUP : 1) {
                const int target = targets[arc];
                gascl_edge e = gascl_edge_at(row, target, arc GASCL_EDGE_ON GASCL_LANE_ON);
                const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
                gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
                if (!out.count)
                    continue;
                messages[GASCL_SLOT(slot[arc], offsets)] = gascl_narrow(out, row, gascl_control_);
#if !GASCL_EVERY_ARC_SENDS
                sent[GASCL_SLOT(slot[arc], offsets)] = 1;
#endif
#if GASCL_RECEIVED
                received[target] = 1;
#endif
            }
        }
    }
}

static void gascl_slots_fetch(const size_t at, gascl_box *in,
                              __global const gascl_message *messages, __global uchar *sent) {
#if !GASCL_EVERY_ARC_SENDS
    if (!sent[at])
        return;
    sent[at] = 0;
#endif
    gascl_box_combine(in, messages[at]);
    ++in->count;
}

#define GASCL_SLOTS_WANTED(row) (!GASCL_RECEIVED || received[row])
#define GASCL_SLOTS_FETCH(arc, row, in) \
    gascl_slots_fetch(GASCL_SLOT(arc, offsets), &in, messages, sent)
#if GASCL_RECEIVED
#define GASCL_SLOTS_FINISH(row, in)                                                              \
    do {                                                                                         \
        if (in.count)                                                                            \
            received[row] = 0;                                                                   \
        gascl_apply(row, in, &tally, GASCL_STATE_ON GASCL_LANE_ON);                              \
    } while (0)
#else
#define GASCL_SLOTS_FINISH(row, in) gascl_apply(row, in, &tally, GASCL_STATE_ON GASCL_LANE_ON)
#endif

__kernel void gascl_slots_gather(GASCL_STATE, __global const int *restrict blocks,
                                 __global const gascl_offset *restrict offsets,
                                 __global gascl_message *restrict messages,
                                 __global uchar *restrict sent, __global uchar *restrict received,
                                 __global gascl_tally *restrict tallies) {
    __local gascl_tally scratch[GASCL_GROUP];
    gascl_tally tally = gascl_tally_zero();
#if GASCL_SINGLE
    const int last = gascl_control_->stopped ? 0 : blocks[get_group_id(0) + 1];
    for (int row = blocks[get_group_id(0)] + get_local_id(0); row < last; row += GASCL_GROUP)
        GASCL_FOR_LANES {
            __global gascl_message *inbox = messages + GASCL_SLOT(offsets[row], offsets);
            int count = (int)(offsets[row + 1] - offsets[row]);
#if !GASCL_EVERY_ARC_SENDS
            if (GASCL_RECEIVED && !received[row])
                count = 0;
            else
                count = gascl_close_up(inbox, sent + GASCL_SLOT(offsets[row], offsets), count);
#if GASCL_RECEIVED
            if (count)
                received[row] = 0;
#endif
#endif
#if GASCL_DEBUG
            gascl_shuffle(inbox, count, row, gascl_control_->superstep);
#endif
            gascl_apply_single(row, inbox, count, &tally, GASCL_STATE_ON GASCL_LANE_ON);
        }
#else
    GASCL_GATHER(blocks, offsets, GASCL_SLOTS_WANTED, GASCL_SLOTS_FETCH, GASCL_SLOTS_FINISH)
#endif
    gascl_tally_store(tally, tallies, scratch);
}
