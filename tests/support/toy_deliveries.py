"""Deliveries of one's own: each one text of OpenCL C and one entry, as a user could write them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gascl.delivery.table import DELIVERIES, Buffer, Delivery, Launch

#: One work-item walks the list of arcs from its end into one box a vertex, and applies.
BACKWARDS = """
#include "runtime.cl"

__kernel void toy_backwards(GASCL_STATE GASCL_EDGE, __global const int *sources,
                            __global const int *targets, const long num_arcs,
                            __global gascl_box *boxes, __global gascl_tally *tallies) {
    if (gascl_control_->stopped)
        return;
    const int n = gascl_run_->graph.num_vertices;
    for (int id = 0; id < n; ++id)
        GASCL_FOR_LANES
            boxes[GASCL_AT(id)] = gascl_box_empty();
    for (gascl_offset arc = num_arcs; arc-- > 0;) {
        const int source = sources[arc], target = targets[arc];
#if !GASCL_SCATTER_ALL
        if (!gascl_mask[source])
            continue;
#endif
        GASCL_FOR_LANES {
            const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON GASCL_LANE_ON);
            gascl_edge e = gascl_edge_at(source, target, arc GASCL_EDGE_ON GASCL_LANE_ON);
            const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_ARC_STATE
            gascl_store_arc(e, arc GASCL_EDGE_ON GASCL_LANE_ON);
#endif
            if (out.count) {
                gascl_box in = boxes[GASCL_AT(target)];
                gascl_box_add(&in, gascl_narrow(out, source, gascl_control_));
                boxes[GASCL_AT(target)] = in;
            }
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
#if !GASCL_SCATTER_ALL
                if (!gascl_mask[row])
                    continue;
#endif
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
                    gascl_box_add(&in, written[GASCL_AT(arc)]);
                    holds[GASCL_AT(arc)] = 0;
                }
            gascl_apply(row, in, &tally, GASCL_STATE_ON GASCL_LANE_ON);
        }
    gascl_tally_store(&tally, tallies, &scratch);
}
"""


def refuses_single(demand):
    """Boxes hold what is combined; for the rest as `slots`."""
    if demand.facts.reads_singly:
        return "it keeps no single messages"
    return DELIVERIES["slots"].refuses(demand)


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
    )
}


@contextmanager
def registered(name: str) -> Iterator[Delivery]:
    """With the toy among gascl's deliveries."""
    DELIVERIES[name] = TOYS[name]
    try:
        yield TOYS[name]
    finally:
        del DELIVERIES[name]
