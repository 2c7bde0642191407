// The commit of a mask of bytes (mask.cl).
#if GASCL_MASKED
#if GASCL_PRIORITY
// The lowest of a vertex's buckets in its lanes.
static int gascl_lowest_bucket(const int id, GASCL_STATE) {
    int low = INT_MAX;
    GASCL_FOR_LANES low = min(low, gascl_bucket(id, GASCL_STATE_ON GASCL_LANE_ON));
    return low;
}
#endif

// The bytes of a vertex's lanes, in as few words as possible.
#if GASCL_LANES % 8 == 0
typedef ulong gascl_lane_bytes;
#elif GASCL_LANES % 4 == 0
typedef uint gascl_lane_bytes;
#else
typedef uchar gascl_lane_bytes;
#endif

// Whether any lane of a vertex is set; clears them.
static bool gascl_take_lanes(const int id, __global uchar *of) {
    enum { WORDS = GASCL_LANES / sizeof(gascl_lane_bytes) };
    __global gascl_lane_bytes *words = (__global gascl_lane_bytes *)of + (size_t)id * WORDS;
    gascl_lane_bytes set = 0;
    for (int i = 0; i < WORDS; ++i)
        set |= words[i];
    for (int i = 0; (set || (GASCL_GROUP == 1 && WORDS == 1)) && i < WORDS; ++i)
        words[i] = 0;
    return set;
}

// Commits one vertex; whether the mask now holds it.
static uchar gascl_commit_mask(const int id GASCL_MASKS) {
    bool set = gascl_take_lanes(id, gascl_next);
#if GASCL_MARKS
    set |= gascl_take_lanes(id, gascl_marks);
#endif
#if GASCL_PRIORITY
    gascl_mask[id] = set || gascl_mask[id] == GASCL_WAITS ? GASCL_WAITS : 0;
#else
    gascl_mask[id] = set;
#endif
    return gascl_mask[id];
}

// Where the arcs of each vertex begin, if those of the mask are counted here.
#if GASCL_COUNTS_ARCS
#define GASCL_BEGINS , __global const gascl_offset *offsets
#define GASCL_BEGINS_ON , offsets
#else
#define GASCL_BEGINS
#define GASCL_BEGINS_ON
#endif

// The next mask becomes this superstep's. Adds to the numbers of vertices in it and of their arcs.
static void gascl_commit_phase(const gascl_team team, GASCL_STATE GASCL_BEGINS, long2 *counted) {
    GASCL_FOR_SHARE(id, gascl_run_->graph.gascl_rows, 4096) {
        const bool set = gascl_commit_mask(id GASCL_MASKS_ON) != 0;
#if GASCL_PRIORITY
        if (set)
            atomic_min(&gascl_control_->low, gascl_lowest_bucket(id, GASCL_STATE_ON));
#endif
        counted->x += set;
#if GASCL_COUNTS_ARCS
        counted->y += (offsets[id + 1] - offsets[id]) & -(gascl_offset)set;
#endif
    }
}

__kernel void gascl_commit(GASCL_STATE GASCL_BEGINS, __global long *counts) {
    __local gascl_shared shared;
    long2 counted = 0;
    gascl_commit_phase(gascl_team_of_launch(gascl_control_), GASCL_STATE_ON GASCL_BEGINS_ON, &counted);
    gascl_count(counted.x, counted.y, counts, &shared);
}

#if GASCL_PRIORITY
// The lowest bucket becomes the current one; the vertices of all others wait.
__kernel void gascl_select_bucket(GASCL_STATE, __global const gascl_offset *offsets,
                                  __global long *counts) {
    __local gascl_shared shared;
    long vertices = 0, arcs = 0;
    const int low = gascl_control_->low;
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_)) {
        if (gascl_mask[id] && gascl_lowest_bucket(id, GASCL_STATE_ON) == low) {
            gascl_mask[id] = GASCL_IN_CURRENT_BUCKET;
            ++vertices;
            arcs += offsets[id + 1] - offsets[id];
        }
    }
    gascl_count(vertices, arcs, counts, &shared);
}
#endif

// When a run continues: marks the vertices in the mask to be committed again.
__kernel void gascl_enter(GASCL_STATE) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.gascl_rows) {
        for (int gascl_lane_ = 0; gascl_lane_ < GASCL_LANES; ++gascl_lane_)
            gascl_next[(size_t)id * GASCL_LANES + gascl_lane_] = gascl_mask[id] != 0;
        gascl_mask[id] = 0;
    }
}
#endif

// A mask of bytes has no lists to exchange after a superstep.
#if GASCL_PRIORITY
#define GASCL_RENEW_LISTS(now, starting) (now)->low = INT_MAX
#else
#define GASCL_RENEW_LISTS(now, starting)
#endif
