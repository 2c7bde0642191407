// The share of an item that is a work-group of its own.

// An item's next share of n things, about `chunk` of them: `from` to before `to`. The only item of a
// group owns what it takes. `calls` is the number of earlier calls in this loop.
static bool gascl_share(const gascl_team team, const int n, const int chunk, const int calls,
                        int *from, int *to) {
    if (team.idle)
        return false;
    if (team.taken) {
        const uint begin = (uint)atomic_add(team.taken, chunk);
        *from = (int)begin;
        *to = (int)min((uint)n, begin + (uint)chunk);
        return begin < (uint)n;
    }
    const long share = ((long)n + team.groups - 1) / team.groups;
    *from = (int)min((long)n, share * team.rank);
    *to = (int)min((long)n, share * (team.rank + 1));
    return calls == 0 && *from < *to;
}
#define GASCL_FOR_TAKES(n, chunk)                   \
    for (int gascl_calls = 0, gascl_from, gascl_to; \
         gascl_share(team, n, chunk, gascl_calls, &gascl_from, &gascl_to); ++gascl_calls)
#define GASCL_FOR_TAKEN(i, n) for (int i = gascl_from; i < gascl_to; ++i)
#define GASCL_FOR_PARTS(part, n) GASCL_FOR_SHARE(part, n, 1)
