// A vertex applies: its word is read, apply makes another one of it, and that takes its place, unless the
// word has changed meanwhile; then apply runs again.
#include "packed_word.cl"

// A vertex that others have changed waits. Its byte is a plain one: who sends changes the receiver's word,
// and then says that it waits; a vertex that applies first says that it no longer waits, and then reads its
// word, each with a fence between the two, so that no change remains unseen.
#define GASCL_WAITS_NOW(id) (*(volatile __global uchar *)&gascl_mask[id])
// An atomic operation of x86 is a fence.
#if defined(__x86_64__)
#define gascl_fence_after_swap()
#else
#define gascl_fence_after_swap() gascl_fence()
#endif

#if GASCL_SENDS_TO
// Applies a message, unless the receiver does not want it; returns whether that changes anything.
static bool gascl_deliver_now(const int id, const gascl_message msg, GASCL_STATE) {
    volatile __global gascl_packed *word = &gascl_words[id];
    gascl_packed before = *word;
    for (;;) {
        const gascl_vertex old = gascl_unpacked(before, id, GASCL_STATE_ON);
        if (!gascl_wants(old, msg, GASCL_STATE_ON))
            return false;
        const gascl_vertex v = gascl_receive_snippet(old, msg, true, 0, GASCL_STATE_ON);
        const gascl_packed after = gascl_pack(v);
        const gascl_packed seen =
            after == before ? before : GASCL_SWAP_PACKED(word, before, after);
        if (seen == before) {
            gascl_fence_after_swap();
            if (v.gascl_set == GASCL_SET)
                GASCL_WAITS_NOW(id) = 1;
            return after != before || v.gascl_set == GASCL_SET;
        }
        before = seen;
    }
}
#endif

// Whether a vertex with this word receives nothing: then it alone changes the word, by a plain store. That
// takes a tenth of the time of a compare-and-swap, which also waits for all reads and writes before it.
static bool gascl_is_closed(const gascl_packed word, const int id, GASCL_STATE) {
#if GASCL_RECEIVES && !GASCL_FILTERS && !GASCL_DEBUG
    return !gascl_wants(gascl_unpacked(word, id, GASCL_STATE_ON), GASCL_TO_MESSAGE(gascl_identity()),
                        GASCL_STATE_ON);
#else
    return !GASCL_SENDS_TO;
#endif
}

#define GASCL_APPLIES_LATER 2

#if GASCL_TRIES_TURNS && GASCL_GROUP > 1
// A vertex in the middle of apply: the word that apply has read, what it has made of it, and its variables.
typedef struct {
    gascl_packed before, word;
    int set;
    gascl_kept kept;
} gascl_begun;
#else
typedef int gascl_begun;
#endif

// A vertex applies without a message; returns whether it waits for the next pass, or GASCL_APPLIES_LATER if
// the loop over its neighbors has not ended after GASCL_MOST_LOOKED turns: then it has `begun`. `waited`:
// whether it waited for this pass.
static int gascl_apply_in_place(const int id, const bool waited, gascl_begun *begun,
                                gascl_tally *tally, GASCL_STATE) {
    volatile __global gascl_packed *word = &gascl_words[id];
    gascl_packed before = *word;
    for (;;) {
        gascl_vertex v = gascl_unpacked(before, id, GASCL_STATE_ON);
#if GASCL_TRIES_TURNS && GASCL_GROUP > 1
        gascl_turns turns;
        turns.waited = waited;
        turns.continues = turns.tries = turns.reached = false;
        turns.first = 0;
        turns.last = GASCL_MOST_LOOKED;
        v = gascl_apply_turns(v, gascl_nothing(), false, &turns, tally, GASCL_STATE_ON);
        if (turns.reached) {
            begun->before = before;
            begun->word = gascl_pack(v);
            begun->set = v.gascl_set;
            GASCL_COPY_KEPT(begun->kept, turns.kept);
            return GASCL_APPLIES_LATER;
        }
#else
        v.gascl_set = waited ? GASCL_WAITED : 0;
        v = gascl_apply_snippet(v, gascl_nothing(), false, tally, GASCL_STATE_ON);
#endif
        const gascl_packed after = gascl_pack(v);
        gascl_packed seen = before;
        if (after != before) {
            if (gascl_is_closed(before, id, GASCL_STATE_ON))
                *word = after;
            else
                seen = GASCL_SWAP_PACKED(word, before, after);
        }
        if (seen == before) {
            if (v.gascl_set == GASCL_SET)
                GASCL_WAITS_NOW(id) = 1;
            return v.gascl_set == GASCL_SET;
        }
        before = seen;
    }
}
