// The team: the work-groups that share the work of a phase. In most kernels, these are all groups of a
// launch; in a kernel that makes a whole run (whole/), the groups that have joined it.
typedef struct {
    int rank, groups;              // which one this is, and how many there are
    volatile __global int *taken;  // how much of a phase's work has been taken
    bool idle;                     // there is nothing to do: the run has stopped
} gascl_team;

static gascl_team gascl_team_of_launch(__global const gascl_control *control) {
    gascl_team team;
    team.rank = get_group_id(0);
    team.groups = get_num_groups(0);
    team.taken = 0;
    team.idle = control->stopped != 0;
    return team;
}

// For a second loop in the same phase, which has a counter of its own.
static gascl_team gascl_second_share(gascl_team team) {
    if (team.taken)
        team.taken += GASCL_STRIDE;
    return team;
}

// A clock that all groups share, in any unit.
#if GASCL_PTX_FENCES
static long gascl_clock(void) {
    long now;
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#define GASCL_CLOCK() gascl_clock()
#elif defined(__x86_64__)
#define GASCL_CLOCK() (long)__builtin_readcyclecounter()
#else
#define GASCL_CLOCK() 0
#endif

#if GASCL_GROUP == 1
// An item's next share of n things, about `chunk` of them: `from` to before `to`. The only item of a
// group owns what it takes. `turn` is the number of earlier calls in this loop.
static bool gascl_share(const gascl_team team, const int n, const int chunk, const int turn,
                        int *from, int *to) {
    if (team.taken) {
        const uint begin = (uint)atomic_add(team.taken, chunk);
        *from = (int)begin;
        *to = (int)min((uint)n, begin + (uint)chunk);
        return begin < (uint)n;
    }
    const long share = ((long)n + team.groups - 1) / team.groups;
    *from = (int)min((long)n, share * team.rank);
    *to = (int)min((long)n, share * (team.rank + 1));
    return turn == 0 && !team.idle && *from < *to;
}
#define GASCL_FOR_SHARE(i, n, chunk)                                                            \
    for (int gascl_turn = 0, gascl_from, gascl_to;                                              \
         gascl_share(team, n, chunk, gascl_turn, &gascl_from, &gascl_to); ++gascl_turn)         \
        for (int i = gascl_from; i < gascl_to; ++i)
#else
#define GASCL_FOR_SHARE(i, n, chunk)                                              \
    for (long i = (long)team.rank * GASCL_GROUP + get_local_id(0),                \
              gascl_end = team.idle ? 0 : (n);                                    \
         i < gascl_end; i += (long)team.groups * GASCL_GROUP)
#endif
