// A whole run in one launch: its phases follow each other in one kernel, and its groups meet between
// them. Which phase is next, and whether the run goes on, is decided by the group that arrives last.
//
// OpenCL does not promise that all groups of a launch run at the same time. So a group joins the team
// when it starts; whoever starts late joins then, and whoever starts after the end leaves at once.
// Nobody waits for a group that has not joined.
//
// On a CPU, all that have joined take part in every phase. A group that waits may keep the one that it
// waits for from running, where both are on the same core or other work keeps it busy: it yields its
// core, and leaves the team when it has seen no progress for some time. The others go on without it.
//
// On a GPU, only as many groups take part in a phase as have something to do: meeting takes longer the
// more there are.
//
// The team's words, each in a cache line of its own; 0 before a launch. Behind them are the records
// of supersteps, so that the host reads both at once.
enum {
    GASCL_TEAM_STATE,     // how many take part (12 bits), how many of them have arrived (12), and the
                          // last 8 bits of the phase's number
    GASCL_TEAM_PHASE,     // which phase is running
    GASCL_TEAM_GROUPS,    // how many take part in it
    GASCL_TEAM_DONE,      // how many supersteps have run
    GASCL_TEAM_FAILED,    // somebody waited too long
    GASCL_TEAM_TAKEN,     // see gascl_share() in team.cl; and for a second loop in the same phase
    GASCL_TEAM_TAKEN_TOO,
    GASCL_TEAM_WORK,      // how much the supersteps had to do, in units of 1024 arcs
    GASCL_TEAM_SMALL,     // the superstep has little to do
    GASCL_TEAM_STARTING,  // the first mask is still to be committed
    GASCL_TEAM_RANKS,     // how many have ever joined
    GASCL_TEAM_SWAPPED,   // what is sent ahead comes into the inbox that was the other one
    GASCL_TEAM_RELEASED,  // the phase's number: those that wait look here, out of the way of those that
                          // arrive. On a GPU, behind 12 bits for how many take part
    GASCL_TEAM_MOST,      // on a GPU: the most groups that took part in a phase of this superstep
    GASCL_TEAM_WORDS
};
#define GASCL_TEAM(word) team_words[16 * GASCL_TEAM_##word]
#define GASCL_JOINED(state) ((uint)(state) >> 20)
#define GASCL_ARRIVED(state) ((uint)(state) >> 8 & 0xfff)
#define GASCL_NUMBER(state) ((uint)(state)&0xff)

enum {  // phases
    GASCL_PHASE_JOIN,
    GASCL_PHASE_END,
    GASCL_PHASE_SNAPSHOT,
    GASCL_PHASE_CLEAR,
    GASCL_PHASE_TURN,
    GASCL_PHASE_SCATTER,
    GASCL_PHASE_APPLY,
    GASCL_PHASE_COMMIT,
    GASCL_PHASE_BACK,
    GASCL_PHASE_SCAN_NEAR,
    GASCL_PHASE_SCAN_FAR,
    GASCL_PHASE_SPLIT_NEAR,
    GASCL_PHASE_SPLIT_FAR
};

// What one group writes before it arrives, all others read when they go on. OpenCL C 1.2 has no
// words for that between groups.
#if GASCL_PTX_FENCES
static void gascl_fence(void) {
    __asm__ volatile("fence.acq_rel.gpu;" ::: "memory");
}
#elif defined(GASCL_OCLGRIND)  // which knows no fence, and runs one group here
#define gascl_fence()
#else
static void gascl_fence(void) {
    __sync_synchronize();
}
#endif
// All items of a group meet. Where it has one item, nothing is to be waited for.
#if GASCL_GROUP == 1
#define GASCL_MEET()
#define GASCL_MEET_GLOBALLY()
#else
#define GASCL_MEET() barrier(CLK_LOCAL_MEM_FENCE)
#define GASCL_MEET_GLOBALLY() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

#define GASCL_LOOK(word) (*(volatile __global int *)&GASCL_TEAM(word))

