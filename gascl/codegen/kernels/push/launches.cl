// Push: a superstep as launches. The frontier is first converted to the form that the superstep reads.
// To bits: they are cleared ...
#if GASCL_PULLS
__kernel void gascl_frontier_clear(GASCL_STATE, __global uint *restrict bits) {
    gascl_team team = gascl_team_of_launch(gascl_control_);
    team.idle |= !GASCL_PULLS_NOW || GASCL_HAS_BITS;
    gascl_clear_bits(team, GASCL_STATE_ON, bits);
}

// ... and set. Or from bits to a list.
__kernel void gascl_frontier_convert(GASCL_STATE, GASCL_PUSHED, __global uint *restrict bits) {
    __local gascl_step_memory memory;
    gascl_team sets = gascl_team_of_launch(gascl_control_), lists = sets;
    sets.idle |= !GASCL_PULLS_NOW || GASCL_HAS_BITS;
    lists.idle |= GASCL_PULLS_NOW || !GASCL_HAS_BITS;
    gascl_set_bits(sets, GASCL_STATE_ON, GASCL_PUSHED_ON, bits);
    gascl_list_bits(lists, gascl_control_->superstep, GASCL_STATE_ON, GASCL_PUSHED_ON, bits, &memory);
}

#if GASCL_LISTS_BITS
// After a superstep that has pulled, where ranks exchange lists.
__kernel void gascl_frontier_list(GASCL_STATE, GASCL_PUSHED, __global const uint *restrict bits) {
    __local gascl_step_memory memory;
    gascl_team team = gascl_team_of_launch(gascl_control_);
    team.idle |= !GASCL_PULLS_NOW;
    gascl_list_bits(team, gascl_control_->superstep + 1, GASCL_STATE_ON, GASCL_PUSHED_ON, bits,
                    &memory);
}
#endif

#if GASCL_HAS_OUTBOX
__kernel void gascl_frontier_fill(GASCL_STATE, __global const gascl_offset *restrict offsets,
                                  __global const uint *restrict bits,
                                  __global gascl_outbox_entry *restrict outbox) {
    gascl_team team = gascl_team_of_launch(gascl_control_);
    team.idle |= !GASCL_PULLS_NOW;
    gascl_fill_outboxes(team, GASCL_STATE_ON, offsets, bits, outbox);
}
#endif
#endif

__kernel void gascl_push_scatter(GASCL_STATE GASCL_EDGE, GASCL_STEP, __global long *posted) {
    __local gascl_shared shared;
    __local gascl_step_memory memory;
    const gascl_team team = gascl_team_of_launch(gascl_control_);
    const long messages =
        gascl_scatter_phase(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, &memory);
    GASCL_SEND_BUNDLES();
    const long2 sum = gascl_count_reduce((long2)(messages, 0), &shared);
    if (get_local_id(0) == 0)
        posted[team.rank] = sum.x;
}

#if GASCL_REACHES
__kernel void gascl_pull_reached_short(GASCL_STATE GASCL_EDGE, GASCL_STEP) {
    gascl_pull_short_rows(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON GASCL_EDGE_IN_ON,
                          GASCL_PULLED_ON);
}

__kernel void gascl_pull_reached_long(GASCL_STATE GASCL_EDGE, GASCL_STEP) {
    __local gascl_step_memory memory;
    gascl_pull_long_rows(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON GASCL_EDGE_IN_ON,
                         GASCL_PULLED_ON, &memory);
}
#endif

__kernel void gascl_push_apply(GASCL_STATE GASCL_EDGE, GASCL_STEP,
                               __global const long *restrict posted,
                               __global gascl_tally *restrict tallies,
                               __global long *restrict counts) {
    __local gascl_shared shared;
    __local gascl_step_memory memory;
    const gascl_team team = gascl_team_of_launch(gascl_control_);
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    long2 counted = 0;
    gascl_apply_phase(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, &memory, &tally, &counted);
    if (get_local_id(0) == 0)
        tally.messages += posted[team.rank];
    GASCL_SEND_BUNDLES_AHEAD();
    gascl_tally_store(&tally, tallies, &shared);
#if GASCL_LISTS_DIRECTLY || GASCL_PRIORITY
    barrier(CLK_LOCAL_MEM_FENCE);
    gascl_count(counted.x, counted.y, counts, &shared);
#endif
}

#if GASCL_SEARCHES
// Before gascl_push_apply, or behind it: see gascl_search_phase().
__kernel void gascl_push_search(GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                __global gascl_tally *restrict tallies,
                                __global long *restrict counts) {
    __local gascl_shared shared;
    __local gascl_step_memory memory;
    const gascl_team team = gascl_team_of_launch(gascl_control_);
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    long2 counted = 0;
    gascl_search_phase(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, &memory, &tally, &counted);
#if GASCL_PULLS_AT_ONCE
    gascl_tally_add_at(&tally, &tallies[team.rank], &shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    gascl_add_count(counted, &counts[2 * team.rank], &shared);
#endif
}
#endif
