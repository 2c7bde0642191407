// How apply sends in delivery `in_place`: the receiver applies the message before `send_to` returns.
#if GASCL_SENDS_TO
static bool gascl_deliver_now(const int id, const gascl_message msg, GASCL_STATE);

static void gascl_send_now(const long id, const gascl_message msg, const int sender, const int line,
                           __global int *faults, __global gascl_control *control,
                           __global const gascl_run *run, gascl_tally *tally, GASCL_STATE) {
    if (gascl_is_vertex(id, sender, line, faults, control, run))
        tally->messages += gascl_deliver_now((int)id, msg, GASCL_STATE_ON);
}
#endif
