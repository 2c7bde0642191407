// Rounds on GPUs: vertices scatter, and their messages are applied.
#include "packed_word.cl"

#include "asynchronous/lists.cl"

enum { GASCL_NOWHERE, GASCL_TO_NEAR, GASCL_TO_FAR };

// Applies a message, unless the receiver does not want it; returns the list in which the receiver then belongs,
// and its rank. `before`: its word, or an older one: what that does not want, the word does not want either.
static int gascl_deliver(const int id, const gascl_message msg, gascl_packed before,
                         const float limit, float *rank, gascl_progress *progress, GASCL_STATE,
                         __global gascl_packed *words) {
    for (;;) {
        const gascl_vertex old = gascl_unpacked(before, id, GASCL_STATE_ON);
        if (!gascl_wants(old, msg, GASCL_STATE_ON))
            return GASCL_NOWHERE;
        const gascl_vertex v = gascl_apply_snippet(old, msg, true, 0, GASCL_STATE_ON);
        const gascl_packed after = gascl_pack(v);
        const bool set = v.gascl_set == GASCL_SET;
        if (after == before && !set)
            return GASCL_NOWHERE;
        const gascl_packed seen =
            GASCL_SWAP_PACKED((volatile __global gascl_packed *)&words[id], before, after);
        if (seen != before) {
            before = seen;
            continue;
        }
        ++progress->messages;
        *rank = gascl_rank_of(v, GASCL_STATE_ON);
        if (set)
            return !GASCL_PRIORITY || *rank <= limit ? GASCL_TO_NEAR : GASCL_TO_FAR;
#if GASCL_MAY_NEED_ORDER  // else apply always says set_mask()
        // It may be listed with what it would have sent, or with its old priority, so that the entry would be
        // dropped.
        if (((after ^ before) & GASCL_SENT_BITS) || *rank != gascl_rank_of(old, GASCL_STATE_ON))
            gascl_needs_order(gascl_control_);
#endif
        return GASCL_NOWHERE;
    }
}

