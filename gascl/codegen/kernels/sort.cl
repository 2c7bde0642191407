// Sorts keys; equal ones keep their order. They are sorted by a few bits at a time, the lowest first (LSD
// radix sort: Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, 2009):
// the keys of each tile are counted by digit, the counts of all tiles are added up, digit by digit, and
// each tile is sorted in local memory and written to its places.
//
// Before it is included:
//   gascl_offset   int or long, which holds the number of keys
//   GASCL_PLACES   1 if the position that each key has had is moved along with it
//   GASCL_GROUP    items of a work-group, a power of two
//   GASCL_KEYS_PER_ITEM     keys that an item has at a time
//   GASCL_DIGIT_BITS

#define GASCL_DIGITS (1 << GASCL_DIGIT_BITS)
#define GASCL_TILE_KEYS (GASCL_GROUP * GASCL_KEYS_PER_ITEM)  // at most 65,535
// Where a tile's i-th key is: items that read their own keys then read different banks of local memory.
#define GASCL_PADDED(i) ((i) + (i) / GASCL_KEYS_PER_ITEM)
#define GASCL_DIGIT(key) ((int)((key) >> shift) & (GASCL_DIGITS - 1))

#if GASCL_PLACES
#define GASCL_FROM __global const ulong *restrict keys, __global const gascl_offset *restrict places
#define GASCL_TO __global ulong *restrict keys_to, __global gascl_offset *restrict places_to
#else
#define GASCL_FROM __global const ulong *restrict keys
#define GASCL_TO __global ulong *restrict keys_to
#endif

