// The phases of a superstep of delivery `push` or `frontier`, in a persistent kernel.

#define GASCL_PERSISTENT_STATE                                                               \
    __global long *GASCL_RESTRICT posted, __global gascl_tally *GASCL_RESTRICT tallies, \
        __global long *GASCL_RESTRICT counts
#define GASCL_PERSISTENT_STATE_ON posted, tallies, counts

// Which phase follows; GASCL_PHASE_JOIN: none, the superstep is over.
static int gascl_phase_after(const int phase, const bool pulls, const bool has_bits,
                             const int coming, GASCL_STATE) {
    const int superstep = gascl_control_->superstep;
    switch (phase) {
    case GASCL_PHASE_SNAPSHOT:
        if (GASCL_PULLS && pulls != has_bits)
            return pulls ? GASCL_PHASE_CLEAR_BITS : GASCL_PHASE_CONVERT;
    // The frontier has the form that is needed: the next phase is as after that one.
    case GASCL_PHASE_CONVERT:
        if (pulls ? GASCL_PULLS_AT_ONCE : !GASCL_FRONTIER_LENGTH(superstep))
            return GASCL_PHASE_APPLY;
        return GASCL_PHASE_SCATTER;
    case GASCL_PHASE_CLEAR_BITS:
        return GASCL_PHASE_CONVERT;
    case GASCL_PHASE_SCATTER:
        if (GASCL_SEARCHES && !GASCL_PULLS_AT_ONCE && pulls && GASCL_LENGTH(RECEIVERS))
            return GASCL_PHASE_SEARCH;
        return GASCL_PHASE_APPLY;
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

static void gascl_run_phase(const int phase, const gascl_team team, GASCL_STATE GASCL_EDGE,
                            GASCL_STEP, GASCL_PERSISTENT_STATE, volatile __global int *team_words,
                            __local gascl_shared *shared, __local gascl_step_memory *memory) {
    long2 counted = 0;
    switch (phase) {
    case GASCL_PHASE_JOIN:  // the first group waits for others that start at the same time
        if (get_local_id(0) == 0)
            for (int poll = 0; poll < GASCL_JOIN_POLLS; ++poll)
                if (GASCL_READ_TEAM(RANKS) == get_num_groups(0))
                    break;
        break;
#if GASCL_SNAPSHOTS
    case GASCL_PHASE_SNAPSHOT:
        GASCL_FOR_SHARE(id, gascl_run_->graph.num_vertices, 4096)
            gascl_copy_fields(id, GASCL_STATE_ON);
        break;
#endif
#if GASCL_PULLS
    case GASCL_PHASE_CLEAR_BITS:
        gascl_clear_bits(team, GASCL_STATE_ON, bits);
        break;
    case GASCL_PHASE_CONVERT:
        if (GASCL_PULLS_NOW)
            gascl_set_bits(team, GASCL_STATE_ON, GASCL_PUSHED_ON, bits);
        else
            gascl_list_bits(team, GASCL_STATE_ON, GASCL_PUSHED_ON, bits);
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

// What the group that arrived last does between two phases; its first item returns the next one.
static int gascl_end_phase(const int phase, const int ranks, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                           GASCL_PERSISTENT_STATE, volatile __global int *team_words,
                           const int begins, const int num_tallies, const int ask_stop,
                           const long least_arcs, const long most_arcs, const int supersteps,
                           const int most_work, __local gascl_shared *shared) {
    const int item = get_local_id(0);
    const bool starts = phase == GASCL_PHASE_JOIN;
    // All of these are read first: a read after the writes below would have to wait for them.
    const int starting = starts ? begins : GASCL_READ_TEAM(STARTING), work = GASCL_READ_TEAM(WORK);
    const int coming = gascl_control_->superstep + !starting;
    int done = GASCL_READ_TEAM(DONE);
    __global gascl_control *records =
        (__global gascl_control *)(size_t)(team_words + GASCL_STRIDE * GASCL_TEAM_WORDS);
    bool pulls = GASCL_PULLS_NOW, has_bits = GASCL_HAS_BITS;
    long active = gascl_control_->next_active, arcs = gascl_control_->next_arcs;
    int stopped = gascl_control_->stopped;
#if GASCL_PRIORITY
    if (phase == GASCL_PHASE_RETURN_NEAR && item == 0)
        GASCL_FRONTIER_LENGTH(coming) = 0;
#endif
    if (starts && item == 0) {
        GASCL_TEAM(STARTING) = starting;
        gascl_control_->clock = GASCL_CLOCK();
    }
    if (starts && starting && GASCL_MASKED)
        return GASCL_PHASE_COMMIT;
    if (!starts || starting) {
        const int next =
            starts ? phase : gascl_phase_after(phase, pulls, has_bits, coming, GASCL_STATE_ON);
        if (next != GASCL_PHASE_JOIN)
            return next;
        // Before the first superstep, the tallies are those of init, which was a launch of its own.
        const int tallied = starting ? max(ranks, num_tallies) : ranks;
        gascl_tally tally, none;
        long messages = 0;  // that were posted; who posted them may have left
        for (int i = item; i < ranks; i += GASCL_GROUP)
            messages += posted[i];
        const long2 sum =
            gascl_total_of(&tally, messages, tallies, tallied, counts, ranks, shared);
        GASCL_GROUP_BARRIER_GLOBAL();
        // A group that joins later leaves nothing in the phases that it has missed.
        GASCL_ZERO_TALLY(none);
        for (int i = item; i < tallied; i += GASCL_GROUP)
            GASCL_COPY_TALLY(tallies[i], none);
        for (int i = item; i < ranks; i += GASCL_GROUP)
            posted[i] = counts[2 * i] = counts[2 * i + 1] = 0;
        if (item != 0)
            return 0;
        gascl_control now;
        gascl_decide_on(&now, &tally, sum.x, sum.y, GASCL_STATE_ON, starting, ask_stop, least_arcs,
                        most_arcs, records, done);
        done += !starting;
        GASCL_TEAM(DONE) = done;
        GASCL_TEAM(SWAPPED) = !GASCL_READ_TEAM(SWAPPED);
        GASCL_TEAM(STARTING) = 0;
        GASCL_TEAM(MOST) = 0;
        pulls = GASCL_PULLS && now.pulls;
        has_bits = GASCL_PULLS && now.bits;
        active = now.next_active;
        arcs = now.next_arcs;
        stopped = now.stopped;
    }
    if (item != 0)
        return 0;
    if (stopped || done >= supersteps || work >= most_work)
        return GASCL_PHASE_END;
    const long applied = GASCL_APPLY_ALL     ? gascl_run_->graph.num_vertices
                         : GASCL_POSTS_AHEAD ? GASCL_LENGTH(RECEIVERS)
                                             : 0;
    GASCL_TEAM(SMALL) = applied + (pulls ? LONG_MAX / 2 : arcs) + active <= GASCL_SMALL_WORK;
    GASCL_TEAM(WORK) = work + 1 + (int)((applied + (pulls ? most_arcs : arcs)) / 1024);
#if GASCL_SNAPSHOTS
    return GASCL_PHASE_SNAPSHOT;
#else
    return gascl_phase_after(GASCL_PHASE_SNAPSHOT, pulls, has_bits, coming, GASCL_STATE_ON);
#endif
}

// Whether one group does a phase alone.
static bool gascl_is_small(const int phase, GASCL_STATE, volatile __global int *team_words) {
    switch (phase) {
#if GASCL_PRIORITY
    case GASCL_PHASE_SCAN_NEAR:
    case GASCL_PHASE_SPLIT_NEAR:
        return GASCL_PILE_LENGTH(GASCL_NEAR, gascl_control_->near_side) <= GASCL_SMALL_WORK;
    case GASCL_PHASE_SCAN_FAR:
    case GASCL_PHASE_SPLIT_FAR:
        return GASCL_PILE_LENGTH(GASCL_FAR, gascl_control_->far_side) <= GASCL_SMALL_WORK;
#endif
    case GASCL_PHASE_SCATTER:
    case GASCL_PHASE_APPLY:
    case GASCL_PHASE_COMMIT:
        return GASCL_READ_TEAM(SMALL);
    default:
        return phase != GASCL_PHASE_END && gascl_run_->graph.num_vertices <= GASCL_SMALL_WORK;
    }
}

// What was sent ahead in one superstep arrives in the next: the two inboxes change places.
#if GASCL_POSTS_AHEAD
#define GASCL_SWAP(type, one, other) \
    do {                             \
        type *const held = one;      \
        one = other;                 \
        other = held;                \
    } while (0)
#if GASCL_WRAPS
#define GASCL_SWAP_WRAPS() GASCL_SWAP(__global int, gascl_wraps, gascl_wraps_next)
#else
#define GASCL_SWAP_WRAPS()
#endif
#define GASCL_SWAP_INBOXES()                                             \
    do {                                                                 \
        GASCL_SWAP(__global gascl_cell, gascl_inbox, gascl_inbox_next);  \
        GASCL_SWAP(__global uint, gascl_arrived, gascl_arrived_next);    \
        GASCL_SWAP(__global int, gascl_receivers, gascl_receivers_next); \
        GASCL_SWAP_WRAPS();                                              \
    } while (0)
#else
#define GASCL_SWAP_INBOXES()
#endif
