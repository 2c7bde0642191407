// Gather, several items in a work-group, several lanes, and programs in which a vertex may have enough
// messages, but the first one is not all that counts, by a delivery that knows in which lanes each
// vertex sends.
//
// A group lists the arcs of a block whose senders send in any lane. Items in a row are a crew, with one
// for each lane. A crew takes the listed arcs of a short row; all crews share those of a long one. The
// order of messages does not matter, since any of them may be left out. GASCL_GROUP is a multiple of
// 16, or less, and there are no more lanes.
#include "gather/long_rows.cl"

#define GASCL_CREWS (GASCL_GROUP / GASCL_LANES)
#define GASCL_ARCS_OF_ITEM ((GASCL_BLOCK + GASCL_GROUP - 1) / GASCL_GROUP)  // arcs that an item lists
#define GASCL_PART (GASCL_GROUP < 16 ? GASCL_GROUP : 16)            // counts that one item adds up

typedef struct {
    gascl_shared shared;
    gascl_marks long_rows;
    ulong lanes[GASCL_BLOCK];    // in which lanes the sender of each arc sends
    ushort arcs[GASCL_BLOCK];    // the list: numbers of arcs
    ushort counts[GASCL_GROUP];  // how many arcs an item and those before it in its part have listed
    ushort first[GASCL_GROUP + 1];  // where an item's arcs begin in the list, and where the list ends
} gascl_gather_memory;

// Lists the arcs from `begin` to before `end`, at most GASCL_BLOCK. All items call it.
static void gascl_list_senders(__local gascl_gather_memory *memory, const gascl_offset begin,
                               const gascl_offset end, GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0), arcs = (int)(end - begin);
    const int from = min(item * GASCL_ARCS_OF_ITEM, arcs), to = min(from + GASCL_ARCS_OF_ITEM, arcs);
    GASCL_DO_NOT_VECTORIZE for (int i = item; i < arcs; i += GASCL_GROUP)
        memory->lanes[i] = GASCL_SENDING_LANES(begin + i);
    barrier(CLK_LOCAL_MEM_FENCE);
    int count = 0;
    for (int i = from; i < to; ++i)
        count += memory->lanes[i] != 0;
    memory->counts[item] = (ushort)count;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item % GASCL_PART == GASCL_PART - 1)
        for (int k = item - GASCL_PART + 2; k <= item; ++k)
            memory->counts[k] += memory->counts[k - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    int place = item % GASCL_PART ? memory->counts[item - 1] : 0;
    for (int k = GASCL_PART - 1; k < item / GASCL_PART * GASCL_PART; k += GASCL_PART)
        place += memory->counts[k];
    memory->first[item] = (ushort)place;
    for (int i = from; i < to; ++i)
        if (memory->lanes[i])
            memory->arcs[place++] = (ushort)i;
    if (item == GASCL_GROUP - 1)
        memory->first[GASCL_GROUP] = (ushort)place;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// How many arcs before the i-th of the piece are listed.
static GASCL_INLINE int gascl_listed_before(__local const gascl_gather_memory *memory, const int i) {
    const int item = min(i / GASCL_ARCS_OF_ITEM, GASCL_GROUP), end = memory->first[GASCL_GROUP];
    int place = memory->first[item];
    while (place < end && memory->arcs[place] < i)
        ++place;
    return place;
}

// Adds what listed arcs carry in a lane, from the `from`-th on every `step`-th before the `to`-th;
// several are fetched before the first is used.
static GASCL_INLINE void gascl_take_listed(gascl_box *whole, const int from, const int to, const int step,
                                           const gascl_offset piece, const int row,
                                           __local const gascl_gather_memory *memory,
                                           GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    for (int k = from; k < to && !gascl_is_done(*whole, row, GASCL_STATE_ON GASCL_LANE_ON);
         k += step * GASCL_FETCHES) {
        gascl_message x[GASCL_FETCHES];
        bool carries[GASCL_FETCHES];
        _Pragma("unroll") for (int j = 0; j < GASCL_FETCHES; ++j) {
            const int at = k + j * step;
            carries[j] = at < to && (memory->lanes[memory->arcs[at]] >> gascl_lane & 1) &&
                         gascl_fetch(piece + memory->arcs[at], row, &x[j],
                                     GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
        _Pragma("unroll") for (int j = 0; j < GASCL_FETCHES; ++j)
            if (carries[j]) {
                gascl_consume(piece + memory->arcs[k + j * step],
                              GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                if (gascl_receives_message(x[j], row, GASCL_STATE_ON GASCL_LANE_ON))
                    gascl_box_add(whole, x[j]);
            }
    }
}

static void gascl_finish_lane(const gascl_box in, const int row, gascl_tally *tally,
                              GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    if (!in.count)
        return;
    gascl_note_received(row, (ulong)1 << gascl_lane, GASCL_STATE_ON GASCL_DELIVERY_ON);
    gascl_finish_row(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
}

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    __local gascl_box *boxes = memory->shared.boxes;
    const int item = get_local_id(0), crew = item / GASCL_LANES, gascl_lane = item % GASCL_LANES;
    const int last = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < last; at += team.groups) {
        const gascl_block block = blocks[at];
        const int rows = block.last - block.first;
        gascl_mark_long_rows(&memory->long_rows, block, offsets);
        gascl_box part = gascl_box_empty();
        // A row with more arcs than can be listed is a block of its own, and comes in pieces.
        for (gascl_offset piece = block.begin; piece < block.end; piece += GASCL_BLOCK) {
            const gascl_offset end = min(piece + GASCL_BLOCK, block.end);
            gascl_list_senders(memory, piece, end, GASCL_STATE_ON GASCL_DELIVERY_ON);
            for (int row = block.first + crew; row < block.last && crew < GASCL_CREWS;
                 row += GASCL_CREWS) {
                if (memory->long_rows.of[row - block.first])
                    continue;
                const int from = gascl_listed_before(memory, (int)(offsets[row] - piece));
                const int to = gascl_listed_before(memory, (int)(offsets[row + 1] - piece));
                if (from == to ||
                    !gascl_visits_row(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON))
                    continue;
                gascl_box in = gascl_box_empty();
                gascl_take_listed(&in, from, to, 1, piece, row, memory,
                                  GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                gascl_finish_lane(in, row, tally, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
            for (int i = gascl_next_long(&memory->long_rows, 0, rows); i < rows;
                 i = gascl_next_long(&memory->long_rows, i + 1, rows)) {
                const int row = block.first + i;
                const gascl_offset behind = offsets[row + 1];
                const int from = gascl_listed_before(memory, (int)(max(offsets[row], piece) - piece));
                const int to = gascl_listed_before(memory, (int)(min(behind, end) - piece));
                if (crew < GASCL_CREWS && from + crew < to &&
                    gascl_visits_row(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON))
                    gascl_take_listed(&part, from + crew, to, GASCL_CREWS, piece, row, memory,
                                      GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                boxes[item] = part;
                // From here on, an item may apply a row for which others have called
                // gascl_visits_row().
                barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
                if (end >= behind) {
                    if (crew == 0) {
                        for (int other = 1; other < GASCL_CREWS; ++other)
                            gascl_box_join(&part, boxes[other * GASCL_LANES + gascl_lane]);
                        gascl_finish_lane(part, row, tally,
                                          GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                    }
                    part = gascl_box_empty();
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