// The sum of `mine` over the items of a group before this one. All items must call it.
static gascl_offset gascl_before(const gascl_offset mine, __local gascl_offset *sums) {
    const int item = get_local_id(0);
    gascl_offset sum = mine;
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < GASCL_GROUP; step *= 2) {
        const gascl_offset other = item >= step ? sums[item - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += other;
        sums[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sum - mine;
}

// How many keys of each tile have each digit: those of digit d in tile t are counts[d * tiles + t].
__kernel void gascl_sort_count(__global const ulong *restrict keys,
                               __global gascl_offset *restrict counts,
                               const long num_keys, const int tiles, const int shift) {
    __local int counted[GASCL_DIGITS];
    const int item = get_local_id(0);
    for (int tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
        for (int digit = item; digit < GASCL_DIGITS; digit += GASCL_GROUP)
            counted[digit] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const long begin = (long)tile * GASCL_TILE_KEYS;
        const long stop = min(begin + GASCL_TILE_KEYS, num_keys);
        for (long i = begin + item; i < stop; i += GASCL_GROUP)
            atomic_inc(&counted[GASCL_DIGIT(keys[i])]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int digit = item; digit < GASCL_DIGITS; digit += GASCL_GROUP)
            counts[(long)digit * tiles + tile] = counted[digit];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The sum of each group's share of the counts ...
__kernel void gascl_sort_sum(__global const gascl_offset *restrict counts,
                             __global gascl_offset *restrict sums,
                             const long num_counts) {
    __local gascl_offset shared[GASCL_GROUP];
    const int item = get_local_id(0);
    const long share = (num_counts + get_num_groups(0) - 1) / (long)get_num_groups(0);
    const long begin = (long)get_group_id(0) * share, stop = min(begin + share, num_counts);
    gascl_offset sum = 0;
    for (long i = begin + item; i < stop; i += GASCL_GROUP)
        sum += counts[i];
    const gascl_offset before = gascl_before(sum, shared);
    if (item == GASCL_GROUP - 1)
        sums[get_group_id(0)] = before + sum;
}

// ... by which each count becomes the sum of those before it. As many groups as for gascl_sort_sum.
__kernel void gascl_sort_add(__global gascl_offset *restrict counts,
                             __global const gascl_offset *restrict sums,
                             const long num_counts) {
    __local gascl_offset shared[GASCL_GROUP];
    __local gascl_offset whole;
    const int item = get_local_id(0);
    const long share = (num_counts + get_num_groups(0) - 1) / (long)get_num_groups(0);
    const long begin = (long)get_group_id(0) * share, stop = min(begin + share, num_counts);
    gascl_offset earlier = 0;
    for (int i = item; i < (int)get_group_id(0); i += GASCL_GROUP)
        earlier += sums[i];
    for (long first = begin - GASCL_GROUP; first < stop; first += GASCL_GROUP) {
        // The first iteration only adds up what is before the share.
        const long i = first + item;
        const bool counts_now = first >= begin;
        const gascl_offset mine = !counts_now ? earlier : i < stop ? counts[i] : 0;
        const gascl_offset before = gascl_before(mine, shared);
        if (counts_now && i < stop)
            counts[i] = whole + before;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == GASCL_GROUP - 1)
            whole = (counts_now ? whole : 0) + before + mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Moves the keys of each tile behind all keys with a lower digit, and those of earlier tiles with the
// same. An item has neighboring keys.
__kernel void gascl_sort_move(GASCL_FROM, GASCL_TO, __global const gascl_offset *restrict begins,
                              const long num_keys, const int tiles, const int shift) {
    __local ulong tile_keys[GASCL_PADDED(GASCL_TILE_KEYS)];
#if GASCL_PLACES
    __local gascl_offset tile_places[GASCL_PADDED(GASCL_TILE_KEYS)];
#endif
    __local ushort at[GASCL_DIGITS * GASCL_GROUP];  // where an item's keys of a digit go in the tile
    __local gascl_offset sums[GASCL_GROUP], to[GASCL_DIGITS];
    const int item = get_local_id(0);
    for (int tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
        const long begin = (long)tile * GASCL_TILE_KEYS;
        const int count = (int)min((long)GASCL_TILE_KEYS, num_keys - begin);
        for (int i = item; i < GASCL_TILE_KEYS; i += GASCL_GROUP) {
            tile_keys[GASCL_PADDED(i)] = i < count ? keys[begin + i] : ~(ulong)0;
#if GASCL_PLACES
            tile_places[GASCL_PADDED(i)] = i < count ? places[begin + i] : 0;
#endif
        }
        for (int digit = 0; digit < GASCL_DIGITS; ++digit)
            at[digit * GASCL_GROUP + item] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        ulong mine[GASCL_KEYS_PER_ITEM];
#if GASCL_PLACES
        gascl_offset mine_from[GASCL_KEYS_PER_ITEM];
#endif
        for (int i = 0; i < GASCL_KEYS_PER_ITEM; ++i) {
            mine[i] = tile_keys[GASCL_PADDED(item * GASCL_KEYS_PER_ITEM + i)];
#if GASCL_PLACES
            mine_from[i] = tile_places[GASCL_PADDED(item * GASCL_KEYS_PER_ITEM + i)];
#endif
            at[GASCL_DIGIT(mine[i]) * GASCL_GROUP + item] += 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = 0;
        for (int i = 0; i < GASCL_DIGITS; ++i)
            sum += at[item * GASCL_DIGITS + i];
        int before = (int)gascl_before(sum, sums);
        for (int i = 0; i < GASCL_DIGITS; ++i) {
            const int counted = at[item * GASCL_DIGITS + i];
            at[item * GASCL_DIGITS + i] = (ushort)before;
            before += counted;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int digit = item; digit < GASCL_DIGITS; digit += GASCL_GROUP)
            to[digit] = begins[(long)digit * tiles + tile] - at[digit * GASCL_GROUP];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < GASCL_KEYS_PER_ITEM; ++i) {
            const int place = at[GASCL_DIGIT(mine[i]) * GASCL_GROUP + item]++;
            tile_keys[GASCL_PADDED(place)] = mine[i];
#if GASCL_PLACES
            tile_places[GASCL_PADDED(place)] = mine_from[i];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < count; i += GASCL_GROUP) {
            const gascl_offset place = to[GASCL_DIGIT(tile_keys[GASCL_PADDED(i)])] + i;
            keys_to[place] = tile_keys[GASCL_PADDED(i)];
#if GASCL_PLACES
            places_to[place] = tile_places[GASCL_PADDED(i)];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
