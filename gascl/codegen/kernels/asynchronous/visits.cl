// The visits of vertices that wait, in which they scatter and their messages are applied.
#include "asynchronous/queue.cl"

// How many arcs of a row are prefetched before it is visited; and how many of them, of 4 bytes, are in a
// cache line.
#define GASCL_ROW_AHEAD 64
#define GASCL_ARCS_OF_LINE 16

// What the kernel needs besides GASCL_STATE and GASCL_EDGE: `words` has the fields that apply writes.
#define GASCL_STEP                                                                       \
    __global const gascl_offset *restrict offsets, __global const int *restrict targets, \
        __global gascl_packed *GASCL_RESTRICT words, GASCL_QUEUED
#define GASCL_STEP_ON offsets, targets, words, GASCL_QUEUED_ON

// Local memory: a single item needs none.
typedef struct {
    int unused;
} gascl_step_memory;

// Messages are held back where most are refused by a field, before the receiver's word is read: so the words of
// the others are fetched together.
#define GASCL_MOST_HELD 16
// The messages that changed something, the arcs that were visited, and the messages that are held back.
typedef struct {
    long messages, arcs;
#if GASCL_REFUSES
    int held;
    int receivers[GASCL_MOST_HELD];
    gascl_message waiting[GASCL_MOST_HELD];
#endif
} gascl_progress;

#include "packed_word.cl"

#define GASCL_MOST_BIN (1 << 30)
// The bin of a vertex: that of its priority, or without one, the next bin.
static int gascl_bin_of(const gascl_vertex v, const gascl_queue *queue, GASCL_STATE) {
#if GASCL_PRIORITY
    // Only the order matters, not where exactly a bin begins.
    const real scaled = gascl_priority_of(v, GASCL_STATE_ON) * queue->by_width;
    return scaled < GASCL_MOST_BIN ? scaled > -GASCL_MOST_BIN ? (int)scaled : -GASCL_MOST_BIN
                                   : GASCL_MOST_BIN;
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
        const gascl_packed seen = GASCL_SWAP_PACKED(word, before, after);
        if (seen != before) {
            before = seen;
            continue;
        }
        ++progress->messages;
#if GASCL_REFUSES
        gascl_keep_refusing(v, GASCL_STATE_ON);
#endif
        if (set)
            gascl_add_to_bin(id, after, gascl_bin_of(v, queue, GASCL_STATE_ON), queue, gascl_mask);
#if GASCL_MAY_NEED_ORDER  // else apply always says set_mask()
        else if ((after ^ before) & GASCL_SENT_BITS)
            gascl_needs_order(gascl_control_);  // it may be listed with what it would have sent
#endif
        return;
    }
}

#if GASCL_REFUSES
#define GASCL_PREFETCH_RECEIVER(id) GASCL_PREFETCH(GASCL_REFUSING(id))

// Applies the messages that are held back.
static void gascl_deliver_held(gascl_queue *queue, gascl_progress *progress, GASCL_STATE,
                               __global gascl_packed *words) {
    for (int i = 0; i < progress->held; ++i)
        gascl_deliver(progress->receivers[i], progress->waiting[i], queue, progress, GASCL_STATE_ON,
                      words);
    progress->held = 0;
}

// Holds a message back, unless the receiver refuses it.
static void gascl_post(const int id, const gascl_message msg, gascl_queue *queue,
                       gascl_progress *progress, GASCL_STATE, __global gascl_packed *words) {
    if (gascl_refuses(id, msg, GASCL_STATE_ON))
        return;
    GASCL_PREFETCH(&words[id]);
    progress->receivers[progress->held] = id;
    progress->waiting[progress->held] = msg;
    if (++progress->held == GASCL_MOST_HELD)
        gascl_deliver_held(queue, progress, GASCL_STATE_ON, words);
}
#else
#define GASCL_PREFETCH_RECEIVER(id) GASCL_PREFETCH(&words[id])
#define gascl_deliver_held(...)
#define gascl_post gascl_deliver
#endif

