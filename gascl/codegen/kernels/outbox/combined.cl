// Gather for programs with a combiner.
#define GASCL_SENDER(arc) sources[arc]

static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return true;
}

#define GASCL_CONSUMES 0
static void gascl_consume(const gascl_offset arc, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {}

static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    gascl_apply(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON);
    if (GASCL_FUSED)
        gascl_outbox_put(row, 1, GASCL_STATE_ON GASCL_LANE_ON GASCL_OUT_OFFSETS_ON, outbox_next);
}

#define GASCL_MAY_STOP GASCL_SKIPS
#include "gather.cl"
