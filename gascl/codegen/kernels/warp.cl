// What items of a warp of NVIDIA's do together, in any branch, where they are there at the same time
// (GASCL_PTX_MATCH): atomic operations on one place wait for each other, 0.75 ns each on an H100, so
// that one item does what all would do there.

// Of the items with the same place: the number of this one; those behind it that still have something, as bits;
// and how many there are, for the first one, for others 0. `here`: all items of the warp that take part.
typedef struct {
    uint here, rank, behind, count;
} gascl_peers;

static gascl_peers gascl_peers_at(const volatile __global void *place) {
    gascl_peers peers;
    uint same, item;
    __asm__ volatile(
        "{ activemask.b32 %0; match.any.sync.b64 %1, %3, %0; mov.u32 %2, %%laneid; }"
        : "=&r"(peers.here), "=&r"(same), "=&r"(item) : "l"(place));
    peers.rank = popcount(same & ((1u << item) - 1));
    peers.behind = same & 0xfffffffeu << item;
    peers.count = peers.rank == 0 ? popcount(same) : 0;
    return peers;
}

// Of the items that take part, as bits: whether something is true of each.
static uint gascl_ballot_of(const uint here, const bool set) {
    uint word;
    __asm__ volatile(
        "{ .reg .pred set; setp.ne.s32 set, %1, 0; vote.sync.ballot.b32 %0, set, %2; }"
        : "=r"(word) : "r"((int)set), "r"(here));
    return word;
}

// What another item that takes part has.
static uint gascl_word_of(const uint here, const uint word, const uint item) {
    uint found;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;"
                     : "=r"(found) : "r"(word), "r"(item), "r"(here));
    return found;
}

static ulong gascl_ulong_of(const uint here, const ulong x, const uint item) {
    const ulong high = gascl_word_of(here, (uint)(x >> 32), item);
    return high << 32 | gascl_word_of(here, (uint)x, item);
}

// A loop of turns: in each, every second item that is left hands what it has to the one before it (Westphal,
// Voting and Shuffling to Optimize Atomic Operations, 2015). An item then asks `next` for it, and takes it
// if any is left behind. The first item has everything at the end.
#define GASCL_FOR_TURNS(peers, next)                                                          \
    for (uint next;                                                                           \
         gascl_ballot_of((peers).here, (peers).behind != 0) &&                                \
         (next = 31 - clz((peers).behind ? (peers).behind & -(peers).behind : 1u), true);     \
         (peers).behind &= gascl_ballot_of((peers).here, (peers).rank % 2 == 0),              \
         (peers).rank /= 2)
