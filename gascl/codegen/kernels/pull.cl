// Delivery `pull` (Kim, section 4, node-centric; Reddy, implementation I): no message is stored.
// Each vertex recomputes what its in-neighbors send to it, and combines that into one box. Apply
// is a kernel of its own if it may write what another vertex's pull still reads; otherwise it is part of
// gather, and boxes are not stored.
#include "runtime.cl"

// The lanes in which each vertex sends, as a bit mask, evaluated once for each vertex instead of each
// arc. Two more bit masks have the lanes in which it has received a message; its boxes of the other lanes
// are neither written nor read.
#if GASCL_LANE_WORDS
#define GASCL_SENDING , __global const ulong *restrict sending, __global uint *restrict received
#define GASCL_SENDING_ON , sending, received
#define GASCL_SENDING_LANES(arc) sending[sources[arc]]
#define GASCL_RECEIVED , __global const uint *restrict received
#define GASCL_RECEIVED_ON , received
#define GASCL_APPLIES_RECEIVED \
    !(GASCL_APPLY_ALL || GASCL_APPLY_MASK || GASCL_PAIRS || GASCL_INBOX || GASCL_AGGREGATES)
#define GASCL_RECEIVED_LANES(row) received[2 * (size_t)(row) + gascl_lane / 32]

static void gascl_note_sending(const gascl_team team, GASCL_STATE GASCL_EDGE,
                               __global ulong *sending, __global uint *received) {
    GASCL_FOR_SHARE(id, gascl_run_->graph.gascl_rows, 1024) {
        ulong lanes = 0;
        if (GASCL_IN_MASK(id))
            GASCL_FOR_LANES {
                gascl_edge e = gascl_edge_at(id, id, 0 GASCL_EDGE_ON GASCL_LANE_ON);
                const gascl_vertex v = gascl_scattering(id, GASCL_STATE_ON GASCL_LANE_ON);
                const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
                lanes |= (ulong)(out.count > 0) << gascl_lane;
            }
        sending[id] = lanes;
        received[2 * (size_t)id] = received[2 * (size_t)id + 1] = 0;
    }
}
#else
#define GASCL_SENDING
#define GASCL_SENDING_ON
#define GASCL_RECEIVED
#define GASCL_RECEIVED_ON
#endif

// The receiver's row in a table, where scatter looks for common neighbors (common.cl) on a CPU.
#if GASCL_SCATTER_FINDS_COMMON && GASCL_GROUP == 1
#define GASCL_HELD , gascl_held_row *held
#define GASCL_HELD_ON , held
#else
#define GASCL_HELD
#define GASCL_HELD_ON
#endif

#if GASCL_APPLIES_BY_ROW
#define GASCL_KEPT
#define GASCL_KEPT_ON
#else
#define GASCL_KEPT , __global gascl_box *restrict pulled
#define GASCL_KEPT_ON , pulled
#endif
#define GASCL_PULLED \
    GASCL_EDGE, __global const int *restrict sources GASCL_KEPT GASCL_SENDING GASCL_SEGMENTS
#define GASCL_PULLED_ON GASCL_EDGE_ON, sources GASCL_KEPT_ON GASCL_SENDING_ON GASCL_SEGMENTS_ON
#define GASCL_DELIVERY GASCL_PULLED GASCL_HELD
#define GASCL_DELIVERY_ON GASCL_PULLED_ON GASCL_HELD_ON

#define GASCL_SENDER(arc) sources[arc]

static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return true;
}

static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int source = sources[arc];
    if (!GASCL_LANE_WORDS && !GASCL_SCATTERS(source))  // with lane words, gather has asked already
        return false;
    const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_edge e = gascl_edge_at(source, row, arc GASCL_EDGE_ON GASCL_LANE_ON);
#if GASCL_SCATTER_FINDS_COMMON && GASCL_GROUP == 1
    gascl_hold_row(held, row, gascl_offsets, gascl_targets);
    if (arc + 16 < held->end)
        GASCL_PREFETCH(&gascl_offsets[sources[arc + 16]]);
    if (arc + 8 < held->end)
        GASCL_PREFETCH(&gascl_targets[gascl_offsets[sources[arc + 8]]]);
    e.gascl_held = held;
#endif
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ANSWERS
    gascl_answers[arc] = e.gascl_answer;
#endif
    *x = gascl_narrow(out, source, gascl_control_);
    return GASCL_EVERY_ARC_SENDS || out.count > 0;
}

