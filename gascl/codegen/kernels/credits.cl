// The messages that scatter has sent to common neighbors, which are kept for each arc first.
#if GASCL_CREDITS
// Sends to the target of each arc what has been credited to it.
__kernel void gascl_credit(GASCL_STATE, const long num_arcs) {
    const long last = gascl_control_->stopped ? 0 : num_arcs;
    GASCL_FOR_RANGE_OF(gascl_offset, arc, last)
        gascl_send_credit(arc, GASCL_STATE_ON);
}
#endif

