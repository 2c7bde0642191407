// Gather: combines the messages on each row of arcs into one box, and hands that to the delivery.
//
// A delivery that gathers defines what follows before it includes this file; its kernel then calls
// gascl_gather(). pull.cl, outbox.cl and slots.cl are examples.
//
//   GASCL_DELIVERY      its own arguments as a function declares them, a comma before each
//   GASCL_DELIVERY_ON   the same, passed on
//   GASCL_MAY_STOP      1 if the arcs of a row need not all be fetched, such as those of a vertex
//                       that receives nothing, or has enough; where fetching runs scatter,
//                       GASCL_SKIPS
//
//   // Whether any arc of a row may carry a message. The arcs of other rows need not be fetched.
//   static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY);
//
//   // Whether an arc of the row carries a message, and which. May be called twice for an arc.
//   static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
//                           GASCL_STATE GASCL_LANE GASCL_DELIVERY);
//
//   // Called once for each message that was fetched, which is not fetched again. Where every arc
//   // sends (GASCL_EVERY_ARC_SENDS) it may not be called.
//   static void gascl_taken(const gascl_offset arc, GASCL_STATE GASCL_LANE GASCL_DELIVERY);
//
//   // Called once for each row and lane, with all its messages combined; the count may be 0, and
//   // where the delivery knows in which lanes a vertex sends, need not be called then.
//   // `tally` is what gascl_gather() was given.
//   static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
//                                GASCL_STATE GASCL_LANE GASCL_DELIVERY);
//
//   // Who sends along an arc; to be left out where a delivery does not know. Where only the
//   // vertices in the mask send, arcs of the others are then skipped in all lanes at once.
//   #define GASCL_SENDER(arc)
//
//   // In which lanes that vertex sends, as bits, if the delivery knows. An arc is fetched in no others,
//   // and it is told in which lanes a row has been finished with a message.
//   #define GASCL_SENDING_LANES(arc)
//   static void gascl_note_received(const int row, const ulong lanes, GASCL_STATE GASCL_DELIVERY);
//
// Messages are combined in an order that depends on nothing but the blocks, so that every delivery
// that gathers gives the same sums of floats, bit for bit.

// Whether an arc may carry a message. A lane has no reason to ask: gascl_fetch() does.
#if defined(GASCL_SENDING_LANES)
#define GASCL_KNOWS_LANES 1
#define GASCL_ASKS_MASK 1
#elif defined(GASCL_SENDER) && !GASCL_SCATTER_ALL && GASCL_LANES > 1
#define GASCL_ASKS_MASK 1
#define GASCL_MAY_SEND(arc) GASCL_IN_MASK(GASCL_SENDER(arc))
#else
#define GASCL_ASKS_MASK 0
#define GASCL_MAY_SEND(arc) true
#endif
#ifndef GASCL_SENDING_LANES
#define GASCL_SENDING_LANES(arc) (GASCL_MAY_SEND(arc) ? ~(ulong)0 : 0)
#endif

// Before loops too short to be worth vectorizing. LLVM 14 vectorizes them for AVX-512 all the same,
// inside the loop over work-items that PoCL generates, and drops the mask of items that have no
// row: these then applied messages to vertices that do not exist.
#ifdef __clang__
#define GASCL_DO_NOT_VECTORIZE _Pragma("clang loop vectorize(disable)")
#else
#define GASCL_DO_NOT_VECTORIZE
#endif

#if GASCL_GROUP == 1
// A work-item has a block, and with it every row, to itself.

// Nothing but what every kernel needs.
typedef struct {
    gascl_shared shared;
} gascl_gather_memory;

// A row's boxes, one for each lane, each member in an array of its own, so that a compiler can
// vectorize over lanes.
typedef struct {
    gascl_accumulator combined[GASCL_LANES];
    uint count[GASCL_LANES];
#if GASCL_OVERFLOWS
    int overflow[GASCL_LANES];
#endif
} gascl_lane_boxes;

static gascl_box gascl_lane_get(const gascl_lane_boxes *boxes GASCL_LANE) {
    gascl_box box;
    box.combined = boxes->combined[gascl_lane];
    box.count = boxes->count[gascl_lane];
#if GASCL_OVERFLOWS
    box.overflow = boxes->overflow[gascl_lane];
#endif
    return box;
}

static void gascl_lane_put(gascl_lane_boxes *boxes, const gascl_box box GASCL_LANE) {
    boxes->combined[gascl_lane] = box.combined;
    boxes->count[gascl_lane] = box.count;
#if GASCL_OVERFLOWS
    boxes->overflow[gascl_lane] = box.overflow;
#endif
}

