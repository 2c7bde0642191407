// The intrinsics of the language: the functions behind the macros that the header defines for snippets.
// Included by the header, after its types and the combiner.
//
// An id that is not a vertex, or another fault of a snippet, is recorded by its kind (`Fault` in
// gascl/codegen/constants.py) and the line of the built source, with the smallest vertex where it
// happened. The run stops, and the host names the line in the user's file.
#ifndef GASCL_TO_ACCUMULATOR
#define GASCL_TO_ACCUMULATOR(x) (x)
#endif

// Intel's optimizer (2026.2, its vectorizer switched off) may store garbage in a field that apply assigns
// in two branches, one of which calls set_mask(), where apply is inlined: in `serial`, `edges` and `slots`
// (TrussNumber on a CPU is such a program).
#ifdef __INTEL_LLVM_COMPILER
#define GASCL_NOT_INLINED __attribute__((noinline))
#else
#define GASCL_NOT_INLINED
#endif

// The index of this lane's value among those of all vertices or arcs.
#if GASCL_LANES == 1
#define GASCL_AT(i) (i)
#else
#define GASCL_AT(i) ((size_t)(i) * GASCL_LANES + gascl_lane)
#endif

#include "traps.cl"

static bool gascl_is_vertex(const long id, const int sender, const int line, __global int *faults,
                            __global gascl_control *control, __global const gascl_run *run) {
    if (id >= 0 && id < run->graph.gascl_rows)
        return true;
    gascl_trap(GASCL_OUT_OF_RANGE, line, sender, faults, control);
    return false;
}

static gascl_box gascl_box_empty(void) {
    gascl_box box;
    box.combined = gascl_identity();
    box.count = 0;
#if GASCL_OVERFLOWS
    box.overflow = 0;
#endif
    return box;
}

static void gascl_box_combine(gascl_box *box, const gascl_accumulator x) {
#if GASCL_OVERFLOWS
    box->combined = gascl_combine(box->combined, x, &box->overflow, 0);
#else
    box->combined = gascl_combine(box->combined, x);
#endif
}

#if GASCL_READS_SINGLY
// Where a gather snippet reads messages one by one, an arc carries one: no combiner could join two.
static void gascl_send(gascl_box *out, const gascl_message x, const int sender, const int line,
                       __global int *faults, __global gascl_control *control) {
    if (out->count)
        gascl_trap(GASCL_SENT_TWICE, line, sender, faults, control);
    out->combined = x;
    out->count = 1;
}
#else
// Several messages along one arc are combined and count as one.
static void gascl_send(gascl_box *out, const gascl_message x) {
    if (out->count)
        gascl_box_combine(out, GASCL_TO_ACCUMULATOR(x));
    else
        out->combined = GASCL_TO_ACCUMULATOR(x);
    out->count = 1;
#if GASCL_OVERFLOWS
    if (!GASCL_FITS(GASCL_TO_MESSAGE(out->combined), out->combined))
        out->overflow += 1 << 24;  // more than later wraps the other way can undo
#endif
    // Narrowed as if it had been stored as a message, so that all deliveries give the same.
    out->combined = GASCL_TO_ACCUMULATOR(GASCL_TO_MESSAGE(out->combined));
}
#endif

#if GASCL_MAY_NEED_ORDER
// Supersteps have an order.
static void gascl_needs_order(volatile __global gascl_control *control) {
    if ((GASCL_AT_ONCE || GASCL_IN_PLACE) && !control->ordered)
        control->ordered = GASCL_ORDER_MATTERS;
}
#endif

// In place on a GPU, all others would wait for an item that looks at very many neighbors: the run then begins again,
// in supersteps. Until it has ended, such vertices seem to have no neighbors, so that loops over them end.
#if GASCL_IN_PLACE && GASCL_GROUP > 1 && !GASCL_TRIES_TURNS
static void gascl_look(const long i, volatile __global gascl_control *control) {
    if (i >= GASCL_MOST_LOOKED && !control->ordered)
        control->ordered = GASCL_ROW_IS_LONG;
}
#else
#define gascl_look(i, control)
#endif

