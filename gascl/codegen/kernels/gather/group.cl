// Gather, several items in a work-group, one lane: the items share a block (CSR-adaptive, Greathouse and
// Daga, 2014). Neighboring items fetch neighboring arcs, since neighboring reads of memory are fast, and each fetches
// several before it looks at the first, so that it waits for memory once for all of them.
//
// In a block of one row, each item combines the messages that it fetched, and the group joins the
// items' boxes. In a block of several rows, the messages are staged in local memory. Items combine
// chunks of GASCL_CHUNK_ARCS of them, wherever rows begin and end; then one item finishes a row
// from the chunks that lie within it and the single messages before and behind those.
//
// The messages of a very long row are combined in segments of GASCL_SEGMENT arcs. With GASCL_SPLITS, a
// launch of gascl_gather_segments() has done that by many groups; otherwise the row's group does it, one
// segment after the other. The items then join the segments' boxes in the same order, as do those of rows
// that ranks share (cut_rows.cl).

#include "gather/block_memory.cl"
#include "gather/row_search.cl"

// Fetches the message of the i-th arc of a block. Behind the last arc, the last one's is read again, but
// does not count where arcs need not send: reading it is cheaper than a branch. Not where messages are consumed,
// since another item may do that meanwhile.
static bool gascl_fetch_ith(const gascl_offset i, const gascl_block block, const int rows,
                            gascl_message *x, __global const gascl_offset *restrict offsets,
                            GASCL_STATE GASCL_DELIVERY) {
    const gascl_offset arcs = block.end - block.begin;
    const gascl_offset arc = block.begin + min(i, arcs - 1);
    if (GASCL_CONSUMES && i >= arcs)
        return false;
    const int row = gascl_row_of(arc, offsets, block.first, rows);
    if (GASCL_MAY_STOP && !GASCL_EVERY_ARC_SENDS && !gascl_receives(row, GASCL_STATE_ON))
        return false;
    const bool carries = gascl_fetch(arc, row, x, GASCL_STATE_ON GASCL_DELIVERY_ON);
    return carries & (GASCL_EVERY_ARC_SENDS || i < arcs);
}

// Whether the vertex at the end of a block's i-th arc receives a message that was fetched and taken.
static bool gascl_receives_ith(const gascl_offset i, const gascl_block block, const int rows,
                               const gascl_message x,
                               __global const gascl_offset *restrict offsets, GASCL_STATE) {
    return !GASCL_FILTERS ||
           gascl_receives_message(x, gascl_row_of(block.begin + i, offsets, block.first, rows),
                                  GASCL_STATE_ON);
}

// An item's share of a block of one row.
static gascl_box gascl_combine_share(const gascl_block block,
                                     __global const gascl_offset *restrict offsets,
                                     GASCL_STATE GASCL_DELIVERY) {
    const gascl_offset arcs = block.end - block.begin;
    gascl_box mine = gascl_box_empty();
    for (gascl_offset i = get_local_id(0); i < arcs; i += GASCL_FETCHES * GASCL_GROUP) {
        gascl_message x[GASCL_FETCHES];
        bool carries[GASCL_FETCHES];
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)
            carries[k] = gascl_fetch_ith(i + k * GASCL_GROUP, block, 1, &x[k], offsets,
                                         GASCL_STATE_ON GASCL_DELIVERY_ON);
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)
            if (i + k * GASCL_GROUP < arcs && carries[k]) {
                gascl_consume(block.begin + i + k * GASCL_GROUP,
                              GASCL_STATE_ON GASCL_DELIVERY_ON);
                if (gascl_receives_ith(i + k * GASCL_GROUP, block, 1, x[k], offsets,
                                       GASCL_STATE_ON))
                    gascl_box_add(&mine, x[k]);
            }
    }
    return mine;
}

// Every `stride`-th box, `count` of them.
static GASCL_INLINE gascl_box gascl_join(__local const gascl_box *boxes, const int count,
                                         const int stride) {
    gascl_box whole = boxes[0];
    for (int i = 1; i < count; ++i)
        gascl_box_join(&whole, boxes[i * stride]);
    return whole;
}

