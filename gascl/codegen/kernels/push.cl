// Delivery `push`: the work follows the frontier (frontier.cl), not the graph. Messages combine in
// the atomic inbox; the first one to a vertex lists it, and apply goes through that list.
//
// Delivery `frontier` (GASCL_PULLS) pushes while the frontier is small. Where it is large, every
// vertex that still receives pulls from it instead (Beamer, Asanović and Patterson, Direction-
// Optimizing Breadth-First Search, 2012); the frontier is then kept as bits.
#include "runtime.cl"

// The arguments of what follows.
#if GASCL_PRIORITY
#define GASCL_PILES , __global int *GASCL_RESTRICT piles
#define GASCL_PILES_ON , piles
#else
#define GASCL_PILES
#define GASCL_PILES_ON
#endif
#define GASCL_PUSHED                                                                        \
    __global const gascl_offset *restrict offsets, __global const int *restrict targets,    \
        __global int2 *GASCL_RESTRICT frontiers, const long most_pieces GASCL_PILES
#define GASCL_PUSHED_ON offsets, targets, frontiers, most_pieces GASCL_PILES_ON

// What is posted for a vertex: a message, or its sender.
#if GASCL_FIRST
typedef gascl_sender gascl_posting;
#else
typedef gascl_message gascl_posting;
#endif

// Local memory of a group: words of the next frontier's bits, the pieces whose arcs it shares, and
// what its items hold back, to post or to apply it together.
#define GASCL_BIT_WORDS ((GASCL_GROUP + 31) / 32)
#define GASCL_HELD_BY_GROUP (4 * GASCL_GROUP)
#define GASCL_PART (GASCL_GROUP < 16 ? GASCL_GROUP : 16)  // items whose counts one item sums
typedef struct {
    uint words[GASCL_BIT_WORDS];
    gascl_list_memory lists;
#if GASCL_GROUP > 1
    int ends[GASCL_GROUP], sources[GASCL_GROUP];
    gascl_offset begins[GASCL_GROUP];
    int ids[GASCL_HELD_BY_GROUP];
    gascl_posting postings[GASCL_HELD_BY_GROUP];
    int count, listed, place;
#endif
} gascl_step_memory;

// Which part of all vertices is many.
#ifndef GASCL_DENSE
#define GASCL_DENSE 8
#endif

// Posts what an arc carries; whether it is the first for that vertex.
static bool gascl_post_arc(const int target, const gascl_posting x, GASCL_STATE) {
#if GASCL_FIRST
    return gascl_post_first(&gascl_inbox[target], x);
#else
    return gascl_post(target, GASCL_TO_ACCUMULATOR(x), gascl_inbox, gascl_arrived, gascl_wraps);
#endif
}

#if GASCL_GROUP == 1
// Receivers that an item holds back, to list them together.
typedef struct {
    int count;
    int at[GASCL_HELD];
} gascl_held_receivers;

static void gascl_flush_receivers(gascl_held_receivers *held, __global int *touched,
                                  __global int *length) {
    if (!held->count)
        return;
    const int at = atomic_add(length, held->count);
    for (int i = 0; i < held->count; ++i)
        touched[at + i] = held->at[i];
    held->count = 0;
}

static void gascl_list_touched(const int id, gascl_held_receivers *held, __global int *touched,
                               __global int *length) {
    if (held->count == GASCL_HELD)
        gascl_flush_receivers(held, touched, length);
    held->at[held->count++] = id;
}
#else
// Posts what a group holds back, and lists the vertices that had no message before. Few arcs carry a
// message that its vertex wants; if each item posted what it finds, all items of a warp would wait for
// the few. All items call it.
static void gascl_post_held(__local gascl_step_memory *memory, GASCL_STATE) {
    const int item = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int count = memory->count;
    uint firsts = 0;
    for (int i = item, turn = 0; i < count; i += GASCL_GROUP, ++turn)
        firsts |= (uint)gascl_post_arc(memory->ids[i], memory->postings[i], GASCL_STATE_ON)
                  << turn;
    int at = firsts ? atomic_add(&memory->listed, (int)popcount(firsts)) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        if (!GASCL_APPLY_ALL && memory->listed)
            memory->place = atomic_add(&GASCL_LENGTH(TOUCHED), memory->listed);
        memory->count = memory->listed = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; !GASCL_APPLY_ALL && firsts; i += GASCL_GROUP, firsts >>= 1)
        if (firsts & 1)
            gascl_touched[memory->place + at++] = memory->ids[i];
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

