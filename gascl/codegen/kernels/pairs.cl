// All pairs: what each vertex gives to every other one, combined into one box for each receiver and
// lane, which apply joins with the messages that came along arcs. Only these boxes are stored.
//
// The senders are the vertices that scatter. They are split into `splits` ranges, so that even few
// receivers keep a device busy, and each range into tiles of GASCL_TILE. If a work-group has several
// items, each has one receiver, and the tile is in local memory (Nyland, Harris and Prins, GPU Gems 3,
// chapter 31).
// Where a work-group is one item, it has GASCL_RECEIVERS_PER_ITEM receivers at once, over which a
// compiler can vectorize. The order in which a receiver's messages are combined, tile by tile and
// then range by range, depends only on the number of vertices and on the device, and not on which
// receivers, `first_row` to `last_row`, a device has.
#include "runtime.cl"

// Combines what a tile gave to a receiver with what earlier tiles gave.
static void gascl_box_give(gascl_box *whole, const gascl_partial part) {
    if (!part.count)
        return;
#if GASCL_OVERFLOWS
    whole->combined =
        gascl_combine(whole->combined, part.combined, &whole->overflow, part.overflow);
#else
    whole->combined = gascl_combine(whole->combined, GASCL_TO_ACCUMULATOR(part.combined));
#endif
    whole->count += part.count;
}

// What u gives to v. Several messages of a pair are combined and count as one.
static void gascl_pair(const gascl_vertex v, const gascl_vertex u, gascl_partial *part,
                       GASCL_STATE GASCL_LANE) {
    part->sent = 0;
    gascl_pair_snippet(v, u, part, GASCL_STATE_ON GASCL_LANE_ON);
    part->count += part->sent;
}

#if GASCL_GROUP == 1
#define GASCL_FOR_RECEIVERS for (int i = 0; i < GASCL_RECEIVERS_PER_ITEM; ++i)

// What u gives to the i-th receiver of an item, which is the vertex `id`.
static void gascl_pair_with(gascl_partials *parts, const gascl_receivers *receivers, const int i,
                            const int id, const gascl_vertex u, GASCL_STATE GASCL_LANE) {
    gascl_partial part = gascl_partials_get(parts, i);
    gascl_pair(gascl_receivers_get(receivers, i, id), u, &part, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_partials_put(parts, i, part);
}
#endif

// Fills the receivers' part of `boxes`, of shape (splits, V, lanes).
__kernel void gascl_pairs(GASCL_STATE, __global gascl_box *restrict boxes, const int splits,
                          const int first_row, const int last_row) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    const int range = n / splits + (n % splits > 0), final_row = last_row - 1;
#if GASCL_GROUP == 1
    const int rows = last_row - first_row;
    const int blocks = rows / GASCL_RECEIVERS_PER_ITEM + (rows % GASCL_RECEIVERS_PER_ITEM > 0);
    GASCL_FOR_RANGE_OF(long, at, (long)blocks * splits) {
        const int first = first_row + (int)(at / splits) * GASCL_RECEIVERS_PER_ITEM;
        const int split = (int)(at % splits);
        const int begin = min(n, split * range), end = min(n, begin + range);
        GASCL_FOR_LANES {
            gascl_receivers receivers;
            gascl_box wholes[GASCL_RECEIVERS_PER_ITEM];
            GASCL_FOR_RECEIVERS {
                // Past the last receiver, the last one is repeated, and its extra box dropped in the end.
                const int id = min(first + i, final_row);
                gascl_receivers_put(&receivers, i,
                                    gascl_receiving(id, GASCL_STATE_ON GASCL_LANE_ON));
                wholes[i] = gascl_box_empty();
            }
            for (int tile = begin; tile < end; tile += GASCL_TILE) {
                const int last = min(end, tile + GASCL_TILE);
                gascl_partials parts;
                GASCL_FOR_RECEIVERS gascl_partials_put(&parts, i, gascl_partial_empty());
                for (int other = tile; other < last; ++other) {
                    if (!GASCL_SCATTERS(other))
                        continue;
                    const gascl_vertex u = gascl_giving(other, GASCL_STATE_ON GASCL_LANE_ON);
                    if (other < first || other >= first + GASCL_RECEIVERS_PER_ITEM) {
                        GASCL_FOR_RECEIVERS
                            gascl_pair_with(&parts, &receivers, i, min(first + i, final_row), u,
                                            GASCL_STATE_ON GASCL_LANE_ON);
                    } else {
                        GASCL_FOR_RECEIVERS
                            if (min(first + i, final_row) != other)
                                gascl_pair_with(&parts, &receivers, i, min(first + i, final_row), u,
                                                GASCL_STATE_ON GASCL_LANE_ON);
                    }
                }
                GASCL_FOR_RECEIVERS gascl_box_give(&wholes[i], gascl_partials_get(&parts, i));
            }
            for (int i = 0; i < GASCL_RECEIVERS_PER_ITEM && first + i < last_row; ++i)
                boxes[(size_t)split * n * GASCL_LANES + GASCL_AT(first + i)] = wholes[i];
        }
    }
#else
    __local gascl_other others[GASCL_TILE];
#if !GASCL_SCATTER_ALL
    __local uchar give[GASCL_TILE];
#endif
    const int item = get_local_id(0), split = get_group_id(0) % splits;
    const int id = first_row + get_group_id(0) / splits * GASCL_GROUP + item;
    const int begin = min(n, split * range), end = min(n, begin + range);
    GASCL_FOR_LANES {
        const gascl_vertex v = gascl_receiving(min(id, final_row), GASCL_STATE_ON GASCL_LANE_ON);
        gascl_box whole = gascl_box_empty();
        for (int tile = begin; tile < end; tile += GASCL_TILE) {
            const int count = min(GASCL_TILE, end - tile);
            for (int i = item; i < count; i += GASCL_GROUP) {
                gascl_other_put(&others[i],
                                gascl_giving(tile + i, GASCL_STATE_ON GASCL_LANE_ON));
#if !GASCL_SCATTER_ALL
                give[i] = GASCL_SCATTERS(tile + i);
#endif
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            gascl_partial part = gascl_partial_empty();
            _Pragma("unroll 4") for (int i = 0; i < count; ++i) {
#if !GASCL_SCATTER_ALL
                if (!give[i])
                    continue;
#endif
                if (tile + i != id && id < last_row)
                    gascl_pair(v, gascl_other_get(&others[i], tile + i), &part,
                               GASCL_STATE_ON GASCL_LANE_ON);
            }
            gascl_box_give(&whole, part);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (id < last_row)
            boxes[(size_t)split * n * GASCL_LANES + GASCL_AT(id)] = whole;
    }
#endif
}

// Joins the boxes of all ranges, where there are several.
__kernel void gascl_pairs_join(GASCL_STATE, __global const gascl_box *restrict boxes,
                               const int splits, const int first_row, const int last_row) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    GASCL_FOR_RANGE(row, last_row - first_row) {
        const int id = first_row + (int)row;
        GASCL_FOR_LANES {
            gascl_box whole = gascl_box_empty();
            for (int i = 0; i < splits; ++i)
                gascl_box_merge(&whole, boxes[(size_t)i * n * GASCL_LANES + GASCL_AT(id)]);
            gascl_paired[GASCL_AT(id)] = whole;
        }
    }
}
