// The commit of lists of active vertices, for programs with a priority.
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
// wait in the pile. `near_lowest` and `far_lowest` are the lowest buckets themselves, once the pile has
// been scanned in this superstep.
// The arguments of kernels that follow the frontier.
#define GASCL_PILES , __global int *GASCL_RESTRICT piles
#define GASCL_PILES_ON , piles

enum { GASCL_NEAR, GASCL_FAR };
#define GASCL_NEAR_BUCKETS 8  // counted from the lowest bucket at the last scan of `far`
#define GASCL_SIDE(pile) \
    ((pile) == GASCL_NEAR ? gascl_control_->near_side : gascl_control_->far_side)
#define GASCL_PILE(pile, side) \
    (piles + (size_t)(2 * (pile) + (side)) * (size_t)gascl_run_->graph.gascl_rows)
#define GASCL_PILE_LENGTH(pile, side) GASCL_LENGTH_AT(GASCL_LIST_PILES + 2 * (pile) + (side))

// Whether a vertex has entered a bucket below the current one: only then is a bound lower.
#define GASCL_LOWER_BUCKET_FILLED \
    (min(gascl_control_->near_low, gascl_control_->far_low) < gascl_control_->bucket)
// Whether another bucket becomes the current one: a lower one, or the next one as the frontier is empty.
#define GASCL_BUCKET_CHANGES(coming) \
    (GASCL_LOWER_BUCKET_FILLED || GASCL_FRONTIER_LENGTH(coming) == 0)
#define GASCL_SCANS_FAR(coming)                                           \
    (GASCL_BUCKET_CHANGES(coming) && gascl_control_->far_low < INT_MAX && \
     gascl_control_->far_low <= gascl_control_->near_lowest)
// Which piles have vertices of the lowest bucket, once they have been scanned.
#define GASCL_SPLITS_NEAR(control) \
    ((control)->near_lowest < INT_MAX && (control)->near_lowest <= (control)->far_lowest)
#define GASCL_SPLITS_FAR(control) \
    ((control)->far_lowest < INT_MAX && (control)->far_lowest <= (control)->near_lowest)

#if GASCL_READS_MASK  // other vertices may read the flags at the same time
#define GASCL_FRONTIER_FLAG(superstep) GASCL_MASK_BIT(superstep)
#define GASCL_OWN_FLAGS(id) atomic_or(&gascl_flags[id], 0u)
#define GASCL_SET_FLAGS(id, value) atomic_xchg(&gascl_flags[id], value)
#else  // no other vertex reads them, and the frontier itself has the active vertices
#define GASCL_FRONTIER_FLAG(superstep) 0u
#define GASCL_OWN_FLAGS(id) gascl_flags[id]
#define GASCL_SET_FLAGS(id, value) gascl_flags[id] = value
#endif

// The lists that a phase adds to.
enum { GASCL_TO_FRONTIER, GASCL_TO_NEAR, GASCL_TO_FAR, GASCL_NO_LIST };
typedef struct {
    __global int2 *frontier;
    __global int *near, *far;
    __global int *frontier_length, *near_length, *far_length;
    int near_low, far_low;  // the lowest bucket of those that were added
    gascl_pieces held;  // by an item that is a group of its own
    int counts[2], ids[2][GASCL_HELD];
} gascl_bucket_lists;

static void gascl_begin_bucket_lists(gascl_bucket_lists *to, const int coming, const int near_side,
                                     const int far_side, GASCL_STATE, __global int2 *frontiers,
                                     const long most_pieces, __global int *piles) {
    to->frontier = gascl_frontier_of(frontiers, coming, most_pieces);
    to->near = GASCL_PILE(GASCL_NEAR, near_side);
    to->far = GASCL_PILE(GASCL_FAR, far_side);
    to->frontier_length = &GASCL_FRONTIER_LENGTH(coming);
    to->near_length = &GASCL_PILE_LENGTH(GASCL_NEAR, near_side);
    to->far_length = &GASCL_PILE_LENGTH(GASCL_FAR, far_side);
    to->near_low = to->far_low = INT_MAX;
    to->held.count = to->counts[0] = to->counts[1] = 0;
}

