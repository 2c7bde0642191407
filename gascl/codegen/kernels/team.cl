// The team: the work-groups that share the work of a phase. In most kernels, these are all groups of a
// launch; in a persistent kernel (persistent/), the groups that have joined it.
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
static gascl_team gascl_with_second_counter(gascl_team team) {
    if (team.taken)
        team.taken += GASCL_STRIDE;
    return team;
}

// GASCL_FOR_SHARE(i, n, chunk): a loop over an item's share of the work of a phase, n things, of which it
// takes about `chunk` at once. It is two loops: GASCL_FOR_TAKES(n, chunk), and in it GASCL_FOR_TAKEN(i, n),
// which may also be there several times. GASCL_FOR_PARTS(part, n): a loop over a group's share of n parts,
// each of which all items of the group do together. No such file exists: gascl/delivery/assembly.py puts
// team/item.cl here where a work-group is one item, and otherwise team/group.cl.
#include "share.cl"
#define GASCL_FOR_SHARE(i, n, chunk) GASCL_FOR_TAKES(n, chunk) GASCL_FOR_TAKEN(i, n)

// A loop over an item's share of the vertices, and in it over all lanes; where a group has several items,
// neighboring items take neighboring lanes.
#if GASCL_GROUP > 1 && GASCL_LANES > 1
#define GASCL_FOR_SHARE_OF_PLACES(id, n)                                                       \
    GASCL_FOR_SHARE(gascl_i, (long)(n) * GASCL_LANES, 4096)                                    \
        for (int id = (int)(gascl_i / GASCL_LANES), gascl_lane = (int)(gascl_i % GASCL_LANES), \
                 gascl_once = 1;                                                               \
             gascl_once; gascl_once = 0)
#else
#define GASCL_FOR_SHARE_OF_PLACES(id, n) GASCL_FOR_SHARE(id, n, 4096) GASCL_FOR_LANES
#endif

// The work of one of so many groups, whichever group does it: sums of floats are then added in the same order.
static gascl_team gascl_part_of(const int part, const int parts) {
    gascl_team team;
    team.rank = part;
    team.groups = parts;
    team.taken = 0;
    team.idle = false;
    return team;
}
