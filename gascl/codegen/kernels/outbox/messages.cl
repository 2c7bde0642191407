// An outbox of messages: scatter does not read its arc, so that a vertex sends the same along all of them.

// A vertex without out-arcs does not scatter: its scatter must not be run where it could fail.
static void gascl_outbox_put(const int id, const int ahead, GASCL_STATE GASCL_LANE GASCL_OUT_OFFSETS,
                             __global gascl_outbox_entry *outbox) {
#if !GASCL_EVERY_ARC_SENDS
    if (!ahead && !GASCL_SCATTERS(id)) {
        outbox[GASCL_AT(id)].sent = 0;
        return;
    }
#endif
#if GASCL_CAN_FAIL
    if (out_offsets[id] == out_offsets[id + 1])
        return;
#endif
    const gascl_vertex v = gascl_scattering(id, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_edge e = {0};  // scatter reads no arc
    e.src = id;
    const gascl_box out = gascl_scatter(v, &e, ahead, GASCL_STATE_ON GASCL_LANE_ON);
    const gascl_message message = gascl_narrow(out, id, gascl_control_);
#if GASCL_EVERY_ARC_SENDS
    outbox[GASCL_AT(id)] = message;
#else
    outbox[GASCL_AT(id)].message = message;
    outbox[GASCL_AT(id)].sent = out.count > 0;
#endif
}

static __global const gascl_message *gascl_message_at(const gascl_offset arc, bool *carries,
                                                      GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    __global const gascl_outbox_entry *entry = &outbox[GASCL_AT(sources[arc])];
#if GASCL_EVERY_ARC_SENDS
    *carries = true;
    return entry;
#else
    *carries = entry->sent;
    return &entry->message;
#endif
}

static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int source = sources[arc];
#if GASCL_EVERY_ARC_SENDS
    *x = outbox[GASCL_AT(source)];
    return true;
#else
    *x = outbox[GASCL_AT(source)].message;
    return outbox[GASCL_AT(source)].sent;
#endif
}
