// Adds up the first lanes of a field, at each vertex.
//
// Before it is included:
//   GASCL_VALUE  the type of the field
//   GASCL_TOTAL  that of its sums
__kernel void gascl_lane_sums(__global const GASCL_VALUE *restrict values,
                              __global GASCL_TOTAL *restrict sums, const long count,
                              const int lanes, const int first) {
    for (long i = get_global_id(0); i < count; i += get_global_size(0)) {
        GASCL_TOTAL sum = 0;
        for (int lane = 0; lane < first; ++lane)
            sum += values[i * lanes + lane];
        sums[i] = sum;
    }
}
