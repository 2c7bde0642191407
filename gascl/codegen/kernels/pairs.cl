// Every pair: what each vertex gives to each other one, combined into one box a receiver and lane,
// which apply merges with the messages that came. No pair is kept: memory is that of the boxes.
//
// Blocks of receivers against ranges of the vertices that give (`splits` of them, so that few
// vertices keep a whole device busy), range by range in tiles of GASCL_TILE. Where items share a
// group, each has a receiver and the tile lies in local memory (Nyland, Harris and Prins, GPU Gems
// 3, chapter 31). An item of its own has GASCL_ABREAST receivers, side by side. The order in which
// a receiver's are combined is fixed by the number of vertices and the device: tile by tile, then
// range by range.
#include "runtime.cl"

// Who gives is as who scatters.
#if GASCL_SCATTER_ALL
#define GASCL_GIVES(id) true
#else
#define GASCL_GIVES(id) GASCL_IN_MASK(id)
#endif

#if GASCL_GROUP == 1
#define GASCL_RECEIVERS GASCL_ABREAST
#else
#define GASCL_RECEIVERS GASCL_GROUP
#endif

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

// Several messages of a pair are combined and count as one.
static void gascl_pair(const gascl_vertex v, const gascl_vertex u, gascl_partial *part,
                       GASCL_STATE GASCL_LANE) {
    part->sent = 0;
    gascl_pair_snippet(v, u, part, GASCL_STATE_ON GASCL_LANE_ON);
    part->count += part->sent;
}

#if GASCL_GROUP == 1
static void gascl_pair_abreast(gascl_partials *parts, const gascl_receivers *receivers,
                               const int i, const int id, const gascl_vertex u,
                               GASCL_STATE GASCL_LANE) {
    gascl_partial part = gascl_partials_get(parts, i);
    gascl_pair(gascl_receivers_get(receivers, i, id), u, &part, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_partials_put(parts, i, part);
}

#define GASCL_FOR_ABREAST for (int i = 0; i < GASCL_ABREAST; ++i)
// Behind the last vertex it is taken again, and what it gets is dropped.
#define GASCL_ITS_ID min(first + i, n - 1)
#define GASCL_PAIR_ABREAST                                                                    \
    gascl_pair_abreast(&parts, &receivers, i, GASCL_ITS_ID, u, GASCL_STATE_ON GASCL_LANE_ON)
#endif

// boxes: (splits, V, lanes).
__kernel void gascl_pairs(GASCL_STATE, __global gascl_box *restrict boxes, const int splits) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    const int blocks = n / GASCL_RECEIVERS + (n % GASCL_RECEIVERS > 0);
    const int range = n / splits + (n % splits > 0);
#if GASCL_GROUP == 1
    GASCL_FOR_RANGE_OF(long, at, (long)blocks * splits) {
        const int first = (int)(at / splits) * GASCL_RECEIVERS, split = (int)(at % splits);
        const int begin = min(n, split * range), end = min(n, begin + range);
        GASCL_FOR_LANES {
            gascl_receivers receivers;
            gascl_box wholes[GASCL_ABREAST];
            GASCL_FOR_ABREAST {
                gascl_receivers_put(&receivers, i, gascl_receiving(GASCL_ITS_ID, GASCL_STATE_ON
                                                                   GASCL_LANE_ON));
                wholes[i] = gascl_box_empty();
            }
            for (int tile = begin; tile < end; tile += GASCL_TILE) {
                const int last = min(end, tile + GASCL_TILE);
                gascl_partials parts;
                GASCL_FOR_ABREAST gascl_partials_put(&parts, i, gascl_partial_empty());
                for (int other = tile; other < last; ++other) {
                    if (!GASCL_GIVES(other))
                        continue;
                    const gascl_vertex u = gascl_giving(other, GASCL_STATE_ON GASCL_LANE_ON);
                    if (other < first || other >= first + GASCL_ABREAST) {
                        GASCL_FOR_ABREAST GASCL_PAIR_ABREAST;
                    } else {
                        GASCL_FOR_ABREAST
                            if (GASCL_ITS_ID != other)
                                GASCL_PAIR_ABREAST;
                    }
                }
                GASCL_FOR_ABREAST gascl_box_give(&wholes[i], gascl_partials_get(&parts, i));
            }
            for (int i = 0; i < GASCL_ABREAST && first + i < n; ++i)
                boxes[(size_t)split * n * GASCL_LANES + GASCL_AT(first + i)] = wholes[i];
        }
    }
#else
    __local gascl_other others[GASCL_TILE];
#if !GASCL_SCATTER_ALL
    __local uchar give[GASCL_TILE];
#endif
    const int item = get_local_id(0), split = get_group_id(0) % splits;
    const int id = get_group_id(0) / splits * GASCL_GROUP + item;
    const int begin = min(n, split * range), end = min(n, begin + range);
    GASCL_FOR_LANES {
        const gascl_vertex v = gascl_receiving(id < n ? id : 0, GASCL_STATE_ON GASCL_LANE_ON);
        gascl_box whole = gascl_box_empty();
        for (int tile = begin; tile < end; tile += GASCL_TILE) {
            const int count = min(GASCL_TILE, end - tile);
            for (int i = item; i < count; i += GASCL_GROUP) {
                gascl_other_put(&others[i],
                                gascl_giving(tile + i, GASCL_STATE_ON GASCL_LANE_ON));
#if !GASCL_SCATTER_ALL
                give[i] = GASCL_GIVES(tile + i);
#endif
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            gascl_partial part = gascl_partial_empty();
            _Pragma("unroll 4") for (int i = 0; i < count; ++i) {
#if !GASCL_SCATTER_ALL
                if (!give[i])
                    continue;
#endif
                if (tile + i != id && id < n)
                    gascl_pair(v, gascl_other_get(&others[i], tile + i), &part,
                               GASCL_STATE_ON GASCL_LANE_ON);
            }
            gascl_box_give(&whole, part);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (id < n)
            boxes[(size_t)split * n * GASCL_LANES + GASCL_AT(id)] = whole;
    }
#endif
}

// The ranges' boxes as one, where there are several.
__kernel void gascl_pairs_join(GASCL_STATE, __global const gascl_box *restrict boxes,
                               const int splits) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    GASCL_FOR_RANGE(id, n)
        GASCL_FOR_LANES {
            gascl_box whole = gascl_box_empty();
            for (int i = 0; i < splits; ++i)
                gascl_box_merge(&whole, boxes[(size_t)i * n * GASCL_LANES + GASCL_AT(id)]);
            gascl_paired[GASCL_AT(id)] = whole;
        }
}
