// Programs with a priority, and lists of active vertices.
//
// Buckets, as Meyer and Sanders' delta-stepping has them (2003), with piles as in Davidson, Baxter,
// Garland and Owens (2014). The frontier has the vertices of the current bucket. Waiting vertices are
// in the pile `near` if their bucket is one of the next few, and otherwise in `far`. A pile may list
// vertices that no longer wait; a vertex in both piles counts as in `near`.
//
// Apply lists a vertex immediately: in the frontier if it is in the current bucket, otherwise in a
// pile. When the frontier is empty, the piles are scanned for the lowest bucket with a waiting vertex,
// and its vertices become the frontier. If a vertex has entered a bucket below the current one, the
// frontier is first put back into `near`.
//
// Each pile is two lists, since it is copied from one to the other when its vertices of the lowest
// bucket are taken out. `near_low` and `far_low` are lower bounds of the buckets of the vertices that
// wait in the pile. `near_found` and `far_found` are the lowest buckets themselves, once the pile has
// been scanned in this superstep.
enum { GASCL_NEAR, GASCL_FAR };
#define GASCL_NEAR_BUCKETS 8  // counted from the lowest bucket at the last scan of `far`
#define GASCL_SIDE(pile) ((pile) == GASCL_NEAR ? gascl_control_->near_side : gascl_control_->far_side)
#define GASCL_PILE(pile, side) \
    (piles + (size_t)(2 * (pile) + (side)) * (size_t)gascl_run_->graph.num_vertices)
#define GASCL_PILE_LENGTH(pile, side) GASCL_LENGTH_AT(GASCL_LIST_PILES + 2 * (pile) + (side))

// Whether a vertex has entered a bucket below the current one: only then is a bound lower.
#define GASCL_TURNS_BACK \
    (min(gascl_control_->near_low, gascl_control_->far_low) < gascl_control_->bucket)
// Whether another bucket becomes the current one: a lower one, or the next one as the frontier is empty.
#define GASCL_TURNS(coming) (GASCL_TURNS_BACK || GASCL_FRONTIER_LENGTH(coming) == 0)
#define GASCL_LOOKS_FAR(coming) \
    (GASCL_TURNS(coming) && gascl_control_->far_low < INT_MAX && \
     gascl_control_->far_low <= gascl_control_->near_found)
// Which piles have vertices of the lowest bucket, once they have been scanned.
#define GASCL_SPLITS_NEAR(control) \
    ((control)->near_found < INT_MAX && (control)->near_found <= (control)->far_found)
#define GASCL_SPLITS_FAR(control) \
    ((control)->far_found < INT_MAX && (control)->far_found <= (control)->near_found)

#if GASCL_READS_MASK  // other vertices may read the flags at the same time
#define GASCL_TURN_BIT(superstep) GASCL_MASK_BIT(superstep)
#define GASCL_OWN_FLAGS(id) atomic_or(&gascl_flags[id], 0u)
#define GASCL_SET_FLAGS(id, value) atomic_xchg(&gascl_flags[id], value)
#else  // no other vertex reads them, and the frontier itself has the active vertices
#define GASCL_TURN_BIT(superstep) 0u
#define GASCL_OWN_FLAGS(id) gascl_flags[id]
#define GASCL_SET_FLAGS(id, value) gascl_flags[id] = value
#endif

// The lists that a phase adds to.
enum { GASCL_TO_FRONTIER, GASCL_TO_NEAR, GASCL_TO_FAR, GASCL_NOWHERE };
typedef struct {
    __global int2 *frontier;
    __global int *near, *far;
    __global int *frontier_length, *near_length, *far_length;
    int near_low, far_low;  // the lowest bucket of those that were added
#if GASCL_GROUP == 1
    gascl_pieces held;
    int counts[2], ids[2][GASCL_HELD];
#endif
} gascl_turns;

