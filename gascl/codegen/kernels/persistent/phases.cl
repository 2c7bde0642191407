// The phases of deliveries that have supersteps, in a persistent kernel.

#define GASCL_PERSISTENT_STATE                                                               \
    __global long *GASCL_RESTRICT posted, __global gascl_tally *GASCL_RESTRICT tallies, \
        __global long *GASCL_RESTRICT counts
#define GASCL_PERSISTENT_STATE_ON posted, tallies, counts

// The phases of the delivery: persistent/frontier.cl or persistent/rows.cl (gascl/delivery/assembly.py). Both
// define:
//
//   // Which phase follows; GASCL_PHASE_JOIN: none, the superstep is over. `done`: how many supersteps the
//   // launch has run before.
//   static int gascl_phase_after(const int phase, const bool pulls, const bool has_bits,
//                                const int coming, const int done, GASCL_STATE, GASCL_STEP);
//
//   // A group's share of a phase.
//   static void gascl_run_step_phase(const int phase, const gascl_team team, ...);
//
//   // How many vertices and arcs the coming superstep visits, with so many active vertices and arcs.
//   static long gascl_visits(const long active, const long arcs, GASCL_STATE, GASCL_STEP);
//
//   // On GPUs: how many groups have something to do in a phase, of those that there are.
//   static int gascl_groups_for(const int phase, const int all, GASCL_STATE, GASCL_STEP);
//
//   GASCL_NUM_TALLIES(ranks)  how many tallies the groups with these ranks leave
//   GASCL_STEP_SWAPS          1 if GASCL_SWAP_STEP() exchanges buffers after a superstep
#define GASCL_SWAP(type, one, other) \
    do {                             \
        type const held = one;       \
        one = other;                 \
        other = held;                \
    } while (0)
#include "delivery_phases.cl"

static void gascl_run_phase(const int phase, const gascl_team team, GASCL_STATE GASCL_EDGE,
                            GASCL_STEP, GASCL_PERSISTENT_STATE, volatile __global int *team_words,
                            GASCL_START_STATE, __local gascl_shared *shared,
                            __local gascl_step_memory *memory) {
    switch (phase) {
    case GASCL_PHASE_START:
        GASCL_FOR_PARTS(part, num_tallies) {
            gascl_tally tally;
            GASCL_ZERO_TALLY(tally);
            gascl_start_vertices(gascl_part_of(part, num_tallies), &tally, GASCL_STATE_ON,
                                 GASCL_FIRST_VALUES_ON);
            gascl_tally_store_at(&tally, &tallies[part], shared);
            GASCL_GROUP_BARRIER();
        }
        break;
    case GASCL_PHASE_JOIN:  // the first group waits for others that start at the same time
        if (get_local_id(0) == 0)
            for (int poll = 0; poll < GASCL_JOIN_POLLS; ++poll)
                if (GASCL_READ_TEAM(RANKS) == get_num_groups(0))
                    break;
        break;
#if GASCL_SNAPSHOTS
    case GASCL_PHASE_SNAPSHOT:
        GASCL_FOR_SHARE(id, gascl_run_->graph.gascl_rows, 4096)
            GASCL_FOR_LANES gascl_copy_fields(id, GASCL_STATE_ON GASCL_LANE_ON);
        break;
#endif
#if GASCL_REALS
    case GASCL_PHASE_NANS:
        gascl_count_nans(team, GASCL_STATE_ON,
                         (__global int *)(size_t)(team_words + GASCL_STRIDE * GASCL_TEAM_WORDS));
        break;
#endif
    default:
        gascl_run_step_phase(phase, team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON,
                             GASCL_PERSISTENT_STATE_ON, team_words, shared, memory);
        if (phase == GASCL_PHASE_APPLY)
            GASCL_SEND_BUNDLES_AHEAD();
        else
            GASCL_SEND_BUNDLES();
    }
}

