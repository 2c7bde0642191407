// Contracts groups of vertices on a CPU: an item makes the rows of a range of groups, one after the
// other, with an accumulator for each group (Gustavson, Two Fast Algorithms for Sparse Matrices, 1978).
// Their entries come in the order in which they are met; so the matrix is then transposed, by counting,
// which sorts the rows of the result.
//
// Before it is included:
//   GASCL_OFFSET    int or long, which holds the number of arcs
//   GASCL_WEIGHTED  arcs have weights; otherwise each counts 1
//   GASCL_FLOATS    they are double; otherwise long
//   GASCL_HALVES    every arc has its reverse: of those within a group, one counts

#include "contract/weights.cl"

typedef GASCL_OFFSET gascl_offset;

// The rows of the groups, unsorted: that of group c has counts[c] entries from begins[c] on, which is
// the number of arcs of the groups before it. Members of a group are vertices[members[c]] and on;
// places, -1 at first, has a table for each item.
__kernel void gascl_contract_rows(__global const gascl_offset *restrict offsets,
                                  __global const int *restrict ends,
                                  __global const gascl_weight *restrict weights,
                                  __global const int *restrict group,
                                  __global const int *restrict vertices,
                                  __global const int *restrict members,
                                  __global const gascl_offset *restrict begins,
                                  __global const int *restrict firsts,
                                  __global gascl_offset *restrict places,
                                  __global int *restrict counts,
                                  __global int *restrict columns, __global long *restrict sums,
                                  const int num_groups, const gascl_weight unit) {
    const int item = get_global_id(0);
    __global gascl_offset *place = places + (long)item * num_groups;
    for (int row = firsts[item]; row < firsts[item + 1]; ++row) {
        const gascl_offset begin = begins[row];
        gascl_offset next = begin;
        for (int m = members[row]; m < members[row + 1]; ++m) {
            const int v = vertices[m];
            for (gascl_offset i = offsets[v]; i < offsets[v + 1]; ++i) {
                const int end = ends[i], column = group[end];
                if (GASCL_HALVES && column == row && end > v)
                    continue;
                const long weight = GASCL_WEIGHTED ? GASCL_UNITS(weights[i]) : 1;
                const gascl_offset at = place[column];
                if (at >= begin)
                    sums[at] += weight;
                else {
                    place[column] = next;
                    columns[next] = column;
                    sums[next++] = weight;
                }
            }
        }
        counts[row] = (int)(next - begin);
    }
}

// How many entries of each column the rows of each item have.
__kernel void gascl_contract_count(__global const gascl_offset *restrict begins,
                                   __global const int *restrict firsts,
                                   __global const int *restrict counts,
                                   __global const int *restrict columns,
                                   __global int *restrict counted, const int num_groups) {
    const int item = get_global_id(0);
    __global int *mine = counted + (long)item * num_groups;
    for (int column = 0; column < num_groups; ++column)
        mine[column] = 0;
    for (int row = firsts[item]; row < firsts[item + 1]; ++row)
        for (gascl_offset i = begins[row]; i < begins[row] + counts[row]; ++i)
            mine[columns[i]] += 1;
}

// Moves the entries of each item's rows to the rows of the result: to[...] is where the next one of a
// column goes. Notes how many of them are loops.
__kernel void gascl_contract_move(__global const gascl_offset *restrict begins,
                                  __global const int *restrict firsts,
                                  __global const int *restrict counts,
                                  __global const int *restrict columns,
                                  __global const long *restrict sums,
                                  __global gascl_offset *restrict to, __global int *restrict ends,
                                  __global gascl_weight *restrict weights,
                                  __global int *restrict loops, const int num_groups,
                                  const gascl_weight unit) {
    const int item = get_global_id(0);
    __global gascl_offset *mine = to + (long)item * num_groups;
    int own = 0;
    for (int row = firsts[item]; row < firsts[item + 1]; ++row)
        for (gascl_offset i = begins[row]; i < begins[row] + counts[row]; ++i) {
            const gascl_offset at = mine[columns[i]]++;
            ends[at] = row;
            weights[at] = GASCL_OF_UNITS(sums[i]);
            own += columns[i] == row;
        }
    loops[item] = own;
}
