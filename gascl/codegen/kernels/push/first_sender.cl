// Push with the combiner `first`: the inbox holds the sender of a vertex's first message.
#define GASCL_PREFETCH_POSTED(id) GASCL_PREFETCH(&gascl_inbox[id])
#define GASCL_NOTE_SENDER(piece)
#define GASCL_COMBINES_HELD 0
typedef gascl_sender gascl_posting;

static gascl_posting gascl_posting_of(const gascl_message x, const int source,
                                      const gascl_offset arc) {
    return GASCL_READS_EDGE ? (gascl_sender)arc : source;
}

static bool gascl_post_arc(const int target, const gascl_posting x, GASCL_STATE) {
    return gascl_post_first(&gascl_inbox[target], x);
}

static bool gascl_has_message(const int id, GASCL_STATE) {
    return gascl_inbox[id] != GASCL_NO_SENDER;
}

static gascl_box gascl_take_received(const int id, GASCL_STATE GASCL_EDGE,
                                     GASCL_PUSHED GASCL_PULLED_BOXES) {
    const gascl_sender sender = gascl_inbox[id];
    if (sender == GASCL_NO_SENDER)
        return gascl_box_empty();
    gascl_inbox[id] = GASCL_NO_SENDER;
#if GASCL_READS_EDGE
    int source = 0;  // the last vertex whose arcs begin at this one or before
    for (uint step = gascl_search_step(gascl_run_->graph.gascl_rows); step > 0; step >>= 1)
        if (source + (long)step < gascl_run_->graph.gascl_rows &&
            offsets[source + step] <= sender)
            source += step;
    const gascl_offset arc = sender;
#else
    const int source = sender;
    const gascl_offset arc = 0;
#endif
    gascl_edge e = gascl_edge_at(source, id, arc GASCL_EDGE_ON);
    return gascl_scatter(gascl_scattering(source, GASCL_STATE_ON), &e, 0, GASCL_STATE_ON);
}
