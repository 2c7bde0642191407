// The long rows of a block, those with more than GASCL_SHORT_ROW arcs. One item combines a short row, in one
// lane or in all; the items of a work-group share a long row.
#define GASCL_SHORT_ROW (GASCL_GROUP / 4)

typedef union {  // the same marks one by one, and eight at once
    uchar of[(GASCL_BLOCK + 7) / 8 * 8];
    ulong eight[(GASCL_BLOCK + 7) / 8];
} gascl_marks;

static void gascl_mark_long_rows(__local gascl_marks *long_rows, const gascl_block block,
                                 __global const gascl_offset *restrict offsets) {
    const int rows = block.last - block.first;
    for (int i = get_local_id(0); i < (rows + 7) / 8 * 8; i += GASCL_GROUP)
        long_rows->of[i] =
            i < rows && offsets[block.first + i + 1] - offsets[block.first + i] > GASCL_SHORT_ROW;
}

// The first long row of a block from `row` on, or `end` if there is none before it.
static GASCL_INLINE int gascl_next_long(__local const gascl_marks *long_rows, int row,
                                        const int end) {
    while (row < end && !long_rows->of[row])
        row = long_rows->eight[row / 8] ? row + 1 : (row / 8 + 1) * 8;
    return min(row, end);
}
