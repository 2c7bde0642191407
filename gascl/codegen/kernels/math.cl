// Functions that a compiler can inline and so vectorize over vertices; PoCL's own are calls, which
// prevent that. They are as accurate as OpenCL requires: errors of exp and rsqrt are below 2 units
// in the last place, and sqrt is correctly rounded.
#define GASCL_MATH __attribute__((overloadable))

static float GASCL_MATH gascl_sqrt(const float x) {
    return __builtin_sqrtf(x);
}

static float GASCL_MATH gascl_rsqrt(const float x) {
    return 1.0f / gascl_sqrt(x);
}

// a * b + c, rounded once where that is as fast.
#ifdef __FMA__
#define GASCL_FMA(a, b, c) __builtin_fmaf(a, b, c)
#else
#define GASCL_FMA(a, b, c) ((a) * (b) + (c))
#endif

// exp(x) = 2^n exp(r), |r| <= ln 2 / 2, by the polynomials of Cephes (Moshier). n is rounded to an
// integer by adding a number so large that no bits are left for a fraction, and subtracting it
// again. Two powers of two are multiplied, since 2^n alone may be out of range where the result is
// not: their exponents, about half of n each, are the lowest bits of such sums.
static float GASCL_MATH gascl_exp(const float x) {
    float c = x > 89.0f ? 89.0f : x;  // keeps NaN
    c = c < -104.0f ? -104.0f : c;
    const float half_ = GASCL_FMA(c, 0.72134752044448170f, 12582912.0f + 127);
    const float shifted = GASCL_FMA(c, 1.44269504088896341f, 12582912.0f + 254);
    const float n = shifted - (12582912.0f + 254);
    const float r = GASCL_FMA(n, 2.12194440e-4f, GASCL_FMA(n, -0.693359375f, c));
    float y = 1.9875691500e-4f;
    y = GASCL_FMA(y, r, 1.3981999507e-3f);
    y = GASCL_FMA(y, r, 8.3334519073e-3f);
    y = GASCL_FMA(y, r, 4.1665795894e-2f);
    y = GASCL_FMA(y, r, 1.6666665459e-1f);
    y = GASCL_FMA(y, r, 5.0000001201e-1f);
    y = GASCL_FMA(y, r * r, r) + 1.0f;
    const uint power = as_uint(half_) << 23, rest = (as_uint(shifted) - as_uint(half_)) << 23;
    return y * as_float(power) * as_float(rest);
}

#ifdef cl_khr_fp64
static double GASCL_MATH gascl_sqrt(const double x) {
    return __builtin_sqrt(x);
}

static double GASCL_MATH gascl_rsqrt(const double x) {
    return 1.0 / gascl_sqrt(x);
}

static double GASCL_MATH gascl_exp(const double x) {
    const double c = x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x;
    const double shifted = c * 1.4426950408889634073599 + 6755399441055744.0;
    const double n = shifted - 6755399441055744.0;
    const double r = (c - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    const double rr = r * r;
    const double p =
        r * ((1.26177193074810590878e-4 * rr + 3.02994407707441961300e-2) * rr +
             9.99999999999999999910e-1);
    const double q = ((3.00198505138664455042e-6 * rr + 2.52448340349684104192e-3) * rr +
                      2.27265548208155028766e-1) * rr + 2.0;
    const double y = 1.0 + 2.0 * (p / (q - p));
    const long power = as_long(shifted) - 0x4338000000000000L, half_ = power >> 1;
    return y * as_double((half_ + 1023) << 52) * as_double((power - half_ + 1023) << 52);
}
#endif

// Vectors use the device's library.
#define GASCL_MATH_OF(type)                                                        \
    static type GASCL_MATH gascl_sqrt(const type x) { return sqrt(x); }            \
    static type GASCL_MATH gascl_rsqrt(const type x) { return rsqrt(x); }          \
    static type GASCL_MATH gascl_exp(const type x) { return exp(x); }
GASCL_MATH_OF(float2)
GASCL_MATH_OF(float3)
GASCL_MATH_OF(float4)
GASCL_MATH_OF(float8)
GASCL_MATH_OF(float16)
#ifdef cl_khr_fp64
GASCL_MATH_OF(double2)
GASCL_MATH_OF(double3)
GASCL_MATH_OF(double4)
GASCL_MATH_OF(double8)
GASCL_MATH_OF(double16)
#endif
