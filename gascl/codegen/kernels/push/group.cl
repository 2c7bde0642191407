// Push, where the items of a work-group share its work.

// gascl_gather_memory: gather/row_memory.cl or gather/block_memory.cl, whichever pull_rows.cl needs; empty in
// delivery `push`.
#include "pull_memory.cl"

// Local memory of a group: words of the next frontier's bits, what it pulls, the pieces whose arcs it shares,
// and what its items hold back, to post or to apply it together.
#define GASCL_BIT_WORDS ((GASCL_GROUP + 31) / 32)
#define GASCL_HELD_BY_GROUP (4 * GASCL_GROUP)
#define GASCL_PART (GASCL_GROUP < 16 ? GASCL_GROUP : 16)  // items whose counts one item sums

typedef union {  // a superstep either pulls or pushes
#if GASCL_PULLS
    gascl_gather_memory gather;
#endif
#if GASCL_COMBINES_HELD
    int leaders[GASCL_HELD_BY_GROUP];  // where a message to a vertex is held
#endif
    uchar none;
} gascl_way_memory;

typedef struct {
    uint words[GASCL_BIT_WORDS];
    gascl_way_memory way;
    gascl_list_memory lists;
    int ends[GASCL_GROUP], sources[GASCL_GROUP];
    gascl_offset begins[GASCL_GROUP];
    int ids[GASCL_HELD_BY_GROUP];
    gascl_posting postings[GASCL_HELD_BY_GROUP];
    int count, listed, place;
} gascl_step_memory;

