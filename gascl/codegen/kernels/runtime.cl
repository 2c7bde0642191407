// What all kernels share: boxes of combined messages, the division of work, blocks of rows, and
// reductions over a work-group.
//
// A work-group has GASCL_GROUP items. On CPUs that is 1: an item then owns a whole range of rows,
// since a barrier would cost more than sharing work saves. No kernel with a barrier returns early,
// and no barrier is in a branch (except in persistent/gpu.cl, which PoCL never builds): PoCL 3.0 hangs or
// corrupts memory there, even where all items of the group take the same branch.

// PoCL's fabs is a function call, which took a third of PageRank's time on a grid.
#ifdef __has_builtin
#if __has_builtin(__builtin_elementwise_abs)
#undef fabs
#define fabs(x) __builtin_elementwise_abs(x)
#endif
#endif

// No two arguments of a kernel overlap. A kernel that runs several phases (persistent/) must not declare its
// own `restrict`: between two phases, other groups write what it reads.
#define GASCL_RESTRICT restrict

// For functions with a pointer to local memory, unless they have a barrier or read their item's id. If
// all calls pass the same variable, clang writes it into the function. PoCL makes arguments of a
// kernel's local variables (AutomaticLocals.cc), and there crashes if a function still names one that
// was not inlined; it inlines of its own accord only what has barriers or reads its item's id
// (FlattenGlobals.cc). Oclgrind cannot run what this attribute inlines.
#ifdef POCL_DEVICE_ADDRESS_BITS
#define GASCL_INLINE __attribute__((always_inline))
#else
#define GASCL_INLINE
#endif

// Prefetches a cache line, on CPUs; OpenCL's prefetch() does nothing in PoCL.
#if GASCL_PREFETCHES && defined(__has_builtin)
#if __has_builtin(__builtin_prefetch)
#define GASCL_PREFETCH(p) __builtin_prefetch((const void *)(size_t)(p))
#endif
#endif
#ifndef GASCL_PREFETCH
#define GASCL_PREFETCH(p)
#endif
// The prefetch distance, in arcs or vertices.
#define GASCL_AHEAD 16

// What a vertex said last of its own place in the next mask.
#define GASCL_SET 1
#define GASCL_UNSET 2
#define GASCL_WAITED 3  // what it is told in delivery `in_place`: it is in this mask

// Generated from the program (gascl/codegen/generate.py), so that no such file exists: its types,
// fields, combiner and snippets as functions. It includes intrinsics.cl. `gascl kernel PROGRAM` prints it.
#include "program.h"

// Whether a vertex scatters in this superstep.
#if GASCL_SCATTER_ALL
#define GASCL_SCATTERS(id) true
#else
#define GASCL_SCATTERS(id) GASCL_IN_MASK(id)
#endif

static void gascl_box_join(gascl_box *into, const gascl_box from) {
#if GASCL_FIRST
    if (!into->count)
        into->combined = from.combined;
#elif GASCL_OVERFLOWS
    into->combined =
        gascl_combine(into->combined, from.combined, &into->overflow, from.overflow);
#else
    gascl_box_combine(into, from.combined);
#endif
    into->count += from.count;
}

static void gascl_box_merge(gascl_box *into, const gascl_box from) {
    if (from.count)
        gascl_box_join(into, from);
}

static void gascl_box_add(gascl_box *box, const gascl_message x) {
#if GASCL_FIRST
    if (!box->count)
        box->combined = x;
#else
    gascl_box_combine(box, GASCL_TO_ACCUMULATOR(x));
#endif
    ++box->count;
}

// Whether no further message can change what a vertex has received. Messages must then be added in the
// order of the arcs.
#define GASCL_STOPS_EARLY (GASCL_FIRST || GASCL_ENOUGH)
static bool gascl_stops(const gascl_box in, const int id, GASCL_STATE GASCL_LANE) {
#if GASCL_FIRST
    return in.count > 0;
#elif GASCL_ENOUGH
    return in.count > 0 && gascl_has_enough(GASCL_TO_MESSAGE(in.combined), id,
                                            GASCL_STATE_ON GASCL_LANE_ON);
#else
    return false;
#endif
}

