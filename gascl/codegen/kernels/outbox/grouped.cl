// Gather for programs whose messages are grouped by key: those of a row are copied side by side as groups
// of one message each (groups.cl). Unlike what a gather snippet reads, some arcs may carry none, and scatter may
// read its arc.

// Only the memory that every kernel needs.
typedef struct {
    gascl_shared shared;
} gascl_gather_memory;

// Fills the outbox of a vertex that has been applied.
static void gascl_fill_ahead(const int row, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    if (GASCL_FUSED)
        gascl_outbox_put(row, 1, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox_next);
}

// Whether the messages of a row must be fetched.
static bool gascl_fetches_row(const int row, GASCL_STATE GASCL_LANE) {
    return !GASCL_SKIPS || !GASCL_RECEIVES || gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON);
}

// gascl_gather(): outbox/grouped_item.cl where a work-group is one item, otherwise outbox/grouped_group.cl.
#include "outbox_grouped.cl"
