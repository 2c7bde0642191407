// The phases of the deliveries whose work follows the frontier, in a persistent kernel.
#define GASCL_STEP_SWAPS 0
#define GASCL_SWAP_STEP()
#define GASCL_NUM_TALLIES(ranks) (ranks)

static int gascl_phase_after(const int phase, const bool pulls, const bool has_bits,
                             const int coming, const int done, GASCL_STATE, GASCL_STEP) {
    const int superstep = gascl_control_->superstep;
    switch (phase) {
    case GASCL_PHASE_SNAPSHOT:
        if (GASCL_PULLS && pulls != has_bits && !(pulls && GASCL_ALL_SEND))
            return pulls ? GASCL_PHASE_CLEAR_BITS : GASCL_PHASE_CONVERT;
    // The frontier has the form that is needed: the next phase is as after that one.
    case GASCL_PHASE_CONVERT:
#if GASCL_PULLS && GASCL_HAS_OUTBOX
        if (pulls && (GASCL_GROUP > 1 || !GASCL_ALL_SEND))
            return GASCL_PHASE_FILL;
#endif
        if (pulls ? GASCL_PULLS_AT_ONCE : !GASCL_FRONTIER_LENGTH(superstep))
            return GASCL_PHASE_APPLY;
        return GASCL_PHASE_SCATTER;
    case GASCL_PHASE_CLEAR_BITS:
        return GASCL_PHASE_CONVERT;
    case GASCL_PHASE_FILL:
        return GASCL_PHASE_SCATTER;
    case GASCL_PHASE_SCATTER:
        if (GASCL_SEARCHES && !GASCL_PULLS_AT_ONCE && pulls && GASCL_LENGTH(RECEIVERS))
            return GASCL_PHASE_SEARCH;
        return GASCL_REACHES && !pulls ? GASCL_PHASE_SHORT_ROWS : GASCL_PHASE_APPLY;
#if GASCL_REACHES
    case GASCL_PHASE_SHORT_ROWS:
        return GASCL_LENGTH(LISTED) ? GASCL_PHASE_LONG_ROWS : GASCL_PHASE_APPLY;
    case GASCL_PHASE_LONG_ROWS:
        return GASCL_PHASE_APPLY;
#endif
#if GASCL_SEARCHES
    case GASCL_PHASE_SEARCH:
        return GASCL_PULLS_AT_ONCE ? GASCL_PHASE_JOIN : GASCL_PHASE_APPLY;
    case GASCL_PHASE_APPLY:
        if (GASCL_PULLS_AT_ONCE && pulls && GASCL_LENGTH(RECEIVERS))
            return GASCL_PHASE_SEARCH;
        return GASCL_PHASE_JOIN;
#elif GASCL_PRIORITY
    case GASCL_PHASE_APPLY:
#if GASCL_READS_MASK
        return GASCL_PHASE_COMMIT;
#endif
    // No vertex is to be taken out of the mask: the next phase is as after that one.
    case GASCL_PHASE_COMMIT:
        return GASCL_LOWER_BUCKET_FILLED     ? GASCL_PHASE_RETURN_NEAR
               : GASCL_BUCKET_CHANGES(coming) ? GASCL_PHASE_SCAN_NEAR
                                     : GASCL_PHASE_JOIN;
    case GASCL_PHASE_RETURN_NEAR:
        return GASCL_PHASE_SCAN_NEAR;
    case GASCL_PHASE_SCAN_NEAR:
        if (GASCL_SCANS_FAR(coming))
            return GASCL_PHASE_SCAN_FAR;
    // The lowest bucket is known without it.
    case GASCL_PHASE_SCAN_FAR:
        if (GASCL_SPLITS_NEAR(gascl_control_))
            return GASCL_PHASE_SPLIT_NEAR;
    // `near` has none of its vertices.
    case GASCL_PHASE_SPLIT_NEAR:
        return GASCL_SPLITS_FAR(gascl_control_) ? GASCL_PHASE_SPLIT_FAR : GASCL_PHASE_JOIN;
#elif GASCL_MASKED && !GASCL_LISTS_DIRECTLY
    case GASCL_PHASE_APPLY:  // the mask was empty, and stays so
        if (!GASCL_SCATTER_ALL && !GASCL_LENGTH(LISTED) && !GASCL_FRONTIER_LENGTH(superstep))
            return GASCL_PHASE_JOIN;
        return GASCL_PHASE_COMMIT;
#endif
    default:
        return GASCL_PHASE_JOIN;
    }
}