// Asks for what posting to a vertex reads.
static void gascl_expect(const int id, GASCL_STATE) {
    gascl_expect_receiver(id, GASCL_STATE_ON);
    GASCL_PREFETCH(&gascl_inbox[id]);
}

// Whether an arc carries a message that its vertex wants, and what is to be posted.
static bool gascl_push_arc(const int source, const int target, const gascl_offset arc,
                           const gascl_vertex v, gascl_posting *x, GASCL_STATE GASCL_EDGE) {
    if (GASCL_SKIPS && !gascl_receives(target, GASCL_STATE_ON))
        return false;
    gascl_edge e = gascl_edge_at(source, target, arc GASCL_EDGE_ON);
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON);
#if GASCL_ARC_STATE
    gascl_store_arc(e, arc GASCL_EDGE_ON);
#endif
    if (!out.count)
        return false;
    const gascl_message sent = gascl_narrow(out, source, gascl_control_);
    if (!GASCL_SKIPS && !gascl_receives(target, GASCL_STATE_ON))
        return false;
    if (!gascl_receives_message(sent, target, GASCL_STATE_ON))
        return false;
#if GASCL_FIRST
    *x = GASCL_READS_EDGE ? (gascl_sender)arc : source;
#else
    *x = sent;
#endif
    return true;
}

// Pushes along the arcs of the frontier; returns how many messages there were, if they are counted
// here.
static long gascl_push(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_PUSHED,
                       __local gascl_step_memory *memory) {
    const int superstep = gascl_control_->superstep;
    const int pieces = GASCL_FRONTIER_LENGTH(superstep);
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, superstep, most_pieces);
    long messages = 0;
#if GASCL_GROUP == 1
    gascl_held_receivers held;
    held.count = 0;
    int from, to;
    const int chunk = clamp(pieces / (4 * team.groups), 1, 64);
    for (int turn = 0; gascl_share(team, pieces, chunk, turn, &from, &to); ++turn) {
        if (team.taken) {  // a share of a launch may be too long for it
            for (int i = from; i < to; ++i)
                GASCL_PREFETCH(&offsets[frontier[i].x]);
            for (int i = from; i < to; ++i)
                GASCL_PREFETCH(&targets[offsets[frontier[i].x]]);
        }
        for (int i = from; i < to; ++i) {
            const int source = frontier[i].x;
            const gascl_offset begin = offsets[source] + (gascl_offset)frontier[i].y * GASCL_PIECE;
            const gascl_offset end = min(begin + GASCL_PIECE, offsets[source + 1]);
            if (i + 2 < to) {
                const int later = frontier[i + 2].x;
                const gascl_offset first =
                    offsets[later] + (gascl_offset)frontier[i + 2].y * GASCL_PIECE;
                const gascl_offset last = min(first + GASCL_AHEAD, offsets[later + 1]);
                for (gascl_offset arc = first; arc < last; ++arc)
                    gascl_expect(targets[arc], GASCL_STATE_ON);
            }
            const gascl_vertex v = gascl_scattering(source, GASCL_STATE_ON);
            for (gascl_offset arc = begin; arc < end; ++arc) {
                if (arc + GASCL_AHEAD < end)
                    gascl_expect(targets[arc + GASCL_AHEAD], GASCL_STATE_ON);
                const int target = targets[arc];
                gascl_posting x;
                if (!gascl_push_arc(source, target, arc, v, &x, GASCL_STATE_ON GASCL_EDGE_ON))
                    continue;
                ++messages;
                if (gascl_post_arc(target, x, GASCL_STATE_ON) && !GASCL_APPLY_ALL)
                    gascl_list_touched(target, &held, gascl_touched, &GASCL_LENGTH(TOUCHED));
            }
        }
    }
    gascl_flush_receivers(&held, gascl_touched, &GASCL_LENGTH(TOUCHED));
#else
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
                const int at = atomic_inc(&memory->count);
                memory->ids[at] = target;
                memory->postings[at] = x;
            }
            gascl_post_held(memory, GASCL_STATE_ON);
            from += GASCL_HELD_BY_GROUP;
        } while (from < all);
    }