static int gascl_num_neighbors(const int id, volatile __global const gascl_control *control,
                               __global const gascl_offset *offsets) {
    const int row = (int)(offsets[id + 1] - offsets[id]);
#if GASCL_IN_PLACE && GASCL_GROUP > 1 && !GASCL_TRIES_TURNS
    return row > GASCL_MOST_LOOKED && control->ordered ? 0 : row;
#else
    return row;
#endif
}

// The functions of the delivery's active set. No such file exists: gascl/delivery/assembly.py puts
// `Delivery.active.functions` here, that is mask.cl, frontier.cl or the text of another form.
#include "active_set.cl"

// Whether apply runs for a vertex that has received `count` messages.
#if GASCL_APPLY_ALL
#define GASCL_APPLIES(id, count) true
#elif GASCL_APPLY_MASK
#define GASCL_APPLIES(id, count) ((count) || gascl_get_mask(id, gascl_control_ GASCL_MASKS_ON))
#else
#define GASCL_APPLIES(id, count) ((count) > 0)
#endif

// The atomic inbox, if there is one: gascl/delivery/assembly.py puts inbox/messages.cl here or, with the
// combiner `first`, inbox/first_sender.cl.
#include "inbox.cl"

// After an item's share of a phase that may send: posts the bundles to where messages arrive in this superstep,
// or in the next one.
#define GASCL_SEND_BUNDLES() GASCL_POST_BUNDLES()
#if GASCL_POSTS_AHEAD
#define GASCL_SEND_BUNDLES_AHEAD() GASCL_POST_BUNDLES(_next)
#else
#define GASCL_SEND_BUNDLES_AHEAD()
#endif
#if !GASCL_BUNDLES
#define GASCL_POST_BUNDLES(when)
#endif

// Whether a vertex has an i-th arc; if not, that is trapped.
static bool gascl_has_arc(const int vertex, const long i, const int id, const int line,
                          __global int *faults, __global gascl_control *control,
                          __global const gascl_offset *offsets) {
    if (i >= 0 && i < offsets[vertex + 1] - offsets[vertex])
        return true;
    gascl_trap(GASCL_NO_NEIGHBOR, line, id, faults, control);
    return false;
}

// The other end of a vertex's i-th arc.
static int gascl_arc_end(const int vertex, const long i, const int id, const int line,
                         __global int *faults, __global gascl_control *control,
                         __global const gascl_offset *offsets, __global const int *targets) {
    const bool is = gascl_has_arc(vertex, i, id, line, faults, control, offsets);
    gascl_look(i, control);
    return is ? targets[offsets[vertex] + i] : id;
}

static int gascl_neighbor_of(const long vertex, const long i, const int id, const int line,
                             __global int *faults, __global gascl_control *control,
                             __global const gascl_run *run, __global const gascl_offset *offsets,
                             __global const int *targets) {
    return gascl_is_vertex(vertex, id, line, faults, control, run)
               ? gascl_arc_end((int)vertex, i, id, line, faults, control, offsets, targets)
               : id;
}

static int gascl_num_neighbors_of(const long vertex, const int id, const int line,
                                  __global int *faults, __global gascl_control *control,
                                  __global const gascl_run *run,
                                  __global const gascl_offset *offsets) {
    return gascl_is_vertex(vertex, id, line, faults, control, run)
               ? (int)(offsets[vertex + 1] - offsets[vertex])
               : 0;
}

// Whether there is an arc from a to b, by binary search: the targets of a row are sorted.
static bool gascl_has_edge(const long a, const long b, const int id, const int line,
                           __global int *faults, __global gascl_control *control,
                           __global const gascl_run *run, __global const gascl_offset *offsets,
                           __global const int *targets) {
    if (!gascl_is_vertex(a, id, line, faults, control, run) ||
        !gascl_is_vertex(b, id, line, faults, control, run))
        return false;
    // By quarters, three entries at once: in which half an entry is would be mispredicted.
    gascl_offset first = offsets[a], left = offsets[a + 1] - first;
    if (left <= 1)
        return left && targets[first] == b;
    while (left > 4) {
        const gascl_offset part = left / 4;
        __global const int *entries = targets + first;
        first += part * ((entries[part] <= b) + (entries[2 * part] <= b) + (entries[3 * part] <= b));
        left -= 3 * part;
    }
    __global const int *entries = targets + first;
    return (entries[0] == b) | (entries[(left - 1) / 2] == b) | (entries[left / 2] == b) |
           (entries[left - 1] == b);
}
