// The mask as a frontier: bits beside each vertex, and lists of those that have them, so that a
// superstep costs what is in the lists. For deliveries that go by the frontier (push).
#define GASCL_BY_SELF 1u    // set in scatter, or by the vertex itself
#define GASCL_BY_OTHER 2u   // set in apply by another vertex, which unset_mask() does not undo
#define GASCL_LISTED 4u     // in the list of those whose bits gascl_commit must look at
#define GASCL_IN_MASK(superstep) ((superstep) & 1 ? 16u : 8u)  // this superstep's, and the next's

static void gascl_put_flag(const int id, const uint flag, __global gascl_control *control,
                           __global uint *flags, __global int *listed) {
    const uint before = atomic_or(&flags[id], flag | GASCL_LISTED);
    // Where all scatter, the commit goes through all vertices and needs no list.
    if (!GASCL_SCATTER_ALL && !(before & GASCL_LISTED))
        listed[atomic_inc(&control->listed)] = id;
}

static void gascl_put_mask(const int id, const uchar value,
                           __global gascl_control *control GASCL_MASKS GASCL_LANE) {
    if (value)
        gascl_put_flag(id, GASCL_BY_SELF, control, gascl_flags, gascl_listed);
    else
        atomic_and(&gascl_flags[id], ~GASCL_BY_SELF);
}

static void gascl_set_mask_of(const long id, const int sender, const int line,
                              __global int *faults, __global gascl_control *control,
                              __global const gascl_run *run GASCL_MASKS GASCL_LANE) {
    if (gascl_is_vertex(id, sender, line, faults, control, run))
        gascl_put_flag(id, GASCL_BY_SELF, control, gascl_flags, gascl_listed);
}

static void gascl_mark_of(const long id, const int sender, const int line, __global int *faults,
                          __global gascl_control *control,
                          __global const gascl_run *run GASCL_MASKS GASCL_LANE) {
    if (gascl_is_vertex(id, sender, line, faults, control, run))
        gascl_put_flag(id, GASCL_BY_OTHER, control, gascl_flags, gascl_listed);
}

// Others set bits of the same word meanwhile: the read is atomic, too.
static int gascl_get_mask(const int id, __global const gascl_control *control GASCL_MASKS) {
    return (atomic_or(&gascl_flags[id], 0u) & GASCL_IN_MASK(control->superstep)) != 0;
}

static int gascl_get_mask_of(const long id, const int sender, const int line,
                             __global int *faults, __global gascl_control *control,
                             __global const gascl_run *run GASCL_MASKS) {
    return gascl_is_vertex(id, sender, line, faults, control, run)
               ? gascl_get_mask((int)id, control GASCL_MASKS_ON)
               : 0;
}
