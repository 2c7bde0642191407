// A clock that all groups of a persistent kernel share, in any unit.
#if GASCL_INLINE_PTX
static long gascl_clock(void) {
    long now;
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#define GASCL_CLOCK() gascl_clock()
#elif defined(__x86_64__)
#define GASCL_CLOCK() (long)__builtin_readcyclecounter()
#else
#define GASCL_CLOCK() 0
#endif