// What the group that arrived last does between two phases; its first item returns the next one.
static int gascl_end_phase(const int phase, const int ranks, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                           GASCL_PERSISTENT_STATE, volatile __global int *team_words,
                           const int begins, const int num_tallies, const int ask_stop,
                           const long least_arcs, const long most_arcs, const int supersteps,
                           const int most_work, __local gascl_shared *shared) {
    if (phase == GASCL_PHASE_NANS)
        return GASCL_PHASE_END;
    const int item = get_local_id(0);
    const bool starts = phase == GASCL_PHASE_JOIN;
    // All of these are read first: a read after the writes below would have to wait for them.
    const int starting = starts ? begins : GASCL_READ_TEAM(STARTING), work = GASCL_READ_TEAM(WORK);
    const int coming = gascl_control_->superstep + !starting;
    int done = GASCL_READ_TEAM(DONE);
    __global gascl_control *records =
        (__global gascl_control *)(size_t)(team_words + GASCL_TEAM_SIZE);
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
    if (starts && starting) {
        // A group that joins later leaves nothing in the phases that it has missed.
        gascl_tally none;
        GASCL_ZERO_TALLY(none);
        for (int i = item; i < max((int)get_num_groups(0), num_tallies); i += GASCL_GROUP)
            GASCL_COPY_TALLY(tallies[i], none);
        for (int i = item; i < (int)get_num_groups(0); i += GASCL_GROUP)
            posted[i] = counts[2 * i] = counts[2 * i + 1] = 0;
        return GASCL_PHASE_START;
    }
    if (phase == GASCL_PHASE_START && GASCL_MASKED)
        return GASCL_PHASE_COMMIT;
    if (!starts) {
        const int next = phase == GASCL_PHASE_START
                             ? GASCL_PHASE_JOIN
                             : gascl_phase_after(phase, pulls, has_bits, coming, done,
                                                 GASCL_STATE_ON, GASCL_STEP_ON);
        if (next != GASCL_PHASE_JOIN)
            return next;
        // Before the first superstep, the tallies are those of the parts of the start.
        const int tallied = starting ? max(ranks, num_tallies) : GASCL_NUM_TALLIES(ranks);
        gascl_tally tally, none;
        long messages = 0;  // that were posted; who posted them may have left
        for (int i = item; i < ranks; i += GASCL_GROUP)
            messages += posted[i];
        const long2 sum =
            gascl_total_of(&tally, messages, tallies, tallied, counts, ranks, shared);
        GASCL_GROUP_BARRIER_GLOBAL();
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
        return GASCL_REALS ? GASCL_PHASE_NANS : GASCL_PHASE_END;
    const long visits =
        gascl_visits(active, pulls ? most_arcs : arcs, GASCL_STATE_ON, GASCL_STEP_ON);
    // To look for common neighbors takes as long as about so many messages.
    const long each = GASCL_SCATTER_FINDS_COMMON ? 64 : 1;
    GASCL_TEAM(SMALL) = !pulls && each * visits <= GASCL_SMALL_WORK;
    GASCL_TEAM(WORK) = work + 1 + (int)(each * visits / 1024);
#if GASCL_SNAPSHOTS
    return GASCL_PHASE_SNAPSHOT;
#else
    return gascl_phase_after(GASCL_PHASE_SNAPSHOT, pulls, has_bits, coming, done, GASCL_STATE_ON,
                             GASCL_STEP_ON);
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
    case GASCL_PHASE_GATHER:
    case GASCL_PHASE_APPLY:
    case GASCL_PHASE_COMMIT:
        return GASCL_READ_TEAM(SMALL);
#if GASCL_LISTS_RECEIVERS
    case GASCL_PHASE_SHORT_ROWS:  // of several arcs each
        return GASCL_LENGTH(RECEIVERS) <= GASCL_SMALL_WORK / 16;
#endif
    default:
        return phase != GASCL_PHASE_END && gascl_run_->graph.gascl_rows <= GASCL_SMALL_WORK;
    }
}

// After a superstep, buffers change places: those of the delivery, and the two inboxes, so that what was
// sent ahead arrives in the next one.
#define GASCL_SWAPS (GASCL_POSTS_AHEAD || GASCL_STEP_SWAPS)
#if GASCL_POSTS_AHEAD
#if GASCL_WRAPS
#define GASCL_SWAP_WRAPS() GASCL_SWAP(__global int *, gascl_wraps, gascl_wraps_next)
#else
#define GASCL_SWAP_WRAPS()
#endif
#if GASCL_LISTS_RECEIVERS
#define GASCL_SWAP_RECEIVERS() GASCL_SWAP(__global int *, gascl_receivers, gascl_receivers_next)
#else
#define GASCL_SWAP_RECEIVERS()
#endif
#define GASCL_SWAP_INBOXES()                                            \
    do {                                                                \
        GASCL_SWAP(__global gascl_cell *, gascl_inbox, gascl_inbox_next); \
        GASCL_SWAP(__global uint *, gascl_arrived, gascl_arrived_next);   \
        GASCL_SWAP_RECEIVERS();                                         \
        GASCL_SWAP_WRAPS();                                             \
    } while (0)
#else
#define GASCL_SWAP_INBOXES()
#endif
#define GASCL_SWAP_BUFFERS()  \
    do {                      \
        GASCL_SWAP_INBOXES(); \
        GASCL_SWAP_STEP();    \
    } while (0)
