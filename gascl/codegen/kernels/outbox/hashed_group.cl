// Groups of which the one with the highest score counts, and whose only value is a sum of integers, which may
// be added up in any order: by a work-group, in hash tables in local memory. The rows of a block of several
// share a table, whose slots belong to a row and a key; only rows that receive take room. The messages of a
// longer row are first divided into parts by the hash of their keys, and then each part has the table, in as
// many passes as it takes for the keys of a pass to fit, or several parts at once whose messages have few keys.

#define GASCL_SLOTS_OF(arcs) ((arcs) + (arcs) / 2)
#define GASCL_OWNER_BITS 12         // of the number of a message in a block, counted from 1
#define GASCL_MOST_PROBES 64
#define GASCL_PART (GASCL_BLOCK / 2)  // the mean number of messages in a part

typedef union {
    gascl_shared shared;
    struct {
        union {
            long2 sums[GASCL_GROUP];
            gascl_key keys[GASCL_BLOCK];
        } of;
        uint low[GASCL_BLOCK], high[GASCL_BLOCK];  // the words of a value
        // 1 more than the row of a message, or 0; then, at one message of a group, its owner, how many it has.
        ushort counts[GASCL_BLOCK];
        ushort starts[GASCL_BLOCK + 1];  // of each row, as if only arcs that are read existed
        // How many messages, and the owner; then the best owner of each row.
        int slots[GASCL_SLOTS_OF(GASCL_BLOCK)];
    } rows;
    struct {
        union {
            long2 sums[GASCL_GROUP];
            struct {
                gascl_key keys[GASCL_GROUP];
                uint low[GASCL_GROUP], high[GASCL_GROUP];
                int counts[GASCL_GROUP];
            } best;
            struct {
                int owners[GASCL_BLOCK];  // a message of the part, counted from 1; 0 if there is none
                uint low[GASCL_BLOCK], high[GASCL_BLOCK];
            } table;
        } of;
        int counts[GASCL_BLOCK];
        int ends[GASCL_BLOCK];  // of each part
        real scores[GASCL_GROUP];
        int full, keys;  // whether there are too many, and how many the table has
    } row;
} gascl_gather_memory;

