// What several senders send to a receiver, before it is joined with its other messages.

// Combines what a tile sent to a receiver with what earlier tiles sent.
static void gascl_box_add_partial(gascl_box *whole, const gascl_partial part) {
    if (!part.count)
        return;
#if GASCL_OVERFLOWS
    whole->combined =
        gascl_combine(whole->combined, part.combined, &whole->overflow, part.overflow);
#else
    whole->combined = gascl_combine(whole->combined, GASCL_TO_ACCUMULATOR(part.combined));
#endif
    whole->count += part.count;
}

// What u sends to v. Several messages of a pair are combined and count as one.
static void gascl_pair(const gascl_vertex v, const gascl_vertex u, gascl_partial *part,
                       GASCL_STATE GASCL_LANE) {
    part->sent = 0;
    gascl_pair_snippet(v, u, part, GASCL_STATE_ON GASCL_LANE_ON);
    part->count += part->sent;
}
