// An outbox of messages: scatter does not read its arc, so that a vertex sends the same along all of them.

// A vertex without out-arcs does not scatter: its scatter must not be run where it could fail.
static void gascl_outbox_put(const int id, const int ahead, GASCL_STATE GASCL_LANE,
                             __global const gascl_offset *out_offsets,
                             __global gascl_outbox_entry *outbox, __global uchar *sent) {
    if (GASCL_CAN_FAIL && out_offsets[id] == out_offsets[id + 1])
        return;
    const gascl_vertex v = gascl_scattering(id, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_edge e;  // scatter does not read it
    e.src = id;
    const gascl_box out = gascl_scatter(v, &e, ahead, GASCL_STATE_ON GASCL_LANE_ON);
    outbox[GASCL_AT(id)] = gascl_narrow(out, id, gascl_control_);
    if (!GASCL_EVERY_ARC_SENDS)
        sent[GASCL_AT(id)] = out.count > 0;
}

static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int source = sources[arc];
    const size_t at = GASCL_AT(source);
    if (!GASCL_EVERY_ARC_SENDS && !sent[at])
        return false;
    *x = outbox[at];
    return true;
}
