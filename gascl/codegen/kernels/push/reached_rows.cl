// Delivery `reached`, while the frontier is small: the vertices that it has reached pull. An item pulls short rows,
// and lists the others, each of which a group then pulls. If there are rows enough for all items of a GPU, longer
// ones count as short.
#if GASCL_GROUP == 1
#define GASCL_ROW_OF_ITEM(rows) 1024
#else
#define GASCL_ROW_OF_ITEM(rows) ((rows) > 1 << 15 ? 128 : 16)
#endif

// What the frontier sends to a vertex, in the order of the arcs.
static gascl_box gascl_pull_reached(const int row, GASCL_STATE GASCL_DELIVERY) {
    gascl_box in = gascl_box_empty();
    const gascl_offset end = in_offsets[row + 1];
    for (gascl_offset arc = in_offsets[row]; arc < end; ++arc) {
        gascl_message x;
        if (gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_DELIVERY_ON) &&
            gascl_receives_message(x, row, GASCL_STATE_ON))
            gascl_box_add(&in, x);
    }
    return in;
}

static void gascl_pull_short_rows(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_PULLED) {
    __global const uint *now = 0;
    const int reached = GASCL_PULLS_NOW ? 0 : GASCL_LENGTH(RECEIVERS);
    GASCL_FOR_SHARE(i, reached, clamp(reached / (16 * team.groups), 1, 64)) {
        const int row = gascl_receivers[i];
        if (in_offsets[row + 1] - in_offsets[row] <= GASCL_ROW_OF_ITEM(reached))
            pulled[row] = gascl_pull_reached(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
        else
            gascl_listed[atomic_inc(&GASCL_LENGTH(LISTED))] = row;
    }
}

// Returns how many arcs the rows have that this group has pulled.
static long gascl_pull_long_rows(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_PULLED,
                                 __local gascl_step_memory *memory) {
    __global const uint *now = 0;
    long arcs = 0;
    const int end = team.idle || GASCL_PULLS_NOW ? 0 : GASCL_LENGTH(LISTED);
#if GASCL_GROUP == 1
    GASCL_FOR_SHARE(i, end, 1) {
        const int row = gascl_listed[i];
        arcs += in_offsets[row + 1] - in_offsets[row];
        pulled[row] = gascl_pull_reached(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
    }
#else
    for (int at = team.rank; at < end; at += team.groups) {
        const int row = gascl_listed[at];
        gascl_block block;
        block.begin = in_offsets[row];
        block.end = in_offsets[row + 1];
        block.first = row;
        block.last = row + 1;
        arcs += block.end - block.begin;
        gascl_gather_block(block, in_offsets, &memory->way.gather, 0,
                           GASCL_STATE_ON GASCL_DELIVERY_ON);
    }
#endif
    return arcs;
}
