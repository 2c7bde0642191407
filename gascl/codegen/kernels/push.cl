// Delivery `push`: the work follows the frontier (frontier.cl), not the graph. Messages combine in
// the atomic inbox; the first one to a vertex lists it, and apply goes through that list.
//
// Delivery `frontier` (GASCL_PULLS) pushes while the frontier is small. Where it is large, every
// vertex that still receives pulls from it instead (Beamer, Asanović and Patterson, Direction-
// Optimizing Breadth-First Search, 2012); the frontier is then kept as bits.
//
// Delivery `reached` (GASCL_REACHES) does so, too; while the frontier is small, those vertices pull that its
// arcs reach.
#include "runtime.cl"

// The arguments of what follows.
#define GASCL_PUSHED                                                                        \
    __global const gascl_offset *restrict offsets, __global const int *restrict targets,    \
        __global int2 *GASCL_RESTRICT frontiers, const long most_pieces GASCL_PILES
#define GASCL_PUSHED_ON offsets, targets, frontiers, most_pieces GASCL_PILES_ON

// What apply reads besides.
#if GASCL_REACHES
#define GASCL_PULLED_BOXES , __global const gascl_box *GASCL_RESTRICT pulled
#define GASCL_PULLED_BOXES_ON , pulled
#else
#define GASCL_PULLED_BOXES
#define GASCL_PULLED_BOXES_ON
#endif

// What is posted for a vertex: push/messages.cl; with the combiner `first`, push/first_sender.cl; in delivery
// `reached`, push/reached.cl (gascl/delivery/assembly.py). All define:
//
//   // What is posted; but for `reached`, what for an arc that carries a message.
//   typedef ... gascl_posting;
//   static gascl_posting gascl_posting_of(const gascl_message x, const int source, const gascl_offset arc);
//
//   GASCL_NOTE_SENDER(piece)   notes that the vertex of a piece of the frontier sends, if that must be known
//   GASCL_PREFETCH_POSTED(id)  prefetches what posting to a vertex changes
//
//   // Posts it; returns whether it is the first for that vertex.
//   static bool gascl_post_arc(const int target, const gascl_posting x, GASCL_STATE);
//
//   // Whether gascl_adds_nothing() and gascl_combine_postings() combine those to one vertex beforehand.
//   #define GASCL_COMBINES_HELD ...
//
//   // Whether a vertex has received anything; and what, after which its inbox is empty.
//   static bool gascl_has_message(const int id, GASCL_STATE);
//   static gascl_box gascl_take_received(const int id, GASCL_STATE GASCL_EDGE,
//                                        GASCL_PUSHED GASCL_PULLED_BOXES);
#include "push_posting.cl"

// Whether all vertices are in the frontier.
#define GASCL_ALL_SEND (gascl_control_->next_active == gascl_run_->graph.num_vertices)

// Prefetches the data that posting to a vertex reads.
static void gascl_prefetch_target(const int id, GASCL_STATE) {
    gascl_prefetch_receiver(id, GASCL_STATE_ON);
    GASCL_PREFETCH_POSTED(id);
}

// Whether vertices with a posting are listed.
#define GASCL_LISTS_POSTED (!GASCL_APPLY_ALL || GASCL_REACHES)

// Whether an arc carries a message that its vertex wants, and what is to be posted.
#if GASCL_REACHES  // that is seen when the vertex pulls
static bool gascl_push_arc(const int source, const int target, const gascl_offset arc,
                           const gascl_vertex v, gascl_posting *x, GASCL_STATE GASCL_EDGE) {
    *x = 0;
    return !GASCL_SKIPS || gascl_receives(target, GASCL_STATE_ON);
}
#else
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
    *x = gascl_posting_of(sent, source, arc);
    return true;
}
#endif

// Whether apply goes through all vertices in order to find those with a message, where many have one:
// that costs less than the jumps of a list.
#define GASCL_LOOKS_FOR_MESSAGES (!GASCL_APPLY_ALL && !GASCL_APPLY_MASK && !GASCL_PAIRS)
static bool gascl_applies_densely(GASCL_STATE) {
    return GASCL_LOOKS_FOR_MESSAGES &&
           GASCL_LENGTH(RECEIVERS) > gascl_run_->graph.gascl_rows / GASCL_DENSE;
}

// How many vertices apply goes through: all of them, or those that are listed. With
// GASCL_APPLY_MASK, the pieces of the frontier are behind the receivers.
static int gascl_num_applied(GASCL_STATE) {
#if GASCL_APPLY_ALL || GASCL_PAIRS
    return gascl_run_->graph.gascl_rows;
#elif GASCL_APPLY_MASK
    return GASCL_LENGTH(RECEIVERS) + GASCL_FRONTIER_LENGTH(gascl_control_->superstep);
#else
    return gascl_applies_densely(GASCL_STATE_ON) ? gascl_run_->graph.gascl_rows
                                                 : GASCL_LENGTH(RECEIVERS);
#endif
}

// Applies what a vertex has received; returns whether it is to be listed.
static bool gascl_apply_one(const int id, gascl_tally *tally, GASCL_STATE GASCL_EDGE,
                            GASCL_PUSHED GASCL_PULLED_BOXES) {
    gascl_box in = gascl_take_received(id, GASCL_STATE_ON GASCL_EDGE_ON,
                                       GASCL_PUSHED_ON GASCL_PULLED_BOXES_ON);
    if (GASCL_REACHES && !GASCL_APPLY_ALL && !in.count)  // no arc of the frontier carries a message
        return false;
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
// The i-th vertex of the receivers and the pieces of the frontier, of which `receivers` are receivers;
// whether it applies: once, even if it is in both or has several pieces. Where every vertex scatters,
// the frontier has all vertices, and those outside the mask apply as receivers only: if the frontier
// applied them, too, two items could take the same message.
static bool gascl_nth_in_mask(const long i, const int receivers, int *id, GASCL_STATE,
                              __global const int2 *frontier) {
    const bool receives = i < receivers;
    *id = receives ? gascl_receivers[i] : frontier[i - receivers].x;
    if (!receives && frontier[i - receivers].y != 0)
        return false;
    if (!receives && !GASCL_SCATTER_ALL)
        return true;
    return receives != (gascl_get_mask(*id, gascl_control_ GASCL_MASKS_ON) != 0);
}
#endif

// A superstep's work, by the items of a work-group: gascl_push() and gascl_apply_receivers(). No such file
// exists: gascl/delivery/assembly.py puts push/item.cl here for groups of one item, and push/group.cl for
// larger ones.
#include "step.cl"

// The two phases of a superstep: for delivery `frontier`, push/pull_step.cl; for `push`, push/push_step.cl.
#include "push_phases.cl"

// The kernels: push/launches.cl for launches of each superstep; for a persistent kernel,
// persistent/cpu.cl where a work-group is one item, or persistent/gpu.cl.
#include "step_kernels.cl"
