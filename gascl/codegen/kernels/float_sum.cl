// Sums of floats in aggregators, where the order of additions varies: the sum does not depend on it, nor on how the
// work-items share the additions. As in Demmel, Ahrens and Nguyen, Efficient Reproducible Floating Point Summation
// and BLAS (2016), the numbers that floats can hold are cut into bins at fixed places, and only the bins just below
// the largest addend are kept; but each bin is an integer, to which 2^36 addends can be added without a carry.
//
// An addend covers three bins. A sum keeps those of the largest addend and the one below them, which is w0. What n
// addends up to x have in the bins that are left out is less than n * x / 2^78; of float32, n * x / 2^49.

#define GASCL_FLOAT_BIN 26  // bits
#define GASCL_IN_FLOAT_BIN ((1L << GASCL_FLOAT_BIN) - 1)
#if GASCL_DOUBLE_SUMS
typedef double gascl_addend;
#define GASCL_BITS_OF(x) as_ulong(x)
#define GASCL_FRACTION 52   // bits
#define GASCL_NOT_FINITE 0x7ff  // the exponent of infinities and NaN
#define GASCL_LOWEST_BIT -1074  // the exponent of the lowest bit of the lowest bin
#else
typedef float gascl_addend;
#define GASCL_BITS_OF(x) as_uint(x)
#define GASCL_FRACTION 23
#define GASCL_NOT_FINITE 0xff
#define GASCL_LOWEST_BIT -149
#endif

static gascl_float_sum gascl_no_floats(void) {
    return (gascl_float_sum){0, 0, 0, 0, -1, 0};
}

// Leaves out the bins below one.
static void gascl_leave_out(gascl_float_sum *sum, const int below) {
    for (int i = sum->low; i < min(below, sum->low + 4); ++i) {
        sum->w0 = sum->w1;
        sum->w1 = sum->w2;
        sum->w2 = sum->w3;
        sum->w3 = 0;
    }
    sum->low = max(sum->low, below);
}

static void gascl_add_float(gascl_float_sum *sum, const gascl_addend x) {
    const ulong bits = GASCL_BITS_OF(x), fraction = bits & ((1UL << GASCL_FRACTION) - 1);
    const int exponent = (int)(bits >> GASCL_FRACTION) & GASCL_NOT_FINITE;
    if (exponent == GASCL_NOT_FINITE) {
        sum->infinite |= fraction ? 3 : x > 0 ? 1 : 2;
        return;
    }
    const uint normal = exponent > 0, place = exponent - normal;
    const uint bin = place / GASCL_FLOAT_BIN, shift = place % GASCL_FLOAT_BIN;
    const ulong digits = fraction | (ulong)normal << GASCL_FRACTION;
    const long sign = x < 0 ? -1 : 0;
    const long low = ((long)(digits << shift & GASCL_IN_FLOAT_BIN) ^ sign) - sign;
    const long middle = ((long)(digits >> (GASCL_FLOAT_BIN - shift) & GASCL_IN_FLOAT_BIN) ^ sign) - sign;
    const long high = ((long)(digits >> (2 * GASCL_FLOAT_BIN - shift)) ^ sign) - sign;
    const int below = sum->low + 1 - (int)bin;
    if (below <= 0) {
        if (below < 0)
            gascl_leave_out(sum, (int)bin - 1);
        sum->w1 += low;
        sum->w2 += middle;
        sum->w3 += high;
    } else if (below == 1) {
        sum->w0 += low;
        sum->w1 += middle;
        sum->w2 += high;
    } else if (below == 2) {
        sum->w0 += middle;
        sum->w1 += high;
    } else if (below == 3) {
        sum->w0 += high;
    }
}

static gascl_float_sum gascl_merged_floats(gascl_float_sum a, gascl_float_sum b) {
    gascl_leave_out(&a, b.low);
    gascl_leave_out(&b, a.low);
    a.w0 += b.w0;
    a.w1 += b.w1;
    a.w2 += b.w2;
    a.w3 += b.w3;
    a.infinite |= b.infinite;
    return a;
}

// Carries what does not fit in a bin; only the highest one may then be negative.
static void gascl_carry(gascl_float_sum *sum) {
    sum->w1 += sum->w0 >> GASCL_FLOAT_BIN;
    sum->w2 += sum->w1 >> GASCL_FLOAT_BIN;
    sum->w3 += sum->w2 >> GASCL_FLOAT_BIN;
    sum->w0 &= GASCL_IN_FLOAT_BIN;
    sum->w1 &= GASCL_IN_FLOAT_BIN;
    sum->w2 &= GASCL_IN_FLOAT_BIN;
}

// The sum as a float: of its bins, rounded once.
static gascl_addend gascl_sum_of_floats(gascl_float_sum sum) {
    if (sum.infinite)
        return sum.infinite == 1 ? INFINITY : sum.infinite == 2 ? -INFINITY : NAN;
    gascl_carry(&sum);
    const bool negative = sum.w3 < 0;
    if (negative) {
        sum.w0 = -sum.w0;
        sum.w1 = -sum.w1;
        sum.w2 = -sum.w2;
        sum.w3 = -sum.w3;
        gascl_carry(&sum);
    }
    for (int i = 0; i < 3 && !sum.w3; ++i) {
        sum.w3 = sum.w2;
        sum.w2 = sum.w1;
        sum.w1 = sum.w0;
        sum.w0 = 0;
        --sum.low;
    }
    if (!sum.w3)
        return 0;
    // The first 64 bits; the last of these also says whether any follow.
    const int shift = (int)clz((ulong)sum.w3);
    const ulong next = (ulong)sum.w2 << 38 | (ulong)sum.w1 << 12 | (ulong)sum.w0 >> 14;
    const ulong first = (ulong)sum.w3 << shift | next >> (64 - shift);
    const bool more = next << shift || sum.w0 & 0x3fff;
    const gascl_addend value = ldexp((gascl_addend)(first | more),
                                     GASCL_LOWEST_BIT + GASCL_FLOAT_BIN * (sum.low + 3) - shift);
    return negative ? -value : value;
}
