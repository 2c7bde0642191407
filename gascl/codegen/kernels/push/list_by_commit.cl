// Programs without a mask, and those in which gascl_commit lists the vertices of the next frontier.
typedef struct {
    int gascl_unused;
} gascl_listing;

static void gascl_begin_listing(gascl_listing *to, GASCL_STATE, GASCL_PUSHED) {}

static GASCL_INLINE void gascl_list_applied(gascl_listing *to, const bool applies,
                                            const bool listed, const int id, long2 *counted,
                                            GASCL_STATE,
                                            __global const gascl_offset *restrict offsets,
                                            __local gascl_step_memory *memory) {
}

static GASCL_INLINE void gascl_end_listing(gascl_listing *to, GASCL_STATE,
                                           __local gascl_step_memory *memory) {
}
