// The phases of delivery `in_place`, in a persistent kernel: fields are packed, vertices apply in passes, and
// fields are unpacked.
#include "in_place/transactions.cl"

// What the kernel needs besides GASCL_STATE, which has the words.
#define GASCL_STEP __global const gascl_offset *restrict offsets
#define GASCL_STEP_ON offsets
#define GASCL_PERSISTENT_STATE                                                          \
    __global long *GASCL_RESTRICT posted, __global gascl_tally *GASCL_RESTRICT tallies, \
        __global long *GASCL_RESTRICT counts
#define GASCL_PERSISTENT_STATE_ON posted, tallies, counts
#define GASCL_SWAPS 0
#define GASCL_SWAP_BUFFERS()

// Local memory: there is none, unless groups share the turns of a loop.
#if !GASCL_TRIES_TURNS || GASCL_GROUP == 1
typedef struct {
    int unused;
} gascl_step_memory;
#endif

#if GASCL_GROUP == 1
// So many vertices apply between two fences.
#define GASCL_VERTICES_AT_ONCE 256

// The vertices from `begin` to before `end` apply; returns how many wait for the next pass.
static int gascl_apply_some(const int begin, const int end, gascl_tally *tally, GASCL_STATE) {
    uchar waited[GASCL_VERTICES_AT_ONCE];
    int waiting = 0, any = 0;
    for (int i = 0; i < end - begin; ++i)
        any |= waited[i] = GASCL_WAITS_NOW(begin + i);
    if (any) {
        for (int i = 0; i < end - begin; ++i)
            if (waited[i])  // others may be told to wait at this moment
                GASCL_WAITS_NOW(begin + i) = 0;
        gascl_fence();
    }
    for (int id = begin; id < end; ++id) {
        // In a pass in which few wait, most vertices look at no other one.
        if (any && id + GASCL_AHEAD < gascl_run_->graph.gascl_rows)
            gascl_prefetch_others(id + GASCL_AHEAD, GASCL_STATE_ON);
        waiting += gascl_apply_in_place(id, waited[id - begin], 0, tally, GASCL_STATE_ON);
    }
    return waiting;
}

// An item's share of the vertices apply; returns how many wait for the next pass.
static GASCL_INLINE int gascl_apply_share(const gascl_team team, gascl_tally *tally,
                                          __local gascl_step_memory *memory, GASCL_STATE) {
    int waiting = 0;
    GASCL_FOR_TAKES(gascl_run_->graph.gascl_rows, 4096)
        for (int id = gascl_from; id < gascl_to; id += GASCL_VERTICES_AT_ONCE)
            waiting += gascl_apply_some(id, min(id + GASCL_VERTICES_AT_ONCE, gascl_to), tally,
                                        GASCL_STATE_ON);
    return waiting;
}
#else
// So many vertices of an item apply between two fences.
#define GASCL_VERTICES_AT_ONCE 8
#if GASCL_TRIES_TURNS
#include "in_place/long_rows.cl"
#endif

static GASCL_INLINE int gascl_apply_share(const gascl_team team, gascl_tally *tally,
                                          __local gascl_step_memory *memory, GASCL_STATE) {
    const long end = team.idle ? 0 : gascl_run_->graph.gascl_rows;
    const int step = team.groups * GASCL_GROUP, item = get_local_id(0);
    int waiting = 0;
    for (long base = (long)team.rank * GASCL_GROUP; base < end;
         base += (long)GASCL_VERTICES_AT_ONCE * step) {
        const long first = base + item;
        uint waited = 0;  // as bits
        _Pragma("unroll") for (int i = 0; i < GASCL_VERTICES_AT_ONCE; ++i)
            if (first + (long)i * step < end && GASCL_WAITS_NOW(first + (long)i * step))
                waited |= 1u << i;
        for (int i = 0; i < GASCL_VERTICES_AT_ONCE; ++i)
            if (waited >> i & 1)
                GASCL_WAITS_NOW(first + (long)i * step) = 0;
        if (waited)
            gascl_fence();
#if GASCL_TRIES_TURNS
        waiting += gascl_apply_with_long_rows(first, step, end, waited, tally, memory, GASCL_STATE_ON);
#else
        for (int i = 0; i < GASCL_VERTICES_AT_ONCE && first + (long)i * step < end; ++i)
            waiting += gascl_apply_in_place((int)(first + (long)i * step), waited >> i & 1, 0, tally,
                                            GASCL_STATE_ON);
#endif
    }
    return waiting;
}
#endif

