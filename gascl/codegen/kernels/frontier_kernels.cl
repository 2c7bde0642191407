// The kernels that build and update the lists of frontier.cl.

// The number of pieces of a vertex with so many arcs.
static int gascl_pieces_of(const gascl_offset arcs) {
    return max(1, (int)((arcs + GASCL_PIECE - 1) / GASCL_PIECE));
}

static void gascl_list_at(const int id, const int pieces, const int at,
                          __global int2 *frontier) {
    for (int i = 0; i < pieces; ++i)
        frontier[at + i] = (int2)(id, i);
}

// gascl_list() lists a vertex with its number of arcs, and returns that; gascl_flush_pieces() lists what an
// item has held back. gascl/delivery/assembly.py puts frontier/pieces_item.cl here where a work-group is one
// item, and otherwise frontier/pieces_group.cl.
#include "frontier_pieces.cl"

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
        gascl_receivers[atomic_inc(&GASCL_LENGTH(RECEIVERS))] = id;
#endif
}

// The frontier where every vertex scatters, once and for all: the same in both supersteps. `starting`: the run has
// yet to start, and the inbox has yet to be emptied.
__kernel void gascl_all_scatter(GASCL_STATE, __global const gascl_offset *restrict offsets,
                                __global int2 *restrict frontiers, const long most_pieces,
                                const int starting) {
    gascl_pieces held, held_odd;
    held.count = held_odd.count = 0;
    GASCL_FOR_RANGE(id, gascl_run_->graph.gascl_rows) {
        const gascl_offset arcs = offsets[id + 1] - offsets[id];
        gascl_list(id, arcs, &held, frontiers, &GASCL_LENGTH(FRONTIER));
        gascl_list(id, arcs, &held_odd, frontiers + most_pieces, &GASCL_LENGTH(FRONTIER_ODD));
#if !GASCL_MASKED  // else gascl_enter does it
        if (!starting)
            gascl_list_receiver(id, GASCL_STATE_ON);
#endif
    }
    gascl_flush_pieces(&held, frontiers, &GASCL_LENGTH(FRONTIER));
    gascl_flush_pieces(&held_odd, frontiers + most_pieces, &GASCL_LENGTH(FRONTIER_ODD));
}

#if !GASCL_PRIORITY  // else frontier/buckets.cl
#define GASCL_PILES
#define GASCL_PILES_ON
#endif

// The words of the frontier's bits.
#define GASCL_WORDS(run) (((run)->graph.gascl_rows + 31) / 32)

#if GASCL_MASKED
#define GASCL_COMMITTED                                                                     \
    __global const gascl_offset *restrict offsets, __global int2 *GASCL_RESTRICT frontiers, \
        const long most_pieces
#define GASCL_COMMITTED_ON offsets, frontiers, most_pieces

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

// gascl_commit(): gascl/delivery/assembly.py puts frontier/commit.cl here or, where the program has a
// priority, frontier/buckets.cl.
#include "frontier_commit.cl"

// Converts a mask of bytes to lists, when a run continues: gascl_commit then makes them the frontier.
__kernel void gascl_enter(GASCL_STATE, __global const uchar *restrict mask) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.gascl_rows) {
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
    if (!GASCL_LISTS_BITS && gascl_control_->bits) {
        const long start = superstep & 1 ? GASCL_WORDS(gascl_run_) : 0;
        GASCL_FOR_RANGE(id, gascl_run_->graph.gascl_rows)
            mask[id] = bits[start + id / 32] >> id % 32 & 1;
        return;
    }
#endif
    __global const int2 *frontier = frontiers + (superstep & 1 ? most_pieces : 0);
    GASCL_FOR_RANGE(i, GASCL_FRONTIER_LENGTH(superstep))
        mask[frontier[i].x] = 1;
#else
    const uint set = GASCL_MASK_BIT(gascl_control_->superstep) | GASCL_WAITING;
    GASCL_FOR_RANGE(id, gascl_run_->graph.gascl_rows)
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
    const int receivers = GASCL_LENGTH(RECEIVERS_next);
    if (!starting) {
        if (!GASCL_SCATTER_ALL)
            GASCL_FRONTIER_LENGTH(now->superstep) = 0;
        GASCL_LENGTH(RECEIVERS) = receivers;
        GASCL_LENGTH(RECEIVERS_next) = 0;
    }
    GASCL_LENGTH(LISTED) = 0;
#if GASCL_MASKED
    gascl_renew_buckets(gascl_lengths, now);
#endif
}
#define GASCL_RENEW_LISTS(now, starting) gascl_renew_lists(gascl_lengths, now, starting)
