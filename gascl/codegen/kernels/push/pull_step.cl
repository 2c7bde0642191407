// Delivery `frontier`: supersteps in which the vertices that still receive pull from the frontier.

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
                            __global const uint *restrict bits) {
    const int superstep = gascl_control_->superstep;
    __global const uint *now = GASCL_BITS(superstep);
    __global int2 *frontier = gascl_frontier_of(frontiers, superstep, most_pieces);
    __global int *length = &GASCL_FRONTIER_LENGTH(superstep);
    gascl_pieces held;
    held.count = 0;
    GASCL_FOR_SHARE(word, GASCL_WORDS(gascl_run_), 256)
        for (uint left = now[word]; left; left &= left - 1) {
            const int id = (int)word * 32 + 31 - clz(left & -left);
            gascl_list(id, offsets[id + 1] - offsets[id], &held, frontier, length);
        }
    gascl_flush_pieces(&held, frontier, length);
}

// The messages that the vertices have pulled, if apply must wait until all have done so.
#if GASCL_SCATTER_INDEPENDENT
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

// Which of 32 vertices pull and apply, as a bit mask: those that receive, or all of them if scatter must
// run in any case.
static uint gascl_pulling_rows(const int first, GASCL_STATE) {
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

// Which of the next 32 vertices will pull, so that their data can be prefetched. Another group may apply
// them at the same time; prefetching changes no result.
static uint gascl_next_pulling_rows(const int first, GASCL_STATE) {
#if GASCL_PREFETCHES
    return first < gascl_run_->graph.num_vertices ? gascl_pulling_rows(first, GASCL_STATE_ON) : 0;
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
// done with a row, and whether its bit is set; `GASCL_PREFETCH_ROW(row)` asks for what a row reads.
#if GASCL_GROUP < 32
#define GASCL_FOR_WORDS(GASCL_PREFETCH_ROW, GASCL_ROW_BIT)                                    \
    GASCL_FOR_SHARE(word, GASCL_WORDS(gascl_run_), 32) {                                      \
        const int first = (int)word * 32;                                                     \
        uint set = 0, soon = gascl_next_pulling_rows(first + 32, GASCL_STATE_ON);             \
        for (uint left = gascl_pulling_rows(first, GASCL_STATE_ON); left; left &= left - 1) { \
            const int row = first + 31 - clz(left & -left);                                   \
            if (soon) {                                                                       \
                GASCL_PREFETCH_ROW(first + 63 - clz(soon & -soon));                           \
                soon &= soon - 1;                                                             \
            }                                                                                 \
            set |= (uint)(GASCL_ROW_BIT) << (row - first);                                    \
        }                                                                                     \
        for (; soon; soon &= soon - 1)                                                        \
            GASCL_PREFETCH_ROW(first + 63 - clz(soon & -soon));                               \
        coming[word] = set;                                                                   \
    }
#elif GASCL_INLINE_PTX
// An item takes a row; the 32 items of a warp exchange the bits of a word.
static uint gascl_ballot(const bool set) {
    uint word;
    __asm__ volatile(
        "{ .reg .pred set; setp.ne.s32 set, %1, 0; vote.sync.ballot.b32 %0, set, 0xffffffff; }"
        : "=r"(word) : "r"((int)set));
    return word;
}
#define GASCL_FOR_WORDS(GASCL_PREFETCH_ROW, GASCL_ROW_BIT)                                 \
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
#define GASCL_FOR_WORDS(GASCL_PREFETCH_ROW, GASCL_ROW_BIT)                                 \
    const long n = gascl_run_->graph.num_vertices, step = (long)team.groups * GASCL_GROUP; \
    const int item = get_local_id(0);                                                      \
    for (long base = (long)team.rank * GASCL_GROUP; base < (team.idle ? 0 : n);            \
         base += step) {                                                                   \
        const int row = (int)(base + item);                                                \
        if (item < GASCL_BIT_WORDS)                                                        \
            memory->words[item] = 0;                                                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                      \
        if (base + item < n && (GASCL_ROW_BIT))                                            \
            atomic_or(&memory->words[item / 32], 1u << item % 32);                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                      \
        if (item < GASCL_BIT_WORDS && base + 32 * item < n)                                \
            coming[base / 32 + item] = memory->words[item];                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                      \
    }
#endif
#if !GASCL_SCATTER_INDEPENDENT
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
#define GASCL_PREFETCH_SOURCES(row) GASCL_PREFETCH(&sources[in_offsets[row]])
#if GASCL_SCATTER_INDEPENDENT
    GASCL_FOR_WORDS(
        GASCL_PREFETCH_SOURCES,
        gascl_apply_pulled(row, GASCL_PULL_ROW, tally, counted, GASCL_STATE_ON, offsets))
#else
    GASCL_FOR_WORDS(GASCL_PREFETCH_SOURCES, gascl_keep_pulled(row, GASCL_PULL_ROW, pulled))
#endif
}

#if !GASCL_SCATTER_INDEPENDENT
// Applies what gascl_pull() has left.
static void gascl_apply_rows(const gascl_team team, GASCL_STATE,
                             __global const gascl_offset *restrict offsets,
                             __global uint *GASCL_RESTRICT bits,
                             __global const gascl_box *restrict pulled,
                             __local gascl_step_memory *memory,
                             gascl_tally *tally, long2 *counted) {
    __global uint *coming = GASCL_BITS(gascl_control_->superstep + 1);
#define GASCL_PREFETCH_BOX(row) GASCL_PREFETCH(&pulled[row])
    GASCL_FOR_WORDS(
        GASCL_PREFETCH_BOX,
        gascl_apply_pulled(row, pulled[row], tally, counted, GASCL_STATE_ON, offsets))
}
#endif

// What a superstep needs besides GASCL_STATE and GASCL_EDGE.
#define GASCL_STEP GASCL_PUSHED GASCL_EDGE_IN, GASCL_PULLED
#define GASCL_STEP_ON GASCL_PUSHED_ON GASCL_EDGE_IN_ON, GASCL_PULLED_ON
#define GASCL_PULLS_NOW (gascl_control_->pulls != 0)
#define GASCL_HAS_BITS (gascl_control_->bits != 0)

// The first phase of a superstep; the result is as that of gascl_push().
static long gascl_scatter_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                __local gascl_step_memory *memory) {
    if (GASCL_PULLS_NOW) {
#if !GASCL_SCATTER_INDEPENDENT
        gascl_pull(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, offsets, GASCL_PULLED_ON, memory, 0, 0);
#endif
        return 0;
    }
    return gascl_push(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON, memory);
}

// The second phase.
static void gascl_apply_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                              __local gascl_step_memory *memory, gascl_tally *tally,
                              long2 *counted) {
    if (GASCL_PULLS_NOW) {
#if GASCL_SCATTER_INDEPENDENT
        gascl_pull(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, offsets, GASCL_PULLED_ON, memory, tally,
                   counted);
#else
        gascl_apply_rows(team, GASCL_STATE_ON, offsets, bits, pulled, memory, tally, counted);
#endif
        return;
    }
    gascl_apply_receivers(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON, memory, tally,
                          counted);
}
