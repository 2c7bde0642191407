// The commit of lists of active vertices, for programs without a priority: the vertices that were put
// into the mask become the next superstep's mask and frontier.

#if GASCL_GROUP == 1 && !GASCL_LISTS_DIRECTLY && !GASCL_SCATTER_ALL
// Whether the commit goes through all vertices, since many come into the mask or leave it: an item then owns their
// flags, which need no atomic operation.
static bool gascl_commits_densely(GASCL_STATE, const int starting) {
    const int few = gascl_run_->graph.gascl_rows / GASCL_DENSE;
    return GASCL_LENGTH(LISTED) > few ||
           (!starting && GASCL_FRONTIER_LENGTH(gascl_control_->superstep) > few);
}

static void gascl_commit_all(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                             const int starting, long2 *counted) {
    const int coming = gascl_control_->superstep + !starting;
    __global int2 *next = gascl_frontier_of(frontiers, coming, most_pieces);
    __global int *length = &GASCL_FRONTIER_LENGTH(coming);
    gascl_pieces held;
    held.count = 0;
    GASCL_FOR_SHARE(id, gascl_run_->graph.gascl_rows, 4096) {
        const bool set = gascl_flags[id] & (GASCL_BY_SELF | GASCL_BY_OTHER);
        gascl_flags[id] = set ? GASCL_MASK_BIT(coming) : 0;
        counted->x += set;
        counted->y += gascl_list_if(set, id, offsets[id + 1] - offsets[id], &held, next, length);
    }
    gascl_flush_pieces(&held, next, length);
}
#else
#define gascl_commits_densely(...) false
#define gascl_commit_all(...)
#endif

// `starting`: the next superstep is the first one of the run, so that there is no earlier frontier. Adds
// to the numbers of vertices in the mask and of their arcs.
static void gascl_commit_listed(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                                const int starting, long2 *counted) {
    const int superstep = gascl_control_->superstep;
    const int coming = starting ? superstep : superstep + 1;
    __global int2 *next = gascl_frontier_of(frontiers, coming, most_pieces);
    __global int *length = &GASCL_FRONTIER_LENGTH(coming);
    gascl_pieces held;
    held.count = 0;
#if GASCL_SCATTER_ALL
    GASCL_FOR_SHARE(id, gascl_run_->graph.gascl_rows, 4096) {
        const bool set = gascl_flags[id] & (GASCL_BY_SELF | GASCL_BY_OTHER);
        gascl_flags[id] = set ? GASCL_MASK_BIT(coming) : 0;
    }
#elif GASCL_LISTS_DIRECTLY
    GASCL_FOR_SHARE(i, GASCL_LENGTH(LISTED), 256) {
        const int id = GASCL_FIRST_LISTED[i];
        counted->x += 1;
        counted->y += gascl_list(id, offsets[id + 1] - offsets[id], &held, next, length);
    }
#else
    GASCL_FOR_SHARE(j, GASCL_LENGTH(LISTED), 256) {
        const int id = gascl_listed[j];
        const uint set = GASCL_BY_SELF | GASCL_BY_OTHER;
        if (atomic_and(&gascl_flags[id], ~(set | GASCL_LISTED)) & set) {
            atomic_or(&gascl_flags[id], GASCL_MASK_BIT(coming));
            counted->x += 1;
            counted->y += gascl_list(id, offsets[id + 1] - offsets[id], &held, next, length);
        }
    }
#endif
    gascl_flush_pieces(&held, next, length);
}

// The end of a superstep.
static void gascl_commit_phase(const gascl_team team, GASCL_STATE, GASCL_COMMITTED,
                               const int starting, long2 *counted) {
    if (gascl_commits_densely(GASCL_STATE_ON, starting)) {
        gascl_commit_all(team, GASCL_STATE_ON, GASCL_COMMITTED_ON, starting, counted);
        return;
    }
    if (!starting)
        gascl_uncommit(gascl_with_second_counter(team), GASCL_STATE_ON, GASCL_COMMITTED_ON);
    gascl_commit_listed(team, GASCL_STATE_ON, GASCL_COMMITTED_ON, starting, counted);
}

__kernel void gascl_commit(GASCL_STATE, GASCL_COMMITTED, __global long *restrict counts,
                           const int starting) {
    __local gascl_shared shared;  // PoCL 5 aborts without optimization where it is never used
    long2 counted = 0;
    gascl_commit_phase(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON, GASCL_COMMITTED_ON,
                       starting, &counted);
    gascl_count(counted.x, counted.y, counts, &shared);
}

static void gascl_renew_buckets(__global int *gascl_lengths, gascl_control *now) {}
