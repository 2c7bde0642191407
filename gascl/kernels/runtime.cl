// What every kernel shares: boxes of messages, masks, the division of work, tallies.
//
// Work-groups of GASCL_GROUP items; 1 on CPUs, where an item owns a whole range of rows and a
// barrier would cost more than it shares.
#include "program.h"

static gascl_box gascl_box_empty(void) {
    gascl_box box;
    box.combined = gascl_identity();
    box.count = 0;
#if GASCL_OVERFLOWS
    box.overflow = 0;
#endif
    return box;
}

static void gascl_box_combine(gascl_box *box, const gascl_accumulator x) {
#if GASCL_OVERFLOWS
    box->combined = gascl_combine(box->combined, x, &box->overflow);
#else
    box->combined = gascl_combine(box->combined, x);
#endif
}

// Several messages along one arc are combined and count as one.
static void gascl_send(gascl_box *out, const gascl_message x) {
    if (out->count)
        gascl_box_combine(out, x);
    else
        out->combined = x;
    out->count = 1;
#if GASCL_OVERFLOWS
    out->overflow |= (gascl_accumulator)(gascl_message)out->combined != out->combined;
#endif
}

static void gascl_box_merge(gascl_box *into, const gascl_box from) {
    if (!from.count)
        return;
    gascl_box_combine(into, from.combined);
    into->count += from.count;
#if GASCL_OVERFLOWS
    into->overflow |= from.overflow;
#endif
}

// The combined message in its own type; one that does not fit is recorded with the least id.
static gascl_message gascl_narrow(const gascl_box in, const int id,
                                  __global gascl_control *control) {
    const gascl_message message = (gascl_message)in.combined;
#if GASCL_OVERFLOWS
    if (in.overflow || (in.count && (gascl_accumulator)message != in.combined))
        atomic_min(&control->overflow, id);
#endif
    return message;
}

static bool gascl_is_vertex(const long id, const int sender, __global const gascl_run *run,
                            __global gascl_control *control) {
    if (id >= 0 && id < run->graph.num_vertices)
        return true;
    atomic_min(&control->fault, sender);
    return false;
}

static void gascl_set_mask_of(const long id, const int sender, __global uchar *mask,
                              __global const gascl_run *run, __global gascl_control *control) {
    if (gascl_is_vertex(id, sender, run, control))
        mask[id] = 1;
}

static int gascl_get_mask_of(const long id, const int sender, __global const uchar *mask,
                             __global const gascl_run *run, __global gascl_control *control) {
    return gascl_is_vertex(id, sender, run, control) ? mask[id] : 0;
}

// Vertices: each group owns a contiguous range, its items take turns in it.
#define GASCL_CHUNK(n) ((int)(((long)(n) + get_num_groups(0) - 1) / get_num_groups(0)))
#define GASCL_FOR_VERTICES(id, n)                                                                \
    for (int gascl_last = (int)min((long)(n), ((long)get_group_id(0) + 1) * GASCL_CHUNK(n)),     \
             id = (int)min((long)(n), (long)get_group_id(0) * GASCL_CHUNK(n)) + get_local_id(0); \
         id < gascl_last; id += GASCL_GROUP)

// Rows: a group owns the rows blocks[group] to blocks[group + 1]. Where that is one row, all items
// share its arcs; else each item takes whole rows. Kernels reduce shared rows outside any branch:
// PoCL 3.0 hangs on a barrier inside one, however uniform.
typedef struct {
    int first, last;
    bool shared;
} gascl_rows;

static gascl_rows gascl_my_rows(__global const int *blocks) {
    gascl_rows rows;
    rows.first = blocks[get_group_id(0)];
    rows.last = blocks[get_group_id(0) + 1];
    rows.shared = GASCL_GROUP > 1 && rows.last - rows.first == 1;
    if (!rows.shared)
        rows.first += get_local_id(0);
    return rows;
}

#define GASCL_FOR_ARCS(arc, rows, row, offsets)                                              \
    for (gascl_offset arc = offsets[row] + ((rows).shared ? get_local_id(0) : 0),            \
                      gascl_end = offsets[(row) + 1];                                        \
         arc < gascl_end; arc += (rows).shared ? GASCL_GROUP : 1)

#if GASCL_GROUP > 1
// Combine the boxes of a group in a fixed tree; the first item gets the whole.
static gascl_box gascl_box_reduce(const gascl_box mine, __local gascl_box *scratch) {
    const int item = get_local_id(0);
    // Other items may still read what the first one writes next, here and in global memory.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    scratch[item] = mine;
    for (int stride = GASCL_GROUP / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < stride) {
            gascl_box box = scratch[item];
            gascl_box_merge(&box, scratch[item + stride]);
            scratch[item] = box;
        }
    }
    return scratch[item];
}
#endif

// The tallies of a group, added in a fixed tree, one result a group.
static void gascl_tally_store(const gascl_tally mine, __global gascl_tally *tallies,
                              __local gascl_tally *scratch) {
#if GASCL_GROUP > 1
    const int item = get_local_id(0);
    scratch[item] = mine;
    for (int stride = GASCL_GROUP / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < stride) {
            gascl_tally sum = scratch[item];
            gascl_tally_add(&sum, scratch[item + stride]);
            scratch[item] = sum;
        }
    }
    if (item == 0)
        tallies[get_group_id(0)] = scratch[0];
#else
    tallies[get_group_id(0)] = mine;
#endif
}
