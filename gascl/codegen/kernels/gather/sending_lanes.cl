// The lanes in which an arc may carry a message, as a bit mask, for programs with several lanes.
// GASCL_SOME_ARCS_CARRY_NONE is 0 if these are always all lanes.
#if GASCL_KNOWS_LANES  // the delivery defines GASCL_SENDING_LANES
#define GASCL_SOME_ARCS_CARRY_NONE 1
#elif defined(GASCL_SENDER) && !GASCL_SCATTER_ALL
#define GASCL_SOME_ARCS_CARRY_NONE 1
#define GASCL_SENDING_LANES(arc) (GASCL_SCATTERS(GASCL_SENDER(arc)) ? ~(ulong)0 : 0)
#else
#define GASCL_SOME_ARCS_CARRY_NONE 0
#define GASCL_SENDING_LANES(arc) (~(ulong)0)
#endif