// A message of send_to in scatter goes to its receiver as soon as its arc is fetched.
#define GASCL_CONSUMES (GASCL_SENDS_TO && !GASCL_EVERY_ARC_SENDS)
static void gascl_consume(const gascl_offset arc, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {}

static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
#if GASCL_APPLIES_BY_ROW
    gascl_apply(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON);
#else
    if (!GASCL_LANE_WORDS || in.count)
        pulled[GASCL_AT(row)] = in;
#endif
}

#if GASCL_LANE_WORDS
#if GASCL_GROUP == 1  // else the items of a group may share a row
#define GASCL_OR(place, bits) (*(place) |= (bits))
#else
#define GASCL_OR(place, bits) atomic_or(place, bits)
#endif
static void gascl_note_received(const int row, const ulong lanes, GASCL_STATE GASCL_DELIVERY) {
    for (int word = 0; word < 2; ++word) {
        const uint some = (uint)(lanes >> 32 * word);
        if (some)
            GASCL_OR(&received[2 * (size_t)row + word], some);
    }
}
#endif

#define GASCL_MAY_STOP GASCL_SKIPS
#include "gather.cl"

#if !GASCL_APPLIES_BY_ROW
// What a vertex has pulled. Without a scatter snippet nothing is, and gascl_pull_gather is not launched.
static gascl_box gascl_pulled(const int row, __global const gascl_box *restrict pulled
                              GASCL_LANE GASCL_RECEIVED) {
    if (!GASCL_HAS_SCATTER)
        return gascl_box_empty();
#if GASCL_LANE_WORDS
    if (!(GASCL_RECEIVED_LANES(row) >> gascl_lane % 32 & 1))
        return gascl_box_empty();
#endif
    return pulled[GASCL_AT(row)];
}

// Applies what the rows from `first` to before `last` have pulled, which are those of the blocks. Where
// there are aggregators, goes through rows as gascl_gather() does, so that they add up floats in the same
// order as where apply is part of gather; otherwise the items of all groups share rows evenly, as a block
// may have few.
static void gascl_apply_pulled(const gascl_team team, __global const gascl_block *restrict blocks,
                               const int num_blocks, const int first, const int last,
                               __global const gascl_box *restrict pulled GASCL_RECEIVED,
                               gascl_tally *tally, GASCL_STATE) {
#if GASCL_GROUP > 1 && !GASCL_AGGREGATES
    const long places = team.idle ? 0 : (long)(last - first) * GASCL_LANES;
    const long step = (long)team.groups * GASCL_GROUP;
    for (long i = (long)team.rank * GASCL_GROUP + get_local_id(0); i < places; i += step) {
        const int row = first + (int)(i / GASCL_LANES);
        const int gascl_lane = (int)(i % GASCL_LANES);
        gascl_apply(row, gascl_pulled(row, pulled GASCL_LANE_ON GASCL_RECEIVED_ON), tally,
                    GASCL_STATE_ON GASCL_LANE_ON);
    }
#else
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
#if GASCL_APPLIES_RECEIVED && GASCL_GROUP == 1
        // Half a vertex's lanes at a time: most have nothing to apply.
        for (int row = block.first; row < block.last; ++row)
            for (int word = 0; word < 2; ++word)
                for (uint left = received[2 * (size_t)row + word]; left; left &= left - 1) {
                    const int gascl_lane = 32 * word + 31 - (int)clz(left & -left);
                    gascl_apply(row, pulled[GASCL_AT(row)], tally, GASCL_STATE_ON GASCL_LANE_ON);
                }
#elif GASCL_GROUP == 1
        for (int row = block.first; row < block.last; ++row)
            GASCL_FOR_LANES
                gascl_apply(row, gascl_pulled(row, pulled GASCL_LANE_ON GASCL_RECEIVED_ON), tally,
                            GASCL_STATE_ON GASCL_LANE_ON);
#else
        const int count = (block.last - block.first) * GASCL_LANES;
        for (int i = get_local_id(0); i < count; i += GASCL_GROUP) {
            const int row = block.first + i / GASCL_LANES;
            const int gascl_lane = i % GASCL_LANES;
            gascl_apply(row, gascl_pulled(row, pulled GASCL_LANE_ON GASCL_RECEIVED_ON), tally,
                        GASCL_STATE_ON GASCL_LANE_ON);
        }
#endif
    }
#endif
}
#endif

// The kernels: pull/launches.cl for launches of each superstep; for a persistent kernel, persistent/cpu.cl
// where a work-group is one item, or persistent/gpu.cl.
#include "step_kernels.cl"
