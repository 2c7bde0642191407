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
    const gascl_rows rows = gascl_my_rows(blocks);
    for (int row = rows.first; row < rows.last; row += GASCL_GROUP) {
#if !GASCL_SCATTER_ALL
        if (!gascl_mask[row])
            continue;
#endif
        const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON);
        GASCL_FOR_ARCS(arc, rows, row, offsets) {
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

static gascl_box gascl_slots_combine(const int row, const gascl_rows rows,
                                     __global const gascl_offset *offsets,
                                     __global const gascl_message *messages,
                                     __global uchar *sent,
                                     __global const uchar *received) {
    gascl_box in = gascl_box_empty();
#if GASCL_EVERY_ARC_SENDS
    GASCL_FOR_ARCS(arc, rows, row, offsets) {
        gascl_box_combine(&in, messages[arc]);
        ++in.count;
    }
#else
    if (!received[row])
        return in;
    GASCL_FOR_ARCS(arc, rows, row, offsets) {
        if (!sent[arc])
            continue;
        gascl_box_combine(&in, messages[arc]);
        ++in.count;
        sent[arc] = 0;
    }
#endif
    return in;
}

static void gascl_slots_finish(const int row, const gascl_box in, gascl_tally *tally, GASCL_STATE,
                               __global uchar *received) {
#if !GASCL_EVERY_ARC_SENDS
    if (in.count)
        received[row] = 0;
#endif
    gascl_apply(row, in, tally, GASCL_STATE_ON);
}

__kernel void gascl_slots_gather(GASCL_STATE, __global const int *restrict blocks,
                                 __global const gascl_offset *restrict offsets,
                                 __global const gascl_message *restrict messages,
                                 __global uchar *restrict sent, __global uchar *restrict received,
                                 __global gascl_tally *restrict tallies) {
    if (gascl_control_->stopped)
        return;
    __local gascl_tally tally_scratch[GASCL_GROUP];
    gascl_tally tally = gascl_tally_zero();
    const gascl_rows rows = gascl_my_rows(blocks);
    gascl_box shared = gascl_box_empty();
    for (int row = rows.first; row < rows.last; row += GASCL_GROUP) {
        const gascl_box in = gascl_slots_combine(row, rows, offsets, messages, sent, received);
        if (rows.shared)
            shared = in;
        else
            gascl_slots_finish(row, in, &tally, GASCL_STATE_ON, received);
    }
#if GASCL_GROUP > 1
    __local gascl_box box_scratch[GASCL_GROUP];
    shared = gascl_box_reduce(shared, box_scratch);
    if (rows.shared && get_local_id(0) == 0)
        gascl_slots_finish(rows.first, shared, &tally, GASCL_STATE_ON, received);
#endif
    gascl_tally_store(tally, tallies, tally_scratch);
}
