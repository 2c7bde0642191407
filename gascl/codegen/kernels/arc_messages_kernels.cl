// Sends the messages that were kept for each arc (arc_messages.cl).
#if GASCL_ANSWERS
__kernel void gascl_answer(GASCL_STATE, __global const gascl_offset *restrict out_offsets,
                           __global const gascl_offset *restrict slot) {
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_)) {
        gascl_box box = gascl_box_empty();
        for (gascl_offset arc = out_offsets[id]; arc < out_offsets[id + 1]; ++arc)
            gascl_box_merge(&box, gascl_answers[slot[arc]]);
        gascl_post_box(id, box, GASCL_STATE_ON);
    }
}
#endif

#if GASCL_ORDERS_CREDITS
__kernel void gascl_credit_in_order(GASCL_STATE,
                                    __global const gascl_offset *restrict in_offsets) {
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_)) {
        gascl_box box = gascl_box_empty();
        for (gascl_offset arc = in_offsets[id]; arc < in_offsets[id + 1]; ++arc) {
            if (!gascl_credits[arc].count)
                continue;
            gascl_box_merge(&box, gascl_credits[arc]);
            gascl_credits[arc] = gascl_box_empty();
        }
        gascl_post_box(id, box, GASCL_STATE_ON);
    }
}
#elif GASCL_CREDITS
__kernel void gascl_credit(GASCL_STATE, const long num_arcs) {
    const long last = gascl_control_->stopped ? 0 : num_arcs;
    GASCL_FOR_RANGE_OF(gascl_offset, arc, last) {
        const gascl_box credit = gascl_credits[arc];
        if (!credit.count)
            continue;
        gascl_post_box(gascl_targets[arc], credit, GASCL_STATE_ON);
        gascl_credits[arc].combined = 0;
        gascl_credits[arc].count = 0;
        gascl_credits[arc].overflow = 0;
    }
}
#endif
