// The items of a group share a block: neighboring items fetch neighboring arcs, whatever their row. They
// sort the messages of its rows together, by codes in local memory: row, key and place in one word. So they do
// with the messages of a row that is longer than a block, in global memory. Only where keys have
// 64 bits, which fit in no code, an item sorts a row by itself.

#if GASCL_NARROW_KEYS
#define GASCL_PLACE_BITS 11  // of the place of an arc in a block
typedef struct {
    gascl_shared shared;
    ulong codes[GASCL_BLOCK];
    ushort firsts[GASCL_BLOCK], ends[GASCL_BLOCK];  // of each row's groups
} gascl_gather_memory;
#else
// Only the memory that every kernel needs.
typedef struct {
    gascl_shared shared;
} gascl_gather_memory;
#endif

// The row of an arc of a block, by binary search.
static int gascl_row_of(const gascl_offset arc, __global const gascl_offset *offsets,
                        const int first, const int rows) {
    int row = 0;
    for (uint step = gascl_search_step(rows); step > 0; step >>= 1)
        if (row + (int)step < rows && offsets[first + row + step] <= arc)
            row += step;
    return first + row;
}

// Of two messages, those that do not count (`count` -1) come behind the others.
static bool gascl_comes_behind(const gascl_group a, const gascl_group b) {
    return a.count < 0 || (b.count >= 0 && GASCL_COMES_BEFORE(b, a));
}

// A step of Batcher's bitonic sort (1968), in the form in which all comparisons have the same direction, so that
// the number of values need not be a power of two: the places that the pair-th comparison is about.
#define GASCL_LOW_OF(pair, step) ((pair) / (step) * 2 * (step) + (pair) % (step))
#define GASCL_HIGH_OF(pair, size, step)                                              \
    ((step) == (size) / 2 ? (pair) / (step) * 2 * (step) + 2 * (step) - 1 - (pair) % (step) \
                          : GASCL_LOW_OF(pair, step) + (step))

// A step by the items of a work-group among messages in global memory. An item reads several pairs before it
// looks at the first, so that it waits for memory once for all of them.
static void gascl_compare_groups(__global gascl_group *groups, const int n, const long size,
                                 const long step) {
    const long pairs = (n + 2 * step - 1) / (2 * step) * step;
    for (long first = get_local_id(0); first < pairs; first += GASCL_FETCHES * GASCL_GROUP) {
        gascl_group low[GASCL_FETCHES], high[GASCL_FETCHES];
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k) {
            const long pair = first + k * GASCL_GROUP;
            if (GASCL_HIGH_OF(pair, size, step) < n) {
                low[k] = groups[GASCL_LOW_OF(pair, step)];
                high[k] = groups[GASCL_HIGH_OF(pair, size, step)];
            }
        }
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k) {
            const long pair = first + k * GASCL_GROUP;
            const long high_place = GASCL_HIGH_OF(pair, size, step);
            if (high_place < n && gascl_comes_behind(low[k], high[k])) {
                groups[GASCL_LOW_OF(pair, step)] = high[k];
                groups[high_place] = low[k];
            }
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
}

#if GASCL_NARROW_KEYS
#define GASCL_CHUNK (1 << (31 - (int)clz(GASCL_BLOCK)))  // the largest power of two up to a block
#define GASCL_INDEX_BITS (32 - GASCL_PLACE_BITS)

