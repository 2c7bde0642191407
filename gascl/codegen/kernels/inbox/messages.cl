// The atomic inbox: one combined message a vertex and lane, which any work-item may add to. It
// holds what send_to sends, and what deliveries without a place for each arc's message do; apply
// takes it. `arrived` says whether there is a message, and how many if they must be counted there;
// `wraps` how often a sum of 64 bits went beyond them.
#include "atomics.cl"

#if GASCL_LISTS_RECEIVERS
#define GASCL_POST_PARAMETERS                                                            \
    volatile __global gascl_cell *inbox, __global uint *arrived, __global int *wraps,    \
        __global int *receivers, __global int *num_receivers
#define GASCL_POST_ON inbox, arrived, wraps, receivers, num_receivers
#define GASCL_POST(when)                                                              \
    gascl_inbox##when, gascl_arrived##when, gascl_wraps##when, gascl_receivers##when, \
        &GASCL_LENGTH(RECEIVERS##when)
#else
#define GASCL_POST_PARAMETERS \
    volatile __global gascl_cell *inbox, __global uint *arrived, __global int *wraps
#define GASCL_POST_ON inbox, arrived, wraps
#define GASCL_POST(when) gascl_inbox##when, gascl_arrived##when, gascl_wraps##when
#endif

// Where a delivery lists the receivers, and all messages come along arcs, it counts what it posts.
#define GASCL_COUNTS_ARRIVED (GASCL_SENDS_TO || !GASCL_LISTS_RECEIVERS)

// Where a cell of 64 bits holds a sum of messages of up to 32, and they are not counted, the cell itself
// says that there is a message: by its lowest bit, below the sum. This takes one atomic operation a
// message; `arrived` would take another one, on another cache line. Fewer than 2^31 messages fit.
#define GASCL_CELL_TELLS                                                                          \
    (GASCL_CELL_BITS == 64 && GASCL_CELL_INTEGER && GASCL_CELL_OP == GASCL_SUM && GASCL_NARROW && \
     !GASCL_LONG_OFFSETS && !GASCL_COUNTS_ARRIVED)
#if GASCL_CELL_TELLS
static bool gascl_add_marked(volatile __global gascl_cell *cell, const gascl_cell more) {
    if (GASCL_PEEK(cell) == 0 && atom_cmpxchg(cell, 0, more << 1 | 1) == 0)
        return true;
    atom_add(cell, more << 1);
    return false;
}
#endif

// Adds a message; returns whether it is the first one there.
static bool gascl_post(const int id, const gascl_accumulator x,
                       volatile __global gascl_cell *inbox, __global uint *arrived,
                       __global int *wraps GASCL_LANE) {
#if GASCL_CELL_TELLS
    return gascl_add_marked(&inbox[GASCL_AT(id)], gascl_cell_of(x));
#else
    bool fresh;
#if GASCL_WRAPS
    const int wrap = gascl_cell_combine(&inbox[GASCL_AT(id)], x, &fresh);
    if (wrap)
        atomic_add(&wraps[GASCL_AT(id)], wrap);
#else
    gascl_cell_combine(&inbox[GASCL_AT(id)], x, &fresh);
#endif
#if GASCL_COUNTS_ARRIVED
    return atomic_inc(&arrived[GASCL_AT(id)]) == 0;
#else
    // A cell that holds the identity may have got a message that is the identity.
    return fresh && atomic_xchg(&arrived[GASCL_AT(id)], 1u) == 0;
#endif
#endif
}

// Adds a combined message of several, such as another inbox holds, at an index; returns whether it is the
// first one there.
static bool gascl_post_all(const long place, const gascl_cell cell, const uint count,
                           const int more, volatile __global gascl_cell *inbox, __global uint *arrived,
                           __global int *wraps) {
    bool fresh;
    const int wrap = gascl_cell_combine(&inbox[place], gascl_of_cell(cell), &fresh);
#if GASCL_WRAPS
    if (wrap + more)
        atomic_add(&wraps[place], wrap + more);
#endif
    return atomic_add(&arrived[place], count) == 0;
}

#if GASCL_BUNDLES
#include "inbox/bundles.cl"
#endif

#if GASCL_SENDS_TO
#if GASCL_FILTERS
static bool gascl_receives_message(const gascl_message msg, const int id, GASCL_STATE GASCL_LANE);
#endif

static void gascl_send_to(const long id, const gascl_message x, const int ahead, const int sender,
                          const int line, GASCL_POST_PARAMETERS, GASCL_STATE GASCL_LANE) {
    if (!gascl_is_vertex(id, sender, line, gascl_faults, gascl_control_, gascl_run_))
        return;
#if GASCL_FILTERS  // programs whose apply sends do not filter
    if (!gascl_receives_message(x, (int)id, GASCL_STATE_ON GASCL_LANE_ON))
        return;
#endif
#if GASCL_PTX_MATCH  // many may send to one vertex at once
    int more = 0;
    gascl_cell cell = gascl_cell_of(GASCL_TO_ACCUMULATOR(x));
    const uint count = gascl_join_in_warp(&inbox[GASCL_AT(id)], &cell, &more);
    const bool first =
        count && gascl_post_all(GASCL_AT(id), cell, count, more, inbox, arrived, wraps);
#else
    bool first = false;
#if GASCL_BUNDLES
    if (!gascl_bundle(GASCL_AT(id), GASCL_TO_ACCUMULATOR(x), inbox, arrived, wraps, gascl_bundles))
#endif
        first = gascl_post((int)id, GASCL_TO_ACCUMULATOR(x), inbox, arrived, wraps GASCL_LANE_ON);
#endif
#if GASCL_LISTS_RECEIVERS && !GASCL_APPLY_ALL
    if (first)
        receivers[atomic_inc(num_receivers)] = (int)id;
#endif
#if GASCL_OCLGRIND  // takes the read for a race
    if (ahead)
#else  // many stores to one place would wait for each other
    if (ahead && !gascl_control_->under_way)
#endif
        gascl_control_->under_way = 1;
}
#endif

// Whether there is a message for a vertex.
static bool gascl_has_arrived(const int id, __global const gascl_cell *inbox,
                              __global const uint *arrived GASCL_LANE) {
#if GASCL_CELL_TELLS
    return inbox[GASCL_AT(id)] != 0;
#else
    return arrived[GASCL_AT(id)] != 0;
#endif
}

// Takes the combined message of a vertex out of the inbox, which is empty afterwards.
static gascl_box gascl_take(const int id, __global gascl_cell *inbox, __global uint *arrived,
                            __global int *wraps GASCL_LANE) {
    gascl_box box = gascl_box_empty();
#if GASCL_CELL_TELLS
    const gascl_cell sum = inbox[GASCL_AT(id)];
    box.count = sum & 1;
    box.combined = (gascl_accumulator)((gascl_number)sum >> 1);
    if (box.count)
        inbox[GASCL_AT(id)] = 0;
#else
    box.count = arrived[GASCL_AT(id)];
    if (!box.count)
        return box;
    int overflow = 0;
    box.combined = gascl_cell_take(inbox[GASCL_AT(id)], &overflow);
#if GASCL_OVERFLOWS
    box.overflow = overflow;
#endif
#if GASCL_WRAPS
    box.overflow += wraps[GASCL_AT(id)];
    wraps[GASCL_AT(id)] = 0;
#endif
    arrived[GASCL_AT(id)] = 0;
    inbox[GASCL_AT(id)] = gascl_cell_empty();
#endif
    return box;
}

// Empties the inbox of a vertex.
#if GASCL_WRAPS
#define GASCL_EMPTY(id, when)                             \
    gascl_inbox##when[GASCL_AT(id)] = gascl_cell_empty(), \
    gascl_arrived##when[GASCL_AT(id)] = 0, gascl_wraps##when[GASCL_AT(id)] = 0
#else
#define GASCL_EMPTY(id, when)                             \
    gascl_inbox##when[GASCL_AT(id)] = gascl_cell_empty(), \
    gascl_arrived##when[GASCL_AT(id)] = 0
#endif
