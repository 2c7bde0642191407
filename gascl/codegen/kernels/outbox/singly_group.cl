// The items of a group share a block: neighboring items take neighboring arcs, whatever their row, and
// then the rows. Messages are copied to local memory if the snippet can read them there. Those of a row that is
// longer than a block do not fit: they are copied to global memory, and read in windows
// (gather/windows.cl), or else by one item. With GASCL_SPLITS, a launch of gascl_gather_segments() has copied
// those of very long rows, by many groups.

// Copies the messages of a block to `to`, in local or in global memory. Behind the last arc, it is the last
// one's again: reading it is cheaper than a branch.
#define GASCL_COPY(to, block)                                                                  \
    for (int i = get_local_id(0), arcs = (int)((block).end - (block).begin); i < arcs;         \
         i += GASCL_FETCHES * GASCL_GROUP) {                                                   \
        gascl_message x[GASCL_FETCHES];                                                        \
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k) {                            \
            const int source = sources[(block).begin + min(i + k * GASCL_GROUP, arcs - 1)];    \
            x[k] = outbox[GASCL_AT(source)];                                                   \
        }                                                                                      \
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)                              \
            if (i + k * GASCL_GROUP < arcs)                                                    \
                (to)[i + k * GASCL_GROUP] = x[k];                                              \
    }

// Whether the messages of a block fit in local memory: then it has several rows, or one that is not longer.
#define GASCL_FITS(block) (GASCL_INDEXES_MESSAGES && (block).end - (block).begin <= GASCL_BLOCK)

#if GASCL_INDEXES_MESSAGES
// The blocks that fit. In the others there is nothing to do, so that no barrier is in a branch.
static void gascl_gather_locally(const gascl_team team, GASCL_BLOCKS, const int end,
                                 __local gascl_gather_memory *memory, gascl_tally *tally,
                                 GASCL_STATE GASCL_DELIVERY) {
    for (int at = team.rank; at < end; at += team.groups) {
        gascl_block block = blocks[at];
        if (!GASCL_FITS(block)) {
            block.end = block.begin;
            block.last = block.first;
        }
        GASCL_FOR_LANES {
            GASCL_COPY(memory->messages, block);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int row = block.first + get_local_id(0); row < block.last; row += GASCL_GROUP) {
                const gascl_offset begin = offsets[row];
                gascl_apply_local(row, memory->messages + (begin - block.begin),
                                  (int)(offsets[row + 1] - begin), tally,
                                  GASCL_STATE_ON GASCL_LANE_ON);
                gascl_fill_ahead(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
#endif

// The group's next block from `at` on that does not fit, or `end`.
static int gascl_next_unfit(const gascl_team team, int at,
                            __global const gascl_block *restrict blocks, const int end) {
    while (at < end && GASCL_FITS(blocks[at]))
        at += team.groups;
    return min(at, end);
}

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const int end = team.idle ? 0 : num_blocks;
#if GASCL_INDEXES_MESSAGES
    gascl_gather_locally(team, GASCL_BLOCKS_ON, end, memory, tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
#endif
    for (int at = gascl_next_unfit(team, team.rank, blocks, end); at < end;
         at = gascl_next_unfit(team, at + team.groups, blocks, end)) {
        const gascl_block block = blocks[at];
        gascl_block left = block;  // to be copied
        if (GASCL_SPLITS && block.end - block.begin > GASCL_VERY_LONG_ROW)
            left.end = left.begin;
        GASCL_FOR_LANES GASCL_COPY(messages + GASCL_SLOT(block.begin, offsets), left);
        barrier(CLK_GLOBAL_MEM_FENCE);
#if GASCL_GATHERS_BY_WINDOWS
        GASCL_FOR_LANES {
            gascl_apply_by_windows(block.first, messages + GASCL_SLOT(block.begin, offsets),
                                   (int)(block.end - block.begin), memory->messages,
                                   &memory->least, tally, GASCL_STATE_ON GASCL_LANE_ON);
            if (item == 0)
                gascl_fill_ahead(block.first, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
#else
        for (int i = item; i < (block.last - block.first) * GASCL_LANES; i += GASCL_GROUP) {
            const int row = block.first + i / GASCL_LANES;
            const int gascl_lane = i % GASCL_LANES;
            gascl_apply_copied(row, messages + GASCL_SLOT(offsets[row], offsets), offsets, tally,
                               GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
#endif
    }
}

#if GASCL_SPLITS
__kernel void gascl_gather_segments(GASCL_STATE, GASCL_BLOCKS GASCL_DELIVERY) {
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block segment = blocks[at];
        GASCL_FOR_LANES GASCL_COPY(messages + GASCL_SLOT(segment.begin, offsets), segment);
    }
}
#endif
