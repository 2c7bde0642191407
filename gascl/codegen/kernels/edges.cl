// Delivery `edges` (Kim, algorithms 1 and 2, edge-centric): each work-item takes single arcs of the
// list of arcs (COO), and adds their messages to the receivers' inboxes atomically.
//
// Unlike there, any combiner will do, not only a sum; both directions of an undirected edge are
// arcs of the list; and where a program has a mask, arcs of vertices outside of it are skipped.
#include "runtime.cl"

__kernel void gascl_edges_scatter(GASCL_STATE GASCL_EDGE, __global const int *restrict sources,
                                  __global const int *restrict targets, const long num_arcs) {
    if (gascl_control_->stopped)
        return;
    GASCL_FOR_RANGE_OF(gascl_offset, arc, num_arcs) {
        const int source = sources[arc];
        if (!GASCL_SCATTERS(source))
            continue;
        GASCL_FOR_LANES {
            const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON GASCL_LANE_ON);
            gascl_edge e = gascl_edge_at(source, targets[arc], arc GASCL_EDGE_ON GASCL_LANE_ON);
            const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
            gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
            if (!out.count)
                continue;
            const gascl_message x = gascl_narrow(out, source, gascl_control_);
            if (gascl_receives_message(x, targets[arc], GASCL_STATE_ON GASCL_LANE_ON))
                gascl_post(targets[arc], GASCL_TO_ACCUMULATOR(x), GASCL_POST() GASCL_LANE_ON);
        }
    }
    GASCL_SEND_BUNDLES();
}

#include "arc_messages_kernels.cl"

__kernel void gascl_edges_apply(GASCL_STATE, __global gascl_tally *restrict tallies) {
    __local gascl_shared shared;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_))
        GASCL_FOR_LANES
            gascl_apply(id, gascl_box_empty(), &tally, GASCL_STATE_ON GASCL_LANE_ON);
    GASCL_SEND_BUNDLES_AHEAD();
    gascl_tally_store(&tally, tallies, &shared);
}
