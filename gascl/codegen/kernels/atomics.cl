// Inbox cells: words of 32 or 64 bits, each holding one combined message, into which many
// work-items may combine messages at once.
//
// Included after the generated header, whose lines from codegen/atomic_cells.py choose what a cell is:
//   GASCL_CELL_BITS  32 or 64; smaller accumulators take 32
//   GASCL_CELL_KIND  what an accumulator is: one of the four below
//   GASCL_CELL_OP    how it combines: one of the seven below
//   GASCL_CELL_MEMBERS  the bits of a vector or struct that are not of gaps
// and compiled with options that say what the device offers (Atomics.options(), each 0 or 1):
//   GASCL_NATIVE_ATOMICS          use the device's operations; 0: compare-and-swap for everything
//   GASCL_INT64_EXTENDED_ATOMICS  cl_khr_int64_extended_atomics; cells of 64 bits need
//                                 cl_khr_int64_base_atomics in any case
//   GASCL_PTX_FLOAT32, GASCL_PTX_FLOAT64  NVIDIA's instructions that add floats atomically
//   GASCL_PTX_MATCH               NVIDIA's instruction by which items of a warp find equals among them
//
// The floating-point sums of cl_ext_float_atomics are not used: they need the atomic types of
// OpenCL C 2.0 and later, and these kernels are OpenCL C 1.2, the latest version that both PoCL 3
// and NVIDIA's driver support in full. The whole source would have to be compiled as CL3.0. Until
// that is known to pay on some device, devices with that extension use compare-and-swap.
//
// Every access to a cell that others may change is atomic, and relaxed: it orders no other memory.
#define GASCL_SIGNED 0
#define GASCL_UNSIGNED 1
#define GASCL_FLOATING 2
#define GASCL_OTHER 3  // a struct or a vector, which only an expression combines

#define GASCL_SUM 0
#define GASCL_PROD 1
#define GASCL_MIN 2
#define GASCL_MAX 3
#define GASCL_OR 4
#define GASCL_AND 5
#define GASCL_EXPRESSION 6

#if GASCL_CELL_BITS == 64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#if GASCL_INT64_EXTENDED_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
typedef ulong gascl_cell;
typedef long gascl_signed_cell;
#define GASCL_ATOMIC(operation) atom_##operation
#define GASCL_LEAST_CELL LONG_MIN
#define GASCL_GREATEST_CELL LONG_MAX
#define GASCL_AS_CELL(x) as_ulong(x)
#define GASCL_AS_FLOATING(cell) as_double(cell)
#else
typedef uint gascl_cell;
typedef int gascl_signed_cell;
#define GASCL_ATOMIC(operation) atomic_##operation
#define GASCL_LEAST_CELL INT_MIN
#define GASCL_GREATEST_CELL INT_MAX
#define GASCL_AS_CELL(x) as_uint(x)
#define GASCL_AS_FLOATING(cell) as_float(cell)
#endif

#define GASCL_CELL_FLOATING (GASCL_CELL_KIND == GASCL_FLOATING)
#define GASCL_CELL_INTEGER (GASCL_CELL_KIND == GASCL_SIGNED || GASCL_CELL_KIND == GASCL_UNSIGNED)
#define GASCL_CELL_EXTREME (GASCL_CELL_OP == GASCL_MIN || GASCL_CELL_OP == GASCL_MAX)
#define GASCL_CELL_BITWISE (GASCL_CELL_OP == GASCL_OR || GASCL_CELL_OP == GASCL_AND)
// The minimum or maximum of floats is that of signed integers in the same order.
#define GASCL_CELL_ORDERED (GASCL_CELL_FLOATING && GASCL_CELL_EXTREME)
#define GASCL_CELL_NATIVE                                                                     \
    (GASCL_NATIVE_ATOMICS &&                                                                  \
     ((GASCL_CELL_INTEGER && GASCL_CELL_OP == GASCL_SUM) ||                                   \
      ((GASCL_CELL_EXTREME || GASCL_CELL_BITWISE) &&                                          \
       (GASCL_CELL_BITS == 32 || GASCL_INT64_EXTENDED_ATOMICS))))
#define GASCL_CELL_PTX                                                            \
    (GASCL_NATIVE_ATOMICS && GASCL_CELL_FLOATING && GASCL_CELL_OP == GASCL_SUM && \
     (GASCL_CELL_BITS == 32 ? GASCL_PTX_FLOAT32 : GASCL_PTX_FLOAT64))
#define GASCL_CELL_SWAPS (!GASCL_CELL_NATIVE && !GASCL_CELL_PTX)  // combines by compare-and-swap

// The type as which cells of integers, and of floats turned into ordered integers, compare.
#if GASCL_CELL_KIND == GASCL_UNSIGNED
typedef gascl_cell gascl_number;
#else
typedef gascl_signed_cell gascl_number;
#endif

#if GASCL_CELL_KIND == GASCL_OTHER
typedef union {
    gascl_accumulator value;
    gascl_cell cell;
} gascl_word;
#endif

