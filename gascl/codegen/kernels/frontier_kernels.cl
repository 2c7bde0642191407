// The kernels that build and update the lists of frontier.cl.
#include "team.cl"

// The prefetch distance, in arcs or vertices.
#define GASCL_AHEAD 16

// How many pieces of the frontier an item holds back, to list them together: a place in the list
// costs an atomic operation.
#define GASCL_HELD 128
typedef struct {
    int count;
    int2 at[GASCL_GROUP == 1 ? GASCL_HELD : 1];
} gascl_pieces;

static void gascl_flush_pieces(gascl_pieces *held, __global int2 *frontier, __global int *length) {
#if GASCL_GROUP == 1
    if (!held->count)
        return;
    const int at = atomic_add(length, held->count);
    for (int i = 0; i < held->count; ++i)
        frontier[at + i] = held->at[i];
    held->count = 0;
#endif
}

// Lists a vertex; `arcs` is the number of its arcs. Returns that.
static gascl_offset gascl_list(const int id, const gascl_offset arcs, gascl_pieces *held,
                               __global int2 *frontier, __global int *length) {
    const int pieces = max(1, (int)((arcs + GASCL_PIECE - 1) / GASCL_PIECE));
#if GASCL_GROUP == 1
    if (held->count + pieces <= GASCL_HELD) {
        for (int i = 0; i < pieces; ++i)
            held->at[held->count++] = (int2)(id, i);
        return arcs;
    }
    gascl_flush_pieces(held, frontier, length);
    if (pieces == 1) {
        held->at[held->count++] = (int2)(id, 0);
        return arcs;
    }
#endif
    const int at = atomic_add(length, pieces);
    for (int i = 0; i < pieces; ++i)
        frontier[at + i] = (int2)(id, i);
    return arcs;
}

// Local memory in which a group gathers what its items list.
typedef struct {
    int counts[3], places[3], low;
} gascl_list_memory;

// Where a superstep's frontier begins in the buffer that holds both frontiers.
static __global int2 *gascl_frontier_of(__global int2 *frontiers, const int superstep,
                                        const long most_pieces) {
    return frontiers + (superstep & 1 ? most_pieces : 0);
}

// Lists a vertex with pending messages, when a run continues.
static void gascl_list_receiver(const int id, GASCL_STATE) {
#if GASCL_INBOX && !GASCL_FIRST
    if (gascl_has_arrived(id, gascl_inbox, gascl_arrived))
        gascl_touched[atomic_inc(&GASCL_LENGTH(TOUCHED))] = id;
#endif
}

// The frontier where every vertex scatters, once and for all: the same in both supersteps.
__kernel void gascl_all_scatter(GASCL_STATE, __global const gascl_offset *restrict offsets,
                                __global int2 *restrict frontiers, const long most_pieces) {
    gascl_pieces held, held_odd;
    held.count = held_odd.count = 0;
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices) {
        const gascl_offset arcs = offsets[id + 1] - offsets[id];
        gascl_list(id, arcs, &held, frontiers, &GASCL_LENGTH(FRONTIER));
        gascl_list(id, arcs, &held_odd, frontiers + most_pieces, &GASCL_LENGTH(FRONTIER_ODD));
#if !GASCL_MASKED  // else gascl_enter does it
        gascl_list_receiver(id, GASCL_STATE_ON);
#endif
    }
    gascl_flush_pieces(&held, frontiers, &GASCL_LENGTH(FRONTIER));
    gascl_flush_pieces(&held_odd, frontiers + most_pieces, &GASCL_LENGTH(FRONTIER_ODD));
}

// The words of the frontier's bits.
#define GASCL_WORDS(run) (((run)->graph.num_vertices + 31) / 32)

#if GASCL_MASKED
#define GASCL_COMMITTED                                                                   \
    __global const gascl_offset *restrict offsets, __global int2 *GASCL_RESTRICT frontiers, \
        const long most_pieces
#define GASCL_COMMITTED_ON offsets, frontiers, most_pieces

#if !GASCL_PRIORITY
// The vertices that were put into the mask become the next superstep's mask and frontier. `starting`:
// the next superstep is the first one of the run, so that there is no earlier frontier. Adds to the
// numbers of vertices in the mask and of their arcs.
static void gascl_commit_listed(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                                const int starting, long2 *counted) {
    const int superstep = gascl_control_->superstep;
    const int coming = starting ? superstep : superstep + 1;
    __global int2 *next = gascl_frontier_of(frontiers, coming, most_pieces);
    __global int *length = &GASCL_FRONTIER_LENGTH(coming);
    gascl_pieces held;
    held.count = 0;
#if GASCL_SCATTER_ALL
    GASCL_FOR_SHARE(id, gascl_run_->graph.num_vertices, 4096) {
        const bool set = gascl_flags[id] & (GASCL_BY_SELF | GASCL_BY_OTHER);
        gascl_flags[id] = set ? GASCL_MASK_BIT(coming) : 0;
    }
#elif GASCL_LISTS_DIRECTLY
    GASCL_FOR_SHARE(i, GASCL_LENGTH(LISTED), 256) {
        const int id = GASCL_FIRST_LISTED[i];
        counted->x += 1;
        counted->y += gascl_list(id, offsets[id + 1] - offsets[id], &held, next, length);
    }
#else
    GASCL_FOR_SHARE(j, GASCL_LENGTH(LISTED), 256) {
        const int id = gascl_listed[j];
        const uint set = GASCL_BY_SELF | GASCL_BY_OTHER;
        if (atomic_and(&gascl_flags[id], ~(set | GASCL_LISTED)) & set) {
            atomic_or(&gascl_flags[id], GASCL_MASK_BIT(coming));
            counted->x += 1;
            counted->y += gascl_list(id, offsets[id + 1] - offsets[id], &held, next, length);
        }
    }
#endif
    gascl_flush_pieces(&held, next, length);
}
#endif

