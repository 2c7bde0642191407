// What every run needs around a delivery: init, the commit of masks, and the end of a superstep.
#include "runtime.cl"

// Sizes of the structs that the host lays out, too, so that it can compare.
__kernel void gascl_sizes(__global int *sizes) {
    sizes[0] = sizeof(gascl_run);
    sizes[1] = sizeof(gascl_box);
    sizes[2] = sizeof(gascl_tally);
    sizes[3] = sizeof(gascl_control);
}

// Superstep 0's beginning: field inits, the init snippet and the first mask.
__kernel void gascl_start(GASCL_STATE, const ulong given, __global gascl_tally *tallies) {
    __local gascl_tally scratch[GASCL_GROUP];
    gascl_tally tally = gascl_tally_zero();
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
        gascl_init(id, given, &tally, GASCL_STATE_ON);
    gascl_tally_store(tally, tallies, scratch);
}

#if GASCL_MASKED
// The next mask becomes this superstep's. What apply set for other vertices (marks) outlives
// their own unset_mask(); see docs/programs.md.
__kernel void gascl_commit(GASCL_STATE, __global int *counts) {
    __local int scratch[GASCL_GROUP];
    int count = 0;
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_)) {
#if GASCL_MARKS
        const uchar set = gascl_next[id] | gascl_marks[id];
        gascl_marks[id] = 0;
#else
        const uchar set = gascl_next[id];
#endif
        count += set;
        gascl_mask[id] = set;
        gascl_next[id] = 0;
    }
    scratch[get_local_id(0)] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        for (int i = 1; i < GASCL_GROUP; ++i)
            count += scratch[i];
        counts[get_group_id(0)] = count;
    }
}
#endif

// Many tallies, one a block of rows, into one a group, so that one group can end the superstep.
__kernel void gascl_fold(GASCL_STATE, __global const gascl_tally *tallies, const int num_tallies,
                         __global gascl_tally *folded) {
    __local gascl_tally scratch[GASCL_GROUP];
    gascl_tally tally = gascl_tally_zero();
    GASCL_FOR_RANGE(i, gascl_control_->stopped ? 0 : num_tallies)
        gascl_tally_add(&tally, tallies[i]);
    gascl_tally_store(tally, folded, scratch);
}

// The end of a superstep, by one group: reduce the tallies, ask `stop`, keep a record. Numbers of
// `stopped`: 1 the program's stop, 2 an empty mask, 3 overflow, 4 an id out of range.
__kernel void gascl_finish(GASCL_STATE, __global const gascl_tally *tallies, const int num_tallies,
                           __global const int *counts, const int num_counts, const int starting,
                           const int ask_stop, __global gascl_control *records, const int slot) {
    __local gascl_tally scratch[GASCL_GROUP];
    __local long totals[GASCL_GROUP];
    const int item = get_local_id(0);
    gascl_tally tally = gascl_tally_zero();
    for (int i = item; i < num_tallies; i += GASCL_GROUP)
        gascl_tally_add(&tally, tallies[i]);
    long count = 0;
    for (int i = item; i < num_counts; i += GASCL_GROUP)
        count += counts[i];
    scratch[item] = tally;
    totals[item] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item != 0 || gascl_control_->stopped)
        return;
    for (int i = 1; i < GASCL_GROUP; ++i) {
        gascl_tally_add(&tally, scratch[i]);
        count += totals[i];
    }
    gascl_control now = *gascl_control_;
    const gascl_aggregates prev = now.tally.aggregates;
    now.tally = tally;
    now.active = now.next_active;
    now.next_active = GASCL_SCATTER_ALL ? gascl_run_->graph.num_vertices : count;
    if (now.overflow != INT_MAX)
        now.stopped = 3;
    else if (now.fault != INT_MAX)
        now.stopped = 4;
    else if (!starting && ask_stop &&
             gascl_stop(prev, tally.aggregates, now.superstep, gascl_run_))
        now.stopped = 1;
    else if (!GASCL_SCATTER_ALL && now.next_active == 0)
        now.stopped = 2;
    if (!starting)
        ++now.superstep;
    *gascl_control_ = now;
    records[slot] = now;
}
