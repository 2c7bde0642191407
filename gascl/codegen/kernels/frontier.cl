// The active vertices as lists, so that the cost of a superstep is proportional to their length. Used by
// deliveries that follow the frontier, such as push. The frontier is a list of pieces, each up to
// GASCL_PIECE arcs of one vertex, so that work-items can share a vertex with many arcs. There are two
// frontiers, for even and odd supersteps.
// `receivers` lists the vertices with a message in the inbox.
//
// In most programs only apply sets the mask, for its own vertex, and nothing else reads it: apply then
// lists the vertex in the next frontier directly (GASCL_LISTS_DIRECTLY). In other programs each vertex
// has flags that hold the mask, and `listed` has the vertices whose flags gascl_commit
// (frontier_kernels.cl) must inspect.
//
// gascl_lengths has the length of each list (`ActiveList` in gascl/codegen/constants.py), in a cache line
// of its own.
#define GASCL_LENGTH_AT(list) gascl_lengths[GASCL_STRIDE * (list)]
#define GASCL_LENGTH(name) GASCL_LENGTH_AT(GASCL_LIST_##name)
// The length of the frontier of a superstep.
#define GASCL_FRONTIER_LENGTH(superstep) GASCL_LENGTH_AT(GASCL_LIST_FRONTIER + ((superstep) & 1))

// Those in a list are many if they are more than 1 / GASCL_DENSE of all vertices.
#define GASCL_DENSE 8

#if GASCL_GROUP == 1
// Vertices that an item holds back, to list them together, since a place in a list costs an atomic operation.
#define GASCL_HELD 128
typedef struct {
    int count;
    int at[GASCL_HELD];
} gascl_held_ids;

static void gascl_flush_ids(gascl_held_ids *held, __global int *list, __global int *length) {
    if (!held->count)
        return;
    const int at = atomic_add(length, held->count);
    for (int i = 0; i < held->count; ++i)
        list[at + i] = held->at[i];
    held->count = 0;
}

// Without a branch: whether a vertex is to be listed is often random.
static void gascl_hold_if(const bool listed, const int id, gascl_held_ids *held,
                          __global int *list, __global int *length) {
    held->at[held->count] = id;
    held->count += listed;
    if (held->count == GASCL_HELD)
        gascl_flush_ids(held, list, length);
}
#endif

#define GASCL_LISTS_DIRECTLY \
    (GASCL_MASKED && GASCL_OWN_MASK && !GASCL_READS_MASK && !GASCL_PRIORITY && !GASCL_SCATTER_ALL)

#if GASCL_MASKED
#define GASCL_BY_SELF 1u    // set in scatter, or by the vertex itself
#define GASCL_BY_OTHER 2u   // set in apply by another vertex, which unset_mask() does not undo
#define GASCL_LISTED 4u     // is in `listed`
#define GASCL_MASK_BIT(superstep) ((superstep) & 1 ? 16u : 8u)  // this superstep's, and the next's
#define GASCL_WAITING 32u   // for its bucket
#define GASCL_IN_NEAR 64u   // is in this pile, waiting or not
#define GASCL_IN_FAR 128u
#define GASCL_IN_MASK(id) ((gascl_flags[id] & GASCL_MASK_BIT(gascl_control_->superstep)) != 0)

#if GASCL_LISTS_DIRECTLY
// Before the first superstep, the list in which gascl_commit finds the vertices of the mask: a list of
// receivers that is not in use yet. `receivers` may not be empty when a run continues.
#if GASCL_POSTS_AHEAD
#define GASCL_FIRST_LISTED gascl_receivers_next
#else
#define GASCL_FIRST_LISTED gascl_receivers
#endif
#define GASCL_HOLDS_FIRST (GASCL_GROUP == 1)
static void gascl_put_mask(const int id, const int set,
                           __global gascl_control *control GASCL_MASKS GASCL_LANE) {
    GASCL_FIRST_LISTED[atomic_inc(&GASCL_LENGTH(LISTED))] = id;
}
#else
static void gascl_put_flag(const int id, const uint flag, __global int *gascl_lengths,
                           __global uint *flags, __global int *listed) {
#if !GASCL_OCLGRIND  // takes the read for a race
    // Many may set the same one, and atomic operations on one place wait for each other.
    if ((~*(volatile __global uint *)&flags[id] & (flag | GASCL_LISTED)) == 0)
        return;
#endif
    const uint before = atomic_or(&flags[id], flag | GASCL_LISTED);
    // Where all scatter, the commit goes through all vertices and needs no list.
    if (!GASCL_SCATTER_ALL && !(before & GASCL_LISTED))
        listed[atomic_inc(&GASCL_LENGTH(LISTED))] = id;
}

static void gascl_put_mask(const int id, const int set,
                           __global gascl_control *control GASCL_MASKS GASCL_LANE) {
    if (set == GASCL_SET)
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

// Others set bits of the same word meanwhile, but not this one. A loop over neighbors reads many words: an
// atomic operation for each took ten times as long on a CPU.
static int gascl_get_mask(const int id, __global const gascl_control *control GASCL_MASKS) {
#if GASCL_OCLGRIND  // takes the read for a race
    const uint flags = atomic_or(&gascl_flags[id], 0u);
#else
    const uint flags = *(volatile __global uint *)&gascl_flags[id];
#endif
    return (flags & GASCL_MASK_BIT(control->superstep)) != 0;
}

static int gascl_get_mask_of(const long id, const int sender, const int line,
                             __global int *faults, __global gascl_control *control,
                             __global const gascl_run *run GASCL_MASKS) {
    return gascl_is_vertex(id, sender, line, faults, control, run)
               ? gascl_get_mask((int)id, control GASCL_MASKS_ON)
               : 0;
}
#endif
#endif
