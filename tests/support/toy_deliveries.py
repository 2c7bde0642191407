"""Deliveries of one's own: each one text of OpenCL C and one entry, as a user could write them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from gascl.delivery.active_set import FRONTIER, ActiveSet
from gascl.delivery.buffers import Buffer
from gascl.delivery.delivery import Delivery
from gascl.delivery.launch import Launch
from gascl.delivery.registry import DELIVERIES

#: One work-item walks the list of arcs from its end into one box a vertex, and applies.
BACKWARDS = """
#include "runtime.cl"

__kernel void toy_backwards(GASCL_STATE GASCL_EDGE, __global const int *sources,
                            __global const int *targets, const long num_arcs,
                            __global gascl_box *boxes, __global gascl_tally *tallies) {
    if (gascl_control_->stopped)
        return;
    const int n = gascl_run_->graph.gascl_rows;
    for (int id = 0; id < n; ++id)
        GASCL_FOR_LANES
            boxes[GASCL_AT(id)] = gascl_box_empty();
    for (gascl_offset arc = num_arcs; arc-- > 0;) {
        const int source = sources[arc], target = targets[arc];
        if (!GASCL_SCATTERS(source))
            continue;
        GASCL_FOR_LANES {
            const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON GASCL_LANE_ON);
            gascl_edge e = gascl_edge_at(source, target, arc GASCL_EDGE_ON GASCL_LANE_ON);
            const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
            gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
            if (!out.count)
                continue;
            const gascl_message x = gascl_narrow(out, source, gascl_control_);
            if (!gascl_receives_message(x, target, GASCL_STATE_ON GASCL_LANE_ON))
                continue;
            gascl_box in = boxes[GASCL_AT(target)];
            gascl_box_add(&in, x);
            boxes[GASCL_AT(target)] = in;
        }
    }
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    for (int id = n; id-- > 0;)
        GASCL_FOR_LANES
            gascl_apply(id, boxes[GASCL_AT(id)], &tally, GASCL_STATE_ON GASCL_LANE_ON);
    GASCL_COPY_TALLY(tallies[0], tally);
}
"""
#: An item a vertex writes its messages where its arcs lie, a byte beside each; then an item a
#: vertex goes through the arcs that come in, from the last to the first.
BY_ARCS = """
#include "runtime.cl"

__kernel void toy_write(GASCL_STATE GASCL_EDGE, __global const gascl_offset *offsets,
                        __global const int *targets, __global gascl_message *written,
                        __global uchar *holds) {
    GASCL_FOR_RANGE(row, gascl_vertices(gascl_run_, gascl_control_)) {
        for (gascl_offset arc = offsets[row]; arc < offsets[row + 1]; ++arc)
            GASCL_FOR_LANES {
                if (!GASCL_SCATTERS(row))
                    continue;
                const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON);
                gascl_edge e = gascl_edge_at(row, targets[arc], arc GASCL_EDGE_ON GASCL_LANE_ON);
                const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
                gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
                if (out.count) {
                    written[GASCL_AT(arc)] = gascl_narrow(out, row, gascl_control_);
                    holds[GASCL_AT(arc)] = 1;
                }
            }
    }
}

__kernel void toy_read(GASCL_STATE, __global const gascl_offset *offsets,
                       __global const int *targets, const long num_arcs,
                       __global const gascl_message *written, __global uchar *holds,
                       __global gascl_tally *tallies) {
    __local gascl_shared scratch;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    GASCL_FOR_RANGE(row, gascl_vertices(gascl_run_, gascl_control_))
        GASCL_FOR_LANES {
            gascl_box in = gascl_box_empty();
            for (gascl_offset arc = num_arcs; arc-- > 0;)
                if (targets[arc] == row && holds[GASCL_AT(arc)]) {
                    const gascl_message x = written[GASCL_AT(arc)];
                    if (gascl_receives_message(x, row, GASCL_STATE_ON GASCL_LANE_ON))
                        gascl_box_add(&in, x);
                    holds[GASCL_AT(arc)] = 0;
                }
            gascl_apply(row, in, &tally, GASCL_STATE_ON GASCL_LANE_ON);
        }
    gascl_tally_store(&tally, tallies, &scratch);
}
"""
#: An item goes through the arcs of a piece of the frontier from the last to the first; then the
#: vertices that got a message are taken, also from the last to the first.
BY_FRONTIER = """
#include "runtime.cl"