static void gascl_run_step_phase(const int phase, const gascl_team team, GASCL_STATE GASCL_EDGE,
                                 GASCL_STEP, GASCL_PERSISTENT_STATE,
                                 volatile __global int *team_words,
                                 __local gascl_shared *shared,
                                 __local gascl_step_memory *memory) {
    long2 counted = 0;
    switch (phase) {
#if GASCL_PULLS
    case GASCL_PHASE_CLEAR_BITS:
        gascl_clear_bits(team, GASCL_STATE_ON, bits);
        break;
    case GASCL_PHASE_CONVERT: {
        gascl_team sets = team, lists = team;
        sets.idle |= !GASCL_PULLS_NOW;
        lists.idle |= GASCL_PULLS_NOW;
        gascl_set_bits(sets, GASCL_STATE_ON, GASCL_PUSHED_ON, bits);
        gascl_list_bits(lists, gascl_control_->superstep, GASCL_STATE_ON, GASCL_PUSHED_ON, bits, memory);
        break;
    }
#endif
#if GASCL_PULLS && GASCL_HAS_OUTBOX
    case GASCL_PHASE_FILL:
        gascl_fill_outboxes(team, GASCL_STATE_ON, offsets, bits, outbox);
        break;
#endif
    case GASCL_PHASE_SCATTER: {
        const long messages =
            gascl_scatter_phase(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, memory);
        const long2 sum = gascl_count_reduce((long2)(messages, 0), shared);
        if (get_local_id(0) == 0)
            posted[team.rank] = sum.x;
        break;
    }
    case GASCL_PHASE_APPLY: {
        gascl_tally tally;
        GASCL_ZERO_TALLY(tally);
        gascl_apply_phase(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, memory, &tally,
                          &counted);
        gascl_tally_store_at(&tally, &tallies[team.rank], shared);
#if GASCL_LISTS_DIRECTLY || GASCL_PRIORITY
        GASCL_GROUP_BARRIER();
        gascl_add_count(counted, &counts[2 * team.rank], shared);
#endif
        break;
    }
#if GASCL_REACHES
    case GASCL_PHASE_SHORT_ROWS:
        gascl_pull_short_rows(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, GASCL_PULLED_ON);
        break;
    case GASCL_PHASE_LONG_ROWS: {
        const long arcs =
            gascl_pull_long_rows(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, GASCL_PULLED_ON, memory);
        // gascl_visits() knows only the arcs of the frontier, of which a single one may reach a hub.
        if (get_local_id(0) == 0 && arcs >= 1024)
            atomic_add(&GASCL_TEAM(WORK), (int)(arcs / 1024));
        break;
    }
#endif
#if GASCL_SEARCHES
    case GASCL_PHASE_SEARCH: {
        gascl_tally tally;
        GASCL_ZERO_TALLY(tally);
        gascl_search_phase(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, memory, &tally,
                           &counted);
        gascl_tally_add_at(&tally, &tallies[team.rank], shared);
        GASCL_GROUP_BARRIER();
        gascl_add_count(counted, &counts[2 * team.rank], shared);
        break;
    }
#endif
#if GASCL_MASKED
    case GASCL_PHASE_COMMIT:
        gascl_commit_phase(team, GASCL_STATE_ON, offsets, frontiers, most_pieces,
                           GASCL_READ_TEAM(STARTING), &counted);
#if GASCL_PRIORITY
        if (GASCL_READ_TEAM(STARTING))
            gascl_start_buckets(team, GASCL_STATE_ON, offsets, frontiers, most_pieces, piles,
                                &memory->lists);
#endif
        gascl_add_count(counted, &counts[2 * team.rank], shared);
        break;
#endif
#if GASCL_PRIORITY
    case GASCL_PHASE_RETURN_NEAR:
        gascl_return_frontier(team, GASCL_STATE_ON, offsets, frontiers, most_pieces, piles,
                              GASCL_COMING(GASCL_READ_TEAM(STARTING)), &counted, &memory->lists);
        gascl_add_count(counted, &counts[2 * team.rank], shared);
        break;
    case GASCL_PHASE_SCAN_NEAR:
    case GASCL_PHASE_SCAN_FAR:
        gascl_scan_pile(team, GASCL_STATE_ON, piles,
                        phase == GASCL_PHASE_SCAN_NEAR ? GASCL_NEAR : GASCL_FAR,
                        GASCL_COMING(GASCL_READ_TEAM(STARTING)), &memory->lists);
        break;
    case GASCL_PHASE_SPLIT_NEAR:
    case GASCL_PHASE_SPLIT_FAR:
        gascl_split_pile(team, GASCL_STATE_ON, offsets, frontiers, most_pieces, piles,
                         phase == GASCL_PHASE_SPLIT_NEAR ? GASCL_NEAR : GASCL_FAR,
                         GASCL_COMING(GASCL_READ_TEAM(STARTING)), &counted, &memory->lists);
        gascl_add_count(counted, &counts[2 * team.rank], shared);
        break;
#endif
    }
}

