// Gather for programs whose messages are grouped by key: those of a row are copied side by side as groups
// of one message each (groups.cl). Unlike what a gather snippet reads, some arcs may carry none, and scatter may
// read its arc.

// Fills the outbox of a vertex that has been applied.
static void gascl_fill_ahead(const int row, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    if (GASCL_FUSED)
        gascl_outbox_put(row, 1, GASCL_STATE_ON GASCL_LANE_ON GASCL_OUT_OFFSETS_ON, outbox_next);
}

// Whether an arc carries a message that its row receives, and which.
static bool gascl_fetch_received(const gascl_offset arc, const int row, gascl_message *x,
                                 GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const bool receives = gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON);
    return (receives || !GASCL_SKIPS) &&
           gascl_fetch(arc, row, x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON) && receives &&
           gascl_receives_message(*x, row, GASCL_STATE_ON GASCL_LANE_ON);
}

// gascl_gather(): outbox/grouped_item.cl where a work-group is one item, otherwise outbox/grouped_group.cl or, if
// the most frequent key counts, outbox/votes_group.cl.
#include "outbox_grouped.cl"