// The combined message in the message's own type. If it does not fit, the smallest id of a vertex
// where that happened is recorded.
static gascl_message gascl_narrow(const gascl_box in, const int id,
                                  __global gascl_control *control) {
    const gascl_message message = GASCL_TO_MESSAGE(in.combined);
#if GASCL_OVERFLOWS
    if (in.overflow || (in.count && !GASCL_FITS(message, in.combined)))
        atomic_min(&control->overflow, id);
#endif
    return message;
}

// Records what a vertex said of its own place in the next mask. GASCL_PUTS_ALWAYS: also if it said nothing.
#if GASCL_MASKED
#ifndef GASCL_PUTS_ALWAYS
#define GASCL_PUTS_ALWAYS 0
#endif
#define GASCL_PUT_OWN(id, set)      \
    if (GASCL_PUTS_ALWAYS || (set)) \
    gascl_put_mask(id, set, gascl_control_ GASCL_MASKS_ON GASCL_LANE_ON)
#else
#define GASCL_PUT_OWN(id, set) (void)(set)
#endif

// What is stored of a message, where messages are stored.
#if GASCL_GROUPS && !GASCL_VOTES
#define GASCL_STORED(x) gascl_group_of(x, 0)
#else
#define GASCL_STORED(x) (x)
#endif

#if GASCL_READS_SINGLY
// How many of the messages that were sent to a vertex its gather snippet reads.
static int gascl_num_received(const int id, const int sent, GASCL_STATE GASCL_LANE) {
    return !GASCL_RECEIVES || gascl_receives(id, GASCL_STATE_ON GASCL_LANE_ON) ? sent : 0;
}

// Applies what a gather snippet has made of a vertex's messages.
static void gascl_apply_gathered(const int id, const gascl_gathered msg, const int count,
                                 gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    tally->messages += count;
    const int set = gascl_apply_message(id, msg, count, tally, GASCL_STATE_ON GASCL_LANE_ON);
    GASCL_PUT_OWN(id, set);
}

#if GASCL_GROUPS
// gascl_apply_single(). No such file exists: gascl/delivery/assembly.py puts groups/votes.cl here if the most
// frequent key counts, and otherwise groups/joined.cl.
#include "groups.cl"
#else
// Applies a vertex's messages, which lie side by side: its gather snippet reads them one by one. A macro,
// since they may be in global or in local memory, each with a form of the snippet.
#define GASCL_APPLY_SINGLY(snippet, id, messages, sent, tally)                                    \
    do {                                                                                          \
        const int gascl_count =                                                                   \
            gascl_num_received(id, sent, GASCL_STATE_ON GASCL_LANE_ON);                           \
        gascl_gathered gascl_msg = gascl_nothing();                                               \
        if (gascl_count)                                                                          \
            gascl_msg = snippet(gascl_gathering(id, GASCL_STATE_ON GASCL_LANE_ON), messages,      \
                                gascl_count, GASCL_STATE_ON GASCL_LANE_ON);                       \
        gascl_apply_gathered(id, gascl_msg, gascl_count, tally, GASCL_STATE_ON GASCL_LANE_ON);    \
    } while (0)

static void gascl_apply_single(const int id, __global gascl_message *messages, const int sent,
                               gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    GASCL_APPLY_SINGLY(gascl_gather_snippet, id, messages, sent, tally);
}

#if GASCL_INDEXES_MESSAGES && GASCL_GROUP > 1
static GASCL_INLINE void gascl_apply_local(const int id, __local gascl_message *messages,
                                           const int sent, gascl_tally *tally,
                                           GASCL_STATE GASCL_LANE) {
    GASCL_APPLY_SINGLY(gascl_gather_local_snippet, id, messages, sent, tally);
}
#endif

