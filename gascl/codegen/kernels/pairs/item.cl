// Pairs, where a work-group is one item: it has GASCL_RECEIVERS_PER_ITEM receivers at once, over which a
// compiler can vectorize.
#include "pairs/receivers.cl"

// What u sends to the i-th receiver of an item, which is the vertex `id`.
static void gascl_pair_ith(gascl_partials *parts, const gascl_pair_receivers *receivers,
                           const int i, const int id, const gascl_vertex u, GASCL_STATE GASCL_LANE) {
    gascl_partial part = gascl_partials_get(parts, i);
    gascl_pair(gascl_pair_receivers_get(receivers, i, id), u, &part, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_partials_put(parts, i, part);
}

// Fills the receivers' part of `boxes`, of shape (splits, V, lanes).
__kernel void gascl_pairs(GASCL_STATE, __global gascl_box *restrict boxes, const int splits,
                          const int first_row, const int last_row) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    const int range = n / splits + (n % splits > 0), final_row = last_row - 1;
    const int rows = last_row - first_row;
    const int blocks = rows / GASCL_RECEIVERS_PER_ITEM + (rows % GASCL_RECEIVERS_PER_ITEM > 0);
    GASCL_FOR_RANGE_OF(long, at, (long)blocks * splits) {
        const int first = first_row + (int)(at / splits) * GASCL_RECEIVERS_PER_ITEM;
        const int split = (int)(at % splits);
        const int begin = min(n, split * range), end = min(n, begin + range);
        GASCL_FOR_LANES {
            gascl_pair_receivers receivers;
            gascl_box wholes[GASCL_RECEIVERS_PER_ITEM];
            GASCL_FOR_RECEIVERS {
                // Past the last receiver, the last one is repeated, and its extra box dropped in the end.
                const int id = min(first + i, final_row);
                gascl_pair_receivers_put(&receivers, i,
                                         gascl_pair_receiver(id, GASCL_STATE_ON GASCL_LANE_ON));
                wholes[i] = gascl_box_empty();
            }
            for (int tile = begin; tile < end; tile += GASCL_TILE) {
                const int last = min(end, tile + GASCL_TILE);
                gascl_partials parts;
                GASCL_FOR_RECEIVERS gascl_partials_put(&parts, i, gascl_partial_empty());
                for (int other = tile; other < last; ++other) {
                    if (!GASCL_SCATTERS(other))
                        continue;
                    const gascl_vertex u = gascl_pair_sender(other, GASCL_STATE_ON GASCL_LANE_ON);
                    if (other < first || other >= first + GASCL_RECEIVERS_PER_ITEM) {
                        GASCL_FOR_RECEIVERS
                            gascl_pair_ith(&parts, &receivers, i, min(first + i, final_row), u,
                                           GASCL_STATE_ON GASCL_LANE_ON);
                    } else {
                        GASCL_FOR_RECEIVERS
                            if (min(first + i, final_row) != other)
                                gascl_pair_ith(&parts, &receivers, i, min(first + i, final_row), u,
                                               GASCL_STATE_ON GASCL_LANE_ON);
                    }
                }
                GASCL_FOR_RECEIVERS
                    gascl_box_add_partial(&wholes[i], gascl_partials_get(&parts, i));
            }
            for (int i = 0; i < GASCL_RECEIVERS_PER_ITEM && first + i < last_row; ++i)
                boxes[(size_t)split * n * GASCL_LANES + GASCL_AT(first + i)] = wholes[i];
        }
    }
}
