// The mask as one byte a vertex, and the next one as one a vertex and lane; gascl_commit
// (mask_kernels.cl) makes the next one this superstep's. What apply sets for other vertices (marks)
// outlives their own unset_mask(); where the program has none of these, no memory is spent on it.
#if GASCL_MASKED
#if GASCL_PRIORITY  // else the vertex waits for its bucket
#define GASCL_IN_MASK(id) (gascl_mask[id] == GASCL_IN_CURRENT_BUCKET)
#else
#define GASCL_IN_MASK(id) (gascl_mask[id] != 0)
#endif
#define GASCL_WAITS 1
#define GASCL_IN_CURRENT_BUCKET 2

// Where nobody else sets it, an item of a CPU also stores what a vertex does not change: a branch on what is often
// random would be mispredicted.
#define GASCL_PUTS_ALWAYS (GASCL_GROUP == 1 && GASCL_OWN_MASK)
static void gascl_put_mask(const int id, const int set,
                           __global gascl_control *control GASCL_MASKS GASCL_LANE) {
    const uchar before = GASCL_PUTS_ALWAYS ? gascl_next[GASCL_AT(id)] : 0;
    gascl_next[GASCL_AT(id)] = set ? set == GASCL_SET : before;
}

static void gascl_set_mask_of(const long id, const int sender, const int line,
                              __global int *faults, __global gascl_control *control,
                              __global const gascl_run *run GASCL_MASKS GASCL_LANE) {
    if (gascl_is_vertex(id, sender, line, faults, control, run))
        gascl_next[GASCL_AT(id)] = 1;
}

static void gascl_mark_of(const long id, const int sender, const int line, __global int *faults,
                          __global gascl_control *control,
                          __global const gascl_run *run GASCL_MASKS GASCL_LANE) {
#if GASCL_MARKS
    if (gascl_is_vertex(id, sender, line, faults, control, run))
        gascl_marks[GASCL_AT(id)] = 1;
#else
    gascl_set_mask_of(id, sender, line, faults, control, run GASCL_MASKS_ON GASCL_LANE_ON);
#endif
}

// Where a run starts with a vertex: unless init sets the mask of others, it is not in the mask before.
static void gascl_start_mask(const int id GASCL_MASKS GASCL_LANE) {
#if !GASCL_INIT_MARKS
    gascl_mask[id] = gascl_next[GASCL_AT(id)] = 0;
#if GASCL_MARKS
    gascl_marks[GASCL_AT(id)] = 0;
#endif
#endif
}

static int gascl_get_mask(const int id, __global const gascl_control *control GASCL_MASKS) {
    return GASCL_IN_MASK(id);
}

static int gascl_get_mask_of(const long id, const int sender, const int line,
                             __global int *faults, __global gascl_control *control,
                             __global const gascl_run *run GASCL_MASKS) {
    return gascl_is_vertex(id, sender, line, faults, control, run) ? GASCL_IN_MASK(id) : 0;
}
#endif