#endif
#if GASCL_COUNTS_ONCE || GASCL_COUNTS_ARRIVED
    return 0;
#else
    return messages;
#endif
}

// Whether apply goes through all vertices in order to find those with a message, where many have one:
// that costs less than the jumps of a list.
#define GASCL_LOOKS_FOR_MESSAGES (!GASCL_APPLY_ALL && !GASCL_APPLY_MASK && !GASCL_PAIRS)
static bool gascl_applies_densely(GASCL_STATE) {
#if !GASCL_LOOKS_FOR_MESSAGES
    return false;
#else
    return GASCL_LENGTH(TOUCHED) > gascl_run_->graph.num_vertices / GASCL_DENSE;
#endif
}

// How many vertices apply goes through: all of them, or those that are listed. With
// GASCL_APPLY_MASK, the pieces of the frontier are behind the receivers.
static int gascl_num_applied(GASCL_STATE) {
#if GASCL_APPLY_ALL || GASCL_PAIRS
    return gascl_run_->graph.num_vertices;
#elif GASCL_APPLY_MASK
    return GASCL_LENGTH(TOUCHED) + GASCL_FRONTIER_LENGTH(gascl_control_->superstep);
#else
    return gascl_applies_densely(GASCL_STATE_ON) ? gascl_run_->graph.num_vertices
                                                 : GASCL_LENGTH(TOUCHED);
#endif
}

static bool gascl_has_message(const int id, GASCL_STATE) {
#if GASCL_FIRST
    return gascl_inbox[id] != GASCL_NO_SENDER;
#else
    return gascl_has_arrived(id, gascl_inbox, gascl_arrived);
#endif
}

// What a vertex has received through the inbox, which is empty then.
static gascl_box gascl_take_touched(const int id, GASCL_STATE GASCL_EDGE, GASCL_PUSHED) {
#if GASCL_FIRST
    const gascl_sender sender = gascl_inbox[id];
    if (sender == GASCL_NO_SENDER)
        return gascl_box_empty();
    gascl_inbox[id] = GASCL_NO_SENDER;
#if GASCL_READS_EDGE
    int source = 0;  // the last vertex whose arcs begin at this one or before
    for (uint step = gascl_half(gascl_run_->graph.num_vertices); step > 0; step >>= 1)
        if (source + (long)step < gascl_run_->graph.num_vertices && offsets[source + step] <= sender)
            source += step;
    const gascl_offset arc = sender;
#else
    const int source = sender;
    const gascl_offset arc = 0;
#endif
    gascl_edge e = gascl_edge_at(source, id, arc GASCL_EDGE_ON);
    return gascl_scatter(gascl_scattering(source, GASCL_STATE_ON), &e, 0, GASCL_STATE_ON);
#else
    return gascl_take(id, gascl_inbox, gascl_arrived, gascl_wraps);
#endif
}

// Applies what a vertex has received; returns whether it is to be listed.
static bool gascl_apply_and_mask(const int id, const gascl_box in, gascl_tally *tally,
                                 GASCL_STATE) {
    const int set = gascl_apply_box(id, in, tally, GASCL_STATE_ON);
#if GASCL_LISTS_DIRECTLY || GASCL_PRIORITY
    return set == GASCL_SET;
#else
    GASCL_PUT_OWN(id, set);
#endif
    return false;
}

#if GASCL_GROUP > 1
// Lists the vertices that the items of a group have, by one atomic operation. All items call it.
static void gascl_list_together(const bool has, const int id, const gascl_offset arcs,
                                __global int2 *frontier, __global int *length,
                                __local gascl_step_memory *memory) {
    const int item = get_local_id(0);
    if (item == 0)
        memory->count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int pieces = has ? max(1, (int)((arcs + GASCL_PIECE - 1) / GASCL_PIECE)) : 0;
    const int at = pieces ? atomic_add(&memory->count, pieces) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && memory->count)
        memory->place = atomic_add(length, memory->count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < pieces; ++i)
        frontier[memory->place + at + i] = (int2)(id, i);
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

