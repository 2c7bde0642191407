// An outbox of what scatter reads of the vertices that send: scatter reads its arc, and runs for each.

static void gascl_outbox_put(const int id, const int ahead, GASCL_STATE GASCL_LANE GASCL_OUT_OFFSETS,
                             __global gascl_outbox_entry *outbox) {
    gascl_write_outbox_entry(&outbox[GASCL_AT(id)], id, GASCL_STATE_ON GASCL_LANE_ON);
}

static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    const int source = sources[arc];
    const size_t at = GASCL_AT(source);
    if (!GASCL_SCATTERS(source))
        return false;
    const gascl_vertex v =
        gascl_read_outbox_entry(&outbox[at], source, GASCL_STATE_ON GASCL_LANE_ON);
    gascl_edge e = gascl_edge_at(source, row, arc GASCL_EDGE_ON GASCL_LANE_ON);
    const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
    *x = gascl_narrow(out, source, gascl_control_);
    return GASCL_EVERY_ARC_SENDS || out.count > 0;
}
