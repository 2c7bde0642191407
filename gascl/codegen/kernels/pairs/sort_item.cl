// Sorts the vertices by their keys, where a work-group is one item: a lane at a time, by a third of the bits
// at a time. The order is then in `places_to`.
#define GASCL_PASS_BITS (GASCL_CURVE_BITS / 3)
#define GASCL_PASS_DIGITS (1 << GASCL_PASS_BITS)

__kernel void gascl_near_sort(GASCL_STATE, __global ulong *restrict keys,
                              __global gascl_offset *restrict places,
                              __global ulong *restrict keys_to,
                              __global gascl_offset *restrict places_to) {
    const int n = gascl_vertices(gascl_run_, gascl_control_);
    GASCL_FOR_RANGE_OF(int, lane, GASCL_LANES) {
        const size_t begin = (size_t)lane * n;
        for (int pass = 0; pass < 3; ++pass) {
            __global ulong *from = (pass % 2 ? keys_to : keys) + begin;
            __global ulong *to = (pass % 2 ? keys : keys_to) + begin;
            __global gascl_offset *ids = (pass % 2 ? places_to : places) + begin;
            __global gascl_offset *ids_to = (pass % 2 ? places : places_to) + begin;
            const int shift = pass * GASCL_PASS_BITS;
            int before[GASCL_PASS_DIGITS];
            for (int digit = 0; digit < GASCL_PASS_DIGITS; ++digit)
                before[digit] = 0;
            for (int i = 0; i < n; ++i)
                ++before[from[i] >> shift & (GASCL_PASS_DIGITS - 1)];
            int sum = 0;
            for (int digit = 0; digit < GASCL_PASS_DIGITS; ++digit) {
                const int count = before[digit];
                before[digit] = sum;
                sum += count;
            }
            for (int i = 0; i < n; ++i) {
                const int at = before[from[i] >> shift & (GASCL_PASS_DIGITS - 1)]++;
                to[at] = from[i];
                ids_to[at] = ids[i];
            }
        }
    }
}
