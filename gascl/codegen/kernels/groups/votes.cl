// Majority votes: each message is a key, and the key that most messages have counts; of equally frequent ones
// the smallest (combine = by_key(), prefer = "a.count > b.count"). Keys are stored as they are.
//
// An item guesses a key and counts it: if most votes are for that, it is the one. Else it counts votes in a
// small table, each key in one slot only. Votes whose slot has another key stay, and are counted by another
// hash or, if they are many, divided at one drawn at random into those smaller, equal and larger, and so on
// (Dobkin and Munro, Determining the Mode, 1980), but without any part that is smaller than the highest
// count found so far. Small parts are counted vote by vote.

#define GASCL_FEWEST_VOTES 8
#define GASCL_FEW_VOTES 64  // to count each needs no branches, and is faster than a table
#if GASCL_GROUP == 1
#define GASCL_VOTE_SLOT_BITS 11  // of a table in the cache of a core
#endif

static gascl_group gascl_votes_for(const gascl_key key, const int count) {
    gascl_group group;
    group.key = key;
    group.count = count;
    return group;
}

// Whether some votes are in order, as labels often are at first; then also the most frequent one.
static bool gascl_count_ordered(__global const gascl_key *votes, const int n, gascl_group *best) {
    int i = 1;
    bool repeats = false;
    for (; i + 16 <= n; i += 16) {
        const gascl_keys before = vload16(0, votes + i - 1), sixteen = vload16(0, votes + i);
        if (any(sixteen < before))
            return false;
        repeats |= any(sixteen == before);
    }
    for (; i < n; ++i) {
        if (votes[i] < votes[i - 1])
            return false;
        repeats |= votes[i] == votes[i - 1];
    }
    *best = gascl_votes_for(votes[0], 1);
    for (int j = 1, run = 1; repeats && j < n; ++j) {
        run = votes[j] == votes[j - 1] ? run + 1 : 1;
        if (run > best->count)
            *best = gascl_votes_for(votes[j], run);
    }
    return true;
}

// The largest of sixteen numbers.
static int gascl_largest(const int16 x) {
    const int8 eight = max(x.lo, x.hi);
    const int4 four = max(eight.lo, eight.hi);
    const int2 two = max(four.lo, four.hi);
    return max(two.x, two.y);
}

// Counts each of a few votes; one that is more frequent than `best` takes its place. Without a branch for each
// vote, which would be mispredicted.
static void gascl_count_few(__global const gascl_key *votes, const int begin, const int end,
                            gascl_group *best) {
    const bool fits = end - begin < 16;
    gascl_key copied[16];
    for (int i = 0; fits && i < 16; ++i)
        copied[i] = votes[min(begin + i, end - 1)];
    for (int i = begin; i < end; i += 16) {
        const gascl_keys sixteen = fits ? vload16(0, copied) : vload16(0, votes + min(i, end - 16));
        int16 counts = 0;
        for (int j = begin; j < end; ++j)
            counts -= sixteen == votes[j];
        const int most = gascl_largest(counts);
        if (most < best->count)
            continue;
        // The largest complement is that of the smallest key.
        const int16 codes = as_int16(~sixteen) ^ GASCL_SIGN;
        const int code = gascl_largest(counts == most ? codes : (int16)INT_MIN);
        const gascl_key key = (gascl_key)~(code ^ GASCL_SIGN);
        if (most > best->count || key < best->key)
            *best = gascl_votes_for(key, most);
    }
}

// Moves the votes that are less than a key, or equal to it, to the front, and returns where these end. Without
// a branch, which would be mispredicted half of the time.
#define GASCL_MOVE_VOTES(name, sign)                                                        \
    static int name(__global gascl_key *votes, const int begin, const int end,              \
                    const gascl_key key) {                                                  \
        int front = begin;                                                                  \
        for (int i = begin; i < end; ++i) {                                                 \
            const gascl_key vote = votes[i];                                                \
            votes[i] = votes[front];                                                        \
            votes[front] = vote;                                                            \
            front += vote sign key;                                                         \
        }                                                                                   \
        return front;                                                                       \
    }
GASCL_MOVE_VOTES(gascl_move_less, <)
GASCL_MOVE_VOTES(gascl_move_equal, ==)

