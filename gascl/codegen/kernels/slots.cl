// Delivery `slots` (Che, GasCL, section IV-B): scatter writes each message into the slot of its
// arc, in the order of receivers, so that a vertex's messages lie side by side; gather combines
// them and applies the result.
//
// Unlike there, a mark beside each slot says whether a message was sent, whatever its value, and a
// mark beside each vertex whether it received one, so that gather visits only rows with messages.
#include "runtime.cl"

// Whether each vertex has a mark that says whether it received a message. With several lanes, a row is
// the work of several items, and none may clear its mark for the others.
#define GASCL_MARKS_RECEIVERS (!GASCL_EVERY_ARC_SENDS && GASCL_LANES == 1)

// Runs scatter on an arc, and writes its message.
static void gascl_slots_send(const int row, const gascl_offset arc, const gascl_vertex v,
                             GASCL_STATE GASCL_EDGE GASCL_LANE,
                             __global const gascl_offset *offsets, __global const int *targets,
                             __global const gascl_offset *slot, __global gascl_stored *messages,
                             __global uchar *sent, __global uchar *received) {
    const int target = targets[arc];
    gascl_edge e = gascl_edge_at(row, target, arc GASCL_EDGE_ON GASCL_LANE_ON);
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
    gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
    if (!GASCL_EVERY_ARC_SENDS && !out.count)
        return;
    messages[GASCL_SLOT(slot[arc], offsets)] =
        GASCL_STORED(gascl_narrow(out, row, gascl_control_));
    if (!GASCL_EVERY_ARC_SENDS)
        sent[GASCL_SLOT(slot[arc], offsets)] = 1;
    if (GASCL_MARKS_RECEIVERS)
        received[target] = 1;
}

// gascl_slots_scatter(): gascl/delivery/assembly.py puts slots/scatter_item.cl here where a work-group is one
// item, and otherwise slots/scatter_group.cl.
#include "slots_scatter.cl"

#define GASCL_DELIVERY                                                          \
    , __global gascl_stored *restrict messages, __global uchar *restrict sent, \
        __global uchar *restrict received GASCL_SEGMENTS
#define GASCL_DELIVERY_ON , messages, sent, received GASCL_SEGMENTS_ON

// gascl_gather(): slots/combined.cl or, where a gather snippet reads the messages, slots/singly.cl.
#include "slots_gather.cl"

__kernel void gascl_slots_gather(GASCL_STATE, GASCL_BLOCKS GASCL_DELIVERY,
                                 __global gascl_tally *restrict tallies) {
    __local gascl_gather_memory memory;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    gascl_gather(gascl_team_of_launch(gascl_control_), GASCL_BLOCKS_ON, &memory, &tally,
                 GASCL_STATE_ON GASCL_DELIVERY_ON);
    GASCL_SEND_BUNDLES_AHEAD();
    gascl_tally_store(&tally, tallies, &memory.shared);
}