// How items list vertices: frontier/bucket_lists_item.cl where a work-group is one item, otherwise
// frontier/bucket_lists_group.cl (gascl/delivery/assembly.py). All items of a group call these:
//
//   // Lists the vertices of a group's items, each in the list `where`.
//   static void gascl_add_to_bucket_list(gascl_bucket_lists *to, const int where, const int id,
//                                        const gascl_offset arcs, __local gascl_list_memory *memory);
//
//   // Lists what an item has held back.
//   static void gascl_flush_bucket_lists(gascl_bucket_lists *to);
//
//   // Lowers *lowest to the least bucket that any item of a group has.
//   static void gascl_lower_to_least(volatile __global int *lowest, const int least,
//                                    __local gascl_list_memory *memory);
//
//   // A loop over a list in which all items of a group make the same number of iterations.
//   #define GASCL_FOR_LISTED(i, n)
#include "bucket_lists.cl"

static void gascl_end_bucket_lists(gascl_bucket_lists *to, volatile __global int *near_low,
                                   volatile __global int *far_low,
                                   __local gascl_list_memory *memory) {
    gascl_flush_bucket_lists(to);
    gascl_lower_to_least(near_low, to->near_low, memory);
    gascl_lower_to_least(far_low, to->far_low, memory);
}

// The list for a vertex that was put into the mask (`set`), or that apply has changed while it waited.
static int gascl_choose_list(const int id, const bool set, const int coming, gascl_bucket_lists *to,
                             GASCL_STATE) {
    uint flags = GASCL_OWN_FLAGS(id);
    if (!set && !(flags & GASCL_WAITING))
        return GASCL_NO_LIST;
    const int bucket = gascl_bucket(id, GASCL_STATE_ON);
    int where = GASCL_NO_LIST;
    if (bucket == gascl_control_->bucket) {
        flags = (flags & ~GASCL_WAITING) | GASCL_FRONTIER_FLAG(coming);
        where = GASCL_TO_FRONTIER;
    } else if (flags & GASCL_IN_NEAR || bucket < gascl_control_->near_end) {
        to->near_low = min(to->near_low, bucket);
        where = flags & GASCL_IN_NEAR ? GASCL_NO_LIST : GASCL_TO_NEAR;
        flags |= GASCL_WAITING | GASCL_IN_NEAR;
    } else {
        to->far_low = min(to->far_low, bucket);
        where = flags & GASCL_IN_FAR ? GASCL_NO_LIST : GASCL_TO_FAR;
        flags |= GASCL_WAITING | GASCL_IN_FAR;
    }
    GASCL_SET_FLAGS(id, flags);
    return where;
}

// Prefetches the data of a vertex that is visited soon.
static void gascl_prefetch_waiting(const int id, GASCL_STATE) {
    GASCL_PREFETCH(&gascl_flags[id]);
    gascl_prefetch_apply(id, GASCL_STATE_ON);
}

// Lists the first waiting vertices: those that init put into the mask, or that waited when an earlier
// run ended.
static void gascl_start_buckets(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                                __global int *piles, __local gascl_list_memory *memory) {
    gascl_bucket_lists to;
    const int listed = GASCL_LENGTH(LISTED);
    gascl_begin_bucket_lists(&to, gascl_control_->superstep, 0, 0, GASCL_STATE_ON, frontiers,
                             most_pieces, piles);
    GASCL_FOR_LISTED(i, listed) {
        int where = GASCL_NO_LIST;
        const int id = i < listed ? gascl_listed[i] : 0;
        if (i < listed) {
            const bool set = gascl_flags[id] & GASCL_BY_SELF;
            gascl_flags[id] = 0;
            where = gascl_choose_list(id, set, gascl_control_->superstep, &to, GASCL_STATE_ON);
        }
        gascl_add_to_bucket_list(&to, where, id, 0, memory);
    }
    gascl_end_bucket_lists(&to, &gascl_control_->near_low, &gascl_control_->far_low, memory);
}

