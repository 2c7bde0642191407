// The vertices that wait, on GPUs: near and far lists, as in Davidson, Baxter, Garland and Owens (2014).
//
// Vertices whose priority is at most the round's limit are near: they scatter in the next round. The others are
// far; when nobody is near, the limit rises, and the far list is split. Without a priority, all are near.
//
// There are two near lists, of even and odd rounds, and with a priority also two far lists. An entry of a near
// list is a vertex and how many arcs the entries before it have, so that items can share the arcs of all. A
// vertex is in a list if its bit in that list's marks is set. Of the near lists, whoever takes an entry clears it.
// (Words instead of bits would take as much of the cache as the vertices' own.)

#if GASCL_PRIORITY
#define GASCL_FAR_STATE \
    , __global int *GASCL_RESTRICT far_lists, __global uint *GASCL_RESTRICT far_marks
#define GASCL_FAR_STATE_ON , far_lists, far_marks
#else
#define GASCL_FAR_STATE
#define GASCL_FAR_STATE_ON
#endif
#define GASCL_STEP                                                                       \
    __global const gascl_offset *restrict offsets, __global const int *restrict targets, \
        __global gascl_packed *GASCL_RESTRICT words, __global int *GASCL_RESTRICT lists, \
        __global uint *GASCL_RESTRICT list_arcs, __global uint *GASCL_RESTRICT near_marks GASCL_FAR_STATE
#define GASCL_STEP_ON offsets, targets, words, lists, list_arcs, near_marks GASCL_FAR_STATE_ON

// Arcs that a group takes at once, at least as many as items; and the vertices that it holds back.
#define GASCL_LIST_TILE (4 * GASCL_GROUP)

// A round, as all groups see it.
typedef struct {
    uint number;     // of the phase, counted from 1; 0: none
    int groups;      // that take part
    uint takes;      // how many arcs or vertices a group takes at once
    int phase, side;  // which far list is filled
    int by_tiles;    // arcs are shared, otherwise vertices
    uint count;      // of entries: in the near list or, where it is split, in the far one
    uint arcs;       // of these vertices
    float limit, limit_before;  // of a split
} gascl_round;

#define GASCL_SUMS_BY_WARPS (GASCL_INLINE_PTX && GASCL_GROUP % 32 == 0)

// Of a tile: which rows it has; of each, where the arcs begin, less those of the entries before.
typedef struct {
    int ids[GASCL_LIST_TILE];
    uint firsts[GASCL_LIST_TILE];
    gascl_offset begins[GASCL_LIST_TILE];
    gascl_packed words[GASCL_LIST_TILE];
    int ends[2];
} gascl_tile_memory;

// Of vertices that stay with their group: this turn's, the next one's, and an empty list.
typedef struct {
    int ids[3][GASCL_LIST_TILE];
    float ranks[3][GASCL_LIST_TILE];
    int counts[3];
} gascl_turn_memory;

typedef struct {
    union {
        gascl_tile_memory tile;
        gascl_turn_memory turn;
    } of;
    gascl_round round;
    int near[GASCL_LIST_TILE], far[GASCL_LIST_TILE];  // what the group holds back
    int near_count, far_count;
    int least, messages;
    ulong place;
    int far_place;
#if GASCL_SUMS_BY_WARPS
    uint2 sums[GASCL_GROUP / 32];
#else
    uint2 sums[GASCL_GROUP];
#endif
} gascl_step_memory;

// What an item has found in a round.
typedef struct {
    int messages;  // that changed something
    int least;     // of the priorities of far vertices
} gascl_progress;

#define GASCL_LIST_OF(number) \
    (lists + (size_t)((number) & 1) * (size_t)gascl_run_->graph.gascl_rows)
#define GASCL_ARCS_OF(number) \
    (list_arcs + (size_t)((number) & 1) * (size_t)gascl_run_->graph.gascl_rows)
#define GASCL_FAR_OF(side) \
    (far_lists + (size_t)(side) * (size_t)gascl_run_->graph.gascl_rows)