// Neighboring items take neighboring vertices, which lie side by side in memory. But where the work of
// a vertex grows with degrees, and vertices are numbered by degree, few warps would have all the work:
// then the i-th vertex is any other, as multiplying by a prime scatters them (Knuth, The Art of
// Computer Programming, section 6.4). The prime is greater than n, so that no vertex comes twice.
#if GASCL_WALKS && GASCL_GROUP > 1
#define GASCL_NTH_APPLIED(i, n) ((int)((ulong)(i) * 2654435761 % (ulong)(n)))
#else
#define GASCL_NTH_APPLIED(i, n) ((int)(i))
#endif

// Applies all vertices that have received anything, or every vertex; lists those that are in the next
// frontier.
static void gascl_apply_touched(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_PUSHED,
                                __local gascl_step_memory *memory, gascl_tally *tally,
                                long2 *counted) {
    const int superstep = gascl_control_->superstep;
#if GASCL_PRIORITY
    gascl_turns to;
    gascl_begin_turns(&to, superstep + 1, gascl_control_->near_side, gascl_control_->far_side,
                      GASCL_STATE_ON, frontiers, most_pieces, piles);
#else
    __global int2 *next = gascl_frontier_of(frontiers, superstep + 1, most_pieces);
    __global int *length = &GASCL_FRONTIER_LENGTH(superstep + 1);
    gascl_pieces held;
    held.count = 0;
#endif
    const int all = gascl_num_applied(GASCL_STATE_ON);
    const bool dense = gascl_applies_densely(GASCL_STATE_ON);
#if GASCL_APPLY_MASK
    const int touched = GASCL_LENGTH(TOUCHED);
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, superstep, most_pieces);
#endif
#if GASCL_GROUP == 1
    GASCL_FOR_SHARE(i, all, clamp(all / (16 * team.groups), 64, 2048)) {
        bool applies = true;
#else
    // Of all vertices, a group first collects those that have a message.
    const int item = get_local_id(0), window = dense ? GASCL_HELD_BY_GROUP : GASCL_GROUP;
    const long step = (long)team.groups * window, end = team.idle ? 0 : all;
    for (long base = (long)team.rank * window; base < end; base += step) {
        int count = (int)min((long)window, end - base);
#if GASCL_LOOKS_FOR_MESSAGES
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
        bool applies = j < count;
#endif
#if GASCL_APPLY_ALL || GASCL_PAIRS
        const int id = GASCL_NTH_APPLIED(i, all);
#if GASCL_GROUP == 1
        if (i + GASCL_AHEAD < all)
            gascl_expect_others(id + GASCL_AHEAD, GASCL_STATE_ON);
#endif
#elif GASCL_APPLY_MASK
        const int id = !applies ? 0 : i < touched ? gascl_touched[i] : frontier[i - touched].x;
        if (applies) {
            const bool masked = gascl_get_mask(id, gascl_control_ GASCL_MASKS_ON);
            applies = i < touched ? !masked : frontier[i - touched].y == 0;
        }
#else
#if GASCL_GROUP > 1
        const int id = !applies ? 0 : dense ? memory->ids[j] : gascl_touched[i];
#else
        const int id = dense ? (int)i : gascl_touched[i];
        applies = !dense || gascl_has_message(id, GASCL_STATE_ON);
        if (!dense && i + GASCL_AHEAD < all) {
            const int later = gascl_touched[i + GASCL_AHEAD];
            GASCL_PREFETCH(&gascl_inbox[later]);
            GASCL_PREFETCH(&offsets[later]);
            gascl_expect_apply(later, GASCL_STATE_ON);
        }
#endif
#endif
        bool listed = false;
        if (applies) {
            gascl_box in = gascl_take_touched(id, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON);
#if !GASCL_COUNTS_ONCE && !GASCL_COUNTS_ARRIVED
            tally->messages -= in.count;  // gascl_push() has counted them
#endif
#if GASCL_PAIRS
            gascl_box_merge(&in, gascl_paired[id]);
#endif
            listed = gascl_apply_and_mask(id, in, tally, GASCL_STATE_ON);
        }
#if GASCL_PRIORITY
        const int where = applies ? gascl_place(id, listed, superstep + 1, &to, GASCL_STATE_ON)
                                  : GASCL_NOWHERE;
        const bool next = where == GASCL_TO_FRONTIER;
        const gascl_offset arcs = next ? offsets[id + 1] - offsets[id] : 0;
        counted->x += next;
        counted->y += arcs;
        gascl_list_turn(&to, where, id, arcs, &memory->lists);
#elif GASCL_LISTS_DIRECTLY
        const gascl_offset arcs = listed ? offsets[id + 1] - offsets[id] : 0;
        counted->x += listed;
        counted->y += arcs;
#if GASCL_GROUP == 1
        if (listed)
            gascl_list(id, arcs, &held, next, length);
#else
        gascl_list_together(listed, id, arcs, next, length, memory);
#endif
#endif
    }
#if GASCL_GROUP > 1
    }
