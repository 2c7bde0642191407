// Where a work-group is one item, it has a row to itself.
#define GASCL_HAS_LONG_ROWS 0
#define GASCL_IS_LONG(row) false

static GASCL_INLINE void gascl_pull_long_rows(const gascl_team team, GASCL_STATE GASCL_DELIVERY,
                                              __local gascl_step_memory *memory) {}