// The words of the marks that a vertex has in these lists, and its bit in them.
#define GASCL_BITS_OF_MARK 32
#define GASCL_NEAR_MARK(id, number) \
    (&near_marks[((number) & 1) * (gascl_run_->graph.gascl_rows / GASCL_BITS_OF_MARK + 1) + \
                 (id) / GASCL_BITS_OF_MARK])
#define GASCL_FAR_MARK(id) (&far_marks[(id) / GASCL_BITS_OF_MARK])
#define GASCL_MARK_BIT(id) (1u << (id) % GASCL_BITS_OF_MARK)
// The number of entries of a near list, and below it their arcs.
#define GASCL_NEAR_COUNT(number) \
    ((volatile __global ulong *)&team_words[GASCL_STRIDE * (GASCL_TEAM_NEAR + (int)((number) & 1))])
#define GASCL_FAR_COUNT(side) (&team_words[GASCL_STRIDE * (GASCL_TEAM_FAR + (side))])

// Floats as integers in the same order.
static int gascl_ordered(const float x) {
    const int bits = as_int(x);
    return bits < 0 ? bits ^ INT_MAX : bits;
}

static float gascl_unordered(const int x) {
    return as_float(x < 0 ? x ^ INT_MAX : x);
}

// The priority of a vertex as it is compared with limits; only the order matters.
static float gascl_rank_of(const gascl_vertex v, GASCL_STATE) {
#if GASCL_PRIORITY
    const float rank = (float)gascl_priority_of(v, GASCL_STATE_ON);
    return rank < INFINITY ? rank : INFINITY;  // of NaN, too
#else
    return 0;
#endif
}

// Reads what other items may change at the same time.
#if GASCL_OCLGRIND
#define GASCL_PEEK(p) atomic_or(p, 0u)
#define GASCL_PEEK_WORD(p) GASCL_SWAP_PACKED(p, (gascl_packed)0, (gascl_packed)0)
#else
#define GASCL_PEEK(p) (*(p))
#define GASCL_PEEK_WORD(p) (*(p))
#endif
// The same, not from a cache that may be older than the group's own writes.
#if GASCL_OCLGRIND
#define GASCL_READ_WORD GASCL_PEEK_WORD
#else
#define GASCL_READ_WORD(p) (*(volatile __global gascl_packed *)(p))
#endif

// Marks a vertex; whether it was not marked.
static bool gascl_marks(const int id, __global uint *mark) {
    return !(atomic_or(mark, GASCL_MARK_BIT(id)) & GASCL_MARK_BIT(id));
}

static void gascl_unmark(const int id, __global uint *mark) {
    atomic_and(mark, ~GASCL_MARK_BIT(id));
}

// How many items before this one in its group have something, and how many arcs these have; and for the whole
// group. All items call it.
#if GASCL_SUMS_BY_WARPS
static uint gascl_sum_of_warp(uint x, const int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        uint other;
        __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;"
                         : "=r"(other) : "r"(x), "r"(distance));
        if (lane >= distance)
            x += other;
    }
    return x;
}

