// An item owns a block. Its rows use the same place for their messages one after the other, which stays in the
// cache: as many short ones at a time as have GASCL_COPIED_AT_ONCE arcs, since what was just written by the word is
// slow to read by the vector.
#define GASCL_COPIED_AT_ONCE 256

static int gascl_last_copied(const int first, const int end,
                             __global const gascl_offset *restrict offsets) {
    int last = first + 1;
    while (last < end && offsets[last + 1] - offsets[first] <= GASCL_COPIED_AT_ONCE)
        ++last;
    return last;
}

static GASCL_INLINE void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        __global gascl_message *place = messages + block.begin;
        for (int first = block.first, last; first < block.last; first = last) {
            last = gascl_last_copied(first, block.last, offsets);
            const gascl_offset begin = offsets[first];
            GASCL_FOR_LANES {
#if GASCL_SKIPS && GASCL_RECEIVES
                for (int row = first; row < last; ++row)
                    for (gascl_offset arc = offsets[row];
                         arc < offsets[row + 1] &&
                         gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON);
                         ++arc)
                        place[arc - begin] = outbox[GASCL_AT(sources[arc])];
#else
                for (gascl_offset arc = begin; arc < offsets[last]; ++arc)
                    place[arc - begin] = outbox[GASCL_AT(sources[arc])];
#endif
                for (int row = first; row < last; ++row)
                    gascl_apply_copied(row, place + (offsets[row] - begin), offsets, tally,
                                       GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
        }
    }
}
