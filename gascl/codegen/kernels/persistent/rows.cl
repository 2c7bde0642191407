// The phases of the deliveries that visit all rows in each superstep, in a persistent kernel. They are divided
// into parts, each of which leaves a tally; these are what the groups of a launch would do, whatever
// groups take part here, so that both forms add up floats in the same order.
//
// pull/phases.cl or outbox/phases.cl (gascl/delivery/assembly.py) defines:
//
//   GASCL_STEP, GASCL_STEP_ON     what a superstep needs besides GASCL_STATE and GASCL_EDGE, such as
//                                 `num_parts`, and `fresh`: the launch begins with the first superstep
//                                 of a run
//   GASCL_SCATTERS_BEFORE(first)  whether a superstep begins with gascl_scatter_phase(); `first`: it is the
//                                 first one of a run
//   GASCL_GATHERS                 1 if it then has a gascl_gather_phase(), for each block
//   GASCL_STEP_SWAPS              1 if GASCL_SWAP_STEP() exchanges buffers after a superstep
//
// and these functions; gascl_apply_phase() is called for each part.
#include "row_phases.cl"

#define GASCL_PULLS_NOW false
#define GASCL_HAS_BITS false
#define GASCL_NUM_TALLIES(ranks) num_parts
typedef gascl_gather_memory gascl_step_memory;

// The work of one of the groups of a launch.
static gascl_team gascl_part_of(const int part, const int parts) {
    gascl_team team;
    team.rank = part;
    team.groups = parts;
    team.taken = 0;
    team.idle = false;
    return team;
}

static int gascl_phase_after(const int phase, const bool pulls, const bool has_bits,
                             const int coming, const int done, GASCL_STATE, GASCL_STEP) {
    switch (phase) {
    case GASCL_PHASE_SNAPSHOT:
        if (GASCL_SCATTERS_BEFORE(fresh && done == 0))
            return GASCL_PHASE_SCATTER;
    // The outboxes are full: the next phase is as after that one.
    case GASCL_PHASE_SCATTER:
        return GASCL_GATHERS ? GASCL_PHASE_GATHER : GASCL_PHASE_APPLY;
    case GASCL_PHASE_GATHER:
        return GASCL_PHASE_APPLY;
    case GASCL_PHASE_APPLY:
        return GASCL_MASKED ? GASCL_PHASE_COMMIT : GASCL_PHASE_JOIN;
    default:
        return GASCL_PHASE_JOIN;
    }
}

static void gascl_run_step_phase(const int phase, const gascl_team team, GASCL_STATE GASCL_EDGE,
                                 GASCL_STEP, GASCL_PERSISTENT_STATE,
                                 volatile __global int *team_words,
                                 __local gascl_shared *shared,
                                 __local gascl_step_memory *memory) {
    switch (phase) {
    case GASCL_PHASE_SCATTER:
        gascl_scatter_phase(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON);
        break;
    case GASCL_PHASE_GATHER:
        GASCL_FOR_PARTS(part, num_blocks)
            gascl_gather_phase(gascl_part_of(part, num_blocks), GASCL_STATE_ON GASCL_EDGE_ON,
                               GASCL_STEP_ON, memory);
        break;
    case GASCL_PHASE_APPLY:
        GASCL_FOR_PARTS(part, num_parts) {
            gascl_tally tally;
            GASCL_ZERO_TALLY(tally);
            gascl_apply_phase(gascl_part_of(part, num_parts), GASCL_STATE_ON GASCL_EDGE_ON,
                              GASCL_STEP_ON, memory, &tally);
            gascl_tally_store_at(&tally, &tallies[part], shared);
            GASCL_GROUP_BARRIER();
        }
        break;
#if GASCL_MASKED
    case GASCL_PHASE_COMMIT: {
        long2 counted = 0;
        gascl_commit_phase(team, GASCL_STATE_ON, out_offsets, &counted);
        gascl_add_count(counted, &counts[2 * team.rank], shared);
        break;
    }
#endif
    }
}

static long gascl_visits(const long active, const long arcs, GASCL_STATE, GASCL_STEP) {
    const int vertices = gascl_run_->graph.num_vertices;
    return ((long)vertices + offsets[vertices]) * GASCL_LANES;
}

#if GASCL_GROUP > 1
static int gascl_groups_for(const int phase, const int all, GASCL_STATE, GASCL_STEP) {
    const long vertices = 1 + (long)gascl_run_->graph.num_vertices / GASCL_GROUP;
    switch (phase) {
    case GASCL_PHASE_END:
        return GASCL_MOST_GROUPS;
    case GASCL_PHASE_GATHER:
        return min(all, num_blocks);
    case GASCL_PHASE_APPLY:
        return min(all, num_parts);
    default:
        return (int)min((long)all, vertices);
    }
}
#endif
