// Delivery `slots` (Che, GasCL, section IV-B): scatter writes each message into the slot of its
// arc, in the order of receivers, so that a vertex's messages lie side by side; gather combines
// them and applies the result.
//
// Unlike there, a mark beside each slot says whether a message was sent, whatever its value, and a
// mark beside each vertex whether it received one, so that gather visits only rows with messages.
#include "runtime.cl"

// With several lanes, a row is the work of several items, and none may clear its mark for the
// others.
#define GASCL_RECEIVED (!GASCL_EVERY_ARC_SENDS && GASCL_LANES == 1)

static void gascl_slots_send(const int row, const gascl_offset arc, const gascl_vertex v,
                             GASCL_STATE GASCL_EDGE GASCL_LANE,
                             __global const gascl_offset *offsets, __global const int *targets,
                             __global const gascl_offset *slot, __global gascl_message *messages,
                             __global uchar *sent, __global uchar *received) {
    const int target = targets[arc];
    gascl_edge e = gascl_edge_at(row, target, arc GASCL_EDGE_ON GASCL_LANE_ON);
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
    gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
    if (!GASCL_EVERY_ARC_SENDS && !out.count)
        return;
    messages[GASCL_SLOT(slot[arc], offsets)] = gascl_narrow(out, row, gascl_control_);
#if !GASCL_EVERY_ARC_SENDS
    sent[GASCL_SLOT(slot[arc], offsets)] = 1;
#endif
#if GASCL_RECEIVED
    received[target] = 1;
#endif
}

__kernel void gascl_slots_scatter(GASCL_STATE GASCL_EDGE, GASCL_BLOCKS,
                                  __global const int *restrict targets,
                                  __global const gascl_offset *restrict slot,
                                  __global gascl_message *restrict messages,
                                  __global uchar *restrict sent,
                                  __global uchar *restrict received) {
#if GASCL_GROUP == 1
    const gascl_block block = blocks[get_group_id(0)];
    const int last = gascl_control_->stopped ? 0 : block.last;
    for (int row = block.first; row < last; ++row) {
        if (!GASCL_SCATTERS(row))
            continue;
        const gascl_offset end = offsets[row + 1];
        GASCL_FOR_LANES {
            const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON);
            for (gascl_offset arc = offsets[row]; arc < end; ++arc)
                gascl_slots_send(row, arc, v, GASCL_STATE_ON GASCL_EDGE_ON GASCL_LANE_ON, offsets,
                                 targets, slot, messages, sent, received);
        }
    }
#else
    // Items take the block's arcs in turn, whatever their row. A block without an active row is
    // skipped.
    __local ushort starts[GASCL_BLOCK];
    __local int busy[2];
    const int item = get_local_id(0);
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    if (item < 2)
        busy[item] = GASCL_SCATTER_ALL;
    barrier(CLK_LOCAL_MEM_FENCE);
    int turn = 0;
    for (int i = get_group_id(0); i < end; i += get_num_groups(0), turn ^= 1) {
        const gascl_block block = blocks[i];
        const int rows = block.last - block.first;
        for (int j = item; j < rows; j += GASCL_GROUP) {
            starts[j] = (ushort)(offsets[block.first + j] - block.begin);
            if (!GASCL_SCATTER_ALL && GASCL_SCATTERS(block.first + j))
                busy[turn] = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const gascl_offset last = busy[turn] ? block.end : block.begin;
        for (gascl_offset arc = block.begin + item; arc < last; arc += GASCL_GROUP) {
            int row = 0;
            for (uint step = gascl_half(rows); step > 0; step >>= 1)
                if (row + (int)step < rows && starts[row + step] <= arc - block.begin)
                    row += step;
            row += block.first;
            if (!GASCL_SCATTERS(row))
                continue;
            GASCL_FOR_LANES
                gascl_slots_send(row, arc, gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON),
                                 GASCL_STATE_ON GASCL_EDGE_ON GASCL_LANE_ON, offsets, targets, slot,
                                 messages, sent, received);
        }
        if (!GASCL_SCATTER_ALL && item == 0)
            busy[turn ^ 1] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}

#define GASCL_DELIVERY                                                           \
    , __global gascl_message *restrict messages, __global uchar *restrict sent, \
        __global uchar *restrict received
#define GASCL_DELIVERY_ON , messages, sent, received

#if GASCL_SINGLE
// A gather snippet reads the messages one by one, so they are first moved side by side. In a row that is
// a block of its own, all items of the group move them; only one item runs the snippet.
#define GASCL_MOVES_TOGETHER (GASCL_GROUP > 1 && !GASCL_EVERY_ARC_SENDS)

typedef struct {
    gascl_shared shared;
    int counts[GASCL_LANES];  // messages that the group has moved
} gascl_slots_memory;

