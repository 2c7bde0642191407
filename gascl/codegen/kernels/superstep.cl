// What every run needs around a delivery: init, the commit of masks, and the end of a superstep.
#include "runtime.cl"

// Sizes of the structs that the host lays out, too, so that it can compare; then the user's.
__kernel void gascl_sizes(__global int *sizes) {
    sizes[0] = sizeof(gascl_run);
    sizes[1] = sizeof(gascl_box);
    sizes[2] = sizeof(gascl_tally);
    sizes[3] = sizeof(gascl_control);
    gascl_layouts(sizes + 4);
}

#if GASCL_INBOX
// How an inbox that is new to a run begins: without a message.
__kernel void gascl_empty(__global const gascl_run *run, __global gascl_cell *inbox) {
    const long cells = (long)run->graph.num_vertices * GASCL_LANES;
    GASCL_FOR_RANGE_OF(long, i, cells)
        inbox[i] = gascl_cell_empty();
}
#endif

// Superstep 0's beginning: field inits, the init snippet and the first mask. Fields in `given` have
// a value, those in `kept` keep it; `own_mask`: the program says who scatters first.
__kernel void gascl_start(GASCL_STATE, const ulong given, const ulong kept, const int own_mask,
                          __global gascl_tally *tallies) {
    __local gascl_shared shared;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
        GASCL_FOR_LANES
            gascl_init(id, given, kept, own_mask, &tally, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_tally_store(&tally, tallies, &shared);
}

#if GASCL_ARC_STATE
__kernel void gascl_start_arcs(GASCL_STATE GASCL_EDGE, __global const gascl_offset *offsets,
                               __global const int *targets, const ulong kept) {
    GASCL_FOR_RANGE(row, gascl_run_->graph.num_vertices)
        for (gascl_offset arc = offsets[row]; arc < offsets[row + 1]; ++arc)
            GASCL_FOR_LANES
                gascl_init_arc(gascl_edge_at(row, targets[arc], arc GASCL_EDGE_ON GASCL_LANE_ON),
                               arc, kept, GASCL_STATE_ON GASCL_EDGE_ON GASCL_LANE_ON);
}
#endif

// Copies of the fields that apply writes and others read, from before the phase.
#if GASCL_SNAPSHOTS
__kernel void gascl_snapshot(GASCL_STATE) {
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_))
        GASCL_FOR_LANES gascl_copy_fields(id, GASCL_STATE_ON GASCL_LANE_ON);
}
#endif

// How many vertices the next mask holds, and how many arcs go out from them: of each group.
static void gascl_count(const long vertices, const long arcs, __global long *counts,
                        __local gascl_shared *shared) {
    const long2 sum = gascl_count_reduce((long2)(vertices, arcs), shared);
    if (get_local_id(0) == 0) {
        counts[2 * get_group_id(0)] = sum.x;
        counts[2 * get_group_id(0) + 1] = sum.y;
    }
}

#if GASCL_MASKED && !GASCL_SPARSE
// The next mask becomes this superstep's.
__kernel void gascl_commit(GASCL_STATE, __global const gascl_offset *offsets,
                           __global long *counts) {
    __local gascl_shared shared;
    long vertices = 0, arcs = 0;
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_)) {
        if (gascl_commit_mask(id GASCL_MASKS_ON)) {
            ++vertices;
            arcs += offsets[id + 1] - offsets[id];
        }
    }
    gascl_count(vertices, arcs, counts, &shared);
}
#endif

// The end of a superstep, by one group: reduce the tallies, ask `stop`, keep a record. Numbers of
// `stopped`: 1 the program's stop, 2 an empty mask, 3 overflow, 4 a fault (words.cl), 5 a pause for
// the host to choose another delivery, where the next frontier's arcs leave what it named.
__kernel void gascl_finish(GASCL_STATE, __global const gascl_tally *tallies, const int num_tallies,
                           __global const long *counts, const int num_counts, const int starting,
                           const int ask_stop, const long least_arcs, const long most_arcs,
                           __global gascl_control *records, const int slot) {
    __local gascl_shared shared;
    const int item = get_local_id(0);
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    for (int i = item; i < num_tallies; i += GASCL_GROUP)
        GASCL_ADD_TALLY(tally, tallies[i]);
    long2 sum = 0;
    for (int i = item; i < num_counts; i += GASCL_GROUP)
        sum += (long2)(counts[2 * i], counts[2 * i + 1]);
    sum = gascl_count_reduce(sum, &shared);
    gascl_tally_reduce(&tally, &shared);
    if (item != 0 || gascl_control_->stopped)
        return;
    const long vertices = sum.x, arcs = sum.y;
    __global gascl_control *now = gascl_control_;
    gascl_aggregates prev, agg;
    GASCL_COPY_AGGREGATES(prev, now->aggregates);
    GASCL_SETTLE(agg, tally);
    GASCL_COPY_AGGREGATES(now->aggregates, agg);
    GASCL_COPY_TALLY(now->tally, tally);
    now->active = now->next_active;
    now->next_active = GASCL_SCATTER_ALL ? gascl_run_->graph.num_vertices : vertices;
    now->next_arcs = arcs;
    if (now->overflow != INT_MAX)
        now->stopped = 3;
    else if (now->fault != INT_MAX)
        now->stopped = 4;
    else if (!starting && ask_stop &&
             gascl_stop(&prev, &agg, now->superstep, gascl_run_))
        now->stopped = 1;
    else if (!GASCL_SCATTER_ALL && now->next_active == 0 && !now->under_way)
        now->stopped = 2;
    else if (arcs < least_arcs || arcs > most_arcs)
        now->stopped = 5;
    if (!starting)
        ++now->superstep;
#if GASCL_SPARSE
    now->frontier = GASCL_SCATTER_ALL ? now->frontier : now->frontier_next;
    now->touched = now->touched_next;
#else
    now->frontier = now->touched = 0;
#endif
    now->frontier_next = now->listed = now->touched_next = 0;
    GASCL_COPY_CONTROL(records[slot], *now);
    now->under_way = 0;
}