// Joins `count` boxes, one of each item or only one, to GASCL_FAN_IN or fewer; returns how many. All items
// call it.
static int gascl_join_items(__local gascl_box *boxes, const int count) {
    const int item = get_local_id(0);
    int left = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (left > GASCL_FAN_IN) {
        left /= GASCL_FAN_IN;
        if (item < left)
            boxes[item] = gascl_join(boxes + item, GASCL_FAN_IN, left);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return left;
}

// A segment's messages, combined; all items call it, and have the result.
static gascl_box gascl_combine_segment(const gascl_block segment,
                                       __global const gascl_offset *restrict offsets,
                                       __local gascl_box *boxes, GASCL_STATE GASCL_DELIVERY) {
    boxes[get_local_id(0)] =
        gascl_combine_share(segment, offsets, GASCL_STATE_ON GASCL_DELIVERY_ON);
    const int left = gascl_join_items(boxes, GASCL_GROUP);
    const gascl_box whole = gascl_join(boxes, left, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    return whole;
}

// An item's share of the segments of a block; none, if it is not a very long row. All items call it.
static gascl_box gascl_combine_segments(const gascl_block block,
                                        __global const gascl_offset *restrict offsets,
                                        __local gascl_box *boxes, GASCL_STATE GASCL_DELIVERY) {
    const gascl_offset arcs = block.end - block.begin;
    const int number = arcs > GASCL_VERY_LONG_ROW ? (int)((arcs - 1) / GASCL_SEGMENT + 1) : 0;
    gascl_box mine = gascl_box_empty();
#if GASCL_SPLITS
    const size_t first = 2 * (size_t)(block.begin / GASCL_SEGMENT);
    for (int i = get_local_id(0); i < number; i += GASCL_GROUP)
        gascl_box_join(&mine, segments[first + i]);
#else
    gascl_block segment = block;
    for (int i = 0; i < number; ++i) {
        segment.end = min(block.end, segment.begin + GASCL_SEGMENT);
        const gascl_box whole =
            gascl_combine_segment(segment, offsets, boxes, GASCL_STATE_ON GASCL_DELIVERY_ON);
        if (i % GASCL_GROUP == get_local_id(0))
            gascl_box_join(&mine, whole);
        segment.begin = segment.end;
    }
#endif
    return mine;
}

#if GASCL_SPLITS || GASCL_CUTS
__kernel void gascl_gather_segments(GASCL_STATE, GASCL_BLOCKS GASCL_DELIVERY) {
    __local gascl_shared shared;
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block segment = blocks[at];
        const gascl_box whole = gascl_combine_segment(segment, offsets, shared.boxes,
                                                      GASCL_STATE_ON GASCL_DELIVERY_ON);
        if (get_local_id(0) == 0)
            segments[segment.last] = whole;
    }
}
#endif

// Stages an item's share of a block of several rows.
static void gascl_stage(__local gascl_gather_memory *memory, const gascl_block block,
                        const int rows, __global const gascl_offset *restrict offsets,
                        GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0), arcs = (int)(block.end - block.begin);
    for (int i = item; i <= rows; i += GASCL_GROUP)
        memory->starts[i] = (ushort)(offsets[block.first + i] - block.begin);
    for (int i = item; i < GASCL_BLOCK; i += GASCL_FETCHES * GASCL_GROUP)
        if (i < arcs) {
            gascl_message x[GASCL_FETCHES];
            bool carries[GASCL_FETCHES];
            _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)
                carries[k] = gascl_fetch_ith(i + k * GASCL_GROUP, block, rows, &x[k], offsets,
                                             GASCL_STATE_ON GASCL_DELIVERY_ON);
            _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k) {
                const int at = i + k * GASCL_GROUP;
#if GASCL_EVERY_ARC_SENDS
                // Behind the end, the last message again: the same value in the same place.
                memory->messages[min(at, arcs - 1)] = x[k];
#else
                if (at < arcs) {
                    if (carries[k]) {
                        gascl_consume(block.begin + at,
                                      GASCL_STATE_ON GASCL_DELIVERY_ON);
                        memory->messages[at] = x[k];
                        carries[k] = gascl_receives_ith(at, block, rows, x[k], offsets,
                                                        GASCL_STATE_ON);
                    }
                    memory->carries[at] = carries[k];
                }
#endif
            }
        }
}

