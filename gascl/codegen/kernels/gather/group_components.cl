// Gather of messages that are arrays, several items in a work-group, one lane: a crew of neighboring items
// combines the messages of the same arcs, and each item has some components of its own. So neighboring items
// read neighboring memory, and what they combine stays in registers.
//
// A group takes some rows at a time, a batch. Each crew has as many of their arcs as any other, wherever rows
// begin and end. What a crew combines of a row that began with an earlier crew is kept apart, and then joined in
// the order of the crews. At last, an item finishes each row.
//
// A very long row is combined in segments, as in group.cl.
//
// A delivery whose messages can be gathered like this defines, besides what gather.cl says:
//
//   // Where the message of an arc is, and whether there is one.
//   static __global const gascl_message *gascl_message_at(const gascl_offset arc, bool *carries,
//                                                         GASCL_STATE GASCL_LANE GASCL_DELIVERY);
#include "gather/row_search.cl"

// The items of a crew, the pieces of an array that each of them has, and the crews.
#define GASCL_PIECES (GASCL_COMPONENTS / GASCL_PIECE_WIDTH)
#define GASCL_CREW (GASCL_PIECES < GASCL_GROUP ? GASCL_PIECES : GASCL_GROUP)
#define GASCL_OWN ((GASCL_PIECES + GASCL_CREW - 1) / GASCL_CREW)
#define GASCL_CREWS (GASCL_GROUP / GASCL_CREW)
// The places of an array in local memory: one more than it has components, so that items that read the same
// component of neighboring rows read different banks.
#define GASCL_ROOM (GASCL_COMPONENTS + 1)

typedef struct {
    gascl_shared shared;
    // The rows of the batch; and of each crew, a row that began with an earlier crew.
    gascl_component rows[(GASCL_BATCH + GASCL_CREWS) * GASCL_ROOM];
    int counts[GASCL_BATCH], head_counts[GASCL_CREWS];
    int head_rows[GASCL_CREWS];  // -1: there is none
} gascl_gather_memory;

// Combines the arcs from `arc` to before `last`, which end in the same row: an item's pieces. Returns how
// many messages there were.
static int gascl_combine_pieces(gascl_wide_piece *own, gascl_offset arc, const gascl_offset last,
                                const int mate, GASCL_STATE GASCL_DELIVERY) {
    int count = 0;
    for (int j = 0; j < GASCL_OWN; ++j)
        own[j] = (gascl_wide_piece)(GASCL_NO_COMPONENT);
    for (; arc < last; arc += GASCL_MESSAGES_AT_ONCE) {
        __global const gascl_piece *from[GASCL_MESSAGES_AT_ONCE];
        bool carries[GASCL_MESSAGES_AT_ONCE];
        _Pragma("unroll") for (int i = 0; i < GASCL_MESSAGES_AT_ONCE; ++i) {
            from[i] = (__global const gascl_piece *)gascl_message_at(
                min(arc + i, last - 1), &carries[i], GASCL_STATE_ON GASCL_DELIVERY_ON);
            carries[i] = carries[i] && arc + i < last;
            count += carries[i];
        }
        for (int j = 0; j < GASCL_OWN; ++j) {
            const int piece = min(mate + j * GASCL_CREW, GASCL_PIECES - 1);
            gascl_piece x[GASCL_MESSAGES_AT_ONCE];
            _Pragma("unroll") for (int i = 0; i < GASCL_MESSAGES_AT_ONCE; ++i)
                x[i] = from[i][piece];
            _Pragma("unroll") for (int i = 0; i < GASCL_MESSAGES_AT_ONCE; ++i)
                if (carries[i])
                    own[j] = gascl_combine_piece(own[j], GASCL_WIDE_PIECE(x[i]));
        }
    }
    return count;
}

