// The items of a group share a block: neighboring items fetch neighboring arcs, whatever their row. They
// sort the messages of its rows together, by codes in local memory: row, key and place. A row that is longer
// than a block is sorted by radix, in the memory of its messages; these are fetched once more, in the order
// of their keys, to be joined in local memory.

#define GASCL_PLACE_BITS 11  // of the place of an arc in a block
#define GASCL_FEW_ARCS (GASCL_BLOCK / 8)  // of a row: to count the smaller codes is faster than a common sort
#define GASCL_ROW_DIGIT_BITS 4
#define GASCL_ROW_DIGITS (1 << GASCL_ROW_DIGIT_BITS)
#define GASCL_STAGED \
    (16 * GASCL_BLOCK / (int)sizeof(gascl_group) > GASCL_GROUP ? 16 * GASCL_BLOCK / (int)sizeof(gascl_group) \
                                                               : GASCL_GROUP)

typedef struct {
    gascl_shared shared;
    union {
        struct {
            ulong codes[GASCL_BLOCK];
#if !GASCL_NARROW_KEYS
            uint owners[GASCL_BLOCK];
#endif
            ushort starts[GASCL_BLOCK + 1];              // of each row
            ushort firsts[GASCL_BLOCK], ends[GASCL_BLOCK];  // of each row's groups
        } rows;
        uint counters[GASCL_ROW_DIGITS * GASCL_GROUP];  // for each digit and item
        gascl_group staged[GASCL_STAGED];
    } of;
    int runs[GASCL_ROW_DIGITS + 1];  // of a long row sorted by one digit: where that begins
    gascl_group carried;  // of a long row: the group at the end of what was staged, which may go on
    uint ones[2], zeros[2];  // bits that any of its keys has, and that any has not
    int sent, longest;
} gascl_gather_memory;

// The row of an arc of a block, by binary search.
static GASCL_INLINE int gascl_row_of(__local const ushort *starts, const int rows, const int i) {
    int row = 0;
    for (uint step = gascl_search_step(rows); step > 0; step >>= 1)
        if (row + (int)step < rows && starts[row + step] <= i)
            row += step;
    return row;
}

// What the sort of a long row moves: the places of messages or, if keys are all that there is, these.
#if GASCL_GROUP_VALUES
typedef uint gascl_sorted;
#define GASCL_SORTED_BITS(keys, sorted) (keys)[sorted]
#else
typedef gascl_key_bits gascl_sorted;
#define GASCL_SORTED_BITS(keys, sorted) (sorted)
#endif

// How far from each other the arcs of an item are in a long row. Where every arc sends, each has its place in
// the list, and neighboring items take neighboring arcs.
#define GASCL_ARC_STEP (GASCL_EVERY_ARC_SENDS ? GASCL_GROUP : 1)

// Counts the messages of an item's share of the arcs of a long row, or lists them from `at` on.
static GASCL_INLINE int gascl_list_share(const gascl_block block, const int begin, const int end,
                                         const bool lists, int at,
                                         __global gascl_key_bits *keys,
                                         __global gascl_sorted *list,
                                         __local gascl_gather_memory *memory,
                                         GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    gascl_key_bits ones = 0, zeros = 0;
    int count = 0;
    for (int i = begin; i < end; i += GASCL_FETCHES * GASCL_ARC_STEP) {
        gascl_message x[GASCL_FETCHES];
        bool carries[GASCL_FETCHES];
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k)
            carries[k] = gascl_fetch_received(block.begin + min(i + k * GASCL_ARC_STEP, end - 1), block.first,
                                              &x[k], GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        _Pragma("unroll") for (int k = 0; k < GASCL_FETCHES; ++k) {
            const int arc = i + k * GASCL_ARC_STEP;
            if (arc >= end || !carries[k])
                continue;
            const gascl_key_bits bits = GASCL_KEY_BITS(GASCL_KEY(gascl_group_of(x[k], 0)));
            ones |= bits;
            zeros |= ~bits;
            ++count;
            if (!lists)
                continue;
            const int place = GASCL_EVERY_ARC_SENDS ? arc : at++;
#if GASCL_GROUP_VALUES
            keys[arc] = bits;
            list[place] = arc;
#else
            list[place] = bits;
#endif
        }
    }
    for (int word = 0; lists && word < (int)sizeof(gascl_key_bits) / 4; ++word) {
        atomic_or(&memory->ones[word], (uint)((ulong)ones >> 32 * word));
        atomic_or(&memory->zeros[word], (uint)((ulong)zeros >> 32 * word));
    }
    return count;
}

