// Messages grouped by key (combine = by_key(...)). They are stored as groups of one message each, whose
// `count` is the message's place; what follows sorts them by key, those with the same key by place, joins
// these in that order, and applies what a gather snippet makes of the groups, or the preferred one.

// Whether a group of one message comes before another one.
#define GASCL_COMES_BEFORE(a, b)        \
    (GASCL_KEY(a) < GASCL_KEY(b) ||     \
     (GASCL_KEY(a) == GASCL_KEY(b) && (a).count < (b).count))
#define GASCL_FEW_GROUPS 16  // insertion is faster than a division

// Sorts messages by one item: Quicksort (Hoare 1962), whose pivots are drawn, so that no order of messages
// is slow.
static void gascl_sort_messages(__global gascl_group *groups, const int n) {
    int2 waiting[32];  // parts; the larger one waits, so that there are at most log2(n)
    int parts = 0, begin = 0, end = n;
    while (true) {
        while (end - begin > GASCL_FEW_GROUPS) {
            const uint drawn = ((uint)begin * 31 + (uint)end) * 2654435761u >> 8;
            const gascl_group pivot = groups[begin + drawn % (uint)(end - begin)];
            int i = begin, j = end - 1;
            while (i <= j) {
                while (GASCL_COMES_BEFORE(groups[i], pivot))
                    ++i;
                while (GASCL_COMES_BEFORE(pivot, groups[j]))
                    --j;
                if (i <= j) {
                    const gascl_group held = groups[i];
                    groups[i++] = groups[j];
                    groups[j--] = held;
                }
            }
            if (j + 1 - begin < end - i) {
                waiting[parts++] = (int2)(i, end);
                end = j + 1;
            } else {
                waiting[parts++] = (int2)(begin, j + 1);
                begin = i;
            }
        }
        for (int i = begin + 1; i < end; ++i) {
            const gascl_group held = groups[i];
            int j = i;
            for (; j > begin && GASCL_COMES_BEFORE(held, groups[j - 1]); --j)
                groups[j] = groups[j - 1];
            groups[j] = held;
        }
        if (parts == 0)
            return;
        begin = waiting[--parts].x;
        end = waiting[parts].y;
    }
}

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

