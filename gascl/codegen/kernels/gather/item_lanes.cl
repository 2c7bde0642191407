// Gather, one item in a work-group and several lanes: an item owns a block, and so all of its rows in all
// lanes.
#include "gather/arc_order.cl"
#include "gather/sending_lanes.cl"

#define GASCL_ASKS_AFTER 16  // arcs, since asking whether a lane has enough takes longer than these

// Only the memory that every kernel needs.
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

// Adds the message of an arc in a lane, if it carries one: without a branch, which would keep a
// compiler from vectorizing.
static void gascl_gather_arc(gascl_lane_boxes *boxes, const gascl_offset arc, const int row,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    gascl_message x = GASCL_TO_MESSAGE(gascl_identity());
    bool carries = gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    if (carries)
        gascl_consume(arc, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    carries = carries && gascl_receives_message(x, row, GASCL_STATE_ON GASCL_LANE_ON);
    const gascl_box before = gascl_lane_get(boxes GASCL_LANE_ON);
    gascl_box after = before;
    gascl_box_add(&after, x);
    gascl_lane_put(boxes, carries ? after : before GASCL_LANE_ON);
}

// The lanes in which a row takes messages, as bits.
static ulong gascl_open_lanes(const int row, GASCL_STATE GASCL_DELIVERY) {
    ulong open = 0;
    if (!gascl_wants_row(row, GASCL_STATE_ON GASCL_DELIVERY_ON))
        return 0;
    if (!GASCL_MAY_STOP || !GASCL_RECEIVES)
        return ~(ulong)0 >> (64 - GASCL_LANES);
    GASCL_FOR_LANES
        open |= (ulong)gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON) << gascl_lane;
    return open;
}

// Adds an arc's messages in some lanes; those that a row adds in others are not used. Returns the
// lanes of `open` in which the row takes further messages, as far as that is worth finding out.
static ulong gascl_gather_lanes(gascl_lane_boxes *boxes, const ulong lanes, ulong open,
                                const gascl_offset arc, const int number, const int row,
                                GASCL_STATE GASCL_DELIVERY) {
#if GASCL_MAY_STOP && GASCL_FIRST
    for (ulong left = lanes; left; left &= left - 1) {
        const int gascl_lane = 63 - (int)clz(left & -left);
        gascl_gather_arc(boxes, arc, row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        if (gascl_stops(gascl_lane_get(boxes GASCL_LANE_ON), row, GASCL_STATE_ON GASCL_LANE_ON))
            open &= ~(left & -left);
    }
#else
    if (lanes)
        GASCL_FOR_LANES
            gascl_gather_arc(boxes, arc, row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    if (GASCL_MAY_STOP && GASCL_STOPS_EARLY && number % GASCL_ASKS_AFTER == GASCL_ASKS_AFTER - 1)
        for (ulong left = open; left; left &= left - 1) {
            const int gascl_lane = 63 - (int)clz(left & -left);
            const gascl_box in = gascl_lane_get(boxes GASCL_LANE_ON);
            if (gascl_stops(in, row, GASCL_STATE_ON GASCL_LANE_ON))
                open &= ~(left & -left);
        }
#endif
    return open;
}

static GASCL_INLINE void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const gascl_block block = blocks[team.rank];
    const int last = team.idle ? 0 : block.last;
    for (int row = block.first; row < last; ++row) {
        gascl_lane_boxes boxes;
        GASCL_FOR_LANES gascl_lane_put(&boxes, gascl_box_empty() GASCL_LANE_ON);
        const ulong wanted = gascl_open_lanes(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
        ulong open = wanted;
        const gascl_offset begin = offsets[row], end = offsets[row + 1];
        for (gascl_offset i = begin; i < end && open; ++i) {
            const gascl_offset arc = GASCL_ITH_ARC(i, begin, end, row);
            const ulong lanes = open & GASCL_SENDING_LANES(arc);
            open = gascl_gather_lanes(&boxes, lanes, open, arc, (int)(i - begin), row,
                                      GASCL_STATE_ON GASCL_DELIVERY_ON);
        }
        GASCL_FOR_LANES {
            gascl_box in = gascl_lane_get(&boxes GASCL_LANE_ON);
            if (!(wanted >> gascl_lane & 1))
                in = gascl_box_empty();
            if (GASCL_EVERY_ARC_SENDS && !GASCL_STOPS_EARLY)
                in.count = open >> gascl_lane & 1 ? (uint)(end - begin) : 0;
#if GASCL_KNOWS_LANES
            if (in.count)
                gascl_note_received(row, (ulong)1 << gascl_lane, GASCL_STATE_ON GASCL_DELIVERY_ON);
#endif
            gascl_finish_row(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
    }
}
