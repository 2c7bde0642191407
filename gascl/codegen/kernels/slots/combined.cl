// Gather for programs with a combiner.
static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return !GASCL_MARKS_RECEIVERS || received[row];
}

static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    if (!GASCL_EVERY_ARC_SENDS && !sent[GASCL_AT(arc)])
        return false;
    *x = messages[GASCL_AT(arc)];
    return true;
}

static void gascl_consume(const gascl_offset arc, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    if (!GASCL_EVERY_ARC_SENDS)
        sent[GASCL_AT(arc)] = 0;
}

static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    if (GASCL_MARKS_RECEIVERS && in.count)
        received[row] = 0;
    gascl_apply(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON);
}

#define GASCL_MAY_STOP 0
#include "gather.cl"