static long gascl_visits(const long active, const long arcs, GASCL_STATE, GASCL_STEP) {
    const long applied = GASCL_APPLY_ALL     ? gascl_run_->graph.gascl_rows
                         : GASCL_POSTS_AHEAD ? GASCL_LENGTH(RECEIVERS)
                                             : 0;
    return applied + arcs + active;
}

#if GASCL_GROUP > 1
static int gascl_groups_for(const int phase, const int all, GASCL_STATE, GASCL_STEP) {
    long wanted = all;
    switch (phase) {
    case GASCL_PHASE_END:
        return GASCL_MOST_GROUPS;
#if GASCL_MASKED && !GASCL_SCATTER_ALL
    case GASCL_PHASE_SCATTER:
        if (!GASCL_PULLS_NOW)
            wanted = min((long)GASCL_FRONTIER_LENGTH(gascl_control_->superstep),
                         1 + gascl_control_->next_arcs / GASCL_GROUP);
        break;
#endif
    case GASCL_PHASE_SEARCH:
        wanted = GASCL_LENGTH(RECEIVERS);
        break;
    case GASCL_PHASE_SHORT_ROWS:
        wanted = 1 + GASCL_LENGTH(RECEIVERS) / GASCL_GROUP;
        break;
    case GASCL_PHASE_LONG_ROWS:
        wanted = GASCL_LENGTH(LISTED);
        break;
    case GASCL_PHASE_APPLY:
        if (!GASCL_PULLS_NOW)
            wanted = 1 + (long)gascl_num_applied(GASCL_STATE_ON) /
                             (gascl_applies_densely(GASCL_STATE_ON) ? GASCL_HELD_BY_GROUP
                                                                    : GASCL_GROUP);
        break;
#if GASCL_PRIORITY
    case GASCL_PHASE_SCAN_NEAR:
    case GASCL_PHASE_SPLIT_NEAR:
        wanted = 1 + GASCL_PILE_LENGTH(GASCL_NEAR, gascl_control_->near_side) / GASCL_GROUP;
        break;
    case GASCL_PHASE_SCAN_FAR:
    case GASCL_PHASE_SPLIT_FAR:
        wanted = 1 + GASCL_PILE_LENGTH(GASCL_FAR, gascl_control_->far_side) / GASCL_GROUP;
        break;
#endif
    }
    return (int)clamp(wanted, 1L, (long)all);
}
#endif