// The same among codes in local memory.
static void gascl_compare_codes(__local ulong *codes, const int n, const int size, const int step) {
    const int pairs = (n + 2 * step - 1) / (2 * step) * step;
    for (int pair = get_local_id(0); pair < pairs; pair += GASCL_GROUP) {
        const int low = GASCL_LOW_OF(pair, step), high = GASCL_HIGH_OF(pair, size, step);
        if (high >= n)
            continue;
        const ulong a = codes[low], b = codes[high];
        if (b < a) {
            codes[low] = b;
            codes[high] = a;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Sorts codes.
static void gascl_sort_codes(__local ulong *codes, const int n) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int size = 2; size < 2 * n; size *= 2)
        for (int step = size / 2; step > 0; step /= 2)
            gascl_compare_codes(codes, n, size, step);
}

// Sorts each chunk of the messages of a long row or, where `merges`, runs the last steps of the sort in it, by
// codes of key, place in the row and place in the chunk.
static void gascl_sort_chunks(__global gascl_group *groups, const int n, const bool merges,
                              __local ulong *codes) {
    const int item = get_local_id(0);
    for (int base = 0; base < n; base += GASCL_CHUNK) {
        const int count = min(n - base, GASCL_CHUNK);
        for (int i = item; i < count; i += GASCL_GROUP) {
            const gascl_group group = groups[base + i];
            const ulong code = group.count < 0 ? ~(ulong)0 >> GASCL_PLACE_BITS
                                               : (ulong)(GASCL_KEY_BITS(GASCL_KEY(group)))
                                                         << GASCL_INDEX_BITS |
                                                     (ulong)group.count;
            codes[i] = code << GASCL_PLACE_BITS | (ulong)i;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int size = merges ? 2 * GASCL_CHUNK : 2; size < (merges ? 4 * GASCL_CHUNK : 2 * count);
             size *= 2)
            for (int step = min(size, GASCL_CHUNK) / 2; step > 0; step /= 2)
                gascl_compare_codes(codes, count, size, step);
        gascl_group held[(GASCL_BLOCK + GASCL_GROUP - 1) / GASCL_GROUP];
        for (int i = item, k = 0; i < count; i += GASCL_GROUP, ++k)
            held[k] = groups[base + (codes[i] & ((1 << GASCL_PLACE_BITS) - 1))];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (int i = item, k = 0; i < count; i += GASCL_GROUP, ++k)
            groups[base + i] = held[k];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
#endif

// Sorts the messages of a long row. What stays within a chunk is done in local memory, where a code has room for
// the place in the row.
static void gascl_sort_together(__global gascl_group *groups, const int n,
                                __local gascl_gather_memory *memory) {
    long begin = 1;
#if GASCL_NARROW_KEYS
    if (n < 1 << GASCL_INDEX_BITS)
        begin = GASCL_CHUNK;
    gascl_sort_chunks(groups, begin > 1 ? n : 0, false, memory->codes);
#endif
    for (long size = 2 * begin; size < 2 * (long)n; size *= 2) {
        for (long step = size / 2; step >= begin; step /= 2)
            gascl_compare_groups(groups, n, size, step);
#if GASCL_NARROW_KEYS
        gascl_sort_chunks(groups, begin > 1 ? n : 0, true, memory->codes);
#endif
    }
}

// Whether a group begins at a place among sorted messages.
static bool gascl_begins_group(__global const gascl_group *groups, const int i, const int count) {
    return i < count && (i == 0 || GASCL_KEY(groups[i]) != GASCL_KEY(groups[i - 1]));
}

// Applies a vertex's messages by all items of a group, which call it together; those with a `count` of -1 do
// not count.
static void gascl_apply_together(const int id, __global gascl_group *groups, const int sent,
                                 __local gascl_gather_memory *memory, gascl_tally *tally,
                                 GASCL_STATE GASCL_LANE) {
    const int item = get_local_id(0);
    __local long2 *sums = memory->shared.counts;
    int mine = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int i = item; i < sent; i += GASCL_GROUP)
        mine += groups[i].count >= 0;
    const long2 total = gascl_count_reduce((long2)(mine, 0), &memory->shared);
    if (item == 0)
        sums[0] = total;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have looked at their messages
    const int count = (int)sums[0].x;
    gascl_sort_together(groups, count ? sent : 0, memory);
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
            if (best < 0 || gascl_is_better(v, joined, groups[best],
                                            GASCL_STATE_ON GASCL_LANE_ON))
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
        const int sum = gascl_sum_up_to_item(begins, sums);
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

#if GASCL_NARROW_KEYS
#define GASCL_CODE_OF(row, group, place)                                                       \
    (((ulong)(row) << 32 | GASCL_KEY_BITS(GASCL_KEY(group))) << GASCL_PLACE_BITS | (ulong)(place))
#define GASCL_NO_CODE (~(ulong)0)  // of an arc without a message: behind all others

// The group whose first message has the i-th of n codes.
static GASCL_INLINE gascl_group gascl_join_codes(__global const gascl_group *groups,
                                                 __local const ulong *codes, int i,
                                                 const int n) {
    const ulong places = ((ulong)1 << GASCL_PLACE_BITS) - 1, key = codes[i] >> GASCL_PLACE_BITS;
    gascl_group joined = groups[codes[i] & places];
    const int first = i;
    for (++i; i < n && codes[i] >> GASCL_PLACE_BITS == key; ++i)
        gascl_join_values(&joined, groups[codes[i] & places]);
    joined.count = i - first;
    return joined;
}

// Applies the rows of a block whose messages have codes: each item joins the groups that begin in its share of
// the sorted codes, and then, when all have read their messages, stores these in their place.
static void gascl_apply_rows(const gascl_block block, __global gascl_group *groups, const int arcs,
                             __local gascl_gather_memory *memory, gascl_tally *tally,
                             __global const gascl_offset *offsets,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int item = get_local_id(0), rows = block.last - block.first;
    __local const ulong *codes = memory->codes;
    __local long2 *sums = memory->shared.counts;
    for (int row = item; row < rows; row += GASCL_GROUP)
        memory->firsts[row] = memory->ends[row] = 0;
    gascl_sort_codes(memory->codes, arcs);
    const int share = (arcs + GASCL_GROUP - 1) / GASCL_GROUP;
    const int begin = min(item * share, arcs), end = min(begin + share, arcs);
    gascl_group held[(GASCL_BLOCK + GASCL_GROUP - 1) / GASCL_GROUP];
    int mine = 0;
    for (int i = begin; i < end && codes[i] != GASCL_NO_CODE; ++i)
        if (i == 0 || codes[i] >> GASCL_PLACE_BITS != codes[i - 1] >> GASCL_PLACE_BITS)
            held[mine++] = gascl_join_codes(groups, codes, i, arcs);
    const int sum = gascl_sum_up_to_item(mine, sums);
    barrier(CLK_GLOBAL_MEM_FENCE);  // all have read their messages
    for (int i = 0; i < mine; ++i)
        groups[sum - mine + i] = held[i];
    int number = sum - mine;
    for (int i = begin; i < end && codes[i] != GASCL_NO_CODE; ++i) {
        const int row = (int)(codes[i] >> (32 + GASCL_PLACE_BITS));
        const bool opens = i == 0 || codes[i - 1] >> (32 + GASCL_PLACE_BITS) != row;
        number += i == 0 || codes[i] >> GASCL_PLACE_BITS != codes[i - 1] >> GASCL_PLACE_BITS;
        if (opens)
            memory->firsts[row] = (ushort)(number - 1);
        if (i + 1 == arcs || codes[i + 1] >> (32 + GASCL_PLACE_BITS) != row)
            memory->ends[row] = (ushort)number;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int row = item; row < rows; row += GASCL_GROUP) {
        int count = 0;
        for (int i = memory->firsts[row]; i < memory->ends[row]; ++i)
            count += groups[i].count;
        gascl_apply_groups(block.first + row, groups + memory->firsts[row],
                           memory->ends[row] - memory->firsts[row], count, tally,
                           GASCL_STATE_ON GASCL_LANE_ON);
        gascl_fill_ahead(block.first + row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
}
#else
// Moves the messages of a row, which counts only some of its arcs, to the front; returns how many they are.
static int gascl_pack(__global gascl_group *groups, const int arcs) {
    int sent = 0;
    for (int i = 0; i < arcs; ++i)
        if (groups[i].count >= 0)
            groups[sent++] = groups[i];
    return sent;
}

static void gascl_apply_rows(const gascl_block block, __global gascl_group *groups, const int arcs,
                             __local gascl_gather_memory *memory, gascl_tally *tally,
                             __global const gascl_offset *offsets,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    for (int row = block.first + get_local_id(0); row < block.last; row += GASCL_GROUP) {
        __global gascl_group *own = groups + (offsets[row] - block.begin);
        const int sent = gascl_pack(own, (int)(offsets[row + 1] - offsets[row]));
        gascl_apply_single(row, own, sent, tally, GASCL_STATE_ON GASCL_LANE_ON);
        gascl_fill_ahead(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
}
#endif

static void gascl_gather(const gascl_team team, GASCL_BLOCKS,
                         __local gascl_gather_memory *memory, gascl_tally *tally,
                         GASCL_STATE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const int end = team.idle ? 0 : num_blocks;
    for (int at = team.rank; at < end; at += team.groups) {
        const gascl_block block = blocks[at];
        const int rows = block.last - block.first, arcs = (int)(block.end - block.begin);
        GASCL_FOR_LANES {
            __global gascl_group *groups = messages + GASCL_SLOT(block.begin, offsets);
            for (int i = item; i < arcs; i += GASCL_GROUP) {
                const int row = gascl_row_of(block.begin + i, offsets, block.first, rows);
                gascl_message x;
                const bool sent = gascl_fetch_received(
                    block.begin + i, row, &x, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                if (sent)
                    groups[i] = gascl_group_of(x, i);
                else
                    groups[i].count = -1;
#if GASCL_NARROW_KEYS
                if (arcs <= GASCL_BLOCK)
                    memory->codes[i] =
                        sent ? GASCL_CODE_OF(row - block.first, groups[i], i) : GASCL_NO_CODE;
#endif
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            // A loop that runs once or not at all: PoCL takes no barrier in a branch.
            for (int row = block.first; arcs > GASCL_BLOCK && row < block.last; ++row) {
                gascl_apply_together(row, groups, arcs, memory, tally,
                                     GASCL_STATE_ON GASCL_LANE_ON);
                if (item == 0)
                    gascl_fill_ahead(row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
            for (int once = 0; once < (arcs <= GASCL_BLOCK); ++once)
                gascl_apply_rows(block, groups, arcs, memory, tally, offsets,
                                 GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        }
    }
}
