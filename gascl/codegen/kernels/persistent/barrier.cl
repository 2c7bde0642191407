// The persistent kernel runs all supersteps in one launch. There is a barrier of all groups between two
// phases; the group that arrives there last decides which phase is next, and whether the run continues.
//
// OpenCL does not promise that all groups of a launch run at the same time. So a group joins the team
// when it starts; a group that starts late joins then, and one that starts after the end returns at
// once. No group waits for one that has not joined.
//
// How groups join, wait and release each other, and the kernel itself, are in cpu.cl and gpu.cl, which
// include this file; asynchronous/gpu.cl, which does so in another way, only uses the words, the fence and
// the patience. Which phases there are is in frontier.cl or, for deliveries that visit all rows, in
// rows.cl; for delivery `asynchronous`, in asynchronous/phases.cl. cpu.cl and gpu.cl define before this file:
//
//   GASCL_GROUP_BARRIER()         all items of a group wait for each other; what they have written to
//                                 local memory is visible then
//   GASCL_GROUP_BARRIER_GLOBAL()  the same, also for global memory
//   GASCL_SMALL_WORK              a phase with at most so many arcs and vertices is done by one group
//                                 alone: a barrier of all groups takes as long
//   gascl_yield()                 lets another thread have the processor
//
// The words of the team (`Team` in gascl/codegen/constants.py), each in a cache line of its own, are 0
// before a launch. Behind them are the numbers of vertices with NaN at the end of the launch, as
// gascl_count_nans() counts them, and the records of supersteps, so that the host reads all at once.
#define GASCL_TEAM(word) team_words[GASCL_STRIDE * GASCL_TEAM_##word]
#define GASCL_JOINED(state) ((uint)(state) >> 20)
#define GASCL_ARRIVED(state) ((uint)(state) >> 8 & GASCL_MOST_GROUPS)
#define GASCL_PHASE_NUMBER(state) ((uint)(state)&0xff)
#define GASCL_READ_TEAM(word) (*(volatile __global int *)&GASCL_TEAM(word))

// What the start needs besides GASCL_STATE: of how many parts it leaves a tally; and see superstep.cl.
#define GASCL_START_STATE const int num_tallies, GASCL_FIRST_VALUES
#define GASCL_START_STATE_ON num_tallies, GASCL_FIRST_VALUES_ON

// What one group writes before it arrives is visible to all others when they continue. OpenCL C 1.2 has
// no memory ordering between groups.
#if GASCL_INLINE_PTX
static void gascl_fence(void) {
    __asm__ volatile("fence.acq_rel.gpu;" ::: "memory");
}
#elif GASCL_OCLGRIND  // which knows no fence, and runs one group here
#define gascl_fence()
#else
static void gascl_fence(void) {
    __sync_synchronize();
}
#endif

// How long a group waits.
typedef struct {
    ulong polls;  // how many since it last saw progress
    uint seen;
} gascl_patience;

// Whether a group continues to wait. The others are making progress if they take work or finish
// supersteps.
static bool gascl_keeps_waiting(gascl_patience *mine, volatile __global int *team_words) {
    if (++mine->polls % 1024 != 0)
        return true;
    const uint now = (uint)GASCL_READ_TEAM(TAKEN) + (uint)GASCL_READ_TEAM(DONE);
    if (now != mine->seen)
        mine->polls = 0;
    mine->seen = now;
    gascl_yield();
    return mine->polls < GASCL_PATIENCE && !GASCL_READ_TEAM(FAILED);
}
