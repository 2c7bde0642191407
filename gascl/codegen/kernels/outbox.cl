// Delivery `outbox`: pull from an outbox that has what the receivers need of each vertex. If scatter does
// not read its arc, that is the vertex's message, computed once and not once for each arc (Reddy,
// section 5: the PageRank contribution). Otherwise it is a struct of the vertex's data that scatter
// reads: scatter still runs for each arc, but reads from one address instead of several, and apply may
// already write the fields. Gather and apply are one kernel, which also fills the outbox of the next
// superstep if the program allows it (GASCL_FUSED); hence the two outboxes, used alternately.
#include "runtime.cl"

#if GASCL_READS_SINGLY
#define GASCL_COPIED , __global gascl_stored *restrict messages
#define GASCL_COPIED_ON , messages
#else
#define GASCL_COPIED
#define GASCL_COPIED_ON
#endif
// Where the arcs of senders begin, if that matters (outbox/messages.cl), and in a persistent kernel.
#if GASCL_CAN_FAIL || GASCL_PERSISTENT
#define GASCL_OUT_OFFSETS , __global const gascl_offset *restrict out_offsets
#define GASCL_OUT_OFFSETS_ON , out_offsets
#else
#define GASCL_OUT_OFFSETS
#define GASCL_OUT_OFFSETS_ON
#endif
#define GASCL_DELIVERY                                                                           \
    GASCL_EDGE, __global const int *restrict sources GASCL_OUT_OFFSETS,                          \
        __global const gascl_outbox_entry *restrict outbox,                                      \
        __global gascl_outbox_entry *restrict outbox_next GASCL_COPIED GASCL_SEGMENTS
#define GASCL_DELIVERY_ON \
    GASCL_EDGE_ON, sources GASCL_OUT_OFFSETS_ON, outbox, outbox_next GASCL_COPIED_ON GASCL_SEGMENTS_ON

// What the outbox holds: outbox/messages.cl or, where scatter reads its arc, outbox/senders.cl
// (gascl/delivery/assembly.py). Both define:
//
//   // Fills a vertex's outbox, in this superstep or, with 1, for the next one.
//   static void gascl_outbox_put(const int id, const int ahead, ...);
//
//   // The message of an arc: see gather.cl.
//   static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x, ...);
#include "outbox_entries.cl"

// Fills the outboxes of a share of the vertices.
static void gascl_fill_outboxes(const gascl_team team, GASCL_STATE GASCL_OUT_OFFSETS,
                                __global gascl_outbox_entry *restrict outbox) {
    GASCL_FOR_SHARE(id, gascl_run_->graph.gascl_rows, 1024)
        GASCL_FOR_LANES
            gascl_outbox_put(id, 0, GASCL_STATE_ON GASCL_LANE_ON GASCL_OUT_OFFSETS_ON, outbox);
}

// gascl_gather(): outbox/combined.cl, outbox/singly.cl where a gather snippet reads the messages, or
// outbox/grouped.cl where they are grouped by key.
#include "outbox_gather.cl"

// The kernels: outbox/launches.cl for launches of each superstep; for a persistent kernel, persistent/cpu.cl
// where a work-group is one item, or persistent/gpu.cl.
#include "step_kernels.cl"
