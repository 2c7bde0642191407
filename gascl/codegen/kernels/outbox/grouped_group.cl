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
    for (int i = item; i < sent; i += GASCL_GROUP)
        mine += groups[i].count >= 0;
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

#if GASCL_NARROW_KEYS
#define GASCL_CODE_OF(row, group, place)                                                       \
    (((ulong)(row) << 32 | GASCL_KEY_BITS(GASCL_KEY(group))) << GASCL_PLACE_BITS | (ulong)(place))
#define GASCL_NO_CODE (~(ulong)0)  // of an arc without a message: behind all others

// Sorts codes by the items of a work-group, as gascl_sort_together().
static void gascl_sort_codes(__local ulong *codes, const int n) {
    for (int size = 2; size < 2 * n; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int pair = get_local_id(0); pair < n; pair += GASCL_GROUP) {
                const int low = pair / step * 2 * step + pair % step;
                const int high = step == size / 2 ? low + 2 * (step - pair % step) - 1 : low + step;
                if (high >= n)
                    continue;
                const ulong a = codes[low], b = codes[high];
                if (b < a) {
                    codes[low] = b;
                    codes[high] = a;
                }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
}

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
    int sum = mine;
    for (int step = 1; step < GASCL_GROUP; step *= 2) {  // Hillis and Steele (1986)
        sums[item].x = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item >= step)
            sum += (int)sums[item - step].x;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
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
                gascl_apply_together(row, groups, arcs, &memory->shared, tally,
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
