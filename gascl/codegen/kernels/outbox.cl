// Delivery `outbox`: pull, for a scatter that reads nothing of its arc. What a vertex sends is then
// computed once, not once for each arc (Reddy, section 5: the PageRank contribution), and stored in
// its outbox. Gather and apply are one kernel. Where the program allows (GASCL_FUSED), the scatter
// of the next superstep is part of it, too; hence two outboxes, which take turns.
#include "runtime.cl"

// A vertex without out-arcs does not scatter. Its scatter must not be run where it could fail.
static void gascl_outbox_put(const int id, const int ahead, GASCL_STATE GASCL_LANE,
                             __global const gascl_offset *out_offsets,
                             __global gascl_message *outbox, __global uchar *sent) {
#if GASCL_CAN_FAIL
    if (out_offsets[id] == out_offsets[id + 1])
        return;
#endif
    const gascl_vertex v = gascl_scattering(id, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_edge e;  // programs that read e are not admitted
    e.src = id;
    const gascl_box out = gascl_scatter(v, &e, ahead, GASCL_STATE_ON GASCL_LANE_ON);
    outbox[GASCL_AT(id)] = gascl_narrow(out, id, gascl_control_);
#if !GASCL_EVERY_ARC_SENDS
    sent[GASCL_AT(id)] = out.count > 0;
#endif
}

__kernel void gascl_outbox_scatter(GASCL_STATE, __global const gascl_offset *restrict out_offsets,
                                   __global gascl_message *restrict outbox,
                                   __global uchar *restrict sent) {
    if (gascl_control_->stopped)
        return;
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
        GASCL_FOR_LANES {
#if !GASCL_SCATTER_ALL
            if (!GASCL_IN_MASK(id)) {
                sent[GASCL_AT(id)] = 0;
                continue;
            }
#endif
            gascl_outbox_put(id, 0, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox, sent);
        }
}

#define GASCL_DELIVERY                                                                       \
    , __global const int *restrict sources, __global const gascl_offset *restrict out_offsets, \
        __global const gascl_message *restrict outbox, __global const uchar *restrict sent,    \
        __global gascl_message *restrict outbox_next, __global uchar *restrict sent_next
#define GASCL_DELIVERY_ON , sources, out_offsets, outbox, sent, outbox_next, sent_next

#define GASCL_SENDER(arc) sources[arc]

static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return true;
}

static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const size_t at = GASCL_AT(sources[arc]);
#if !GASCL_EVERY_ARC_SENDS
    if (!sent[at])
        return false;
#endif
    *x = outbox[at];
    return true;
}

static void gascl_taken(const gascl_offset arc, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {}

static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    gascl_apply(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_FUSED
    gascl_outbox_put(row, 1, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox_next, sent_next);
#endif
}

#define GASCL_MAY_STOP 1
#include "gather.cl"

__kernel void gascl_outbox_gather(GASCL_STATE, GASCL_BLOCKS GASCL_DELIVERY,
                                  __global gascl_tally *restrict tallies) {
    __local gascl_gather_memory memory;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    gascl_gather(GASCL_BLOCKS_ON, &memory, &tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
    gascl_tally_store(&tally, tallies, &memory.shared);
}