// A vertex scatters along some of its arcs.
static void gascl_visit_arcs(const int id, const gascl_offset begin, const gascl_offset end,
                             gascl_queue *queue, gascl_progress *progress, GASCL_STATE GASCL_EDGE,
                             GASCL_STEP) {
    const gascl_packed word = *(volatile __global gascl_packed *)&words[id];
    const gascl_vertex v = gascl_unpacked(word, id, GASCL_STATE_ON);
    progress->arcs += end - begin;
    for (gascl_offset arc = begin; arc < end; ++arc) {
        if (arc + GASCL_AHEAD < end)
            GASCL_PREFETCH_RECEIVER(targets[arc + GASCL_AHEAD]);
        const int target = targets[arc];
        gascl_edge e = gascl_edge_at(id, target, arc GASCL_EDGE_ON);
        const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON);
        if (out.count)
            gascl_post(target, gascl_narrow(out, id, gascl_control_), queue, progress,
                       GASCL_STATE_ON, words);
    }
}

// A vertex scatters; one with a long row is listed, so that groups share it at the end of the round.
static void gascl_visit(const int id, gascl_queue *queue, gascl_progress *progress,
                        GASCL_STATE GASCL_EDGE, GASCL_STEP) {
    const gascl_offset begin = offsets[id], end = offsets[id + 1];
    if (end - begin > GASCL_LONG_ROW) {
        const int at = atomic_inc(&queue->team_words[GASCL_STRIDE * GASCL_TEAM_LONG]);
        if (at < GASCL_MOST_LONG_ROWS) {
            long_rows[at] = id;
            return;
        }
    }
    gascl_visit_arcs(id, begin, end, queue, progress, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON);
}

static int gascl_pieces_of(const int id, __global const gascl_offset *offsets) {
    return (int)((offsets[id + 1] - offsets[id] + GASCL_LONG_ROW - 1) / GASCL_LONG_ROW);
}

// The listed vertices scatter, a piece of a row at a time.
static void gascl_visit_long_rows(const gascl_team team, gascl_queue *queue,
                                  gascl_progress *progress, GASCL_STATE GASCL_EDGE, GASCL_STEP) {
    const int rows = min(queue->team_words[GASCL_STRIDE * GASCL_TEAM_LONG], GASCL_MOST_LONG_ROWS);
    int pieces = 0, row = 0, before = 0;
    for (int i = 0; i < rows; ++i)
        pieces += gascl_pieces_of(long_rows[i], offsets);
    GASCL_FOR_SHARE(piece, pieces, 1) {
        for (int many; piece >= before + (many = gascl_pieces_of(long_rows[row], offsets)); ++row)
            before += many;
        const int id = long_rows[row];
        const gascl_offset begin = offsets[id] + (gascl_offset)(piece - before) * GASCL_LONG_ROW;
        gascl_visit_arcs(id, begin, min(begin + GASCL_LONG_ROW, offsets[id + 1]), queue, progress,
                         GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON);
    }
    gascl_deliver_held(queue, progress, GASCL_STATE_ON, words);
}

// The vertices in a block scatter.
static void gascl_visit_block(const int block, gascl_queue *queue, gascl_progress *progress,
                              GASCL_STATE GASCL_EDGE, GASCL_STEP) {
    __global int *ids = GASCL_BLOCK_IDS(queue, block);
    __global const gascl_packed *seen = GASCL_BLOCK_SEEN(queue, block);
    const int entries = GASCL_BLOCK_COUNT(queue, block);
    int count = 0;
    for (int i = 0; i < entries; ++i) {
        GASCL_PREFETCH(&offsets[ids[i]]);
        GASCL_PREFETCH(&words[ids[i]]);
    }
    for (int i = 0; i < entries; ++i) {
        const int id = ids[i];
        if (!GASCL_IS_FRESH(queue, id, seen[i]))
            continue;
        const gascl_offset first = offsets[id];
        const gascl_offset last = min(offsets[id + 1], first + GASCL_ROW_AHEAD);
        for (gascl_offset arc = first; arc < last; arc += GASCL_ARCS_OF_LINE) {
            GASCL_PREFETCH(&targets[arc]);
            gascl_prefetch_edge(arc GASCL_EDGE_ON);
        }
        ids[count++] = id;
    }
    for (int i = 0; i < count; ++i) {
        if (i + 2 < count) {
            const gascl_offset first = offsets[ids[i + 2]];
            const gascl_offset last = min(first + GASCL_AHEAD, offsets[ids[i + 2] + 1]);
            for (gascl_offset arc = first; arc < last; ++arc)
                GASCL_PREFETCH_RECEIVER(targets[arc]);
        }
        gascl_visit(ids[i], queue, progress, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON);
    }
    gascl_deliver_held(queue, progress, GASCL_STATE_ON, words);
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
