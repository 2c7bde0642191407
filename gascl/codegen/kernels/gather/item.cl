// Gather, one item in a work-group and one lane: an item owns a block, and so all of its rows.
#include "gather/arc_order.cl"

// Only the memory that every kernel needs.
typedef struct {
    gascl_shared shared;
} gascl_gather_memory;

// Adds the message of an arc, if it carries one. Where that costs little, the identity is added for one that is
// not sent, or that the vertex does not want: a branch on either could be mispredicted for each arc.
static void gascl_gather_arc(gascl_box *in, const gascl_offset arc, const int row,
                             GASCL_STATE GASCL_DELIVERY) {
    gascl_message x;
    bool takes = gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_DELIVERY_ON);
    if (!takes && (GASCL_FILTERS || !GASCL_ADDS_IDENTITY || !GASCL_FETCHES_ALL))
        return;
    gascl_consume(arc, GASCL_STATE_ON GASCL_DELIVERY_ON);
    takes &= gascl_receives_message(x, row, GASCL_STATE_ON);
#if GASCL_ADDS_IDENTITY
    gascl_box_combine(in, takes ? GASCL_TO_ACCUMULATOR(x) : gascl_identity());
    in->count += takes;
#else
    if (takes)
        gascl_box_add(in, x);
#endif
}

// Whether the arcs of a long row are combined in several boxes alternately, so that an addition need not
// wait for the one before it. More than two were slower on uniform graphs, probably as the loop over a
// row then has so few iterations that its end is mispredicted (see benchmarks/NOTES.md).
#define GASCL_SUMS_APART (GASCL_SUMS > 1 && !GASCL_STOPS_EARLY && !GASCL_DEBUG)
#if GASCL_SUMS_APART
// Returns the first arc that is left.
static gascl_offset gascl_gather_apart(gascl_box *in, gascl_offset arc, const gascl_offset end,
                                       const int row, GASCL_STATE GASCL_DELIVERY) {
    gascl_box apart[GASCL_SUMS];
    _Pragma("unroll") for (int j = 0; j < GASCL_SUMS; ++j)
        apart[j] = gascl_box_empty();
#if GASCL_CALCULATES && (GASCL_EVERY_ARC_SENDS || GASCL_ADDS_IDENTITY)
    // The compiler calculates several messages at once where nothing is added up in between.
    for (; end - arc >= GASCL_MESSAGES_AT_ONCE; arc += GASCL_MESSAGES_AT_ONCE) {
        gascl_message messages[GASCL_MESSAGES_AT_ONCE];
#if GASCL_EVERY_ARC_SENDS
        for (int j = 0; j < GASCL_MESSAGES_AT_ONCE; ++j)
            gascl_fetch(arc + j, row, &messages[j], GASCL_STATE_ON GASCL_DELIVERY_ON);
        _Pragma("unroll") for (int j = 0; j < GASCL_MESSAGES_AT_ONCE; ++j)
            gascl_box_add(&apart[j % GASCL_SUMS], messages[j]);
#else
        int sent[GASCL_MESSAGES_AT_ONCE];
        for (int j = 0; j < GASCL_MESSAGES_AT_ONCE; ++j)
            sent[j] = gascl_fetch(arc + j, row, &messages[j], GASCL_STATE_ON GASCL_DELIVERY_ON);
        _Pragma("unroll") for (int j = 0; j < GASCL_MESSAGES_AT_ONCE; ++j) {
            gascl_box_combine(&apart[j % GASCL_SUMS], sent[j] ? GASCL_TO_ACCUMULATOR(messages[j])
                                                              : gascl_identity());
            apart[j % GASCL_SUMS].count += sent[j];
        }
#endif
    }
#endif
    for (; end - arc >= GASCL_SUMS; arc += GASCL_SUMS)
        _Pragma("unroll") for (int j = 0; j < GASCL_SUMS; ++j)
            gascl_gather_arc(&apart[j], arc + j, row, GASCL_STATE_ON GASCL_DELIVERY_ON);
    *in = apart[0];
    _Pragma("unroll") for (int j = 1; j < GASCL_SUMS; ++j)
        gascl_box_merge(in, apart[j]);
    return arc;
}
#endif

// The messages of a row from the arc `begin` to before `end`, combined.
static gascl_box gascl_gather_arcs(const gascl_offset begin, const gascl_offset end, const int row,
                                   GASCL_STATE GASCL_DELIVERY) {
    gascl_box in = gascl_box_empty();
    gascl_offset i = begin;
#if GASCL_SUMS_APART
    if (end - begin >= 4 * GASCL_SUMS)
        i = gascl_gather_apart(&in, begin, end, row, GASCL_STATE_ON GASCL_DELIVERY_ON);
#endif
    for (; i < end && !gascl_is_done(in, row, GASCL_STATE_ON); ++i)
        gascl_gather_arc(&in, GASCL_ITH_ARC(i, begin, end, row), row,
                         GASCL_STATE_ON GASCL_DELIVERY_ON);
    // Counting arc by arc took a tenth of PageRank's time on a grid.
    if (GASCL_EVERY_ARC_SENDS && !GASCL_STOPS_EARLY)
        in.count = (uint)(end - begin);
    return in;
}

#if GASCL_CUTS
__kernel void gascl_gather_segments(GASCL_STATE, GASCL_BLOCKS GASCL_DELIVERY) {
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block segment = blocks[at];
        segments[segment.last] = gascl_gather_arcs(segment.begin, segment.end, segment.first,
                                                   GASCL_STATE_ON GASCL_DELIVERY_ON);
    }
}
#endif

static GASCL_INLINE void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const gascl_block block = blocks[team.rank];
    const int last = team.idle ? 0 : block.last;
    for (int row = block.first; row < last; ++row) {
        const bool visits = gascl_visits_row(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
        const gascl_offset begin = offsets[row], end = visits ? offsets[row + 1] : begin;
        const gascl_box in =
            gascl_gather_arcs(begin, end, row, GASCL_STATE_ON GASCL_DELIVERY_ON);
        gascl_finish_row(row, gascl_received(row, in GASCL_DELIVERY_ON), tally,
                         GASCL_STATE_ON GASCL_DELIVERY_ON);
    }
}
