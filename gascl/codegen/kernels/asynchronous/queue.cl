// The queue of delivery `asynchronous`: the vertices that wait to scatter. Each group lists them in bins of its
// own: bins of priorities, or without a priority, of rounds. There are GASCL_BINS of them from the current one
// on, and another one for all vertices that belong farther on, from which the others are filled again when they
// are empty.
//
// A bin is a chain of blocks from `pool`: a block has the number of the next one (or -1), the number of its
// entries, their vertices, and the words that these had. A vertex may be listed several times; an entry is
// stale, and dropped, if what the vertex sends has changed since: whoever changed that has listed it, too. If
// `pool` is used up, a vertex is put into the mask instead; when the bins are empty, they are filled again from
// it. Between two launches, all that wait are there.
typedef struct {
    ulong filled;               // a bit for each bin that has a block
    int heads[GASCL_BINS + 1];  // the first block of each of them; that of far vertices, or -1
    int free;                   // the first of the blocks that it may use again, or -1
    int fresh, end;             // blocks that it has taken from the pool
    int unused[10];             // the rest of a cache line
} gascl_worker;

#define GASCL_QUEUED                                                                      \
    __global int *GASCL_RESTRICT pool, __global int *GASCL_RESTRICT shared_blocks, \
        __global int *GASCL_RESTRICT long_rows, __global gascl_worker *GASCL_RESTRICT workers
#define GASCL_QUEUED_ON pool, shared_blocks, long_rows, workers

