// A loop over the receivers of an item. Where there are several, all are one vector, however wide registers
// are: without a loop that is left, what they are sent stays in registers from sender to sender.
#if GASCL_GROUP == 1 && defined(__clang__)
#define GASCL_FOR_RECEIVERS                                                                             \
    _Pragma("clang loop vectorize_width(GASCL_RECEIVERS_PER_ITEM) interleave_count(1)")                 \
    for (int i = 0; i < GASCL_RECEIVERS_PER_ITEM; ++i)
#else
#define GASCL_FOR_RECEIVERS for (int i = 0; i < GASCL_RECEIVERS_PER_ITEM; ++i)
#endif
