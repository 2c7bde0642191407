// For runs whose arcs are streamed in parts, and in which only the vertices in the mask scatter.

// Finds the parts that hold arcs of the vertices that scatter, one bit mask for each group; the host
// copies only these. `reaches`: the parts in which GASCL_SENDERS_OF_WORD vertices, one after the other, have out-arcs.
__kernel void gascl_needed(GASCL_STATE, __global const uint *restrict reaches,
                           __global uint *restrict needed) {
    __local uint parts;
    uint mine = 0;
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_))
        if (GASCL_IN_MASK(id))
            mine |= reaches[id / GASCL_SENDERS_OF_WORD];
    if (get_local_id(0) == 0)
        parts = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine)
        atomic_or(&parts, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        needed[get_group_id(0)] = parts;
}
