// The phases of delivery `asynchronous`, in a persistent kernel: fields are packed, bins are filled, there are
// rounds, and fields are unpacked.
#include "asynchronous/visits.cl"

#define GASCL_PERSISTENT_STATE                                                          \
    __global long *GASCL_RESTRICT posted, __global gascl_tally *GASCL_RESTRICT tallies, \
        __global long *GASCL_RESTRICT counts
#define GASCL_PERSISTENT_STATE_ON posted, tallies, counts
#define GASCL_SWAPS 0
#define GASCL_SWAP_BUFFERS()
// A round with at most so many vertices is done by one group alone.
#define GASCL_FEW_VERTICES 64
// So many vertices are started and packed together, or unpacked and counted, while they are in the cache.
#define GASCL_START_PART 4096

static gascl_queue gascl_queue_of(const int rank, volatile __global int *team_words, GASCL_STATE,
                                  __global gascl_packed *words, GASCL_QUEUED) {
    gascl_queue queue;
    queue.pool = pool;
    queue.words = words;
    queue.worker = &workers[rank];
    queue.team_words = team_words;
    queue.base = GASCL_READ_TEAM(BASE);
    queue.blocks = GASCL_NUM_BLOCKS(gascl_run_->graph.gascl_rows);
#if GASCL_PRIORITY
    queue.by_width = 1 / gascl_run_->graph.gascl_delta;
#endif
    return queue;
}

#define GASCL_BIN_NOW(id) \
    gascl_bin_of(gascl_unpacked(words[id], id, GASCL_STATE_ON), &queue, GASCL_STATE_ON)

static GASCL_INLINE void gascl_run_phase(const int phase, const gascl_team team,
                                         GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                         GASCL_PERSISTENT_STATE, volatile __global int *team_words,
                                         GASCL_START_STATE, __local gascl_shared *shared,
                                         __local gascl_step_memory *memory) {
    gascl_queue queue = gascl_queue_of(team.rank, team_words, GASCL_STATE_ON, words, GASCL_QUEUED_ON);
    gascl_progress progress = {0};
    const int n = gascl_run_->graph.gascl_rows;
    int lowest = INT_MAX;
    gascl_tally tally;
    switch (phase) {
    case GASCL_PHASE_START:  // no program of this delivery has aggregators
        gascl_start_vertices(team, &tally, GASCL_STATE_ON, GASCL_FIRST_VALUES_ON);
        break;
    case GASCL_PHASE_PACK: {
        const bool starting = GASCL_READ_TEAM(STARTING);
        const int parts = n / GASCL_START_PART + 1;
        GASCL_FOR_PARTS(part, parts) {
            const gascl_team team = gascl_part_of(part, parts);
            if (starting && !GASCL_INIT_MARKS)
                gascl_start_vertices(team, &tally, GASCL_STATE_ON, GASCL_FIRST_VALUES_ON);
            GASCL_FOR_SHARE(id, n, n) {
                words[id] = gascl_pack_fields(id, GASCL_STATE_ON);
                if (starting)
                    gascl_commit_mask(id GASCL_MASKS_ON);
                if (gascl_mask[id])
                    lowest = min(lowest, GASCL_BIN_NOW(id));
            }
        }
        break;
    }
    case GASCL_PHASE_LOWEST:
        if (GASCL_READ_TEAM(UNLISTED)) {
            GASCL_FOR_SHARE(id, n, 4096)
                if (gascl_mask[id])
                    lowest = min(lowest, GASCL_BIN_NOW(id));
        } else {
            GASCL_FOR_SHARE(i, GASCL_READ_TEAM(BLOCKS), 1)
                for (int j = 0; j < GASCL_BLOCK_COUNT(&queue, shared_blocks[i]); ++j) {
                    const int id = GASCL_BLOCK_IDS(&queue, shared_blocks[i])[j];
                    if (GASCL_IS_FRESH(&queue, id, GASCL_BLOCK_SEEN(&queue, shared_blocks[i])[j]))
                        lowest = min(lowest, GASCL_BIN_NOW(id));
                }
        }
        break;
    case GASCL_PHASE_FILL:
        if (GASCL_READ_TEAM(FROM_MASK)) {
            GASCL_FOR_SHARE(id, n, 4096)
                if (gascl_mask[id]) {
                    gascl_mask[id] = 0;
                    gascl_add_to_bin(id, words[id], GASCL_BIN_NOW(id), &queue, gascl_mask);
                }
        } else {
            GASCL_FOR_SHARE(i, GASCL_READ_TEAM(BLOCKS), 1) {
                const int block = shared_blocks[i];
                for (int j = 0; j < GASCL_BLOCK_COUNT(&queue, block); ++j) {
                    const int id = GASCL_BLOCK_IDS(&queue, block)[j];
                    if (GASCL_IS_FRESH(&queue, id, GASCL_BLOCK_SEEN(&queue, block)[j]))
                        gascl_add_to_bin(id, words[id], GASCL_BIN_NOW(id), &queue, gascl_mask);
                }
                gascl_free_block(block, &queue);
            }
        }
        break;
    case GASCL_PHASE_ROUND:
        gascl_run_round(team, &queue, &progress, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_STEP_ON);
        break;
    case GASCL_PHASE_LONG_ROWS:
        gascl_visit_long_rows(team, &queue, &progress, GASCL_STATE_ON GASCL_EDGE_ON,
                              GASCL_STEP_ON);
        break;
    case GASCL_PHASE_UNPACK: {
        const int parts = n / GASCL_START_PART + 1;
        GASCL_FOR_PARTS(part, parts) {
            const gascl_team team = gascl_part_of(part, parts);
            GASCL_FOR_SHARE(id, n, n)
                gascl_unpack_fields(words[id], id, GASCL_STATE_ON);
#if GASCL_REALS
            gascl_count_nans(team, GASCL_STATE_ON,
                             (__global int *)(size_t)(team_words + GASCL_STRIDE * GASCL_TEAM_WORDS));
#endif
        }
        break;
    }
    }
    if (lowest < INT_MAX)
        atomic_min(&GASCL_TEAM(LOWEST), lowest);
    posted[team.rank] += progress.messages;
    counts[2 * team.rank + 1] += progress.arcs;
}

