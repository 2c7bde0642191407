// Vertices with many neighbors, in programs whose apply has loops over neighbors that only reduce
// (gascl/language/reductions.py): they apply after all others, each by a whole work-group, whose items
// share the turns of these loops.
//
// All items run apply, up to the end of the first loop, of which each runs some of the turns; whatever else
// they do has no effect. The values that these reduce to are joined, and the items begin again, up to the
// end of the second loop. At last, one item runs apply with the values of all loops, and stores the
// result. So no barrier is in the user's code.
#include "runtime.cl"

// How many values of an item are joined at a time, where terms are joined in order.
#define GASCL_TERMS (sizeof(gascl_reduced) > 16 ? 1 : GASCL_SHARED_TERMS)

typedef union {
    gascl_shared shared;
    struct {
        gascl_reduced parts[GASCL_GROUP * GASCL_TERMS], total;
        uint later[(GASCL_GROUP + 31) / 32];  // which vertices apply now, as bits
    } rows;
} gascl_rows_memory;

// Joins `count` values of parts to the total, in their order if the loop needs that.
static void gascl_join_parts(const int loop, const int count, gascl_reduced *total,
                             const gascl_reduced *had, __local gascl_reduced *parts) {
    const int item = get_local_id(0), joining = GASCL_GROUP > 16 ? GASCL_GROUP / 16 : 1;
    const bool ordered = GASCL_IS_ORDERED(loop) || GASCL_IN_CHUNKS(loop);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int mine = ordered || item >= joining ? 0 : count;
    for (int i = item + joining; i < mine; i += joining)
        GASCL_JOIN_REDUCED(loop, parts[item], parts[i], *had);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int left = item ? 0 : ordered ? count : min(count, joining);
    _Pragma("unroll 8") for (int i = 0; i < left; ++i)
        GASCL_JOIN_REDUCED(loop, *total, parts[i], *had);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Runs all turns of a loop by the items of the group, each of which gets what it reduces to.
static void gascl_share_loop(const int id, const int loop, const gascl_gathered msg,
                             const uint count, gascl_part *part, __local gascl_reduced *parts,
                             __local gascl_reduced *shared_total, GASCL_STATE GASCL_LANE) {
    const int item = get_local_id(0), calls = GASCL_IS_ORDERED(loop) ? GASCL_TERMS : 1;
    const int turns = (int)(gascl_offsets[id + 1] - gascl_offsets[id]);
    const int most = GASCL_IS_ORDERED(loop) ? GASCL_TERMS * GASCL_GROUP : turns;
    gascl_reduced total;
    gascl_tally ignored;
    GASCL_ZERO_TALLY(ignored);
    part->loop = loop;
    part->reached = 1;
    part->step = GASCL_IS_ORDERED(loop) ? most : GASCL_IN_CHUNKS(loop) ? 1 : GASCL_GROUP;
    const int chunk = (turns - 1) / GASCL_GROUP + 1;
    // Not all vertices reach the loop; whether one does is the same for all items.
    for (int from = 0; part->reached && from < turns; from += most) {
        const int many = min(turns - from, most);
        part->last = from + many;
        part->reached = 0;
        for (int i = 0; i < calls; ++i) {
            part->first = from + i * GASCL_GROUP + item;
            if (GASCL_IN_CHUNKS(loop)) {
                part->first = (int)min((long)turns, (long)item * chunk);
                part->last = (int)min((long)turns, (long)part->first + chunk);
            }
            gascl_apply_part(id, msg, count, part, &ignored, GASCL_STATE_ON GASCL_LANE_ON);
            GASCL_COPY_REDUCED(loop, parts[i * GASCL_GROUP + item], part->values);
        }
        if (from == 0)
            GASCL_COPY_REDUCED(loop, total, part->had);
        gascl_join_parts(loop, min(many, calls * GASCL_GROUP), &total, &part->had, parts);
    }
    if (item == 0)
        GASCL_COPY_REDUCED(loop, *shared_total, total);
    barrier(CLK_LOCAL_MEM_FENCE);
    GASCL_COPY_REDUCED(loop, part->values, *shared_total);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // one item may store the vertex next
}

// Where apply lists a vertex in the next frontier, so is it here.
#if GASCL_LISTS_RECEIVERS && GASCL_LISTS_DIRECTLY
#if GASCL_PULLS
#define GASCL_COMING_BITS , __global uint *restrict bits
#define GASCL_COMING_BITS_ON , bits
#else
#define GASCL_COMING_BITS
#define GASCL_COMING_BITS_ON
#endif
#define GASCL_COMING                                                                        \
    , __global const gascl_offset *restrict offsets, __global int2 *restrict frontiers,     \
        const long most_pieces GASCL_COMING_BITS, __global long *restrict counts
#define GASCL_COMING_ON , offsets, frontiers, most_pieces GASCL_COMING_BITS_ON, counts
static void gascl_put_applied(const int id, const int set, long2 *counted, GASCL_STATE GASCL_COMING) {
    if (set != GASCL_SET)
        return;
    const int coming = gascl_control_->superstep + 1;
    const gascl_offset arcs = offsets[id + 1] - offsets[id];
    *counted += (long2)(1, arcs);
#if GASCL_PULLS
    if (gascl_control_->pulls) {
        const int words = (gascl_run_->graph.gascl_rows + 31) / 32;
        atomic_or(&bits[(coming & 1 ? words : 0) + id / 32], 1u << id % 32);
        return;
    }
#endif
    const int pieces = gascl_pieces_of(arcs);
    gascl_list_at(id, pieces, atomic_add(&GASCL_FRONTIER_LENGTH(coming), pieces),
                  gascl_frontier_of(frontiers, coming, most_pieces));
}
#define GASCL_PUT_APPLIED(id, set) \
    gascl_put_applied(id, set, counted, GASCL_STATE_ON GASCL_COMING_ON)
#else
#define GASCL_COMING
#define GASCL_COMING_ON
#define GASCL_PUT_APPLIED(id, set) GASCL_PUT_OWN(id, set)
#endif

// Applies a vertex. All items of the group call it.
static void gascl_apply_shared_row(const int id, gascl_tally *tally, long2 *counted,
                                   __local gascl_rows_memory *memory,
                                   GASCL_STATE GASCL_LANE GASCL_COMING) {
    const uint count = gascl_later[GASCL_AT(id)] - 1;
    const gascl_gathered msg = gascl_later_messages[GASCL_AT(id)];
    gascl_part part;
    for (int loop = 0; loop < GASCL_REDUCTIONS; ++loop)
        gascl_share_loop(id, loop, msg, count, &part, memory->rows.parts, &memory->rows.total,
                         GASCL_STATE_ON GASCL_LANE_ON);
    part.loop = GASCL_REDUCTIONS;
    if (get_local_id(0) == 0) {
        gascl_later[GASCL_AT(id)] = 0;
        const int set =
            gascl_apply_part(id, msg, count, &part, tally, GASCL_STATE_ON GASCL_LANE_ON);
        GASCL_PUT_APPLIED(id, set);
    }
}

// Neighboring vertices go to different groups, since those with many neighbors may be side by side.
__kernel void gascl_apply_shared_rows(GASCL_STATE GASCL_COMING,
                                      __global gascl_tally *restrict tallies,
                                      const int num_tallies) {
    __local gascl_rows_memory memory;
    gascl_tally tally;
    long2 counted = 0;  // the vertices in the next frontier, and their arcs
    GASCL_ZERO_TALLY(tally);
    const int item = get_local_id(0);
    const long groups = get_num_groups(0), all = gascl_vertices(gascl_run_, gascl_control_);
    for (long base = get_group_id(0); base < all * GASCL_LANES; base += groups * GASCL_GROUP) {
        for (int i = item; i < (GASCL_GROUP + 31) / 32; i += GASCL_GROUP)
            memory.rows.later[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const long mine = base + item * groups;
        if (mine < all * GASCL_LANES && gascl_later[mine])
            atomic_or(&memory.rows.later[item / 32], 1u << item % 32);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < (GASCL_GROUP + 31) / 32; ++i)
            for (uint left = memory.rows.later[i]; left; left &= left - 1) {
                const long place = base + (32 * i + 31 - (int)clz(left & -left)) * groups;
#if GASCL_LANES > 1
                const int gascl_lane = (int)(place % GASCL_LANES);
#endif
                gascl_apply_shared_row((int)(place / GASCL_LANES), &tally, &counted, &memory,
                                       GASCL_STATE_ON GASCL_LANE_ON GASCL_COMING_ON);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_group_id(0) >= num_tallies && item == 0) {  // the kernel before had fewer groups
        gascl_tally none;
        GASCL_ZERO_TALLY(none);
        GASCL_COPY_TALLY(tallies[get_group_id(0)], none);
    }
    gascl_tally_add_at(&tally, &tallies[get_group_id(0)], &memory.shared);
#if GASCL_LISTS_RECEIVERS && GASCL_LISTS_DIRECTLY
    barrier(CLK_LOCAL_MEM_FENCE);
    gascl_add_count(counted, &counts[2 * get_group_id(0)], &memory.shared);
#endif
}
