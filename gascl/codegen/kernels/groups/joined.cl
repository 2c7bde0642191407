// Messages grouped by key (combine = by_key(...)). They are stored as groups of one message each. What follows
// joins those with the same key, in the order of messages, and applies what a gather snippet makes of the
// groups, or the preferred one.

// Whether a group comes before another one: by key and, while `count` is the place of its only message, by that.
#define GASCL_COMES_BEFORE(a, b)    \
    (GASCL_KEY(a) < GASCL_KEY(b) || \
     (GASCL_KEY(a) == GASCL_KEY(b) && (a).count < (b).count))
#if GASCL_GROUP == 1
#define GASCL_FEW_MESSAGES 64  // to count the smaller keys needs no branches, and is faster than a division
#else
#define GASCL_FEW_MESSAGES 16  // insertion is faster than a division
#endif
#define GASCL_GROUP_SLOTS 16384  // of a table in the cache of a core
#define GASCL_GROUP_TURNS 8      // so many full tables take less time than sorting

// Sorts a few groups by insertion.
static void gascl_insert(__global gascl_group *groups, const int n) {
    for (int i = 1; i < n; ++i) {
        const gascl_group held = groups[i];
        int j = i;
        for (; j > 0 && GASCL_COMES_BEFORE(held, groups[j - 1]); --j)
            groups[j] = groups[j - 1];
        groups[j] = held;
    }
}

// Sorts a few groups, on a CPU with different keys: as many come before one as have a smaller key.
static void gascl_sort_few(__global gascl_group *groups, const int n) {
#if GASCL_GROUP == 1
    if (n > 8) {
        gascl_group held[GASCL_FEW_MESSAGES];
        gascl_key_bits keys[GASCL_FEW_MESSAGES];
        for (int i = 0; i < GASCL_FEW_MESSAGES; ++i)
            keys[i] = 0;
        for (int i = 0; i < n; ++i) {
            held[i] = groups[i];
            keys[i] = GASCL_KEY_BITS(GASCL_KEY(held[i]));
        }
        for (int i = 0; i < n; i += 16) {
            const gascl_sixteen_keys sixteen = vload16(0, keys + i);
            gascl_sixteen_places before = 0;
            for (int j = 0; j < n; ++j)
                before -= (gascl_sixteen_keys)keys[j] < sixteen;
            gascl_place places[16];
            vstore16(before, 0, places);
            for (int k = 0; k < min(16, n - i); ++k)
                groups[places[k]] = held[i + k];
        }
        return;
    }
#endif
    gascl_insert(groups, n);
}

