// Delivery `serial`: one work-item that follows the model word for word, phase by phase. It is the
// reference that the others are checked against.
#include "runtime.cl"

__kernel void gascl_serial(GASCL_STATE GASCL_EDGE, __global const gascl_offset *restrict offsets,
                           __global const int *restrict targets,
                           __global gascl_box *restrict inbox,
                           __global gascl_tally *restrict tallies) {
    if (gascl_control_->stopped)
        return;
    const int n = gascl_run_->graph.num_vertices;
    for (int id = 0; id < n; ++id)
        inbox[id] = gascl_box_empty();
    for (int row = 0; row < n; ++row) {
#if !GASCL_SCATTER_ALL
        if (!gascl_mask[row])
            continue;
#endif
        const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON);
        for (gascl_offset arc = offsets[row]; arc < offsets[row + 1]; ++arc) {
            const gascl_edge e = gascl_edge_at(row, targets[arc], arc GASCL_EDGE_ON);
            gascl_box in = inbox[targets[arc]];
            gascl_box_merge(&in, gascl_scatter(v, e, 0, GASCL_STATE_ON));
            inbox[targets[arc]] = in;
        }
    }
    gascl_tally tally = gascl_tally_zero();
    for (int id = 0; id < n; ++id)
        gascl_apply(id, inbox[id], &tally, GASCL_STATE_ON);
    tallies[0] = tally;
}