#if GASCL_MOVES_TOGETHER
// As gascl_compact(), by the group, in all lanes. An item has GASCL_FETCHES slots at once; a sum
// over the items before it (Hillis and Steele 1986) says where its messages go.
static void gascl_compact_together(const int row, const int slots,
                                   __local gascl_slots_memory *memory,
                                   __global const gascl_offset *restrict offsets,
                                   GASCL_STATE GASCL_DELIVERY) {
    __local long2 *sums = memory->shared.counts;
    const int item = get_local_id(0), size = GASCL_GROUP * GASCL_FETCHES;
    const int pieces = slots / size + (slots % size > 0);
    int count = 0;
    for (int i = 0; i < pieces * GASCL_LANES; ++i) {
        const int gascl_lane = i / pieces;
        const int piece = i % pieces;
        const int from = piece * size + item * GASCL_FETCHES;
        const size_t first = GASCL_SLOT(offsets[row], offsets);
        gascl_message x[GASCL_FETCHES];
        int mine = 0;
        for (int k = from; k < min(from + GASCL_FETCHES, slots); ++k)
            if (sent[first + k]) {
                sent[first + k] = 0;
                x[mine++] = messages[first + k];
            }
        if (piece == 0)
            count = 0;
        int sum = mine;
        for (int step = 1; step < GASCL_GROUP; step *= 2) {
            sums[item].x = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item >= step)
                sum += (int)sums[item - step].x;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (item == GASCL_GROUP - 1)
            memory->counts[gascl_lane] = count + sum;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read their slots
        for (int k = 0; k < mine; ++k)
            messages[first + count + sum - mine + k] = x[k];
        count = memory->counts[gascl_lane];
    }
}
#endif

static void gascl_slots_apply(GASCL_BLOCKS, __local gascl_slots_memory *memory,
                              gascl_tally *tally, GASCL_STATE GASCL_DELIVERY) {
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int i = get_group_id(0); i < end; i += get_num_groups(0)) {
        const gascl_block block = blocks[i];
        const int rows = block.last - block.first;
#if GASCL_MOVES_TOGETHER
        const bool together = rows == 1 && (!GASCL_RECEIVED || received[block.first]);
        gascl_compact_together(block.first, together ? (int)(block.end - block.begin) : 0, memory,
                               offsets, GASCL_STATE_ON GASCL_DELIVERY_ON);
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        for (int j = get_local_id(0); j < rows * GASCL_LANES; j += GASCL_GROUP) {
            const int row = block.first + j / GASCL_LANES;
            const int gascl_lane = j % GASCL_LANES;
            __global gascl_message *inbox = messages + GASCL_SLOT(offsets[row], offsets);
            int count = (int)(offsets[row + 1] - offsets[row]);
#if !GASCL_EVERY_ARC_SENDS
            if (GASCL_RECEIVED && !received[row])
                count = 0;
#if GASCL_MOVES_TOGETHER
            else if (together)
                count = count ? memory->counts[gascl_lane] : 0;
#endif
            else
                count = gascl_compact(inbox, sent + GASCL_SLOT(offsets[row], offsets), count);
#if GASCL_RECEIVED
            if (count)
                received[row] = 0;
#endif
#endif
#if GASCL_DEBUG
            gascl_shuffle(inbox, count, row, gascl_control_->superstep);
#endif
            gascl_apply_single(row, inbox, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
        }
#if GASCL_MOVES_TOGETHER
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}
#else
static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return !GASCL_RECEIVED || received[row];
}

static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
#if !GASCL_EVERY_ARC_SENDS
    if (!sent[GASCL_AT(arc)])
        return false;
#endif
    *x = messages[GASCL_AT(arc)];
    return true;
}

static void gascl_taken(const gascl_offset arc, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
#if !GASCL_EVERY_ARC_SENDS
    sent[GASCL_AT(arc)] = 0;
#endif
}

static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
#if GASCL_RECEIVED
    if (in.count)
        received[row] = 0;
#endif
    gascl_apply(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON);
}

#define GASCL_MAY_STOP 0
#include "gather.cl"
#endif

__kernel void gascl_slots_gather(GASCL_STATE, GASCL_BLOCKS GASCL_DELIVERY,
                                 __global gascl_tally *restrict tallies) {
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
#if GASCL_SINGLE
    __local gascl_slots_memory memory;
    gascl_slots_apply(GASCL_BLOCKS_ON, &memory, &tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
    gascl_tally_store(&tally, tallies, &memory.shared);
#else
    __local gascl_gather_memory memory;
    gascl_gather(GASCL_BLOCKS_ON, &memory, &tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
    gascl_tally_store(&tally, tallies, &memory.shared);
#endif
}
