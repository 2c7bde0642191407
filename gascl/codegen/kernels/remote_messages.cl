// Messages of send_to to the vertices of other ranks, which other devices apply.

// All messages to one vertex and lane; `_mail_type` in gascl/delivery/run_layout.py is the same type.
typedef struct {
    long place;  // in the inbox
    gascl_cell cell;
    uint arrived;
    int wraps;
} gascl_parcel;

// Empties the inboxes of the vertices that other devices apply: after their messages have been sent
// there, and when a run continues, since its State has the inboxes of all vertices.
__kernel void gascl_mail_out(GASCL_STATE, const int first, const int last) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
        if (id < first || id >= last)
            GASCL_FOR_LANES {
                GASCL_EMPTY(id, );
#if GASCL_POSTS_AHEAD
                GASCL_EMPTY(id, _next);
#endif
            }
}

// Puts the messages from other devices into the inboxes of this superstep or the next one.
__kernel void gascl_mail_in(__global const gascl_parcel *restrict mail, const int many,
                            volatile __global gascl_cell *restrict inbox,
                            __global uint *restrict arrived, __global int *restrict wraps) {
    GASCL_FOR_RANGE(i, many)
        gascl_post_all(mail[i].place, mail[i].cell, mail[i].arrived, mail[i].wraps, inbox, arrived,
                       wraps);
}
