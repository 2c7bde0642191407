// Delivery `push`: the work follows the frontier (frontier.cl), not the graph. Messages combine in
// the atomic inbox; the first one to a vertex lists it, and apply goes through that list.
//
// Delivery `frontier` (GASCL_PULLS) pushes while the frontier is small. Where it is large, every
// vertex that still receives pulls from it instead (Beamer, Asanović and Patterson, Direction-
// Optimizing Breadth-First Search, 2012); the frontier is then kept as bits.
#include "runtime.cl"

// The arguments of what follows.
#if GASCL_PRIORITY
#define GASCL_PILES , __global int *GASCL_RESTRICT piles
#define GASCL_PILES_ON , piles
#else
#define GASCL_PILES
#define GASCL_PILES_ON
#endif
#define GASCL_PUSHED                                                                        \
    __global const gascl_offset *restrict offsets, __global const int *restrict targets,    \
        __global int2 *GASCL_RESTRICT frontiers, const long most_pieces GASCL_PILES
#define GASCL_PUSHED_ON offsets, targets, frontiers, most_pieces GASCL_PILES_ON

// What is posted for a vertex: a message, or its sender.
#if GASCL_FIRST
typedef gascl_sender gascl_posting;
#else
typedef gascl_message gascl_posting;
#endif

// Receivers are many if they are more than 1 / GASCL_DENSE of all vertices.
#define GASCL_DENSE 8

// Posts an arc's message; returns whether it is the first one for that vertex.
static bool gascl_post_arc(const int target, const gascl_posting x, GASCL_STATE) {
#if GASCL_FIRST
    return gascl_post_first(&gascl_inbox[target], x);
#else
    return gascl_post(target, GASCL_TO_ACCUMULATOR(x), gascl_inbox, gascl_arrived, gascl_wraps);
#endif
}

// Prefetches the data that posting to a vertex reads.
static void gascl_expect(const int id, GASCL_STATE) {
    gascl_expect_receiver(id, GASCL_STATE_ON);
    GASCL_PREFETCH(&gascl_inbox[id]);
}

// Whether an arc carries a message that its vertex wants, and what is to be posted.
static bool gascl_push_arc(const int source, const int target, const gascl_offset arc,
                           const gascl_vertex v, gascl_posting *x, GASCL_STATE GASCL_EDGE) {
    if (GASCL_SKIPS && !gascl_receives(target, GASCL_STATE_ON))
        return false;
    gascl_edge e = gascl_edge_at(source, target, arc GASCL_EDGE_ON);
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON);
#if GASCL_ARC_STATE
    gascl_store_arc(e, arc GASCL_EDGE_ON);
#endif
    if (!out.count)
        return false;
    const gascl_message sent = gascl_narrow(out, source, gascl_control_);
    if (!GASCL_SKIPS && !gascl_receives(target, GASCL_STATE_ON))
        return false;
    if (!gascl_receives_message(sent, target, GASCL_STATE_ON))
        return false;
#if GASCL_FIRST
    *x = GASCL_READS_EDGE ? (gascl_sender)arc : source;
#else
    *x = sent;
#endif
    return true;
}

// Whether apply goes through all vertices in order to find those with a message, where many have one:
// that costs less than the jumps of a list.
#define GASCL_LOOKS_FOR_MESSAGES (!GASCL_APPLY_ALL && !GASCL_APPLY_MASK && !GASCL_PAIRS)
static bool gascl_applies_densely(GASCL_STATE) {
    return GASCL_LOOKS_FOR_MESSAGES &&
           GASCL_LENGTH(TOUCHED) > gascl_run_->graph.num_vertices / GASCL_DENSE;
}

// How many vertices apply goes through: all of them, or those that are listed. With
// GASCL_APPLY_MASK, the pieces of the frontier are behind the receivers.
static int gascl_num_applied(GASCL_STATE) {
#if GASCL_APPLY_ALL || GASCL_PAIRS
    return gascl_run_->graph.num_vertices;
#elif GASCL_APPLY_MASK
    return GASCL_LENGTH(TOUCHED) + GASCL_FRONTIER_LENGTH(gascl_control_->superstep);
#else
    return gascl_applies_densely(GASCL_STATE_ON) ? gascl_run_->graph.num_vertices
                                                 : GASCL_LENGTH(TOUCHED);
#endif
}

static bool gascl_has_message(const int id, GASCL_STATE) {
#if GASCL_FIRST
    return gascl_inbox[id] != GASCL_NO_SENDER;
#else
    return gascl_has_arrived(id, gascl_inbox, gascl_arrived);
#endif
}

// What a vertex has received through the inbox, which is empty then.
static gascl_box gascl_take_touched(const int id, GASCL_STATE GASCL_EDGE, GASCL_PUSHED) {
#if GASCL_FIRST
    const gascl_sender sender = gascl_inbox[id];
    if (sender == GASCL_NO_SENDER)
        return gascl_box_empty();
    gascl_inbox[id] = GASCL_NO_SENDER;
#if GASCL_READS_EDGE
    int source = 0;  // the last vertex whose arcs begin at this one or before
    for (uint step = gascl_half(gascl_run_->graph.num_vertices); step > 0; step >>= 1)
        if (source + (long)step < gascl_run_->graph.num_vertices && offsets[source + step] <= sender)
            source += step;
    const gascl_offset arc = sender;
#else
    const int source = sender;
    const gascl_offset arc = 0;
#endif
    gascl_edge e = gascl_edge_at(source, id, arc GASCL_EDGE_ON);
    return gascl_scatter(gascl_scattering(source, GASCL_STATE_ON), &e, 0, GASCL_STATE_ON);
#else
    return gascl_take(id, gascl_inbox, gascl_arrived, gascl_wraps);
#endif
}

