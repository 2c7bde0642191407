// Gather by the virtual warps of a work-group, one lane: the long rows of a block.
#include "gather/virtual_warps.cl"

// Whether the messages after one that is enough are left.
#define GASCL_SEARCHES (GASCL_MAY_STOP && GASCL_STOPS_EARLY)
// The number of messages that an item fetches before it looks at the first one.
#define GASCL_FETCHES_OF_WARP (GASCL_SEARCHES ? 1 : GASCL_FETCHES)

// An item's share of a row's messages: every `width`-th one, from the `lane`-th on. `found`: with the
// combiner `first`, the least arc with a message; and where messages are left, the least one that was enough,
// after which all items end.
static GASCL_INLINE gascl_box gascl_combine_share_of_row(
    const int row, const int lane, const int width, volatile __local int *found,
    __global const gascl_offset *restrict offsets, GASCL_STATE GASCL_DELIVERY) {
    const gascl_offset begin = offsets[row];
    const int arcs = (int)(offsets[row + 1] - begin);
    gascl_box in = gascl_box_empty();
    for (int i = lane; i < arcs; i += GASCL_FETCHES_OF_WARP * width) {
        if (GASCL_SEARCHES && atomic_or(found, 0) < i)
            break;
        gascl_message x[GASCL_FETCHES_OF_WARP];
        bool carries[GASCL_FETCHES_OF_WARP];
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES_OF_WARP; ++k)
            carries[k] = i + k * width < arcs &&
                         gascl_fetch(begin + i + k * width, row, &x[k],
                                     GASCL_STATE_ON GASCL_DELIVERY_ON);
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES_OF_WARP; ++k) {
            if (!carries[k])
                continue;
            gascl_consume(begin + i + k * width, GASCL_STATE_ON GASCL_DELIVERY_ON);
            if (!gascl_receives_message(x[k], row, GASCL_STATE_ON))
                continue;
            if (GASCL_FIRST && !in.count)
                atomic_min(found, i + k * width);
            gascl_box_add(&in, x[k]);
        }
        if (GASCL_SEARCHES && gascl_is_done(in, row, GASCL_STATE_ON)) {
            atomic_min(found, i);
            break;
        }
    }
    return in;
}

// Combines and finishes the long rows of a block that gascl_find_long_rows() has marked. All items call it.
static void gascl_combine_long_rows(const gascl_block block,
                                    __global const gascl_offset *restrict offsets,
                                    __local gascl_long_rows *memory, gascl_tally *tally,
                                    GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0), rows = block.last - block.first;
    int number = 0;
    for (int row = 0; (row = gascl_next_long(&memory->marks, row, rows)) < rows; ++row)
        ++number;
    int width = GASCL_GROUP;
    while (width > GASCL_LEAST_WARP && number * width > GASCL_GROUP)
        width /= 2;
    const int warps = GASCL_GROUP / width, warp = item / width, lane = item % width;
    int row = gascl_next_long(&memory->marks, 0, rows);
    for (int i = 0; i < warp; ++i)
        row = gascl_next_long(&memory->marks, row + 1, rows);
    for (int done = 0; done < number; done += warps) {
        const int id = block.first + row;
        if (lane == 0)
            memory->found[warp] = INT_MAX;
        barrier(CLK_LOCAL_MEM_FENCE);
        gascl_box in = gascl_box_empty();
        if (row < rows && gascl_visits_row(id, GASCL_STATE_ON GASCL_DELIVERY_ON))
            in = gascl_combine_share_of_row(id, lane, width, &memory->found[warp], offsets,
                                            GASCL_STATE_ON GASCL_DELIVERY_ON);
        memory->boxes[item] = in;
        // An item may apply a row of which others have called gascl_visits_row().
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if GASCL_FIRST
        const int found = memory->found[warp];
        in = found == INT_MAX ? gascl_box_empty() : memory->boxes[warp * width + found % width];
#else
        for (int left = width / 2; left > 0; left /= 2) {
            if (lane < left) {
                gascl_box_merge(&in, memory->boxes[item + left]);
                memory->boxes[item] = in;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
        if (lane == 0 && row < rows)
            gascl_finish_row(id, in, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
        for (int i = 0; i < warps; ++i)
            row = gascl_next_long(&memory->marks, row + 1, rows);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
