// Delivery `reached`: no messages are posted. The frontier marks the vertices that its arcs reach, and each of
// them then pulls the messages of its row (push/reached_rows.cl): so floats are added in the order of the arcs,
// and messages may have any size.
//
// A mark is the number of the superstep, beginning with 1, so that no mark need be removed.
#define GASCL_COMBINES_HELD 0
#define GASCL_COUNTS_ARRIVED 1  // a marked vertex may pull any number of messages
typedef uchar gascl_posting;    // nothing
#define GASCL_PREFETCH_POSTED(id) GASCL_PREFETCH(&gascl_reached_in[id])

#define GASCL_MARK_NOW() ((uint)gascl_control_->superstep + 1)

// Notes that the vertex of a piece sends.
#define GASCL_NOTE_SENDER(piece) \
    if ((piece).y == 0)          \
    gascl_sent_in[(piece).x] = GASCL_MARK_NOW()

static bool gascl_post_arc(const int target, const gascl_posting x, GASCL_STATE) {
    const uint now = GASCL_MARK_NOW();
#if !GASCL_OCLGRIND  // takes the read for a race
    if (*(volatile __global uint *)&gascl_reached_in[target] == now)
        return false;
#endif
    return atomic_xchg(&gascl_reached_in[target], now) != now;
}

static bool gascl_has_message(const int id, GASCL_STATE) {
    return gascl_reached_in[id] == GASCL_MARK_NOW();
}

static gascl_box gascl_take_received(const int id, GASCL_STATE GASCL_EDGE,
                                     GASCL_PUSHED GASCL_PULLED_BOXES) {
    return gascl_has_message(id, GASCL_STATE_ON) ? pulled[id] : gascl_box_empty();
}