#if GASCL_GATHERS_BY_WINDOWS && GASCL_GROUP > 1
// The same by all items of a group, for any number of messages, at least one: the first item runs the
// snippet, and applies what it has made. The others help to copy the messages to `window`; meanwhile they
// do the same where loops look ahead, and otherwise run the snippet as if only the first message had come, so that
// they do nothing that it would not do by itself.
static void gascl_apply_by_windows(const int id, __global const gascl_message *messages,
                                   const int sent, __local gascl_message *window,
                                   __local int *shared, gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    const int count = gascl_num_received(id, sent, GASCL_STATE_ON GASCL_LANE_ON);
    const gascl_vertex v = gascl_gathering(id, GASCL_STATE_ON GASCL_LANE_ON);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read the vertex
    const gascl_gathered msg = gascl_gather_windows_snippet(
        v, messages, window, shared, sent, GASCL_LOOKS_AHEAD || get_local_id(0) == 0 ? sent : 1,
        GASCL_STATE_ON GASCL_LANE_ON);
    if (get_local_id(0) == 0)
        gascl_apply_gathered(id, count ? msg : gascl_nothing(), count, tally,
                             GASCL_STATE_ON GASCL_LANE_ON);
}
#endif
#endif
#else
// Applies what a vertex received; returns what it said of its own place in the next mask.
static int gascl_apply_box(const int id, gascl_box in, gascl_tally *tally, GASCL_STATE GASCL_LANE) {
    if (in.count && !gascl_receives(id, GASCL_STATE_ON GASCL_LANE_ON))
        in = gascl_box_empty();
    if (GASCL_COUNTS_ONCE)
        in.count = in.count > 0;
    tally->messages += in.count;
    return gascl_apply_message(id, gascl_narrow(in, id, gascl_control_), in.count, tally,
                               GASCL_STATE_ON GASCL_LANE_ON);
}

// Applies a vertex's combined message, joined with what came from pairs and through the inbox.
static void gascl_apply(const int id, gascl_box in, gascl_tally *tally, GASCL_STATE GASCL_LANE) {
#if GASCL_PAIRS
    gascl_box_merge(&in, gascl_paired[GASCL_AT(id)]);
#endif
#if GASCL_INBOX && !GASCL_FIRST
    gascl_box_merge(&in, gascl_take(id, gascl_inbox, gascl_arrived, gascl_wraps GASCL_LANE_ON));
#endif
    const int set = gascl_apply_box(id, in, tally, GASCL_STATE_ON GASCL_LANE_ON);
    GASCL_PUT_OWN(id, set);
}
#endif

// How many vertices a kernel has to visit: none once the run has stopped.
static int gascl_vertices(__global const gascl_run *run, __global const gascl_control *control) {
    return control->stopped ? 0 : run->graph.gascl_rows;
}

// A loop over an item's share of n vertices or other elements. The only item of a group has a contiguous
// range; the items of a larger group have every GASCL_GROUP-th element, so that neighboring items read
// neighboring memory.
#if GASCL_GROUP == 1
#define GASCL_SHARE(n) (((long)(n) + (long)get_num_groups(0) - 1) / (long)get_num_groups(0))
#define GASCL_FOR_RANGE_OF(type, id, n)                                                           \
    for (type gascl_last = (type)min((long)(n), ((long)get_group_id(0) + 1) * GASCL_SHARE(n)),    \
              id = (type)min((long)(n), (long)get_group_id(0) * GASCL_SHARE(n));                  \
         id < gascl_last; ++id)
#else
#define GASCL_FOR_RANGE_OF(type, id, n) \
    for (long id = get_global_id(0), gascl_last = n; id < gascl_last; id += get_global_size(0))
#endif
#define GASCL_FOR_RANGE(id, n) GASCL_FOR_RANGE_OF(int, id, n)

#include "team.cl"

#if GASCL_LANES > 1
#define GASCL_FOR_LANES for (int gascl_lane = 0; gascl_lane < GASCL_LANES; ++gascl_lane)
#else
#define GASCL_FOR_LANES
#endif