// What the group that arrived last does between two phases; returns the next one.
static int gascl_end_phase(const int phase, const int ranks, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                           GASCL_PERSISTENT_STATE, volatile __global int *team_words,
                           const int begins, const int num_tallies, const int ask_stop,
                           const long least_arcs, const long most_arcs, const int supersteps,
                           const int most_work, __local gascl_shared *shared) {
    GASCL_TEAM(SMALL) = gascl_run_->graph.gascl_rows <= GASCL_SMALL_WORK;
    gascl_queue queue = gascl_queue_of(0, team_words, GASCL_STATE_ON, words, GASCL_QUEUED_ON);
    int vertices = 0;
    switch (phase) {
    case GASCL_PHASE_JOIN:
        GASCL_TEAM(STARTING) = begins;
        GASCL_TEAM(LOWEST) = INT_MAX;
        gascl_control_->clock = GASCL_CLOCK();
        for (int i = 0; i < (int)get_num_groups(0); ++i)
            posted[i] = counts[2 * i + 1] = 0;
        gascl_empty_bins(workers, team_words);
        return begins && GASCL_INIT_MARKS ? GASCL_PHASE_START : GASCL_PHASE_PACK;
    case GASCL_PHASE_START:
        return GASCL_PHASE_PACK;
    case GASCL_PHASE_PACK:
        GASCL_TEAM(UNLISTED) = 1;
    // The bins are still to be filled: the next phase is as after this one.
    case GASCL_PHASE_LOWEST:
        if (GASCL_READ_TEAM(LOWEST) == INT_MAX)
            break;
        GASCL_TEAM(FROM_MASK) = GASCL_READ_TEAM(UNLISTED);
        if (GASCL_READ_TEAM(UNLISTED))
            gascl_empty_bins(workers, team_words);
        GASCL_TEAM(UNLISTED) = 0;
        GASCL_TEAM(BASE) = GASCL_READ_TEAM(LOWEST);
        return GASCL_PHASE_FILL;
    case GASCL_PHASE_ROUND:
        if (GASCL_READ_TEAM(LONG)) {
            GASCL_TEAM(SMALL) = 0;
            return GASCL_PHASE_LONG_ROWS;
        }
    // All of its vertices have scattered: the next phase is as after these two.
    case GASCL_PHASE_FILL:
    case GASCL_PHASE_LONG_ROWS:
        GASCL_TEAM(LONG) = 0;
        vertices = gascl_share_lowest_bin(&queue, ranks, workers, shared_blocks);
        if (vertices)
            break;
        GASCL_TEAM(LOWEST) = INT_MAX;
        if (gascl_share_bin(GASCL_BINS, &queue, ranks, workers, shared_blocks) == 0 &&
            !GASCL_READ_TEAM(UNLISTED))
            break;
        if (GASCL_READ_TEAM(UNLISTED))  // the bins are filled from the mask
            gascl_mark_shared(&queue, shared_blocks, gascl_mask);
        return GASCL_PHASE_LOWEST;
    default:
        return GASCL_PHASE_END;
    }
    // A round has ended, and it is known how many vertices begin the next one.
    const int starting = GASCL_READ_TEAM(STARTING);
    int done = GASCL_READ_TEAM(DONE);
    gascl_tally tally;
    gascl_control now;
    long arcs = 0;
    GASCL_ZERO_TALLY(tally);
    for (int i = 0; i < ranks; ++i) {
        tally.messages += posted[i];
        arcs += counts[2 * i + 1];
        posted[i] = 0;
    }
    if (starting || GASCL_READ_TEAM(ROUNDS)) {
        __global gascl_control *records =
            (__global gascl_control *)(size_t)(team_words + GASCL_TEAM_SIZE);
        gascl_decide_on(&now, &tally, vertices, 0, GASCL_STATE_ON, starting, ask_stop, least_arcs,
                        most_arcs, records, done);
        GASCL_TEAM(DONE) = done += !starting;
        GASCL_TEAM(STARTING) = 0;
        if (now.stopped || done >= supersteps || arcs / 1024 >= most_work) {
            gascl_mark_all(&queue, ranks, workers, shared_blocks, gascl_mask);
            return GASCL_PHASE_UNPACK;
        }
    }
    GASCL_TEAM(ROUNDS) = 1;
    GASCL_TEAM(SMALL) = vertices <= GASCL_FEW_VERTICES;
    return GASCL_PHASE_ROUND;
}

// Whether one group does a phase alone.
static bool gascl_is_small(const int phase, GASCL_STATE, volatile __global int *team_words) {
    return phase != GASCL_PHASE_END && GASCL_READ_TEAM(SMALL);
}
