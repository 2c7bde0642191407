// What apply sends with send_to to vertices that another device applies.

// All messages to one vertex and lane, as _mail_type() in gascl/delivery/runspec.py has it.
typedef struct {
    long place;  // in the inbox
    gascl_cell cell;
    uint arrived;
    int wraps;
} gascl_parcel;

// Empties the inboxes of the vertices that other devices apply: those for the next superstep once they
// have been sent there, and those of this one, which a run that goes on has of all vertices.
__kernel void gascl_mail_out(GASCL_STATE, const int first, const int last) {
    GASCL_FOR_RANGE(id, gascl_run_->graph.num_vertices)
        if (id < first || id >= last)
            GASCL_FOR_LANES {
                GASCL_EMPTY(id, );
                GASCL_EMPTY(id, _next);
            }
}

// Puts what other devices have sent into the inboxes for the next superstep.
__kernel void gascl_mail_in(GASCL_STATE, __global const gascl_parcel *restrict mail,
                            const int many) {
    GASCL_FOR_RANGE(i, many)
        gascl_post_all(mail[i].place, mail[i].cell, mail[i].arrived, mail[i].wraps,
                       gascl_inbox_next, gascl_arrived_next, gascl_wraps_next);
}