__kernel void toy_frontier_scatter(GASCL_STATE GASCL_EDGE, __global const gascl_offset *offsets,
                                   __global const int *targets, __global int2 *frontiers,
                                   const long most_pieces, __global long *posted) {
    __local gascl_shared shared;
    const int superstep = gascl_control_->superstep;
    const int pieces = gascl_control_->stopped ? 0 : GASCL_FRONTIER_LENGTH(superstep);
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, superstep, most_pieces);
    long messages = 0;
    GASCL_FOR_RANGE(i, pieces) {
        const int source = frontier[i].x;
        const gascl_offset first = offsets[source] + (gascl_offset)frontier[i].y * GASCL_PIECE;
        const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON);
        for (gascl_offset arc = min(first + GASCL_PIECE, offsets[source + 1]); arc-- > first;) {
            gascl_edge e = gascl_edge_at(source, targets[arc], arc GASCL_EDGE_ON);
            const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON);
#if GASCL_ARC_STATE
            gascl_store_arc(e, arc GASCL_EDGE_ON);
#endif
            if (!out.count)
                continue;
            const gascl_message x = gascl_narrow(out, source, gascl_control_);
            if (!gascl_receives(targets[arc], GASCL_STATE_ON) ||
                !gascl_receives_message(x, targets[arc], GASCL_STATE_ON))
                continue;
            ++messages;
            if (gascl_post(targets[arc], GASCL_TO_ACCUMULATOR(x), gascl_inbox, gascl_arrived,
                           gascl_wraps))
                gascl_receivers[atomic_inc(&GASCL_LENGTH(RECEIVERS))] = targets[arc];
        }
    }
    const long2 sum = gascl_count_reduce((long2)(messages, 0), &shared);
    if (get_local_id(0) == 0)
        posted[get_group_id(0)] = GASCL_COUNTS_ONCE || GASCL_COUNTS_ARRIVED ? 0 : sum.x;
}

__kernel void toy_frontier_apply(GASCL_STATE, __global const gascl_offset *offsets,
                                 __global int2 *frontiers, const long most_pieces,
                                 __global const long *posted, __global gascl_tally *tallies,
                                 __global long *counts) {
    __local gascl_shared shared;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    long2 counted = 0;
#if GASCL_LISTS_DIRECTLY
    const int coming = gascl_control_->superstep + 1;
    __global int2 *next = gascl_frontier_of(frontiers, coming, most_pieces);
    gascl_pieces held;
    held.count = 0;
#endif
#if GASCL_APPLY_ALL || GASCL_APPLY_MASK || GASCL_PAIRS
    const int all = gascl_vertices(gascl_run_, gascl_control_);
#else
    const int all = gascl_control_->stopped ? 0 : GASCL_LENGTH(RECEIVERS);
#endif
    GASCL_FOR_RANGE(i, all) {
#if GASCL_APPLY_ALL || GASCL_APPLY_MASK || GASCL_PAIRS
        const int id = all - 1 - (int)i;
#else
        const int id = gascl_receivers[all - 1 - (int)i];
#endif
        gascl_box in = gascl_take(id, gascl_inbox, gascl_arrived, gascl_wraps);
#if !GASCL_COUNTS_ONCE && !GASCL_COUNTS_ARRIVED
        tally.messages -= in.count;  // all that were posted are counted below
#endif
#if GASCL_PAIRS
        gascl_box_merge(&in, gascl_paired[id]);
#endif
        const int set = gascl_apply_box(id, in, &tally, GASCL_STATE_ON);
#if GASCL_LISTS_DIRECTLY
        if (set == GASCL_SET) {
            counted.x += 1;
            counted.y += gascl_list(id, offsets[id + 1] - offsets[id], &held, next,
                                    &GASCL_FRONTIER_LENGTH(coming));
        }
#else
        GASCL_PUT_OWN(id, set);
#endif
    }
    if (get_local_id(0) == 0)
        tally.messages += posted[get_group_id(0)];
    gascl_tally_store(&tally, tallies, &shared);
#if GASCL_LISTS_DIRECTLY
    gascl_flush_pieces(&held, next, &GASCL_FRONTIER_LENGTH(coming));
    barrier(CLK_LOCAL_MEM_FENCE);
    gascl_count(counted.x, counted.y, counts, &shared);
#endif
}
"""
#: A mask of one bit a vertex, and next masks of what vertices set themselves and for each other.
BITS = """
#if GASCL_MASKED
#define GASCL_IN_MASK(id) (gascl_bits[(id) / 32] >> (id) % 32 & 1)

static void gascl_start_mask(const int id GASCL_MASKS GASCL_LANE) {}  // bits are zeros before

