// The order in which an item that has a row to itself visits its arcs: one after the other, or in debug
// mode shuffled, so that a result that depends on the order of messages shows.
#if GASCL_DEBUG && !GASCL_FIRST
static gascl_offset gascl_greatest_divisor(gascl_offset a, gascl_offset b) {  // Euclid
    while (b) {
        const gascl_offset rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The i-th of n arcs in an order that depends on row, superstep and seed: each arc is followed by
// the one `step` further on, modulo n, and step and n have no common divisor.
static gascl_offset gascl_shuffled(const gascl_offset i, const gascl_offset n, const int row,
                                   const int superstep) {
    const uint seed = gascl_mixed(gascl_mixed(GASCL_SEED + superstep) + row);
    gascl_offset step = n > 1 ? 1 + seed % (n - 1) : 1;
    while (gascl_greatest_divisor(n, step) != 1)
        ++step;
    return (gascl_offset)(((ulong)i * step + gascl_mixed(seed) % n) % n);
}
#define GASCL_ITH_ARC(i, begin, end, row) \
    ((begin) + gascl_shuffled((i) - (begin), (end) - (begin), row, gascl_control_->superstep))
#else
#define GASCL_ITH_ARC(i, begin, end, row) (i)
#endif