// Combines the messages of a batch: of `rows` rows from `first` on, the arcs from `begin` to before `end`. All
// items call it.
static void gascl_combine_batch(const gascl_offset begin, const gascl_offset end, const int first,
                                const int rows, __global const gascl_offset *restrict offsets,
                                __local gascl_gather_memory *memory,
                                GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0), crew = item / GASCL_CREW, mate = item % GASCL_CREW;
    for (int i = item; i < rows * GASCL_ROOM; i += GASCL_GROUP)
        memory->rows[i] = GASCL_NO_COMPONENT;
    for (int i = item; i < rows; i += GASCL_GROUP)
        memory->counts[i] = 0;
    for (int i = item; i < GASCL_CREWS; i += GASCL_GROUP)
        memory->head_rows[i] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const gascl_offset share = (end - begin + GASCL_CREWS - 1) / GASCL_CREWS;
    gascl_offset arc = min(end, begin + crew * share);
    const gascl_offset last = crew < GASCL_CREWS ? min(end, arc + share) : arc;
    int row = arc < last ? gascl_row_of(arc, offsets, first, rows) : first;
    bool is_head = arc > max(begin, offsets[row]);
    while (arc < last) {
        const gascl_offset behind = min(last, offsets[row + 1]);
        gascl_wide_piece own[GASCL_OWN];
        const int count = gascl_combine_pieces(own, arc, behind, mate,
                                               GASCL_STATE_ON GASCL_DELIVERY_ON);
        const int at = is_head ? GASCL_BATCH + crew : row - first;
        for (int j = 0; j < GASCL_OWN; ++j)
            if (mate + j * GASCL_CREW < GASCL_PIECES)
                GASCL_STORE_PIECE(own[j], mate + j * GASCL_CREW, memory->rows + at * GASCL_ROOM);
        if (mate == 0 && is_head) {
            memory->head_counts[crew] = count;
            memory->head_rows[crew] = row - first;
        } else if (mate == 0) {
            memory->counts[row - first] = count;
        }
        is_head = false;
        arc = behind;
        while (arc < last && offsets[row + 1] <= arc)
            ++row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < GASCL_CREWS; ++i) {
        const int of = memory->head_rows[i];
        for (int k = item; of >= 0 && k < GASCL_COMPONENTS; k += GASCL_GROUP)
            memory->rows[of * GASCL_ROOM + k] = gascl_combine_component(
                memory->rows[of * GASCL_ROOM + k], memory->rows[(GASCL_BATCH + i) * GASCL_ROOM + k]);
        if (item == 0 && of >= 0)
            memory->counts[of] += memory->head_counts[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The box of a row of the batch.
static GASCL_INLINE gascl_box gascl_box_of_row(__local const gascl_gather_memory *memory,
                                               const int row) {
    gascl_box box;
    GASCL_EACH(k, GASCL_COMPONENTS)
        box.combined.at[k] = memory->rows[row * GASCL_ROOM + k];
    box.count = memory->counts[row];
#if GASCL_OVERFLOWS
    box.overflow = 0;
#endif
    return box;
}

#if GASCL_SPLITS
__kernel void gascl_gather_segments(GASCL_STATE, GASCL_BLOCKS GASCL_DELIVERY) {
    __local gascl_gather_memory memory;
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block segment = blocks[at];
        gascl_combine_batch(segment.begin, segment.end, segment.first, 1, offsets, &memory,
                            GASCL_STATE_ON GASCL_DELIVERY_ON);
        if (get_local_id(0) == 0)
            segments[segment.last] = gascl_box_of_row(&memory, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

// Gathers the rows of a block. All items call it. PoCL's compiler crashes if gascl_combine_batch() is called in
// two places.
static void gascl_gather_block(const gascl_block block,
                               __global const gascl_offset *restrict offsets,
                               __local gascl_gather_memory *memory, gascl_tally *tally,
                               GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const gascl_offset arcs = block.end - block.begin;
    const bool is_long = arcs > GASCL_VERY_LONG_ROW;
    const int segments_of_row = is_long ? (int)((arcs - 1) / GASCL_SEGMENT + 1) : 0;
    gascl_component total[(GASCL_COMPONENTS + GASCL_GROUP - 1) / GASCL_GROUP];
    int count = 0;
    for (int k = item, j = 0; k < GASCL_COMPONENTS; k += GASCL_GROUP, ++j)
        total[j] = GASCL_NO_COMPONENT;
#if GASCL_SPLITS
    __global const gascl_box *parts = segments + 2 * (size_t)(block.begin / GASCL_SEGMENT);
    for (int i = 0; i < segments_of_row; ++i) {
        for (int k = item, j = 0; k < GASCL_COMPONENTS; k += GASCL_GROUP, ++j)
            total[j] = gascl_combine_component(total[j], parts[i].combined.at[k]);
        count += parts[i].count;
    }
#endif
    const int batches = (block.last - block.first + GASCL_BATCH - 1) / GASCL_BATCH;
    const int steps = is_long && !GASCL_SPLITS ? segments_of_row : batches;
    for (int step = 0; step < steps; ++step) {
        const int first = is_long ? block.first : block.first + step * GASCL_BATCH;
        const int rows = is_long ? 1 : min(GASCL_BATCH, block.last - first);
        gascl_offset begin = offsets[first], end = offsets[first + rows];
        if (is_long) {
            begin += GASCL_SPLITS ? arcs : (gascl_offset)step * GASCL_SEGMENT;
            end = min(end, begin + GASCL_SEGMENT);
        }
        gascl_combine_batch(begin, end, first, rows, offsets, memory,
                            GASCL_STATE_ON GASCL_DELIVERY_ON);
        const bool is_last = !is_long || step + 1 == steps;
        if (is_long) {
            for (int k = item, j = 0; k < GASCL_COMPONENTS; k += GASCL_GROUP, ++j) {
                total[j] = gascl_combine_component(total[j], memory->rows[k]);
                if (is_last)
                    memory->rows[k] = total[j];
            }
            if (item == 0)
                memory->counts[0] = count += memory->counts[0];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; is_last && i < rows; i += GASCL_GROUP)
            gascl_finish_row(first + i, gascl_box_of_row(memory, i), tally,
                             GASCL_STATE_ON GASCL_DELIVERY_ON);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups)
        gascl_gather_block(blocks[at], offsets, memory, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
}