// Takes this superstep's vertices out of the mask.
static void gascl_uncommit(const gascl_team team, GASCL_STATE, GASCL_COMMITTED) {
#if !GASCL_SCATTER_ALL && !GASCL_LISTS_DIRECTLY && (GASCL_READS_MASK || !GASCL_PRIORITY)
    const int superstep = gascl_control_->superstep;
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, superstep, most_pieces);
    GASCL_FOR_SHARE(i, GASCL_FRONTIER_LENGTH(superstep), 256)
        if (frontier[i].y == 0)
            atomic_and(&gascl_flags[frontier[i].x], ~GASCL_MASK_BIT(superstep));
#endif
}

// The first phase of the end of a superstep; with priorities, it is followed by others.
static void gascl_commit_phase(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                               const int starting, long2 *counted) {
    if (!starting)
        gascl_uncommit(gascl_second_share(team), GASCL_STATE_ON, GASCL_COMMITTED_ON);
#if !GASCL_PRIORITY
    gascl_commit_listed(team, GASCL_STATE_ON, GASCL_COMMITTED_ON, starting, counted);
#endif
}

// Adds to what a group has counted in this superstep.
static void gascl_add_count(const long2 counted, __global long *count,
                            __local gascl_shared *shared) {
    const long2 sum = gascl_count_reduce(counted, shared);
    if (get_local_id(0) == 0) {
        count[0] += sum.x;
        count[1] += sum.y;
    }
}

// Where the program has a priority, frontier/buckets.cl; otherwise nothing (gascl/delivery/assembly.py).
#include "frontier_buckets.cl"

__kernel void gascl_commit(GASCL_STATE, GASCL_COMMITTED,
#if GASCL_PRIORITY
                           __global int *restrict piles,
#endif
                           __global long *restrict counts, const int starting) {
    const gascl_team team = gascl_team_of_launch(gascl_control_);
    long2 counted = 0;
    gascl_commit_phase(team, GASCL_STATE_ON, GASCL_COMMITTED_ON, starting, &counted);
#if GASCL_PRIORITY
    __local gascl_list_memory memory;
    gascl_team starts = team;
    starts.idle |= !starting;
    gascl_first_turns(starts, GASCL_STATE_ON, GASCL_COMMITTED_ON, piles, &memory);
    if (starting && get_local_id(0) == 0)
        counts[2 * get_group_id(0)] = counts[2 * get_group_id(0) + 1] = 0;
#else
    __local gascl_shared shared;  // PoCL 5 aborts without optimization where it is never used
    gascl_count(counted.x, counted.y, counts, &shared);
#endif
}

// Converts a mask of bytes to lists, when a run continues: gascl_commit then makes them the frontier.
__kernel void gascl_enter(GASCL_STATE, __global const uchar *restrict mask) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices) {
        if (mask[id])
            gascl_put_mask(id, GASCL_SET, gascl_control_ GASCL_MASKS_ON);
        gascl_list_receiver(id, GASCL_STATE_ON);
    }
}

// Converts lists to a mask of bytes, which must be empty.
__kernel void gascl_leave(GASCL_STATE, __global const int2 *restrict frontiers,
                          const long most_pieces,
#if GASCL_PULLS
                          __global const uint *restrict bits,
#endif
                          __global uchar *restrict mask) {
#if GASCL_LISTS_DIRECTLY
    const int superstep = gascl_control_->superstep;
#if GASCL_PULLS
    if (gascl_control_->bits) {
        const long start = superstep & 1 ? GASCL_WORDS(gascl_run_) : 0;
        GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
            mask[id] = bits[start + id / 32] >> id % 32 & 1;
        return;
    }
#endif
    __global const int2 *frontier = frontiers + (superstep & 1 ? most_pieces : 0);
    GASCL_FOR_RANGE(i, GASCL_FRONTIER_LENGTH(superstep))
        mask[frontier[i].x] = 1;
#else
    const uint set = GASCL_MASK_BIT(gascl_control_->superstep) | GASCL_WAITING;
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
        if (gascl_flags[id] & set)
            mask[id] = 1;
#if GASCL_PRIORITY && !GASCL_READS_MASK
    __global const int2 *frontier =
        frontiers + (gascl_control_->superstep & 1 ? most_pieces : 0);
    GASCL_FOR_RANGE(i, GASCL_FRONTIER_LENGTH(gascl_control_->superstep))
        if (frontier[i].y == 0)
            mask[frontier[i].x] = 1;
#endif
#endif
}
#endif

// Exchanges the lists after a superstep: the next frontier becomes the current one, and the new next
// frontier is empty. If every vertex scatters, the frontier does not change.
static void gascl_renew_lists(__global int *gascl_lengths, gascl_control *now,
                              const int starting) {
    const int touched = GASCL_LENGTH(TOUCHED_next);
    if (!starting) {
        if (!GASCL_SCATTER_ALL)
            GASCL_FRONTIER_LENGTH(now->superstep) = 0;
        GASCL_LENGTH(TOUCHED) = touched;
        GASCL_LENGTH(TOUCHED_next) = 0;
    }
    GASCL_LENGTH(LISTED) = 0;
#if GASCL_PRIORITY
    gascl_renew_buckets(gascl_lengths, now);
#endif
}
#define GASCL_RENEW_LISTS(now, starting) gascl_renew_lists(gascl_lengths, now, starting)