// Applies what a vertex has received; returns whether it is to be listed.
static bool gascl_apply_one(const int id, gascl_tally *tally, GASCL_STATE GASCL_EDGE,
                            GASCL_PUSHED) {
    gascl_box in = gascl_take_touched(id, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON);
#if !GASCL_COUNTS_ONCE && !GASCL_COUNTS_ARRIVED
    tally->messages -= in.count;  // gascl_push() has counted them
#endif
#if GASCL_PAIRS
    gascl_box_merge(&in, gascl_paired[id]);
#endif
    const int set = gascl_apply_box(id, in, tally, GASCL_STATE_ON);
#if GASCL_LISTS_DIRECTLY || GASCL_PRIORITY
    return set == GASCL_SET;
#else
    GASCL_PUT_OWN(id, set);
    return false;
#endif
}

#if GASCL_APPLY_MASK
// The i-th vertex of the receivers and the pieces of the frontier, of which `touched` are receivers;
// whether it applies: once, even if it is in both or has several pieces. Where every vertex scatters,
// the frontier has all vertices, and those outside the mask apply as receivers only: if the frontier
// applied them, too, two items could take the same message.
static bool gascl_nth_in_mask(const long i, const int touched, int *id, GASCL_STATE,
                              __global const int2 *frontier) {
    const bool receives = i < touched;
    *id = receives ? gascl_touched[i] : frontier[i - touched].x;
    if (!receives && frontier[i - touched].y != 0)
        return false;
    if (!receives && !GASCL_SCATTER_ALL)
        return true;
    return receives != (gascl_get_mask(*id, gascl_control_ GASCL_MASKS_ON) != 0);
}
#endif

// Where apply lists the vertices that it puts into the mask: in the next frontier, or where they wait
// for their bucket's turn.
#if GASCL_PRIORITY
typedef gascl_turns gascl_listing;
#else
typedef struct {
    __global int2 *frontier;
    __global int *length;
    gascl_pieces held;
} gascl_listing;
#endif

static void gascl_begin_listing(gascl_listing *to, GASCL_STATE, GASCL_PUSHED) {
    const int coming = gascl_control_->superstep + 1;
#if GASCL_PRIORITY
    gascl_begin_turns(to, coming, gascl_control_->near_side, gascl_control_->far_side,
                      GASCL_STATE_ON, frontiers, most_pieces, piles);
#else
    to->frontier = gascl_frontier_of(frontiers, coming, most_pieces);
    to->length = &GASCL_FRONTIER_LENGTH(coming);
    to->held.count = 0;
#endif
}

// A superstep's work, by the items of a work-group: gascl_push() and gascl_apply_touched(). No such file
// exists: gascl/delivery/assembly.py puts push/item.cl here for groups of one item, and push/group.cl for
// larger ones.
#include "step.cl"

// For delivery `frontier`, push/pull_step.cl; for `push`, nothing.
#include "pull_step.cl"

// What a superstep needs besides GASCL_STATE and GASCL_EDGE.
#if GASCL_PULLS
#define GASCL_STEP GASCL_PUSHED GASCL_EDGE_IN, GASCL_PULLED
#define GASCL_STEP_ON GASCL_PUSHED_ON GASCL_EDGE_IN_ON, GASCL_PULLED_ON
#define GASCL_PULLS_NOW (gascl_control_->pulls != 0)
#define GASCL_HAS_BITS (gascl_control_->bits != 0)
#else
#define GASCL_STEP GASCL_PUSHED
#define GASCL_STEP_ON GASCL_PUSHED_ON
#define GASCL_PULLS_NOW false
#define GASCL_HAS_BITS false
#endif

// The first phase of a superstep; the result is as that of gascl_push().
static long gascl_scatter_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                __local gascl_step_memory *memory) {
#if GASCL_PULLS
    if (GASCL_PULLS_NOW) {
#if !GASCL_SCATTER_STAYS
        gascl_pull(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, offsets, GASCL_PULLED_ON, memory, 0, 0);
#endif
        return 0;
    }
#endif
    return gascl_push(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON, memory);
}

// The second phase.
static void gascl_apply_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                              __local gascl_step_memory *memory, gascl_tally *tally, long2 *counted) {
#if GASCL_PULLS
    if (GASCL_PULLS_NOW) {
#if GASCL_SCATTER_STAYS
        gascl_pull(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, offsets, GASCL_PULLED_ON, memory, tally,
                   counted);
#else
        gascl_apply_rows(team, GASCL_STATE_ON, offsets, bits, pulled, memory, tally, counted);
#endif
        return;
    }
#endif
    gascl_apply_touched(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON, memory, tally,
                        counted);
}

// The kernels: push/launches.cl for launches of each superstep; for a whole run in one launch,
// whole/cpu.cl where a work-group is one item, or whole/gpu.cl.
#include "step_kernels.cl"