// Puts the frontier back into `near`, since a lower bucket has a vertex.
static void gascl_return_frontier(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                                  __global int *piles, const int coming, long2 *counted,
                                  __local gascl_list_memory *memory) {
    gascl_bucket_lists to;
    const bool back = GASCL_LOWER_BUCKET_FILLED;
    const int bucket = gascl_control_->bucket;
    const int listed = back ? GASCL_FRONTIER_LENGTH(coming) : 0;
    gascl_begin_bucket_lists(&to, coming, gascl_control_->near_side, 0, GASCL_STATE_ON, frontiers,
                             most_pieces, piles);
    GASCL_FOR_LISTED(i, listed) {
        int where = GASCL_NO_LIST;
        const int2 piece = i < listed ? to.frontier[i] : (int2)(0, 1);
        if (piece.y == 0) {
            const uint flags = gascl_flags[piece.x];
            where = flags & GASCL_IN_NEAR ? GASCL_NO_LIST : GASCL_TO_NEAR;
            gascl_flags[piece.x] =
                (flags & ~GASCL_FRONTIER_FLAG(coming)) | GASCL_WAITING | GASCL_IN_NEAR;
            to.near_low = bucket;
            counted->x -= 1;
            counted->y -= offsets[piece.x + 1] - offsets[piece.x];
        }
        gascl_add_to_bucket_list(&to, where, piece.x, 0, memory);
    }
    gascl_end_bucket_lists(&to, &gascl_control_->near_low_next, &gascl_control_->far_low_next,
                           memory);
}

// Scans a pile for the lowest bucket of its waiting vertices.
static void gascl_scan_pile(const gascl_team team, GASCL_STATE, __global const int *piles,
                            const int pile, const int coming,
                            __local gascl_list_memory *memory) {
    const bool looks = pile == GASCL_NEAR ? GASCL_BUCKET_CHANGES(coming) : GASCL_SCANS_FAR(coming);
    __global const int *list = GASCL_PILE(pile, GASCL_SIDE(pile));
    const int listed = looks ? GASCL_PILE_LENGTH(pile, GASCL_SIDE(pile)) : 0;
    const uint others = pile == GASCL_FAR ? GASCL_IN_NEAR : 0;
    int low = INT_MAX;
    GASCL_FOR_SHARE(i, listed, 256) {
#if GASCL_GROUP == 1
        if (i + GASCL_AHEAD < listed)
            gascl_prefetch_waiting(list[i + GASCL_AHEAD], GASCL_STATE_ON);
#endif
        const int id = list[i];
        if ((gascl_flags[id] & (GASCL_WAITING | others)) == GASCL_WAITING)
            low = min(low, gascl_bucket(id, GASCL_STATE_ON));
    }
    gascl_lower_to_least(
        pile == GASCL_NEAR ? &gascl_control_->near_lowest : &gascl_control_->far_lowest, low,
        memory);
}

