// Outbox: the phases of a persistent kernel (persistent/rows.cl).
#if GASCL_READS_SINGLY
#define GASCL_COPIES , __global gascl_stored *GASCL_RESTRICT messages
#else
#define GASCL_COPIES
#endif
#define GASCL_STEP                                                          \
    GASCL_ROWS, __global gascl_outbox_entry *GASCL_RESTRICT outbox,         \
        __global gascl_outbox_entry *GASCL_RESTRICT outbox_next GASCL_COPIES, const int most_parts, \
        const int fresh
#define GASCL_STEP_ON GASCL_ROWS_ON, outbox, outbox_next GASCL_COPIED_ON, most_parts, fresh
#define GASCL_SCATTERS_BEFORE(first) (!GASCL_FUSED || (first))
#define GASCL_GATHERS 0
#define GASCL_SWAPS_OUTBOXES 1
#define GASCL_SWAP_OUTBOXES() GASCL_SWAP(__global gascl_outbox_entry *, outbox, outbox_next)

static void gascl_scatter_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP) {
    gascl_fill_outboxes(team, GASCL_STATE_ON GASCL_OUT_OFFSETS_ON, outbox);
}

static GASCL_INLINE void gascl_gather_phase(const gascl_team part, GASCL_STATE GASCL_EDGE,
                                            GASCL_STEP, __local gascl_gather_memory *memory) {}

static GASCL_INLINE void gascl_apply_phase(const gascl_team part, GASCL_STATE GASCL_EDGE,
                                           GASCL_STEP, __local gascl_gather_memory *memory,
                                           gascl_tally *tally) {
    gascl_gather(part, GASCL_BLOCKS_ON, memory, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
}
