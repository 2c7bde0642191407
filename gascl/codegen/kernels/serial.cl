// Delivery `serial`: one work-item that follows the definition literally, phase by phase. The other
// deliveries are checked against it.
#include "runtime.cl"

__kernel void gascl_serial(GASCL_STATE GASCL_EDGE, __global const gascl_offset *restrict offsets,
                           __global const int *restrict targets,
                           __global const gascl_offset *restrict in_offsets,
                           __global const gascl_offset *restrict slot,
                           __global gascl_stored *restrict messages,
                           __global uchar *restrict sent, __global gascl_tally *restrict tallies) {
    if (gascl_control_->stopped)
        return;
    const int n = gascl_run_->graph.gascl_rows;
    for (int row = 0; row < n; ++row) {
        if (!GASCL_SCATTERS(row))
            continue;
        GASCL_FOR_LANES {
            const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON);
            for (gascl_offset arc = offsets[row]; arc < offsets[row + 1]; ++arc) {
                gascl_edge e = gascl_edge_at(row, targets[arc], arc GASCL_EDGE_ON GASCL_LANE_ON);
                const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
                gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
                if (out.count) {
                    messages[GASCL_SLOT(slot[arc], offsets)] =
                        GASCL_STORED(gascl_narrow(out, row, gascl_control_));
                    sent[GASCL_SLOT(slot[arc], offsets)] = 1;
                }
            }
        }
    }
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    for (int id = 0; id < n; ++id)
        GASCL_FOR_LANES {
#if GASCL_READS_SINGLY
            const size_t first = GASCL_SLOT(in_offsets[id], offsets);
            const int slots = (int)(in_offsets[id + 1] - in_offsets[id]);
            const int count = gascl_compact(messages + first, sent + first, slots);
            gascl_apply_single(id, messages + first, count, &tally,
                               GASCL_STATE_ON GASCL_LANE_ON);
#else
            gascl_box in = gascl_box_empty();
            for (gascl_offset i = in_offsets[id]; i < in_offsets[id + 1]; ++i) {
                if (!sent[GASCL_AT(i)])
                    continue;
                sent[GASCL_AT(i)] = 0;
                if (gascl_receives_message(messages[GASCL_AT(i)], id,
                                           GASCL_STATE_ON GASCL_LANE_ON))
                    gascl_box_add(&in, messages[GASCL_AT(i)]);
            }
            gascl_apply(id, in, &tally, GASCL_STATE_ON GASCL_LANE_ON);
#endif
        }
    GASCL_COPY_TALLY(tallies[0], tally);
}
