// Gather for programs with a gather snippet, which reads the messages one by one: they are copied side
// by side for it. Slots, into which each message is written, would cost a jump for each arc; outboxes are
// read by jumps, too, but are small enough for a cache. Programs in which an arc may carry no message are
// not admitted.

typedef struct {
    gascl_shared shared;
} gascl_gather_memory;

static void gascl_apply_copied(const int row, __global gascl_message *row_messages,
                               __global const gascl_offset *restrict offsets, gascl_tally *tally,
                               GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int count = (int)(offsets[row + 1] - offsets[row]);
#if GASCL_DEBUG
    gascl_shuffle(row_messages, count, row, gascl_control_->superstep);
#endif
    gascl_apply_single(row, row_messages, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
    if (GASCL_FUSED)
        gascl_outbox_put(row, 1, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox_next, sent_next);
}

// gascl_gather(): outbox/singly_item.cl where a work-group is one item, otherwise outbox/singly_group.cl.
#include "outbox_singly.cl"