// The queue as a group sees it. `base`: the bin whose vertices scatter now.
typedef struct {
    __global int *pool;
    __global gascl_packed *words;
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
// So many entries fit into a block.
#define GASCL_BLOCK_ENTRIES ((GASCL_BLOCK_WORDS - 2) / (1 + GASCL_PACKED_BITS / 32))
#define GASCL_BLOCK_SEEN(queue, block) \
    ((__global gascl_packed *)(GASCL_BLOCK_IDS(queue, block) + GASCL_BLOCK_ENTRIES))
// Whether a vertex still sends what it would have sent when its word was `seen`.
#define GASCL_IS_FRESH(queue, id, seen) \
    (((*(volatile __global gascl_packed *)&(queue)->words[id] ^ (seen)) & GASCL_SENT_BITS) == 0)
#define GASCL_BIN(bin) ((bin) & (GASCL_BINS - 1))

// An empty block, or -1 if there is none. Far vertices have only half of the pool, so that there is always a
// block for the lowest bin, and the run goes on.
static int gascl_new_block(gascl_queue *queue, const bool far) {
    __global gascl_worker *worker = queue->worker;
    int block = worker->free;
    if (block >= 0) {
        worker->free = GASCL_BLOCK_NEXT(queue, block);
        return block;
    }
    volatile __global int *used = &queue->team_words[GASCL_STRIDE * GASCL_TEAM_USED];
    const int most = far ? queue->blocks / 2 : queue->blocks;
    const int many = min(GASCL_BLOCKS_AT_ONCE, most - *used);
    if (worker->fresh == worker->end && many > 0) {
        worker->fresh = min(atomic_add(used, many), queue->blocks);
        worker->end = min(worker->fresh + many, queue->blocks);
    }
    return worker->fresh < worker->end ? worker->fresh++ : -1;
}

static void gascl_free_block(const int block, gascl_queue *queue) {
    GASCL_BLOCK_NEXT(queue, block) = queue->worker->free;
    queue->worker->free = block;
}

// The first block of a bin, or -1.
static int gascl_head(__global const gascl_worker *worker, const int bin) {
    return bin == GASCL_BINS || worker->filled >> bin & 1 ? worker->heads[bin] : -1;
}

// Empties a bin, of which another list has the blocks.
static void gascl_clear_bin(__global gascl_worker *worker, const int bin) {
    if (bin < GASCL_BINS)
        worker->filled &= ~(1UL << bin);
    worker->heads[bin] = -1;
}

// Lists a vertex that waits, and has this word.
static void gascl_add_to_bin(const int id, const gascl_packed word, const int number,
                             gascl_queue *queue, __global uchar *mask) {
    __global gascl_worker *worker = queue->worker;
    const bool far = (long)number - queue->base >= GASCL_BINS;
    const int bin = far ? GASCL_BINS : GASCL_BIN(max(number, queue->base));
    int block = gascl_head(worker, bin);
    if (block < 0 || GASCL_BLOCK_COUNT(queue, block) == GASCL_BLOCK_ENTRIES) {
        const int fresh = gascl_new_block(queue, far);
        if (fresh < 0) {
            mask[id] = 1;
            queue->team_words[GASCL_STRIDE * GASCL_TEAM_UNLISTED] = 1;
            return;
        }
        GASCL_BLOCK_NEXT(queue, fresh) = block;
        GASCL_BLOCK_COUNT(queue, fresh) = 0;
        if (!far)
            worker->filled |= 1UL << bin;
        worker->heads[bin] = block = fresh;
    }
    const int at = GASCL_BLOCK_COUNT(queue, block)++;
    GASCL_BLOCK_IDS(queue, block)[at] = id;
    GASCL_BLOCK_SEEN(queue, block)[at] = word;
}

// Whether a group has more than so many blocks in the current bin.
static bool gascl_has_blocks(const gascl_queue *queue, int many) {
    int block = gascl_head(queue->worker, GASCL_BIN(queue->base));
    for (; block >= 0 && many; --many)
        block = GASCL_BLOCK_NEXT(queue, block);
    return block >= 0;
}

static bool gascl_has_many(const gascl_queue *queue) {
    return gascl_has_blocks(queue, GASCL_MOST_LOCAL / GASCL_BLOCK_ENTRIES);
}

static bool gascl_has_few(const gascl_queue *queue) {
    return gascl_has_blocks(queue, 0) && !gascl_has_many(queue);
}

// Takes a group's vertices out of the current bin; returns the first of their blocks.
static int gascl_take_bin(gascl_queue *queue) {
    const int bin = GASCL_BIN(queue->base), block = gascl_head(queue->worker, bin);
    gascl_clear_bin(queue->worker, bin);
    return block;
}

// What the group that arrives last does between two phases.

// Empties the bins of all groups.
static void gascl_empty_bins(__global gascl_worker *workers, volatile __global int *team_words) {
    for (int i = 0; i < (int)get_num_groups(0); ++i) {
        workers[i].filled = 0;
        workers[i].heads[GASCL_BINS] = -1;
        workers[i].free = -1;
        workers[i].fresh = workers[i].end = 0;
    }
    team_words[GASCL_STRIDE * GASCL_TEAM_USED] = 0;
}

// Puts the blocks that all groups have in a bin into a list, so that groups share them; returns how many
// vertices they have.
static int gascl_share_bin(const int bin, gascl_queue *queue, const int ranks,
                           __global gascl_worker *workers, __global int *shared_blocks) {
    int count = 0, vertices = 0;
    for (int i = 0; i < ranks; ++i) {
        for (int block = gascl_head(&workers[i], bin); block >= 0;
             block = GASCL_BLOCK_NEXT(queue, block)) {
            shared_blocks[count++] = block;
            vertices += GASCL_BLOCK_COUNT(queue, block);
        }
        gascl_clear_bin(&workers[i], bin);
    }
    queue->team_words[GASCL_STRIDE * GASCL_TEAM_BLOCKS] = count;
    return vertices;
}

// Makes the lowest bin of any group the current one, and shares it.
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
    queue->team_words[GASCL_STRIDE * GASCL_TEAM_BASE] = queue->base;
    return gascl_share_bin(GASCL_BIN(queue->base), queue, ranks, workers, shared_blocks);
}

// Puts the vertices in a block into the mask.
static void gascl_mark_block(const int block, const gascl_queue *queue, __global uchar *mask) {
    for (int i = 0; i < GASCL_BLOCK_COUNT(queue, block); ++i)
        mask[GASCL_BLOCK_IDS(queue, block)[i]] = 1;
}

// The same for all that groups share.
static void gascl_mark_shared(const gascl_queue *queue, __global const int *shared_blocks,
                              __global uchar *mask) {
    for (int i = 0; i < queue->team_words[GASCL_STRIDE * GASCL_TEAM_BLOCKS]; ++i)
        gascl_mark_block(shared_blocks[i], queue, mask);
}

// The same for all that wait.
static void gascl_mark_all(const gascl_queue *queue, const int ranks,
                           __global const gascl_worker *workers,
                           __global const int *shared_blocks, __global uchar *mask) {
    gascl_mark_shared(queue, shared_blocks, mask);
    for (int i = 0; i < ranks; ++i)
        for (int bin = 0; bin <= GASCL_BINS; ++bin)
            for (int block = gascl_head(&workers[i], bin); block >= 0;
                 block = GASCL_BLOCK_NEXT(queue, block))
                gascl_mark_block(block, queue, mask);
}