#if GASCL_GROUP == 1
// Counts votes in a table, and moves those whose slot has another key to the front; returns where these end.
static int gascl_count_in_table(__global gascl_key *votes, const int begin, const int end,
                                const uint multiplier, gascl_group *best) {
    // How many votes a key has, before its complement: of two slots, the larger one counts.
    ulong slots[1 << GASCL_VOTE_SLOT_BITS];
    const int bits = min(33 - (int)clz((uint)(end - begin)), GASCL_VOTE_SLOT_BITS);
    for (int i = 0; i < 1 << bits; ++i)
        slots[i] = 0;
    ulong most = (ulong)best->count << 32 | (uint)~GASCL_KEY_BITS(best->key);
    int front = begin;
    for (int i = begin; i < end; ++i) {
        const gascl_key vote = votes[i];
        const uint code = ~GASCL_KEY_BITS(vote), at = (uint)vote * multiplier >> (32 - bits);
        const ulong slot = slots[at];
        const bool counts = slot == 0 || (uint)slot == code;
        const ulong counted = counts ? (slot ? slot : (ulong)code) + ((ulong)1 << 32) : slot;
        slots[at] = counted;
        most = max(most, counted);
        votes[front] = vote;
        front += !counts;
    }
    *best = gascl_votes_for(GASCL_KEY_OF(~(uint)most), (int)(most >> 32));
    return front;
}
#endif

// The most frequent of so few votes that vectors do not pay.
static gascl_group gascl_elect_fewest(__global const gascl_key *votes, const int n) {
    gascl_group best = gascl_votes_for(votes[0], 0);
    for (int i = 0; i < n; ++i) {
        int count = 0;  // of the first vote for a key, all
        for (int j = i; j < n; ++j)
            count += votes[j] == votes[i];
        if (count > best.count || (count == best.count && votes[i] < best.key))
            best = gascl_votes_for(votes[i], count);
    }
    return best;
}

// The most frequent of some votes, of equally frequent ones the smallest; it changes them.
static gascl_group gascl_elect(__global gascl_key *votes, const int n) {
    const gascl_key first = votes[0], middle = votes[n / 2];
    const gascl_key guess = first == votes[n - 1] ? first : middle;  // two of three, if two agree
    int guessed = 0;
    for (int i = 0; i < n; ++i)
        guessed += votes[i] == guess;
    gascl_group best = gascl_votes_for(guess, guessed), in_order;
    if (guessed > n / 2)
        return best;
    if (gascl_count_ordered(votes, n, &in_order))
        return in_order;
    if (n <= GASCL_FEWEST_VOTES)
        return gascl_elect_fewest(votes, n);
    int2 waiting[32];  // parts; the larger one waits, so that there are at most log2(n)
    int parts = 0, begin = 0, end = n;
#if GASCL_GROUP == 1
    uint multiplier = 2654435761u;  // Knuth's
#endif
    while (true) {
        while (end - begin >= best.count) {
            if (end - begin <= GASCL_FEW_VOTES) {
                gascl_count_few(votes, begin, end, &best);
                break;
            }
#if GASCL_GROUP == 1
            const int left = gascl_count_in_table(votes, begin, end, multiplier, &best);
            const bool many = left - begin > (end - begin) / 2;
            end = left;
            multiplier *= 2654435761u;
            if (!many)
                continue;
#endif
            const uint drawn = ((uint)begin * 31 + (uint)end) * 2654435761u >> 8;
            const gascl_key pivot = votes[begin + drawn % (uint)(end - begin)];
            const int equal = gascl_move_less(votes, begin, end, pivot);
            const int larger = gascl_move_equal(votes, equal, end, pivot);
            const int count = larger - equal;
            if (count > best.count || (count == best.count && pivot < best.key))
                best = gascl_votes_for(pivot, count);
            if (equal - begin < end - larger) {
                waiting[parts++] = (int2)(larger, end);
                end = equal;
            } else {
                waiting[parts++] = (int2)(begin, equal);
                begin = larger;
            }
        }
        if (parts == 0)
            return best;
        begin = waiting[--parts].x;
        end = waiting[parts].y;
    }
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
