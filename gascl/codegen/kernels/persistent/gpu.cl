// The persistent kernel on GPUs: the items of a group share its work.
//
// Only as many groups take part in a phase as have something to do, since the barrier of all groups takes
// longer with more groups. A group that joins late has no share of the phase that is running.
#define GASCL_GROUP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define GASCL_GROUP_BARRIER_GLOBAL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define GASCL_SMALL_WORK (4 * GASCL_GROUP)
#define gascl_yield()  // a group that waits keeps no other from running

#include "persistent/barrier.cl"
// persistent/phases.cl, or asynchronous/phases.cl (gascl/delivery/assembly.py).
#include "persistent_phases.cl"

#define GASCL_PHASE_NUMBERS 0xfffff  // the bits of a phase's number in GASCL_TEAM_RELEASED

// Joins the team; returns its rank. The first one begins, the others wait for a phase.
static int gascl_join_team(volatile __global int *team_words, uint *number) {
    const int rank = atomic_inc(&GASCL_TEAM(RANKS));
    if (rank == 0)
        GASCL_TEAM(STATE) = 1 << 20;
    *number = 0;
    return rank;
}

// Waits for another phase in which it takes part, or the end; whether there was one.
static bool gascl_wait_for_phase(uint *number, const int rank, volatile __global int *team_words) {
    gascl_patience mine = {0, 0};
    do {
        const uint released = (uint)GASCL_READ_TEAM(RELEASED);
        if ((released & GASCL_PHASE_NUMBERS) != *number && (uint)rank < released >> 20) {
            *number = released & GASCL_PHASE_NUMBERS;
            return !GASCL_READ_TEAM(FAILED);
        }
    } while (gascl_keeps_waiting(&mine, team_words));
    GASCL_TEAM(FAILED) = 1;
    return false;
}

// Releases that many groups into the next phase.
static void gascl_release(const uint next, const int groups, volatile __global int *team_words) {
    GASCL_TEAM(STATE) = (int)(((uint)groups << 20) | (next & 0xff));
    GASCL_TEAM(GROUPS) = groups;
    gascl_fence();
    GASCL_TEAM(RELEASED) = (int)(((uint)groups << 20) | next);
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
    __local int broadcast[2];  // by the first item to all others
    const int item = get_local_id(0);
    uint number = 0;
    if (item == 0)
        broadcast[0] = gascl_join_team(team_words, &number);
    GASCL_GROUP_BARRIER();
    const int rank = broadcast[0];
    GASCL_GROUP_BARRIER();
    bool sits_out = rank > 0, alone = false;
    gascl_team team;
    team.rank = rank;
    team.groups = max(1, GASCL_READ_TEAM(GROUPS));
    team.idle = false;
    team.taken = &GASCL_TEAM(TAKEN);
    int phase = GASCL_PHASE_JOIN;
    int swapped = 0;
    for (;;) {
        if (GASCL_SWAPS && !sits_out && swapped != GASCL_READ_TEAM(SWAPPED)) {
            swapped = !swapped;
            GASCL_SWAP_BUFFERS();
        }
        if (!sits_out) {
            gascl_run_phase(phase, team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON,
                            GASCL_PERSISTENT_STATE_ON, team_words, GASCL_START_STATE_ON, &shared,
                            &memory);
            GASCL_GROUP_BARRIER_GLOBAL();
            if (item == 0) {
                if (!alone)
                    gascl_fence();
                const uint state = alone ? (uint)GASCL_READ_TEAM(STATE)
                                         : (uint)atomic_add(&GASCL_TEAM(STATE), 1 << 8) + (1u << 8);
                broadcast[0] = GASCL_ARRIVED(state) == GASCL_JOINED(state);
                broadcast[1] = max(1, GASCL_READ_TEAM(MOST));
                if (!alone)
                    gascl_fence();
            }
            GASCL_GROUP_BARRIER_GLOBAL();
            const bool last = broadcast[0];
            const int ranks = broadcast[1];
            GASCL_GROUP_BARRIER();
            if (last) {
                const int next = gascl_end_phase(
                    phase, ranks, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON,
                    GASCL_PERSISTENT_STATE_ON, team_words, starting, num_tallies, ask_stop, least_arcs,
                    most_arcs, supersteps, most_work, &shared);
                if (item == 0) {
                    broadcast[0] = next;
                    broadcast[1] = gascl_is_small(next, GASCL_STATE_ON, team_words);
                    GASCL_TEAM(TAKEN) = GASCL_TEAM(TAKEN_SECOND) = 0;
                }
                GASCL_GROUP_BARRIER_GLOBAL();
                phase = broadcast[0];
                alone = broadcast[1];
                GASCL_GROUP_BARRIER();
                if (alone) {
                    team.rank = 0;
                    team.groups = 1;
                    continue;
                }
                if (item == 0) {
                    GASCL_TEAM(PHASE) = phase;
                    const int groups =
                        gascl_groups_for(phase, GASCL_READ_TEAM(RANKS), GASCL_STATE_ON,
                                         GASCL_STEP_ON);
                    if (GASCL_READ_TEAM(MOST) < groups && phase != GASCL_PHASE_END)
                        GASCL_TEAM(MOST) = groups;
                    gascl_release(number + 1 & GASCL_PHASE_NUMBERS, groups, team_words);
                }
            }
        }
        if (item == 0) {
            // The group that arrived last may have nothing to do in the next phase.
            broadcast[0] = gascl_wait_for_phase(&number, rank, team_words);
            gascl_fence();
        }
        GASCL_GROUP_BARRIER_GLOBAL();
        phase = GASCL_READ_TEAM(PHASE);
        team.rank = rank;
        team.groups = GASCL_READ_TEAM(GROUPS);
        const bool continues = broadcast[0] && phase != GASCL_PHASE_END;
        GASCL_GROUP_BARRIER();
        if (!continues)
            return;
        sits_out = alone = false;
    }
}
#undef GASCL_RESTRICT
#define GASCL_RESTRICT restrict