static uint gascl_hash_key(uint x) {  // the last step of MurmurHash3
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

// Adds to a value of two words, in local memory.
static GASCL_INLINE void gascl_add_words(volatile __local uint *low, volatile __local uint *high,
                                         const ulong value) {
    const uint word = (uint)value, before = atomic_add(low, word);
    const uint carried = (uint)(value >> 32) + (before + word < before);
    if (carried)
        atomic_add(high, carried);
}

static GASCL_INLINE gascl_group gascl_group_with(const gascl_key key, const uint low, const uint high,
                                                 const int count) {
    gascl_group group;
    GASCL_KEY(group) = key;
    GASCL_SET_SUM(group, (ulong)high << 32 | low);
    group.count = count;
    return group;
}

// The row of an arc of a block, by binary search.
static GASCL_INLINE int gascl_row_of(__local const ushort *starts, const int rows, const int i) {
    int row = 0;
    for (uint step = gascl_search_step(rows); step > 0; step >>= 1)
        if (row + (int)step < rows && starts[row + step] <= i)
            row += step;
    return row;
}

// Adds a message of a block to the group of its row and key.
static GASCL_INLINE void gascl_add_message(__local gascl_gather_memory *memory, const int row, const int i,
                                           const int num_slots) {
    __local const gascl_key *keys = memory->rows.of.keys;
    __local const ushort *starts = memory->rows.starts;
    volatile __local int *slots = memory->rows.slots;
    uint at = mul_hi(gascl_hash_key((uint)keys[i] + (uint)row * 0x9e3779b9u), (uint)num_slots);
    while (true) {
        const int seen = atomic_cmpxchg(&slots[at], 0, 1 << GASCL_OWNER_BITS | (i + 1));
        if (!seen)
            return;
        const int owner = (seen & ((1 << GASCL_OWNER_BITS) - 1)) - 1;
        if (keys[owner] == keys[i] && starts[row] <= owner && owner < starts[row + 1]) {
            atomic_add(&slots[at], 1 << GASCL_OWNER_BITS);
            const ulong value = (ulong)memory->rows.high[i] << 32 | memory->rows.low[i];
            gascl_add_words(&memory->rows.low[owner], &memory->rows.high[owner], value);
            return;
        }
        at = at + 1 == num_slots ? 0 : at + 1;
    }
}

static GASCL_INLINE gascl_group gascl_group_at(__local const gascl_gather_memory *memory, const int owner) {
    return gascl_group_with(memory->rows.of.keys[owner], memory->rows.low[owner], memory->rows.high[owner],
                            memory->rows.counts[owner]);
}

// Whether a group comes before another one of the same vertex.
static GASCL_INLINE bool gascl_leads(const real score, const gascl_key key, const real other,
                                     const gascl_key others) {
    return score > other || (score == other && key < others);
}

// Proposes the group of an owner for its row.
static GASCL_INLINE void gascl_propose(__local gascl_gather_memory *memory, const gascl_block block,
                                       const int owner, GASCL_STATE GASCL_LANE) {
    const int row = gascl_row_of(memory->rows.starts, block.last - block.first, owner);
    const gascl_vertex v = gascl_gathering(block.first + row, GASCL_STATE_ON GASCL_LANE_ON);
    const real score = gascl_score(v, gascl_group_at(memory, owner), GASCL_STATE_ON GASCL_LANE_ON);
    volatile __local int *best = &memory->rows.slots[row];
    int seen = atomic_cmpxchg(best, 0, owner + 1);
    while (seen) {
        const gascl_group other = gascl_group_at(memory, seen - 1);
        if (!gascl_leads(score, memory->rows.of.keys[owner],
                         gascl_score(v, other, GASCL_STATE_ON GASCL_LANE_ON), GASCL_KEY(other)))
            return;
        const int now = atomic_cmpxchg(best, seen, owner + 1);
        seen = now == seen ? 0 : now;
    }
}

// Finds the starts of the rows of a block.
static void gascl_start_rows(const gascl_block block, __local gascl_gather_memory *memory,
                             __global const gascl_offset *offsets, GASCL_STATE GASCL_LANE) {
    const int item = get_local_id(0), rows = block.last - block.first;
    __local ushort *starts = memory->rows.starts;
    for (int row = item; row < rows; row += GASCL_GROUP) {
        const bool reads = gascl_receives(block.first + row, GASCL_STATE_ON GASCL_LANE_ON) || !GASCL_SKIPS;
        starts[row] = reads ? (ushort)(offsets[block.first + row + 1] - offsets[block.first + row]) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int share = (rows + GASCL_GROUP - 1) / GASCL_GROUP;
    const int begin = min(item * share, rows), end = min(begin + share, rows);
    int mine = 0;
    for (int row = begin; row < end; ++row)
        mine += starts[row];
    int before = gascl_sum_up_to_item(mine, memory->rows.of.sums) - mine;
    for (int row = begin; row < end; ++row) {
        const int arcs = starts[row];
        starts[row] = (ushort)before;
        before += arcs;
    }
    if (item == GASCL_GROUP - 1)
        starts[rows] = (ushort)before;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The rows of a block that fits in local memory.
static void gascl_hash_rows(const gascl_block block, __local gascl_gather_memory *memory,
                            gascl_tally *tally, __global const gascl_offset *offsets,
                            GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int item = get_local_id(0), rows = block.last - block.first;
    gascl_start_rows(block, memory, offsets, GASCL_STATE_ON GASCL_LANE_ON);
    const int arcs = memory->rows.starts[rows], slots = GASCL_SLOTS_OF(arcs);
    for (int i = item; i < slots; i += GASCL_GROUP)
        memory->rows.slots[i] = 0;
    for (int i = item; i < arcs; i += GASCL_GROUP) {
        const int row = gascl_row_of(memory->rows.starts, rows, i);
        const gascl_offset arc = offsets[block.first + row] + (i - memory->rows.starts[row]);
        gascl_message x;
        const bool carries = gascl_fetch_received(arc, block.first + row, &x,
                                                  GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        memory->rows.counts[i] = carries ? row + 1 : 0;
        if (carries) {
            const gascl_group group = gascl_group_of(x, 0);
            const ulong value = GASCL_SUM_BITS(group);
            memory->rows.of.keys[i] = GASCL_KEY(group);
            memory->rows.low[i] = (uint)value;
            memory->rows.high[i] = (uint)(value >> 32);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < arcs; i += GASCL_GROUP)
        if (memory->rows.counts[i])
            gascl_add_message(memory, memory->rows.counts[i] - 1, i, slots);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < arcs; i += GASCL_GROUP)
        memory->rows.counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < slots; i += GASCL_GROUP) {
        const int slot = memory->rows.slots[i];
        if (slot)
            memory->rows.counts[(slot & ((1 << GASCL_OWNER_BITS) - 1)) - 1] =
                (ushort)(slot >> GASCL_OWNER_BITS);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = item; row < rows; row += GASCL_GROUP)
        memory->rows.slots[row] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < arcs; i += GASCL_GROUP)
        if (memory->rows.counts[i])
            gascl_propose(memory, block, i, GASCL_STATE_ON GASCL_LANE_ON);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read the fields of the rows
    for (int row = item; row < rows; row += GASCL_GROUP) {
        const int best = memory->rows.slots[row];
        const int count = best ? memory->rows.starts[row + 1] - memory->rows.starts[row] : 0;
        gascl_gathered msg = gascl_nothing();
        if (best)
            msg = gascl_group_at(memory, best - 1);
        gascl_apply_gathered(block.first + row, msg, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
        gascl_fill_ahead(block.first + row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
}

#define GASCL_PART_OF(group, parts) \
    ((int)mul_hi(gascl_hash_key((uint)GASCL_KEY(group)), (uint)(parts)))

// Divides the n messages of a long row into parts.
static void gascl_divide_row(const gascl_block block, const int n, const int parts,
                             __global gascl_group *groups, __local gascl_gather_memory *memory,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    for (int part = item; part < parts; part += GASCL_GROUP)
        memory->row.ends[part] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int moves = 0; moves < 2; ++moves) {
        for (int i = item; i < n; i += GASCL_FETCHES * GASCL_GROUP) {
            gascl_message x[GASCL_FETCHES];
            _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)
                gascl_fetch(block.begin + min(i + k * GASCL_GROUP, n - 1), block.first, &x[k],
                            GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k) {
                if (i + k * GASCL_GROUP >= n)
                    continue;
                const gascl_group group = gascl_group_of(x[k], 1);
                const int place = atomic_inc(&memory->row.ends[GASCL_PART_OF(group, parts)]);
                if (moves)
                    groups[place] = group;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (moves)
            continue;
        const int share = (parts + GASCL_GROUP - 1) / GASCL_GROUP;
        const int begin = min(item * share, parts), end = min(begin + share, parts);
        int mine = 0;
        for (int part = begin; part < end; ++part)
            mine += memory->row.ends[part];
        int before = gascl_sum_up_to_item(mine, memory->row.of.sums) - mine;
        for (int part = begin; part < end; ++part) {
            const int count = memory->row.ends[part];
            memory->row.ends[part] = before;
            before += count;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Adds up the messages of a part in the table, those whose hashes are in one of `passes` ranges: `full` says
// that there are too many keys.
static void gascl_hash_part(__global const gascl_group *groups, const int n, const int pass, const int passes,
                            __local gascl_gather_memory *memory) {
    const int item = get_local_id(0);
    volatile __local int *owners = memory->row.of.table.owners;
    for (int i = item; i < GASCL_BLOCK; i += GASCL_GROUP) {
        memory->row.of.table.owners[i] = memory->row.counts[i] = 0;
        memory->row.of.table.low[i] = memory->row.of.table.high[i] = 0;
    }
    if (item == 0)
        memory->row.full = memory->row.keys = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < n; i += GASCL_GROUP) {
        const gascl_group group = groups[i];
        // Other bits than those that the part has in common.
        const uint hash = gascl_hash_key((uint)GASCL_KEY(group) * 0x9e3779b9u + 1);
        if ((int)(hash & (passes - 1)) != pass)
            continue;
        uint at = mul_hi(hash, (uint)GASCL_BLOCK);
        int probes = 0;
        for (; probes < GASCL_MOST_PROBES; ++probes) {
            const int seen = atomic_cmpxchg(&owners[at], 0, i + 1);
            if (!seen)
                atomic_inc(&memory->row.keys);
            if (!seen || GASCL_KEY(groups[seen - 1]) == GASCL_KEY(group))
                break;
            at = at + 1 == GASCL_BLOCK ? 0 : at + 1;
        }
        if (probes < GASCL_MOST_PROBES) {
            atomic_inc(&memory->row.counts[at]);
            gascl_add_words(&memory->row.of.table.low[at], &memory->row.of.table.high[at],
                            GASCL_SUM_BITS(group));
        } else {
            memory->row.full = 1;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Applies a row that is longer than a block.
static void gascl_hash_long_row(const gascl_block block, __global gascl_group *groups,
                                __local gascl_gather_memory *memory, gascl_tally *tally,
                                GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const bool reads = gascl_receives(block.first, GASCL_STATE_ON GASCL_LANE_ON) || !GASCL_SKIPS;
    const gascl_vertex v = gascl_gathering(block.first, GASCL_STATE_ON GASCL_LANE_ON);
    const int n = reads ? (int)(block.end - block.begin) : 0;
    const int parts = min((n + GASCL_PART - 1) / GASCL_PART, GASCL_BLOCK);
    gascl_group best = gascl_nothing();
    real score = -INFINITY;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int once = 0; once < (parts > 0); ++once)
        gascl_divide_row(block, n, parts, groups, memory, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    int together = 1;  // parts that have the table at the same time, since they have few keys
    for (int part = 0; part < parts;) {
        const int last = min(part + together, parts);
        const int begin = part ? memory->row.ends[part - 1] : 0, end = memory->row.ends[last - 1];
        int passes = begin < end, full = 0, keys = 0;
        for (int pass = 0; pass < passes; ++pass) {
            gascl_hash_part(groups + begin, end - begin, pass, passes, memory);
            full = memory->row.full;
            keys = memory->row.keys;
            if (full) {
                passes = together > 1 ? 0 : 2 * passes;
                pass = -1;
            }
            for (int i = item; i < GASCL_BLOCK && !full; i += GASCL_GROUP) {
                if (!memory->row.counts[i])
                    continue;
                const int owner = memory->row.of.table.owners[i] - 1;
                const gascl_group group = gascl_group_with(
                    GASCL_KEY(groups[begin + owner]), memory->row.of.table.low[i],
                    memory->row.of.table.high[i], memory->row.counts[i]);
                const real its = gascl_score(v, group, GASCL_STATE_ON GASCL_LANE_ON);
                if (!best.count || gascl_leads(its, GASCL_KEY(group), score, GASCL_KEY(best))) {
                    best = group;
                    score = its;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (!full)
            part = last;
        together = full ? 1 : keys < GASCL_BLOCK / 4 ? 2 * together : together;
    }
    for (int left = GASCL_GROUP / 2; left > 0; left /= 2) {
        const ulong bits = GASCL_SUM_BITS(best);
        memory->row.of.best.keys[item] = GASCL_KEY(best);
        memory->row.of.best.low[item] = (uint)bits;
        memory->row.of.best.high[item] = (uint)(bits >> 32);
        memory->row.of.best.counts[item] = best.count;
        memory->row.scores[item] = score;
        barrier(CLK_LOCAL_MEM_FENCE);
        const int other = item + left;
        if (item < left && memory->row.of.best.counts[other] &&
            (!best.count || gascl_leads(memory->row.scores[other], memory->row.of.best.keys[other], score,
                                        GASCL_KEY(best)))) {
            score = memory->row.scores[other];
            best = gascl_group_with(memory->row.of.best.keys[other], memory->row.of.best.low[other],
                                    memory->row.of.best.high[other], memory->row.of.best.counts[other]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        gascl_apply_gathered(block.first, best, n, tally, GASCL_STATE_ON GASCL_LANE_ON);
        gascl_fill_ahead(block.first, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // else PoCL's optimizer lets all items apply the row
}

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        const bool is_long = block.end - block.begin > GASCL_BLOCK;
        GASCL_FOR_LANES {
            __global gascl_group *groups = messages + GASCL_SLOT(block.begin, offsets);
            // Loops that run once or not at all: PoCL takes no barrier in a branch.
            for (int once = 0; once < is_long; ++once)
                gascl_hash_long_row(block, groups, memory, tally,
                                    GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            for (int once = 0; once < !is_long; ++once)
                gascl_hash_rows(block, memory, tally, offsets,
                                GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        }
    }
}
