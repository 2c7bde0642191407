// The phases of the deliveries that visit all rows in each superstep, in a persistent kernel. They are divided
// into parts, each of which leaves a tally; these are what the groups of a launch would do, whatever
// groups take part here, so that both forms add up floats in the same order.
//
// pull/phases.cl or outbox/phases.cl (gascl/delivery/assembly.py) defines:
//
//   GASCL_STEP, GASCL_STEP_ON     what a superstep needs besides GASCL_STATE and GASCL_EDGE, such as
//                                 GASCL_ROWS; `most_parts`; and `fresh`: the launch begins with the first
//                                 superstep of a run
//   GASCL_SCATTERS_BEFORE(first)  whether a superstep begins with gascl_scatter_phase(); `first`: it is the
//                                 first one of a run
//   GASCL_GATHERS                 1 if it then has a gascl_gather_phase(), for each block
//   GASCL_SWAPS_OUTBOXES          1 if GASCL_SWAP_OUTBOXES() exchanges its buffers after a superstep
//
// and these functions; gascl_apply_phase() is called for each part.
#if GASCL_ALTERNATES
#define GASCL_NEXT_ROWS                                                            \
    , __global const gascl_block *restrict next_blocks, int num_next_blocks,       \
        __global const gascl_offset *restrict next_offsets,                        \
        __global const int *restrict next_sources,                                 \
        __global const gascl_offset *restrict next_out_offsets
#define GASCL_NEXT_ROWS_ON \
    , next_blocks, num_next_blocks, next_offsets, next_sources, next_out_offsets
#define GASCL_SWAP_ROWS()                                                    \
    do {                                                                     \
        GASCL_SWAP(__global const gascl_block *, blocks, next_blocks);       \
        GASCL_SWAP(int, num_blocks, num_next_blocks);                        \
        GASCL_SWAP(__global const gascl_offset *, offsets, next_offsets);    \
        GASCL_SWAP(__global const int *, sources, next_sources);             \
        GASCL_SWAP(__global const gascl_offset *, out_offsets, next_out_offsets); \
    } while (0)
#else
#define GASCL_NEXT_ROWS
#define GASCL_NEXT_ROWS_ON
#define GASCL_SWAP_ROWS()
#endif
// The rows of a superstep and, where edges alternate, of the next one.
#define GASCL_ROWS                                      \
    GASCL_BLOCKS, __global const int *restrict sources, \
        __global const gascl_offset *restrict out_offsets GASCL_NEXT_ROWS
#define GASCL_ROWS_ON GASCL_BLOCKS_ON, sources, out_offsets GASCL_NEXT_ROWS_ON
#include "row_phases.cl"

#define GASCL_STEP_SWAPS (GASCL_ALTERNATES || GASCL_SWAPS_OUTBOXES)
#define GASCL_SWAP_STEP()      \
    do {                       \
        GASCL_SWAP_ROWS();     \
        GASCL_SWAP_OUTBOXES(); \
    } while (0)

#define GASCL_PULLS_NOW false
#define GASCL_HAS_BITS false
#define GASCL_NUM_PARTS min(num_blocks, most_parts)
#define GASCL_NUM_TALLIES(ranks) GASCL_NUM_PARTS
typedef gascl_gather_memory gascl_step_memory;

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
        GASCL_FOR_PARTS(part, GASCL_NUM_PARTS) {
            gascl_tally tally;
            GASCL_ZERO_TALLY(tally);
            gascl_apply_phase(gascl_part_of(part, GASCL_NUM_PARTS), GASCL_STATE_ON GASCL_EDGE_ON,
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
    const int vertices = gascl_run_->graph.gascl_rows;
    return ((long)vertices + offsets[vertices]) * GASCL_LANES;
}

#if GASCL_GROUP > 1
static int gascl_groups_for(const int phase, const int all, GASCL_STATE, GASCL_STEP) {
    const long vertices = 1 + (long)gascl_run_->graph.gascl_rows / GASCL_GROUP;
    switch (phase) {
    case GASCL_PHASE_END:
        return GASCL_MOST_GROUPS;
    case GASCL_PHASE_GATHER:
        return min(all, num_blocks);
    case GASCL_PHASE_APPLY:
        return min(all, GASCL_NUM_PARTS);
    default:
        return (int)min((long)all, vertices);
    }
}
#endif
