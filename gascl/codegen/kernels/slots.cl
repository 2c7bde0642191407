// Delivery `slots` (Che, GasCL, section IV-B): scatter writes each message to its reverse-edge
// slot, so that a vertex's messages lie side by side; gather combines them and applies.
//
// Departures: a mark beside each slot says that a message was sent, whatever its value, and a mark
// per vertex that one was received, so that gather's cost follows the messages.
#include "runtime.cl"

// Lanes of one row are several items' work: none of them can take the row's mark back for all.
#define GASCL_RECEIVED (!GASCL_EVERY_ARC_SENDS && GASCL_LANES == 1)

static void gascl_slots_send(const int row, const gascl_offset arc, const gascl_vertex v,
                             GASCL_STATE GASCL_EDGE GASCL_LANE, __global const gascl_offset *offsets,
                             __global const int *targets, __global const gascl_offset *slot,
                             __global gascl_message *messages, __global uchar *sent,
                             __global uchar *received) {
    const int target = targets[arc];
    gascl_edge e = gascl_edge_at(row, target, arc GASCL_EDGE_ON GASCL_LANE_ON);
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
    gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
    if (!GASCL_EVERY_ARC_SENDS && !out.count)
        return;
    messages[GASCL_SLOT(slot[arc], offsets)] = gascl_narrow(out, row, gascl_control_);
#if !GASCL_EVERY_ARC_SENDS
    sent[GASCL_SLOT(slot[arc], offsets)] = 1;
#endif
#if GASCL_RECEIVED
    received[target] = 1;
#endif
}

#define GASCL_SLOTS_SEND(row, arc, v)                                                             \
    gascl_slots_send(row, arc, v, GASCL_STATE_ON GASCL_EDGE_ON GASCL_LANE_ON, offsets, targets,   \
                     slot, messages, sent, received)

__kernel void gascl_slots_scatter(GASCL_STATE GASCL_EDGE,
                                  __global const gascl_block *restrict blocks,
                                  const int num_blocks,
                                  __global const gascl_offset *restrict offsets,
                                  __global const int *restrict targets,
                                  __global const gascl_offset *restrict slot,
                                  __global gascl_message *restrict messages,
                                  __global uchar *restrict sent, __global uchar *restrict received) {
#if GASCL_GROUP == 1
    const gascl_block its = blocks[get_group_id(0)];
    const int last = gascl_control_->stopped ? 0 : its.last;
    for (int row = its.first; row < last; ++row) {
#if !GASCL_SCATTER_ALL
        if (!gascl_mask[row])
            continue;
#endif
        const gascl_offset end = offsets[row + 1];
        GASCL_FOR_LANES {
            const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON);
            for (gascl_offset arc = offsets[row]; arc < end; ++arc)
                GASCL_SLOTS_SEND(row, arc, v);
        }
    }
#else
    // Items take arcs in turn, whosever they are; a block whose rows are all idle is passed over.
    __local ushort starts[GASCL_BLOCK];
    __local int busy[2];
    const int item = get_local_id(0);
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    if (item < 2)
        busy[item] = GASCL_SCATTER_ALL;
    barrier(CLK_LOCAL_MEM_FENCE);
    int turn = 0;
    for (int i = get_group_id(0); i < end; i += get_num_groups(0), turn ^= 1) {
        const gascl_block its = blocks[i];
        const int rows = its.last - its.first;
        for (int j = item; j < rows; j += GASCL_GROUP) {
            starts[j] = (ushort)(offsets[its.first + j] - its.begin);
#if !GASCL_SCATTER_ALL
            if (gascl_mask[its.first + j])
                busy[turn] = 1;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const gascl_offset last = busy[turn] ? its.end : its.begin;
        for (gascl_offset arc = its.begin + item; arc < last; arc += GASCL_GROUP) {
            int row = 0;
            for (uint step = gascl_half(rows); step > 0; step >>= 1)
                if (row + (int)step < rows && starts[row + step] <= arc - its.begin)
                    row += step;
            row += its.first;
#if !GASCL_SCATTER_ALL
            if (!gascl_mask[row])
                continue;
#endif
            GASCL_FOR_LANES
                GASCL_SLOTS_SEND(row, arc, gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON));
        }
#if !GASCL_SCATTER_ALL
        if (item == 0)
            busy[turn ^ 1] = 0;
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}

static bool gascl_slots_fetch(const size_t at, gascl_message *x,
                              __global const gascl_message *messages, __global uchar *sent) {
#if !GASCL_EVERY_ARC_SENDS
    if (!sent[at])
        return false;
#endif
    *x = messages[at];
    return true;
}

#define GASCL_SLOTS_WANTED(row) (!GASCL_RECEIVED || received[row])
#define GASCL_SLOTS_FETCH(arc, row, x) \
    gascl_slots_fetch(GASCL_SLOT(arc, offsets), &x, messages, sent)
#if GASCL_EVERY_ARC_SENDS
#define GASCL_SLOTS_TAKEN(arc)
#else
#define GASCL_SLOTS_TAKEN(arc) sent[GASCL_SLOT(arc, offsets)] = 0
#endif
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

__kernel void gascl_slots_gather(GASCL_STATE, __global const gascl_block *restrict blocks,
                                 const int num_blocks,
                                 __global const gascl_offset *restrict offsets,
                                 __global gascl_message *restrict messages,
                                 __global uchar *restrict sent, __global uchar *restrict received,
                                 __global gascl_tally *restrict tallies) {
    __local gascl_shared gascl_shared_;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
#if GASCL_SINGLE
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int i = get_group_id(0); i < end; i += get_num_groups(0)) {
        const gascl_block its = blocks[i];
        for (int row = its.first + get_local_id(0); row < its.last; row += GASCL_GROUP)
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
    }
#else
    GASCL_GATHER(blocks, num_blocks, offsets, GASCL_SLOTS_WANTED, GASCL_SLOTS_FETCH,
                 GASCL_SLOTS_TAKEN, GASCL_SLOTS_FINISH)
#endif
    gascl_tally_store(&tally, tallies, &gascl_shared_);
}
