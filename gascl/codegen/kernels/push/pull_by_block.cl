// Pulling on GPUs, where every message counts: in the first phase, the items of a group share a block of rows, as
// in delivery `pull`.
#define GASCL_PULLS_AT_ONCE 0
#define GASCL_SEARCHES 0
#define GASCL_PREFETCH_ROW(row)
// On ranks, a row of another rank has no arcs here and is in no block, so that nothing is pulled for it.
#define GASCL_APPLY_ROW(row)                                            \
    ((!GASCL_LISTS_BITS || in_offsets[row] < in_offsets[row + 1]) &&    \
     gascl_apply_pulled(row, pulled[row], tally, counted, GASCL_STATE_ON, offsets))

#define GASCL_MAY_STOP GASCL_SKIPS
static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return true;
}
#define GASCL_CONSUMES 0
static void gascl_consume(const gascl_offset arc, GASCL_STATE GASCL_DELIVERY) {}
static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
                             GASCL_STATE GASCL_DELIVERY) {
    pulled[row] = in;
}
#include "gather.cl"

static void gascl_pull_first(const gascl_team team, GASCL_STATE GASCL_DELIVERY,
                             __local gascl_step_memory *memory) {
    const int end = team.idle ? 0 : num_in_blocks;
    for (int at = team.rank; at < end; at += team.groups)
        gascl_gather_block(in_blocks[at], in_offsets, &memory->way.gather, 0,
                           GASCL_STATE_ON GASCL_DELIVERY_ON);
}
