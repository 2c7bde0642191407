// Majority votes: each message is a key, and the key that most messages have counts; of equally frequent ones
// the smallest (combine = by_key(), prefer = "a.count > b.count"). Keys are stored as they are.

#define GASCL_COMES_BEFORE(a, b) ((a) < (b))
#include "groups/sort.cl"

#define GASCL_FEW_VOTES 64  // to count each needs no branches, and is faster than a table
#define GASCL_VOTE_SLOTS 2048  // of a table in the cache of a core

static gascl_group gascl_votes_for(const gascl_key key, const int count) {
    gascl_group group;
    group.key = key;
    group.count = count;
    return group;
}

// Whether some votes are in order, as labels often are at first; then also the most frequent one.
static bool gascl_count_ordered(__global const gascl_key *votes, const int n, gascl_group *best) {
    int most = 0, run = 0;
    for (int i = 0; i < n; ++i) {
        if (i > 0 && votes[i] < votes[i - 1])
            return false;
        run = i > 0 && votes[i] == votes[i - 1] ? run + 1 : 1;
        if (run > most) {
            most = run;
            *best = gascl_votes_for(votes[i], run);
        }
    }
    return true;
}

// Counts each of a few votes; those that are more frequent than `best` take its place.
static void gascl_count_few(__global const gascl_key *votes, const int n, gascl_group *best) {
    gascl_key key = best->key;
    int most = best->count, i = 0;
    for (; n >= 16 && i < n; i += 16) {
        const int from = min(i, n - 16);
        const gascl_keys sixteen = vload16(0, votes + from);
        int16 counts = 0;
        for (int j = 0; j < n; ++j)
            counts -= sixteen == votes[j];
        if (!any(counts > most || (counts == most && sixteen < key)))
            continue;
        int each[16];
        vstore16(counts, 0, each);
        for (int j = 0; j < 16; ++j)
            if (each[j] > most || (each[j] == most && votes[from + j] < key)) {
                most = each[j];
                key = votes[from + j];
            }
    }
    for (; i < n; ++i) {
        int count = 0;
        for (int j = 0; j < n; ++j)
            count += votes[j] == votes[i];
        if (count > most || (count == most && votes[i] < key)) {
            most = count;
            key = votes[i];
        }
    }
    *best = gascl_votes_for(key, most);
}

#if GASCL_GROUP == 1
// Counts votes in a table; false if there are too many keys for that.
static bool gascl_count_in_table(__global const gascl_key *votes, const int n, gascl_group *best) {
    gascl_key keys[GASCL_VOTE_SLOTS], key = votes[0];
    int counts[GASCL_VOTE_SLOTS], most = 0, left = GASCL_VOTE_SLOTS / 2;
    const int bits = min(32 - (int)clz((uint)n), 31 - (int)clz((uint)GASCL_VOTE_SLOTS));
    for (int i = 0; i < 1 << bits; ++i)
        counts[i] = 0;
    for (int i = 0; i < n; ++i) {
        const gascl_key vote = votes[i];
        uint at = (uint)vote * 2654435761u >> (32 - bits);  // Knuth's multiplicative hash
        while (counts[at] && keys[at] != vote)
            at = (at + 1) & ((1u << bits) - 1);
        if (!counts[at]) {
            if (left-- == 0)
                return false;
            keys[at] = vote;
        }
        const int count = ++counts[at];
        // Every key that is the most frequent in the end gets there at some time.
        if (count > most || (count == most && vote < key)) {
            most = count;
            key = vote;
        }
    }
    *best = gascl_votes_for(key, most);
    return true;
}
#endif

// The most frequent of some votes, of equally frequent ones the smallest; it may change their order.
static gascl_group gascl_elect(__global gascl_key *votes, const int n) {
    const gascl_key first = votes[0], middle = votes[n / 2];
    const gascl_key guess = first == votes[n - 1] ? first : middle;  // two of three, if two agree
    int count = 0;
    for (int i = 0; i < n; ++i)
        count += votes[i] == guess;
    gascl_group best = gascl_votes_for(guess, count);
    if (count > n / 2 || gascl_count_ordered(votes, n, &best))
        return best;
    if (n <= GASCL_FEW_VOTES) {
        gascl_count_few(votes, n, &best);
        return best;
    }
#if GASCL_GROUP == 1
    if (gascl_count_in_table(votes, n, &best))
        return best;
#endif
    gascl_sort_messages(votes, n);
    gascl_count_ordered(votes, n, &best);
    return best;
}

// Moves the votes that a vertex receives to the front; returns how many these are.
static int gascl_keep_received(const int id, __global gascl_key *votes, const int sent,
                               GASCL_STATE GASCL_LANE) {
    if (!GASCL_FILTERS)
        return gascl_num_received(id, sent, GASCL_STATE_ON GASCL_LANE_ON);
    int count = 0;
    for (int i = 0; i < sent; ++i)
        if (gascl_receives_message(votes[i], id, GASCL_STATE_ON GASCL_LANE_ON))
            votes[count++] = votes[i];
    return count;
}

// Applies a vertex's votes, which lie side by side, by one item.
static void gascl_apply_single(const int id, __global gascl_key *votes, const int sent,
                               gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    const int count = gascl_keep_received(id, votes, sent, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_gathered msg = gascl_nothing();
    if (count)
        msg = gascl_elect(votes, count);
    gascl_apply_gathered(id, msg, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
}
