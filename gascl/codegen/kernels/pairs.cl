// All pairs: what each vertex sends to every other one, combined into one box for each receiver and
// lane, which apply joins with the messages that came along arcs. Only these boxes are stored.
//
// The senders are the vertices that scatter. They are split into `splits` ranges, so that even few
// receivers keep a device busy, and each range into tiles of GASCL_TILE. The order in which a
// receiver's messages are combined, tile by tile and then range by range, depends only on the number of
// vertices and on the device, and not on which receivers, `first_row` to `last_row`, a device has.
#include "runtime.cl"
#include "pairs/partial.cl"

// gascl_pairs(): gascl/delivery/assembly.py puts pairs/item.cl here where a work-group is one item, and
// otherwise pairs/group.cl.
#include "pairs_of_splits.cl"

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
