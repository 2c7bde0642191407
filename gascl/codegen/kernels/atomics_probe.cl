// A test of a device's atomic additions of floats. NVIDIA's are instructions that OpenCL does not
// have, and so is that by which a warp first adds up what goes to the same cell. The lines before this
// file, from delivery/atomics_probe.py, choose the cell.
typedef GASCL_ACCUMULATOR gascl_accumulator;
static gascl_accumulator gascl_identity(void) {
    return 0;
}
static gascl_accumulator gascl_combine(const gascl_accumulator a, const gascl_accumulator b) {
    return a + b;
}
#include "atomics.cl"

// Every work-item adds the same to one of a few cells.
__kernel void gascl_probe(__global gascl_cell *cells) {
    bool fresh;
    volatile __global gascl_cell *cell = &cells[get_global_id(0) % GASCL_PROBE_CELLS];
    gascl_cell more = gascl_cell_of(GASCL_PROBE_VALUE);
#if GASCL_PTX_MATCH
    int wraps = 0;
    if (!gascl_join_in_warp(cell, &more, &wraps))
        return;
#endif
    gascl_cell_combine(cell, gascl_of_cell(more), &fresh);
}
