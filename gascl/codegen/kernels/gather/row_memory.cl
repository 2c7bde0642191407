// Local memory for gather/shared_row.cl: what the items of a work-group that share a row have found in it.
#include "gather/long_rows.cl"

// The items of a virtual warp, at least.
#define GASCL_LEAST_WARP (GASCL_GROUP < 32 ? GASCL_GROUP : 32)

typedef struct {
    gascl_shared shared;  // its boxes: one for each item
    gascl_marks long_rows;
    int found[GASCL_GROUP / GASCL_LEAST_WARP];  // of each warp: see gascl_combine_share_of_row()
} gascl_gather_memory;
