// Messages of send_to that are kept for each arc first, in deliveries that run scatter once for each arc,
// side by side for those that end in a vertex. Those to the sender itself (answers) are combined in the
// order of its arcs then, without atomic operations. Those to the common neighbor that is visited
// (credits, of sums) are sent together: that takes fewer atomic operations on the vertex, and none on a
// CPU, where one item visits all arcs that end where `e` does. Only there can they be floats, which are
// combined in the order of the neighbor's arcs (GASCL_ORDERS_CREDITS).
#if GASCL_ANSWERS || GASCL_CREDITS
static void gascl_send_by_arc(gascl_edge *e, const long id, const gascl_message x, const int ahead,
                              const int sender, const int line, GASCL_POST_PARAMETERS,
                              GASCL_STATE GASCL_LANE) {
#if GASCL_ANSWERS
    if (id == e->src) {
        gascl_box_combine(&e->gascl_answer, GASCL_TO_ACCUMULATOR(x));
        ++e->gascl_answer.count;
        return;
    }
#endif
#if GASCL_CREDITS && (GASCL_OWNS_CREDITS || !GASCL_ORDERS_CREDITS)
    if (id == e->gascl_common) {
        __global gascl_box *credit = &gascl_credits[e->gascl_arc];
#if GASCL_OWNS_CREDITS
        gascl_box sum = *credit;
        gascl_box_combine(&sum, GASCL_TO_ACCUMULATOR(x));
        ++sum.count;
        *credit = sum;
#else
        bool fresh;
        const int wrap = gascl_cell_combine((volatile __global gascl_cell *)&credit->combined,
                                            GASCL_TO_ACCUMULATOR(x), &fresh);
#if GASCL_WRAPS
        if (wrap)
            atomic_add((volatile __global int *)&credit->overflow, wrap);
#endif
        atomic_inc((volatile __global uint *)&credit->count);
#endif
        return;
    }
#endif
    gascl_send_to(id, x, ahead, sender, line, GASCL_POST_ON, GASCL_STATE_ON GASCL_LANE_ON);
}

// Posts what was kept.
static void gascl_post_box(const int id, const gascl_box box, GASCL_STATE) {
    int overflow = 0;
#if GASCL_OVERFLOWS
    overflow = box.overflow;
#endif
    if (box.count)
        gascl_post_all(id, gascl_cell_of(box.combined), box.count, overflow, GASCL_POST());
}
#else
#define gascl_send_by_arc(e, ...) gascl_send_to(__VA_ARGS__)
#endif
