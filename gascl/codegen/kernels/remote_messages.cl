// Messages of send_to to the vertices of other ranks, which other devices apply.

// All messages to one vertex and lane; `_remote_message_type` in gascl/delivery/run_layout.py is the
// same type.
typedef struct {
    long place;  // in the inbox
    gascl_cell cell;
    uint arrived;
    int wraps;
} gascl_remote_message;

// Empties the inboxes of the vertices that other devices apply: after their messages have been sent
// there, and when a run continues, since its State has the inboxes of all vertices.
__kernel void gascl_clear_remote_inboxes(GASCL_STATE, const int first, const int last) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.gascl_rows)
        if (id < first || id >= last)
            GASCL_FOR_LANES {
                GASCL_EMPTY(id, );
#if GASCL_POSTS_AHEAD
                GASCL_EMPTY(id, _next);
#endif
            }
}

// Puts the messages from other devices into the inboxes of this superstep or the next one.
__kernel void gascl_receive_remote(__global const gascl_remote_message *restrict messages,
                                   const int num_messages,
                                   volatile __global gascl_cell *restrict inbox,
                                   __global uint *restrict arrived,
                                   __global int *restrict wraps) {
    GASCL_FOR_RANGE(i, num_messages)
        gascl_post_all(messages[i].place, messages[i].cell, messages[i].arrived, messages[i].wraps,
                       inbox, arrived, wraps);
}
