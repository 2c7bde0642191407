// A trial of a device: what gascl's kernels need of it, which is local memory, barriers, integer
// atomics, 64-bit integers, wide vectors and, where the device has it, double precision.
#if GASCL_FP64
typedef double16 gascl_wide;
#define GASCL_TO_WIDE(x) convert_double16(x)
#define GASCL_TO_FLOAT16(x) convert_float16(x)
#else
typedef float16 gascl_wide;
#define GASCL_TO_WIDE(x) (x)
#define GASCL_TO_FLOAT16(x) (x)
#endif

// sums[i] becomes the sum of the numbers below n that are i modulo the size of the work-group, and
// count becomes n.
__kernel void gascl_trial(__global long *sums, __global int *count, const int n) {
    __local float16 shared[GASCL_GROUP];
    const int item = get_local_id(0);
    gascl_wide sum = (gascl_wide)(0);
    for (int i = item; i < n; i += GASCL_GROUP) {
        sum += GASCL_TO_WIDE((float16)(i));
        atomic_inc(count);
    }
    shared[item] = GASCL_TO_FLOAT16(sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = (long)shared[item].sf;
}