// Moves the vertices of the lowest bucket from a pile to the frontier.
static void gascl_split_pile(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                             __global int *piles, const int pile, const int coming,
                             long2 *counted, __local gascl_list_memory *memory) {
    gascl_bucket_lists to;
    const bool near = GASCL_SPLITS_NEAR(gascl_control_), far = GASCL_SPLITS_FAR(gascl_control_);
    const int low = min(gascl_control_->near_lowest, gascl_control_->far_lowest);
    const int end = low < INT_MAX - GASCL_NEAR_BUCKETS ? low + GASCL_NEAR_BUCKETS : INT_MAX;
    const uint in = pile == GASCL_NEAR ? GASCL_IN_NEAR : GASCL_IN_FAR;
    __global const int *list = GASCL_PILE(pile, GASCL_SIDE(pile));
    const int listed =
        (pile == GASCL_NEAR ? near : far) ? GASCL_PILE_LENGTH(pile, GASCL_SIDE(pile)) : 0;
    // `near` is copied only if it has such vertices itself; vertices from `far` are appended.
    gascl_begin_bucket_lists(&to, coming, gascl_control_->near_side ^ near,
                             gascl_control_->far_side ^ 1, GASCL_STATE_ON, frontiers, most_pieces,
                             piles);
    GASCL_FOR_LISTED(i, listed) {
#if GASCL_GROUP == 1
        if (i + GASCL_AHEAD < listed) {
            gascl_prefetch_waiting(list[i + GASCL_AHEAD], GASCL_STATE_ON);
            GASCL_PREFETCH(&offsets[list[i + GASCL_AHEAD]]);
        }
#endif
        int where = GASCL_NO_LIST;
        gascl_offset arcs = 0;
        const int id = i < listed ? list[i] : 0;
        if (i < listed) {
            uint flags = gascl_flags[id];
            if (!(flags & GASCL_WAITING) || (pile == GASCL_FAR && flags & GASCL_IN_NEAR)) {
                flags &= ~in;
            } else {
                const int bucket = gascl_bucket(id, GASCL_STATE_ON);
                if (bucket == low) {
                    flags = (flags & ~(GASCL_WAITING | in)) | GASCL_FRONTIER_FLAG(coming);
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
        gascl_add_to_bucket_list(&to, where, id, arcs, memory);
    }
    gascl_end_bucket_lists(&to, &gascl_control_->near_low_next, &gascl_control_->far_low_next,
                           memory);
}

#define GASCL_COMING(starting) (gascl_control_->superstep + !(starting))

// The first phase of the end of a superstep; others follow.
static void gascl_commit_phase(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                               const int starting, long2 *counted) {
    if (!starting)
        gascl_uncommit(gascl_with_second_counter(team), GASCL_STATE_ON, GASCL_COMMITTED_ON);
}

__kernel void gascl_commit(GASCL_STATE, GASCL_COMMITTED, __global int *restrict piles,
                           __global long *restrict counts, const int starting) {
    const gascl_team team = gascl_team_of_launch(gascl_control_);
    long2 counted = 0;
    gascl_commit_phase(team, GASCL_STATE_ON, GASCL_COMMITTED_ON, starting, &counted);
    __local gascl_list_memory memory;
    gascl_team starts = team;
    starts.idle |= !starting;
    gascl_start_buckets(starts, GASCL_STATE_ON, GASCL_COMMITTED_ON, piles, &memory);
    if (starting && get_local_id(0) == 0)
        counts[2 * get_group_id(0)] = counts[2 * get_group_id(0) + 1] = 0;
}

__kernel void gascl_return_near(GASCL_STATE, GASCL_COMMITTED, __global int *restrict piles,
                                __global long *restrict counts, const int starting) {
    __local gascl_shared shared;
    __local gascl_list_memory memory;
    long2 counted = 0;
    gascl_return_frontier(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON, GASCL_COMMITTED_ON,
                          piles, GASCL_COMING(starting), &counted, &memory);
    gascl_add_count(counted, &counts[2 * get_group_id(0)], &shared);
}

__kernel void gascl_scan_near(GASCL_STATE, __global const int *restrict piles,
                              const int starting) {
    __local gascl_list_memory memory;
    gascl_scan_pile(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON, piles, GASCL_NEAR,
                    GASCL_COMING(starting), &memory);
    // The vertices of the frontier are in a pile now.
    if (get_global_id(0) == 0 && GASCL_LOWER_BUCKET_FILLED)
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
    const int low = min(now->near_lowest, now->far_lowest);
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
    now->near_lowest = now->far_lowest = now->near_low_next = now->far_low_next = INT_MAX;
}
