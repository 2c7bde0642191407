// A row whose messages are combined by several of the items of a work-group, one lane. Neighboring items take
// neighboring arcs.
#include "gather/row_memory.cl"

// Whether the messages after one that is enough are left.
#define GASCL_LEAVES_REST (GASCL_MAY_STOP && GASCL_STOPS_EARLY)

// An item's share of a row's messages: of those from the arc `begin` on, every `width`-th one, from the
// `lane`-th on. `found`: with the combiner `first`, the smallest i whose arc has a message; where the rest
// may be left, the smallest i at which a message was enough: items stop behind it.
static GASCL_INLINE gascl_box gascl_combine_share_of_row(
    const int row, const gascl_offset begin, const int lane, const int width,
    volatile __local int *found, __global const gascl_offset *restrict offsets,
    GASCL_STATE GASCL_DELIVERY) {
    const int arcs = (int)(offsets[row + 1] - begin);
    gascl_box in = gascl_box_empty();
    for (int i = lane; i < arcs; i += width) {
        if (GASCL_LEAVES_REST && atomic_or(found, 0) < i)
            break;
        gascl_message x;
        if (!gascl_fetch(begin + i, row, &x, GASCL_STATE_ON GASCL_DELIVERY_ON))
            continue;
        gascl_consume(begin + i, GASCL_STATE_ON GASCL_DELIVERY_ON);
        if (!gascl_receives_message(x, row, GASCL_STATE_ON))
            continue;
        if (GASCL_FIRST && !in.count)
            atomic_min(found, i);
        gascl_box_add(&in, x);
        if (gascl_is_done(in, row, GASCL_STATE_ON)) {
            atomic_min(found, i);
            break;
        }
    }
    return in;
}

// The messages of a row, without the arcs before the `skipped`-th one, combined by `width` neighboring items,
// of which the first has the result; row -1: no message. All items of a group call it, with a row for
// each `width` of them.
static gascl_box gascl_combine_shared_row(const int row, const gascl_offset skipped,
                                          const int width,
                                          __global const gascl_offset *restrict offsets,
                                          __local gascl_gather_memory *memory,
                                          GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0), warp = item / width, lane = item % width;
    __local gascl_box *boxes = memory->shared.boxes;
    if (lane == 0)
        memory->found[warp] = INT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    gascl_box in = gascl_box_empty();
    if (row >= 0)
        in = gascl_combine_share_of_row(row, offsets[row] + skipped, lane, width,
                                        &memory->found[warp], offsets,
                                        GASCL_STATE_ON GASCL_DELIVERY_ON);
    boxes[item] = in;
    // An item may apply a row of which others have read fields.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if GASCL_FIRST
    const int found = memory->found[warp];
    in = found == INT_MAX ? gascl_box_empty() : boxes[warp * width + found % width];
#else
    for (int left = width / 2; left > 0; left /= 2) {
        if (lane < left) {
            gascl_box_merge(&in, boxes[item + left]);
            boxes[item] = in;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    return in;
}
