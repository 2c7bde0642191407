// Delivery `asynchronous`: a message is applied when it is sent, by one compare-and-swap of the receiver's
// fields, which are packed in a word. There is no inbox, and no pass over vertices. What has changed waits
// in a queue (asynchronous/queue.cl) and scatters soon, not in a next superstep: the program's result does
// not depend on the order (order = "any").
//
// What a trace calls a superstep is here a round: the work of all groups between two barriers.
#include "runtime.cl"
#include "team.cl"

#include "asynchronous/queue.cl"

// The prefetch distance, in arcs.
#define GASCL_AHEAD 16

// What the kernel needs besides GASCL_STATE and GASCL_EDGE: `words` has the fields that apply writes.
#define GASCL_STEP                                                                       \
    __global const gascl_offset *restrict offsets, __global const int *restrict targets, \
        __global gascl_packed *GASCL_RESTRICT words, GASCL_QUEUED
#define GASCL_STEP_ON offsets, targets, words, GASCL_QUEUED_ON

// Local memory: a single item needs none.
typedef struct {
    int unused;
} gascl_step_memory;

// The number of vertices that have begun to wait, less those that have scattered; the messages that changed
// something; and the arcs that were visited.
typedef struct {
    long waiting, messages, arcs;
} gascl_progress;

#if GASCL_PACKED_BITS == 64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define GASCL_SWAP_PACKED(word, before, after) atom_cmpxchg(word, before, after)
#else
#define GASCL_SWAP_PACKED(word, before, after) atomic_cmpxchg(word, before, after)
#endif

// The bin of a vertex: that of its priority, or without one, the next bin.
static int gascl_bin_of(const gascl_vertex v, const gascl_queue *queue, GASCL_STATE) {
#if GASCL_PRIORITY
    return gascl_bucket_of(v, GASCL_STATE_ON);
#else
    return queue->base + 1;
#endif
}

// Applies a message, unless the receiver does not want it.
static void gascl_deliver(const int id, const gascl_message msg, gascl_queue *queue,
                          gascl_progress *progress, GASCL_STATE, __global gascl_packed *words) {
    volatile __global gascl_packed *word = &words[id];
    gascl_packed before = *word;
    for (;;) {
        const gascl_vertex old = gascl_unpacked(before, id, GASCL_STATE_ON);
        if (!gascl_wants(old, msg, GASCL_STATE_ON))
            return;
        const gascl_vertex v = gascl_apply_snippet(old, msg, true, 0, GASCL_STATE_ON);
        const gascl_packed after = gascl_pack(v);
        const bool set = v.gascl_set == GASCL_SET;
        if (after == before && !set)
            return;
        const gascl_packed seen =
            after == before ? before : GASCL_SWAP_PACKED(word, before, after);
        if (seen != before) {
            before = seen;
            continue;
        }
        ++progress->messages;
        if (!set)
            return;
        // It is in a bin already if it waits, unless it now belongs in a lower one.
        const bool begins = gascl_begin_waiting(id, queue);
        progress->waiting += begins;
        const int bin = gascl_bin_of(v, queue, GASCL_STATE_ON);
        if (begins || bin < gascl_bin_of(old, queue, GASCL_STATE_ON))
            gascl_add_to_bin(id, bin, queue);
        return;
    }
}

// A vertex that waits scatters.
static void gascl_visit(const int id, gascl_queue *queue, gascl_progress *progress,
                        GASCL_STATE GASCL_EDGE, GASCL_STEP) {
    if (!gascl_end_waiting(id, queue))  // it has scattered from another bin
        return;
    --progress->waiting;
    const gascl_packed word = *(volatile __global gascl_packed *)&words[id];
    const gascl_vertex v = gascl_unpacked(word, id, GASCL_STATE_ON);
    const gascl_offset begin = offsets[id], end = offsets[id + 1];
    progress->arcs += end - begin;
    for (gascl_offset arc = begin; arc < end; ++arc) {
        if (arc + GASCL_AHEAD < end)
            GASCL_PREFETCH(&words[targets[arc + GASCL_AHEAD]]);
        const int target = targets[arc];
        gascl_edge e = gascl_edge_at(id, target, arc GASCL_EDGE_ON);
        const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON);
        if (out.count)
            gascl_deliver(target, gascl_narrow(out, id, gascl_control_), queue, progress,
                          GASCL_STATE_ON, words);
    }
}

// The vertices in a block scatter.
static void gascl_visit_block(const int block, gascl_queue *queue, gascl_progress *progress,
                              GASCL_STATE GASCL_EDGE, GASCL_STEP) {
    __global const int *ids = GASCL_BLOCK_IDS(queue, block);
    const int count = GASCL_BLOCK_COUNT(queue, block);
    for (int i = 0; i < count; ++i) {
        GASCL_PREFETCH(&offsets[ids[i]]);
        GASCL_PREFETCH(&words[ids[i]]);
    }
    for (int i = 0; i < count; ++i)
        GASCL_PREFETCH(&targets[offsets[ids[i]]]);
    for (int i = 0; i < count; ++i) {
        if (i + 2 < count) {
            const gascl_offset first = offsets[ids[i + 2]];
            const gascl_offset last = min(first + GASCL_AHEAD, offsets[ids[i + 2] + 1]);
            for (gascl_offset arc = first; arc < last; ++arc)
                GASCL_PREFETCH(&words[targets[arc]]);
        }
        gascl_visit(ids[i], queue, progress, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON);
    }
    gascl_free_block(block, queue);
}

// A round: the vertices of the lowest bin scatter, and those that enter it meanwhile. These stay with their
// group, unless they become many.
static void gascl_run_round(const gascl_team team, gascl_queue *queue, gascl_progress *progress,
                            GASCL_STATE GASCL_EDGE, GASCL_STEP) {
    GASCL_FOR_SHARE(i, queue->team_words[GASCL_STRIDE * GASCL_TEAM_BLOCKS], 1)
        gascl_visit_block(shared_blocks[i], queue, progress, GASCL_STATE_ON GASCL_EDGE_ON,
                          GASCL_STEP_ON);
    for (int rounds = 0; rounds < GASCL_LOCAL_ROUNDS; ++rounds) {
        while (gascl_has_few(queue))
            for (int block = gascl_take_bin(queue), next; block >= 0; block = next) {
                next = GASCL_BLOCK_NEXT(queue, block);
                gascl_visit_block(block, queue, progress, GASCL_STATE_ON GASCL_EDGE_ON,
                                  GASCL_STEP_ON);
            }
        if (GASCL_PRIORITY || gascl_has_many(queue))
            return;
        ++queue->base;
    }
}

#include "persistent/cpu.cl"
