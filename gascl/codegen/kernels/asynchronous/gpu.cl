// Delivery `asynchronous` on GPUs: the persistent kernel, where the items of a group share its work.
//
// The groups that have started when the first one has looked for others are the team; one that starts later
// returns at once. So nobody waits for a group that does not run, whether the device holds all groups at once or
// not. Between two phases (asynchronous/gpu_phases.cl), the group that arrives last decides how to continue, and
// releases as many groups as have something to do, with all that they need to know; the others go on waiting.
#define gascl_yield()  // a group that waits keeps no other from running
#include "persistent/barrier.cl"

#include "persistent_phases.cl"

#define GASCL_CLOSED (1 << 30)  // in GASCL_TEAM_RANKS: no more groups join

// What is released: in each word, the upper half is a part of a round, and the lower one its number, so that an
// item can tell whether it has read all parts of the same round.
#define GASCL_RELEASED_WORDS 6
#define GASCL_PAUSE 500  // ns
#define GASCL_RELEASED(i) ((volatile __global ulong *)&GASCL_TEAM(RELEASED))[i]

static void gascl_release(const gascl_round *round, volatile __global int *team_words) {
    const uint parts[GASCL_RELEASED_WORDS] = {
        (uint)round->groups << 16 | (uint)round->phase << 2 | (uint)round->side << 1 |
            (uint)round->by_tiles,
        round->count, round->arcs, round->takes, as_uint(round->limit), as_uint(round->limit_before)};
    GASCL_TEAM(STATE) = 0;
    gascl_fence();
    for (int i = 0; i < GASCL_RELEASED_WORDS; ++i)
        GASCL_RELEASED(i) = (ulong)parts[i] << 32 | round->number;
}

// A moment, in which a group that has nothing to do leaves the memory to others.
static void gascl_pause(void) {
#if GASCL_INLINE_PTX
    for (const long until = GASCL_CLOCK() + GASCL_PAUSE; GASCL_CLOCK() < until;) {
    }
#endif
}

// Waits for the next round in which a group takes part; whether there was one. Rounds in which it does not are
// seen in passing.
static GASCL_INLINE bool gascl_wait_for_round(__local gascl_round *round, const int rank,
                                 volatile __global int *team_words) {
    for (ulong polls = 0; polls < GASCL_PATIENCE; ++polls) {
        ulong parts[GASCL_RELEASED_WORDS];
        parts[0] = GASCL_RELEASED(0);
        const uint number = (uint)parts[0], all = (uint)(parts[0] >> 32);
        const bool is_new = number != round->number;
        if ((int)(all >> 16) <= rank) {
            polls = is_new ? 0 : polls;
            round->number = number;
            gascl_pause();
            continue;
        }
        if (!is_new)
            continue;
        bool whole = true;
        for (int i = 1; i < GASCL_RELEASED_WORDS; ++i)
            parts[i] = GASCL_RELEASED(i);
        for (int i = 1; i < GASCL_RELEASED_WORDS; ++i)
            whole = whole && (uint)parts[i] == number;
        if (!whole)
            continue;
        round->number = number;
        round->groups = (int)(all >> 16);
        round->phase = (int)(all >> 2 & 0x3fff);
        round->side = (int)(all >> 1 & 1);
        round->by_tiles = all & 1;
        round->count = (uint)(parts[1] >> 32);
        round->arcs = (uint)(parts[2] >> 32);
        round->takes = (uint)(parts[3] >> 32);
        round->limit = as_float((uint)(parts[4] >> 32));
        round->limit_before = as_float((uint)(parts[5] >> 32));
        return true;
    }
    GASCL_TEAM(FAILED) = 1;
    return false;
}

// Joins the team; returns the group's rank, or -1. The first one waits a moment for others, and begins.
static int gascl_join_team(volatile __global int *team_words, const int starting,
                           __global gascl_control *control) {
    const int rank = atomic_inc(&GASCL_TEAM(RANKS));
    if (rank & GASCL_CLOSED)
        return -1;
    if (rank > 0)
        return rank;
    for (int poll = 0; poll < GASCL_JOIN_POLLS; ++poll)
        if (GASCL_READ_TEAM(RANKS) >= (int)get_num_groups(0))
            break;
    gascl_round first;
    first.number = 1;
    first.groups = atomic_or(&GASCL_TEAM(RANKS), GASCL_CLOSED);
    first.phase = starting ? GASCL_PHASE_START : GASCL_PHASE_PACK;
    first.side = first.by_tiles = 0;
    first.count = first.arcs = first.takes = 0;
    first.limit = first.limit_before = NAN;
    GASCL_TEAM(GROUPS) = first.groups;
    GASCL_TEAM(STARTING) = starting;
    GASCL_TEAM(LOWEST) = INT_MAX;
    control->clock = GASCL_CLOCK();
    gascl_release(&first, team_words);
    return 0;
}

// Other groups write what these arguments point to between two phases: they are not `restrict` here.
#undef GASCL_RESTRICT
#define GASCL_RESTRICT
__kernel void gascl_persistent(GASCL_STATE GASCL_EDGE, GASCL_STEP, GASCL_PERSISTENT_STATE,
                          volatile __global int *team_words, GASCL_START_STATE, const int starting,
                          const int ask_stop, const long least_arcs, const long most_arcs,
                          const int supersteps, const int most_work) {
    __local gascl_step_memory memory;
    __local int rank;
    const int item = get_local_id(0);
    if (item == 0) {
        memory.round.number = 0;
        rank = gascl_join_team(team_words, starting, gascl_control_);
        memory.near_count = memory.far_count = memory.messages = 0;
        memory.least = INT_MAX;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gascl_team team;
    team.rank = rank;
    team.taken = 0;
    team.idle = false;
    if (team.rank < 0)
        return;
    for (;;) {
        if (item == 0) {
            if (!gascl_wait_for_round(&memory.round, team.rank, team_words))
                memory.round.phase = GASCL_PHASE_END;
            gascl_fence();
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (memory.round.phase == GASCL_PHASE_END)
            return;
        team.groups = memory.round.groups;
        gascl_run_phase(&memory.round, team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, team_words,
                        GASCL_START_STATE_ON, &memory);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (item == 0) {
            gascl_report(team_words, &memory);
            gascl_fence();
            if (atomic_inc(&GASCL_TEAM(STATE)) == team.groups - 1) {
                gascl_fence();
                const gascl_round round = memory.round;
                const gascl_round next =
                    gascl_end_phase(&round, GASCL_STATE_ON, team_words, ask_stop, least_arcs,
                                    most_arcs, supersteps, most_work);
                gascl_release(&next, team_words);
            }
        }
    }
}
#undef GASCL_RESTRICT
#define GASCL_RESTRICT restrict