// Lets another thread have the processor, where there may be fewer processors than groups.
#if GASCL_GROUP == 1 && defined(__linux__) && defined(__x86_64__) && !defined(GASCL_OCLGRIND)
static void gascl_yield(void) {
    long result = 24;  // the system call sched_yield
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
}
#else
#define gascl_yield()
#endif

// How long a group waits.
typedef struct {
    ulong looks;  // how many since it last saw progress
    uint seen;
} gascl_patience;

// Whether a group goes on waiting. Whoever takes work meanwhile, or finishes supersteps, is running.
static bool gascl_waits(gascl_patience *mine, volatile __global int *team_words) {
    if (++mine->looks % 1024 != 0)
        return true;
    const uint now = (uint)GASCL_LOOK(TAKEN) + (uint)GASCL_LOOK(DONE);
    if (now != mine->seen)
        mine->looks = 0;
    mine->seen = now;
    gascl_yield();
    return mine->looks < GASCL_PATIENCE && !GASCL_LOOK(FAILED);
}

#if GASCL_GROUP == 1
#define GASCL_NUMBERS 0xff  // what there is of a phase's number

// Joins the team; returns its rank, or -1 where the run is over or nobody makes progress. `number`: of
// the phase in which it takes part.
static int gascl_join(volatile __global int *team_words, uint *number) {
    gascl_patience mine = {0, 0};
    while (gascl_waits(&mine, team_words)) {
        const uint state = (uint)GASCL_LOOK(STATE);
        if (GASCL_LOOK(PHASE) == GASCL_PHASE_END)
            return -1;
        // The first one begins. Nobody joins when all have arrived: the last one is deciding then.
        if (GASCL_JOINED(state) && GASCL_ARRIVED(state) >= GASCL_JOINED(state))
            continue;
        if (atomic_cmpxchg(&GASCL_TEAM(STATE), (int)state, (int)(state + (1u << 20))) != (int)state)
            continue;
        *number = GASCL_NUMBER(state);
        return atomic_inc(&GASCL_TEAM(RANKS));
    }
    return -1;
}

// Waits until the phase with this number is over: true if it was, false if patience ended first.
// RELEASED may be one phase behind: a group that joined or looked at STATE can be ahead of whoever
// releases.
static bool gascl_await(uint *number, const int rank, volatile __global int *team_words) {
    gascl_patience mine = {0, 0};
    bool over = false;
    do {
        over = (uint)GASCL_LOOK(RELEASED) == (*number + 1 & GASCL_NUMBERS);
    } while (!over && gascl_waits(&mine, team_words));
    while (!over) {  // leave, unless the phase ends at this moment
        const uint state = (uint)GASCL_LOOK(STATE);
        over = GASCL_NUMBER(state) != *number;
        const uint without = state - (1u << 20) - (1u << 8);
        if (!over && atomic_cmpxchg(&GASCL_TEAM(STATE), (int)state, (int)without) == (int)state)
            return false;
    }
    *number = *number + 1 & GASCL_NUMBERS;
    return !GASCL_LOOK(FAILED);
}

// Lets all that wait go on with the next phase.
static void gascl_release(const uint next, const int groups, volatile __global int *team_words) {
    for (;;) {
        const uint state = (uint)GASCL_LOOK(STATE);  // some may leave meanwhile
        const uint fresh = (GASCL_JOINED(state) << 20) | next;
        GASCL_TEAM(GROUPS) = (int)GASCL_JOINED(state);
        gascl_fence();  // those that leave, or join in the middle, look at `state`
        if (atomic_cmpxchg(&GASCL_TEAM(STATE), (int)state, (int)fresh) == (int)state)
            break;
    }
    gascl_fence();
    GASCL_TEAM(RELEASED) = (int)next;
}
#else
#define GASCL_EVERYBODY 0xfff
#define GASCL_NUMBERS 0xfffff

// Joins the team; returns its rank. The first one begins, the others wait for a phase.
static int gascl_join(volatile __global int *team_words, uint *number) {
    const int rank = atomic_inc(&GASCL_TEAM(RANKS));
    if (rank == 0)
        GASCL_TEAM(STATE) = 1 << 20;
    *number = 0;
    return rank;
}

