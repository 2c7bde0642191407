// A work-group has several items, which list their vertices together.
static void gascl_add_to_bucket_list(gascl_bucket_lists *to, const int where, const int id,
                                     const gascl_offset arcs, __local gascl_list_memory *memory) {
    const int item = get_local_id(0);
    const int pieces = where == GASCL_NO_LIST       ? 0
                       : where != GASCL_TO_FRONTIER ? 1
                                                    : gascl_pieces_of(arcs);
    for (int i = item; i < GASCL_NO_LIST; i += GASCL_GROUP)
        memory->counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int at = pieces ? atomic_add(&memory->counts[where], pieces) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < GASCL_NO_LIST; i += GASCL_GROUP)
        if (memory->counts[i])
            memory->places[i] = atomic_add(i == GASCL_TO_FRONTIER ? to->frontier_length
                                           : i == GASCL_TO_NEAR   ? to->near_length
                                                                  : to->far_length,
                                           memory->counts[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (where == GASCL_TO_FRONTIER)
        for (int i = 0; i < pieces; ++i)
            to->frontier[memory->places[GASCL_TO_FRONTIER] + at + i] = (int2)(id, i);
    else if (where == GASCL_TO_NEAR)
        to->near[memory->places[GASCL_TO_NEAR] + at] = id;
    else if (where == GASCL_TO_FAR)
        to->far[memory->places[GASCL_TO_FAR] + at] = id;
    barrier(CLK_LOCAL_MEM_FENCE);
}

static void gascl_flush_bucket_lists(gascl_bucket_lists *to) {}

static void gascl_lower_to_least(volatile __global int *lowest, const int least,
                                 __local gascl_list_memory *memory) {
    if (get_local_id(0) == 0)
        memory->low = INT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (least < INT_MAX)
        atomic_min(&memory->low, least);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && memory->low < INT_MAX)
        atomic_min(lowest, memory->low);
    barrier(CLK_LOCAL_MEM_FENCE);
}

#define GASCL_FOR_LISTED(i, n)                                                     \
    for (long i = (long)team.rank * GASCL_GROUP + get_local_id(0),                 \
              gascl_base = (long)team.rank * GASCL_GROUP,                          \
              gascl_end = team.idle ? 0 : (n);                                     \
         gascl_base < gascl_end;                                                   \
         i += (long)team.groups * GASCL_GROUP, gascl_base += (long)team.groups * GASCL_GROUP)
