// One compare-and-swap of the word in which a vertex's fields are packed (gascl/codegen/transactions.py);
// returns the word that was there.
#if GASCL_PACKED_BITS == 64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define GASCL_SWAP_PACKED(word, before, after) atom_cmpxchg(word, before, after)
#else
#define GASCL_SWAP_PACKED(word, before, after) atomic_cmpxchg(word, before, after)
#endif