#if GASCL_DEBUG && !GASCL_FIRST
static gascl_offset gascl_greatest_divisor(gascl_offset a, gascl_offset b) {  // Euclid
    while (b) {
        const gascl_offset rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The i-th of n arcs in an order that depends on row, superstep and seed: each arc is followed by
// the one `step` further on, modulo n, and step and n have no common divisor.
static gascl_offset gascl_shuffled(const gascl_offset i, const gascl_offset n, const int row,
                                   const int superstep) {
    const uint seed = gascl_mixed(gascl_mixed(GASCL_SEED + superstep) + row);
    gascl_offset step = n > 1 ? 1 + seed % (n - 1) : 1;
    while (gascl_greatest_divisor(n, step) != 1)
        ++step;
    return (gascl_offset)(((ulong)i * step + gascl_mixed(seed) % n) % n);
}
#define GASCL_ITH_ARC(i, begin, end, row) \
    ((begin) + gascl_shuffled((i) - (begin), (end) - (begin), row, gascl_control_->superstep))
#else
#define GASCL_ITH_ARC(i, begin, end, row) (i)
#endif

// Adds what an arc carries in a lane. Where there are several lanes, without a branch, which would
// keep a compiler from vectorizing.
static void gascl_gather_arc(gascl_lane_boxes *boxes, const gascl_offset arc, const int row,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
#if GASCL_LANES > 1
    gascl_message x = GASCL_TO_MESSAGE(gascl_identity());
#else
    gascl_message x;
#endif
    bool found = gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    if (found)
        gascl_taken(arc, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
#if GASCL_FILTERS
    found = found && gascl_receives_message(x, row, GASCL_STATE_ON GASCL_LANE_ON);
#endif
#if GASCL_LANES > 1
    const gascl_box before = gascl_lane_get(boxes GASCL_LANE_ON);
    gascl_box after = before;
    gascl_box_add(&after, x);
    gascl_lane_put(boxes, found ? after : before GASCL_LANE_ON);
#else
    if (found) {
        gascl_box box = gascl_lane_get(boxes);
        gascl_box_add(&box, x);
        gascl_lane_put(boxes, box);
    }
#endif
}

// The lanes in which a row takes messages, as bits.
static ulong gascl_open_lanes(const int row, GASCL_STATE GASCL_DELIVERY) {
    if (!gascl_wants_row(row, GASCL_STATE_ON GASCL_DELIVERY_ON))
        return 0;
#if GASCL_MAY_STOP && GASCL_RECEIVES
    ulong open = 0;
#if GASCL_LANES > 1
    GASCL_FOR_LANES
        open |= (ulong)gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON) << gascl_lane;
#else
    open = gascl_receives(row, GASCL_STATE_ON);
#endif
    return open;
#else
    return ~(ulong)0 >> (64 - GASCL_LANES);
#endif
}

// Adds what an arc carries in some lanes; returns in which of them the row takes no more.
static ulong gascl_gather_lanes(gascl_lane_boxes *boxes, const ulong lanes, const gascl_offset arc,
                                const int row, GASCL_STATE GASCL_DELIVERY) {
    ulong closed = 0;
#if GASCL_MAY_STOP && GASCL_STOPS_EARLY
    for (ulong left = lanes; left; left &= left - 1) {
#if GASCL_LANES > 1
        const int gascl_lane = 63 - (int)clz(left & -left);
#endif
        gascl_gather_arc(boxes, arc, row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        if (gascl_stops(gascl_lane_get(boxes GASCL_LANE_ON), row, GASCL_STATE_ON GASCL_LANE_ON))
            closed |= left & -left;
    }
#else
    if (lanes)
        GASCL_FOR_LANES
            gascl_gather_arc(boxes, arc, row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
#endif
    return closed;
}

// Whether the arcs of a long row are combined in several boxes by turns, so that an addition need not
// wait for the one before it. More than two were slower on uniform graphs, probably as the loop over a
// row then makes so few turns that its end is mispredicted (see docs/performance.md).
#define GASCL_SUMS_APART \
    (GASCL_LANES == 1 && GASCL_SUMS > 1 && !GASCL_STOPS_EARLY && !GASCL_DEBUG)
#if GASCL_SUMS_APART
// Returns the first arc that is left.
static gascl_offset gascl_gather_apart(gascl_lane_boxes *boxes, gascl_offset arc,
                                       const gascl_offset end, const int row,
                                       GASCL_STATE GASCL_DELIVERY) {
#if GASCL_WIDENS && GASCL_EVERY_ARC_SENDS && GASCL_SUMS == 2
    // The two in a vector: a compiler then widens two floats at once. The row tells how many there were.
    double2 sums = 0;
    for (; end - arc >= 2; arc += 2) {
        gascl_message even, odd;
        gascl_fetch(arc, row, &even, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        gascl_fetch(arc + 1, row, &odd, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        sums += convert_double2((float2)(even, odd));
    }
    boxes->combined[0] = sums.x + sums.y;
#else
    gascl_lane_boxes apart[GASCL_SUMS];
    _Pragma("unroll") for (int j = 0; j < GASCL_SUMS; ++j)
        gascl_lane_put(&apart[j], gascl_box_empty());
    for (; end - arc >= GASCL_SUMS; arc += GASCL_SUMS)
        _Pragma("unroll") for (int j = 0; j < GASCL_SUMS; ++j)
            gascl_gather_arc(&apart[j], arc + j, row, GASCL_STATE_ON GASCL_DELIVERY_ON);
    gascl_box whole = gascl_lane_get(&apart[0]);
    _Pragma("unroll") for (int j = 1; j < GASCL_SUMS; ++j)
        gascl_box_merge(&whole, gascl_lane_get(&apart[j]));
    gascl_lane_put(boxes, whole);
#endif
    return arc;
}
#endif

static void gascl_gather(GASCL_BLOCKS, __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const gascl_block block = blocks[get_group_id(0)];
    const int last = gascl_control_->stopped ? 0 : block.last;
    for (int row = block.first; row < last; ++row) {
        gascl_lane_boxes boxes;
        GASCL_FOR_LANES gascl_lane_put(&boxes, gascl_box_empty() GASCL_LANE_ON);
        ulong open = gascl_open_lanes(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
        const gascl_offset begin = offsets[row], end = offsets[row + 1];
        gascl_offset i = begin;
#if GASCL_SUMS_APART
        if (open && end - begin >= 4 * GASCL_SUMS)
            i = gascl_gather_apart(&boxes, begin, end, row, GASCL_STATE_ON GASCL_DELIVERY_ON);
#endif
        for (; i < end && open; ++i) {
            const gascl_offset arc = GASCL_ITH_ARC(i, begin, end, row);
            const ulong lanes = open & GASCL_SENDING_LANES(arc);
            open &= ~gascl_gather_lanes(&boxes, lanes, arc, row,
                                        GASCL_STATE_ON GASCL_DELIVERY_ON);
        }
        GASCL_FOR_LANES {
            gascl_box in = gascl_lane_get(&boxes GASCL_LANE_ON);
#if GASCL_EVERY_ARC_SENDS && !GASCL_STOPS_EARLY
            // Counting arc by arc took a tenth of PageRank's time on a grid.
            in.count = open >> gascl_lane & 1 ? (uint)(end - begin) : 0;
#endif
#if GASCL_KNOWS_LANES
            if (in.count)
                gascl_note_received(row, (ulong)1 << gascl_lane, GASCL_STATE_ON GASCL_DELIVERY_ON);
#endif
            gascl_finish_row(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
    }
}

#elif GASCL_LANES > 1
// The items of a work-group share a block. A row of more than GASCL_ALONE arcs is long.
#define GASCL_ALONE (GASCL_GROUP / 4)

typedef union {  // the same marks one by one, and eight at once
    uchar of[(GASCL_BLOCK + 7) / 8 * 8];
    ulong eight[(GASCL_BLOCK + 7) / 8];
} gascl_marks;

static void gascl_mark_long_rows(__local gascl_marks *long_rows, const gascl_block block,
                                 __global const gascl_offset *restrict offsets) {
    const int rows = block.last - block.first;
    for (int i = get_local_id(0); i < (rows + 7) / 8 * 8; i += GASCL_GROUP)
        long_rows->of[i] =
            i < rows && offsets[block.first + i + 1] - offsets[block.first + i] > GASCL_ALONE;
}

// The first long row of a block from `row` on, or `end` if there is none before it.
static GASCL_INLINE int gascl_next_long(__local const gascl_marks *long_rows, int row, const int end) {
    while (row < end && !long_rows->of[row])
        row = long_rows->eight[row / 8] ? row + 1 : (row / 8 + 1) * 8;
    return min(row, end);
}

#if GASCL_KNOWS_LANES && GASCL_FIRST
// An arc's lanes are bits of a word: of the lanes in which the row takes messages, those in which its
// sender sends and no earlier arc's sender does (as Then et al., The More the Merrier, 2014, search
// from many sources at once). An item gathers a short row. Of a long one, each item takes an arc, and
// the words of the arcs before it are joined. Only lanes with a message are finished. GASCL_GROUP is a
// multiple of 16, or less.

#define GASCL_LANE_BYTES ((GASCL_LANES + 7) / 8)
#define GASCL_PART (GASCL_GROUP < 16 ? GASCL_GROUP : 16)  // words that one item joins
#define GASCL_AHEAD_ARCS 4  // whose words are fetched before the first is used

typedef struct {
    gascl_shared shared;
    gascl_marks long_rows;
    uchar open[GASCL_BLOCK * GASCL_LANE_BYTES];  // in which lanes the rows take messages
    ulong sent[GASCL_GROUP];                     // the lanes of arcs of a long row
} gascl_gather_memory;

// In which of eight lanes a row takes messages.
static uchar gascl_open_byte(const int row, const int first, GASCL_STATE GASCL_DELIVERY) {
    uchar open = 0;
    for (int gascl_lane = first; gascl_lane < min(first + 8, GASCL_LANES); ++gascl_lane)
#if GASCL_MAY_STOP && GASCL_RECEIVES
        open |= (uchar)(gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON) << (gascl_lane - first));
#else
        open |= (uchar)(1 << (gascl_lane - first));
#endif
    return gascl_wants_row(row, GASCL_STATE_ON GASCL_DELIVERY_ON) ? open : 0;
}

// In which lanes the i-th row of a block takes messages.
static GASCL_INLINE ulong gascl_open_lanes(__local const gascl_gather_memory *memory, const int i) {
    ulong open = 0;
    for (int k = 0; k < GASCL_LANE_BYTES; ++k)
        open |= (ulong)memory->open[i * GASCL_LANE_BYTES + k] << 8 * k;
    return open;
}

#define GASCL_FOR_BITS(lanes)                                                               \
    for (ulong gascl_left = lanes; gascl_left; gascl_left &= gascl_left - 1)                \
        for (int gascl_lane = 63 - (int)clz(gascl_left & -gascl_left), gascl_once = 1;      \
             gascl_once; gascl_once = 0)

// Of the lanes in which an arc's sender sends, those in which the row takes the message.
static ulong gascl_accepted(const ulong lanes, const gascl_offset arc, const int row,
                            GASCL_STATE GASCL_DELIVERY) {
#if GASCL_FILTERS
    ulong accepted = 0;
    GASCL_FOR_BITS(lanes) {
        gascl_message x;
        gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        accepted |= (ulong)gascl_receives_message(x, row, GASCL_STATE_ON GASCL_LANE_ON)
                    << gascl_lane;
    }
    return accepted;
#else
    return lanes;
#endif
}

// A row has its message of some lanes, from an arc.
static void gascl_finish_lanes(const ulong lanes, const gascl_offset arc, const int row,
                               gascl_tally *tally, GASCL_STATE GASCL_DELIVERY) {
    GASCL_FOR_BITS(lanes) {
        gascl_message x;
        gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        gascl_taken(arc, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        gascl_box in = gascl_box_empty();
        gascl_box_add(&in, x);
        gascl_finish_row(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
}

// A short row.
static void gascl_gather_alone(ulong open, const int row, gascl_tally *tally,
                               __global const gascl_offset *restrict offsets,
                               GASCL_STATE GASCL_DELIVERY) {
    const gascl_offset end = offsets[row + 1];
    ulong finished = 0;
    for (gascl_offset at = offsets[row]; at < end && open; at += GASCL_AHEAD_ARCS) {
        ulong sent[GASCL_AHEAD_ARCS];
        _Pragma("unroll") for (int j = 0; j < GASCL_AHEAD_ARCS; ++j)
            sent[j] = at + j < end ? GASCL_SENDING_LANES(at + j) : 0;
        _Pragma("unroll") for (int j = 0; j < GASCL_AHEAD_ARCS; ++j) {
            const ulong lanes = gascl_accepted(sent[j] & open, at + j, row,
                                               GASCL_STATE_ON GASCL_DELIVERY_ON);
            gascl_finish_lanes(lanes, at + j, row, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
            open &= ~lanes;
            finished |= lanes;
        }
    }
    gascl_note_received(row, finished, GASCL_STATE_ON GASCL_DELIVERY_ON);
}

static void gascl_gather(GASCL_BLOCKS, __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const int last = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < last; at += get_num_groups(0)) {
        const gascl_block block = blocks[at];
        const int rows = block.last - block.first;
        gascl_mark_long_rows(&memory->long_rows, block, offsets);
        for (int i = item; i < rows * GASCL_LANE_BYTES; i += GASCL_GROUP) {
            const int row = block.first + i / GASCL_LANE_BYTES;
            memory->open[i] = offsets[row] == offsets[row + 1]
                                  ? 0
                                  : gascl_open_byte(row, i % GASCL_LANE_BYTES * 8,
                                                    GASCL_STATE_ON GASCL_DELIVERY_ON);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < rows; i += GASCL_GROUP)
            if (!memory->long_rows.of[i])
                gascl_gather_alone(gascl_open_lanes(memory, i), block.first + i, tally, offsets,
                                   GASCL_STATE_ON GASCL_DELIVERY_ON);
        for (int i = gascl_next_long(&memory->long_rows, 0, rows); i < rows;
             i = gascl_next_long(&memory->long_rows, i + 1, rows)) {
            const int row = block.first + i;
            const gascl_offset end = offsets[row + 1];
            ulong open = gascl_open_lanes(memory, i);
            for (gascl_offset from = offsets[row]; from < end && open; from += GASCL_GROUP) {
                const gascl_offset arc = from + item;
                ulong sent = 0, before = 0, whole = 0;
                if (arc < end)
                    sent = gascl_accepted(GASCL_SENDING_LANES(arc) & open, arc, row,
                                          GASCL_STATE_ON GASCL_DELIVERY_ON);
                memory->sent[item] = sent;
                barrier(CLK_LOCAL_MEM_FENCE);
                if (item % GASCL_PART == GASCL_PART - 1)
                    for (int k = item - GASCL_PART + 2; k <= item; ++k)
                        memory->sent[k] |= memory->sent[k - 1];
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int k = GASCL_PART - 1; k < GASCL_GROUP; k += GASCL_PART) {
                    if (k < item / GASCL_PART * GASCL_PART)
                        before |= memory->sent[k];
                    whole |= memory->sent[k];
                }
                if (item % GASCL_PART)
                    before |= memory->sent[item - 1];
                gascl_finish_lanes(sent & ~before, arc, row, tally,
                                   GASCL_STATE_ON GASCL_DELIVERY_ON);
                gascl_note_received(row, sent & ~before, GASCL_STATE_ON GASCL_DELIVERY_ON);
                open &= ~whole;
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#else
// Neighboring items take neighboring lanes of a row, and then of the next one, so that they read
// neighboring memory.
//
// A row of at most GASCL_ALONE arcs is gathered by one item a lane. A longer one is cut into chunks
// of eight arcs, which slices of the group take in turn, with an item for each lane; then the
// slices' boxes are joined as a tree. Before that, the group marks in local memory which arcs may
// carry a message, and in which lanes if the delivery knows: where eight arcs have none, only their
// marks are read, at once.

#define GASCL_SLICES (GASCL_GROUP > GASCL_LANES ? GASCL_GROUP / GASCL_LANES : 1)

typedef struct {
    gascl_shared shared;
    gascl_marks senders;    // whether an arc may carry a message
#if GASCL_KNOWS_LANES
    ulong lanes[GASCL_BLOCK];  // and in which lanes its sender sends
#endif
    gascl_marks long_rows;  // whether slices share a row
    int open[2];            // whether a lane of the long row may still change; by turns
} gascl_gather_memory;

// Marks those of the arcs from `begin` to before `end` that may carry a message; as many as fit.
static void gascl_mark_senders(__local gascl_gather_memory *memory, const gascl_offset begin,
                               const gascl_offset end, GASCL_STATE GASCL_DELIVERY) {
#if GASCL_ASKS_MASK
    const int arcs = (int)min(end - begin, (gascl_offset)GASCL_BLOCK);
    GASCL_DO_NOT_VECTORIZE for (int i = get_local_id(0); i < (arcs + 7) / 8 * 8; i += GASCL_GROUP) {
#if GASCL_KNOWS_LANES
        const ulong lanes = i < arcs ? GASCL_SENDING_LANES(begin + i) : 0;
        memory->senders.of[i] = lanes != 0;
        if (i < arcs)
            memory->lanes[i] = lanes;
#else
        memory->senders.of[i] = i < arcs && GASCL_MAY_SEND(begin + i);
#endif
    }
#endif
}

// Whether any arc of a row must be fetched for a lane.
static bool gascl_visits_row(const int row, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
#if GASCL_MAY_STOP && GASCL_RECEIVES
    if (!gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON))
        return false;
#endif
    return gascl_wants_row(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
}

// Whether no other arc of a row must be fetched for a lane.
static bool gascl_is_done(const gascl_box in, const int row, GASCL_STATE GASCL_LANE) {
    return GASCL_MAY_STOP && gascl_stops(in, row, GASCL_STATE_ON GASCL_LANE_ON);
}

// Whether an arc carries a message in a lane, and which. Its mark is the i-th.
static GASCL_INLINE bool gascl_fetch_marked(const gascl_offset arc, const int i, const int row,
                               gascl_message *x, __local const gascl_gather_memory *memory,
                               GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
#if GASCL_KNOWS_LANES
    if (!(memory->lanes[i] >> gascl_lane & 1))
        return false;
#elif GASCL_ASKS_MASK
    if (!memory->senders.of[i])
        return false;
#endif
    return gascl_fetch(arc, row, x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
}

// Adds a message that was fetched. Of the boxes of slices, that with the first message must be
// found: the sooner it comes along the row, the more its count is.
static void gascl_take_fetched(gascl_box *whole, const gascl_message x, const gascl_offset arc,
                               const gascl_offset begin, const int row,
                               GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    gascl_taken(arc, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    if (!gascl_receives_message(x, row, GASCL_STATE_ON GASCL_LANE_ON))
        return;
#if GASCL_FIRST
    if (!whole->count) {
        whole->combined = x;
        whole->count = UINT_MAX - (uint)(arc - begin);
    }
#else
    gascl_box_add(whole, x);
#endif
}

static void gascl_join_slices(gascl_box *into, const gascl_box from) {
#if GASCL_FIRST
    if (from.count > into->count)
        *into = from;
#else
    gascl_box_join(into, from);
#endif
}

// What a row gets in a lane, by one item; the first arc with a mark is `marked`.
static GASCL_INLINE gascl_box gascl_gather_alone(const gascl_offset marked, const int row,
                                    __local const gascl_gather_memory *memory,
                                    __global const gascl_offset *restrict offsets,
                                    GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const gascl_offset begin = offsets[row], end = offsets[row + 1];
    gascl_box whole = gascl_box_empty();
    GASCL_DO_NOT_VECTORIZE for (gascl_offset arc = begin; arc < end; ++arc) {
        gascl_message x;
#if GASCL_ASKS_MASK
        const int mark = (int)(arc - marked);
        if (mark % 8 == 0 && !memory->senders.eight[mark / 8]) {
            arc += 7;
            continue;
        }
#endif
        if (!gascl_fetch_marked(arc, (int)(arc - marked), row, &x, memory,
                                GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON))
            continue;
        gascl_take_fetched(&whole, x, arc, begin, row,
                           GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        if (gascl_is_done(whole, row, GASCL_STATE_ON GASCL_LANE_ON))
            break;
    }
    return whole;
}

// Adds what a chunk of eight arcs carries in a lane; several are fetched before the first is used.
// The chunk begins with the i-th arc that has a mark; arcs before `from` and from `to` on are not
// the row's.
static GASCL_INLINE void gascl_add_chunk(gascl_box *whole, const gascl_offset marked, const int i,
                            const int from, const int to, const gascl_offset begin, const int row,
                            __local const gascl_gather_memory *memory,
                            GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    for (int k = i; k < i + 8; k += GASCL_FETCHES) {
        gascl_message x[GASCL_FETCHES];
        bool found[GASCL_FETCHES];
        _Pragma("unroll") for (int j = 0; j < GASCL_FETCHES; ++j)
            found[j] = k + j >= from && k + j < to &&
                       gascl_fetch_marked(marked + k + j, k + j, row, &x[j], memory,
                                          GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        _Pragma("unroll") for (int j = 0; j < GASCL_FETCHES; ++j)
            if (found[j])
                gascl_take_fetched(whole, x[j], marked + k + j, begin, row,
                                   GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
}

// PoCL 3.0 crashes where loops with barriers lie deeper in each other than here.
static void gascl_gather(GASCL_BLOCKS, __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    __local gascl_box *boxes = memory->shared.boxes;
    const int item = get_local_id(0);
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    int turn = 0;
    if (item < 2)
        memory->open[item] = 0;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block block = blocks[at];
        const int rows = block.last - block.first, count = rows * GASCL_LANES;
        // A row with more arcs than there are marks is a block by itself.
        const bool piecewise = block.end - block.begin > GASCL_BLOCK;
        gascl_mark_long_rows(&memory->long_rows, block, offsets);
        if (!piecewise)
            gascl_mark_senders(memory, block.begin, block.end, GASCL_STATE_ON GASCL_DELIVERY_ON);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Each lane of each row is a place. The group is at `window`: its items have the places
        // from there on; `in` is what an item's place gets. Long rows are left from the place
        // `next` on; of the row there, `done` arcs are combined in the slices' `part`s.
        int window = 0, long_row = gascl_next_long(&memory->long_rows, 0, rows);
        int next = long_row * GASCL_LANES;
        gascl_offset done = 0;
        gascl_box in = gascl_box_empty(), part = gascl_box_empty();
        bool entered = false;
        while (window < count) {
            // On to the next window that has places of long rows, or to the end.
            while (window < count) {
                const int place = window + item, row = place / GASCL_LANES;
                const int id = block.first + row, gascl_lane = place % GASCL_LANES;
                if (!entered) {
                    in = gascl_box_empty();
                    if (place < count && !memory->long_rows.of[row] &&
                        gascl_visits_row(id, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON))
                        in = gascl_gather_alone(block.begin, id, memory, offsets,
                                                GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                }
                entered = true;
                if (long_row < rows && next < window + GASCL_GROUP)
                    break;
#if GASCL_KNOWS_LANES
                if (place < count && in.count)
                    gascl_note_received(id, (ulong)1 << gascl_lane,
                                       GASCL_STATE_ON GASCL_DELIVERY_ON);
#endif
                if (place < count)
                    gascl_finish_row(id, in, tally,
                                     GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                window += GASCL_GROUP;
                entered = false;
            }
            // The next piece of the long row, in those of its places that are in the window.
            const bool shares = window < count;
            const int before = long_row * GASCL_LANES, behind = before + GASCL_LANES;
            const int places = shares ? min(behind, window + GASCL_GROUP) - next : 1;
            const int slices = min(GASCL_GROUP / places, GASCL_SLICES), slice = item / places;
            const int gascl_lane = (shares ? next - before : 0) + item % places;
            const int row = block.first + (shares ? long_row : 0);
            const gascl_offset begin = offsets[row], piece = begin + done;
            const int arcs = (int)min(offsets[row + 1] - piece, (gascl_offset)GASCL_BLOCK);
            if (shares && piecewise)
                gascl_mark_senders(memory, piece, block.end, GASCL_STATE_ON GASCL_DELIVERY_ON);
            // The first slice has what all slices had after the last piece.
            const bool visits =
                shares && slice < slices &&
                (done == 0 || !gascl_is_done(boxes[item % places], row,
                                             GASCL_STATE_ON GASCL_LANE_ON)) &&
                gascl_visits_row(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            if (visits)
                memory->open[turn] = 1;
            barrier(CLK_LOCAL_MEM_FENCE);
            const bool completes =
                shares && (!memory->open[turn] || piece + arcs == offsets[row + 1]);
            turn ^= 1;
            if (item == 0)
                memory->open[turn] = 0;
            if (visits) {
                const gascl_offset marked = piecewise ? piece : block.begin;
                const int from = (int)(piece - marked), to = from + arcs;
                for (int i = from / 8 + slice; i * 8 < to; i += slices) {
#if GASCL_ASKS_MASK
                    if (!memory->senders.eight[i])
                        continue;
#endif
                    gascl_add_chunk(&part, marked, i * 8, from, to, begin, row, memory,
                                    GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                    if (gascl_is_done(part, row, GASCL_STATE_ON GASCL_LANE_ON))
                        break;
                }
            }
            boxes[item] = part;
            for (int left = GASCL_SLICES; left > 1; left = (left + 1) / 2) {
                const int other = slice + (left + 1) / 2;
                barrier(CLK_LOCAL_MEM_FENCE);
                if (other < min(left, slices)) {
                    gascl_join_slices(&part, boxes[other * places + item % places]);
                    boxes[item] = part;
                }
            }
            // One item may now apply what several have asked gascl_visits_row() about.
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (slice > 0)
                part = gascl_box_empty();
            done += arcs;
            if (completes) {
                if (window + item >= next && window + item < next + places)
                    in = boxes[window + item - next];
                next += places;
                if (next == behind) {
                    long_row = gascl_next_long(&memory->long_rows, long_row + 1, rows);
                    next = long_row * GASCL_LANES;
                }
                part = gascl_box_empty();
                done = 0;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

#elif GASCL_STOPS_EARLY
// A work-item takes a row, and stops where the vertex has enough.

// Nothing but what every kernel needs.
typedef struct {
    gascl_shared shared;
} gascl_gather_memory;

// Whether any arc of a row must be fetched for a lane.
static bool gascl_visits_row(const int row, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
#if GASCL_MAY_STOP && GASCL_RECEIVES
    if (!gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON))
        return false;
#endif
    return gascl_wants_row(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
}

static void gascl_gather(GASCL_BLOCKS, __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block block = blocks[at];
        for (int row = block.first + get_local_id(0); row < block.last; row += GASCL_GROUP) {
            gascl_box in = gascl_box_empty();
            if (gascl_visits_row(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON)) {
                const gascl_offset last = offsets[row + 1];
                for (gascl_offset arc = offsets[row]; arc < last; ++arc) {
                    gascl_message x;
                    if (!gascl_fetch(arc, row, &x,
                                     GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON))
                        continue;
                    gascl_taken(arc, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                    if (!gascl_receives_message(x, row, GASCL_STATE_ON GASCL_LANE_ON))
                        continue;
                    gascl_box_add(&in, x);
#if GASCL_MAY_STOP && GASCL_STOPS_EARLY
                    if (gascl_stops(in, row, GASCL_STATE_ON GASCL_LANE_ON))
                        break;
#endif
                }
            }
            gascl_finish_row(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
    }
}

#else
// The items of a work-group share a block (CSR-adaptive, Greathouse and Daga 2014). Neighboring
// items fetch neighboring arcs, since neighboring reads of memory are fast, and each fetches
// several before it looks at the first, so that it waits for memory once for all of them.
//
// In a block of one row, each item combines the messages that it fetched, and the group joins the
// items' boxes. In a block of several rows, the messages are staged in local memory. Items combine
// chunks of GASCL_CHUNK_ARCS of them, wherever rows begin and end; then one item finishes a row
// from the chunks that lie within it and the single messages before and behind those.

typedef struct {
    gascl_shared shared;
    gascl_message messages[GASCL_BLOCK];
#if !GASCL_EVERY_ARC_SENDS
    uchar found[GASCL_BLOCK];  // whether the arc carries a message
#endif
    ushort starts[GASCL_BLOCK + 1];  // where a row's messages begin, and where the last row's end
} gascl_gather_memory;

// The row of an arc of a block, by binary search.
static int gascl_row_of(const gascl_offset arc, __global const gascl_offset *offsets,
                        const int first, const int rows) {
    int row = 0;
    for (uint step = gascl_half(rows); step > 0; step >>= 1)
        if (row + (int)step < rows && offsets[first + row + step] <= arc)
            row += step;
    return first + row;
}

// Fetches the message of the i-th arc of a block. Behind the last arc it is the last one's again:
// reading it is cheaper than a branch. Not so where arcs carry marks, since another item may take
// the last one's mark back meanwhile.
static bool gascl_fetch_ith(const gascl_offset i, const gascl_block block, const int rows,
                            gascl_message *x, __global const gascl_offset *restrict offsets,
                            GASCL_STATE GASCL_DELIVERY) {
    const gascl_offset arcs = block.end - block.begin;
    const gascl_offset arc = block.begin + min(i, arcs - 1);
    if (!GASCL_EVERY_ARC_SENDS && i >= arcs)
        return false;
    const int row = gascl_row_of(arc, offsets, block.first, rows);
#if GASCL_MAY_STOP && GASCL_RECEIVES && !GASCL_EVERY_ARC_SENDS
    if (!gascl_receives(row, GASCL_STATE_ON))
        return false;
#endif
    return gascl_fetch(arc, row, x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
}

// Whether the vertex at the end of a block's i-th arc receives a message that was fetched and taken.
static bool gascl_receives_ith(const gascl_offset i, const gascl_block block, const int rows,
                               const gascl_message x,
                               __global const gascl_offset *restrict offsets, GASCL_STATE) {
#if GASCL_FILTERS
    return gascl_receives_message(x, gascl_row_of(block.begin + i, offsets, block.first, rows),
                                  GASCL_STATE_ON);
#else
    return true;
#endif
}

// An item's share of a block of one row.
static gascl_box gascl_combine_share(const gascl_block block,
                                     __global const gascl_offset *restrict offsets,
                                     GASCL_STATE GASCL_DELIVERY) {
    const gascl_offset arcs = block.end - block.begin;
    gascl_box mine = gascl_box_empty();
    for (gascl_offset i = get_local_id(0); i < arcs; i += GASCL_FETCHES * GASCL_GROUP) {
        gascl_message x[GASCL_FETCHES];
        bool found[GASCL_FETCHES];
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)
            found[k] = gascl_fetch_ith(i + k * GASCL_GROUP, block, 1, &x[k], offsets,
                                       GASCL_STATE_ON GASCL_DELIVERY_ON);
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)
            if (i + k * GASCL_GROUP < arcs && found[k]) {
                gascl_taken(block.begin + i + k * GASCL_GROUP,
                            GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                if (gascl_receives_ith(i + k * GASCL_GROUP, block, 1, x[k], offsets,
                                       GASCL_STATE_ON))
                    gascl_box_add(&mine, x[k]);
            }
    }
    return mine;
}

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
            bool found[GASCL_FETCHES];
            _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)
                found[k] = gascl_fetch_ith(i + k * GASCL_GROUP, block, rows, &x[k], offsets,
                                           GASCL_STATE_ON GASCL_DELIVERY_ON);
            _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k) {
                const int at = i + k * GASCL_GROUP;
#if GASCL_EVERY_ARC_SENDS
                // Behind the end, the last message again: the same value in the same place.
                memory->messages[min(at, arcs - 1)] = x[k];
#else
                if (at < arcs) {
                    if (found[k]) {
                        gascl_taken(block.begin + at,
                                    GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                        memory->messages[at] = x[k];
                        found[k] = gascl_receives_ith(at, block, rows, x[k], offsets,
                                                      GASCL_STATE_ON);
                    }
                    memory->found[at] = found[k];
                }
#endif
            }
        }
}

static GASCL_INLINE void gascl_combine_staged(gascl_box *whole, __local const gascl_gather_memory *memory,
                                 const int i) {
#if !GASCL_EVERY_ARC_SENDS
    if (!memory->found[i])
        return;
#endif
    gascl_box_add(whole, memory->messages[i]);
}

// The messages of a chunk. Neighboring items begin at different places of their chunks, so that
// they read different banks of local memory.
static GASCL_INLINE gascl_box gascl_combine_chunk(__local const gascl_gather_memory *memory, const int chunk) {
    gascl_box whole = gascl_box_empty();
    for (int i = 0; i < GASCL_CHUNK_ARCS; ++i)
        gascl_combine_staged(&whole, memory,
                             chunk * GASCL_CHUNK_ARCS + (i + chunk / 4) % GASCL_CHUNK_ARCS);
    return whole;
}

// The messages of a row, from `begin` to before `end`, with the chunks that lie within.
static GASCL_INLINE gascl_box gascl_combine_row(__local const gascl_gather_memory *memory, const int begin,
                                   const int end) {
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

// Every `stride`-th box, `count` of them.
static GASCL_INLINE gascl_box gascl_join(__local const gascl_box *boxes, const int count, const int stride) {
    gascl_box whole = boxes[0];
    for (int i = 1; i < count; ++i)
        gascl_box_join(&whole, boxes[i * stride]);
    return whole;
}

// What ends the fetching. `receive_if` reads fields of a row's vertex, which another item may then
// apply.
#if GASCL_RECEIVES
#define GASCL_FETCHED (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define GASCL_FETCHED CLK_LOCAL_MEM_FENCE
#endif

static void gascl_gather(GASCL_BLOCKS, __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    __local gascl_box *boxes = memory->shared.boxes;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block block = blocks[at];
        const int rows = block.last - block.first, arcs = (int)(block.end - block.begin);
        if (rows == 1)
            boxes[item] = gascl_combine_share(block, offsets, GASCL_STATE_ON GASCL_DELIVERY_ON);
        else
            gascl_stage(memory, block, rows, offsets, GASCL_STATE_ON GASCL_DELIVERY_ON);
        barrier(GASCL_FETCHED);
        if (rows != 1)
            for (int i = item; (i + 1) * GASCL_CHUNK_ARCS <= arcs; i += GASCL_GROUP)
                boxes[i] = gascl_combine_chunk(memory, i);
        int left = rows == 1 ? GASCL_GROUP : 1;
        while (left > GASCL_FAN_IN) {
            left /= GASCL_FAN_IN;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < left)
                boxes[item] = gascl_join(boxes + item, GASCL_FAN_IN, left);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < rows; i += GASCL_GROUP) {
            gascl_box in;
            if (rows == 1)
                in = gascl_join(boxes, left, 1);
            else
                in = gascl_combine_row(memory, memory->starts[i], memory->starts[i + 1]);
            gascl_finish_row(block.first + i, in, tally,
                             GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