// Waits for another phase in which it takes part, or the end; whether there was one.
static bool gascl_await(uint *number, const int rank, volatile __global int *team_words) {
    gascl_patience mine = {0, 0};
    do {
        const uint released = (uint)GASCL_LOOK(RELEASED);
        if ((released & GASCL_NUMBERS) != *number && (uint)rank < released >> 20) {
            *number = released & GASCL_NUMBERS;
            return !GASCL_LOOK(FAILED);
        }
    } while (gascl_waits(&mine, team_words));
    GASCL_TEAM(FAILED) = 1;
    return false;
}

// Lets that many groups go on with the next phase.
static void gascl_release(const uint next, const int groups, volatile __global int *team_words) {
    GASCL_TEAM(STATE) = (int)(((uint)groups << 20) | (next & 0xff));
    GASCL_TEAM(GROUPS) = groups;
    gascl_fence();
    GASCL_TEAM(RELEASED) = (int)(((uint)groups << 20) | next);
}
#endif

#define GASCL_WHOLE_STATE                                                               \
    __global long *GASCL_RESTRICT posted, __global gascl_tally *GASCL_RESTRICT tallies, \
        __global long *GASCL_RESTRICT counts
#define GASCL_WHOLE_STATE_ON posted, tallies, counts

// Which phase follows; GASCL_PHASE_JOIN: none, the superstep is over.
static int gascl_phase_after(const int phase, const bool pulls, const bool has_bits,
                             const int coming, GASCL_STATE) {
    const int superstep = gascl_control_->superstep;
    switch (phase) {
    case GASCL_PHASE_SNAPSHOT:
        if (GASCL_PULLS && pulls != has_bits)
            return pulls ? GASCL_PHASE_CLEAR : GASCL_PHASE_TURN;
    // The frontier has the form that is needed: as after that phase.
    case GASCL_PHASE_TURN:
        if (pulls ? GASCL_PULLS && GASCL_SCATTER_STAYS : !GASCL_FRONTIER_LENGTH(superstep))
            return GASCL_PHASE_APPLY;
        return GASCL_PHASE_SCATTER;
    case GASCL_PHASE_CLEAR:
        return GASCL_PHASE_TURN;
    case GASCL_PHASE_SCATTER:
        return GASCL_PHASE_APPLY;
#if GASCL_PRIORITY
    case GASCL_PHASE_APPLY:
#if GASCL_READS_MASK
        return GASCL_PHASE_COMMIT;
#endif
    // There is nothing to take back: as after that phase.
    case GASCL_PHASE_COMMIT:
        return GASCL_TURNS_BACK     ? GASCL_PHASE_BACK
               : GASCL_TURNS(coming) ? GASCL_PHASE_SCAN_NEAR
                                     : GASCL_PHASE_JOIN;
    case GASCL_PHASE_BACK:
        return GASCL_PHASE_SCAN_NEAR;
    case GASCL_PHASE_SCAN_NEAR:
        if (GASCL_LOOKS_FAR(coming))
            return GASCL_PHASE_SCAN_FAR;
    // The lowest bucket is known without it.
    case GASCL_PHASE_SCAN_FAR:
        if (GASCL_SPLITS_NEAR(gascl_control_))
            return GASCL_PHASE_SPLIT_NEAR;
    // `near` has none of its vertices.
    case GASCL_PHASE_SPLIT_NEAR:
        return GASCL_SPLITS_FAR(gascl_control_) ? GASCL_PHASE_SPLIT_FAR : GASCL_PHASE_JOIN;
#elif GASCL_MASKED && !GASCL_LISTS_DIRECTLY
    case GASCL_PHASE_APPLY:  // nobody was in the mask, and nobody will be
        if (!GASCL_SCATTER_ALL && !GASCL_LENGTH(LISTED) && !GASCL_FRONTIER_LENGTH(superstep))
            return GASCL_PHASE_JOIN;
        return GASCL_PHASE_COMMIT;
#endif
    default:
        return GASCL_PHASE_JOIN;
    }
}