// Sorts groups by one item: Quicksort (Hoare 1962), whose pivots are drawn, so that no order is slow.
static void gascl_sort_messages(__global gascl_group *groups, const int n, const bool keys_differ) {
    int2 waiting[32];  // parts; the larger one waits, so that there are at most log2(n)
    int parts = 0, begin = 0, end = n;
    while (true) {
        while (end - begin > GASCL_FEW_MESSAGES) {
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
        if (keys_differ)
            gascl_sort_few(groups + begin, end - begin);
        else
            gascl_insert(groups + begin, end - begin);
        if (parts == 0)
            return;
        begin = waiting[--parts].x;
        end = waiting[parts].y;
    }
}

// Joins messages in place after sorting them; returns how many groups there are, by ascending keys.
static int gascl_join_sorted(__global gascl_group *groups, const int n) {
    for (int i = 0; i < n; ++i)
        groups[i].count = i;
    gascl_sort_messages(groups, n, false);
    int number = 0;
    for (int i = 0; i < n;) {
        gascl_group joined = groups[i];
        const int first = i;
        for (++i; i < n && GASCL_KEY(groups[i]) == GASCL_KEY(joined); ++i)
            gascl_join_values(&joined, groups[i]);
        joined.count = i - first;
        groups[number++] = joined;
    }
    return number;
}

// Joins messages in place; returns how many groups there are, by ascending keys unless one is preferred.
#if GASCL_GROUP == 1
#define GASCL_FEW_JOINED (GASCL_PREFERS ? 2 : 4)
// Inserts the few messages of a short row into the groups before them.
static int gascl_join_few(__global gascl_group *groups, const int n) {
    groups[0].count = 1;
    int number = 1;
    for (int i = 1; i < n; ++i) {
        gascl_group one = groups[i];
        int at = 0;
        for (int j = 0; j < number; ++j)
            at += GASCL_KEY(groups[j]) < GASCL_KEY(one);
        if (at < number && GASCL_KEY(groups[at]) == GASCL_KEY(one)) {
            gascl_group joined = groups[at];
            gascl_join_values(&joined, one);
            ++joined.count;
            groups[at] = joined;
            continue;
        }
        for (int j = number++; j > at; --j)
            groups[j] = groups[j - 1];
        one.count = 1;
        groups[at] = one;
    }
    return number;
}

#if !GASCL_GROUP_VALUES
// Where keys are not far from each other, counts them without branches; otherwise returns 0.
#define GASCL_MOST_COUNTED 1024
static int gascl_count_keys(__global gascl_group *groups, const int n) {
    gascl_key_bits least = GASCL_KEY_BITS(GASCL_KEY(groups[0])), greatest = least;
    for (int i = 1; i < n; ++i) {
        const gascl_key_bits bits = GASCL_KEY_BITS(GASCL_KEY(groups[i]));
        least = min(least, bits);
        greatest = max(greatest, bits);
    }
    if (greatest - least >= (gascl_key_bits)(4 * min(n, GASCL_MOST_COUNTED / 4)))
        return 0;
    const int last = (int)(greatest - least);
    int counts[GASCL_MOST_COUNTED];
    for (int k = 0; k <= last; ++k)
        counts[k] = 0;
    for (int i = 0; i < n; ++i)
        ++counts[GASCL_KEY_BITS(GASCL_KEY(groups[i])) - least];
    int number = 0;
    for (int k = 0; k <= last; ++k) {  // the last one has a message, so that there is room for each
        GASCL_KEY(groups[number]) = GASCL_KEY_OF(least + (gascl_key_bits)k);
        groups[number].count = counts[k];
        number += counts[k] > 0;
    }
    return number;
}
#endif

// In a table, whose slots say which group has a key, counted from 1. When it is full, messages with other keys
// stay for the next turn; after several turns, they are sorted.
static int gascl_join_messages(__global gascl_group *groups, const int n, GASCL_STATE GASCL_LANE) {
    if (n <= GASCL_FEW_JOINED)
        return gascl_join_few(groups, n);
#if !GASCL_GROUP_VALUES
    const int counted = gascl_count_keys(groups, n);
    if (counted)
        return counted;
#endif
    ushort slots[GASCL_GROUP_SLOTS];
    int number = 0, left = n;
    for (int turn = 0; number < left && turn < GASCL_GROUP_TURNS; ++turn) {
        const int most = 31 - (int)clz((uint)GASCL_GROUP_SLOTS);
        const int bits = min(33 - (int)clz((uint)(left - number)), most);
        for (int i = 0; i < 1 << bits; ++i)
            slots[i] = 0;
        __global gascl_group *found = groups + number;
        int keys = 0, others = 0;
        for (int i = number; i < left; ++i) {
            gascl_group one = groups[i];
            const ulong key = (ulong)GASCL_KEY(one);
            uint at = (uint)(key ^ key >> 32) * 2654435761u >> (32 - bits);  // Knuth's multiplicative hash
            while (slots[at] && GASCL_KEY(found[slots[at] - 1]) != GASCL_KEY(one))
                at = (at + 1) & ((1u << bits) - 1);
            if (slots[at]) {
                gascl_group joined = found[slots[at] - 1];
                gascl_join_values(&joined, one);
                ++joined.count;
                found[slots[at] - 1] = joined;
            } else if (keys < GASCL_GROUP_SLOTS / 2) {
                one.count = 1;
                found[keys++] = one;
                slots[at] = (ushort)keys;
#if GASCL_PREFERS
                gascl_prefetch_key(key, GASCL_STATE_ON GASCL_LANE_ON);
#endif
            } else {
                found[keys + others++] = one;
            }
        }
        number += keys;
        left = number + others;
    }
    number += gascl_join_sorted(groups + number, left - number);
    if (!GASCL_PREFERS)
        gascl_sort_messages(groups, number, true);
    return number;
}
#endif

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

// Applies a vertex to whose groups so many messages belong. For a gather snippet, keys ascend.
static void gascl_apply_groups(const int id, __global gascl_group *groups, const int number,
                               const int count, gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    gascl_gathered msg = gascl_nothing();
    if (count) {
        const gascl_vertex v = gascl_gathering(id, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_SCORES
        msg = groups[0];
        real best = gascl_score(v, msg, GASCL_STATE_ON GASCL_LANE_ON);
        for (int i = 1; i < number; ++i) {
            const real score = gascl_score(v, groups[i], GASCL_STATE_ON GASCL_LANE_ON);
            if (score > best || (score == best && GASCL_KEY(groups[i]) < GASCL_KEY(msg))) {
                best = score;
                msg = groups[i];
            }
        }
#elif GASCL_PREFERS
        msg = groups[0];
        for (int i = 1; i < number; ++i)
            if (gascl_is_better(v, groups[i], msg, GASCL_STATE_ON GASCL_LANE_ON))
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
#if GASCL_GROUP == 1
    const int number =
        count ? gascl_join_messages(groups, count, GASCL_STATE_ON GASCL_LANE_ON) : 0;
#else
    const int number = count ? gascl_join_sorted(groups, count) : 0;
#endif
    gascl_apply_groups(id, groups, number, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
}
