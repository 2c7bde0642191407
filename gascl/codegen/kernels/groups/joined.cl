// Messages grouped by key (combine = by_key(...)). They are stored as groups of one message each, whose
// `count` is the message's place; what follows sorts them by key, those with the same key by place, joins
// these in that order, and applies what a gather snippet makes of the groups, or the preferred one.

// Whether a group of one message comes before another one.
#define GASCL_COMES_BEFORE(a, b)    \
    (GASCL_KEY(a) < GASCL_KEY(b) || \
     (GASCL_KEY(a) == GASCL_KEY(b) && (a).count < (b).count))
#include "groups/sort.cl"

// The group of the sorted messages from `*i` on, which becomes the first one of the next group.
static gascl_group gascl_joined(__global const gascl_group *groups, int *i, const int n) {
    gascl_group joined = groups[*i];
    const int first = *i;
    for (++*i; *i < n && GASCL_KEY(groups[*i]) == GASCL_KEY(joined); ++*i)
        gascl_join_values(&joined, groups[*i]);
    joined.count = *i - first;
    return joined;
}

// Moves the messages that a vertex receives to the front; returns how many these are.
static int gascl_keep_received(const int id, __global gascl_group *groups, const int sent,
                               GASCL_STATE GASCL_LANE) {
    if (!GASCL_FILTERS)
        return gascl_num_received(id, sent, GASCL_STATE_ON GASCL_LANE_ON);
    int count = 0;
    for (int i = 0; i < sent; ++i)
        if (gascl_receives_message(gascl_message_of(groups[i]), id, GASCL_STATE_ON GASCL_LANE_ON))
            groups[count++] = groups[i];
    return count;
}

// Applies a vertex to whose groups, by ascending keys, so many messages belong.
static void gascl_apply_groups(const int id, __global gascl_group *groups, const int number,
                               const int count, gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    gascl_gathered msg = gascl_nothing();
    if (count) {
        const gascl_vertex v = gascl_gathering(id, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_PREFERS
        msg = groups[0];
        for (int i = 1; i < number; ++i)  // of equally good ones, that with the smallest key stays
            if (gascl_prefers(v, groups[i], msg, GASCL_STATE_ON GASCL_LANE_ON))
                msg = groups[i];
#else
        msg = gascl_gather_snippet(v, groups, number, GASCL_STATE_ON GASCL_LANE_ON);
#endif
    }
    gascl_apply_gathered(id, msg, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
}

// Applies a vertex's messages, which lie side by side, by one item.
static void gascl_apply_single(const int id, __global gascl_group *groups, const int sent,
                               gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    const int count = gascl_keep_received(id, groups, sent, GASCL_STATE_ON GASCL_LANE_ON);
    bool sorted = true;
    for (int i = 0; i < count; ++i) {
        groups[i].count = i;
        sorted = sorted && (i == 0 || GASCL_KEY(groups[i - 1]) <= GASCL_KEY(groups[i]));
    }
    if (!sorted)
        gascl_sort_messages(groups, count);
    int number = 0;
    for (int i = 0; i < count;) {
        const gascl_group joined = gascl_joined(groups, &i, count);
        groups[number++] = joined;
    }
    gascl_apply_groups(id, groups, number, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
}