#endif
#if GASCL_PRIORITY
    gascl_end_turns(&to, &gascl_control_->near_low, &gascl_control_->far_low, &memory->lists);
#elif GASCL_LISTS_DIRECTLY
    gascl_flush_pieces(&held, next, length);
#endif
}

#if GASCL_PULLS
// The frontier as bits, for even and odd supersteps.
#define GASCL_BITS(superstep) (bits + ((superstep) & 1 ? GASCL_WORDS(gascl_run_) : 0))

static void gascl_clear_bits(const gascl_team team, GASCL_STATE, __global uint *restrict bits) {
    __global uint *now = GASCL_BITS(gascl_control_->superstep);
    GASCL_FOR_SHARE(word, GASCL_WORDS(gascl_run_), 4096)
        now[word] = 0;
}

static void gascl_set_bits(const gascl_team team, GASCL_STATE, GASCL_PUSHED,
                           __global uint *GASCL_RESTRICT bits) {
    const int superstep = gascl_control_->superstep;
    __global uint *now = GASCL_BITS(superstep);
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, superstep, most_pieces);
    const int listed = team.idle ? 0 : GASCL_FRONTIER_LENGTH(superstep);  // others add to it then
    GASCL_FOR_SHARE(i, listed, 256)
        if (frontier[i].y == 0)
            atomic_or(&now[frontier[i].x / 32], 1u << frontier[i].x % 32);
}

// From bits to a list.
static void gascl_list_bits(const gascl_team team, GASCL_STATE, GASCL_PUSHED,
                            __global const uint *restrict bits,
                            __local gascl_step_memory *memory) {
    const int superstep = gascl_control_->superstep;
    __global const uint *now = GASCL_BITS(superstep);
    __global int2 *frontier = gascl_frontier_of(frontiers, superstep, most_pieces);
    __global int *length = &GASCL_FRONTIER_LENGTH(superstep);
#if GASCL_GROUP == 1
    gascl_pieces held;
    held.count = 0;
    GASCL_FOR_SHARE(word, GASCL_WORDS(gascl_run_), 256)
        for (uint left = now[word]; left; left &= left - 1) {
            const int id = (int)word * 32 + 31 - clz(left & -left);
            gascl_list(id, offsets[id + 1] - offsets[id], &held, frontier, length);
        }
    gascl_flush_pieces(&held, frontier, length);
#else
    // An item for each bit.
    const long n = gascl_run_->graph.num_vertices, step = (long)team.groups * GASCL_GROUP;
    for (long base = (long)team.rank * GASCL_GROUP; base < (team.idle ? 0 : n); base += step) {
        const long id = base + get_local_id(0);
        const bool set = id < n && now[id / 32] >> id % 32 & 1;
        const gascl_offset arcs = set ? offsets[id + 1] - offsets[id] : 0;
        gascl_list_together(set, (int)id, arcs, frontier, length, memory);
    }
#endif
}

// Where apply must wait until every vertex has pulled: what they got.
#if GASCL_SCATTER_STAYS
#define GASCL_BOXES_PULLED
#define GASCL_BOXES_PULLED_ON
#else
#define GASCL_BOXES_PULLED , __global gascl_box *GASCL_RESTRICT pulled
#define GASCL_BOXES_PULLED_ON , pulled
#endif

#define GASCL_PULLED                                                                          \
    __global const gascl_offset *restrict in_offsets, __global const int *restrict sources,   \
        __global uint *GASCL_RESTRICT bits GASCL_BOXES_PULLED
#define GASCL_PULLED_ON in_offsets, sources, bits GASCL_BOXES_PULLED_ON