// How many groups have something to do in a phase, of those that there are.
#if GASCL_GROUP > 1
static int gascl_wanted(const int phase, const int all, GASCL_STATE) {
    long wanted = all;
    switch (phase) {
    case GASCL_PHASE_END:
        return GASCL_EVERYBODY;
#if GASCL_MASKED && !GASCL_SCATTER_ALL
    case GASCL_PHASE_SCATTER:
        if (!GASCL_PULLS_NOW)
            wanted = min((long)GASCL_FRONTIER_LENGTH(gascl_control_->superstep),
                         1 + gascl_control_->next_arcs / GASCL_GROUP);
        break;
#endif
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
#else
#define gascl_wanted(phase, all, ...) all
#endif

static void gascl_run_phase(const int phase, const gascl_team team, GASCL_STATE GASCL_EDGE,
                            GASCL_STEP, GASCL_WHOLE_STATE, volatile __global int *team_words,
                            __local gascl_shared *shared, __local gascl_step_memory *memory) {
    long2 counted = 0;
    switch (phase) {
    case GASCL_PHASE_JOIN:  // the first group waits for others that start at the same time
        if (get_local_id(0) == 0)
            for (int turn = 0; turn < GASCL_WELCOME; ++turn)
                if (GASCL_LOOK(RANKS) == get_num_groups(0))
                    break;
        break;
#if GASCL_SNAPSHOTS
    case GASCL_PHASE_SNAPSHOT:
        GASCL_FOR_SHARE(id, gascl_run_->graph.num_vertices, 4096)
            gascl_copy_fields(id, GASCL_STATE_ON);
        break;
#endif
#if GASCL_PULLS
    case GASCL_PHASE_CLEAR:
        gascl_clear_bits(team, GASCL_STATE_ON, bits);
        break;
    case GASCL_PHASE_TURN:
        if (GASCL_PULLS_NOW)
            gascl_set_bits(team, GASCL_STATE_ON, GASCL_PUSHED_ON, bits);
        else
            gascl_list_bits(team, GASCL_STATE_ON, GASCL_PUSHED_ON, bits, memory);
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
        GASCL_MEET();
        gascl_add_count(counted, &counts[2 * team.rank], shared);
#endif
        break;
    }
#if GASCL_MASKED
    case GASCL_PHASE_COMMIT:
        gascl_commit_phase(team, GASCL_STATE_ON, offsets, frontiers, most_pieces,
                           GASCL_LOOK(STARTING), &counted);
#if GASCL_PRIORITY
        if (GASCL_LOOK(STARTING))
            gascl_first_turns(team, GASCL_STATE_ON, offsets, frontiers, most_pieces, piles,
                              &memory->lists);
#endif
        gascl_add_count(counted, &counts[2 * team.rank], shared);
        break;
#endif
#if GASCL_PRIORITY
    case GASCL_PHASE_BACK:
        gascl_turn_back(team, GASCL_STATE_ON, offsets, frontiers, most_pieces, piles,
                        GASCL_COMING(GASCL_LOOK(STARTING)), &counted, &memory->lists);
        gascl_add_count(counted, &counts[2 * team.rank], shared);
        break;
    case GASCL_PHASE_SCAN_NEAR:
    case GASCL_PHASE_SCAN_FAR:
        gascl_scan_pile(team, GASCL_STATE_ON, piles,
                        phase == GASCL_PHASE_SCAN_NEAR ? GASCL_NEAR : GASCL_FAR,
                        GASCL_COMING(GASCL_LOOK(STARTING)), &memory->lists);
        break;
    case GASCL_PHASE_SPLIT_NEAR:
    case GASCL_PHASE_SPLIT_FAR:
        gascl_split_pile(team, GASCL_STATE_ON, offsets, frontiers, most_pieces, piles,
                         phase == GASCL_PHASE_SPLIT_NEAR ? GASCL_NEAR : GASCL_FAR,
                         GASCL_COMING(GASCL_LOOK(STARTING)), &counted, &memory->lists);
        gascl_add_count(counted, &counts[2 * team.rank], shared);
        break;
#endif
    }
}

// How many arcs and vertices are so little work that one group does it alone: meeting the others
// costs as much, and on a CPU much more where other work keeps them from running.
#if GASCL_GROUP == 1
#define GASCL_LITTLE 2048
#else
#define GASCL_LITTLE (4 * GASCL_GROUP)
#endif

// What the group that arrived last does between two phases; its first item returns the next one.
static int gascl_between(const int phase, const int ranks, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                         GASCL_WHOLE_STATE, volatile __global int *team_words,
                         const int begins, const int num_tallies, const int ask_stop,
                         const long least_arcs, const long most_arcs, const int supersteps,
                         const int most_work, __local gascl_shared *shared) {
    const int item = get_local_id(0);
    const bool starts = phase == GASCL_PHASE_JOIN;
    // All of these now: a read behind the writes below would have to wait.
    const int starting = starts ? begins : GASCL_LOOK(STARTING), work = GASCL_LOOK(WORK);
    const int coming = gascl_control_->superstep + !starting;
    int done = GASCL_LOOK(DONE);
    __global gascl_control *records =
        (__global gascl_control *)(size_t)(team_words + 16 * GASCL_TEAM_WORDS);
    bool pulls = GASCL_PULLS_NOW, has_bits = GASCL_HAS_BITS;
    long active = gascl_control_->next_active, arcs = gascl_control_->next_arcs;
    int stopped = gascl_control_->stopped;
#if GASCL_PRIORITY
    if (phase == GASCL_PHASE_BACK && item == 0)
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
        // Before the first superstep there are those of init, which was a launch by itself.
        const int tallied = starting ? max(ranks, num_tallies) : ranks;
        gascl_tally tally, none;
        long messages = 0;  // that were posted; who posted them may have left
        for (int i = item; i < ranks; i += GASCL_GROUP)
            messages += posted[i];
        const long2 sum =
            gascl_total_of(&tally, messages, tallies, tallied, counts, ranks, shared);
        GASCL_MEET_GLOBALLY();
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
        GASCL_TEAM(SWAPPED) = !GASCL_LOOK(SWAPPED);
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
                         : GASCL_POSTS_AHEAD ? GASCL_LENGTH(TOUCHED)
                                             : 0;
    GASCL_TEAM(SMALL) = applied + (pulls ? LONG_MAX / 2 : arcs) + active <= GASCL_LITTLE;
    GASCL_TEAM(WORK) = work + 1 + (int)((applied + (pulls ? most_arcs : arcs)) / 1024);
#if GASCL_SNAPSHOTS
    return GASCL_PHASE_SNAPSHOT;
#else
    return gascl_phase_after(GASCL_PHASE_SNAPSHOT, pulls, has_bits, coming, GASCL_STATE_ON);
#endif
}

// Whether a phase is little work.
static bool gascl_is_little(const int phase, GASCL_STATE, volatile __global int *team_words) {
    switch (phase) {
#if GASCL_PRIORITY
    case GASCL_PHASE_SCAN_NEAR:
    case GASCL_PHASE_SPLIT_NEAR:
        return GASCL_PILE_LENGTH(GASCL_NEAR, gascl_control_->near_side) <= GASCL_LITTLE;
    case GASCL_PHASE_SCAN_FAR:
    case GASCL_PHASE_SPLIT_FAR:
        return GASCL_PILE_LENGTH(GASCL_FAR, gascl_control_->far_side) <= GASCL_LITTLE;
#endif
    case GASCL_PHASE_SCATTER:
    case GASCL_PHASE_APPLY:
    case GASCL_PHASE_COMMIT:
        return GASCL_LOOK(SMALL);
    default:
        return phase != GASCL_PHASE_END && gascl_run_->graph.num_vertices <= GASCL_LITTLE;
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
        GASCL_SWAP(__global int, gascl_touched, gascl_touched_next);     \
        GASCL_SWAP_WRAPS();                                              \
    } while (0)
#endif

// Other groups write what these arguments lead to between two phases: they are not `restrict` here.
#undef GASCL_RESTRICT
#define GASCL_RESTRICT
__kernel void gascl_whole(GASCL_STATE GASCL_EDGE, GASCL_STEP, GASCL_WHOLE_STATE,
                          volatile __global int *team_words, const int starting,
                          const int num_tallies, const int ask_stop, const long least_arcs,
                          const long most_arcs, const int supersteps, const int most_work) {
    __local gascl_shared shared;
    __local gascl_step_memory memory;
    __local int told[2];
    const int item = get_local_id(0);
    uint number = 0;
    if (item == 0)
        told[0] = gascl_join(team_words, &number);
    GASCL_MEET();
    const int rank = told[0];
    GASCL_MEET();
    if (rank < 0)
        return;
    // On a GPU, whoever joins late has no share of a phase that has begun.
    bool skips = GASCL_GROUP > 1 && rank > 0, alone = false;
    gascl_team team;
    team.rank = rank;
    team.groups = max(1, GASCL_LOOK(GROUPS));
    team.idle = false;
    team.taken = &GASCL_TEAM(TAKEN);
    int phase = GASCL_GROUP == 1 ? GASCL_LOOK(PHASE) : GASCL_PHASE_JOIN;
#if GASCL_POSTS_AHEAD
    int swapped = 0;
#endif
    for (;;) {
        bool last = false;
#if GASCL_POSTS_AHEAD
        if (!skips && swapped != GASCL_LOOK(SWAPPED)) {
            swapped = !swapped;
            GASCL_SWAP_INBOXES();
        }
#endif
        if (!skips) {
            gascl_run_phase(phase, team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON,
                            GASCL_WHOLE_STATE_ON, team_words, &shared, &memory);
            GASCL_MEET_GLOBALLY();
            if (item == 0) {
                if (!alone)
                    gascl_fence();
                const uint state = alone ? (uint)GASCL_LOOK(STATE)
                                         : (uint)atomic_add(&GASCL_TEAM(STATE), 1 << 8) + (1u << 8);
                told[0] = GASCL_ARRIVED(state) == GASCL_JOINED(state);
                told[1] = GASCL_GROUP == 1 ? GASCL_LOOK(RANKS) : max(1, GASCL_LOOK(MOST));
                if (!alone)
                    gascl_fence();
            }
            GASCL_MEET_GLOBALLY();
            last = told[0];
            const int ranks = told[1];
            GASCL_MEET();
            if (last) {
                const int next = gascl_between(
                    phase, ranks, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON,
                    GASCL_WHOLE_STATE_ON, team_words, starting, num_tallies, ask_stop, least_arcs,
                    most_arcs, supersteps, most_work, &shared);
                if (item == 0) {
                    told[0] = next;
                    told[1] = gascl_is_little(next, GASCL_STATE_ON, team_words);
                    GASCL_TEAM(TAKEN) = GASCL_TEAM(TAKEN_TOO) = 0;
                }
                GASCL_MEET_GLOBALLY();
                phase = told[0];
                alone = told[1];
                GASCL_MEET();
                if (alone) {
                    team.rank = 0;
                    team.groups = 1;
                    continue;
                }
                if (item == 0) {
                    GASCL_TEAM(PHASE) = phase;
                    const int groups = gascl_wanted(phase, GASCL_LOOK(RANKS), GASCL_STATE_ON);
                    if (GASCL_LOOK(MOST) < groups && phase != GASCL_PHASE_END)
                        GASCL_TEAM(MOST) = groups;
                    gascl_release(number + 1 & GASCL_NUMBERS, groups, team_words);
                }
            }
        }
        if (item == 0) {
            // Whoever was last may have nothing to do in the next phase.
            told[0] = gascl_await(&number, rank, team_words);
            gascl_fence();
        }
        GASCL_MEET_GLOBALLY();
        phase = GASCL_LOOK(PHASE);
        team.rank = rank;
        team.groups = GASCL_LOOK(GROUPS);
        const bool goes_on = told[0] && phase != GASCL_PHASE_END;
        GASCL_MEET();
        if (!goes_on)
            return;
        skips = alone = false;
    }
}
#undef GASCL_RESTRICT
#define GASCL_RESTRICT restrict
