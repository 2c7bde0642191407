// Gather, several items in a work-group, one lane, and programs in which a vertex may have enough before
// its last message: an item takes a short row, and stops there; a virtual warp takes a long one.
#include "gather/group_long_rows.cl"

typedef struct {
    gascl_shared shared;
    gascl_long_rows long_rows;
} gascl_gather_memory;

// A row that an item has to itself.
static gascl_box gascl_combine_short_row(const int row,
                                         __global const gascl_offset *restrict offsets,
                                         GASCL_STATE GASCL_DELIVERY) {
    gascl_box in = gascl_box_empty();
    if (!gascl_visits_row(row, GASCL_STATE_ON GASCL_DELIVERY_ON))
        return in;
    const gascl_offset last = offsets[row + 1];
    for (gascl_offset arc = offsets[row]; arc < last; ++arc) {
        gascl_message x;
        if (!gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_DELIVERY_ON))
            continue;
        gascl_consume(arc, GASCL_STATE_ON GASCL_DELIVERY_ON);
        if (!gascl_receives_message(x, row, GASCL_STATE_ON))
            continue;
        gascl_box_add(&in, x);
        if (gascl_is_done(in, row, GASCL_STATE_ON))
            break;
    }
    return in;
}

static void gascl_gather(GASCL_BLOCKS, __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block block = blocks[at];
        gascl_find_long_rows(block, offsets, &memory->long_rows);
        for (int row = block.first + get_local_id(0); row < block.last; row += GASCL_GROUP)
            if (!memory->long_rows.marks.of[row - block.first])
                gascl_finish_row(row,
                                 gascl_combine_short_row(row, offsets,
                                                         GASCL_STATE_ON GASCL_DELIVERY_ON),
                                 tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
        gascl_combine_long_rows(block, offsets, &memory->long_rows, tally,
                                GASCL_STATE_ON GASCL_DELIVERY_ON);
    }
}
