// Delivery `outbox`: the pull form of a scatter that reads nothing of its arc. What a vertex sends
// is computed once, not once an arc (Reddy, section 5: the PageRank contribution), into a
// double-buffered outbox; gather and apply fuse, and where nothing stands between, so does the
// next superstep's scatter.
#include "runtime.cl"

// A vertex without arcs scatters nowhere: where its scatter could stop the run, it must not be run.
static void gascl_outbox_put(const int id, const int ahead, GASCL_STATE GASCL_LANE,
                             __global const gascl_offset *out_offsets,
                             __global gascl_message *outbox, __global uchar *sent) {
#if GASCL_CAN_FAIL
    if (out_offsets[id] == out_offsets[id + 1])
        return;
#endif
    const gascl_vertex v = gascl_scattering(id, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_edge e;  // a program that reads e is not admitted
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
            if (!gascl_mask[id]) {
                sent[GASCL_AT(id)] = 0;
                continue;
            }
#endif
            gascl_outbox_put(id, 0, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox, sent);
        }
}

static bool gascl_outbox_fetch(const size_t at, gascl_message *x,
                               __global const gascl_message *outbox, __global const uchar *sent) {
#if !GASCL_EVERY_ARC_SENDS
    if (!sent[at])
        return false;
#endif
    *x = outbox[at];
    return true;
}

static void gascl_outbox_finish(const int row, const gascl_box in, gascl_tally *tally,
                                GASCL_STATE GASCL_LANE, __global const gascl_offset *out_offsets,
                                __global gascl_message *outbox_next, __global uchar *sent_next) {
    gascl_apply(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_FUSED
    gascl_outbox_put(row, 1, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox_next,
                     sent_next);
#endif
}

#define GASCL_OUTBOX_WANTED(row) true
#define GASCL_OUTBOX_FETCH(arc, row, x) \
    gascl_outbox_fetch(GASCL_AT(sources[arc]), &x, outbox, sent)
#define GASCL_OUTBOX_TAKEN(arc)
#define GASCL_OUTBOX_FINISH(row, in) \
    gascl_outbox_finish(row, in, &tally, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox_next, \
                        sent_next)

__kernel void gascl_outbox_gather(GASCL_STATE, __global const gascl_block *restrict blocks,
                                  const int num_blocks,
                                  __global const gascl_offset *restrict offsets,
                                  __global const int *restrict sources,
                                  __global const gascl_offset *restrict out_offsets,
                                  __global const gascl_message *restrict outbox,
                                  __global const uchar *restrict sent,
                                  __global gascl_message *restrict outbox_next,
                                  __global uchar *restrict sent_next,
                                  __global gascl_tally *restrict tallies) {
    __local gascl_shared gascl_shared_;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    GASCL_GATHER(blocks, num_blocks, offsets, GASCL_OUTBOX_WANTED, GASCL_OUTBOX_FETCH,
                 GASCL_OUTBOX_TAKEN, GASCL_OUTBOX_FINISH)
    gascl_tally_store(&tally, tallies, &gascl_shared_);
}
