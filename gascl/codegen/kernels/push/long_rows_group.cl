// Long rows, where a work-group has several items: its virtual warps combine them.
#define GASCL_HAS_LONG_ROWS 1
#define GASCL_IS_LONG(row) (in_offsets[(row) + 1] - in_offsets[row] > GASCL_SHORT_ROW)

#define GASCL_MAY_STOP GASCL_SKIPS
static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return true;
}
static void gascl_consume(const gascl_offset arc, GASCL_STATE GASCL_DELIVERY) {}
static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
                             GASCL_STATE GASCL_DELIVERY) {
    pulled[row] = in;
}
#include "gather.cl"

static void gascl_pull_long_rows(const gascl_team team, GASCL_STATE GASCL_DELIVERY,
                                 __local gascl_step_memory *memory) {
    gascl_tally none;  // gascl_finish_row() leaves it alone
    const int end = team.idle ? 0 : num_in_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = in_blocks[at];
        gascl_find_long_rows(block, in_offsets, &memory->long_rows);
        gascl_combine_long_rows(block, in_offsets, &memory->long_rows, &none,
                                GASCL_STATE_ON GASCL_DELIVERY_ON);
    }
}
