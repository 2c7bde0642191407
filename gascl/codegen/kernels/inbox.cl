// The atomic inbox: one combined message a vertex and lane, which any work-item may add to. It
// holds what send_to sends, and what deliveries without a place for each arc's message do; apply
// takes it. `arrived` counts the messages; `wraps` how often a sum of 64 bits went beyond them.
#include "atomics.cl"

#if GASCL_LISTS_RECEIVERS
#define GASCL_POST_PARAMETERS                                                            \
    volatile __global gascl_cell *inbox, __global uint *arrived, __global int *wraps,    \
        __global int *touched, __global int *num_touched
#define GASCL_POST(when)                                                                 \
    gascl_inbox##when, gascl_arrived##when, gascl_wraps##when, gascl_touched##when,      \
        &gascl_lengths[GASCL_LENGTH_OF_TOUCHED##when]
#define GASCL_POST_ON inbox, arrived, wraps, touched, num_touched
#else
#define GASCL_POST_PARAMETERS \
    volatile __global gascl_cell *inbox, __global uint *arrived, __global int *wraps
#define GASCL_POST(when) gascl_inbox##when, gascl_arrived##when, gascl_wraps##when
#define GASCL_POST_ON inbox, arrived, wraps
#endif

// Adds a message; where the delivery lists receivers, the first one lists the vertex.
static void gascl_post(const int id, const gascl_accumulator x, GASCL_POST_PARAMETERS GASCL_LANE) {
#if GASCL_WRAPS
    const int wrap = gascl_cell_combine(&inbox[GASCL_AT(id)], x);
    if (wrap)
        atomic_add(&wraps[GASCL_AT(id)], wrap);
#else
    gascl_cell_combine(&inbox[GASCL_AT(id)], x);
#endif
#if GASCL_LISTS_RECEIVERS
    if (atomic_inc(&arrived[id]) == 0)
        touched[atomic_inc(num_touched)] = id;
#else
    atomic_inc(&arrived[GASCL_AT(id)]);
#endif
}

static void gascl_send_to(const long id, const gascl_message x, const int ahead, const int sender,
                          const int line, __global int *faults, __global gascl_control *control,
                          __global const gascl_run *run, GASCL_POST_PARAMETERS GASCL_LANE) {
    if (!gascl_is_vertex(id, sender, line, faults, control, run))
        return;
    gascl_post((int)id, GASCL_TO_ACCUMULATOR(x), GASCL_POST_ON GASCL_LANE_ON);
    if (ahead)
        control->under_way = 1;
}

// What the inbox holds for a vertex, which is empty then.
static gascl_box gascl_take(const int id, __global gascl_cell *inbox, __global uint *arrived,
                            __global int *wraps GASCL_LANE) {
    gascl_box box = gascl_box_empty();
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
    return box;
}