static void gascl_begin_turns(gascl_turns *to, const int coming, const int near_side,
                              const int far_side, GASCL_STATE, __global int2 *frontiers,
                              const long most_pieces, __global int *piles) {
    to->frontier = gascl_frontier_of(frontiers, coming, most_pieces);
    to->near = GASCL_PILE(GASCL_NEAR, near_side);
    to->far = GASCL_PILE(GASCL_FAR, far_side);
    to->frontier_length = &GASCL_FRONTIER_LENGTH(coming);
    to->near_length = &GASCL_PILE_LENGTH(GASCL_NEAR, near_side);
    to->far_length = &GASCL_PILE_LENGTH(GASCL_FAR, far_side);
    to->near_low = to->far_low = INT_MAX;
#if GASCL_GROUP == 1
    to->held.count = to->counts[0] = to->counts[1] = 0;
#endif
}

#if GASCL_GROUP == 1
static void gascl_flush_pile(gascl_turns *to, const int pile) {
    if (!to->counts[pile])
        return;
    const int at =
        atomic_add(pile == GASCL_NEAR ? to->near_length : to->far_length, to->counts[pile]);
    __global int *list = pile == GASCL_NEAR ? to->near : to->far;
    for (int i = 0; i < to->counts[pile]; ++i)
        list[at + i] = to->ids[pile][i];
    to->counts[pile] = 0;
}
#endif

