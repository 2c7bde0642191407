// Lists the vertices that the items of a group have, by one atomic operation. The items list the pieces of
// a long row together. All items call it.
#define GASCL_LISTED_ALONE 16  // pieces
static void gascl_list_by_group(const bool has, const int id, const gascl_offset arcs,
                                gascl_listing *to, __local gascl_step_memory *memory) {
    const int item = get_local_id(0);
    if (item == 0)
        memory->count = memory->listed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int pieces = has ? gascl_pieces_of(arcs) : 0;
    const int at = pieces ? atomic_add(&memory->count, pieces) : 0;
    if (pieces > GASCL_LISTED_ALONE) {
        const int row = atomic_inc(&memory->listed);
        memory->sources[row] = id;
        memory->begins[row] = pieces;
        memory->ends[row] = at;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && memory->count)
        memory->place = atomic_add(to->length, memory->count);
    barrier(CLK_LOCAL_MEM_FENCE);
    __global int2 *frontier = to->frontier + memory->place;
    if (pieces <= GASCL_LISTED_ALONE)
        gascl_list_at(id, pieces, at, frontier);
    for (int row = 0; row < memory->listed; ++row)
        for (int i = item; i < memory->begins[row]; i += GASCL_GROUP)
            frontier[memory->ends[row] + i] = (int2)(memory->sources[row], i);
    barrier(CLK_LOCAL_MEM_FENCE);
}
