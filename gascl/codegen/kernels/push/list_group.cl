// Lists the vertices that the items of a group have, by one atomic operation. All items call it.
static void gascl_list_by_group(const bool has, const int id, const gascl_offset arcs,
                                gascl_listing *to, __local gascl_step_memory *memory) {
    const int item = get_local_id(0);
    if (item == 0)
        memory->count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int pieces = has ? gascl_pieces_of(arcs) : 0;
    const int at = pieces ? atomic_add(&memory->count, pieces) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && memory->count)
        memory->place = atomic_add(to->length, memory->count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < pieces; ++i)
        to->frontier[memory->place + at + i] = (int2)(id, i);
    barrier(CLK_LOCAL_MEM_FENCE);
}
