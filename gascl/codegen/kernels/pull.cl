// Delivery `pull` (Kim, section 4, node-centric; Reddy, implementation I): no message is stored.
// Each vertex computes anew what its in-neighbours send it, into one box a vertex; apply runs
// behind a barrier, because it may write what another vertex's pull still reads.
#include "runtime.cl"

static bool gascl_pull_fetch(const gascl_offset arc, const int row, gascl_message *x,
                             GASCL_STATE GASCL_EDGE GASCL_LANE, __global const int *sources) {
    const int source = sources[arc];
#if !GASCL_SCATTER_ALL
    if (!gascl_mask[source])
        return false;
#endif
    const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_edge e = gascl_edge_at(source, row, arc GASCL_EDGE_ON GASCL_LANE_ON);
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
    *x = gascl_narrow(out, row, gascl_control_);
    return GASCL_EVERY_ARC_SENDS || out.count > 0;
}

#define GASCL_PULL_WANTED(row) true
#define GASCL_PULL_TAKEN(arc)
#define GASCL_PULL_FETCH(arc, row, x) \
    gascl_pull_fetch(arc, row, &x, GASCL_STATE_ON GASCL_EDGE_ON GASCL_LANE_ON, sources)
#define GASCL_PULL_FINISH(row, in) pulled[GASCL_AT(row)] = in

__kernel void gascl_pull_gather(GASCL_STATE GASCL_EDGE,
                                __global const gascl_block *restrict blocks,
                                const int num_blocks,
                                __global const gascl_offset *restrict offsets,
                                __global const int *restrict sources,
                                __global gascl_box *restrict pulled) {
#if GASCL_GROUP > 1
    __local gascl_shared gascl_shared_;
#endif
    GASCL_GATHER(blocks, num_blocks, offsets, GASCL_PULL_WANTED, GASCL_PULL_FETCH, GASCL_PULL_TAKEN,
                 GASCL_PULL_FINISH)
}

// As GASCL_GATHER goes through rows, so that aggregators add up floats in the order in which they do
// where apply stands in the gather.
__kernel void gascl_pull_apply(GASCL_STATE, __global const gascl_block *restrict blocks,
                               const int num_blocks, __global const gascl_box *restrict pulled,
                               __global gascl_tally *restrict tallies) {
    __local gascl_shared shared;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block its = blocks[at];
#if GASCL_GROUP == 1
        for (int row = its.first; row < its.last; ++row)
            GASCL_FOR_LANES
                gascl_apply(row, pulled[GASCL_AT(row)], &tally, GASCL_STATE_ON GASCL_LANE_ON);
#else
        const int count = (its.last - its.first) * GASCL_LANES;
        for (int i = get_local_id(0); i < count; i += GASCL_GROUP) {
            const int row = its.first + i / GASCL_LANES;
#if GASCL_LANES > 1
            const int gascl_lane = i % GASCL_LANES;
#endif
            gascl_apply(row, pulled[GASCL_AT(row)], &tally, GASCL_STATE_ON GASCL_LANE_ON);
        }
#endif
    }
    gascl_tally_store(&tally, tallies, &shared);
}
