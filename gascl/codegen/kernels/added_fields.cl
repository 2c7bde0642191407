// What apply adds to fields of other vertices.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#if GASCL_PTX_MATCH
#include "warp.cl"
#endif

static void gascl_add_to(const long id, const long x, const int sender, const int line,
                         __global int *faults, __global gascl_control *control,
                         __global const gascl_run *run, volatile __global long *values GASCL_LANE) {
    if (!gascl_is_vertex(id, sender, line, faults, control, run))
        return;
    volatile __global long *value = &values[GASCL_AT(id)];
    long sum = x;
#if GASCL_PTX_MATCH  // many may add to one vertex at once
    gascl_peers peers = gascl_peers_at(value);
    GASCL_FOR_TURNS(peers, next) {
        const long theirs = (long)gascl_ulong_of(peers.here, (ulong)sum, next);
        sum += peers.behind ? theirs : 0;
    }
    if (!peers.count)
        return;
#endif
    atom_add(value, sum);
}
