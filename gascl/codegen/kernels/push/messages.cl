// Push with any combiner but `first`: the inbox combines messages.
typedef gascl_message gascl_posting;

static gascl_posting gascl_posting_of(const gascl_message x, const int source,
                                      const gascl_offset arc) {
    return x;
}

static bool gascl_post_arc(const int target, const gascl_posting x, GASCL_STATE) {
    return gascl_post(target, GASCL_TO_ACCUMULATOR(x), gascl_inbox, gascl_arrived, gascl_wraps);
}

static bool gascl_has_message(const int id, GASCL_STATE) {
    return gascl_has_arrived(id, gascl_inbox, gascl_arrived);
}

static gascl_box gascl_take_received(const int id, GASCL_STATE GASCL_EDGE, GASCL_PUSHED) {
    return gascl_take(id, gascl_inbox, gascl_arrived, gascl_wraps);
}
