// An item owns a block. All rows of a block use the same place for their messages, which stays in the
// cache.

// Only the memory that every kernel needs.
typedef struct {
    gascl_shared shared;
} gascl_gather_memory;

#define GASCL_ROWS_AHEAD 32  // which of them receive is found out together
#define GASCL_ARCS_AHEAD 32  // of a row; those behind are prefetched by the hardware

// Which of some rows receive messages, as bits. Where these are few, the hardware cannot foresee which, so what they
// read is prefetched.
static uint gascl_receivers(const int first, const int last,
                            __global const gascl_offset *restrict offsets,
                            GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    if (!GASCL_SKIPS || !GASCL_RECEIVES)
        return UINT_MAX;
    uint receivers = 0;
    for (int row = first; row < last; ++row)
        receivers |= (uint)gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON) << (row - first);
#if GASCL_PREFETCHES
    if ((int)popcount(receivers) > (last - first) / 2)
        return receivers;
    for (uint left = receivers; left; left &= left - 1) {
        const int row = first + 31 - (int)clz(left & -left);
        const gascl_offset begin = offsets[row];
        const gascl_offset end = min(offsets[row + 1], begin + GASCL_ARCS_AHEAD);
        for (gascl_offset arc = begin; arc < end; arc += 8) {
            GASCL_PREFETCH(&sources[arc]);
            gascl_prefetch_edge(arc GASCL_EDGE_ON);
        }
        gascl_prefetch_apply(row, GASCL_STATE_ON GASCL_LANE_ON);
    }
#endif
    return receivers;
}

// Applies some rows, of which those receive whose bits are set.
static void gascl_gather_rows(const int first, const int last, const uint receivers,
                              __global gascl_stored *place,
                              __global const gascl_offset *restrict offsets, gascl_tally *tally,
                              GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    for (int row = first; row < last; ++row) {
        const bool fetches = receivers >> (row - first) & 1;
        const gascl_offset begin = offsets[row], end = fetches ? offsets[row + 1] : begin;
        int sent = GASCL_EVERY_ARC_SENDS ? (int)(end - begin) : 0;
        for (gascl_offset arc = begin; arc < end; ++arc) {
            gascl_message x;
            const bool carries =
                gascl_fetch(arc, row, &x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            if (GASCL_EVERY_ARC_SENDS)  // without a count, a compiler vectorizes the loop
                place[arc - begin] = GASCL_STORED(x);
            else if (carries)
                place[sent++] = GASCL_STORED(x);
        }
#if GASCL_DEBUG
        gascl_shuffle(place, sent, row, gascl_control_->superstep);
#endif
        gascl_apply_single(row, place, sent, tally, GASCL_STATE_ON GASCL_LANE_ON);
        gascl_fill_ahead(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
}

static GASCL_INLINE void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        for (int first = block.first; first < block.last; first += GASCL_ROWS_AHEAD)
            GASCL_FOR_LANES {
                const int last = min(first + GASCL_ROWS_AHEAD, block.last);
                const uint receivers = gascl_receivers(
                    first, last, offsets, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                gascl_gather_rows(first, last, receivers, messages + block.begin, offsets, tally,
                                  GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
    }
}