// A loop over an item's share of the lanes of n vertices. Items that share a group take neighboring
// lanes.
#if GASCL_GROUP > 1 && GASCL_LANES > 1
#define GASCL_FOR_PLACES(id, n)                                                                \
    for (long gascl_i = get_global_id(0); gascl_i < (long)(n) * GASCL_LANES;                   \
         gascl_i += get_global_size(0))                                                        \
        for (int id = (int)(gascl_i / GASCL_LANES), gascl_lane = (int)(gascl_i % GASCL_LANES), \
                 gascl_once = 1;                                                               \
             gascl_once; gascl_once = 0)
#else
#define GASCL_FOR_PLACES(id, n) GASCL_FOR_RANGE(id, n) GASCL_FOR_LANES
#endif

#if GASCL_DEBUG
static uint gascl_mixed(uint x) {  // the hash lowbias32 (Wellons)
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}
#endif

// Where the message of an arc is stored; arcs are in the order of receivers. Messages that a gather
// snippet reads one by one lie side by side within each lane.
#if GASCL_READS_SINGLY && GASCL_LANES > 1
#define GASCL_SLOT(arc, offsets) \
    ((size_t)gascl_lane * offsets[gascl_run_->graph.gascl_rows] + (arc))
#else
#define GASCL_SLOT(arc, offsets) GASCL_AT(arc)
#endif

#if GASCL_READS_SINGLY
#if GASCL_GROUP > 1
// The sum of what the items of a work-group up to this one have, all of which call it (Hillis and Steele, 1986).
static GASCL_INLINE int gascl_sum_up_to_item(const int own, __local long2 *sums) {
    const int item = get_local_id(0);
    int sum = own;
    for (int step = 1; step < GASCL_GROUP; step *= 2) {
        sums[item].x = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item >= step)
            sum += (int)sums[item - step].x;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sum;
}
#endif

// Moves the messages that were sent to the front of their slots, takes their marks back, and
// returns how many there are.
static int gascl_compact(__global gascl_stored *messages, __global uchar *sent,
                         const int slots) {
    int count = 0;
    for (int i = 0; i < slots; ++i)
        if (sent[i]) {
            sent[i] = 0;
            messages[count++] = messages[i];
        }
    return count;
}

#if GASCL_DEBUG
// Shuffles messages (Fisher and Yates) into an order that depends on row, superstep and seed.
static void gascl_shuffle(__global gascl_stored *messages, const int count, const int row,
                          const int superstep) {
    uint seed = gascl_mixed(gascl_mixed(GASCL_SEED + superstep) + row);
    for (int i = count - 1; i > 0; --i) {
        seed = gascl_mixed(seed + i);
        const int other = (int)(seed % (uint)(i + 1));
        const gascl_stored held = messages[i];
        messages[i] = messages[other];
        messages[other] = held;
    }
}
#endif
#endif

// A block: consecutive rows and their arcs. A block of several rows has at most GASCL_BLOCK rows
// and GASCL_BLOCK arcs; a longer row is a block of its own.
typedef struct {
    gascl_offset begin, end;  // arcs
    int first, last;          // rows
} gascl_block;

// Arguments of the kernels that go through blocks, and the same passed on.
#define GASCL_BLOCKS                                                   \
    __global const gascl_block *restrict blocks, int num_blocks,       \
        __global const gascl_offset *restrict offsets
#define GASCL_BLOCKS_ON blocks, num_blocks, offsets
// The same where the device may have the offsets of a part of the rows alone, from `offsets_from` on.
#define GASCL_BLOCKS_OF_PART GASCL_BLOCKS, const int offsets_from
#define GASCL_BLOCKS_OF_PART_ON blocks, num_blocks, offsets - offsets_from

// The boxes of the segments of very long rows, which a launch before the gather kernel has combined.
#if GASCL_CUTS  // those of rows that ranks share, and the boxes of these rows: see cut_rows.cl
#define GASCL_SEGMENTS                                                                  \
    , __global gascl_box *restrict segments, __global const gascl_block *restrict cut_rows, \
        const int num_cut_rows, __global const gascl_box *restrict joined
