// Gather, several items in a work-group, one lane, and programs in which a vertex may have enough before
// its last message: an item takes a row, and stops there.

// Only the memory that every kernel needs.
typedef struct {
    gascl_shared shared;
} gascl_gather_memory;

static void gascl_gather(GASCL_BLOCKS, __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block block = blocks[at];
        for (int row = block.first + get_local_id(0); row < block.last; row += GASCL_GROUP) {
            gascl_box in = gascl_box_empty();
            if (gascl_visits_row(row, GASCL_STATE_ON GASCL_DELIVERY_ON)) {
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
            }
            gascl_finish_row(row, in, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
        }
    }
}
