// The order of vertices along a space-filling curve, so that neighbors in the order lie near each other
// (Skilling, Programming the Hilbert Curve, 2004): the bounds of all places, the key of each vertex, which
// is its place along the curve, and the sort by these keys. The lanes are sorted one after the other.
#define GASCL_AXIS_BITS (GASCL_CURVE_BITS / GASCL_AXES)

// A group's share of the bounds: the lowest and the highest coordinates of each lane.
__kernel void gascl_near_bounds(GASCL_STATE, __global real *restrict bounds) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    __local real shared[2 * GASCL_AXES * GASCL_GROUP];
    GASCL_FOR_LANES {
        real low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        GASCL_FOR_RANGE(id, n) {
            const gascl_place at = gascl_place_of(id, GASCL_STATE_ON GASCL_LANE_ON);
            const real along[3] = {at.x, at.y, at.z};
            for (int axis = 0; axis < GASCL_AXES; ++axis) {
                low[axis] = fmin(low[axis], along[axis]);
                high[axis] = fmax(high[axis], along[axis]);
            }
        }
        for (int axis = 0; axis < GASCL_AXES; ++axis) {
            shared[2 * axis * GASCL_GROUP + get_local_id(0)] = low[axis];
            shared[(2 * axis + 1) * GASCL_GROUP + get_local_id(0)] = high[axis];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int side = get_local_id(0); side < 2 * GASCL_AXES; side += GASCL_GROUP) {
            real most = shared[side * GASCL_GROUP];
            for (int i = 1; i < GASCL_GROUP; ++i) {
                const real other = shared[side * GASCL_GROUP + i];
                most = side % 2 ? fmax(most, other) : fmin(most, other);
            }
            bounds[((size_t)get_group_id(0) * GASCL_LANES + gascl_lane) * 2 * GASCL_AXES + side] = most;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The place of a cell along the curve, from its coordinates, each of GASCL_AXIS_BITS.
static uint gascl_along_curve(uint *at) {
    for (uint bit = 1u << (GASCL_AXIS_BITS - 1); bit > 1; bit >>= 1)
        for (int axis = 0; axis < GASCL_AXES; ++axis) {
            const uint below = bit - 1, turned = (at[0] ^ at[axis]) & below;
            if (at[axis] & bit) {
                at[0] ^= below;
            } else {
                at[0] ^= turned;
                at[axis] ^= turned;
            }
        }
    for (int axis = 1; axis < GASCL_AXES; ++axis)
        at[axis] ^= at[axis - 1];
    uint flips = 0, key = 0;
    for (uint bit = 1u << (GASCL_AXIS_BITS - 1); bit > 1; bit >>= 1)
        if (at[GASCL_AXES - 1] & bit)
            flips ^= bit - 1;
    for (int bit = GASCL_AXIS_BITS - 1; bit >= 0; --bit)
        for (int axis = 0; axis < GASCL_AXES; ++axis)
            key = key << 1 | ((at[axis] ^ flips) >> bit & 1);
    return key;
}

// The keys of all vertices: the lane, and the place along the curve. `shares` is the number of groups that
// have found bounds.
__kernel void gascl_near_keys(GASCL_STATE, __global const real *restrict bounds, const int shares,
                              __global ulong *restrict keys,
                              __global gascl_offset *restrict places) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    GASCL_FOR_LANES {
        real low[3], scale[3];
        for (int axis = 0; axis < GASCL_AXES; ++axis) {
            real high = -INFINITY;
            low[axis] = INFINITY;
            for (int i = 0; i < shares; ++i) {
                __global const real *of = &bounds[((size_t)i * GASCL_LANES + gascl_lane) * 2 * GASCL_AXES];
                low[axis] = fmin(low[axis], of[2 * axis]);
                high = fmax(high, of[2 * axis + 1]);
            }
            scale[axis] = (real)(1u << GASCL_AXIS_BITS) / (high - low[axis]);
        }
        GASCL_FOR_RANGE(id, n) {
            const gascl_place place = gascl_place_of(id, GASCL_STATE_ON GASCL_LANE_ON);
            const real along[3] = {place.x, place.y, place.z};
            uint at[GASCL_AXES];
            for (int axis = 0; axis < GASCL_AXES; ++axis)  // NaN, where all are in one place, becomes 0
                at[axis] = min(convert_uint_sat((along[axis] - low[axis]) * scale[axis]),
                               (1u << GASCL_AXIS_BITS) - 1);
            const size_t i = (size_t)gascl_lane * n + id;
            keys[i] = (ulong)gascl_lane << GASCL_CURVE_BITS | gascl_along_curve(at);
            places[i] = (gascl_offset)i;
        }
    }
}

// gascl_near_sort(), or the kernels gascl_sort_...: gascl/delivery/assembly.py puts pairs/sort_item.cl here
// where a work-group is one item, and otherwise sort.cl.
#include "place_sort.cl"
