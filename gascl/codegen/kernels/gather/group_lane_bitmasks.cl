// Gather, several items in a work-group, several lanes, and programs in which the first message counts,
// by a delivery that knows in which lanes each vertex sends.
//
// An arc's lanes are bits of a word: of the lanes in which the row takes messages, those in which its
// sender sends and no earlier arc's sender does (as Then et al., The More the Merrier, 2014, search
// from many sources at once). An item gathers a short row. Of a long one, each item takes an arc, and
// the words of the arcs before it are joined. Only lanes with a message are finished. GASCL_GROUP is a
// multiple of 16, or less.
#include "gather/long_rows.cl"

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
        open |= (uchar)(gascl_visits_row(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON)
                        << (gascl_lane - first));
    return open;
}

// In which lanes the i-th row of a block takes messages.
static GASCL_INLINE ulong gascl_open_lanes(__local const gascl_gather_memory *memory,
                                           const int i) {
    ulong open = 0;
    for (int k = 0; k < GASCL_LANE_BYTES; ++k)
        open |= (ulong)memory->open[i * GASCL_LANE_BYTES + k] << 8 * k;
    return open;
}

// Of the lanes in which an arc's sender sends, those in which the row takes the message.
static ulong gascl_accepted(const ulong lanes, const gascl_offset arc, const int row,
                            GASCL_STATE GASCL_DELIVERY) {
#if GASCL_FILTERS
    ulong accepted = 0;
    for (ulong left = lanes; left; left &= left - 1) {
        const int gascl_lane = 63 - (int)clz(left & -left);
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

// Finishes a row in some lanes with the message of an arc.
static void gascl_finish_lanes(const ulong lanes, const gascl_offset arc, const int row,
                               gascl_tally *tally, GASCL_STATE GASCL_DELIVERY) {
    for (ulong left = lanes; left; left &= left - 1) {
        const int gascl_lane = 63 - (int)clz(left & -left);
        gascl_message x;
        gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        gascl_consume(arc, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        gascl_box in = gascl_box_empty();
        gascl_box_add(&in, x);
        gascl_finish_row(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
}

// A short row.
static void gascl_gather_short_row(ulong open, const int row, gascl_tally *tally,
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

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const int last = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < last; at += team.groups) {
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
                gascl_gather_short_row(gascl_open_lanes(memory, i), block.first + i, tally, offsets,
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
