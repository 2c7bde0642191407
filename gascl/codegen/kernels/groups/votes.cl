// Majority votes: each message is a key, and the key that most messages have counts; of equally frequent ones
// the smallest (combine = by_key(), prefer = "a.count > b.count"). Keys are stored as they are.
//
// An item guesses a key and counts it: if most votes are for that, it is the one. Else it divides the votes at
// one drawn at random into those smaller, equal and larger, and so on (Dobkin and Munro, Determining the Mode,
// 1980), but drops every part that is smaller than the highest count found so far; small parts are counted
// vote by vote.

#define GASCL_FEW_VOTES 64  // to count each needs no branches, and is faster than to divide

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
static void gascl_count_few(__global const gascl_key *votes, const int begin, const int end,
                            gascl_group *best) {
    gascl_key key = best->key;
    int most = best->count, i = begin;
    for (; end - begin >= 16 && i < end; i += 16) {
        const int from = min(i, end - 16);
        const gascl_keys sixteen = vload16(0, votes + from);
        int16 counts = 0;
        for (int j = begin; j < end; ++j)
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
    for (; i < end; ++i) {
        int count = 0;
        for (int j = begin; j < end; ++j)
            count += votes[j] == votes[i];
        if (count > most || (count == most && votes[i] < key)) {
            most = count;
            key = votes[i];
        }
    }
    *best = gascl_votes_for(key, most);
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

// The most frequent of some votes, of equally frequent ones the smallest; it changes their order.
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
    int2 waiting[32];  // parts; the larger one waits, so that there are at most log2(n)
    int parts = 0, begin = 0, end = n;
    while (true) {
        while (end - begin >= best.count) {
            if (end - begin <= GASCL_FEW_VOTES) {
                gascl_count_few(votes, begin, end, &best);
                break;
            }
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
