// The share of an item in a group of several: neighboring items take neighboring things.
#define GASCL_FOR_TAKES(n, chunk)
#define GASCL_FOR_TAKEN(i, n)                                      \
    for (long i = (long)team.rank * GASCL_GROUP + get_local_id(0), \
              gascl_end = team.idle ? 0 : (n);                     \
         i < gascl_end; i += (long)team.groups * GASCL_GROUP)
// The parts that a group does, one after the other.
#define GASCL_FOR_PARTS(part, n) for (int part = team.rank; part < (n); part += team.groups)
