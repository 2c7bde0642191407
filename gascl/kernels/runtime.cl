// What every kernel shares: boxes of messages, masks, the division of work, tallies.
//
// Work-groups of GASCL_GROUP items; 1 on CPUs, where an item owns a whole range of rows and a
// barrier would cost more than it shares. No kernel with a barrier returns early, and no barrier
// stands in a branch: PoCL 3.0 hangs or corrupts memory there, however uniform the branch is.
#include "program.h"

static void gascl_box_merge(gascl_box *into, const gascl_box from) {
    if (!from.count)
        return;
#if GASCL_OVERFLOWS
    into->combined =
        gascl_combine(into->combined, from.combined, &into->overflow, from.overflow);
#else
    gascl_box_combine(into, from.combined);
#endif
    into->count += from.count;
}

// The combined message in its own type; one that does not fit is recorded with the least id.
static gascl_message gascl_narrow(const gascl_box in, const int id,
                                  __global gascl_control *control) {
    const gascl_message message = GASCL_TO_MESSAGE(in.combined);
#if GASCL_OVERFLOWS
    if (in.overflow || (in.count && (gascl_accumulator)message != in.combined))
        atomic_min(&control->overflow, id);
#endif
    return message;
}

#if GASCL_SINGLE
// What a vertex makes of its messages, which lie side by side.
static void gascl_apply_single(const int id, __global gascl_message *messages, const int count,
                               gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    gascl_gathered msg = gascl_nothing();
    if (count)
        msg = gascl_gather_snippet(gascl_gathering(id, GASCL_STATE_ON GASCL_LANE_ON), messages,
                                   count, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_apply_message(id, msg, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
}
#else
static void gascl_apply(const int id, gascl_box in, gascl_tally *tally, GASCL_STATE GASCL_LANE) {
#if GASCL_INBOX
    gascl_box_merge(&in, gascl_take(id, gascl_inbox, gascl_arrived, gascl_wraps GASCL_LANE_ON));
#endif
    gascl_apply_message(id, gascl_narrow(in, id, gascl_control_), in.count, tally,
                        GASCL_STATE_ON GASCL_LANE_ON);
}
#endif

// How many vertices there are to go through: none once the run has stopped.
static int gascl_vertices(__global const gascl_run *run, __global const gascl_control *control) {
    return control->stopped ? 0 : run->graph.num_vertices;
}

// Vertices, or what else is counted: each group owns a contiguous range, in which its items take
// turns.
#define GASCL_CHUNK(n) (((long)(n) + (long)get_num_groups(0) - 1) / (long)get_num_groups(0))
#define GASCL_FOR_RANGE_OF(type, id, n)                                                           \
    for (type gascl_last = (type)min((long)(n), ((long)get_group_id(0) + 1) * GASCL_CHUNK(n)),    \
              id = (type)min((long)(n), (long)get_group_id(0) * GASCL_CHUNK(n)) +                 \
                   (type)get_local_id(0);                                                         \
         id < gascl_last; id += GASCL_GROUP)
#define GASCL_FOR_RANGE(id, n) GASCL_FOR_RANGE_OF(int, id, n)

#if GASCL_LANES > 1
#define GASCL_FOR_LANES for (int gascl_lane = 0; gascl_lane < GASCL_LANES; ++gascl_lane)
#else
#define GASCL_FOR_LANES
#endif

#if GASCL_DEBUG
static uint gascl_mixed(uint x) {  // Wellons' lowbias32
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

static gascl_offset gascl_divisor(gascl_offset a, gascl_offset b) {  // Euclid's
    while (b) {
        const gascl_offset rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The i-th of n in an order of this row, superstep and seed: every step-th one, around and around.
static gascl_offset gascl_shuffled(const gascl_offset i, const gascl_offset n, const int row,
                                   const int superstep) {
    const uint seed = gascl_mixed(gascl_mixed(GASCL_SEED + superstep) + row);
    gascl_offset step = n > 1 ? 1 + seed % (n - 1) : 1;
    while (gascl_divisor(n, step) != 1)
        ++step;
    return (gascl_offset)(((ulong)i * step + gascl_mixed(seed) % n) % n);
}
#define GASCL_ITH_ARC(i, begin, end, row) \
    ((begin) + gascl_shuffled((i) - (begin), (end) - (begin), row, gascl_control_->superstep))
#else
#define GASCL_ITH_ARC(i, begin, end, row) (i)
#endif

// Where the message of an arc lies, in the order of receivers. Those that are read singly must lie
// side by side in each lane.
#if GASCL_SINGLE && GASCL_LANES > 1
#define GASCL_SLOT(arc, offsets) \
    ((size_t)gascl_lane * offsets[gascl_run_->graph.num_vertices] + (arc))
#else
#define GASCL_SLOT(arc, offsets) GASCL_AT(arc)
#endif

#if GASCL_SINGLE
// The messages that were sent, moved side by side; returns how many.
static int gascl_close_up(__global gascl_message *messages, __global uchar *sent,
                          const int slots) {
    int count = 0;
    for (int i = 0; i < slots; ++i)
        if (sent[i]) {
            sent[i] = 0;
            messages[count++] = messages[i];
        }
    return count;
}

#if GASCL_DEBUG
// In an order of this row, superstep and seed (Fisher and Yates).
static void gascl_shuffle(__global gascl_message *messages, const int count, const int row,
                          const int superstep) {
    uint seed = gascl_mixed(gascl_mixed(GASCL_SEED + superstep) + row);
    for (int i = count - 1; i > 0; --i) {
        seed = gascl_mixed(seed + i);
        const int other = (int)(seed % (uint)(i + 1));
        const gascl_message held = messages[i];
        messages[i] = messages[other];
        messages[other] = held;
    }
}
#endif
#endif

// Gather over rows: a group owns the rows blocks[group] to blocks[group + 1]. FETCH(arc, row, box)
// adds what one arc of a row carries, and FINISH(row, box) takes the whole. Where WANTED(row) is
// false, no arc carries anything, and an item that owns the row skips them. The order of combining is fixed by the blocks, and the same for every delivery.
#if GASCL_GROUP == 1
#define GASCL_GATHER(blocks, offsets, WANTED, FETCH, FINISH)                                      \
    const int gascl_last = gascl_control_->stopped ? 0 : blocks[get_group_id(0) + 1];             \
    for (int row = blocks[get_group_id(0)]; row < gascl_last; ++row) {                            \
        gascl_box gascl_in[GASCL_LANES];                                                          \
        GASCL_FOR_LANES gascl_in[gascl_lane] = gascl_box_empty();                                 \
        if (WANTED(row)) {                                                                        \
            const gascl_offset gascl_begin = offsets[row], gascl_end = offsets[row + 1];          \
            for (gascl_offset gascl_i = gascl_begin; gascl_i < gascl_end; ++gascl_i) {            \
                const gascl_offset arc = GASCL_ITH_ARC(gascl_i, gascl_begin, gascl_end, row);     \
                GASCL_FOR_LANES FETCH(arc, row, gascl_in[gascl_lane]);                            \
            }                                                                                     \
        }                                                                                         \
        GASCL_FOR_LANES FINISH(row, gascl_in[gascl_lane]);                                        \
    }
#elif GASCL_LANES > 1
// An item takes a row in one lane, so that neighbouring items read neighbouring lanes.
#define GASCL_GATHER(blocks, offsets, WANTED, FETCH, FINISH)                                      \
    const int gascl_first = blocks[get_group_id(0)];                                              \
    const int gascl_rows =                                                                        \
        gascl_control_->stopped ? 0 : blocks[get_group_id(0) + 1] - gascl_first;                  \
    for (int gascl_i = get_local_id(0); gascl_i < gascl_rows * GASCL_LANES;                       \
         gascl_i += GASCL_GROUP) {                                                                \
        const int row = gascl_first + gascl_i / GASCL_LANES, gascl_lane = gascl_i % GASCL_LANES;  \
        gascl_box in = gascl_box_empty();                                                         \
        if (WANTED(row)) {                                                                        \
            const gascl_offset gascl_end = offsets[row + 1];                                      \
            for (gascl_offset arc = offsets[row]; arc < gascl_end; ++arc)                         \
                FETCH(arc, row, in);                                                              \
        }                                                                                         \
        FINISH(row, in);                                                                          \
    }
#else
// Where items share a block (CSR-adaptive, Greathouse and Daga 2014): first every item fetches
// arcs in turn, so that neighbouring items read neighbouring memory, into local memory; of a block
// of one row, which may have any number of arcs, each item combines its own. Then up to
// GASCL_PARTS items combine the boxes of each row, and one item finishes it.
#define GASCL_PARTS 16
#define GASCL_GATHER(blocks, offsets, WANTED, FETCH, FINISH)                                      \
    __local gascl_box gascl_boxes[GASCL_BLOCK + GASCL_GROUP];                                     \
    const int gascl_first = blocks[get_group_id(0)];                                              \
    const int gascl_rows =                                                                        \
        gascl_control_->stopped ? 0 : blocks[get_group_id(0) + 1] - gascl_first;                  \
    const gascl_offset gascl_begin = offsets[gascl_first];                                        \
    const gascl_offset gascl_end = offsets[gascl_first + gascl_rows];                             \
    gascl_box gascl_mine = gascl_box_empty();                                                     \
    for (gascl_offset arc = gascl_begin + get_local_id(0); arc < gascl_end; arc += GASCL_GROUP) { \
        if (gascl_rows == 1) {                                                                    \
            FETCH(arc, gascl_first, gascl_mine);                                                  \
        } else {                                                                                  \
            gascl_box in = gascl_box_empty();                                                     \
            FETCH(arc, gascl_row_of(arc, offsets, gascl_first, gascl_rows), in);                  \
            gascl_boxes[arc - gascl_begin] = in;                                                  \
        }                                                                                         \
    }                                                                                             \
    if (gascl_rows == 1)                                                                          \
        gascl_boxes[get_local_id(0)] = gascl_mine;                                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                 \
    int gascl_parts = GASCL_PARTS;                                                                \
    while (gascl_parts > 1 && gascl_parts * gascl_rows > GASCL_GROUP)                             \
        gascl_parts /= 2;                                                                         \
    for (int i = get_local_id(0); i < gascl_rows * gascl_parts; i += GASCL_GROUP)                 \
        gascl_combine_part(gascl_boxes, i % gascl_parts, gascl_parts,                             \
                           gascl_span_of(i / gascl_parts, gascl_first, gascl_rows, offsets));     \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                          \
    for (int i = get_local_id(0); i < gascl_rows; i += GASCL_GROUP) {                             \
        gascl_box in = gascl_box_empty();                                                         \
        const int2 gascl_span = gascl_span_of(i, gascl_first, gascl_rows, offsets);               \
        for (int j = gascl_span.x; j < min(gascl_span.x + gascl_parts, gascl_span.y); ++j)        \
            gascl_box_merge(&in, gascl_boxes[j]);                                                 \
        FINISH(gascl_first + i, in);                                                              \
    }

// The boxes of a block's row, from x to before y: one an arc, or one an item where it is alone.
static int2 gascl_span_of(const int row, const int first, const int rows,
                          __global const gascl_offset *offsets) {
    if (rows == 1)
        return (int2)(0, GASCL_GROUP);
    const gascl_offset begin = offsets[first];
    return (int2)((int)(offsets[first + row] - begin), (int)(offsets[first + row + 1] - begin));
}

// Every `parts`th box of a span into the first of them, which no other part touches.
static void gascl_combine_part(__local gascl_box *boxes, const int part, const int parts,
                               const int2 span) {
    if (span.x + part >= span.y)
        return;
    gascl_box whole = boxes[span.x + part];
    for (int i = span.x + part + parts; i < span.y; i += parts)
        gascl_box_merge(&whole, boxes[i]);
    boxes[span.x + part] = whole;
}

// The row of an arc, by bisection; for programs that read e.dst.
static int gascl_row_of(const gascl_offset arc, __global const gascl_offset *offsets, int row,
                        int rows) {
    while (rows > 1) {
        const int below = rows / 2;
        if (offsets[row + below] <= arc) {
            row += below;
            rows -= below;
        } else {
            rows = below;
        }
    }
    return row;
}
#endif

// The tallies of a group, added in a fixed tree, one result a group.
static void gascl_tally_store(const gascl_tally mine, __global gascl_tally *tallies,
                              __local gascl_tally *scratch) {
#if GASCL_GROUP > 1
    const int item = get_local_id(0);
    scratch[item] = mine;
    for (int stride = GASCL_GROUP / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < stride) {
            gascl_tally sum = scratch[item];
            gascl_tally_add(&sum, scratch[item + stride]);
            scratch[item] = sum;
        }
    }
    if (item == 0)
        tallies[get_group_id(0)] = scratch[0];
#else
    tallies[get_group_id(0)] = mine;
#endif
}
