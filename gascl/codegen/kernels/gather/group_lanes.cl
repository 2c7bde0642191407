// Gather, several items in a work-group and several lanes: neighboring items take neighboring lanes of a
// row, and then of the next one, so that they read neighboring memory.
//
// A row of at most GASCL_SHORT_ROW arcs is gathered by one item a lane. A longer one is cut into chunks
// of eight arcs, which slices of the group take alternately, with an item for each lane; then the
// slices' boxes are joined as a tree. Before that, the group marks in local memory which arcs may
// carry a message, and in which lanes if the delivery knows: where eight arcs have none, only their
// marks are read, at once.

#include "gather/long_rows.cl"
#include "gather/sending_lanes.cl"

#define GASCL_SLICES (GASCL_GROUP > GASCL_LANES ? GASCL_GROUP / GASCL_LANES : 1)

typedef struct {
    gascl_shared shared;
    gascl_marks senders;    // whether an arc may carry a message
#if GASCL_KNOWS_LANES
    ulong lanes[GASCL_BLOCK];  // and in which lanes its sender sends
#endif
    gascl_marks long_rows;  // whether slices share a row
    int open[2];            // whether a lane of the long row may still change; used alternately
} gascl_gather_memory;

// Marks those of the arcs from `begin` to before `end` that may carry a message; as many as fit.
static void gascl_mark_senders(__local gascl_gather_memory *memory, const gascl_offset begin,
                               const gascl_offset end, GASCL_STATE GASCL_DELIVERY) {
#if GASCL_SOME_ARCS_CARRY_NONE
    const int arcs = (int)min(end - begin, (gascl_offset)GASCL_BLOCK);
    GASCL_DO_NOT_VECTORIZE for (int i = get_local_id(0); i < (arcs + 7) / 8 * 8; i += GASCL_GROUP) {
        const ulong lanes = i < arcs ? GASCL_SENDING_LANES(begin + i) : 0;
        memory->senders.of[i] = lanes != 0;
#if GASCL_KNOWS_LANES
        if (i < arcs)
            memory->lanes[i] = lanes;
#endif
    }
#endif
}

// Whether an arc carries a message in a lane, and which. Its mark is the i-th.
static GASCL_INLINE bool gascl_fetch_marked(const gascl_offset arc, const int i, const int row,
                                            gascl_message *x, __local const gascl_gather_memory *memory,
                                            GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
#if GASCL_KNOWS_LANES
    if (!(memory->lanes[i] >> gascl_lane & 1))
        return false;
#elif GASCL_SOME_ARCS_CARRY_NONE
    if (!memory->senders.of[i])
        return false;
#endif
    return gascl_fetch(arc, row, x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
}

// Adds a message that was fetched. Of the boxes of slices, that with the first message must be
// carries: the sooner it comes along the row, the more its count is.
static void gascl_take_fetched(gascl_box *whole, const gascl_message x, const gascl_offset arc,
                               const gascl_offset begin, const int row,
                               GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    gascl_consume(arc, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
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

// One item combines the messages of a row in a lane; `marked` is the first arc with a mark.
static GASCL_INLINE gascl_box gascl_gather_short_row(const gascl_offset marked, const int row,
                                                     __local const gascl_gather_memory *memory,
                                                     __global const gascl_offset *restrict offsets,
                                                     GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const gascl_offset begin = offsets[row], end = offsets[row + 1];
    gascl_box whole = gascl_box_empty();
    GASCL_DO_NOT_VECTORIZE for (gascl_offset arc = begin; arc < end; ++arc) {
        gascl_message x;
#if GASCL_SOME_ARCS_CARRY_NONE
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
        bool carries[GASCL_FETCHES];
        _Pragma("unroll") for (int j = 0; j < GASCL_FETCHES; ++j)
            carries[j] = k + j >= from && k + j < to &&
                       gascl_fetch_marked(marked + k + j, k + j, row, &x[j], memory,
                                          GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        _Pragma("unroll") for (int j = 0; j < GASCL_FETCHES; ++j)
            if (carries[j])
                gascl_take_fetched(whole, x[j], marked + k + j, begin, row,
                                   GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
}

// PoCL 3.0 crashes where loops with barriers lie deeper in each other than here.
static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    __local gascl_box *boxes = memory->shared.boxes;
    const int item = get_local_id(0);
    const int end = team.idle ? 0 : num_blocks;
    int parity = 0;
    if (item < 2)
        memory->open[item] = 0;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        const int rows = block.last - block.first, count = rows * GASCL_LANES;
        // A row with more arcs than there are marks is a block of its own.
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
                        in = gascl_gather_short_row(block.begin, id, memory, offsets,
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
                memory->open[parity] = 1;
            barrier(CLK_LOCAL_MEM_FENCE);
            const bool completes =
                shares && (!memory->open[parity] || piece + arcs == offsets[row + 1]);
            parity ^= 1;
            if (item == 0)
                memory->open[parity] = 0;
            if (visits) {
                const gascl_offset marked = piecewise ? piece : block.begin;
                const int from = (int)(piece - marked), to = from + arcs;
                for (int i = from / 8 + slice; i * 8 < to; i += slices) {
#if GASCL_SOME_ARCS_CARRY_NONE
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
            // From here on, an item may apply a row for which other items have called gascl_visits_row().
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