static GASCL_INLINE void gascl_combine_staged(gascl_box *whole,
                                              __local const gascl_gather_memory *memory,
                                              const int i) {
#if !GASCL_EVERY_ARC_SENDS
    if (!memory->carries[i])
        return;
#endif
    gascl_box_add(whole, memory->messages[i]);
}

// The messages of a chunk. Neighboring items begin at different places of their chunks, so that
// they read different banks of local memory.
static GASCL_INLINE gascl_box gascl_combine_chunk(__local const gascl_gather_memory *memory,
                                                  const int chunk) {
    gascl_box whole = gascl_box_empty();
    for (int i = 0; i < GASCL_CHUNK_ARCS; ++i)
        gascl_combine_staged(&whole, memory,
                             chunk * GASCL_CHUNK_ARCS + (i + chunk / 4) % GASCL_CHUNK_ARCS);
    return whole;
}

// The messages of a row, from `begin` to before `end`, with the chunks that lie within.
static GASCL_INLINE gascl_box gascl_combine_row(__local const gascl_gather_memory *memory,
                                                const int begin, const int end) {
    const bool has_chunks = end - begin >= 2 * GASCL_CHUNK_ARCS;
    const int first = (begin + GASCL_CHUNK_ARCS - 1) / GASCL_CHUNK_ARCS;
    const int last = end / GASCL_CHUNK_ARCS;
    const int head = has_chunks ? first * GASCL_CHUNK_ARCS : end;
    gascl_box whole = gascl_box_empty();
    GASCL_DO_NOT_VECTORIZE for (int i = begin; i < head; ++i)
        gascl_combine_staged(&whole, memory, i);
    if (has_chunks) {
        for (int i = first; i < last; ++i)
            gascl_box_join(&whole, memory->shared.boxes[i]);
        GASCL_DO_NOT_VECTORIZE for (int i = last * GASCL_CHUNK_ARCS; i < end; ++i)
            gascl_combine_staged(&whole, memory, i);
    }
    return whole;
}

// The barrier behind the fetching. `receive_if` reads fields of a row's vertex, which another item may then
// apply.
#define GASCL_FETCH_FENCE \
    (GASCL_RECEIVES ? CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE)

// Gathers the rows of a block. All items call it.
static void gascl_gather_block(const gascl_block block, __global const gascl_offset *restrict offsets,
                               __local gascl_gather_memory *memory, gascl_tally *tally,
                               GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const int rows = block.last - block.first, arcs = (int)(block.end - block.begin);
    __local gascl_box *boxes = memory->shared.boxes;
    const gascl_box mine =
        gascl_combine_segments(block, offsets, boxes, GASCL_STATE_ON GASCL_DELIVERY_ON);
    if (arcs > GASCL_VERY_LONG_ROW)
        boxes[item] = mine;
    else if (rows == 1)
        boxes[item] = gascl_combine_share(block, offsets, GASCL_STATE_ON GASCL_DELIVERY_ON);
    else
        gascl_stage(memory, block, rows, offsets, GASCL_STATE_ON GASCL_DELIVERY_ON);
    barrier(GASCL_FETCH_FENCE);
    if (rows != 1)
        for (int i = item; (i + 1) * GASCL_CHUNK_ARCS <= arcs; i += GASCL_GROUP)
            boxes[i] = gascl_combine_chunk(memory, i);
    const int left = gascl_join_items(boxes, rows == 1 ? GASCL_GROUP : 1);
    for (int i = item; i < rows; i += GASCL_GROUP) {
        gascl_box in;
        if (rows == 1)
            in = gascl_join(boxes, left, 1);
        else
            in = gascl_combine_row(memory, memory->starts[i], memory->starts[i + 1]);
        gascl_finish_row(block.first + i, gascl_received(block.first + i, in GASCL_DELIVERY_ON),
                         tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups)
        gascl_gather_block(blocks[at], offsets, memory, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
}
