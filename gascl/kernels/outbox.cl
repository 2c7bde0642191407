// Delivery `outbox`: the pull form of a scatter that reads nothing of its arc. What a vertex sends
// is computed once, not once an arc (Reddy, section 5: the PageRank contribution), into a
// double-buffered outbox; gather and apply fuse, and where nothing stands between, so does the
// next superstep's scatter.
#include "runtime.cl"

static void gascl_outbox_put(const int id, const int ahead, GASCL_STATE,
                             __global gascl_message *outbox, __global uchar *sent) {
    const gascl_vertex v = gascl_scattering(id, GASCL_STATE_ON);
    gascl_edge e;  // a program that reads e is not admitted
    e.src = id;
    const gascl_box out = gascl_scatter(v, e, ahead, GASCL_STATE_ON);
    outbox[id] = gascl_narrow(out, id, gascl_control_);
#if !GASCL_EVERY_ARC_SENDS
    sent[id] = out.count > 0;
#endif
}

__kernel void gascl_outbox_scatter(GASCL_STATE, __global gascl_message *restrict outbox,
                                   __global uchar *restrict sent) {
    if (gascl_control_->stopped)
        return;
    GASCL_FOR_VERTICES(id, gascl_run_->graph.num_vertices) {
#if !GASCL_SCATTER_ALL
        if (!gascl_mask[id]) {
            sent[id] = 0;
            continue;
        }
#endif
        gascl_outbox_put(id, 0, GASCL_STATE_ON, outbox, sent);
    }
}

static gascl_box gascl_outbox_combine(const int row, const gascl_rows rows,
                                      __global const gascl_offset *offsets,
                                      __global const int *sources,
                                      __global const gascl_message *outbox,
                                      __global const uchar *sent) {
    gascl_box in = gascl_box_empty();
    GASCL_FOR_ARCS(arc, rows, row, offsets) {
        const int source = sources[arc];
#if !GASCL_EVERY_ARC_SENDS
        if (!sent[source])
            continue;
#endif
        gascl_box_combine(&in, outbox[source]);
        ++in.count;
    }
    return in;
}

static void gascl_outbox_finish(const int row, const gascl_box in, gascl_tally *tally, GASCL_STATE,
                                __global gascl_message *outbox_next,
                                __global uchar *sent_next) {
    gascl_apply(row, in, tally, GASCL_STATE_ON);
#if GASCL_FUSED
    gascl_outbox_put(row, 1, GASCL_STATE_ON, outbox_next, sent_next);
#endif
}

__kernel void gascl_outbox_gather(GASCL_STATE, __global const int *restrict blocks,
                                  __global const gascl_offset *restrict offsets,
                                  __global const int *restrict sources,
                                  __global const gascl_message *restrict outbox,
                                  __global const uchar *restrict sent,
                                  __global gascl_message *restrict outbox_next,
                                  __global uchar *restrict sent_next,
                                  __global gascl_tally *restrict tallies) {
    if (gascl_control_->stopped)
        return;
    __local gascl_tally tally_scratch[GASCL_GROUP];
    gascl_tally tally = gascl_tally_zero();
    const gascl_rows rows = gascl_my_rows(blocks);
    gascl_box shared = gascl_box_empty();
    for (int row = rows.first; row < rows.last; row += GASCL_GROUP) {
        const gascl_box in = gascl_outbox_combine(row, rows, offsets, sources, outbox, sent);
        if (rows.shared)
            shared = in;
        else
            gascl_outbox_finish(row, in, &tally, GASCL_STATE_ON, outbox_next, sent_next);
    }
#if GASCL_GROUP > 1
    __local gascl_box box_scratch[GASCL_GROUP];
    shared = gascl_box_reduce(shared, box_scratch);
    if (rows.shared && get_local_id(0) == 0)
        gascl_outbox_finish(rows.first, shared, &tally, GASCL_STATE_ON, outbox_next, sent_next);
#endif
    gascl_tally_store(tally, tallies, tally_scratch);
}
