// What every kernel shares: boxes of messages, masks, the division of work, tallies.
//
// Work-groups of GASCL_GROUP items; 1 on CPUs, where an item owns a whole range of rows and a
// barrier would cost more than it shares. No kernel with a barrier returns early, and no barrier
// stands in a branch: PoCL 3.0 hangs or corrupts memory there, however uniform the branch is.

// PoCL calls its fabs as a function: a third of PageRank's time on a grid.
#ifdef __has_builtin
#if __has_builtin(__builtin_elementwise_abs)
#undef fabs
#define fabs(x) __builtin_elementwise_abs(x)
#endif
#endif
#include "program.h"

static void gascl_box_join(gascl_box *into, const gascl_box from) {
#if GASCL_OVERFLOWS
    into->combined =
        gascl_combine(into->combined, from.combined, &into->overflow, from.overflow);
#else
    gascl_box_combine(into, from.combined);
#endif
    into->count += from.count;
}

static void gascl_box_merge(gascl_box *into, const gascl_box from) {
    if (from.count)
        gascl_box_join(into, from);
}

static void gascl_box_add(gascl_box *box, const gascl_message x) {
    gascl_box_combine(box, GASCL_TO_ACCUMULATOR(x));
    ++box->count;
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
#if GASCL_PAIRS
    gascl_box_merge(&in, gascl_paired[GASCL_AT(id)]);
#endif
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

// Vertices, or what else is counted. An item that has its group to itself owns a contiguous range;
// else items take turns, so that neighbouring ones read neighbouring memory.
#if GASCL_GROUP == 1
#define GASCL_CHUNK(n) (((long)(n) + (long)get_num_groups(0) - 1) / (long)get_num_groups(0))
#define GASCL_FOR_RANGE_OF(type, id, n)                                                           \
    for (type gascl_last = (type)min((long)(n), ((long)get_group_id(0) + 1) * GASCL_CHUNK(n)),    \
              id = (type)min((long)(n), (long)get_group_id(0) * GASCL_CHUNK(n));                  \
         id < gascl_last; ++id)
#else
#define GASCL_FOR_RANGE_OF(type, id, n) \
    for (long id = get_global_id(0), gascl_last = n; id < gascl_last; id += get_global_size(0))
#endif
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

// A block: consecutive rows and their arcs. One of several rows has GASCL_BLOCK of each at most; a
// row of its own may have any number of arcs.
typedef struct {
    gascl_offset begin, end;
    int first, last;
} gascl_block;

// What items combine with their group's, one kind at a time: boxes of parts of rows, one an item or
// one a chunk of arcs; tallies; counts.
#define GASCL_CHUNK_ARCS 8
#define GASCL_BOXES                                                                    \
    (GASCL_GROUP == 1 || GASCL_GROUP * GASCL_CHUNK_ARCS > GASCL_BLOCK ? GASCL_GROUP \
                                                                      : GASCL_BLOCK / GASCL_CHUNK_ARCS)
typedef union {
    gascl_box boxes[GASCL_BOXES];
    gascl_tally tallies[(GASCL_GROUP + 1) / 2];
    long2 counts[GASCL_GROUP];
} gascl_shared;

// The largest power of two below `rows`, or 0: where a bisection of them begins.
static uint gascl_half(const int rows) {
    return rows > 1 ? 0x80000000u >> clz((uint)(rows - 1)) : 0;
}

// Gather over the rows of blocks. FETCH(arc, row, x) puts into x what an arc carries and is true if
// it carries anything; TAKEN(arc) follows where it did, once an arc. FINISH(row, box) takes all that
// a row gets. Where WANTED(row) is false, no arc of it carries anything, and an item that owns the
// row skips them. The order of combining is fixed by the blocks: the same for every delivery.
#if GASCL_GROUP == 1
// A row's boxes, one a lane, each part side by side, so that a compiler can take several at once.
typedef struct {
    gascl_accumulator combined[GASCL_LANES];
    uint count[GASCL_LANES];
#if GASCL_OVERFLOWS
    int overflow[GASCL_LANES];
#endif
} gascl_box_of_lanes;

static gascl_box gascl_lane_get(const gascl_box_of_lanes *boxes GASCL_LANE) {
    gascl_box box;
    box.combined = boxes->combined[gascl_lane];
    box.count = boxes->count[gascl_lane];
#if GASCL_OVERFLOWS
    box.overflow = boxes->overflow[gascl_lane];
#endif
    return box;
}

static void gascl_lane_put(gascl_box_of_lanes *boxes, const gascl_box box GASCL_LANE) {
    boxes->combined[gascl_lane] = box.combined;
    boxes->count[gascl_lane] = box.count;
#if GASCL_OVERFLOWS
    boxes->overflow[gascl_lane] = box.overflow;
#endif
}

// With lanes, without a branch: then a compiler can take several lanes at once.
#if GASCL_LANES > 1
#define GASCL_MESSAGE_TO_FETCH gascl_message x = GASCL_TO_MESSAGE(gascl_identity())
#define GASCL_TAKE(boxes, got, x)                                                                 \
    const gascl_box gascl_before = gascl_lane_get(&boxes GASCL_LANE_ON);                          \
    gascl_box gascl_after = gascl_before;                                                         \
    gascl_box_add(&gascl_after, x);                                                               \
    gascl_lane_put(&boxes, got ? gascl_after : gascl_before GASCL_LANE_ON)
#else
#define GASCL_MESSAGE_TO_FETCH gascl_message x
#define GASCL_TAKE(boxes, got, x)                                                                 \
    if (got) {                                                                                    \
        gascl_box gascl_after = gascl_lane_get(&boxes);                                           \
        gascl_box_add(&gascl_after, x);                                                           \
        gascl_lane_put(&boxes, gascl_after);                                                      \
    }
#endif

#define GASCL_GATHER(blocks, num_blocks, offsets, WANTED, FETCH, TAKEN, FINISH)                   \
    const gascl_block gascl_its = blocks[get_group_id(0)];                                        \
    const int gascl_last = gascl_control_->stopped ? 0 : gascl_its.last;                          \
    for (int row = gascl_its.first; row < gascl_last; ++row) {                                    \
        gascl_box_of_lanes gascl_in;                                                              \
        GASCL_FOR_LANES gascl_lane_put(&gascl_in, gascl_box_empty() GASCL_LANE_ON);               \
        if (WANTED(row)) {                                                                        \
            const gascl_offset gascl_begin = offsets[row], gascl_end = offsets[row + 1];          \
            for (gascl_offset gascl_i = gascl_begin; gascl_i < gascl_end; ++gascl_i) {            \
                const gascl_offset arc = GASCL_ITH_ARC(gascl_i, gascl_begin, gascl_end, row);     \
                GASCL_FOR_LANES {                                                                 \
                    GASCL_MESSAGE_TO_FETCH;                                                        \
                    const bool gascl_got = FETCH(arc, row, x);                                    \
                    if (gascl_got)                                                                \
                        TAKEN(arc);                                                               \
                    GASCL_TAKE(gascl_in, gascl_got, x);                                           \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
        GASCL_FOR_LANES FINISH(row, gascl_lane_get(&gascl_in GASCL_LANE_ON));                     \
    }
#elif GASCL_LANES > 1
// An item takes a row in one lane, so that neighbouring items read neighbouring lanes.
#define GASCL_GATHER(blocks, num_blocks, offsets, WANTED, FETCH, TAKEN, FINISH)                   \
    const int gascl_blocks = gascl_control_->stopped ? 0 : num_blocks;                            \
    for (int gascl_at = get_group_id(0); gascl_at < gascl_blocks; gascl_at += get_num_groups(0)) { \
        const gascl_block gascl_its = blocks[gascl_at];                                           \
        const int gascl_count = (gascl_its.last - gascl_its.first) * GASCL_LANES;                 \
        for (int gascl_i = get_local_id(0); gascl_i < gascl_count; gascl_i += GASCL_GROUP) {      \
            const int row = gascl_its.first + gascl_i / GASCL_LANES;                              \
            const int gascl_lane = gascl_i % GASCL_LANES;                                         \
            gascl_box in = gascl_box_empty();                                                     \
            if (WANTED(row)) {                                                                    \
                const gascl_offset gascl_end = offsets[row + 1];                                  \
                for (gascl_offset arc = offsets[row]; arc < gascl_end; ++arc) {                   \
                    gascl_message x;                                                              \
                    if (FETCH(arc, row, x)) {                                                     \
                        TAKEN(arc);                                                               \
                        gascl_box_add(&in, x);                                                    \
                    }                                                                             \
                }                                                                                 \
            }                                                                                     \
            FINISH(row, in);                                                                      \
        }                                                                                         \
    }
#else
// Where items share a block (CSR-adaptive, Greathouse and Daga 2014), a group goes from block to
// block. Every item fetches arcs in turn, so that neighbouring items read neighbouring memory, and
// GASCL_DEEP of them at once, so that it waits once for all; past the end the last one again. Of a
// block of one row each item combines its own, and then the group their boxes. Of more rows the
// messages go to local memory; items combine chunks of them, whosever they are, and then one item
// finishes a row from its chunks and from what its ends have of others.
#define GASCL_FOLD 8
#define GASCL_GATHER(blocks, num_blocks, offsets, WANTED, FETCH, TAKEN, FINISH)                   \
    __local gascl_message gascl_messages[GASCL_BLOCK];                                            \
    GASCL_MARKS_OF_MESSAGES                                                                       \
    __local ushort gascl_starts[GASCL_BLOCK + 1];                                                 \
    const int gascl_item = get_local_id(0);                                                       \
    const int gascl_blocks = gascl_control_->stopped ? 0 : num_blocks;                            \
    for (int gascl_at = get_group_id(0); gascl_at < gascl_blocks; gascl_at += get_num_groups(0)) { \
        const gascl_block gascl_its = blocks[gascl_at];                                           \
        const int gascl_rows = gascl_its.last - gascl_its.first;                                  \
        const gascl_offset gascl_arcs = gascl_its.end - gascl_its.begin;                          \
        gascl_box gascl_mine = gascl_box_empty();                                                 \
        if (gascl_rows == 1) {                                                                    \
            for (gascl_offset i = gascl_item; i < gascl_arcs; i += GASCL_DEEP * GASCL_GROUP) {    \
                gascl_message x[GASCL_DEEP];                                                      \
                bool gascl_got[GASCL_DEEP];                                                       \
                _Pragma("unroll") for (int k = 0; k < GASCL_DEEP; ++k)                            \
                    gascl_got[k] =                                                                \
                        GASCL_REACHES(i, k) && FETCH(GASCL_ARC(i, k), gascl_its.first, x[k]);     \
                _Pragma("unroll") for (int k = 0; k < GASCL_DEEP; ++k)                            \
                    if (i + k * GASCL_GROUP < gascl_arcs && gascl_got[k]) {                       \
                        TAKEN(GASCL_ARC(i, k));                                                   \
                        gascl_box_add(&gascl_mine, x[k]);                                         \
                    }                                                                             \
            }                                                                                     \
        } else {                                                                                  \
            for (int i = gascl_item; i <= gascl_rows; i += GASCL_GROUP)                           \
                gascl_starts[i] = (ushort)(offsets[gascl_its.first + i] - gascl_its.begin);       \
            for (int i = gascl_item; i < GASCL_BLOCK; i += GASCL_DEEP * GASCL_GROUP)              \
                if (i < (int)gascl_arcs) {                                                        \
                    gascl_message x[GASCL_DEEP];                                                  \
                    bool gascl_got[GASCL_DEEP];                                                   \
                    _Pragma("unroll") for (int k = 0; k < GASCL_DEEP; ++k)                        \
                        gascl_got[k] =                                                            \
                            GASCL_REACHES(i, k) &&                                                \
                            FETCH(GASCL_ARC(i, k), GASCL_ROW_OF(GASCL_ARC(i, k)), x[k]);          \
                    _Pragma("unroll") for (int k = 0; k < GASCL_DEEP; ++k)                        \
                        GASCL_KEEP(i + k * GASCL_GROUP, x[k], gascl_got[k], TAKEN)                \
                }                                                                                 \
        }                                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                             \
        int gascl_left = gascl_rows == 1 ? GASCL_GROUP : 1;                                       \
        if (gascl_rows == 1)                                                                      \
            gascl_shared_.boxes[gascl_item] = gascl_mine;                                           \
        else                                                                                      \
            for (int i = gascl_item; (i + 1) * GASCL_CHUNK_ARCS <= (int)gascl_arcs;               \
                 i += GASCL_GROUP)                                                                \
                gascl_shared_.boxes[i] = gascl_combine_chunk(GASCL_ITS_MESSAGES, i);                \
        while (gascl_left > GASCL_FOLD) {                                                         \
            gascl_left /= GASCL_FOLD;                                                             \
            barrier(CLK_LOCAL_MEM_FENCE);                                                         \
            if (gascl_item < gascl_left)                                                          \
                gascl_shared_.boxes[gascl_item] =                                                   \
                    gascl_join(gascl_shared_.boxes + gascl_item, GASCL_FOLD, gascl_left);           \
        }                                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                             \
        for (int i = gascl_item; i < gascl_rows; i += GASCL_GROUP) {                              \
            gascl_box in;                                                                         \
            if (gascl_rows == 1)                                                                  \
                in = gascl_join(gascl_shared_.boxes, gascl_left, 1);                                \
            else                                                                                  \
                in = gascl_combine_row(GASCL_ITS_MESSAGES, gascl_shared_.boxes, gascl_starts[i],    \
                                       gascl_starts[i + 1]);                                      \
            FINISH(gascl_its.first + i, in);                                                      \
        }                                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                             \
    }

#define GASCL_ARC(i, k) \
    (gascl_its.begin + min((gascl_offset)(i) + (k) * GASCL_GROUP, gascl_arcs - 1))
// With marks, TAKEN may change what another item would look at.
#define GASCL_REACHES(i, k) (GASCL_EVERY_ARC_SENDS || (i) + (k) * GASCL_GROUP < gascl_arcs)
#define GASCL_ROW_OF(arc) gascl_row_of(arc, offsets, gascl_its.first, gascl_rows)
#if GASCL_EVERY_ARC_SENDS
#define GASCL_MARKS_OF_MESSAGES
// Past the end the last message is kept once more: the same value in the same place.
#define GASCL_KEEP(i, x, got, TAKEN) gascl_messages[min(i, (int)gascl_arcs - 1)] = x;
#define GASCL_ITS_MESSAGES gascl_messages
#define GASCL_ITS_SPAN messages
#define GASCL_SPAN __local const gascl_message *messages
#else
#define GASCL_MARKS_OF_MESSAGES __local uchar gascl_marked[GASCL_BLOCK];
#define GASCL_KEEP(i, x, got, TAKEN)                        \
    if (i < (int)gascl_arcs) {                              \
        if (got) {                                          \
            TAKEN(gascl_its.begin + i);                     \
            gascl_messages[i] = x;                          \
        }                                                   \
        gascl_marked[i] = got;                              \
    }
#define GASCL_ITS_MESSAGES gascl_messages, gascl_marked
#define GASCL_ITS_SPAN messages, marked
#define GASCL_SPAN __local const gascl_message *messages, __local const uchar *marked
#endif

static void gascl_combine_one(gascl_box *whole, GASCL_SPAN, const int i) {
#if !GASCL_EVERY_ARC_SENDS
    if (!marked[i])
        return;
#endif
    gascl_box_add(whole, messages[i]);
}

// The messages of a chunk, each item beginning at another, so that they read different banks.
static gascl_box gascl_combine_chunk(GASCL_SPAN, const int chunk) {
    gascl_box whole = gascl_box_empty();
    for (int i = 0; i < GASCL_CHUNK_ARCS; ++i)
        gascl_combine_one(&whole, GASCL_ITS_SPAN,
                          chunk * GASCL_CHUNK_ARCS + (i + chunk / 4) % GASCL_CHUNK_ARCS);
    return whole;
}

// Before loops of fewer turns than would pay for vectors. LLVM 14 makes vectors of them for AVX-512
// all the same, within the loop over work-items that PoCL writes, and then items whose row lies
// behind the block's last one are not held back any more: they applied what is not there.
#ifdef __clang__
#define GASCL_SHORT _Pragma("clang loop vectorize(disable)")
#else
#define GASCL_SHORT
#endif

// The messages from x to before y: a row's.
static gascl_box gascl_combine_row(GASCL_SPAN, __local const gascl_box *chunks, const int x,
                                   const int y) {
    const bool whole_chunks = y - x >= 2 * GASCL_CHUNK_ARCS;
    const int first = (x + GASCL_CHUNK_ARCS - 1) / GASCL_CHUNK_ARCS, last = y / GASCL_CHUNK_ARCS;
    const int head = whole_chunks ? first * GASCL_CHUNK_ARCS : y;
    gascl_box whole = gascl_box_empty();
    GASCL_SHORT for (int i = x; i < head; ++i)
        gascl_combine_one(&whole, GASCL_ITS_SPAN, i);
    if (whole_chunks) {
        for (int i = first; i < last; ++i)
            gascl_box_join(&whole, chunks[i]);
        GASCL_SHORT for (int i = last * GASCL_CHUNK_ARCS; i < y; ++i)
            gascl_combine_one(&whole, GASCL_ITS_SPAN, i);
    }
    return whole;
}

// Every `stride`th box, `count` of them.
static gascl_box gascl_join(__local const gascl_box *boxes, const int count, const int stride) {
    gascl_box whole = boxes[0];
    for (int i = 1; i < count; ++i)
        gascl_box_join(&whole, boxes[i * stride]);
    return whole;
}

// The row of an arc, by bisection; for programs that read e.dst.
static int gascl_row_of(const gascl_offset arc, __global const gascl_offset *offsets,
                        const int first, const int rows) {
    int row = 0;
    for (uint step = gascl_half(rows); step > 0; step >>= 1)
        if (row + (int)step < rows && offsets[first + row + step] <= arc)
            row += step;
    return first + row;
}
#endif

// Adds up the tallies of a group, in a fixed tree; the whole is the first item's. Here and elsewhere
// tallies are copied a member at a time (see the header): NVIDIA's compiler garbles whole ones that
// have structs or vectors in them.
static void gascl_tally_reduce(gascl_tally *mine, __local gascl_shared *shared) {
#if GASCL_GROUP > 1
    const int item = get_local_id(0);
    if (item >= GASCL_GROUP / 2)
        GASCL_COPY_TALLY(shared->tallies[item - GASCL_GROUP / 2], *mine);
    for (int stride = GASCL_GROUP / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < stride) {
            // At first the upper half of the items has put its own where the lower half looks.
            GASCL_ADD_TALLY(*mine, shared->tallies[item + (stride < GASCL_GROUP / 2 ? stride : 0)]);
            GASCL_COPY_TALLY(shared->tallies[item], *mine);
        }
    }
#endif
}

static void gascl_tally_store(gascl_tally *mine, __global gascl_tally *tallies,
                              __local gascl_shared *shared) {
    gascl_tally_reduce(mine, shared);
    if (get_local_id(0) == 0)
        GASCL_COPY_TALLY(tallies[get_group_id(0)], *mine);
}

static long2 gascl_count_reduce(const long2 mine, __local gascl_shared *shared) {
    long2 sum = mine;
#if GASCL_GROUP > 1
    const int item = get_local_id(0);
    shared->counts[item] = mine;
    for (int stride = GASCL_GROUP / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < stride) {
            sum += shared->counts[item + stride];
            shared->counts[item] = sum;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    return sum;
}
