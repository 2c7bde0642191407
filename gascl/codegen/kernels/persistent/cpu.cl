// The persistent kernel on CPUs: a group is one item.
//
// All groups that have joined take part in every phase. A group that waits may keep the one that it
// waits for from running, if both are on the same core or other work keeps it busy: it yields its
// core, and leaves the team when it has seen no progress for some time. The others continue without it.

// A single item has no other item to wait for.
#define GASCL_GROUP_BARRIER()
#define GASCL_GROUP_BARRIER_GLOBAL()
// Where other work keeps the other groups from running, a barrier of all groups takes much longer.
#define GASCL_SMALL_WORK 2048

// Lets another thread have the processor: there may be fewer processors than groups.
#if defined(__linux__) && defined(__x86_64__) && !GASCL_OCLGRIND
static void gascl_yield(void) {
    long result = 24;  // the system call sched_yield
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
}
#else
#define gascl_yield()
#endif

#include "persistent/barrier.cl"
// persistent/phases.cl, or asynchronous/phases.cl (gascl/delivery/assembly.py).
#include "persistent_phases.cl"

#define GASCL_PHASE_NUMBERS 0xff  // the bits of a phase's number in GASCL_TEAM_STATE

// Joins the team; returns its rank, or -1 if the run is over or no group makes progress. `number`: the
// number of the phase in which it takes part.
static int gascl_join_team(volatile __global int *team_words, uint *number) {
    gascl_patience mine = {0, 0};
    while (gascl_keeps_waiting(&mine, team_words)) {
        const uint state = (uint)GASCL_READ_TEAM(STATE);
        if (GASCL_READ_TEAM(PHASE) == GASCL_PHASE_END)
            return -1;
        // The first one begins. Nobody joins when all have arrived: the last one is deciding then.
        if (GASCL_JOINED(state) && GASCL_ARRIVED(state) >= GASCL_JOINED(state))
            continue;
        if (atomic_cmpxchg(&GASCL_TEAM(STATE), (int)state, (int)(state + (1u << 20))) != (int)state)
            continue;
        *number = GASCL_PHASE_NUMBER(state);
        return atomic_inc(&GASCL_TEAM(RANKS));
    }
    return -1;
}

// Waits until the phase with this number is over: true if it was, false if patience ended first.
// RELEASED may be one phase behind: a group that joined or looked at STATE can be ahead of whoever
// releases.
static bool gascl_wait_for_phase(uint *number, volatile __global int *team_words) {
    gascl_patience mine = {0, 0};
    bool over = false;
    do {
        over = (uint)GASCL_READ_TEAM(RELEASED) == (*number + 1 & GASCL_PHASE_NUMBERS);
    } while (!over && gascl_keeps_waiting(&mine, team_words));
    while (!over) {  // leave, unless the phase ends at this moment
        const uint state = (uint)GASCL_READ_TEAM(STATE);
        over = GASCL_PHASE_NUMBER(state) != *number;
        const uint without = state - (1u << 20) - (1u << 8);
        if (!over && atomic_cmpxchg(&GASCL_TEAM(STATE), (int)state, (int)without) == (int)state)
            return false;
    }
    *number = *number + 1 & GASCL_PHASE_NUMBERS;
    return !GASCL_READ_TEAM(FAILED);
}

// Releases the waiting groups into the next phase.
static void gascl_release(const uint next, volatile __global int *team_words) {
    for (;;) {
        const uint state = (uint)GASCL_READ_TEAM(STATE);  // some may leave meanwhile
        const uint fresh = (GASCL_JOINED(state) << 20) | next;
        GASCL_TEAM(GROUPS) = (int)GASCL_JOINED(state);
        gascl_fence();  // those that leave, or join in the middle, look at `state`
        if (atomic_cmpxchg(&GASCL_TEAM(STATE), (int)state, (int)fresh) == (int)state)
            break;
    }
    gascl_fence();
    GASCL_TEAM(RELEASED) = (int)next;
}

// Other groups write what these arguments point to between two phases: they are not `restrict` here.
#undef GASCL_RESTRICT
#define GASCL_RESTRICT
__kernel void gascl_persistent(GASCL_STATE GASCL_EDGE, GASCL_STEP, GASCL_PERSISTENT_STATE,
                          volatile __global int *team_words, GASCL_START_STATE, const int starting,
                          const int ask_stop, const long least_arcs, const long most_arcs,
                          const int supersteps, const int most_work) {
    __local gascl_shared shared;
    __local gascl_step_memory memory;
    uint number = 0;
    const int rank = gascl_join_team(team_words, &number);
    if (rank < 0)
        return;
    bool alone = false;
    gascl_team team;
    team.rank = rank;
    team.groups = max(1, GASCL_READ_TEAM(GROUPS));
    team.idle = false;
    team.taken = &GASCL_TEAM(TAKEN);
    int phase = GASCL_READ_TEAM(PHASE);
    int swapped = 0;
    for (;;) {
        if (GASCL_SWAPS && swapped != GASCL_READ_TEAM(SWAPPED)) {
            swapped = !swapped;
            GASCL_SWAP_BUFFERS();
        }
        gascl_run_phase(phase, team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON,
                        GASCL_PERSISTENT_STATE_ON, team_words, GASCL_START_STATE_ON, &shared,
                        &memory);
        if (!alone)
            gascl_fence();
        const uint state = alone ? (uint)GASCL_READ_TEAM(STATE)
                                 : (uint)atomic_add(&GASCL_TEAM(STATE), 1 << 8) + (1u << 8);
        const int ranks = GASCL_READ_TEAM(RANKS);
        if (!alone)
            gascl_fence();
        if (GASCL_ARRIVED(state) == GASCL_JOINED(state)) {
            phase = gascl_end_phase(phase, ranks, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON,
                                    GASCL_PERSISTENT_STATE_ON, team_words, starting, num_tallies,
                                    ask_stop, least_arcs, most_arcs, supersteps, most_work,
                                    &shared);
            alone = gascl_is_small(phase, GASCL_STATE_ON, team_words);
            GASCL_TEAM(TAKEN) = GASCL_TEAM(TAKEN_SECOND) = 0;
            if (alone) {
                team.rank = 0;
                team.groups = 1;
                continue;
            }
            GASCL_TEAM(PHASE) = phase;
            gascl_release(number + 1 & GASCL_PHASE_NUMBERS, team_words);
        }
        const bool over = gascl_wait_for_phase(&number, team_words);
        gascl_fence();
        phase = GASCL_READ_TEAM(PHASE);
        if (!over || phase == GASCL_PHASE_END)
            return;
        team.rank = rank;
        team.groups = GASCL_READ_TEAM(GROUPS);
        alone = false;
    }
}
#undef GASCL_RESTRICT
#define GASCL_RESTRICT restrict