static GASCL_INLINE void gascl_run_phase(const int phase, const gascl_team team,
                                         GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                         GASCL_PERSISTENT_STATE, volatile __global int *team_words,
                                         GASCL_START_STATE, __local gascl_shared *shared,
                                         __local gascl_step_memory *memory) {
    const int n = gascl_run_->graph.gascl_rows;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    int waiting = 0;
    switch (phase) {
    case GASCL_PHASE_START:  // no program of this delivery has aggregators
        gascl_start_vertices(team, &tally, GASCL_STATE_ON, GASCL_FIRST_VALUES_ON);
        break;
    case GASCL_PHASE_PACK: {
        const bool starting = GASCL_READ_TEAM(STARTING);
        GASCL_FOR_SHARE(id, n, 4096) {
            if (!GASCL_PACKED_ALONE)
                gascl_words[id] = gascl_pack_fields(id, GASCL_STATE_ON);
            if (starting)
                gascl_commit_mask(id GASCL_MASKS_ON);
            waiting += gascl_mask[id] != 0;
        }
        break;
    }
    case GASCL_PHASE_PASS:
        waiting = gascl_apply_share(team, &tally, memory, GASCL_STATE_ON);
        break;
    case GASCL_PHASE_UNPACK:
        GASCL_FOR_SHARE(id, n, 4096)
            gascl_unpack_fields(gascl_words[id], id, GASCL_STATE_ON);
        break;
#if GASCL_REALS
    case GASCL_PHASE_NANS:
        gascl_count_nans(team, GASCL_STATE_ON,
                         (__global int *)(size_t)(team_words + GASCL_STRIDE * GASCL_TEAM_WORDS));
        break;
#endif
    }
    const long2 sum = gascl_count_reduce((long2)(tally.messages, waiting), shared);
    if (get_local_id(0) == 0) {
        posted[team.rank] += sum.x;
        counts[2 * team.rank] += sum.x + sum.y;
    }
}

// What the group that arrived last does between two phases; returns the next one.
static int gascl_end_phase(const int phase, const int ranks, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                           GASCL_PERSISTENT_STATE, volatile __global int *team_words,
                           const int begins, const int num_tallies, const int ask_stop,
                           const long least_arcs, const long most_arcs, const int supersteps,
                           const int most_work, __local gascl_shared *shared) {
    const int item = get_local_id(0), n = gascl_run_->graph.gascl_rows;
    if (phase == GASCL_PHASE_JOIN) {
        if (item == 0) {
            GASCL_TEAM(SMALL) = n <= GASCL_SMALL_WORK;
            GASCL_TEAM(STARTING) = begins;
            gascl_control_->clock = GASCL_CLOCK();
        }
        for (int i = item; i < (int)get_num_groups(0); i += GASCL_GROUP)
            posted[i] = counts[2 * i] = 0;
        return begins ? GASCL_PHASE_START : GASCL_PHASE_PACK;
    }
    if (phase == GASCL_PHASE_START)
        return GASCL_PHASE_PACK;
    if (phase == GASCL_PHASE_UNPACK)
        return GASCL_REALS ? GASCL_PHASE_NANS : GASCL_PHASE_END;
    if (phase == GASCL_PHASE_NANS)
        return GASCL_PHASE_END;
    const int starting = GASCL_READ_TEAM(STARTING), work = GASCL_READ_TEAM(WORK);
    int done = GASCL_READ_TEAM(DONE);
    long2 sum = 0;
    for (int i = item; i < ranks; i += GASCL_GROUP) {
        sum += (long2)(posted[i], counts[2 * i]);
        posted[i] = counts[2 * i] = 0;
    }
    sum = gascl_count_reduce(sum, shared);
    if (item != 0)
        return 0;
    if (starting || phase == GASCL_PHASE_PASS) {
        gascl_tally tally;
        gascl_control now;
        GASCL_ZERO_TALLY(tally);
        tally.messages = sum.x;
        __global gascl_control *records =
            (__global gascl_control *)(size_t)(team_words + GASCL_TEAM_SIZE);
        gascl_decide_on(&now, &tally, sum.y, 0, GASCL_STATE_ON, starting, ask_stop, least_arcs,
                        most_arcs, records, done);
        GASCL_TEAM(DONE) = done += !starting;
        GASCL_TEAM(STARTING) = 0;
        GASCL_TEAM(WORK) = work + 1 + (int)((n + (long)offsets[n]) / 1024);
        if (now.stopped || done >= supersteps || work >= most_work)
            return !GASCL_PACKED_ALONE ? GASCL_PHASE_UNPACK
                                       : GASCL_REALS ? GASCL_PHASE_NANS : GASCL_PHASE_END;
    }
    return GASCL_PHASE_PASS;
}

#if GASCL_GROUP > 1
static int gascl_groups_for(const int phase, const int all, GASCL_STATE, GASCL_STEP) {
    return phase == GASCL_PHASE_END ? GASCL_MOST_GROUPS : all;
}
#endif

// Whether one group does a phase alone.
static bool gascl_is_small(const int phase, GASCL_STATE, volatile __global int *team_words) {
    return phase != GASCL_PHASE_END && GASCL_READ_TEAM(SMALL);
}
