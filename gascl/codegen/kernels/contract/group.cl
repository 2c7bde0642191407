// Contracts groups of vertices on a GPU. Each group has a hash table for its row, in which the arcs of
// its members add up their weights; the entries of all tables are then packed, and sorted by sort_arcs.cl.
// Integers add up to the same in any order. (After Sahu, GVE-Louvain, 2023, whose tables are of the
// vertices.)
//
// Before it is included, besides what sort.cl needs:
//   GASCL_ARC       int or long, the type of arc offsets
//   GASCL_WEIGHTED  arcs have weights; otherwise each counts 1
//   GASCL_FLOATS    they are double; otherwise long
//   GASCL_HALVES    every arc has its reverse: of those within a group, one counts
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

typedef GASCL_OFFSET gascl_offset;
#include "sort_arcs.cl"
#include "contract/weights.cl"

#define GASCL_NO_ENTRY (~(ulong)0)

#if GASCL_LONG_SLOTS
#define GASCL_ADD_SLOTS(sum, number) atom_add(sum, (long)(number))
#else
#define GASCL_ADD_SLOTS(sum, number) atomic_add(sum, (int)(number))
#endif

// Adds up the numbers of arcs of each group's members in degrees, 0 at first. An item adds up those of
// one group before it adds them.
__kernel void gascl_contract_degrees(__global const GASCL_ARC *restrict offsets,
                                     __global const int *restrict group,
                                     __global volatile gascl_offset *restrict degrees,
                                     const int num_vertices) {
    int own = -1;
    GASCL_ARC sum = 0;
    for (long v = get_global_id(0); v < num_vertices; v += get_global_size(0)) {
        if (group[v] != own) {
            if (own >= 0)
                GASCL_ADD_SLOTS(&degrees[own], sum);
            own = group[v];
            sum = 0;
        }
        sum += offsets[v + 1] - offsets[v];
    }
    if (own >= 0)
        GASCL_ADD_SLOTS(&degrees[own], sum);
}

// Makes of them the sizes of the groups' tables: for each entry that a row may have, one and a half
// slots. After the last one comes 0.
__kernel void gascl_contract_sizes(__global gascl_offset *restrict degrees, const int num_groups) {
    for (long i = get_global_id(0); i <= num_groups; i += get_global_size(0)) {
        const gascl_offset most = min(degrees[i], (gascl_offset)num_groups);
        degrees[i] = i < num_groups ? most + most / 2 + 1 : 0;
    }
}

// Adds to the sum of an entry; keys are a row before `bits` of its column.
static void gascl_add(__global volatile ulong *keys, __global volatile long *sums,
                      __global const gascl_offset *restrict begins, const int row, const int column,
                      const int bits, const long weight) {
    const gascl_offset begin = begins[row];
    const uint size = (uint)(begins[row + 1] - begin);
    const ulong key = (ulong)row << bits | (ulong)column;
    uint at = mul_hi((uint)column * 0x9e3779b1u, size);
    while (true) {
#if GASCL_OCLGRIND
        ulong found = GASCL_NO_ENTRY;
#else
        ulong found = keys[begin + at];
#endif
        if (found == GASCL_NO_ENTRY)
            found = atom_cmpxchg(&keys[begin + at], GASCL_NO_ENTRY, key);
        if (found == GASCL_NO_ENTRY || found == key)
            break;
        at = at + 1 == size ? 0 : at + 1;
    }
    atom_add(&sums[begin + at], weight);
}

