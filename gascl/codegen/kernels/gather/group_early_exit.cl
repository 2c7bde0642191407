// Gather, several items in a work-group, one lane, and programs in which a vertex may have enough before
// its last message: an item takes a short row, and stops there. The long rows of a block are shared by virtual
// warps, which are some of the group's items (Hong, Kim, Oguntebi and Olukotun, Accelerating CUDA Graph
// Algorithms at Maximum Warp, 2011): the fewer long rows a block has, the larger the warps are.
#include "gather/shared_row.cl"

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

// The long rows of a block, which are marked. All items call it.
static void gascl_gather_long_rows(const gascl_block block,
                                   __global const gascl_offset *restrict offsets,
                                   __local gascl_gather_memory *memory, gascl_tally *tally,
                                   GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0), rows = block.last - block.first;
    int number = 0;
    for (int row = 0; (row = gascl_next_long(&memory->long_rows, row, rows)) < rows; ++row)
        ++number;
    int width = GASCL_GROUP;
    while (width > GASCL_LEAST_WARP && number * width > GASCL_GROUP)
        width /= 2;
    const int warps = GASCL_GROUP / width, warp = item / width, lane = item % width;
    int row = gascl_next_long(&memory->long_rows, 0, rows);
    for (int i = 0; i < warp; ++i)
        row = gascl_next_long(&memory->long_rows, row + 1, rows);
    for (int done = 0; done < number; done += warps) {
        const int id = block.first + row;
        const bool visits =
            row < rows && gascl_visits_row(id, GASCL_STATE_ON GASCL_DELIVERY_ON);
        const gascl_box in =
            gascl_combine_shared_row(visits ? id : -1, 0, width, offsets, memory,
                                     GASCL_STATE_ON GASCL_DELIVERY_ON);
        if (lane == 0 && row < rows)
            gascl_finish_row(id, in, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
        for (int i = 0; i < warps; ++i)
            row = gascl_next_long(&memory->long_rows, row + 1, rows);
    }
}

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        gascl_mark_long_rows(&memory->long_rows, block, offsets);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int row = block.first + get_local_id(0); row < block.last; row += GASCL_GROUP)
            if (!memory->long_rows.of[row - block.first])
                gascl_finish_row(row,
                                 gascl_combine_short_row(row, offsets,
                                                         GASCL_STATE_ON GASCL_DELIVERY_ON),
                                 tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
        gascl_gather_long_rows(block, offsets, memory, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
