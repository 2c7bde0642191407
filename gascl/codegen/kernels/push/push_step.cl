// Delivery `push`: all supersteps push.

// What a superstep needs besides GASCL_STATE and GASCL_EDGE.
#define GASCL_STEP GASCL_PUSHED
#define GASCL_STEP_ON GASCL_PUSHED_ON
#define GASCL_PULLS_NOW false
#define GASCL_PULLS_AT_ONCE 0
#define GASCL_SEARCHES 0
#define GASCL_HAS_BITS false

// The first phase of a superstep; the result is as that of gascl_push().
static long gascl_scatter_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                __local gascl_step_memory *memory) {
    return gascl_push(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON, memory);
}

// The second phase.
static void gascl_apply_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                              __local gascl_step_memory *memory, gascl_tally *tally,
                              long2 *counted) {
    gascl_apply_receivers(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON GASCL_PULLED_BOXES_ON,
                          memory, tally, counted);
}
