// Pairs, where a work-group has several items: each has one receiver, and the tile of senders is in local
// memory (Nyland, Harris and Prins, GPU Gems 3, chapter 31).

// Fills the receivers' part of `boxes`, of shape (splits, V, lanes).
__kernel void gascl_pairs(GASCL_STATE, __global gascl_box *restrict boxes, const int splits,
                          const int first_row, const int last_row) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    const int range = n / splits + (n % splits > 0), final_row = last_row - 1;
    __local gascl_tile_sender senders[GASCL_TILE];
#if !GASCL_SCATTER_ALL
    __local uchar scatters[GASCL_TILE];
#endif
    const int item = get_local_id(0), split = get_group_id(0) % splits;
    const int id = first_row + get_group_id(0) / splits * GASCL_GROUP + item;
    const int begin = min(n, split * range), end = min(n, begin + range);
    GASCL_FOR_LANES {
        const gascl_vertex v =
            gascl_pair_receiver(min(id, final_row), GASCL_STATE_ON GASCL_LANE_ON);
        gascl_box whole = gascl_box_empty();
        for (int tile = begin; tile < end; tile += GASCL_TILE) {
            const int count = min(GASCL_TILE, end - tile);
            for (int i = item; i < count; i += GASCL_GROUP) {
                gascl_tile_sender_put(&senders[i],
                                      gascl_pair_sender(tile + i, GASCL_STATE_ON GASCL_LANE_ON));
#if !GASCL_SCATTER_ALL
                scatters[i] = GASCL_SCATTERS(tile + i);
#endif
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            gascl_partial part = gascl_partial_empty();
            _Pragma("unroll 4") for (int i = 0; i < count; ++i) {
#if !GASCL_SCATTER_ALL
                if (!scatters[i])
                    continue;
#endif
                if (tile + i != id && id < last_row)
                    gascl_pair(v, gascl_tile_sender_get(&senders[i], tile + i), &part,
                               GASCL_STATE_ON GASCL_LANE_ON);
            }
            gascl_box_add_partial(&whole, part);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (id < last_row)
            boxes[(size_t)split * n * GASCL_LANES + GASCL_AT(id)] = whole;
    }
}