// The entries of a near list that have two arcs, in `ends`. Half of a group's items look for one of them each, at
// as many places at once: each step waits for memory. All items call it.
static void gascl_find_ends(const uint first, const uint last, const int count,
                            __global const uint *firsts, __local int *ends) {
    enum { PROBES = GASCL_GROUP / 2 };
    const int which = get_local_id(0) / PROBES % 2, probe = get_local_id(0) % PROBES;
    const uint arc = which ? last : first;
    if (get_local_id(0) < 2)
        ends[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int low = 0;
    for (int size = count, step; size > 1; size = step) {
        step = (size - 1) / (PROBES + 1) + 1;
        const int end = min(low + size, count), at = low + (probe + 1) * step;
        if (at < end && firsts[at] <= arc && (at + step >= end || firsts[at + step] > arc))
            ends[which] = at;
        barrier(CLK_LOCAL_MEM_FENCE);
        low = ends[which];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The items of a group share the arcs of a part of the near list, and list the vertices that change.
static GASCL_INLINE void gascl_run_by_tiles(const __local gascl_round *round, const int rank,
                                            gascl_progress *progress, GASCL_STATE GASCL_EDGE,
                                            GASCL_STEP, volatile __global int *team_words,
                                            __local gascl_step_memory *memory) {
    const int item = get_local_id(0);
    __local gascl_tile_memory *tile = &memory->of.tile;
    for (uint first = (uint)rank * round->takes; first < round->arcs;
         first += (uint)round->groups * round->takes) {
        const uint last = min(first + round->takes, round->arcs);
        gascl_find_ends(first, last - 1, (int)round->count, GASCL_ARCS_OF(round->number),
                        tile->ends);
        const int begin = tile->ends[0], rows = tile->ends[1] - begin + 1;
        for (int i = item; i < rows; i += GASCL_GROUP) {
            const int id = GASCL_LIST_OF(round->number)[begin + i];
            const uint arcs = GASCL_ARCS_OF(round->number)[begin + i];
            tile->ids[i] = id;
            tile->firsts[i] = arcs;
            tile->begins[i] = offsets[id] - (gascl_offset)arcs;
            tile->words[i] = GASCL_READ_WORD(&words[id]);
            if (arcs >= first)  // else another group has the first part of the row
                gascl_unmark(id, GASCL_NEAR_MARK(id, round->number));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint place = first + item; place < last; place += GASCL_GROUP) {
            int row = 0;
            for (int end = rows; end - row > 1;) {
                const int middle = (row + end) / 2;
                if (tile->firsts[middle] <= place)
                    row = middle;
                else
                    end = middle;
            }
            const gascl_offset arc = tile->begins[row] + (gascl_offset)place;
            const int id = tile->ids[row], target = targets[arc];
            gascl_edge e = gascl_edge_at(id, target, arc GASCL_EDGE_ON);
            const gascl_packed there = GASCL_PEEK_WORD(&words[target]);
            const gascl_box out = gascl_scatter(
                gascl_unpacked(tile->words[row], id, GASCL_STATE_ON), &e, 0, GASCL_STATE_ON);
            if (!out.count)
                continue;
            float rank_there;
            const int where =
                gascl_deliver(target, gascl_narrow(out, id, gascl_control_), there, round->limit,
                              &rank_there, progress, GASCL_STATE_ON, words);
            if (where == GASCL_TO_NEAR)
                gascl_hold_near(target, round->number, GASCL_STATE_ON, GASCL_STEP_ON,
                                team_words, memory);
#if GASCL_PRIORITY
            else if (where == GASCL_TO_FAR)
                gascl_hold_far(target, rank_there, round, progress, GASCL_STATE_ON, GASCL_STEP_ON,
                               team_words, memory);
#endif
        }
        gascl_list_held(round, GASCL_STATE_ON, GASCL_STEP_ON, team_words, memory);
    }
}

// More arcs than an item visits by itself.
#define GASCL_LONG_FOR_ITEM 32
// Arcs that it visits at once.
#define GASCL_ARCS_AT_ONCE 4

// A vertex scatters, by one item; near vertices that change stay with the group. One with a long row waits for
// the next round, in which arcs are shared. `rank`: the vertex's when this group listed it, else NaN.
static GASCL_INLINE void gascl_visit(const int id, const float rank, const int next,
                                     const __local gascl_round *round, gascl_progress *progress,
                                     GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                     volatile __global int *team_words,
                                     __local gascl_step_memory *memory) {
    const gascl_offset begin = offsets[id], end = offsets[id + 1];
    const gascl_packed word = GASCL_READ_WORD(&words[id]);
    const gascl_vertex v = gascl_unpacked(word, id, GASCL_STATE_ON);
    // Who has changed its priority meanwhile has listed it again.
    if (!isnan(rank) && gascl_rank_of(v, GASCL_STATE_ON) != rank)
        return;
    if (end - begin > GASCL_LONG_FOR_ITEM) {
        GASCL_TEAM(LONG) = 1;
        gascl_add_near_alone(id, round->number, GASCL_STATE_ON, GASCL_STEP_ON, team_words);
        return;
    }
    for (gascl_offset arc = begin; arc < end; arc += GASCL_ARCS_AT_ONCE) {
        int there[GASCL_ARCS_AT_ONCE];
        gascl_edge e[GASCL_ARCS_AT_ONCE];
        gascl_packed before[GASCL_ARCS_AT_ONCE];
#pragma unroll
        for (int i = 0; i < GASCL_ARCS_AT_ONCE; ++i) {
            const gascl_offset at = min(arc + i, end - 1);
            there[i] = targets[at];
            e[i] = gascl_edge_at(id, there[i], at GASCL_EDGE_ON);
        }
#pragma unroll
        for (int i = 0; i < GASCL_ARCS_AT_ONCE; ++i)
            before[i] = GASCL_PEEK_WORD(&words[there[i]]);
#pragma unroll
        for (int i = 0; i < GASCL_ARCS_AT_ONCE; ++i) {
            if (arc + i >= end)
                continue;
            const gascl_box out = gascl_scatter(v, &e[i], 0, GASCL_STATE_ON);
            if (!out.count)
                continue;
            float rank_there;
            const int where =
                gascl_deliver(there[i], gascl_narrow(out, id, gascl_control_), before[i],
                              round->limit, &rank_there, progress, GASCL_STATE_ON, words);
            if (where == GASCL_TO_NEAR) {
                const int at = atomic_inc(&memory->of.turn.counts[next]);
                if (at < GASCL_LIST_TILE) {
                    memory->of.turn.ids[next][at] = there[i];
                    memory->of.turn.ranks[next][at] = rank_there;
                } else {
                    gascl_add_near_alone(there[i], round->number, GASCL_STATE_ON,
                                         GASCL_STEP_ON, team_words);
                }
            }
#if GASCL_PRIORITY
            else if (where == GASCL_TO_FAR)
                gascl_hold_far(there[i], rank_there, round, progress, GASCL_STATE_ON,
                               GASCL_STEP_ON, team_words, memory);
#endif
        }
    }
}

// Each group takes vertices of the near list and lets them scatter, and then the near vertices that have changed,
// for several turns before it lists the rest (bucket fusion: Zhang et al., CGO 2020; vertical granularity
// control: Dong et al., PASGAL).
static GASCL_INLINE void gascl_run_by_vertices(const __local gascl_round *round, const int rank,
                                               gascl_progress *progress,
                                               GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                               volatile __global int *team_words,
                                               __local gascl_step_memory *memory) {
    const int item = get_local_id(0);
    __local gascl_turn_memory *turn = &memory->of.turn;
    for (uint first = (uint)rank * round->takes; first < round->count;
         first += (uint)round->groups * round->takes) {
        const int many = (int)min(round->takes, round->count - first);
        for (int i = item; i < many; i += GASCL_GROUP) {
            const int id = GASCL_LIST_OF(round->number)[first + i];
            turn->ids[0][i] = id;
            turn->ranks[0][i] = NAN;
            gascl_unmark(id, GASCL_NEAR_MARK(id, round->number));
        }
        if (item == 0) {
            turn->counts[0] = many;
            turn->counts[1] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int now = 0, left = many;
        for (int turns = 0; turns < GASCL_TURNS && left > 0 && left <= GASCL_MOST_TURN; ++turns) {
            const int next = (now + 1) % 3;
            if (item == 0)
                turn->counts[(now + 2) % 3] = 0;
            for (int i = item; i < left; i += GASCL_GROUP)
                gascl_visit(turn->ids[now][i], turn->ranks[now][i], next, round, progress,
                            GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON, team_words, memory);
            barrier(CLK_LOCAL_MEM_FENCE);
            now = next;
            left = min(turn->counts[now], GASCL_LIST_TILE);
        }
        for (int i = item; i < left; i += GASCL_GROUP)
            gascl_hold_near(turn->ids[now][i], round->number, GASCL_STATE_ON,
                            GASCL_STEP_ON, team_words, memory);
        gascl_list_held(round, GASCL_STATE_ON, GASCL_STEP_ON, team_words, memory);
    }
}