static void gascl_put_mask(const int id, const int set,
                           __global gascl_control *control GASCL_MASKS GASCL_LANE) {
    if (set == GASCL_SET)
        atomic_or(&gascl_own[id / 32], 1u << id % 32);
    else
        atomic_and(&gascl_own[id / 32], ~(1u << id % 32));
}

static void gascl_set_mask_of(const long id, const int sender, const int line,
                              __global int *faults, __global gascl_control *control,
                              __global const gascl_run *run GASCL_MASKS GASCL_LANE) {
    if (gascl_is_vertex(id, sender, line, faults, control, run))
        atomic_or(&gascl_own[id / 32], 1u << id % 32);
}

static void gascl_mark_of(const long id, const int sender, const int line, __global int *faults,
                          __global gascl_control *control,
                          __global const gascl_run *run GASCL_MASKS GASCL_LANE) {
    if (gascl_is_vertex(id, sender, line, faults, control, run))
        atomic_or(&gascl_others[id / 32], 1u << id % 32);
}

static int gascl_get_mask(const int id, __global const gascl_control *control GASCL_MASKS) {
    return GASCL_IN_MASK(id);
}

static int gascl_get_mask_of(const long id, const int sender, const int line,
                             __global int *faults, __global gascl_control *control,
                             __global const gascl_run *run GASCL_MASKS) {
    return gascl_is_vertex(id, sender, line, faults, control, run) ? GASCL_IN_MASK(id) : 0;
}
#endif
"""
BITS_KERNELS = """
#define GASCL_RENEW_LISTS(now, starting)

#if GASCL_MASKED
__kernel void toy_commit_bits(GASCL_STATE, __global const gascl_offset *offsets,
                              __global long *counts) {
    __local gascl_shared shared;
    long vertices = 0, arcs = 0;
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    GASCL_FOR_RANGE(word, (n + 31) / 32) {
        gascl_bits[word] = gascl_own[word] | gascl_others[word];
        gascl_own[word] = gascl_others[word] = 0;
        for (int id = (int)word * 32; id < min(n, (int)word * 32 + 32); ++id)
            if (GASCL_IN_MASK(id)) {
                ++vertices;
                arcs += offsets[id + 1] - offsets[id];
            }
    }
    gascl_count(vertices, arcs, counts, &shared);
}

__kernel void toy_enter_bits(GASCL_STATE, __global const uchar *mask) {
    const int n = gascl_run_->graph.gascl_rows;
    GASCL_FOR_RANGE(word, (n + 31) / 32) {
        uint bits = 0;
        for (int id = (int)word * 32; id < min(n, (int)word * 32 + 32); ++id)
            bits |= mask[id] ? 1u << id % 32 : 0u;
        gascl_own[word] = bits;
        gascl_others[word] = 0;
    }
}

__kernel void toy_leave_bits(GASCL_STATE, __global uchar *mask) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.gascl_rows)
        mask[id] = GASCL_IN_MASK(id);
}
#endif
"""


def words(vertices, arcs):
    return vertices // 32 + 1


BITMAP = ActiveSet(
    "bitmap",
    BITS,
    BITS_KERNELS,
    tuple(
        Buffer(name, "bits", words, lambda traits, delivery: traits.masked)
        for name in ("bits", "own", "others")
    ),
    state=("bits", "own", "others"),
    commits=(Launch("toy_commit_bits", "vertices", ("STATE", "out_offsets", "counts")),),
    enter=Launch("toy_enter_bits", "vertices", ("STATE", "mask")),
    leave=Launch("toy_leave_bits", "vertices", ("STATE", "mask")),
)
#: Scatter writes each message into its slot, a mark beside it; gather is gascl's own.
BY_SLOTS = """
#include "runtime.cl"

__kernel void toy_put(GASCL_STATE GASCL_EDGE, __global const gascl_offset *offsets,
                      __global const int *targets, __global const gascl_offset *slot,
                      __global gascl_message *put, __global uchar *full) {
    GASCL_FOR_RANGE(row, gascl_vertices(gascl_run_, gascl_control_)) {
        for (gascl_offset arc = offsets[row]; arc < offsets[row + 1]; ++arc)
            GASCL_FOR_LANES {
                if (!GASCL_SCATTERS(row))
                    continue;
                const gascl_vertex v = gascl_scattering(row, GASCL_STATE_ON GASCL_LANE_ON);
                gascl_edge e = gascl_edge_at(row, targets[arc], arc GASCL_EDGE_ON GASCL_LANE_ON);
                const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
                gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
                put[GASCL_AT(slot[arc])] = gascl_narrow(out, row, gascl_control_);
                full[GASCL_AT(slot[arc])] = out.count > 0;
            }
    }
}

