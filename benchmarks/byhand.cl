// A superstep of PageRank written by hand, for one program and nothing else: what byhand.py runs.
//
// GROUP: items in a work-group. 1: an item has a block of rows to itself, as suits a CPU. Else the
// items of a group share a block of up to ARCS arcs and GROUP rows, each taking as many arcs that
// follow one another, and then finishing a row (Merrill and Garland, Merge-based parallel sparse
// matrix-vector multiplication, 2016); a longer row is a block by itself. What is in local memory is
// as little as can be: on a GPU the cache has the rest.
// OFFSET: the type that numbers arcs.
//
// No barrier stands in a branch, where PoCL hangs.

#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))

typedef struct {
    OFFSET begin, end;  // arcs
    int first, last;    // rows
} block_type;

// What a group adds up: how far ranks moved (x), and the rank of vertices without out-arcs (y).
typedef double2 total_type;

#define ARRAYS                                                                           \
    __global const int *restrict degree, __global float *restrict rank,                  \
        __global float *restrict contribution_next, __global total_type *restrict totals
#define ARRAYS_ON degree, rank, contribution_next, totals

// A vertex has its new rank: what it contributes to each neighbor in the next superstep.
static void put(const int v, const float new, total_type *total, ARRAYS) {
    const int arcs = degree[v];
    rank[v] = new;
    contribution_next[v] = new / arcs;
    if (arcs == 0)
        total->y += new;
}

static void finish(const int v, const float sum, const float damping, const float base,
                   total_type *total, ARRAYS) {
    const float new = damping * sum + base, moved = new - rank[v];
    total->x += moved < 0 ? -moved : moved;  // in PoCL, fabs() is a call
    put(v, new, total, ARRAYS_ON);
}

#if GROUP == 1
#define MEMORY
#define STORE(mine) totals[get_group_id(0)] = mine
#else
typedef struct {
    float items[GROUP];        // what an item adds to a row that began before its arcs
    float rows[GROUP];         // the rest of a row, from its beginning on
    ushort starts[GROUP + 1];  // where a row's arcs begin
} memory_type;

// Adds up what the items have, in floats: in halves of them, since there is no room for more.
static void store(const total_type mine, __local memory_type *memory, __global total_type *totals) {
    const int item = get_local_id(0);
    memory->items[item] = mine.x;
    memory->rows[item] = mine.y;
    for (int apart = GROUP / 2; apart > 0; apart /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < apart) {
            memory->items[item] += memory->items[item + apart];
            memory->rows[item] += memory->rows[item + apart];
        }
    }
    if (item == 0)
        totals[get_group_id(0)] = (total_type)(memory->items[0], memory->rows[0]);
}
#define MEMORY __local memory_type memory;
#define STORE(mine) store(mine, &memory, totals)
#endif

// What all groups have added up, by one group.
KERNEL void add_up(const int groups, __global const total_type *restrict totals,
                   __global total_type *restrict whole) {
    __local total_type all[GROUP];
    const int item = get_local_id(0);
    total_type sum = 0;
    for (int i = item; i < groups; i += GROUP)
        sum += totals[i];
    all[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (int i = 1; i < GROUP; ++i)
            sum += all[i];
        *whole = sum;
    }
}

KERNEL void start(const int vertices, ARRAYS) {
    MEMORY
    total_type total = 0;
    const int share = (vertices + get_num_groups(0) - 1) / get_num_groups(0);
    const int first = share * get_group_id(0), last = min(vertices, first + share);
    for (int v = first + get_local_id(0); v < last; v += GROUP)
        put(v, 1.0f / vertices, &total, ARRAYS_ON);
    STORE(total);
}

#if GROUP == 1
// Two sums, so that an addition need not wait for the one before it. More were
// slower, probably as the loop then makes so few turns that its end is mispredicted.
static float sum_of(__global const float *restrict contribution,
                    __global const int *restrict sources, OFFSET arc, const OFFSET end) {
    float even = 0, odd = 0;
    if (end - arc >= 8)
        for (; end - arc >= 2; arc += 2) {
            even += contribution[sources[arc]];
            odd += contribution[sources[arc + 1]];
        }
    for (; arc < end; ++arc)
        even += contribution[sources[arc]];
    return even + odd;
}
#endif

#if GROUP > 1
// An item's share of a block of several rows.
static void gather(const block_type block, __local memory_type *memory,
                   __global const int *restrict sources,
                   __global const float *restrict contribution) {
    const int item = get_local_id(0), each = ARCS / GROUP, rows = block.last - block.first;
    const int arcs = (int)(block.end - block.begin);
    const int from = item * each, to = min(from + each, arcs);
    if (from >= to)
        return;
    float fetched[ARCS / GROUP];
#pragma unroll
    for (int k = 0; k < each; ++k)
        fetched[k] = contribution[sources[block.begin + min(from + k, arcs - 1)]];
    int row = 0;
    for (int step = GROUP / 2; step > 0; step /= 2)
        if (row + step < rows && memory->starts[row + step] <= from)
            row += step;
    bool began = memory->starts[row] == from;
    int next = memory->starts[row + 1];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < each; ++k)
        if (from + k < to) {
            if (from + k == next) {
                *(began ? &memory->rows[row] : &memory->items[item]) = sum;
                began = true;
                sum = 0;
                do
                    next = memory->starts[++row + 1];
                while (next <= from + k);
            }
            sum += fetched[k];
        }
    *(began ? &memory->rows[row] : &memory->items[item]) = sum;
}
#endif

KERNEL void superstep(const int vertices, const float damping, const int num_blocks,
                      __global const block_type *restrict blocks,
                      __global const OFFSET *restrict offsets,
                      __global const int *restrict sources,
                      __global const float *restrict contribution,
                      __global const total_type *restrict before, ARRAYS) {
    MEMORY
    const float base = (1 - damping + damping * (float)before->y) / vertices;
    total_type total = 0;
#if GROUP == 1
    for (int at = get_group_id(0); at < num_blocks; at += get_num_groups(0)) {
        const block_type block = blocks[at];
        OFFSET arc = block.begin;
        for (int v = block.first; v < block.last; ++v) {
            const OFFSET end = offsets[v + 1];
            const float sum = sum_of(contribution, sources, arc, end);
            finish(v, sum, damping, base, &total, ARRAYS_ON);
            arc = end;
        }
    }
#else
    const int item = get_local_id(0), each = ARCS / GROUP;
    for (int at = get_group_id(0); at < num_blocks; at += get_num_groups(0)) {
        const block_type block = blocks[at];
        const int rows = block.last - block.first;
        if (rows == 1) {
            float sum = 0;
#pragma unroll 4
            for (OFFSET arc = block.begin + item; arc < block.end; arc += GROUP)
                sum += contribution[sources[arc]];
            memory.items[item] = sum;
        } else
            for (int i = item; i <= rows; i += GROUP)
                memory.starts[i] = (ushort)(offsets[block.first + i] - block.begin);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (rows > 1)
            gather(block, &memory, sources, contribution);
        for (int apart = GROUP / 2; apart > 0; apart /= 2) {
            if (rows == 1 && item < apart)
                memory.items[item] += memory.items[item + apart];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (item < rows) {
            float sum = rows == 1 ? memory.items[0] : 0;
            const int begin = rows == 1 ? 0 : memory.starts[item];
            const int end = rows == 1 ? 0 : memory.starts[item + 1];
            if (begin < end) {
                sum = memory.rows[item];
                for (int i = begin / each + 1; i * each < end; ++i)
                    sum += memory.items[i];
            }
            finish(block.first + item, sum, damping, base, &total, ARRAYS_ON);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    STORE(total);
}
