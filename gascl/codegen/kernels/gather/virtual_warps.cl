// Long rows of a block, each combined by some of the work-group's items, a virtual warp (Hong, Kim, Oguntebi and
// Olukotun, Accelerating CUDA Graph Algorithms at Maximum Warp, 2011). Neighboring items take neighboring
// arcs. The fewer long rows a block has, the larger the warps are: a block of one row has the whole group.
#include "gather/long_rows.cl"

#define GASCL_LEAST_WARP (GASCL_GROUP < 32 ? GASCL_GROUP : 32)

typedef struct {
    gascl_marks marks;
    int found[GASCL_GROUP / GASCL_LEAST_WARP];  // the least arc of each warp's row that is enough
    gascl_box boxes[GASCL_GROUP];
} gascl_long_rows;

// Marks a block's long rows. All items call it.
static void gascl_find_long_rows(const gascl_block block,
                                 __global const gascl_offset *restrict offsets,
                                 __local gascl_long_rows *memory) {
    gascl_mark_long_rows(&memory->marks, block, offsets);
    barrier(CLK_LOCAL_MEM_FENCE);
}
