// The active vertices as lists, with bits beside each vertex, so that a superstep costs what is in
// the lists. For deliveries that go by the frontier, such as push. The frontier is a list of
// pieces, each up to GASCL_PIECE arcs of one vertex, so that a vertex of many arcs is shared.
// `touched` lists the vertices with a message in the inbox, `listed` those whose bits gascl_commit
// (frontier_kernels.cl) must look at.
enum {  // where gascl_lengths has the length of each list
    GASCL_LENGTH_OF_FRONTIER,
    GASCL_LENGTH_OF_FRONTIER_NEXT,
    GASCL_LENGTH_OF_LISTED,
    GASCL_LENGTH_OF_TOUCHED,
    GASCL_LENGTH_OF_TOUCHED_next  // as GASCL_POST(_next) in inbox.cl spells it
};

#if GASCL_MASKED
#define GASCL_BY_SELF 1u    // set in scatter, or by the vertex itself
#define GASCL_BY_OTHER 2u   // set in apply by another vertex, which unset_mask() does not undo
#define GASCL_LISTED 4u     // is in `listed`
#define GASCL_MASK_BIT(superstep) ((superstep) & 1 ? 16u : 8u)  // this superstep's, and the next's
#define GASCL_IN_MASK(id) ((gascl_flags[id] & GASCL_MASK_BIT(gascl_control_->superstep)) != 0)

static void gascl_put_flag(const int id, const uint flag, __global int *lengths,
                           __global uint *flags, __global int *listed) {
    const uint before = atomic_or(&flags[id], flag | GASCL_LISTED);
    // Where all scatter, the commit goes through all vertices and needs no list.
    if (!GASCL_SCATTER_ALL && !(before & GASCL_LISTED))
        listed[atomic_inc(&lengths[GASCL_LENGTH_OF_LISTED])] = id;
}

static void gascl_put_mask(const int id, const uchar value,
                           __global gascl_control *control GASCL_MASKS GASCL_LANE) {
    if (value)
        gascl_put_flag(id, GASCL_BY_SELF, gascl_lengths, gascl_flags, gascl_listed);
    else
        atomic_and(&gascl_flags[id], ~GASCL_BY_SELF);
}

static void gascl_set_mask_of(const long id, const int sender, const int line,
                              __global int *faults, __global gascl_control *control,
                              __global const gascl_run *run GASCL_MASKS GASCL_LANE) {
    if (gascl_is_vertex(id, sender, line, faults, control, run))
        gascl_put_flag(id, GASCL_BY_SELF, gascl_lengths, gascl_flags, gascl_listed);
}

static void gascl_mark_of(const long id, const int sender, const int line, __global int *faults,
                          __global gascl_control *control,
                          __global const gascl_run *run GASCL_MASKS GASCL_LANE) {
    if (gascl_is_vertex(id, sender, line, faults, control, run))
        gascl_put_flag(id, GASCL_BY_OTHER, gascl_lengths, gascl_flags, gascl_listed);
}

// Others set bits of the same word meanwhile: the read is atomic, too.
static int gascl_get_mask(const int id, __global const gascl_control *control GASCL_MASKS) {
    return (atomic_or(&gascl_flags[id], 0u) & GASCL_MASK_BIT(control->superstep)) != 0;
}

static int gascl_get_mask_of(const long id, const int sender, const int line,
                             __global int *faults, __global gascl_control *control,
                             __global const gascl_run *run GASCL_MASKS) {
    return gascl_is_vertex(id, sender, line, faults, control, run)
               ? gascl_get_mask((int)id, control GASCL_MASKS_ON)
               : 0;
}
#endif