// Applies a vertex's messages, which lie side by side, by one item.
static void gascl_apply_single(const int id, __global gascl_group *groups, const int sent,
                               gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    const int count = gascl_keep_received(id, groups, sent, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_gathered msg = gascl_nothing();
    if (count) {
        const gascl_vertex v = gascl_gathering(id, GASCL_STATE_ON GASCL_LANE_ON);
        bool sorted = true;
        for (int i = 0; i < count; ++i) {
            groups[i].count = i;
            sorted = sorted && (i == 0 || GASCL_KEY(groups[i - 1]) <= GASCL_KEY(groups[i]));
        }
        if (!sorted)
            gascl_sort_messages(groups, count);
        int i = 0;
#if GASCL_PREFERS
        msg = gascl_joined(groups, &i, count);
        while (i < count) {  // by ascending keys, so that of equally good ones the smallest stays
            const gascl_group other = gascl_joined(groups, &i, count);
            if (gascl_prefers(v, other, msg, GASCL_STATE_ON GASCL_LANE_ON))
                msg = other;
        }
#else
        int number = 0;
        while (i < count) {
            const gascl_group joined = gascl_joined(groups, &i, count);
            groups[number++] = joined;
        }
        msg = gascl_gather_snippet(v, groups, number, GASCL_STATE_ON GASCL_LANE_ON);
#endif
    }
    gascl_apply_gathered(id, msg, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
}

#if GASCL_GROUP > 1
// Sorts messages by the items of a work-group, those that do not count (`count` -1) behind the others:
// Batcher's bitonic sort (1968), in the form in which all comparisons have the same direction, so that n need
// not be a power of two.
static void gascl_sort_together(__global gascl_group *groups, const int n) {
    for (long size = 2; size < 2 * (long)n; size *= 2)
        for (long step = size / 2; step > 0; step /= 2) {
            barrier(CLK_GLOBAL_MEM_FENCE);
            for (long pair = get_local_id(0); pair < n; pair += GASCL_GROUP) {
                const long low = pair / step * 2 * step + pair % step;
                const long high = step == size / 2 ? low + 2 * (step - pair % step) - 1 : low + step;
                if (high >= n)
                    continue;
                const gascl_group a = groups[low], b = groups[high];
                const bool swaps = a.count < 0 || (b.count >= 0 && GASCL_COMES_BEFORE(b, a));
                if (swaps) {
                    groups[low] = b;
                    groups[high] = a;
                }
            }
        }
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// Whether a group begins at a place among sorted messages.
static bool gascl_begins_group(__global const gascl_group *groups, const int i, const int count) {
    return i < count && (i == 0 || GASCL_KEY(groups[i]) != GASCL_KEY(groups[i - 1]));
}

// Applies a vertex's messages by all items of a group, which call it together; those with a `count` of -1 do
// not count.
static void gascl_apply_together(const int id, __global gascl_group *groups, const int sent,
                                 __local gascl_shared *shared, gascl_tally *tally,
                                 GASCL_STATE GASCL_LANE) {
    const int item = get_local_id(0);
    __local long2 *sums = shared->counts;
    int mine = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    const bool receives = gascl_receives(id, GASCL_STATE_ON GASCL_LANE_ON);
    for (int i = item; i < sent; i += GASCL_GROUP) {
        bool counts = receives && groups[i].count >= 0;
        if (GASCL_FILTERS && counts)
            counts = gascl_receives_message(gascl_message_of(groups[i]), id,
                                            GASCL_STATE_ON GASCL_LANE_ON);
        groups[i].count = counts ? i : -1;
        mine += counts;
    }
    const long2 total = gascl_count_reduce((long2)(mine, 0), shared);
    if (item == 0)
        sums[0] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int count = (int)sums[0].x;
    gascl_sort_together(groups, count ? sent : 0);
    const gascl_vertex v = gascl_gathering(id, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_gathered msg = gascl_nothing();
    // The item of a group's first message joins the others; only values change meanwhile, no keys.
    int best = -1;
    for (int i = item; i < count; i += GASCL_GROUP)
        if (gascl_begins_group(groups, i, count)) {
            int end = i;
            const gascl_group joined = gascl_joined(groups, &end, count);
            GASCL_STORE_VALUES(groups[i], joined);
#if GASCL_PREFERS
            if (best < 0 || gascl_prefers(v, joined, groups[best], GASCL_STATE_ON GASCL_LANE_ON))
                best = i;
#endif
        }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if GASCL_PREFERS
    for (int left = GASCL_GROUP / 2; left > 0; left /= 2) {
        sums[item].x = best;
        barrier(CLK_LOCAL_MEM_FENCE);
        const int other = item < left ? (int)sums[item + left].x : -1;
        if (other >= 0 && (best < 0 || gascl_is_better(v, groups[other], groups[best],
                                                       GASCL_STATE_ON GASCL_LANE_ON)))
            best = other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0 && best >= 0)
        msg = groups[best];
#else
    int number = 0;
    for (int base = 0; base < count; base += GASCL_GROUP) {
        const int i = base + item;
        const int begins = gascl_begins_group(groups, i, count);
        gascl_group held;
        if (begins)
            held = groups[i];
        int sum = begins;
        for (int step = 1; step < GASCL_GROUP; step *= 2) {  // Hillis and Steele (1986)
            sums[item].x = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item >= step)
                sum += (int)sums[item - step].x;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        sums[item].x = sum;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read their groups
        if (begins)
            groups[number + sum - 1] = held;
        number += (int)sums[GASCL_GROUP - 1].x;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (item == 0 && count)
        msg = gascl_gather_snippet(v, groups, number, GASCL_STATE_ON GASCL_LANE_ON);
#endif
    if (item == 0)
        gascl_apply_gathered(id, msg, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
}
#endif
