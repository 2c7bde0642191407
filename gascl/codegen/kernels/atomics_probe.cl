// A test of a device's atomic additions of floats. NVIDIA's are instructions that OpenCL does not
// have. The lines before this file, from delivery/atomics_probe.py, choose the cell.
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
    gascl_cell_combine(&cells[get_global_id(0) % GASCL_PROBE_CELLS], GASCL_PROBE_VALUE, &fresh);
}
