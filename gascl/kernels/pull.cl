// Delivery `pull` (Kim, section 4, node-centric; Reddy, implementation I): no message is stored.
// Each vertex computes anew what its in-neighbours send it, into one box a vertex; apply runs
// behind a barrier, because it may write what another vertex's pull still reads.
#include "runtime.cl"

static gascl_box gascl_pull_combine(const int row, const gascl_rows rows,
                                    GASCL_STATE GASCL_EDGE,
                                    __global const gascl_offset *offsets,
                                    __global const int *sources) {
    gascl_box in = gascl_box_empty();
    GASCL_FOR_ARCS(arc, rows, row, offsets) {
        const int source = sources[arc];
#if !GASCL_SCATTER_ALL
        if (!gascl_mask[source])
            continue;
#endif
        const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON);
        const gascl_edge e = gascl_edge_at(source, row, arc GASCL_EDGE_ON);
        gascl_box_merge(&in, gascl_scatter(v, e, 0, GASCL_STATE_ON));
    }
    return in;
}

__kernel void gascl_pull_gather(GASCL_STATE GASCL_EDGE, __global const int *restrict blocks,
                                __global const gascl_offset *restrict offsets,
                                __global const int *restrict sources,
                                __global gascl_box *restrict inbox) {
    if (gascl_control_->stopped)
        return;
    const gascl_rows rows = gascl_my_rows(blocks);
    gascl_box shared = gascl_box_empty();
    for (int row = rows.first; row < rows.last; row += GASCL_GROUP) {
        const gascl_box in =
            gascl_pull_combine(row, rows, GASCL_STATE_ON GASCL_EDGE_ON, offsets, sources);
        if (rows.shared)
            shared = in;
        else
            inbox[row] = in;
    }
#if GASCL_GROUP > 1
    __local gascl_box box_scratch[GASCL_GROUP];
    shared = gascl_box_reduce(shared, box_scratch);
    if (rows.shared && get_local_id(0) == 0)
        inbox[rows.first] = shared;
#endif
}

__kernel void gascl_pull_apply(GASCL_STATE, __global const gascl_box *restrict inbox,
                               __global gascl_tally *restrict tallies) {
    if (gascl_control_->stopped)
        return;
    __local gascl_tally scratch[GASCL_GROUP];
    gascl_tally tally = gascl_tally_zero();
    GASCL_FOR_VERTICES(id, gascl_run_->graph.num_vertices)
        gascl_apply(id, inbox[id], &tally, GASCL_STATE_ON);
    gascl_tally_store(tally, tallies, scratch);
}
