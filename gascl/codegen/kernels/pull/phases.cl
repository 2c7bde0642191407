// Pull: the phases of a persistent kernel (persistent/rows.cl).
#if GASCL_LANE_WORDS
#define GASCL_LANE_BITS \
    , __global ulong *GASCL_RESTRICT sending, __global uint *GASCL_RESTRICT received
#else
#define GASCL_LANE_BITS
#endif
#if GASCL_APPLIES_BY_ROW
#define GASCL_KEPT_BOXES
#else
#define GASCL_KEPT_BOXES , __global gascl_box *GASCL_RESTRICT pulled
#endif
#define GASCL_STEP                                                                       \
    GASCL_ROWS GASCL_KEPT_BOXES GASCL_LANE_BITS, const int most_parts, const int fresh
#define GASCL_STEP_ON GASCL_ROWS_ON GASCL_KEPT_ON GASCL_SENDING_ON, most_parts, fresh
#define GASCL_SCATTERS_BEFORE(first) GASCL_LANE_WORDS
#define GASCL_GATHERS (GASCL_HAS_SCATTER && !GASCL_APPLIES_BY_ROW)
#define GASCL_SWAPS_OUTBOXES 0
#define GASCL_SWAP_OUTBOXES()

static void gascl_scatter_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP) {
#if GASCL_LANE_WORDS
    gascl_note_sending(team, GASCL_STATE_ON GASCL_EDGE_ON, sending, received);
#endif
}

static GASCL_INLINE void gascl_gather_phase(const gascl_team part, GASCL_STATE GASCL_EDGE,
                                            GASCL_STEP, __local gascl_gather_memory *memory) {
    gascl_gather(part, GASCL_BLOCKS_ON, memory, 0, GASCL_STATE_ON GASCL_DELIVERY_ON);
}

static GASCL_INLINE void gascl_apply_phase(const gascl_team part, GASCL_STATE GASCL_EDGE,
                                           GASCL_STEP, __local gascl_gather_memory *memory,
                                           gascl_tally *tally) {
#if GASCL_APPLIES_BY_ROW
    gascl_gather(part, GASCL_BLOCKS_ON, memory, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
#else
    gascl_apply_pulled(part, blocks, num_blocks, 0, gascl_run_->graph.gascl_rows,
                       pulled GASCL_RECEIVED_ON, tally, GASCL_STATE_ON);
#endif
}