#if GASCL_CELL_ORDERED
// Positive floats are ordered as their bits are, negative floats the other way round. NaN becomes
// the integer that wins over all others, and is NaN again when read back. -0.0 is less than 0.0.
static gascl_signed_cell gascl_in_order(const gascl_signed_cell bits) {
    return bits < 0 ? bits ^ GASCL_GREATEST_CELL : bits;
}

#if GASCL_CELL_OP == GASCL_MIN
#define GASCL_WINNING_CELL GASCL_LEAST_CELL
#else
#define GASCL_WINNING_CELL GASCL_GREATEST_CELL
#endif
#endif

static gascl_cell gascl_cell_of(const gascl_accumulator x) {
#if GASCL_CELL_ORDERED
    if (x != x)
        return (gascl_cell)GASCL_WINNING_CELL;
    return (gascl_cell)gascl_in_order((gascl_signed_cell)GASCL_AS_CELL(x));
#elif GASCL_CELL_FLOATING
    return GASCL_AS_CELL(x);
#elif GASCL_CELL_INTEGER
    return (gascl_cell)(gascl_number)x;  // a small signed one with its sign
#else
    // The bytes of gaps take any values when a value is stored (C99, 6.2.6.1).
    gascl_word word;
    word.cell = 0;
    word.value = x;
    return word.cell & (gascl_cell)GASCL_CELL_MEMBERS;
#endif
}

static gascl_accumulator gascl_of_cell(const gascl_cell c) {
#if GASCL_CELL_ORDERED
    return GASCL_AS_FLOATING((gascl_cell)gascl_in_order((gascl_signed_cell)c));
#elif GASCL_CELL_FLOATING
    return GASCL_AS_FLOATING(c);
#elif GASCL_CELL_INTEGER
    return (gascl_accumulator)c;
#else
    gascl_word word;
    word.cell = c;
    return word.value;
#endif
}

// What a cell holds before its first message.
static gascl_cell gascl_cell_empty(void) {
    return gascl_cell_of(gascl_identity());
}

#if GASCL_CELL_INTEGER && GASCL_CELL_OP == GASCL_PROD
// An overflown product is represented by the number of largest magnitude, which stands for itself
// and everything beyond. Another factor leaves it there, except for 0, which makes it 0, so that
// the order of factors does not matter. It fits no message of 32 bits, whether it is exact or
// overflown.
#define GASCL_OVERFLOWN_CELL                                                     \
    ((gascl_cell)(GASCL_CELL_KIND == GASCL_SIGNED ? (gascl_cell)GASCL_LEAST_CELL \
                                                  : ~(gascl_cell)0))

static gascl_cell gascl_cell_product(const gascl_cell a, const gascl_cell b) {
    const gascl_cell low = a * b;
    const gascl_number beyond = (gascl_number)low < 0 ? -1 : 0;
    return mul_hi((gascl_number)a, (gascl_number)b) == beyond ? low : GASCL_OVERFLOWN_CELL;
}
#endif

// A cell after one more message.
static gascl_cell gascl_cell_after(const gascl_cell c, const gascl_accumulator x) {
#if GASCL_CELL_INTEGER && GASCL_CELL_OP == GASCL_SUM
    return c + gascl_cell_of(x);
#elif GASCL_CELL_INTEGER && GASCL_CELL_OP == GASCL_PROD
    return gascl_cell_product(c, gascl_cell_of(x));
#elif GASCL_CELL_OP == GASCL_MIN
    return (gascl_cell)min((gascl_number)c, (gascl_number)gascl_cell_of(x));
#elif GASCL_CELL_OP == GASCL_MAX
    return (gascl_cell)max((gascl_number)c, (gascl_number)gascl_cell_of(x));
#else
    return gascl_cell_of(gascl_combine(gascl_of_cell(c), x));
#endif
}

// Whether the sum of two cells of integers wrapped around: 1 beyond the maximum, -1 beyond the
// minimum, else 0.
static int gascl_cell_wrap(const gascl_cell a, const gascl_cell b) {
#if GASCL_CELL_OP != GASCL_SUM || !GASCL_CELL_INTEGER
    return 0;
#elif GASCL_CELL_KIND == GASCL_UNSIGNED
    return a + b < a;
#else
    if ((gascl_signed_cell)((a ^ (a + b)) & (b ^ (a + b))) >= 0)
        return 0;
    return (gascl_signed_cell)a < 0 ? -1 : 1;
#endif
}

// A cell as it is: a hint, which an atomic operation then confirms. Oclgrind takes a plain read for a
// race, so that for it the read is made atomic.
#if GASCL_OCLGRIND
#define GASCL_PEEK(cell) GASCL_ATOMIC(cmpxchg)((volatile __global gascl_cell *)(cell), 0, 0)
#else
#define GASCL_PEEK(cell) (*(cell))
#endif