static uint2 gascl_sums_before(const bool has, const uint arcs, uint2 *all,
                               __local gascl_step_memory *memory) {
    const int item = get_local_id(0), lane = item & 31, warp = item / 32;
    const uint count = gascl_sum_of_warp(has, lane), sum = gascl_sum_of_warp(has ? arcs : 0, lane);
    if (lane == 31)
        memory->sums[warp] = (uint2)(count, sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint2 before = (uint2)(count - has, sum - (has ? arcs : 0));
    *all = 0;
    for (int i = 0; i < GASCL_GROUP / 32; ++i) {
        if (i < warp)
            before += memory->sums[i];
        *all += memory->sums[i];
    }
    return before;
}
#else
static uint2 gascl_sums_before(const bool has, const uint arcs, uint2 *all,
                               __local gascl_step_memory *memory) {
    const int item = get_local_id(0);
    uint2 sum = has ? (uint2)(1, arcs) : (uint2)(0, 0);
    const uint2 own = sum;
    for (int distance = 1; distance < GASCL_GROUP; distance *= 2) {
        memory->sums[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item >= distance)
            sum += memory->sums[item - distance];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    memory->sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    *all = memory->sums[GASCL_GROUP - 1];
    return sum - own;
}
#endif

// Adds the vertices that a group's items have to the near list. All items call it.
static void gascl_add_near(const bool has, const int id, const uint arcs, const uint number,
                           GASCL_STATE, GASCL_STEP, volatile __global int *team_words,
                           __local gascl_step_memory *memory) {
    uint2 all;
    const uint2 before = gascl_sums_before(has, arcs, &all, memory);
    if (get_local_id(0) == 0 && all.x)
        memory->place = atom_add(GASCL_NEAR_COUNT(number + 1), (ulong)all.x << 32 | all.y);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (has) {
        const ulong place = memory->place;
        const uint at = (uint)(place >> 32) + before.x;
        GASCL_LIST_OF(number + 1)[at] = id;
        GASCL_ARCS_OF(number + 1)[at] = (uint)place + before.y;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Adds a vertex to the near list, if it is not there yet. Such vertices are few.
static void gascl_add_near_alone(const int id, const uint number, GASCL_STATE, GASCL_STEP,
                                 volatile __global int *team_words) {
    const uint arcs = (uint)(offsets[id + 1] - offsets[id]);
    if (!arcs || !gascl_marks(id, GASCL_NEAR_MARK(id, number + 1)))
        return;
    const ulong place = atom_add(GASCL_NEAR_COUNT(number + 1), 1ul << 32 | arcs);
    GASCL_LIST_OF(number + 1)[place >> 32] = id;
    GASCL_ARCS_OF(number + 1)[place >> 32] = (uint)place;
}

// Holds back a vertex that is to be listed as near, if it is not listed yet.
static GASCL_INLINE void gascl_hold_near(const int id, const uint number, GASCL_STATE, GASCL_STEP,
                                         volatile __global int *team_words,
                                         __local gascl_step_memory *memory) {
    if (gascl_marks(id, GASCL_NEAR_MARK(id, number + 1)))
        memory->near[atomic_inc(&memory->near_count)] = id;
}

#if GASCL_PRIORITY
// The same as far; if the group holds enough, it is listed at once.
static GASCL_INLINE void gascl_hold_far(const int id, const float rank, const __local gascl_round *round,
                                        gascl_progress *progress, GASCL_STATE, GASCL_STEP,
                                        volatile __global int *team_words,
                                        __local gascl_step_memory *memory) {
    progress->least = min(progress->least, gascl_ordered(rank));
    if (GASCL_PEEK(GASCL_FAR_MARK(id)) & GASCL_MARK_BIT(id) || !gascl_marks(id, GASCL_FAR_MARK(id)))
        return;
    const int at = atomic_inc(&memory->far_count);
    if (at < GASCL_LIST_TILE)
        memory->far[at] = id;
    else
        GASCL_FAR_OF(round->side)[atomic_inc(GASCL_FAR_COUNT(round->side))] = id;
}
#endif

// Lists what a group holds back. All items call it.
static void gascl_list_held(const __local gascl_round *round, GASCL_STATE, GASCL_STEP,
                            volatile __global int *team_words,
                            __local gascl_step_memory *memory) {
    const int item = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int near = memory->near_count;
#if GASCL_PRIORITY
    const int far = min(memory->far_count, GASCL_LIST_TILE);
    if (item == GASCL_GROUP - 1 && far)  // in the meantime
        memory->far_place = atomic_add(GASCL_FAR_COUNT(round->side), far);
#endif
    for (int begin = 0; begin < near; begin += GASCL_GROUP) {
        const int i = begin + item, id = i < near ? memory->near[i] : 0;
        const uint arcs = i < near ? (uint)(offsets[id + 1] - offsets[id]) : 0;
        gascl_add_near(arcs > 0, id, arcs, round->number, GASCL_STATE_ON, GASCL_STEP_ON,
                       team_words, memory);
    }
#if GASCL_PRIORITY
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < far; i += GASCL_GROUP)
        GASCL_FAR_OF(round->side)[memory->far_place + i] = memory->far[i];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        memory->near_count = memory->far_count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}
