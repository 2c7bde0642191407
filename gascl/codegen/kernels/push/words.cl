// Goes through all rows, a word of the next frontier's bits at a time. `GASCL_ROW_BIT` says what is
// done with a row, and whether its bit is set; `GASCL_PREFETCH_ROW(row)` asks for what a row reads.
#if GASCL_GROUP < 32 && GASCL_PULLS_ALL_ROWS
// Rows in order need no prefetches.
#define GASCL_FOR_WORDS(GASCL_PREFETCH_ROW, GASCL_ROW_BIT)                  \
    GASCL_FOR_SHARE(word, GASCL_WORDS(gascl_run_), 32) {                    \
        const int first = (int)word * 32;                                   \
        const int end = min(first + 32, gascl_run_->graph.gascl_rows);      \
        uint set = 0;                                                       \
        for (int row = first; row < end; ++row)                             \
            set |= (uint)(GASCL_ROW_BIT) << (row - first);                  \
        coming[word] = set;                                                 \
    }
#elif GASCL_GROUP == 1
// While the rows of a word are visited, those of the next one are prefetched, unless another group takes that one, and
// may write them.
#define GASCL_FOR_WORDS(GASCL_PREFETCH_ROW, GASCL_ROW_BIT)                          \
    GASCL_FOR_TAKES(GASCL_WORDS(gascl_run_), 32) {                                  \
        uint left = gascl_pulling_rows(gascl_from * 32, GASCL_STATE_ON, in_offsets); \
        GASCL_FOR_TAKEN(word, GASCL_WORDS(gascl_run_)) {                            \
            const int first = word * 32;                                            \
            const uint next = word + 1 < gascl_to                                           \
                                  ? gascl_pulling_rows(first + 32, GASCL_STATE_ON, in_offsets) \
                                  : 0;                                                      \
            uint set = 0, soon = next;                                              \
            for (; left; left &= left - 1) {                                        \
                const int row = first + 31 - clz(left & -left);                     \
                if (soon) {                                                         \
                    GASCL_PREFETCH_ROW(first + 63 - clz(soon & -soon));             \
                    soon &= soon - 1;                                               \
                }                                                                   \
                set |= (uint)(GASCL_ROW_BIT) << (row - first);                      \
            }                                                                       \
            for (; soon; soon &= soon - 1)                                          \
                GASCL_PREFETCH_ROW(first + 63 - clz(soon & -soon));                 \
            coming[word] = set;                                                     \
            left = next;                                                            \
        }                                                                           \
    }
#elif GASCL_GROUP < 32
#define GASCL_FOR_WORDS(GASCL_PREFETCH_ROW, GASCL_ROW_BIT)                                  \
    GASCL_FOR_SHARE(word, GASCL_WORDS(gascl_run_), 32) {                                    \
        const int first = (int)word * 32;                                                   \
        uint set = 0, left = gascl_pulling_rows(first, GASCL_STATE_ON, in_offsets);         \
        for (; left; left &= left - 1) {                                                    \
            const int row = first + 31 - clz(left & -left);                                 \
            set |= (uint)(GASCL_ROW_BIT) << (row - first);                                  \
        }                                                                                   \
        coming[word] = set;                                                                 \
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
    const long n = gascl_run_->graph.gascl_rows, step = (long)team.groups * GASCL_GROUP;   \
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
    const long n = gascl_run_->graph.gascl_rows, step = (long)team.groups * GASCL_GROUP;   \
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
