// Majority votes (groups/votes.cl) by a work-group, which counts them in tables in local memory. The rows of a
// block of several share one, whose slots belong to a row and a key. A longer row has a table to itself: its
// votes are copied side by side, and counted in as many passes as it takes for the keys of a pass to fit, each
// with a range of hashes.

#define GASCL_VOTE_SLOTS (2 * GASCL_BLOCK > GASCL_GROUP ? 2 * GASCL_BLOCK : GASCL_GROUP)  // one for each item
#define GASCL_OWNER_BITS 12  // of the number of a vote in a block
#define GASCL_MOST_PROBES 64
#define GASCL_READS_AT_ONCE 4
#define GASCL_SHORT_VOTES 16  // of a row, which an item counts by comparing each with the others
#if GASCL_OCLGRIND  // to which a plain read beside atomic operations is a race
#define GASCL_PEEK_KEY(key) atomic_or(key, 0)
#else
#define GASCL_PEEK_KEY(key) (*(key))
#endif

typedef union {
    gascl_shared shared;
    struct {
        gascl_key votes[GASCL_BLOCK];
        int slots[GASCL_VOTE_SLOTS];  // how many votes, and the first of them: 0 if there is none
        int best[GASCL_BLOCK];        // the slot that counts for each row
        ushort starts[GASCL_BLOCK + 1];
        uchar carries[GASCL_BLOCK];
        int longest;  // of the rows that receive anything
    } rows;
    struct {
        gascl_key keys[GASCL_VOTE_SLOTS];
        int counts[GASCL_VOTE_SLOTS];
        int sent, unordered, full;
    } row;
} gascl_gather_memory;