// Which of 32 vertices pull and apply, as bits: those that receive, or all where scatter must run even
// so.
static uint gascl_wanting(const int first, GASCL_STATE) {
    const int last = min(gascl_run_->graph.num_vertices - first, 32);
#if GASCL_SKIPS && GASCL_RECEIVES && !GASCL_FILTERS && !GASCL_APPLY_ALL
    uint wanting = 0;
    for (int j = 0; j < last; ++j)
        wanting |= (uint)gascl_receives(first + j, GASCL_STATE_ON) << j;
    return wanting;
#else
    return ~0u >> (32 - last);
#endif
}

// Which of the 32 vertices behind will pull, so that what they read first can be asked for. Another
// group may apply them meanwhile; whether they are asked for does not change any result.
static uint gascl_wanting_soon(const int first, GASCL_STATE) {
#if GASCL_PREFETCHES
    return first < gascl_run_->graph.num_vertices ? gascl_wanting(first, GASCL_STATE_ON) : 0;
#else
    return 0;
#endif
}

// What a vertex receives from the frontier, the least sender first.
static gascl_box gascl_pull_row(const int row, __global const uint *now,
                                GASCL_STATE GASCL_EDGE, GASCL_PULLED) {
    gascl_box in = gascl_box_empty();
    if (GASCL_SKIPS && !gascl_receives(row, GASCL_STATE_ON))
        return in;
    const gascl_offset end = in_offsets[row + 1];
    for (gascl_offset arc = in_offsets[row]; arc < end; ++arc) {
        const int source = sources[arc];
        if (!(now[source / 32] >> source % 32 & 1))
            continue;
        gascl_edge e = gascl_edge_at(source, row, arc GASCL_EDGE_ON);
        const gascl_box out =
            gascl_scatter(gascl_scattering(source, GASCL_STATE_ON), &e, 0, GASCL_STATE_ON);
        if (!out.count)
            continue;
        const gascl_message x = gascl_narrow(out, source, gascl_control_);
        if (!gascl_receives_message(x, row, GASCL_STATE_ON))
            continue;
        gascl_box_add(&in, x);
        if (GASCL_SKIPS && gascl_stops(in, row, GASCL_STATE_ON))
            break;
    }
    return in;
}

// Applies what a vertex has pulled; whether it is in the next frontier.
static bool gascl_apply_pulled(const int row, const gascl_box in, gascl_tally *tally,
                               long2 *counted, GASCL_STATE,
                               __global const gascl_offset *restrict offsets) {
    if (!GASCL_APPLY_ALL && !in.count)
        return false;
    if (gascl_apply_box(row, in, tally, GASCL_STATE_ON) != GASCL_SET)
        return false;
    counted->x += 1;
    counted->y += offsets[row + 1] - offsets[row];
    return true;
}

// Goes through all rows, a word of the next frontier's bits at a time. `GASCL_ROW_BIT` says what is
// done with a row, and whether its bit is set; `GASCL_EXPECT(row)` asks for what a row reads.
#if GASCL_GROUP < 32
#define GASCL_FOR_WORDS(GASCL_EXPECT, GASCL_ROW_BIT)                                            \
    GASCL_FOR_SHARE(word, GASCL_WORDS(gascl_run_), 32) {                                        \
        const int first = (int)word * 32;                                                       \
        uint set = 0, soon = gascl_wanting_soon(first + 32, GASCL_STATE_ON);                    \
        for (uint left = gascl_wanting(first, GASCL_STATE_ON); left; left &= left - 1) {        \
            const int row = first + 31 - clz(left & -left);                                     \
            if (soon) {                                                                         \
                GASCL_EXPECT(first + 63 - clz(soon & -soon));                                   \
                soon &= soon - 1;                                                               \
            }                                                                                   \
            set |= (uint)(GASCL_ROW_BIT) << (row - first);                                      \
        }                                                                                       \
        for (; soon; soon &= soon - 1)                                                          \
            GASCL_EXPECT(first + 63 - clz(soon & -soon));                                       \
        coming[word] = set;                                                                     \
    }
