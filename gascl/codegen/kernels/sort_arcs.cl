// Sorts pairs (row, end) by row and then by end; equal ones keep their order. A pair is one number, the key.
#include "sort.cl"

// The keys of pairs: a row before `bits` of its end. If `both`, each pair is followed by its reverse;
// that of a pair of equal ends is the largest key of all, so that it comes last.
__kernel void gascl_sort_keys(GASCL_TO, __global const int *restrict row, __global const int *restrict end,
                              const long pairs, const int bits, const int both) {
    for (long i = get_global_id(0); i < pairs; i += get_global_size(0)) {
        const ulong a = (ulong)row[i], b = (ulong)end[i];
        const long at = both ? 2 * i : i;
        keys_to[at] = a << bits | b;
        if (both)
            keys_to[at + 1] = a == b ? ~(ulong)0 : b << bits | a;
#if GASCL_PLACES
        places_to[at] = (gascl_offset)i;
        if (both)
            places_to[at + 1] = (gascl_offset)i;
#endif
    }
}

// The end of each of the sorted pairs.
__kernel void gascl_sort_ends(__global const ulong *restrict keys, __global int *restrict ends,
                              const long num_keys, const int bits) {
    for (long i = get_global_id(0); i < num_keys; i += get_global_size(0))
        ends[i] = (int)(keys[i] & (((ulong)1 << bits) - 1));
}

// Where the pairs of each row begin among the sorted ones, and where those of the last row end.
__kernel void gascl_sort_offsets(__global const ulong *restrict keys,
                                 __global gascl_offset *restrict offsets, const long num_keys,
                                 const int bits, const int rows) {
    for (long row = get_global_id(0); row <= rows; row += get_global_size(0)) {
        long low = 0, high = num_keys;
        while (low < high) {
            const long middle = low + (high - low) / 2;
            if (keys[middle] >> bits < (ulong)row)
                low = middle + 1;
            else
                high = middle;
        }
        offsets[row] = (gascl_offset)low;
    }
}