#define GASCL_DELIVERY , __global const gascl_message *restrict put, __global uchar *restrict full
#define GASCL_DELIVERY_ON , put, full

static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY) {
    return true;
}

static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    *x = put[GASCL_AT(arc)];
    return GASCL_EVERY_ARC_SENDS || full[GASCL_AT(arc)];
}

static void gascl_consume(const gascl_offset arc, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    full[GASCL_AT(arc)] = 0;
}

static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    gascl_apply(row, in, tally, GASCL_STATE_ON GASCL_LANE_ON);
}

#define GASCL_MAY_STOP 0  // the messages of a row must be taken
#include "gather.cl"

__kernel void toy_gather(GASCL_STATE, GASCL_BLOCKS GASCL_DELIVERY, __global gascl_tally *tallies) {
    __local gascl_gather_memory memory;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    gascl_gather(gascl_team_of_launch(gascl_control_), GASCL_BLOCKS_ON, &memory, &tally,
                 GASCL_STATE_ON GASCL_DELIVERY_ON);
    gascl_tally_store(&tally, tallies, &memory.shared);
}
"""


def refuses_single(demand):
    """Boxes hold what is combined, last arc first; for the rest as `slots`."""
    if demand.traits.reads_singly:
        return "it keeps no single messages"
    if demand.traits.first:
        return "it comes to the first sender last"
    return DELIVERIES["slots"].refuses(demand)


def refuses_lanes(demand):
    if demand.traits.lanes > 1:
        return "its mask has no bits for lanes"
    if demand.traits.prioritized:
        return "all in its mask scatter"
    return refuses_single(demand)


def refuses_frontier(demand):
    if demand.traits.first or demand.traits.prioritized:
        return "its inbox has no senders, and its frontier no buckets"
    return DELIVERIES["push"].refuses(demand)


TOYS = {
    d.name: d
    for d in (
        Delivery(
            "backwards",
            BACKWARDS,
            (
                Launch(
                    "toy_backwards",
                    "one",
                    (
                        *("STATE", "EDGE", "out_sources", "out_targets", "num_arcs"),
                        *("boxes", "tallies"),
                    ),
                ),
            ),
            (Buffer("boxes", "box", "vertex"),),
            refuses=refuses_single,
        ),
        Delivery(
            "by_arcs",
            BY_ARCS,
            (
                Launch(
                    "toy_write",
                    "vertices",
                    ("STATE", "EDGE", "out_offsets", "out_targets", "written", "holds"),
                ),
                Launch(
                    "toy_read",
                    "vertices",
                    (
                        *("STATE", "out_offsets", "out_targets", "num_arcs"),
                        *("written", "holds", "tallies"),
                    ),
                ),
            ),
            (Buffer("written", "message", "arc"), Buffer("holds", "flag", "arc")),
            refuses=refuses_single,
        ),
        Delivery(
            "by_frontier",
            BY_FRONTIER,
            (
                Launch(
                    "toy_frontier_scatter",
                    "vertices",
                    (
                        *("STATE", "EDGE", "out_offsets", "out_targets"),
                        *("frontiers", "most_pieces", "posted"),
                    ),
                ),
                Launch(
                    "toy_frontier_apply",
                    "vertices",
                    (
                        *("STATE", "out_offsets", "frontiers", "most_pieces"),
                        *("posted", "tallies", "counts"),
                    ),
                ),
            ),
            refuses=refuses_frontier,
            inbox=True,
            active=FRONTIER,
        ),
        Delivery(
            "by_slots",
            BY_SLOTS,
            (
                Launch(
                    "toy_put",
                    "vertices",
                    ("STATE", "EDGE", "out_offsets", "out_targets", "slot", "put", "full"),
                ),
                Launch(
                    "toy_gather",
                    "in_blocks",
                    ("STATE", "in_blocks", "in_offsets", "put", "full", "tallies"),
                ),
            ),
            (Buffer("put", "message", "arc"), Buffer("full", "flag", "arc")),
            refuses=refuses_single,
        ),
    )
}

TOYS["by_bits"] = replace(TOYS["backwards"], name="by_bits", active=BITMAP, refuses=refuses_lanes)


@contextmanager
def registered(name: str) -> Iterator[Delivery]:
    """With the toy among gascl's deliveries."""
    DELIVERIES[name] = TOYS[name]
    try:
        yield TOYS[name]
    finally:
        del DELIVERIES[name]
