// The lanes in which an arc may carry a message, as a bit mask, for programs with several lanes.
// GASCL_ASKS_MASK is 0 if these are always all lanes.
#if GASCL_KNOWS_LANES  // the delivery defines GASCL_SENDING_LANES
#define GASCL_ASKS_MASK 1
#elif defined(GASCL_SENDER) && !GASCL_SCATTER_ALL
#define GASCL_ASKS_MASK 1
#define GASCL_SENDING_LANES(arc) (GASCL_SCATTERS(GASCL_SENDER(arc)) ? ~(ulong)0 : 0)
#else
#define GASCL_ASKS_MASK 0
#define GASCL_SENDING_LANES(arc) (~(ulong)0)
#endif