#if GASCL_COMBINES_HELD
// Combines what a group holds back for the same vertex: into one place, unless another vertex has that;
// in the others, -1 replaces the vertex. All items call it.
static void gascl_combine_held(__local gascl_step_memory *memory) {
    const int item = get_local_id(0), count = memory->count;
    for (int i = item; i < count; i += GASCL_GROUP)
        atomic_xchg(&memory->way.leaders[memory->ids[i] % GASCL_HELD_BY_GROUP], i);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < count; i += GASCL_GROUP) {
        const int id = memory->ids[i], leader = memory->way.leaders[id % GASCL_HELD_BY_GROUP];
        if (leader == i || memory->ids[leader] != id)
            continue;
        gascl_combine_postings(&memory->postings[leader], memory->postings[i]);
        memory->ids[i] = -1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

// Posts what a group holds back, and lists the vertices that had no message before. Few arcs carry a
// message that its vertex wants; if each item posted what it finds, all items of a warp would wait for
// the few. All items call it.
static void gascl_post_held(__local gascl_step_memory *memory, GASCL_STATE) {
    const int item = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
#if GASCL_COMBINES_HELD
    gascl_combine_held(memory);
#endif
    const int count = memory->count;
    uint firsts = 0;
    for (int i = item, bit = 0; i < count; i += GASCL_GROUP, ++bit)
        if (!GASCL_COMBINES_HELD || memory->ids[i] >= 0)
            firsts |= (uint)gascl_post_arc(memory->ids[i], memory->postings[i], GASCL_STATE_ON)
                      << bit;
    int at = firsts ? atomic_add(&memory->listed, (int)popcount(firsts)) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        if (GASCL_LISTS_POSTED && memory->listed)
            memory->place = atomic_add(&GASCL_LENGTH(RECEIVERS), memory->listed);
        memory->count = memory->listed = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; GASCL_LISTS_POSTED && firsts; i += GASCL_GROUP, firsts >>= 1)
        if (firsts & 1)
            gascl_receivers[memory->place + at++] = memory->ids[i];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Pushes along the arcs of the frontier; returns how many messages there were, if they are counted
// here.
static long gascl_push(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_PUSHED,
                       __local gascl_step_memory *memory) {
    const int superstep = gascl_control_->superstep;
    const int pieces = GASCL_HAS_SCATTER ? GASCL_FRONTIER_LENGTH(superstep) : 0;
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, superstep, most_pieces);
    long messages = 0;
    // Groups take pieces of the frontier and share out their arcs among their items (as Merrill,
    // Garland and Grimshaw 2012 gather a frontier's edges).
    __local int *ends = memory->ends, *sources = memory->sources;
    __local gascl_offset *begins = memory->begins;
    const int item = get_local_id(0);
    if (item == 0)
        memory->count = memory->listed = 0;
    // A small frontier is shared out among all groups: then each takes less than a piece an item.
    const int groups = team.groups;
    const int share = clamp((pieces + groups - 1) / groups, 1, GASCL_GROUP);
    const int last = team.idle ? 0 : pieces;
    for (int base = team.rank * share; base < last; base += groups * share) {
        int arcs = 0;
        if (item < share && base + item < pieces) {
            const int2 piece = frontier[base + item];
            GASCL_NOTE_SENDER(piece);
            const gascl_offset begin = offsets[piece.x] + (gascl_offset)piece.y * GASCL_PIECE;
            arcs = (int)min((gascl_offset)GASCL_PIECE, offsets[piece.x + 1] - begin);
            sources[item] = piece.x;
            begins[item] = begin;
        }
        // Where each piece's arcs end among those of the group: in parts, then those before each.
        ends[item] = arcs;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item % GASCL_PART == GASCL_PART - 1)
            for (int i = item - GASCL_PART + 2; i <= item; ++i)
                ends[i] += ends[i - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = 0;
        for (int i = GASCL_PART; i <= item; i += GASCL_PART)
            before += ends[i - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        ends[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
        // As many at a time as can be held back.
        const int all = ends[GASCL_GROUP - 1];
        int from = 0;
        do {
            for (int i = from + item; i < min(from + GASCL_HELD_BY_GROUP, all); i += GASCL_GROUP) {
                int piece = 0;
                for (int step = GASCL_GROUP / 2; step > 0; step /= 2)  // the first that ends behind i
                    piece += ends[piece + step - 1] <= i ? step : 0;
                const int source = sources[piece];
                const gascl_offset arc = begins[piece] + i - (piece ? ends[piece - 1] : 0);
                const int target = targets[arc];
                gascl_posting x;
                if (!gascl_push_arc(source, target, arc, gascl_scattering(source, GASCL_STATE_ON),
                                    &x, GASCL_STATE_ON GASCL_EDGE_ON))
                    continue;
                ++messages;
#if GASCL_COMBINES_HELD
                if (gascl_adds_nothing(target, x, GASCL_STATE_ON))
                    continue;
#endif
                const int at = atomic_inc(&memory->count);
                memory->ids[at] = target;
                memory->postings[at] = x;
            }
            gascl_post_held(memory, GASCL_STATE_ON);
            from += GASCL_HELD_BY_GROUP;
        } while (from < all);
    }
    return GASCL_COUNTS_ONCE || GASCL_COUNTS_ARRIVED ? 0 : messages;
}

// Lists the vertices that the items of a group have in a frontier, by one atomic operation. All items call it.
static void gascl_list_by_group(const bool has, const int id, const gascl_offset arcs,
                                gascl_pieces *held, __global int2 *frontier, __global int *length,
                                __local gascl_step_memory *memory) {
    const int item = get_local_id(0);
    if (item == 0)
        memory->count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int pieces = has ? gascl_pieces_of(arcs) : 0;
    const int at = pieces ? atomic_add(&memory->count, pieces) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && memory->count)
        memory->place = atomic_add(length, memory->count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < pieces; ++i)
        frontier[memory->place + at + i] = (int2)(id, i);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// gascl_listing: push/list_in_frontier.cl, push/list_in_buckets.cl or push/list_by_commit.cl.
#include "push_listing.cl"

// Neighboring items take neighboring vertices, which lie side by side in memory. But where the work of
// a vertex grows with degrees, and vertices are numbered by degree, few warps would have all the work:
// then the i-th vertex is any other, as multiplying by a prime scatters them (Knuth, The Art of
// Computer Programming, section 6.4). The prime is greater than n, so that no vertex comes twice.
#if GASCL_APPLY_VISITS_NEIGHBORS
#define GASCL_NTH_APPLIED(i, n) ((int)((ulong)(i) * 2654435761 % (ulong)(n)))
#else
#define GASCL_NTH_APPLIED(i, n) ((int)(i))
#endif

// Applies all vertices that have received anything, or every vertex; lists those that are in the next
// frontier.
static void gascl_apply_receivers(const gascl_team team, GASCL_STATE GASCL_EDGE,
                                  GASCL_PUSHED GASCL_PULLED_BOXES,
                                  __local gascl_step_memory *memory, gascl_tally *tally,
                                  long2 *counted) {
    gascl_listing to;
    gascl_begin_listing(&to, GASCL_STATE_ON, GASCL_PUSHED_ON);
    const int all = gascl_num_applied(GASCL_STATE_ON);
    const bool dense = gascl_applies_densely(GASCL_STATE_ON);
#if GASCL_APPLY_MASK
    const int receivers = GASCL_LENGTH(RECEIVERS);
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, gascl_control_->superstep, most_pieces);
#endif
    const int item = get_local_id(0), window = dense ? GASCL_HELD_BY_GROUP : GASCL_GROUP;
    const long step = (long)team.groups * window, end = team.idle ? 0 : all;
    for (long base = (long)team.rank * window; base < end; base += step) {
        int count = (int)min((long)window, end - base);
#if GASCL_LOOKS_FOR_MESSAGES
        // Of all vertices, a group first collects those that have a message.
        for (bool looks = dense; looks; looks = false) {  // no `if`: see runtime.cl on barriers
            if (item == 0)
                memory->count = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int j = item; j < count; j += GASCL_GROUP)
                if (gascl_has_message((int)base + j, GASCL_STATE_ON))
                    memory->ids[atomic_inc(&memory->count)] = (int)base + j;
            // Another item may take the message.
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            count = memory->count;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
        for (int j = item; j - item < count; j += GASCL_GROUP) {
            const long i = base + j;
            bool applies = j < count, listed = false;
#if GASCL_APPLY_ALL || GASCL_PAIRS
            const int id = GASCL_NTH_APPLIED(i, all);
#elif GASCL_APPLY_MASK
            int id = 0;
            applies = applies && gascl_nth_in_mask(i, receivers, &id, GASCL_STATE_ON, frontier);
#else
            const int id = !applies ? 0 : dense ? memory->ids[j] : gascl_receivers[i];
#endif
            if (applies)
                listed = gascl_apply_one(id, tally, GASCL_STATE_ON GASCL_EDGE_ON,
                                         GASCL_PUSHED_ON GASCL_PULLED_BOXES_ON);
            gascl_list_applied(&to, applies, listed, id, counted, GASCL_STATE_ON, offsets, memory);
        }
    }
    gascl_end_listing(&to, GASCL_STATE_ON, memory);
}