// Lists the messages of a long row in the order of its arcs; returns how many there are.
static int gascl_list_row(const gascl_block block, __global gascl_key_bits *keys,
                          __global gascl_sorted *list, __local gascl_gather_memory *memory,
                          GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int item = get_local_id(0), arcs = (int)(block.end - block.begin);
    const int share = (arcs + GASCL_GROUP - 1) / GASCL_GROUP;
    const int begin = GASCL_ARC_STEP > 1 ? item : min(item * share, arcs);
    const bool receives = gascl_receives(block.first, GASCL_STATE_ON GASCL_LANE_ON);
    const int end = !receives ? begin : GASCL_ARC_STEP > 1 ? arcs : min(begin + share, arcs);
    if (item < 2)
        memory->ones[item] = memory->zeros[item] = 0;
    int count = max(end - begin + GASCL_ARC_STEP - 1, 0) / GASCL_ARC_STEP;
    if (!GASCL_EVERY_ARC_SENDS)
        count = gascl_list_share(block, begin, end, false, 0, keys, list, memory,
                                 GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    const int sum = gascl_sum_up_to_item(count, memory->shared.counts);
    if (item == GASCL_GROUP - 1)
        memory->sent = sum;
    gascl_list_share(block, begin, end, true, sum - count, keys, list, memory,
                     GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return memory->sent;
}

// A pass of a radix sort that keeps the order of equal digits: each item counts and then moves its share.
static void gascl_move_by_digit(__global const gascl_key_bits *keys, __global const gascl_sorted *from,
                                __global gascl_sorted *to, const int n, const int shift,
                                __local gascl_gather_memory *memory) {
    const int item = get_local_id(0), share = (n + GASCL_GROUP - 1) / GASCL_GROUP;
    const int begin = min(item * share, n), end = min(begin + share, n);
    __local uint *counters = memory->of.counters;
#define GASCL_COUNTER(sorted)                                                              \
    counters[((uint)(GASCL_SORTED_BITS(keys, sorted) >> shift) & (GASCL_ROW_DIGITS - 1)) * GASCL_GROUP + item]
    for (int digit = 0; digit < GASCL_ROW_DIGITS; ++digit)
        counters[digit * GASCL_GROUP + item] = 0;
    _Pragma("unroll 8") for (int i = begin; i < end; ++i) ++GASCL_COUNTER(from[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = 0;
    for (int k = 0; k < GASCL_ROW_DIGITS; ++k)
        mine += counters[item * GASCL_ROW_DIGITS + k];
    uint before = gascl_sum_up_to_item(mine, memory->shared.counts) - mine;
    for (int k = 0; k < GASCL_ROW_DIGITS; ++k) {
        const uint count = counters[item * GASCL_ROW_DIGITS + k];
        counters[item * GASCL_ROW_DIGITS + k] = before;
        before += count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int digit = item; digit <= GASCL_ROW_DIGITS; digit += GASCL_GROUP)
        memory->runs[digit] = digit < GASCL_ROW_DIGITS ? (int)counters[digit * GASCL_GROUP] : n;
    barrier(CLK_LOCAL_MEM_FENCE);
    _Pragma("unroll 8") for (int i = begin; i < end; ++i) {
        const gascl_sorted moved = from[i];
        to[GASCL_COUNTER(moved)++] = moved;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// The next bit from `bit` on in which keys differ, or the number of bits.
static int gascl_next_bit(const gascl_key_bits differ, const int bit) {
    const int bits = 8 * (int)sizeof(gascl_key_bits);
    const gascl_key_bits left = bit < bits ? differ >> bit : 0;
    return left ? bit + (int)popcount((left & -left) - 1) : bits;
}

// The bits in which the keys of a list differ.
static GASCL_INLINE gascl_key_bits gascl_differing(__local const gascl_gather_memory *memory) {
    gascl_key_bits differ = (gascl_key_bits)(memory->ones[0] & memory->zeros[0]);
#if !GASCL_NARROW_KEYS
    differ |= (gascl_key_bits)(memory->ones[1] & memory->zeros[1]) << 32;
#endif
    return differ;
}

// Sorts the n messages of a list in place, by digits that differ.
static void gascl_sort_row(__global const gascl_key_bits *keys, __global gascl_sorted *list,
                           __global gascl_sorted *other, const int n,
                           __local gascl_gather_memory *memory) {
    const gascl_key_bits differ = gascl_differing(memory);
    __global gascl_sorted *from = list, *to = other;
    for (int shift = gascl_next_bit(differ, 0); shift < 8 * (int)sizeof(gascl_key_bits);
         shift = gascl_next_bit(differ, shift + GASCL_ROW_DIGIT_BITS)) {
        gascl_move_by_digit(keys, from, to, n, shift, memory);
        __global gascl_sorted *moved = to;
        to = from;
        from = moved;
    }
    for (int i = get_local_id(0); from != list && i < n; i += GASCL_GROUP)
        list[i] = from[i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// A sorted message of a long row, as a group of one message.
static gascl_group gascl_fetch_sorted(const gascl_block block, const gascl_sorted sorted,
                                      GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    gascl_group one;
#if GASCL_GROUP_VALUES
    gascl_message x;
    gascl_fetch(block.begin + sorted, block.first, &x,
                GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    one = gascl_group_of(x, 1);
#else
    GASCL_KEY(one) = GASCL_KEY_OF(sorted);
    one.count = 1;
#endif
    return one;
}

// Joins what is staged from `begin` to before `end` to a group, in this order.
static GASCL_INLINE void gascl_join_staged(gascl_group *joined, __local const gascl_group *staged,
                                           const int begin, const int end) {
#if GASCL_GROUP_VALUES
    _Pragma("unroll 8") for (int i = begin; i < end; ++i)
        gascl_join_values(joined, staged[i]);
#endif
    joined->count += end - begin;
}

// Fetches sorted messages of a long row.
static void gascl_stage(const gascl_block block, __global const gascl_sorted *list, const int count,
                        __local gascl_gather_memory *memory,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    _Pragma("unroll 4") for (int i = get_local_id(0); i < count; i += GASCL_GROUP)
        memory->of.staged[i] = gascl_fetch_sorted(
            block, list[i], GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // groups may take the place of what was read
}

// Whether a group begins at a place among what is staged.
static GASCL_INLINE bool gascl_begins_group(__local const gascl_group *staged, const int i) {
    return i == 0 || GASCL_KEY(staged[i]) != GASCL_KEY(staged[i - 1]);
}

// Where the group ends that begins at a place among what is staged, by binary search.
static GASCL_INLINE int gascl_end_of_group(__local const gascl_group *staged, const int begin,
                                           const int count) {
    int low = begin + 1, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (GASCL_KEY(staged[middle]) == GASCL_KEY(staged[begin]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#if GASCL_GROUP_VALUES
#define GASCL_RUNS_OF_ITEM ((GASCL_ROW_DIGITS + GASCL_GROUP - 1) / GASCL_GROUP)
// Joins the messages of a long row that has been sorted by one digit: one item those of a key, all keys at the
// same time. Item i gets the groups of the digits i, i + GASCL_GROUP and so on, whose count is 0 if there is none.
//   runs  where each of these digits begins in the list
static void gascl_join_runs(const gascl_block block, __global const gascl_sorted *list,
                            __local const int *runs, const int digits, const int longest,
                            gascl_group *joined,
                            __local gascl_gather_memory *memory,
                            GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int item = get_local_id(0), at_once = GASCL_STAGED / digits;
    for (int k = 0; k < GASCL_RUNS_OF_ITEM; ++k)
        joined[k].count = 0;
    for (int from = 0; from < longest; from += at_once) {
        _Pragma("unroll 4") for (int i = item; i < digits * at_once; i += GASCL_GROUP) {
            const int place = runs[i / at_once] + from + i % at_once;
            if (place < runs[i / at_once + 1])
                memory->of.staged[i] = gascl_fetch_sorted(
                    block, list[place], GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0, digit = item; k < GASCL_RUNS_OF_ITEM && digit < digits; ++k, digit += GASCL_GROUP) {
            int begin = digit * at_once;
            const int end = begin + min(runs[digit + 1] - runs[digit] - from, at_once);
            if (from == 0 && begin < end)
                joined[k] = memory->of.staged[begin++];
            if (begin < end)
                gascl_join_staged(&joined[k], memory->of.staged, begin, end);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#else
#define GASCL_COUNTERS (GASCL_ROW_DIGITS * GASCL_GROUP)
// Counts the messages of a long row whose keys differ in one digit, which begins at `shift`. A digit has several
// counters, the first of which gets their sum.
static void gascl_count_digits(__global const gascl_sorted *list, const int n, const int shift,
                               const int digits, __local gascl_gather_memory *memory) {
    const int item = get_local_id(0), copies = GASCL_COUNTERS / digits;
    volatile __local uint *counters = memory->of.counters;
    for (int i = item; i < GASCL_COUNTERS; i += GASCL_GROUP)
        counters[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    _Pragma("unroll 8") for (int i = item; i < n; i += GASCL_GROUP)
        atomic_inc(&counters[((int)(list[i] >> shift) & (digits - 1)) * copies + item % copies]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int digit = item; digit < digits; digit += GASCL_GROUP) {
        uint sum = 0;
        for (int i = 0; i < copies; ++i)
            sum += counters[digit * copies + i];
        counters[digit * copies] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

#if GASCL_GROUP_VALUES
#define GASCL_MOST_DIGITS min(GASCL_ROW_DIGITS, GASCL_STAGED)  // so that at least one message of each is staged
#else
#define GASCL_MOST_DIGITS GASCL_COUNTERS
#endif

// Applies a row that is longer than a block.
static void gascl_apply_long_row(const gascl_block block, __global gascl_group *groups,
                                 __local gascl_gather_memory *memory, gascl_tally *tally,
                                 GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int item = get_local_id(0);
    const long arcs = (long)(block.end - block.begin);
    // What is sorted is at the end, so that groups can be stored in front of what is still to be read.
    __global gascl_key_bits *keys = (__global gascl_key_bits *)groups;
    __global gascl_sorted *list = (__global gascl_sorted *)(groups + arcs) - arcs;
    const int n = gascl_list_row(block, keys, list, memory,
                                 GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    const gascl_vertex v = gascl_gathering(block.first, GASCL_STATE_ON GASCL_LANE_ON);
    __local gascl_group *staged = memory->of.staged;
    // The digit that is all in which keys differ, if there is one.
    const gascl_key_bits differ = n ? gascl_differing(memory) : 0;
    const int shift = differ ? gascl_next_bit(differ, 0) : 0;
    int digits = 1;
    while (2 * digits <= GASCL_MOST_DIGITS && differ >> shift >= (gascl_key_bits)digits)
        digits *= 2;
    bool few = differ >> shift < (gascl_key_bits)digits;
#if GASCL_PREFERS
    gascl_group best;
    best.count = 0;
#define GASCL_PROPOSE(group)                                                           \
    if (!best.count || gascl_is_better(v, group, best, GASCL_STATE_ON GASCL_LANE_ON)) \
        best = group;
#else
    gascl_group held[(GASCL_STAGED + GASCL_GROUP - 1) / GASCL_GROUP + 1];
    int number = 0;
#define GASCL_PROPOSE(group) held[mine++] = group;
#endif
    // Loops that run once or not at all: PoCL takes no barrier in a branch.
#if GASCL_GROUP_VALUES
    gascl_sort_row(keys, list, list - arcs, n, memory);
    // Bits of the digit may be the same in all keys, and then the runs do not begin with that of digit 0.
    const gascl_key_bits first = n ? GASCL_SORTED_BITS(keys, list[0]) >> shift : 0;
    __local const int *runs = memory->runs + ((int)first & (GASCL_ROW_DIGITS - digits));
    int longest = 0;
    for (int digit = 0; digit < digits && few; ++digit)
        longest = max(longest, runs[digit + 1] - runs[digit]);
    few = differ && few && (long)longest * digits <= 2l * n;  // otherwise most items would wait
    for (int once = 0; once < few; ++once) {
        gascl_group joined[GASCL_RUNS_OF_ITEM];
        gascl_join_runs(block, list, runs, digits, longest, joined, memory,
                        GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        for (int k = 0, digit = item; k < GASCL_RUNS_OF_ITEM; ++k, digit += GASCL_GROUP) {
            if (!joined[k].count)
                continue;
#if GASCL_PREFERS
            GASCL_PROPOSE(joined[k])
#else
            int before = 0;
            for (int other = 0; other < digit; ++other)
                before += runs[other] < runs[other + 1];
            groups[before] = joined[k];
#endif
        }
#if !GASCL_PREFERS
        for (int digit = 0; digit < digits; ++digit)
            number += runs[digit] < runs[digit + 1];
#endif
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    }
#else
    const gascl_key_bits others = n ? list[0] & ~((gascl_key_bits)(digits - 1) << shift) : 0;
    for (int once = 0; once < few; ++once)
        gascl_count_digits(list, n, shift, digits, memory);
    for (int base = 0; base < (few ? digits : 0); base += GASCL_GROUP) {
        const int digit = base + item;
        gascl_group found;
        GASCL_KEY(found) = GASCL_KEY_OF(others | (gascl_key_bits)digit << shift);
        found.count = digit < digits ? memory->of.counters[digit * (GASCL_COUNTERS / digits)] : 0;
#if GASCL_PREFERS
        if (found.count) {
            GASCL_PROPOSE(found)
        }
#else
        const int sum = gascl_sum_up_to_item(found.count > 0, memory->shared.counts);
        if (found.count)
            groups[number + sum - 1] = found;
        if (item == GASCL_GROUP - 1)
            memory->sent = sum;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        number += memory->sent;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int once = 0; once < !few; ++once)
        gascl_sort_row(keys, list, list - arcs, n, memory);
#endif
    for (int base = 0; base < (few ? 0 : n); base += GASCL_STAGED) {
        const int count = min(n - base, GASCL_STAGED);
        gascl_group carried;
        carried.count = 0;
        if (item == 0 && base > 0)
            carried = memory->carried;
        gascl_stage(block, list + base, count, memory,
                    GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        const int share = (count + GASCL_GROUP - 1) / GASCL_GROUP;
        const int begin = min(item * share, count), end = min(begin + share, count);
        int mine = 0;
        for (int i = begin; i < end; ++i) {
            if (!gascl_begins_group(staged, i))
                continue;
            gascl_group joined = staged[i];
            if (carried.count && GASCL_KEY(carried) == GASCL_KEY(joined)) {
                joined = carried;
                gascl_join_values(&joined, staged[i]);
                ++joined.count;
            } else if (carried.count) {
                GASCL_PROPOSE(carried)
            }
            carried.count = 0;
            const int next = gascl_end_of_group(staged, i, count);
            gascl_join_staged(&joined, staged, i + 1, next);
            if (next == count && base + count < n)
                memory->carried = joined;
            else
                GASCL_PROPOSE(joined)
        }
#if !GASCL_PREFERS
        const int sum = gascl_sum_up_to_item(mine, memory->shared.counts);
        if (item == GASCL_GROUP - 1)
            memory->sent = sum;
        for (int i = 0; i < mine; ++i)
            groups[number + sum - mine + i] = held[i];
#endif
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if !GASCL_PREFERS
        number += memory->sent;
#endif
    }
    gascl_gathered msg = gascl_nothing();
#if GASCL_PREFERS
    for (int left = GASCL_GROUP / 2; left > 0; left /= 2) {
        staged[item] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < left && staged[item + left].count) {
            GASCL_PROPOSE(staged[item + left])
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (n)
        msg = best;
#else
    if (item == 0 && n)
        msg = gascl_gather_snippet(v, groups, number, GASCL_STATE_ON GASCL_LANE_ON);
#endif
    if (item == 0)
        gascl_apply_gathered(block.first, msg, n, tally, GASCL_STATE_ON GASCL_LANE_ON);
}

// The code of a message of a block: its row, that it is none (of an arc that carries none: it comes
// behind the others of its row), its key, and its place among the arcs. Those of narrow keys fit in a word.
#if GASCL_NARROW_KEYS
typedef ulong gascl_code;
#define GASCL_OWNER_BIT (32 + GASCL_PLACE_BITS)
#define GASCL_OWNER(code) ((code) >> GASCL_OWNER_BIT)
#define GASCL_PLACE(code) ((int)((code) & ((1 << GASCL_PLACE_BITS) - 1)))
#define GASCL_SAME_GROUP(a, b) ((a) >> GASCL_PLACE_BITS == (b) >> GASCL_PLACE_BITS)
#define GASCL_LESS(a, b) ((a) < (b))
#define GASCL_CODE(rows, i) (rows).codes[i]
#define GASCL_SET_CODE(rows, i, code) (rows).codes[i] = (code)
#define GASCL_MAKE_CODE(owner, bits, place) \
    ((ulong)(owner) << GASCL_OWNER_BIT | (ulong)(bits) << GASCL_PLACE_BITS | (ulong)(place))
#else
typedef ulong2 gascl_code;  // the key, and the rest
#define GASCL_OWNER(code) ((code).y >> GASCL_PLACE_BITS)
#define GASCL_PLACE(code) ((int)((code).y & ((1 << GASCL_PLACE_BITS) - 1)))
#define GASCL_SAME_GROUP(a, b) ((a).x == (b).x && GASCL_OWNER(a) == GASCL_OWNER(b))
#define GASCL_LESS(a, b)                                                               \
    (GASCL_OWNER(a) != GASCL_OWNER(b) ? (a).y < (b).y                                  \
                                      : (a).x < (b).x || ((a).x == (b).x && (a).y < (b).y))
#define GASCL_CODE(rows, i) ((ulong2)((rows).codes[i], (rows).owners[i]))
#define GASCL_SET_CODE(rows, i, code) ((rows).codes[i] = (code).x, (rows).owners[i] = (uint)(code).y)
#define GASCL_MAKE_CODE(owner, bits, place) \
    ((ulong2)(bits, (ulong)(owner) << GASCL_PLACE_BITS | (ulong)(place)))
#endif
#define GASCL_IS_MESSAGE(code) (!(GASCL_OWNER(code) & 1))
#define GASCL_ROW(code) ((int)(GASCL_OWNER(code) >> 1))

// A step of Batcher's bitonic sort (1968), in the form in which all comparisons have the same direction, so that
// the number of values need not be a power of two: the places that the pair-th comparison is about.
#define GASCL_LOW_OF(pair, step) ((pair) / (step) * 2 * (step) + (pair) % (step))
#define GASCL_HIGH_OF(pair, size, step)                                              \
    ((step) == (size) / 2 ? (pair) / (step) * 2 * (step) + 2 * (step) - 1 - (pair) % (step) \
                          : GASCL_LOW_OF(pair, step) + (step))

static void gascl_compare_codes(__local gascl_gather_memory *memory, const int n, const int size,
                                const int step) {
    const int pairs = (n + 2 * step - 1) / (2 * step) * step;
    for (int pair = get_local_id(0); pair < pairs; pair += GASCL_GROUP) {
        const int low = GASCL_LOW_OF(pair, step), high = GASCL_HIGH_OF(pair, size, step);
        if (high >= n)
            continue;
        const gascl_code a = GASCL_CODE(memory->of.rows, low), b = GASCL_CODE(memory->of.rows, high);
        if (GASCL_LESS(b, a)) {
            GASCL_SET_CODE(memory->of.rows, low, b);
            GASCL_SET_CODE(memory->of.rows, high, a);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Sorts the codes of a block, each row's among themselves: by counting the smaller ones, if no row is long.
static void gascl_sort_codes(__local gascl_gather_memory *memory, const int rows, const int arcs) {
    __local const ushort *starts = memory->of.rows.starts;
    const bool counts = memory->longest <= GASCL_FEW_ARCS;
    gascl_code held[(GASCL_BLOCK + GASCL_GROUP - 1) / GASCL_GROUP];
    int places[(GASCL_BLOCK + GASCL_GROUP - 1) / GASCL_GROUP];
    const int counted = counts ? arcs : 0, sorted = counts ? 0 : arcs;
    for (int i = get_local_id(0), k = 0; i < counted; i += GASCL_GROUP, ++k) {
        const gascl_code code = GASCL_CODE(memory->of.rows, i);
        const int row = GASCL_ROW(code), end = starts[row + 1];
        int place = starts[row];
        for (int j = place; j < end; ++j) {
            const gascl_code other = GASCL_CODE(memory->of.rows, j);
            place += GASCL_LESS(other, code);
        }
        held[k] = code;
        places[k] = place;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0), k = 0; i < counted; i += GASCL_GROUP, ++k)
        GASCL_SET_CODE(memory->of.rows, places[k], held[k]);
    for (int size = 2; size < 2 * sorted; size *= 2)
        for (int step = size / 2; step > 0; step /= 2)
            gascl_compare_codes(memory, sorted, size, step);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The group whose first message has the i-th of n codes.
static GASCL_INLINE gascl_group gascl_join_codes(__global const gascl_group *groups,
                                                 __local const gascl_gather_memory *memory, int i,
                                                 const int n) {
    const gascl_code code = GASCL_CODE(memory->of.rows, i);
    gascl_group joined = groups[GASCL_PLACE(code)];
    const int first = i;
    for (++i; i < n; ++i) {
        const gascl_code next = GASCL_CODE(memory->of.rows, i);
        if (!GASCL_SAME_GROUP(next, code))
            break;
        gascl_join_values(&joined, groups[GASCL_PLACE(next)]);
    }
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
    __local long2 *sums = memory->shared.counts;
    for (int row = item; row < rows; row += GASCL_GROUP)
        memory->of.rows.firsts[row] = memory->of.rows.ends[row] = 0;
    gascl_sort_codes(memory, rows, arcs);
    const int share = (arcs + GASCL_GROUP - 1) / GASCL_GROUP;
    const int begin = min(item * share, arcs), end = min(begin + share, arcs);
    gascl_group held[(GASCL_BLOCK + GASCL_GROUP - 1) / GASCL_GROUP];
    int mine = 0;
#define GASCL_OPENS_GROUP(code, i) \
    ((i) == 0 || !GASCL_SAME_GROUP(code, GASCL_CODE(memory->of.rows, (i) - 1)))
    for (int i = begin; i < end; ++i) {
        const gascl_code code = GASCL_CODE(memory->of.rows, i);
        if (GASCL_IS_MESSAGE(code) && GASCL_OPENS_GROUP(code, i))
            held[mine++] = gascl_join_codes(groups, memory, i, arcs);
    }
    const int sum = gascl_sum_up_to_item(mine, sums);
    barrier(CLK_GLOBAL_MEM_FENCE);  // all have read their messages
    for (int i = 0; i < mine; ++i)
        groups[sum - mine + i] = held[i];
    int number = sum - mine;
    for (int i = begin; i < end; ++i) {
        const gascl_code code = GASCL_CODE(memory->of.rows, i);
        if (!GASCL_IS_MESSAGE(code))
            continue;
        const int row = GASCL_ROW(code);
        number += GASCL_OPENS_GROUP(code, i);
        if (i == memory->of.rows.starts[row])
            memory->of.rows.firsts[row] = (ushort)(number - 1);
        if (i + 1 == memory->of.rows.starts[row + 1] ||
            !GASCL_IS_MESSAGE(GASCL_CODE(memory->of.rows, i + 1)))
            memory->of.rows.ends[row] = (ushort)number;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int row = item; row < rows; row += GASCL_GROUP) {
        int count = 0;
        for (int i = memory->of.rows.firsts[row]; i < memory->of.rows.ends[row]; ++i)
            count += groups[i].count;
        gascl_apply_groups(block.first + row, groups + memory->of.rows.firsts[row],
                           memory->of.rows.ends[row] - memory->of.rows.firsts[row], count, tally,
                           GASCL_STATE_ON GASCL_LANE_ON);
        gascl_fill_ahead(block.first + row, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
    }
}
// Fetches the messages of a block of several rows, or one that is not longer, as groups of one message each.
static void gascl_fetch_rows(const gascl_block block, __global gascl_group *groups,
                             __local gascl_gather_memory *memory,
                             __global const gascl_offset *offsets,
                             GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int item = get_local_id(0), rows = block.last - block.first;
    const int arcs = (int)(block.end - block.begin);
    __local ushort *starts = memory->of.rows.starts;
    if (item == 0)
        memory->longest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int longest = 0;
    for (int row = item; row <= rows; row += GASCL_GROUP) {
        starts[row] = (ushort)(offsets[block.first + row] - block.begin);
        if (row < rows)
            longest = max(longest, (int)(offsets[block.first + row + 1] - block.begin) - starts[row]);
    }
    atomic_max(&memory->longest, longest);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < arcs; i += GASCL_GROUP) {
        const int row = gascl_row_of(starts, rows, i);
        gascl_message x;
        const bool sent = gascl_fetch_received(block.begin + i, block.first + row, &x,
                                               GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
        gascl_group group;
        if (sent)
            group = gascl_group_of(x, i);
        else
            GASCL_KEY(group) = 0;
        group.count = sent ? i : -1;
        groups[i] = group;
        const gascl_code code =
            GASCL_MAKE_CODE(2 * row + !sent, GASCL_KEY_BITS(GASCL_KEY(group)), i);
        GASCL_SET_CODE(memory->of.rows, i, code);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

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
            // Loops that run once or not at all: PoCL takes no barrier in a branch.
            for (int once = 0; once < (arcs > GASCL_BLOCK); ++once) {
                gascl_apply_long_row(block, groups, memory, tally,
                                     GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                if (item == 0)
                    gascl_fill_ahead(block.first, GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
            for (int once = 0; once < (arcs <= GASCL_BLOCK); ++once) {
                gascl_fetch_rows(block, groups, memory, offsets,
                                 GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
                gascl_apply_rows(block, groups, arcs, memory, tally, offsets,
                                 GASCL_STATE_ON GASCL_LANE_ON GASCL_DELIVERY_ON);
            }
            barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        }
    }
}