static uint gascl_hash_vote(uint x) {  // the last step of MurmurHash3
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

// The row of a vote of a block, by binary search.
static GASCL_INLINE int gascl_row_of_vote(__local const ushort *starts, const int rows, const int i) {
    int row = 0;
    for (uint step = gascl_search_step(rows); step > 0; step >>= 1)
        if (row + (int)step < rows && starts[row + step] <= i)
            row += step;
    return row;
}

// Counts a vote of a block in the slot of its row and key.
static GASCL_INLINE void gascl_count_vote(__local gascl_gather_memory *memory, const int rows, const int i) {
    __local const gascl_key *votes = memory->rows.votes;
    __local const ushort *starts = memory->rows.starts;
    volatile __local int *slots = memory->rows.slots;
    const int row = gascl_row_of_vote(starts, rows, i);
    if (starts[row + 1] - starts[row] <= GASCL_SHORT_VOTES)
        return;
    uint at = gascl_hash_vote((uint)votes[i] + (uint)row * 0x9e3779b9u) % GASCL_VOTE_SLOTS;
    while (true) {
        const int seen = atomic_cmpxchg(&slots[at], 0, 1 << GASCL_OWNER_BITS | i);
        if (!seen)
            return;
        const int owner = seen & ((1 << GASCL_OWNER_BITS) - 1);
        if (votes[owner] == votes[i] && starts[row] <= owner && owner < starts[row + 1]) {
            atomic_add(&slots[at], 1 << GASCL_OWNER_BITS);
            return;
        }
        at = (at + 1) % GASCL_VOTE_SLOTS;
    }
}

// Whether one slot of a row counts rather than another one.
static GASCL_INLINE bool gascl_leads(__local const gascl_gather_memory *memory, const int slot, const int other) {
    const int owners = (1 << GASCL_OWNER_BITS) - 1;
    const int mine = memory->rows.slots[slot], its = memory->rows.slots[other];
    const int count = mine >> GASCL_OWNER_BITS, others = its >> GASCL_OWNER_BITS;
    return count > others || (count == others && memory->rows.votes[mine & owners] <
                                                     memory->rows.votes[its & owners]);
}

// Proposes a slot for its row.
static GASCL_INLINE void gascl_propose(__local gascl_gather_memory *memory, const int rows, const int slot) {
    const int owner = memory->rows.slots[slot] & ((1 << GASCL_OWNER_BITS) - 1);
    volatile __local int *best = &memory->rows.best[gascl_row_of_vote(memory->rows.starts, rows, owner)];
    int seen = -1;
    while (seen < 0 || gascl_leads(memory, slot, seen)) {
        const int now = atomic_cmpxchg(best, seen, slot);
        if (now == seen)
            return;
        seen = now;
    }
}

// The most frequent vote of a short row of a block.
static GASCL_INLINE gascl_group gascl_elect_by_item(__local const gascl_gather_memory *memory, const int row) {
    const int begin = memory->rows.starts[row], end = memory->rows.starts[row + 1];
    gascl_group best = gascl_nothing();
    for (int i = begin; i < end; ++i) {
        const gascl_key vote = memory->rows.votes[i];
        int count = 0;
        for (int j = i; j < end; ++j)
            count += memory->rows.carries[j] && memory->rows.votes[j] == vote;
        const bool leads = count > best.count || (count == best.count && vote < best.key);
        if (memory->rows.carries[i] && leads)
            best = gascl_votes_for(vote, count);
    }
    return best;
}

// The most frequent vote of a row of a block from its slot in the table.
static GASCL_INLINE gascl_group gascl_elected(__local const gascl_gather_memory *memory, const int row) {
    const int best = memory->rows.best[row], slot = best < 0 ? 0 : memory->rows.slots[best];
    if (!slot)
        return gascl_nothing();
    return gascl_votes_for(memory->rows.votes[slot & ((1 << GASCL_OWNER_BITS) - 1)],
                           slot >> GASCL_OWNER_BITS);
}

// How many votes a row of a block has got.
static GASCL_INLINE int gascl_count_row(__local const gascl_gather_memory *memory, const int row) {
    const int begin = memory->rows.starts[row], end = memory->rows.starts[row + 1];
    if (GASCL_EVERY_ARC_SENDS)
        return end > begin && memory->rows.carries[begin] ? end - begin : 0;
    int count = 0;
    for (int i = begin; i < end; ++i)
        count += memory->rows.carries[i];
    return count;
}

// The rows of a block that fits in local memory. In other blocks there is nothing to do, so that no barrier
// is in a branch.
static void gascl_elect_in_rows(gascl_block block, __global const gascl_offset *restrict offsets,
                                __local gascl_gather_memory *memory, gascl_tally *tally,
                                GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    if (block.end - block.begin > GASCL_BLOCK) {
        block.end = block.begin;
        block.last = block.first;
    }
    const int rows = block.last - block.first;
    if (item == 0)
        memory->rows.longest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int longest = 0;
    for (int i = item; i <= rows; i += GASCL_GROUP) {
        const int begin = (int)(offsets[block.first + i] - block.begin);
        memory->rows.starts[i] = (ushort)begin;
        if (i < rows && (!GASCL_SKIPS || gascl_receives(block.first + i,
                                                        GASCL_STATE_ON GASCL_LANE_ON)))
            longest = max(longest, (int)(offsets[block.first + i + 1] - block.begin) - begin);
    }
    atomic_max(&memory->rows.longest, longest);
    barrier(CLK_LOCAL_MEM_FENCE);
    longest = memory->rows.longest;
    const int arcs = longest ? (int)(block.end - block.begin) : 0;
    const bool tables = longest > GASCL_SHORT_VOTES;
    for (int i = item; tables && i < rows; i += GASCL_GROUP)
        memory->rows.best[i] = -1;
    for (int i = item; tables && i < GASCL_VOTE_SLOTS; i += GASCL_GROUP)
        memory->rows.slots[i] = 0;
    for (int i = item; i < arcs; i += GASCL_FETCHES * GASCL_GROUP) {
        gascl_message x[GASCL_FETCHES];
        bool carries[GASCL_FETCHES];
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k) {
            const int j = min(i + k * GASCL_GROUP, arcs - 1);
            const int row = block.first + gascl_row_of_vote(memory->rows.starts, rows, j);
            carries[k] = gascl_fetch_received(block.begin + j, row, &x[k],
                                              GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)
            if (i + k * GASCL_GROUP < arcs) {
                memory->rows.votes[i + k * GASCL_GROUP] = x[k];
                memory->rows.carries[i + k * GASCL_GROUP] = carries[k];
            }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; tables && i < arcs; i += GASCL_GROUP)
        if (memory->rows.carries[i])
            gascl_count_vote(memory, rows, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; tables && i < GASCL_VOTE_SLOTS; i += GASCL_GROUP)
        if (memory->rows.slots[i])
            gascl_propose(memory, rows, i);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read the fields of the rows
    for (int row = item; row < rows; row += GASCL_GROUP) {
        const int size = memory->rows.starts[row + 1] - memory->rows.starts[row];
        const int count = longest ? gascl_count_row(memory, row) : 0;
        gascl_gathered msg = gascl_nothing();
        if (count)
            msg = size <= GASCL_SHORT_VOTES ? gascl_elect_by_item(memory, row)
                                            : gascl_elected(memory, row);
        gascl_apply_gathered(block.first + row, msg, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
        gascl_fill_ahead(block.first + row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Copies the votes of a long row side by side; returns how many they are. Their order does not matter.
static int gascl_copy_votes(const gascl_block block, __global gascl_key *votes,
                            __local gascl_gather_memory *memory,
                            GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int row = block.first, arcs = (int)(block.end - block.begin);
    const bool receives = gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON);
    if (get_local_id(0) == 0)
        memory->row.sent = GASCL_EVERY_ARC_SENDS && receives ? arcs : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < arcs; i += GASCL_GROUP) {
        gascl_message x;
        if (gascl_fetch_received(block.begin + i, row, &x,
                                 GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON))
            votes[GASCL_EVERY_ARC_SENDS ? i : atomic_inc(&memory->row.sent)] = x;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const int sent = memory->row.sent;
    barrier(CLK_LOCAL_MEM_FENCE);
    return sent;
}

// Counts the votes whose hashes are in one of `passes` ranges, but for those for `known`, which marks empty
// slots: `full` says that there are too many keys.
static void gascl_count_range(__global const gascl_key *votes, const int n, const gascl_key known,
                              const int pass, const int passes,
                              __local gascl_gather_memory *memory) {
    const int item = get_local_id(0);
    volatile __local int *keys = (volatile __local int *)memory->row.keys;
    for (int i = item; i < GASCL_VOTE_SLOTS; i += GASCL_GROUP) {
        memory->row.keys[i] = known;
        memory->row.counts[i] = 0;
    }
    if (item == 0)
        memory->row.full = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < n && !atomic_or(&memory->row.full, 0);
         i += GASCL_READS_AT_ONCE * GASCL_GROUP) {
        gascl_key read[GASCL_READS_AT_ONCE];
        _Pragma("unroll") for (int k = 0; k < GASCL_READS_AT_ONCE; ++k)
            read[k] = i + k * GASCL_GROUP < n ? votes[i + k * GASCL_GROUP] : known;
        _Pragma("unroll") for (int k = 0; k < GASCL_READS_AT_ONCE; ++k) {
            const gascl_key vote = read[k];
            const uint hash = gascl_hash_vote((uint)vote);
            if (vote == known || (int)mul_hi(hash, (uint)passes) != pass)
                continue;
            uint at = hash % GASCL_VOTE_SLOTS;
            int probes = 0;
            for (; probes < GASCL_MOST_PROBES; ++probes) {
                if (GASCL_PEEK_KEY(&keys[at]) == (int)vote)
                    break;
                const int seen = atomic_cmpxchg(&keys[at], (int)known, (int)vote);
                if (seen == (int)known || seen == (int)vote)
                    break;
                at = (at + 1) % GASCL_VOTE_SLOTS;
            }
            if (probes < GASCL_MOST_PROBES)
                atomic_inc(&memory->row.counts[at]);
            else
                atomic_or(&memory->row.full, 1);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// How many of the votes in order equal that at a place, the first of them, by binary search.
static int gascl_count_run(__global const gascl_key *votes, const int n, const int place) {
    int low = place + 1, high = n;  // the first that differs is in this range
    if (low < n && votes[low] != votes[place])
        return 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (votes[middle] == votes[place])
            low = middle + 1;
        else
            high = middle;
    }
    return low - place;
}

// The most frequent of an item's and another group.
static gascl_group gascl_lead(const gascl_group a, const gascl_group b) {
    return b.count > a.count || (b.count == a.count && b.key < a.key) ? b : a;
}

// The most frequent of the votes of a long row, which the first item gets.
static gascl_group gascl_elect_together(__global const gascl_key *votes, const int n,
                                        __local gascl_gather_memory *memory) {
    const int item = get_local_id(0);
    const gascl_key first = n ? votes[0] : 0, middle = n ? votes[n / 2] : 0;
    const gascl_key guess = n && first == votes[n - 1] ? first : middle;
    if (item == 0)
        memory->row.sent = memory->row.unordered = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = 0, unordered = 0;
    for (int i = item; i < n; i += GASCL_GROUP) {
        mine += votes[i] == guess;
        unordered |= i > 0 && votes[i - 1] > votes[i];
    }
    atomic_add(&memory->row.sent, mine);
    atomic_or(&memory->row.unordered, unordered);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int count = memory->row.sent;
    const bool elected = count > n / 2, ordered = !memory->row.unordered;  // as labels are at first
    gascl_group best = gascl_votes_for(guess, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; ordered && !elected && i < n; i += GASCL_GROUP)
        if (i == 0 || votes[i - 1] != votes[i])
            best = gascl_lead(best, gascl_votes_for(votes[i], gascl_count_run(votes, n, i)));
    int passes = ordered || elected ? 0 : 1;
    for (int pass = 0; pass < passes; ++pass) {
        gascl_count_range(votes, n, guess, pass, passes, memory);
        const int full = memory->row.full;
        if (full) {
            passes *= 2;
            pass = -1;
        }
        for (int i = item; i < GASCL_VOTE_SLOTS; i += GASCL_GROUP)
            if (!full && memory->row.counts[i])
                best = gascl_lead(
                    best, gascl_votes_for(memory->row.keys[i], memory->row.counts[i]));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int left = GASCL_GROUP / 2; left > 0; left /= 2) {
        memory->row.keys[item] = best.key;
        memory->row.counts[item] = best.count;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < left)
            best = gascl_lead(best, gascl_votes_for(memory->row.keys[item + left],
                                                    memory->row.counts[item + left]));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return best;
}

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups)
        GASCL_FOR_LANES
            gascl_elect_in_rows(blocks[at], offsets, memory, tally,
                                GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    int at = team.rank;
    while (true) {
        while (at < end && blocks[at].end - blocks[at].begin <= GASCL_BLOCK)
            at += team.groups;
        if (at >= end)
            break;
        const gascl_block block = blocks[at];
        GASCL_FOR_LANES {
            __global gascl_key *votes = messages + GASCL_SLOT(block.begin, offsets);
            const int sent = gascl_copy_votes(block, votes, memory,
                                              GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            const gascl_group best = gascl_elect_together(votes, sent, memory);
            if (get_local_id(0) == 0) {
                gascl_apply_gathered(block.first, sent ? best : gascl_nothing(), sent, tally,
                                     GASCL_STATE_ON GASCL_LANE_ON);
                gascl_fill_ahead(block.first, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        at += team.groups;
    }
}