#define GASCL_SEGMENTS_ON , segments, cut_rows, num_cut_rows, joined
#elif GASCL_SPLITS && !GASCL_READS_SINGLY
#define GASCL_SEGMENTS , __global gascl_box *restrict segments
#define GASCL_SEGMENTS_ON , segments
#else
#define GASCL_SEGMENTS
#define GASCL_SEGMENTS_ON
#endif

// The largest power of two below `rows`, or 0: the first step of a binary search among them.
static uint gascl_search_step(const int rows) {
    return rows > 1 ? 0x80000000u >> clz((uint)(rows - 1)) : 0;
}

// Local memory in which a work-group combines the values of its items, of one kind at a time: boxes, one
// for each item or each chunk of arcs (gather.cl), none where items share boxes; tallies; counts.
#define GASCL_BOXES                                                     \
    (GASCL_BY_COMPONENT ? 1                                             \
     : GASCL_GROUP == 1 || GASCL_GROUP * GASCL_CHUNK_ARCS > GASCL_BLOCK \
         ? GASCL_GROUP                                                  \
         : GASCL_BLOCK / GASCL_CHUNK_ARCS)
typedef union {
    gascl_box boxes[GASCL_BOXES];
    gascl_tally tallies[(GASCL_GROUP + 1) / 2];
    long2 counts[GASCL_GROUP];
} gascl_shared;

// Adds up two counts over a work-group; the first item has the result. In two steps, some items each
// adding up as many: the barriers cost more than additions do.
static long2 gascl_count_reduce(const long2 mine, __local gascl_shared *shared) {
    long2 sum = mine;
#if GASCL_GROUP > 1
    const int item = get_local_id(0), adding = GASCL_GROUP > 16 ? GASCL_GROUP / 16 : 1;
    shared->counts[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < adding) {
        for (int other = item + adding; other < GASCL_GROUP; other += adding)
            sum += shared->counts[other];
        shared->counts[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        for (int other = 1; other < adding; ++other)
            sum += shared->counts[other];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    return sum;
}

// Adds up the tallies of a work-group in the order of a fixed tree; the first item has the result.
// Here and elsewhere tallies are copied member by member, with macros of the generated header:
// NVIDIA's compiler garbles copies of whole tallies that contain structs or vectors.
static void gascl_tally_reduce(gascl_tally *mine, __local gascl_shared *shared) {
#if GASCL_GROUP > 1 && !GASCL_AGGREGATES  // a tally is a count of messages
    mine->messages = gascl_count_reduce((long2)(mine->messages, 0), shared).x;
#elif GASCL_GROUP > 1
    const int item = get_local_id(0);
    if (item >= GASCL_GROUP / 2)
        GASCL_COPY_TALLY(shared->tallies[item - GASCL_GROUP / 2], *mine);
    for (int stride = GASCL_GROUP / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < stride) {
            // In the first round, the upper half of the items has stored its tallies from 0 on.
            GASCL_ADD_TALLY(*mine, shared->tallies[item + (stride < GASCL_GROUP / 2 ? stride : 0)]);
            GASCL_COPY_TALLY(shared->tallies[item], *mine);
        }
    }
#endif
}

// Adds up the tallies of a work-group and stores the sum as the group's tally.
static void gascl_tally_store_at(gascl_tally *mine, __global gascl_tally *place,
                                 __local gascl_shared *shared) {
    gascl_tally_reduce(mine, shared);
    if (get_local_id(0) == 0)
        GASCL_COPY_TALLY(*place, *mine);
}

// Adds it to the group's tally.
static void gascl_tally_add_at(gascl_tally *mine, __global gascl_tally *place,
                               __local gascl_shared *shared) {
    gascl_tally_reduce(mine, shared);
    if (get_local_id(0) == 0) {
        gascl_tally sum;
        GASCL_COPY_TALLY(sum, *place);
        GASCL_ADD_TALLY(sum, *mine);
        GASCL_COPY_TALLY(*place, sum);
    }
}

static void gascl_tally_store(gascl_tally *mine, __global gascl_tally *tallies,
                              __local gascl_shared *shared) {
    gascl_tally_store_at(mine, &tallies[get_group_id(0)], shared);
}
