// Rows that alone have more arcs than a rank's share: ranks share their segments, whose boxes the kernel
// gascl_gather_segments() has combined (gather/item.cl, gather/group.cl), and which have come from all
// ranks. A group joins those of a row in the order in which gather/group.cl joins the segments of a very long
// row; then the row's own rank applies it, as if it had gathered them.
__kernel void gascl_join_segments(__global const gascl_control *restrict control,
                                  __global const gascl_box *restrict segments,
                                  __global const gascl_block *restrict cut_rows,
                                  const int num_cut_rows, __global gascl_box *restrict joined) {
#if GASCL_GROUP > 1
    __local gascl_shared shared;
#endif
    const int rows = control->stopped ? 0 : num_cut_rows;
    for (int at = get_group_id(0); at < rows; at += get_num_groups(0)) {
        const gascl_block row = cut_rows[at];
        gascl_box whole = gascl_box_empty();
        for (gascl_offset i = row.begin + get_local_id(0); i < row.end; i += GASCL_GROUP)
            gascl_box_merge(&whole, segments[i]);
#if GASCL_GROUP > 1
        shared.boxes[get_local_id(0)] = whole;
        whole = gascl_join(shared.boxes, gascl_join_items(shared.boxes, GASCL_GROUP), 1);
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (get_local_id(0) == 0)
            joined[at] = whole;
    }
}
