// The commit of a mask of bytes (mask.cl).
#if GASCL_MASKED
// Commits one vertex; whether the mask now holds it.
static uchar gascl_commit_mask(const int id GASCL_MASKS) {
    uchar set = 0;
    for (int gascl_lane_ = 0; gascl_lane_ < GASCL_LANES; ++gascl_lane_) {
        const size_t at = (size_t)id * GASCL_LANES + gascl_lane_;
#if GASCL_MARKS
        set |= gascl_next[at] | gascl_marks[at];
        gascl_marks[at] = 0;
#else
        set |= gascl_next[at];
#endif
        gascl_next[at] = 0;
    }
    gascl_mask[id] = set;
    return set;
}

// The next mask becomes this superstep's.
__kernel void gascl_commit(GASCL_STATE, __global const gascl_offset *offsets,
                           __global long *counts) {
    __local gascl_shared shared;
    long vertices = 0, arcs = 0;
    GASCL_FOR_RANGE(id, gascl_vertices(gascl_run_, gascl_control_)) {
        if (gascl_commit_mask(id GASCL_MASKS_ON)) {
            ++vertices;
            arcs += offsets[id + 1] - offsets[id];
        }
    }
    gascl_count(vertices, arcs, counts, &shared);
}
#endif

// There are no lists to begin anew after a superstep.
#define GASCL_RENEW_LISTS()