// Where many items combine at once, of those that compare and swap one succeeds each time that the cell's
// value travels to an item and back: 64,000 messages to a hub took 33 ms on an H100. After so many tries,
// an item therefore exchanges: it takes what the cell holds, combines that, and puts it back; if others
// have put something there meanwhile, it has taken that instead, and goes on with it. Nothing is lost,
// and no exchange fails.
#define GASCL_SWAP_TRIES 2
static int gascl_cell_exchange(volatile __global gascl_cell *cell, gascl_cell mine, bool *fresh) {
    const gascl_cell empty = gascl_cell_empty();
    int wraps = 0;
    *fresh = false;
    do {
        const gascl_cell held = GASCL_ATOMIC(xchg)(cell, empty);
        *fresh |= held == empty;
        wraps += gascl_cell_wrap(held, mine);
        mine = GASCL_ATOMIC(xchg)(cell, gascl_cell_after(held, gascl_of_cell(mine)));
    } while (mine != empty);
    return wraps;
}

// Atomically sets *cell = combine(*cell, x). `*fresh`: the cell held the identity before, as it does
// for the first of all, and for others where a third one had taken out what was there; where x is the
// identity, too, it does afterwards. Where nothing would change, the cell is only read, which
// costs a twentieth of an atomic operation. Returns how an integer sum wrapped around, 1, 0 or -1;
// 0 for all else. Where these numbers add up to 0, the sum fits, in whatever order it was made.
// Where each of them must be 0 (messages of up to 32 bits in cells of 64), callers ignore the
// result: the compiler can then choose an addition that returns nothing.
static int gascl_cell_combine(volatile __global gascl_cell *cell, const gascl_accumulator x,
                              bool *fresh) {
#if GASCL_CELL_NATIVE
    const gascl_cell more = gascl_cell_of(x);
#if GASCL_CELL_OP == GASCL_SUM
    const gascl_cell held = GASCL_ATOMIC(add)(cell, more);
    *fresh = held == gascl_cell_empty();
    return gascl_cell_wrap(held, more);
#else
    gascl_cell held = GASCL_PEEK(cell);
    if (gascl_cell_after(held, x) != held) {
#if GASCL_CELL_OP == GASCL_MIN
        held = (gascl_cell)GASCL_ATOMIC(min)((volatile __global gascl_number *)cell,
                                             (gascl_number)more);
#elif GASCL_CELL_OP == GASCL_MAX
        held = (gascl_cell)GASCL_ATOMIC(max)((volatile __global gascl_number *)cell,
                                             (gascl_number)more);
#elif GASCL_CELL_OP == GASCL_OR
        held = GASCL_ATOMIC(or)(cell, more);
#else
        held = GASCL_ATOMIC(and)(cell, more);
#endif
    }
    *fresh = held == gascl_cell_empty();
    return 0;
#endif
#elif GASCL_CELL_PTX
    gascl_accumulator before;
#if GASCL_CELL_BITS == 32
    // In global memory, this flushes subnormal floats to 0.
    __asm__ volatile("atom.global.add.f32 %0, [%1], %2;"
                     : "=f"(before) : "l"(cell), "f"(x) : "memory");
#else
    __asm__ volatile("atom.global.add.f64 %0, [%1], %2;"
                     : "=d"(before) : "l"(cell), "d"(x) : "memory");
#endif
    *fresh = gascl_cell_of(before) == gascl_cell_empty();
    return 0;
#else
    gascl_cell before = GASCL_PEEK(cell);
    _Pragma("unroll 1") for (int tries = 0; tries < GASCL_SWAP_TRIES; ++tries) {
        const gascl_cell after = gascl_cell_after(before, x);
        const gascl_cell current =
            after == before ? before : GASCL_ATOMIC(cmpxchg)(cell, before, after);
        if (current == before) {
            *fresh = before == gascl_cell_empty();
            return gascl_cell_wrap(before, gascl_cell_of(x));
        }
        before = current;
    }
    return gascl_cell_exchange(cell, gascl_cell_of(x), fresh);
#endif
}

#if GASCL_PTX_MATCH
#include "warp.cl"

// Combines what items of a warp are about to combine with the same cell. For the first of these items, `mine`
// and `wraps` become those of all; returns for that one how many they are, for the others 0.
static uint gascl_join_in_warp(volatile __global gascl_cell *cell, gascl_cell *mine, int *wraps) {
    gascl_peers peers = gascl_peers_at(cell);
    GASCL_FOR_TURNS(peers, next) {
        const gascl_cell theirs = (gascl_cell)gascl_ulong_of(peers.here, *mine, next);
        const int more = (int)gascl_word_of(peers.here, (uint)*wraps, next);
        if (peers.behind) {
            *wraps += more + gascl_cell_wrap(*mine, theirs);
            *mine = gascl_cell_after(*mine, gascl_of_cell(theirs));
        }
    }
    return peers.count;
}
#endif

// The combined message that a cell holds; `overflow` becomes 1 for an overflown integer product,
// else 0.
static gascl_accumulator gascl_cell_take(const gascl_cell c, int *overflow) {
#if GASCL_CELL_INTEGER && GASCL_CELL_OP == GASCL_PROD
    *overflow = c == GASCL_OVERFLOWN_CELL;
#else
    *overflow = 0;
#endif
    return gascl_of_cell(c);
}
