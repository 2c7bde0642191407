// Gather for programs with a gather snippet, which reads the messages one by one: they are copied side
// by side for it. Slots, into which each message is written, would cost a jump for each arc; outboxes are
// read by jumps, too, but are small enough for a cache. Programs in which an arc may carry no message are
// not admitted.

typedef struct {
    gascl_shared shared;
#if GASCL_GROUP > 1 && GASCL_INDEXES_MESSAGES
    gascl_message messages[GASCL_BLOCK];
    int least;  // of numbers that the items look for
#endif
} gascl_gather_memory;

// Fills the outbox of a vertex that has been applied.
static void gascl_fill_ahead(const int row, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    if (GASCL_FUSED)
        gascl_outbox_put(row, 1, GASCL_STATE_ON GASCL_LANE_ON GASCL_OUT_OFFSETS_ON, outbox_next);
}

static void gascl_apply_copied(const int row, __global gascl_message *row_messages,
                               __global const gascl_offset *restrict offsets, gascl_tally *tally,
                               GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int count = (int)(offsets[row + 1] - offsets[row]);
#if GASCL_DEBUG
    gascl_shuffle(row_messages, count, row, gascl_control_->superstep);
#endif
    gascl_apply_single(row, row_messages, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_fill_ahead(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
}

// gascl_gather(): outbox/singly_item.cl where a work-group is one item, otherwise outbox/singly_group.cl.
#include "outbox_singly.cl"