#elif GASCL_PTX_FENCES
// An item takes a row; the 32 items of a warp ask each other for the bits of a word.
static uint gascl_ballot(const bool set) {
    uint word;
    __asm__ volatile(
        "{ .reg .pred set; setp.ne.s32 set, %1, 0; vote.sync.ballot.b32 %0, set, 0xffffffff; }"
        : "=r"(word) : "r"((int)set));
    return word;
}
#define GASCL_FOR_WORDS(GASCL_EXPECT, GASCL_ROW_BIT)                                       \
    const long n = gascl_run_->graph.num_vertices, step = (long)team.groups * GASCL_GROUP; \
    for (long base = (long)team.rank * GASCL_GROUP; base < (team.idle ? 0 : n);            \
         base += step) {                                                                   \
        const long at = base + get_local_id(0);                                            \
        const int row = (int)at;                                                           \
        const uint word = gascl_ballot(at < n && (GASCL_ROW_BIT));                         \
        if (at % 32 == 0 && at < n)                                                        \
            coming[at / 32] = word;                                                        \
    }
#else
// An item takes a row; words are put together in local memory.
#define GASCL_FOR_WORDS(GASCL_EXPECT, GASCL_ROW_BIT)                                         \
    const long n = gascl_run_->graph.num_vertices, step = (long)team.groups * GASCL_GROUP;   \
    const int item = get_local_id(0);                                                        \
    for (long base = (long)team.rank * GASCL_GROUP; base < (team.idle ? 0 : n);              \
         base += step) {                                                                     \
        const int row = (int)(base + item);                                                  \
        if (item < GASCL_BIT_WORDS)                                                          \
            memory->words[item] = 0;                                                                 \
        barrier(CLK_LOCAL_MEM_FENCE);                                                        \
        if (base + item < n && (GASCL_ROW_BIT))                                              \
            atomic_or(&memory->words[item / 32], 1u << item % 32);                                   \
        barrier(CLK_LOCAL_MEM_FENCE);                                                        \
        if (item < GASCL_BIT_WORDS && base + 32 * item < n)                                  \
            coming[base / 32 + item] = memory->words[item];                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                        \
    }
#endif
#if !GASCL_SCATTER_STAYS
static bool gascl_keep_pulled(const int row, const gascl_box in, __global gascl_box *pulled) {
    pulled[row] = in;
    return false;
}
#endif

// Pulls; where scatter reads nothing that apply writes, applies at once.
static void gascl_pull(const gascl_team team, GASCL_STATE GASCL_EDGE,
                       __global const gascl_offset *restrict offsets, GASCL_PULLED,
                       __local gascl_step_memory *memory, gascl_tally *tally, long2 *counted) {
    __global const uint *now = GASCL_BITS(gascl_control_->superstep);
    __global uint *coming = GASCL_BITS(gascl_control_->superstep + 1);
#define GASCL_PULL_ROW gascl_pull_row(row, now, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PULLED_ON)
#define GASCL_EXPECT_SOURCES(row) GASCL_PREFETCH(&sources[in_offsets[row]])
#if GASCL_SCATTER_STAYS
    GASCL_FOR_WORDS(
        GASCL_EXPECT_SOURCES,
        gascl_apply_pulled(row, GASCL_PULL_ROW, tally, counted, GASCL_STATE_ON, offsets))
#else
    GASCL_FOR_WORDS(GASCL_EXPECT_SOURCES, gascl_keep_pulled(row, GASCL_PULL_ROW, pulled))
#endif
}

#if !GASCL_SCATTER_STAYS
// Applies what gascl_pull() has left.
static void gascl_apply_rows(const gascl_team team, GASCL_STATE,
                             __global const gascl_offset *restrict offsets,
                             __global uint *GASCL_RESTRICT bits,
                             __global const gascl_box *restrict pulled, __local gascl_step_memory *memory,
                             gascl_tally *tally, long2 *counted) {
    __global uint *coming = GASCL_BITS(gascl_control_->superstep + 1);
#define GASCL_EXPECT_BOX(row) GASCL_PREFETCH(&pulled[row])
    GASCL_FOR_WORDS(
        GASCL_EXPECT_BOX, gascl_apply_pulled(row, pulled[row], tally, counted, GASCL_STATE_ON, offsets))
}
#endif
#endif

