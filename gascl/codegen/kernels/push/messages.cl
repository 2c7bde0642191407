// Push with any combiner but `first`: the inbox combines messages.
#define GASCL_PREFETCH_POSTED(id) GASCL_PREFETCH(&gascl_inbox[id])
#define GASCL_NOTE_SENDER(piece)

// Of messages that are combined by compare-and-swap, the more are under way to one vertex, the more fail.
// Work-groups therefore combine those that they hold back, as cells, before they post them.
#define GASCL_COMBINES_HELD (GASCL_CELL_SWAPS && !GASCL_WRAPS && !GASCL_COUNTS_ARRIVED)

#if GASCL_COMBINES_HELD
typedef gascl_cell gascl_posting;
#define GASCL_POSTING_OF(x) gascl_cell_of(GASCL_TO_ACCUMULATOR(x))
#define GASCL_POSTED(x) gascl_of_cell(x)

// Whether a vertex's inbox has a message to which another one adds nothing. Only one that adds nothing to
// itself is looked up: a minimum, but not a sum.
static bool gascl_adds_nothing(const int target, const gascl_posting x, GASCL_STATE) {
    if (gascl_cell_after(x, GASCL_POSTED(x)) != x)
        return false;
    const gascl_cell held = GASCL_PEEK(&gascl_inbox[target]);
    return held != gascl_cell_empty() && gascl_cell_after(held, GASCL_POSTED(x)) == held;
}

static GASCL_INLINE void gascl_combine_postings(volatile __local gascl_posting *held,
                                                const gascl_posting x) {
    gascl_cell before = GASCL_ATOMIC(cmpxchg)(held, 0, 0);
    gascl_cell after = gascl_cell_after(before, GASCL_POSTED(x));
    while (after != before) {
        const gascl_cell current = GASCL_ATOMIC(cmpxchg)(held, before, after);
        if (current == before)
            break;
        before = current;
        after = gascl_cell_after(before, GASCL_POSTED(x));
    }
}
#else
typedef gascl_message gascl_posting;
#define GASCL_POSTING_OF(x) (x)
#define GASCL_POSTED(x) GASCL_TO_ACCUMULATOR(x)
#endif

static gascl_posting gascl_posting_of(const gascl_message x, const int source,
                                      const gascl_offset arc) {
    return GASCL_POSTING_OF(x);
}

static bool gascl_post_arc(const int target, const gascl_posting x, GASCL_STATE) {
    return gascl_post(target, GASCL_POSTED(x), gascl_inbox, gascl_arrived, gascl_wraps);
}

static bool gascl_has_message(const int id, GASCL_STATE) {
    return gascl_has_arrived(id, gascl_inbox, gascl_arrived);
}

static gascl_box gascl_take_received(const int id, GASCL_STATE GASCL_EDGE,
                                     GASCL_PUSHED GASCL_PULLED_BOXES) {
    return gascl_take(id, gascl_inbox, gascl_arrived, gascl_wraps);
}
