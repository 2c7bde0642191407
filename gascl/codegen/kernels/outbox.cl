// Delivery `outbox`: pull from an outbox that has what the receivers need of each vertex. If scatter does
// not read its arc, that is the vertex's message, computed once and not once for each arc (Reddy,
// section 5: the PageRank contribution). Otherwise it is a struct of the vertex's data that scatter
// reads: scatter still runs for each arc, but reads from one address instead of several, and apply may
// already write the fields. Gather and apply are one kernel, which also fills the outbox of the next
// superstep if the program allows it (GASCL_FUSED); hence the two outboxes, used alternately.
//
// A gather snippet reads its messages one by one: they are copied side by side for it. Slots, into which
// each message is written, would cost a jump for each arc; outboxes are read by jumps, too, but are small
// enough for a cache.
#include "runtime.cl"

// Fills a vertex's outbox. A vertex without out-arcs does not scatter: its scatter must not be run
// where it could fail.
static void gascl_outbox_put(const int id, const int ahead, GASCL_STATE GASCL_LANE,
                             __global const gascl_offset *out_offsets,
                             __global gascl_letter *outbox, __global uchar *sent) {
#if GASCL_READS_EDGE
    gascl_write_letter(&outbox[GASCL_AT(id)], id, GASCL_STATE_ON GASCL_LANE_ON);
#else
#if GASCL_CAN_FAIL
    if (out_offsets[id] == out_offsets[id + 1])
        return;
#endif
    const gascl_vertex v = gascl_scattering(id, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_edge e;  // scatter does not read it
    e.src = id;
    const gascl_box out = gascl_scatter(v, &e, ahead, GASCL_STATE_ON GASCL_LANE_ON);
    outbox[GASCL_AT(id)] = gascl_narrow(out, id, gascl_control_);
#if !GASCL_EVERY_ARC_SENDS
    sent[GASCL_AT(id)] = out.count > 0;
#endif
#endif
}

__kernel void gascl_outbox_scatter(GASCL_STATE, __global const gascl_offset *restrict out_offsets,
                                   __global gascl_letter *restrict outbox,
                                   __global uchar *restrict sent) {
    if (gascl_control_->stopped)
        return;
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
        GASCL_FOR_LANES {
#if !GASCL_SCATTER_ALL && !GASCL_READS_EDGE
            if (!GASCL_IN_MASK(id)) {
                sent[GASCL_AT(id)] = 0;
                continue;
            }
#endif
            gascl_outbox_put(id, 0, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox, sent);
        }
}

#if GASCL_SINGLE
#define GASCL_COPIED , __global gascl_message *restrict messages
#define GASCL_COPIED_ON , messages
#else
#define GASCL_COPIED
#define GASCL_COPIED_ON
#endif
#define GASCL_DELIVERY                                                                       \
    GASCL_EDGE, __global const int *restrict sources,                                        \
        __global const gascl_offset *restrict out_offsets,                                   \
        __global const gascl_letter *restrict outbox, __global const uchar *restrict sent,    \
        __global gascl_letter *restrict outbox_next, __global uchar *restrict sent_next       \
        GASCL_COPIED
#define GASCL_DELIVERY_ON \
    GASCL_EDGE_ON, sources, out_offsets, outbox, sent, outbox_next, sent_next GASCL_COPIED_ON

#if GASCL_SINGLE
// Programs in which an arc may carry no message are not admitted.
typedef struct {
    gascl_shared shared;
} gascl_gather_memory;

static void gascl_apply_copied(const int row, __global gascl_message *row_messages,
                               __global const gascl_offset *restrict offsets, gascl_tally *tally,
                               GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int count = (int)(offsets[row + 1] - offsets[row]);
#if GASCL_DEBUG
    gascl_shuffle(row_messages, count, row, gascl_control_->superstep);
#endif
    gascl_apply_single(row, row_messages, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_FUSED
    gascl_outbox_put(row, 1, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox_next, sent_next);
#endif
}

static void gascl_gather(GASCL_BLOCKS, __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = gascl_control_->stopped ? 0 : num_blocks;
    for (int at = get_group_id(0); at < end; at += get_num_groups(0)) {
        const gascl_block block = blocks[at];
#if GASCL_GROUP == 1
        // All rows of a block use the same place, which stays in the cache.
        __global gascl_message *place = messages + block.begin;
        for (int row = block.first; row < block.last; ++row)
            GASCL_FOR_LANES {
#if GASCL_SKIPS && GASCL_RECEIVES
                const bool copies = gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON);
#else
                const bool copies = true;
#endif
                const gascl_offset begin = offsets[row], last = copies ? offsets[row + 1] : begin;
                for (gascl_offset arc = begin; arc < last; ++arc)
                    place[arc - begin] = outbox[GASCL_AT(sources[arc])];
                gascl_apply_copied(row, place, offsets, tally,
                                   GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
#else
        // Items take the block's arcs in turn, whatever their row, and then the rows.
        const int item = get_local_id(0), rows = block.last - block.first;
        for (gascl_offset arc = block.begin + item; arc < block.end; arc += GASCL_GROUP)
            GASCL_FOR_LANES messages[GASCL_SLOT(arc, offsets)] = outbox[GASCL_AT(sources[arc])];
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int i = item; i < rows * GASCL_LANES; i += GASCL_GROUP) {
            const int row = block.first + i / GASCL_LANES;
            const int gascl_lane = i % GASCL_LANES;
            gascl_apply_copied(row, messages + GASCL_SLOT(offsets[row], offsets), offsets, tally,
                               GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
#endif
    }
}
#else
#define GASCL_SENDER(arc) sources[arc]

static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return true;
}

static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int source = sources[arc];
    const size_t at = GASCL_AT(source);
#if GASCL_READS_EDGE
    if (!GASCL_SCATTERS(source))
        return false;
    const gascl_vertex v =
        gascl_read_letter(&outbox[at], source, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_edge e = gascl_edge_at(source, row, arc GASCL_EDGE_ON GASCL_LANE_ON);
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
    *x = gascl_narrow(out, source, gascl_control_);
    return GASCL_EVERY_ARC_SENDS || out.count > 0;
#else
#if !GASCL_EVERY_ARC_SENDS
    if (!sent[at])
        return false;
#endif
    *x = outbox[at];
    return true;
#endif
}

static void gascl_taken(const gascl_offset arc, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {}

static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    gascl_apply(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_FUSED
    gascl_outbox_put(row, 1, GASCL_STATE_ON GASCL_LANE_ON, out_offsets, outbox_next, sent_next);
#endif
}

#define GASCL_MAY_STOP GASCL_SKIPS
#include "gather.cl"
#endif

__kernel void gascl_outbox_gather(GASCL_STATE, GASCL_BLOCKS GASCL_DELIVERY,
                                  __global gascl_tally *restrict tallies) {
    __local gascl_gather_memory memory;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    gascl_gather(GASCL_BLOCKS_ON, &memory, &tally, GASCL_STATE_ON GASCL_DELIVERY_ON);
    gascl_tally_store(&tally, tallies, &memory.shared);
}
