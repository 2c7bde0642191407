// The queue of delivery `asynchronous`. The mask tells which vertices wait to scatter, by a byte for each.
// Those that belong into one of the next GASCL_BINS bins are also listed there, by each group in bins of its
// own (bins of priorities; without a priority, bins of rounds). When all bins are empty, they are filled again
// from the mask.
//
// A bin is a chain of blocks from `pool`: a block has the number of the next one (or -1), the number of its
// vertices, and the vertices. A vertex may be in several bins; it scatters from the lowest one. If `pool` is
// used up, what is not listed waits until the bins are empty.
typedef struct {
    ulong filled;           // a bit for each bin that has a block
    int heads[GASCL_BINS];  // the first block of each of them
    int free;               // the first of the blocks that it may use again, or -1
    int fresh, end;         // blocks that it has taken from the pool
    int unused[11];         // the rest of a cache line
} gascl_worker;

#define GASCL_QUEUED                                                                      \
    __global int *GASCL_RESTRICT pool, __global int *GASCL_RESTRICT shared_blocks, \
        __global int *GASCL_RESTRICT long_rows, __global gascl_worker *GASCL_RESTRICT workers
#define GASCL_QUEUED_ON pool, shared_blocks, long_rows, workers

// The queue as a group sees it. `base`: the bin whose vertices scatter now.
typedef struct {
    __global int *pool;
    __global gascl_worker *worker;
    volatile __global int *team_words;
    int base, blocks;
#if GASCL_PRIORITY
    real by_width;  // 1 / the width of a bin
#endif
} gascl_queue;

#define GASCL_NUM_BLOCKS(vertices) ((vertices) / GASCL_VERTICES_OF_BLOCK + GASCL_SPARE_BLOCKS)
#define GASCL_BLOCK_NEXT(queue, block) (queue)->pool[(size_t)(block) * GASCL_BLOCK_WORDS]
#define GASCL_BLOCK_COUNT(queue, block) (queue)->pool[(size_t)(block) * GASCL_BLOCK_WORDS + 1]
#define GASCL_BLOCK_IDS(queue, block) (&(queue)->pool[(size_t)(block) * GASCL_BLOCK_WORDS + 2])
#define GASCL_BIN(bin) ((bin) & (GASCL_BINS - 1))

// An empty block, or -1 if there is none.
static int gascl_new_block(gascl_queue *queue) {
    __global gascl_worker *worker = queue->worker;
    int block = worker->free;
    if (block >= 0) {
        worker->free = GASCL_BLOCK_NEXT(queue, block);
        return block;
    }
    volatile __global int *used = &queue->team_words[GASCL_STRIDE * GASCL_TEAM_USED];
    if (worker->fresh == worker->end && *used < queue->blocks) {
        worker->fresh = min(atomic_add(used, GASCL_BLOCKS_AT_ONCE), queue->blocks);
        worker->end = min(worker->fresh + GASCL_BLOCKS_AT_ONCE, queue->blocks);
    }
    return worker->fresh < worker->end ? worker->fresh++ : -1;
}

static void gascl_free_block(const int block, gascl_queue *queue) {
    GASCL_BLOCK_NEXT(queue, block) = queue->worker->free;
    queue->worker->free = block;
}

// Lists a vertex that waits.
static void gascl_add_to_bin(const int id, const int number, gascl_queue *queue) {
    __global gascl_worker *worker = queue->worker;
    if ((long)number - queue->base >= GASCL_BINS)
        return;
    const int bin = GASCL_BIN(max(number, queue->base));
    int block = worker->filled >> bin & 1 ? worker->heads[bin] : -1;
    if (block < 0 || GASCL_BLOCK_COUNT(queue, block) == GASCL_BLOCK_WORDS - 2) {
        const int fresh = gascl_new_block(queue);
        if (fresh < 0)
            return;
        GASCL_BLOCK_NEXT(queue, fresh) = block;
        GASCL_BLOCK_COUNT(queue, fresh) = 0;
        worker->filled |= 1UL << bin;
        worker->heads[bin] = block = fresh;
    }
    GASCL_BLOCK_IDS(queue, block)[GASCL_BLOCK_COUNT(queue, block)++] = id;
}

// Whether a group has more than so many blocks in the current bin.
static bool gascl_has_blocks(const gascl_queue *queue, int many) {
    const int bin = GASCL_BIN(queue->base);
    int block = queue->worker->filled >> bin & 1 ? queue->worker->heads[bin] : -1;
    for (; block >= 0 && many; --many)
        block = GASCL_BLOCK_NEXT(queue, block);
    return block >= 0;
}

static bool gascl_has_many(const gascl_queue *queue) {
    return gascl_has_blocks(queue, GASCL_MOST_LOCAL_BLOCKS);
}

static bool gascl_has_few(const gascl_queue *queue) {
    return gascl_has_blocks(queue, 0) && !gascl_has_many(queue);
}

// Takes a group's vertices out of the current bin; returns the first of their blocks.
static int gascl_take_bin(gascl_queue *queue) {
    const int bin = GASCL_BIN(queue->base);
    queue->worker->filled &= ~(1UL << bin);
    return queue->worker->heads[bin];
}

// What the group that arrives last does between two phases.

// Empties the bins of all groups.
static void gascl_empty_bins(__global gascl_worker *workers, volatile __global int *team_words) {
    for (int i = 0; i < (int)get_num_groups(0); ++i) {
        workers[i].filled = 0;
        workers[i].free = -1;
        workers[i].fresh = workers[i].end = 0;
    }
    team_words[GASCL_STRIDE * GASCL_TEAM_USED] = 0;
}

// Makes the lowest bin of any group the current one, whose blocks groups then share; returns how many vertices
// it has.
static int gascl_share_lowest_bin(gascl_queue *queue, const int ranks,
                                  __global gascl_worker *workers,
                                  __global int *shared_blocks) {
    ulong filled = 0;
    for (int i = 0; i < ranks; ++i)
        filled |= workers[i].filled;
    if (!filled)
        return 0;
    const ulong from_base = rotate(filled, (ulong)(GASCL_BINS - GASCL_BIN(queue->base)));
    queue->base += 63 - (int)clz(from_base & -from_base);
    const int bin = GASCL_BIN(queue->base);
    int count = 0, vertices = 0;
    for (int i = 0; i < ranks; ++i) {
        if (!(workers[i].filled >> bin & 1))
            continue;
        workers[i].filled &= ~(1UL << bin);
        for (int block = workers[i].heads[bin]; block >= 0; block = GASCL_BLOCK_NEXT(queue, block)) {
            shared_blocks[count++] = block;
            vertices += GASCL_BLOCK_COUNT(queue, block);
        }
    }
    queue->team_words[GASCL_STRIDE * GASCL_TEAM_BASE] = queue->base;
    queue->team_words[GASCL_STRIDE * GASCL_TEAM_BLOCKS] = count;
    return vertices;
}