// Lists the vertices of a group's items, each in the list `where`. All items call it.
static void gascl_list_turn(gascl_turns *to, const int where, const int id,
                            const gascl_offset arcs, __local gascl_list_memory *memory) {
#if GASCL_GROUP == 1
    if (where == GASCL_TO_FRONTIER) {
        gascl_list(id, arcs, &to->held, to->frontier, to->frontier_length);
    } else if (where != GASCL_NOWHERE) {
        const int pile = where == GASCL_TO_NEAR ? GASCL_NEAR : GASCL_FAR;
        if (to->counts[pile] == GASCL_HELD)
            gascl_flush_pile(to, pile);
        to->ids[pile][to->counts[pile]++] = id;
    }
#else
    const int item = get_local_id(0);
    const int pieces = where == GASCL_NOWHERE ? 0
                       : where != GASCL_TO_FRONTIER
                           ? 1
                           : max(1, (int)((arcs + GASCL_PIECE - 1) / GASCL_PIECE));
    for (int i = item; i < GASCL_NOWHERE; i += GASCL_GROUP)
        memory->counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int at = pieces ? atomic_add(&memory->counts[where], pieces) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < GASCL_NOWHERE; i += GASCL_GROUP)
        if (memory->counts[i])
            memory->places[i] = atomic_add(i == GASCL_TO_FRONTIER ? to->frontier_length
                                           : i == GASCL_TO_NEAR   ? to->near_length
                                                                  : to->far_length,
                                           memory->counts[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (where == GASCL_TO_FRONTIER)
        for (int i = 0; i < pieces; ++i)
            to->frontier[memory->places[GASCL_TO_FRONTIER] + at + i] = (int2)(id, i);
    else if (where == GASCL_TO_NEAR)
        to->near[memory->places[GASCL_TO_NEAR] + at] = id;
    else if (where == GASCL_TO_FAR)
        to->far[memory->places[GASCL_TO_FAR] + at] = id;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// Lowers *lowest to the least bucket that any item of a group has found. All items call it.
static void gascl_lower(volatile __global int *lowest, const int found,
                        __local gascl_list_memory *memory) {
#if GASCL_GROUP == 1
    if (found < INT_MAX)
        atomic_min(lowest, found);
#else
    if (get_local_id(0) == 0)
        memory->low = INT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (found < INT_MAX)
        atomic_min(&memory->low, found);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && memory->low < INT_MAX)
        atomic_min(lowest, memory->low);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

static void gascl_end_turns(gascl_turns *to, volatile __global int *near_low,
                            volatile __global int *far_low, __local gascl_list_memory *memory) {
#if GASCL_GROUP == 1
    gascl_flush_pieces(&to->held, to->frontier, to->frontier_length);
    gascl_flush_pile(to, GASCL_NEAR);
    gascl_flush_pile(to, GASCL_FAR);
#endif
    gascl_lower(near_low, to->near_low, memory);
    gascl_lower(far_low, to->far_low, memory);
}

// The list for a vertex that was put into the mask (`set`), or that apply has changed while it waited.
static int gascl_place(const int id, const bool set, const int coming, gascl_turns *to,
                       GASCL_STATE) {
    uint flags = GASCL_OWN_FLAGS(id);
    if (!set && !(flags & GASCL_WAITING))
        return GASCL_NOWHERE;
    const int bucket = gascl_bucket(id, GASCL_STATE_ON);
    int where = GASCL_NOWHERE;
    if (bucket == gascl_control_->bucket) {
        flags = (flags & ~GASCL_WAITING) | GASCL_TURN_BIT(coming);
        where = GASCL_TO_FRONTIER;
    } else if (flags & GASCL_IN_NEAR || bucket < gascl_control_->near_end) {
        to->near_low = min(to->near_low, bucket);
        where = flags & GASCL_IN_NEAR ? GASCL_NOWHERE : GASCL_TO_NEAR;
        flags |= GASCL_WAITING | GASCL_IN_NEAR;
    } else {
        to->far_low = min(to->far_low, bucket);
        where = flags & GASCL_IN_FAR ? GASCL_NOWHERE : GASCL_TO_FAR;
        flags |= GASCL_WAITING | GASCL_IN_FAR;
    }
    GASCL_SET_FLAGS(id, flags);
    return where;
}

// A loop over a list in which all items of a group make the same number of iterations.
#if GASCL_GROUP == 1
#define GASCL_FOR_LISTED(i, n) GASCL_FOR_SHARE(i, n, 64)
#else
#define GASCL_FOR_LISTED(i, n)                                                     \
    for (long i = (long)team.rank * GASCL_GROUP + get_local_id(0),                 \
              gascl_base = (long)team.rank * GASCL_GROUP,                          \
              gascl_end = team.idle ? 0 : (n);                                     \
         gascl_base < gascl_end;                                                   \
         i += (long)team.groups * GASCL_GROUP, gascl_base += (long)team.groups * GASCL_GROUP)
#endif

// Prefetches the data of a vertex that is visited soon.
static void gascl_expect_waiting(const int id, GASCL_STATE) {
    GASCL_PREFETCH(&gascl_flags[id]);
    gascl_expect_apply(id, GASCL_STATE_ON);
}

// Lists the first waiting vertices: those that init put into the mask, or that waited when an earlier
// run ended.
static void gascl_first_turns(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                              __global int *piles, __local gascl_list_memory *memory) {
    gascl_turns to;
    const int listed = GASCL_LENGTH(LISTED);
    gascl_begin_turns(&to, gascl_control_->superstep, 0, 0, GASCL_STATE_ON, frontiers, most_pieces,
                      piles);
    GASCL_FOR_LISTED(i, listed) {
        int where = GASCL_NOWHERE;
        const int id = i < listed ? gascl_listed[i] : 0;
        if (i < listed) {
            const bool set = gascl_flags[id] & GASCL_BY_SELF;
            gascl_flags[id] = 0;
            where = gascl_place(id, set, gascl_control_->superstep, &to, GASCL_STATE_ON);
        }
        gascl_list_turn(&to, where, id, 0, memory);
    }
    gascl_end_turns(&to, &gascl_control_->near_low, &gascl_control_->far_low, memory);
}

// Puts the frontier back into `near`, since a lower bucket has a vertex.
static void gascl_turn_back(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                            __global int *piles, const int coming, long2 *counted,
                            __local gascl_list_memory *memory) {
    gascl_turns to;
    const bool back = GASCL_TURNS_BACK;
    const int bucket = gascl_control_->bucket;
    const int listed = back ? GASCL_FRONTIER_LENGTH(coming) : 0;
    gascl_begin_turns(&to, coming, gascl_control_->near_side, 0, GASCL_STATE_ON, frontiers,
                      most_pieces, piles);
    GASCL_FOR_LISTED(i, listed) {
        int where = GASCL_NOWHERE;
        const int2 piece = i < listed ? to.frontier[i] : (int2)(0, 1);
        if (piece.y == 0) {
            const uint flags = gascl_flags[piece.x];
            where = flags & GASCL_IN_NEAR ? GASCL_NOWHERE : GASCL_TO_NEAR;
            gascl_flags[piece.x] =
                (flags & ~GASCL_TURN_BIT(coming)) | GASCL_WAITING | GASCL_IN_NEAR;
            to.near_low = bucket;
            counted->x -= 1;
            counted->y -= offsets[piece.x + 1] - offsets[piece.x];
        }
        gascl_list_turn(&to, where, piece.x, 0, memory);
    }
    gascl_end_turns(&to, &gascl_control_->near_low_next, &gascl_control_->far_low_next, memory);
}

// Scans a pile for the lowest bucket of its waiting vertices.
static void gascl_scan_pile(const gascl_team team, GASCL_STATE, __global const int *piles,
                            const int pile, const int coming,
                            __local gascl_list_memory *memory) {
    const bool looks = pile == GASCL_NEAR ? GASCL_TURNS(coming) : GASCL_LOOKS_FAR(coming);
    __global const int *list = GASCL_PILE(pile, GASCL_SIDE(pile));
    const int listed = looks ? GASCL_PILE_LENGTH(pile, GASCL_SIDE(pile)) : 0;
    const uint others = pile == GASCL_FAR ? GASCL_IN_NEAR : 0;
    int low = INT_MAX;
    GASCL_FOR_SHARE(i, listed, 256) {
#if GASCL_GROUP == 1
        if (i + GASCL_AHEAD < listed)
            gascl_expect_waiting(list[i + GASCL_AHEAD], GASCL_STATE_ON);
#endif
        const int id = list[i];
        if ((gascl_flags[id] & (GASCL_WAITING | others)) == GASCL_WAITING)
            low = min(low, gascl_bucket(id, GASCL_STATE_ON));
    }
    gascl_lower(pile == GASCL_NEAR ? &gascl_control_->near_found : &gascl_control_->far_found, low, memory);
}

// Moves the vertices of the lowest bucket from a pile to the frontier.
static void gascl_split_pile(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                             __global int *piles, const int pile, const int coming,
                             long2 *counted, __local gascl_list_memory *memory) {
    gascl_turns to;
    const bool near = GASCL_SPLITS_NEAR(gascl_control_), far = GASCL_SPLITS_FAR(gascl_control_);
    const int low = min(gascl_control_->near_found, gascl_control_->far_found);
    const int end = low < INT_MAX - GASCL_NEAR_BUCKETS ? low + GASCL_NEAR_BUCKETS : INT_MAX;
    const uint in = pile == GASCL_NEAR ? GASCL_IN_NEAR : GASCL_IN_FAR;
    __global const int *list = GASCL_PILE(pile, GASCL_SIDE(pile));
    const int listed =
        (pile == GASCL_NEAR ? near : far) ? GASCL_PILE_LENGTH(pile, GASCL_SIDE(pile)) : 0;
    // `near` is copied only if it has such vertices itself; vertices from `far` are appended.
    gascl_begin_turns(&to, coming, gascl_control_->near_side ^ near, gascl_control_->far_side ^ 1,
                      GASCL_STATE_ON, frontiers, most_pieces, piles);
    GASCL_FOR_LISTED(i, listed) {
#if GASCL_GROUP == 1
        if (i + GASCL_AHEAD < listed) {
            gascl_expect_waiting(list[i + GASCL_AHEAD], GASCL_STATE_ON);
            GASCL_PREFETCH(&offsets[list[i + GASCL_AHEAD]]);
        }
#endif
        int where = GASCL_NOWHERE;
        gascl_offset arcs = 0;
        const int id = i < listed ? list[i] : 0;
        if (i < listed) {
            uint flags = gascl_flags[id];
            if (!(flags & GASCL_WAITING) || (pile == GASCL_FAR && flags & GASCL_IN_NEAR)) {
                flags &= ~in;
            } else {
                const int bucket = gascl_bucket(id, GASCL_STATE_ON);
                if (bucket == low) {
                    flags = (flags & ~(GASCL_WAITING | in)) | GASCL_TURN_BIT(coming);
                    where = GASCL_TO_FRONTIER;
                    arcs = offsets[id + 1] - offsets[id];
                    counted->x += 1;
                    counted->y += arcs;
                } else if (pile == GASCL_NEAR || bucket < end) {
                    flags = (flags & ~in) | GASCL_IN_NEAR;
                    where = GASCL_TO_NEAR;
                    to.near_low = min(to.near_low, bucket);
                } else {
                    where = GASCL_TO_FAR;
                    to.far_low = min(to.far_low, bucket);
                }
            }
            gascl_flags[id] = flags;
        }
        gascl_list_turn(&to, where, id, arcs, memory);
    }
    gascl_end_turns(&to, &gascl_control_->near_low_next, &gascl_control_->far_low_next, memory);
}

#define GASCL_COMING(starting) (gascl_control_->superstep + !(starting))

__kernel void gascl_back(GASCL_STATE, GASCL_COMMITTED, __global int *restrict piles,
                         __global long *restrict counts, const int starting) {
    __local gascl_shared shared;
    __local gascl_list_memory memory;
    long2 counted = 0;
    gascl_turn_back(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON, GASCL_COMMITTED_ON,
                    piles, GASCL_COMING(starting), &counted, &memory);
    gascl_add_count(counted, &counts[2 * get_group_id(0)], &shared);
}

__kernel void gascl_scan_near(GASCL_STATE, __global const int *restrict piles,
                              const int starting) {
    __local gascl_list_memory memory;
    gascl_scan_pile(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON, piles, GASCL_NEAR,
                    GASCL_COMING(starting), &memory);
    // The vertices of the frontier are in a pile now.
    if (get_global_id(0) == 0 && GASCL_TURNS_BACK)
        GASCL_FRONTIER_LENGTH(GASCL_COMING(starting)) = 0;
}

__kernel void gascl_scan_far(GASCL_STATE, __global const int *restrict piles,
                             const int starting) {
    __local gascl_list_memory memory;
    gascl_scan_pile(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON, piles, GASCL_FAR,
                    GASCL_COMING(starting), &memory);
}

__kernel void gascl_split_near(GASCL_STATE, GASCL_COMMITTED, __global int *restrict piles,
                               __global long *restrict counts, const int starting) {
    __local gascl_shared shared;
    __local gascl_list_memory memory;
    long2 counted = 0;
    gascl_split_pile(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON, GASCL_COMMITTED_ON,
                     piles, GASCL_NEAR, GASCL_COMING(starting), &counted, &memory);
    gascl_add_count(counted, &counts[2 * get_group_id(0)], &shared);
}

__kernel void gascl_split_far(GASCL_STATE, GASCL_COMMITTED, __global int *restrict piles,
                              __global long *restrict counts, const int starting) {
    __local gascl_shared shared;
    __local gascl_list_memory memory;
    long2 counted = 0;
    gascl_split_pile(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON, GASCL_COMMITTED_ON,
                     piles, GASCL_FAR, GASCL_COMING(starting), &counted, &memory);
    gascl_add_count(counted, &counts[2 * get_group_id(0)], &shared);
}

// The buckets and piles after a superstep.
static void gascl_renew_buckets(__global int *gascl_lengths, gascl_control *now) {
    const int low = min(now->near_found, now->far_found);
    const bool near = GASCL_SPLITS_NEAR(now), far = GASCL_SPLITS_FAR(now);
    if (near) {
        GASCL_PILE_LENGTH(GASCL_NEAR, now->near_side) = 0;
        now->near_side ^= 1;
        now->near_low = INT_MAX;
    }
    if (far) {
        GASCL_PILE_LENGTH(GASCL_FAR, now->far_side) = 0;
        now->far_side ^= 1;
        now->far_low = INT_MAX;
        now->near_end = low < INT_MAX - GASCL_NEAR_BUCKETS ? low + GASCL_NEAR_BUCKETS : INT_MAX;
    }
    if (low < INT_MAX)
        now->bucket = low;
    now->near_low = min(now->near_low, now->near_low_next);
    now->far_low = min(now->far_low, now->far_low_next);
    now->near_found = now->far_found = now->near_low_next = now->far_low_next = INT_MAX;
}