// The row in [low, high] whose items begin at or before i and end after it.
static int gascl_row_of(const long i, __global const GASCL_ARC *restrict offsets, int low, int high) {
    while (low < high) {
        const int middle = high - (high - low) / 2;
        if (offsets[middle] <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// All arcs, each to the table of its vertex's group. An item adds up loops before it adds them: a large
// group has many.
__kernel void gascl_contract_insert(__global const GASCL_ARC *restrict offsets,
                                    __global const int *restrict ends,
                                    __global const gascl_weight *restrict weights,
                                    __global const int *restrict group,
                                    __global const gascl_offset *restrict begins,
                                    __global volatile ulong *restrict keys,
                                    __global volatile long *restrict sums, const long num_arcs,
                                    const int num_vertices, const int bits, const gascl_weight unit) {
    __local int rows[2];
    const int item = get_local_id(0);
    const long tiles = (num_arcs + GASCL_TILE_KEYS - 1) / GASCL_TILE_KEYS;
    int own = -1;
    long loops = 0;
    for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
        const long begin = tile * GASCL_TILE_KEYS, stop = min(begin + GASCL_TILE_KEYS, num_arcs);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < 2)
            rows[item] = gascl_row_of(item ? stop - 1 : begin, offsets, 0, num_vertices - 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (long i = begin + item; i < stop; i += GASCL_GROUP) {
            const int v = gascl_row_of(i, offsets, rows[0], rows[1]), end = ends[i];
            const int row = group[v], column = group[end];
            const long weight = GASCL_WEIGHTED ? GASCL_UNITS(weights[i]) : 1;
            if (row != column)
                gascl_add(keys, sums, begins, row, column, bits, weight);
            else if (!GASCL_HALVES || end <= v) {
                if (row != own && own >= 0)
                    gascl_add(keys, sums, begins, own, own, bits, loops);
                loops = row == own ? loops + weight : weight;
                own = row;
            }
        }
    }
    if (own >= 0)
        gascl_add(keys, sums, begins, own, own, bits, loops);
}

// How many entries there are in each tile of all tables.
__kernel void gascl_contract_count(__global const ulong *restrict keys,
                                   __global gascl_offset *restrict counts, const long num_slots) {
    __local gascl_offset sums[GASCL_GROUP];
    const int item = get_local_id(0);
    const long tiles = (num_slots + GASCL_TILE_KEYS - 1) / GASCL_TILE_KEYS;
    for (long tile = get_group_id(0); tile <= tiles; tile += get_num_groups(0)) {
        const long begin = tile * GASCL_TILE_KEYS, stop = min(begin + GASCL_TILE_KEYS, num_slots);
        gascl_offset mine = 0;
        for (long i = begin + item; i < stop; i += GASCL_GROUP)
            mine += keys[i] != GASCL_NO_ENTRY;
        const gascl_offset before = gascl_before(mine, sums);
        if (item == GASCL_GROUP - 1)
            counts[tile] = before + mine;  // one more than there are tiles: the sum of all is there
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The entries without the gaps between them, and where their sums are.
__kernel void gascl_contract_pack(__global const ulong *restrict keys, GASCL_TO,
                                  __global const gascl_offset *restrict begins, const long num_slots) {
    __local gascl_offset sums[GASCL_GROUP];
    const int item = get_local_id(0);
    const long tiles = (num_slots + GASCL_TILE_KEYS - 1) / GASCL_TILE_KEYS;
    for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
        const long begin = tile * GASCL_TILE_KEYS, first = begin + item * GASCL_KEYS_PER_ITEM;
        int mine = 0;
        for (long i = first; i < min(first + GASCL_KEYS_PER_ITEM, num_slots); ++i)
            mine += keys[i] != GASCL_NO_ENTRY;
        gascl_offset at = begins[tile] + gascl_before(mine, sums);
        for (long i = first; i < min(first + GASCL_KEYS_PER_ITEM, num_slots); ++i)
            if (keys[i] != GASCL_NO_ENTRY) {
                keys_to[at] = keys[i];
                places_to[at++] = (gascl_offset)i;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The weights of the sorted entries, and the number of loops among them.
__kernel void gascl_contract_weights(GASCL_FROM, __global const long *restrict sums,
                                     __global gascl_weight *restrict weights,
                                     __global int *restrict loops, const long num_entries,
                                     const int bits, const gascl_weight unit) {
    for (long i = get_global_id(0); i < num_entries; i += get_global_size(0)) {
        weights[i] = GASCL_OF_UNITS(sums[places[i]]);
        if (keys[i] >> bits == (keys[i] & (((ulong)1 << bits) - 1)))
            atomic_inc(loops);
    }
}
