// Gather for programs with a gather snippet, which reads the messages one by one: in each row they are
// first moved to the front of the slots, and then one item runs the snippet. In a row that is a block of
// its own, all items of the group move them (GASCL_GROUP_COMPACTS).
#define GASCL_GROUP_COMPACTS (GASCL_GROUP > 1 && !GASCL_EVERY_ARC_SENDS)

typedef struct {
    gascl_shared shared;
    int counts[GASCL_LANES];  // messages that the group has moved
} gascl_gather_memory;

#if GASCL_GROUP_COMPACTS
// As gascl_compact(), by the group, in all lanes. An item has GASCL_FETCHES slots at once; a sum over the
// items up to it says where its messages go.
static void gascl_compact_by_group(const int row, const int slots,
                                   __local gascl_gather_memory *memory,
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
        gascl_stored x[GASCL_FETCHES];
        int mine = 0;
        for (int k = from; k < min(from + GASCL_FETCHES, slots); ++k)
            if (sent[first + k]) {
                sent[first + k] = 0;
                x[mine++] = messages[first + k];
            }
        if (piece == 0)
            count = 0;
        const int sum = gascl_sum_up_to_item(mine, sums);
        if (item == GASCL_GROUP - 1)
            memory->counts[gascl_lane] = count + sum;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read their slots
        for (int k = 0; k < mine; ++k)
            messages[first + count + sum - mine + k] = x[k];
        count = memory->counts[gascl_lane];
    }
}
#endif

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int i = team.rank; i < end; i += team.groups) {
        const gascl_block block = blocks[i];
        const int rows = block.last - block.first;
        const bool together = GASCL_GROUP_COMPACTS && rows == 1 &&
                              (!GASCL_MARKS_RECEIVERS || received[block.first]);
#if GASCL_GROUP_COMPACTS
        gascl_compact_by_group(block.first, together ? (int)(block.end - block.begin) : 0, memory,
                               offsets, GASCL_STATE_ON GASCL_DELIVERY_ON);
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        for (int j = get_local_id(0); j < rows * GASCL_LANES; j += GASCL_GROUP) {
            const int row = block.first + j / GASCL_LANES;
            const int gascl_lane = j % GASCL_LANES;
            __global gascl_stored *inbox = messages + GASCL_SLOT(offsets[row], offsets);
            int count = (int)(offsets[row + 1] - offsets[row]);
            if (GASCL_MARKS_RECEIVERS && !received[row])
                count = 0;
            else if (together)
                count = count ? memory->counts[gascl_lane] : 0;
            else if (!GASCL_EVERY_ARC_SENDS)
                count = gascl_compact(inbox, sent + GASCL_SLOT(offsets[row], offsets), count);
            if (GASCL_MARKS_RECEIVERS && count)
                received[row] = 0;
#if GASCL_DEBUG
            gascl_shuffle(inbox, count, row, gascl_control_->superstep);
#endif
            gascl_apply_single(row, inbox, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
        }
#if GASCL_GROUP_COMPACTS
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}
