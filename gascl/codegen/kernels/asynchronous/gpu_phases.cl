// The phases of delivery `asynchronous` on GPUs: fields are packed, there are rounds, and fields are unpacked.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#include "asynchronous/relax.cl"

#define GASCL_PERSISTENT_STATE                                                          \
    __global long *GASCL_RESTRICT posted, __global gascl_tally *GASCL_RESTRICT tallies, \
        __global long *GASCL_RESTRICT counts
#define GASCL_PERSISTENT_STATE_ON posted, tallies, counts
// Arcs are shared if vertices have more of them on average.
#define GASCL_SHORT_ROWS 8
// The limit rises by at least so much.
#if GASCL_PRIORITY
#define GASCL_WIDTH (float)gascl_run_->graph.gascl_delta
#else
#define GASCL_WIDTH 0
#endif
// So many rounds without a priority are a step of the trace; and the least work of a round, in units of 1024 arcs.
#define GASCL_ROUNDS_OF_STEP 64
#define GASCL_WORK_OF_ROUND 16

// Packs fields, and lists the vertices in the mask. A group packs all vertices that have their marks in a word.
#define GASCL_PACKED_AT_ONCE max(GASCL_GROUP, GASCL_BITS_OF_MARK)
static GASCL_INLINE void gascl_run_pack(const __local gascl_round *round, const int rank,
                                        gascl_progress *progress, GASCL_STATE, GASCL_STEP,
                                        volatile __global int *team_words,
                                        __local gascl_step_memory *memory) {
    const int n = gascl_run_->graph.gascl_rows, step = round->groups * GASCL_PACKED_AT_ONCE;
    const bool starting = GASCL_READ_TEAM(STARTING);
    int held = 0;
    for (long begin = (long)rank * GASCL_PACKED_AT_ONCE; begin < n; begin += step) {
        for (int part = 0; part < GASCL_PACKED_AT_ONCE; part += GASCL_GROUP) {
            const uint at = (uint)begin + part + get_local_id(0);
            const int id = (int)at;
            if (at < n && id % GASCL_BITS_OF_MARK == 0) {
                *GASCL_NEAR_MARK(id, 0) = *GASCL_NEAR_MARK(id, 1) = 0;
#if GASCL_PRIORITY
                *GASCL_FAR_MARK(id) = 0;
#endif
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (at < n) {
                const gascl_packed word = gascl_pack_fields(id, GASCL_STATE_ON);
                words[id] = word;
                if (starting)
                    gascl_commit_mask(id GASCL_MASKS_ON);
                if (gascl_mask[id]) {
                    gascl_mask[id] = 0;
#if GASCL_PRIORITY
                    gascl_marks(id, GASCL_FAR_MARK(id));
                    const gascl_vertex v = gascl_unpacked(word, id, GASCL_STATE_ON);
                    progress->least =
                        min(progress->least, gascl_ordered(gascl_rank_of(v, GASCL_STATE_ON)));
                    memory->far[atomic_inc(&memory->far_count)] = id;
#else
                    gascl_hold_near(id, round->number, GASCL_STATE_ON, GASCL_STEP_ON, team_words,
                                    memory);
#endif
                }
            }
            held += GASCL_GROUP;
            if (held == GASCL_LIST_TILE ||
                (begin + step >= n && part + GASCL_GROUP == GASCL_PACKED_AT_ONCE)) {
                held = 0;
                gascl_list_held(round, GASCL_STATE_ON, GASCL_STEP_ON, team_words, memory);
            }
        }
    }
}

#if GASCL_PRIORITY
// Divides the far list by the new limit. A vertex that was near before has been listed there.
static GASCL_INLINE void gascl_run_split(const __local gascl_round *round, const int rank,
                                         gascl_progress *progress, GASCL_STATE, GASCL_STEP,
                                         volatile __global int *team_words,
                                         __local gascl_step_memory *memory) {
    const int step = round->groups * GASCL_GROUP;
    int held = 0;
    for (long begin = (long)rank * GASCL_GROUP; begin < round->count; begin += step) {
        const long i = begin + get_local_id(0);
        if (i < round->count) {
            const int id = GASCL_FAR_OF(round->side ^ 1)[i];
            const float priority =
                gascl_rank_of(gascl_unpacked(words[id], id, GASCL_STATE_ON), GASCL_STATE_ON);
            if (!(priority <= round->limit)) {
                progress->least = min(progress->least, gascl_ordered(priority));
                memory->far[atomic_inc(&memory->far_count)] = id;
            } else {
                gascl_unmark(id, GASCL_FAR_MARK(id));
                if (!(priority <= round->limit_before))
                    gascl_hold_near(id, round->number, GASCL_STATE_ON, GASCL_STEP_ON, team_words,
                                    memory);
            }
        }
        held += GASCL_GROUP;
        if (held == GASCL_LIST_TILE || begin + step >= round->count) {
            held = 0;
            gascl_list_held(round, GASCL_STATE_ON, GASCL_STEP_ON, team_words, memory);
        }
    }
}
#endif

// Unpacks fields, and marks the vertices that still wait.
static GASCL_INLINE void gascl_run_unpack(const gascl_team team, const __local gascl_round *round, GASCL_STATE,
                             GASCL_STEP, volatile __global int *team_words) {
    GASCL_FOR_SHARE(id, gascl_run_->graph.gascl_rows, 4096) {
        gascl_unpack_fields(words[id], id, GASCL_STATE_ON);
        uint marks = *GASCL_NEAR_MARK(id, round->number);
#if GASCL_PRIORITY
        marks |= *GASCL_FAR_MARK(id);
#endif
        // Without arcs, a vertex is marked, but in no list, so that nobody clears its bit.
        gascl_mask[id] = (marks & GASCL_MARK_BIT(id)) && offsets[id] < offsets[id + 1];
    }
#if GASCL_REALS  // of the same vertices
    gascl_count_nans(team, GASCL_STATE_ON,
                     (__global int *)(size_t)(team_words + GASCL_STRIDE * GASCL_TEAM_WORDS));
#endif
}

static GASCL_INLINE void gascl_run_phase(const __local gascl_round *round, const gascl_team team,
                                         GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                         volatile __global int *team_words, GASCL_START_STATE,
                                         __local gascl_step_memory *memory) {
    gascl_progress progress = {0, INT_MAX};
    gascl_tally tally;
    switch (round->phase) {
    case GASCL_PHASE_START:  // no program of this delivery has aggregators
        gascl_start_vertices(team, &tally, GASCL_STATE_ON, GASCL_FIRST_VALUES_ON);
        break;
    case GASCL_PHASE_PACK:
        gascl_run_pack(round, team.rank, &progress, GASCL_STATE_ON, GASCL_STEP_ON, team_words,
                       memory);
        break;
#if GASCL_PRIORITY
    case GASCL_PHASE_SPLIT_FAR:
        gascl_run_split(round, team.rank, &progress, GASCL_STATE_ON, GASCL_STEP_ON, team_words,
                        memory);
        break;
#endif
    case GASCL_PHASE_ROUND:
        if (round->by_tiles)
            gascl_run_by_tiles(round, team.rank, &progress, GASCL_STATE_ON GASCL_EDGE_ON,
                               GASCL_STEP_ON, team_words, memory);
        else
            gascl_run_by_vertices(round, team.rank, &progress, GASCL_STATE_ON GASCL_EDGE_ON,
                                  GASCL_STEP_ON, team_words, memory);
        break;
    case GASCL_PHASE_UNPACK:
        gascl_run_unpack(team, round, GASCL_STATE_ON, GASCL_STEP_ON, team_words);
        break;
    }
    if (progress.messages)
        atomic_add(&memory->messages, progress.messages);
    if (GASCL_PRIORITY && progress.least < INT_MAX)
        atomic_min(&memory->least, progress.least);
}

// What a group has found in a phase, for all; by its first item.
static GASCL_INLINE void gascl_report(volatile __global int *team_words, __local gascl_step_memory *memory) {
    if (memory->messages)
        atom_add((volatile __global ulong *)&GASCL_TEAM(MESSAGES), (ulong)memory->messages);
    if (GASCL_PRIORITY && memory->least < INT_MAX)
        atomic_min(&GASCL_TEAM(LOWEST), memory->least);
    memory->messages = 0;
    memory->least = INT_MAX;
}

// Ends a step: whether the launch ends with it. `coming`: how many vertices are near.
static bool gascl_end_step(const uint coming, GASCL_STATE, volatile __global int *team_words,
                           const int ask_stop, const long least_arcs, const long most_arcs,
                           const int supersteps, const bool enough) {
    const int starting = GASCL_READ_TEAM(STARTING);
    int done = GASCL_READ_TEAM(DONE);
    bool stops = false;
    if (starting || GASCL_READ_TEAM(ROUNDS) || !coming) {
        gascl_control now;
        gascl_tally tally;
        GASCL_ZERO_TALLY(tally);
        tally.messages = *(volatile __global long *)&GASCL_TEAM(MESSAGES);
        gascl_decide_on(&now, &tally, coming, 0, GASCL_STATE_ON, starting, ask_stop, least_arcs,
                        most_arcs, (__global gascl_control *)(size_t)(team_words + GASCL_TEAM_SIZE),
                        done);
        GASCL_TEAM(DONE) = done += !starting;
        GASCL_TEAM(STARTING) = 0;
        *(volatile __global long *)&GASCL_TEAM(MESSAGES) = 0;
        stops = now.stopped;
    }
    GASCL_TEAM(ROUNDS) = 0;
    return stops || done >= supersteps || enough;
}

// What the first item of the group that arrives last does between two phases: decides on the next round.
static gascl_round gascl_end_phase(const gascl_round *round, GASCL_STATE,
                                   volatile __global int *team_words, const int ask_stop,
                                   const long least_arcs, const long most_arcs,
                                   const int supersteps, const int most_work) {
    const int all = GASCL_READ_TEAM(GROUPS);
    gascl_round next = *round;
    next.number = round->number + 1;
    next.takes = 0;
    next.groups = all;
    if (round->phase == GASCL_PHASE_START) {
        next.phase = GASCL_PHASE_PACK;
        return next;
    }
    if (round->phase == GASCL_PHASE_UNPACK) {
        next.phase = GASCL_PHASE_END;
        GASCL_TEAM(PHASE) = GASCL_PHASE_END;
        return next;
    }
    const ulong near = *GASCL_NEAR_COUNT(next.number);
    const int far = GASCL_PRIORITY ? *(volatile __global int *)GASCL_FAR_COUNT(round->side) : 0;
    const int low = GASCL_READ_TEAM(LOWEST), rounds = GASCL_READ_TEAM(ROUNDS);
    const int has_long = GASCL_READ_TEAM(LONG), work = GASCL_READ_TEAM(WORK);
    const bool fails = gascl_control_->fault != INT_MAX || gascl_control_->overflow != INT_MAX
#if GASCL_MAY_NEED_ORDER
                       || gascl_control_->ordered
#endif
        ;
    *GASCL_NEAR_COUNT(round->number) = 0;  // which is filled next
    next.count = (uint)(near >> 32);
    next.arcs = (uint)near;
    const bool enough = work >= most_work;
    if (!next.count && far && !fails) {
        next.phase = GASCL_PHASE_SPLIT_FAR;
        next.count = far;
        next.limit_before = round->limit;
        next.limit = fmax(round->limit, gascl_unordered(low)) + GASCL_WIDTH;
        next.side = round->side ^ 1;
        next.groups = min(all, 1 + (far - 1) / GASCL_GROUP);
        GASCL_TEAM(LOWEST) = INT_MAX;
        *GASCL_FAR_COUNT(next.side) = 0;
        return next;
    }
    const bool step_ends = round->phase != GASCL_PHASE_ROUND || !next.count || fails || enough ||
                           (!GASCL_PRIORITY && rounds >= GASCL_ROUNDS_OF_STEP);
    if (step_ends && gascl_end_step(next.count, GASCL_STATE_ON, team_words, ask_stop, least_arcs,
                                    most_arcs, supersteps, enough)) {
        next.phase = GASCL_PHASE_UNPACK;
        return next;
    }
    next.phase = GASCL_PHASE_ROUND;
    next.by_tiles = has_long || next.arcs > GASCL_SHORT_ROWS * next.count;
    // What a group takes at once: so much that all groups have something, within limits.
    const uint whole = next.by_tiles ? next.arcs : next.count;
    const uint least = next.by_tiles ? GASCL_GROUP : GASCL_TAKES_FEW;
    const uint most = next.by_tiles ? GASCL_LIST_TILE : GASCL_GROUP;
    next.takes = clamp((whole - 1) / all + 1, least, most);
    next.groups = (int)min((uint)all, (whole - 1) / next.takes + 1);
    if (has_long)
        GASCL_TEAM(LONG) = 0;
    GASCL_TEAM(ROUNDS) = (step_ends ? 0 : rounds) + 1;
    GASCL_TEAM(WORK) = work + GASCL_WORK_OF_ROUND + (int)(next.arcs / 1024);
    return next;
}