// What a superstep needs besides GASCL_STATE and GASCL_EDGE.
#if GASCL_PULLS
#define GASCL_STEP GASCL_PUSHED GASCL_EDGE_IN, GASCL_PULLED
#define GASCL_STEP_ON GASCL_PUSHED_ON GASCL_EDGE_IN_ON, GASCL_PULLED_ON
#define GASCL_PULLS_NOW (gascl_control_->pulls != 0)
#define GASCL_HAS_BITS (gascl_control_->bits != 0)
#else
#define GASCL_STEP GASCL_PUSHED
#define GASCL_STEP_ON GASCL_PUSHED_ON
#define GASCL_PULLS_NOW false
#define GASCL_HAS_BITS false
#endif

// The first phase of a superstep; the result is as that of gascl_push().
static long gascl_scatter_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                __local gascl_step_memory *memory) {
#if GASCL_PULLS
    if (GASCL_PULLS_NOW) {
#if !GASCL_SCATTER_STAYS
        gascl_pull(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, offsets, GASCL_PULLED_ON, memory, 0, 0);
#endif
        return 0;
    }
#endif
    return gascl_push(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON, memory);
}

// The second phase.
static void gascl_apply_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                              __local gascl_step_memory *memory, gascl_tally *tally, long2 *counted) {
#if GASCL_PULLS
    if (GASCL_PULLS_NOW) {
#if GASCL_SCATTER_STAYS
        gascl_pull(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, offsets, GASCL_PULLED_ON, memory, tally,
                   counted);
#else
        gascl_apply_rows(team, GASCL_STATE_ON, offsets, bits, pulled, memory, tally, counted);
#endif
        return;
    }
#endif
    gascl_apply_touched(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON, memory, tally,
                        counted);
}

#if GASCL_WHOLE
#include "whole.cl"
#else
// A superstep as launches. Before it, the frontier is brought into the form that it needs: the bits
// are cleared ...
#if GASCL_PULLS
__kernel void gascl_frontier_clear(GASCL_STATE, __global uint *restrict bits) {
    gascl_team team = gascl_team_of_launch(gascl_control_);
    team.idle |= !GASCL_PULLS_NOW || GASCL_HAS_BITS;
    gascl_clear_bits(team, GASCL_STATE_ON, bits);
}

// ... and set; or else listed.
__kernel void gascl_frontier_turn(GASCL_STATE, GASCL_PUSHED, __global uint *restrict bits) {
    __local gascl_step_memory memory;
    gascl_team sets = gascl_team_of_launch(gascl_control_), lists = sets;
    sets.idle |= !GASCL_PULLS_NOW || GASCL_HAS_BITS;
    lists.idle |= GASCL_PULLS_NOW || !GASCL_HAS_BITS;
    gascl_set_bits(sets, GASCL_STATE_ON, GASCL_PUSHED_ON, bits);
    gascl_list_bits(lists, GASCL_STATE_ON, GASCL_PUSHED_ON, bits, &memory);
}
#endif

__kernel void gascl_push_scatter(GASCL_STATE GASCL_EDGE, GASCL_STEP, __global long *posted) {
    __local gascl_shared shared;
    __local gascl_step_memory memory;
    const gascl_team team = gascl_team_of_launch(gascl_control_);
    const long messages =
        gascl_scatter_phase(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, &memory);
    const long2 sum = gascl_count_reduce((long2)(messages, 0), &shared);
    if (get_local_id(0) == 0)
        posted[team.rank] = sum.x;
}

__kernel void gascl_push_apply(GASCL_STATE GASCL_EDGE, GASCL_STEP,
                               __global const long *restrict posted,
                               __global gascl_tally *restrict tallies,
                               __global long *restrict counts) {
    __local gascl_shared shared;
    __local gascl_step_memory memory;
    const gascl_team team = gascl_team_of_launch(gascl_control_);
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    long2 counted = 0;
    gascl_apply_phase(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, &memory, &tally, &counted);
    if (get_local_id(0) == 0)
        tally.messages += posted[team.rank];
    gascl_tally_store(&tally, tallies, &shared);
#if GASCL_LISTS_DIRECTLY || GASCL_PRIORITY
    barrier(CLK_LOCAL_MEM_FENCE);
    gascl_count(counted.x, counted.y, counts, &shared);
#endif
}
#endif
