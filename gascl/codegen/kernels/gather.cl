// Gather: combines the messages on each row of arcs into one box, and passes that to the delivery.
//
// A delivery that gathers defines what follows before it includes this file; its kernel then calls
// gascl_gather(). pull.cl, outbox.cl and slots.cl are examples.
//
//   GASCL_DELIVERY      its own arguments as a function declares them, a comma before each
//   GASCL_DELIVERY_ON   the same, passed on
//   GASCL_MAY_STOP      1 if the arcs of a row need not all be fetched, such as those of a vertex
//                       that receives nothing, or has enough; where fetching runs scatter,
//                       GASCL_SKIPS
//
//   // Whether any arc of a row may carry a message. The arcs of other rows need not be fetched.
//   static bool gascl_wants_row(const int row, GASCL_STATE GASCL_DELIVERY);
//
//   // Whether an arc of the row carries a message, and which. With GASCL_CONSUMES 0, an arc may be
//   // fetched twice.
//   static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
//                           GASCL_STATE GASCL_LANE GASCL_DELIVERY);
//
//   // Called once for each message that was fetched, which is not fetched again. Where every arc
//   // sends (GASCL_EVERY_ARC_SENDS) it may not be called. A delivery in which it does nothing says so:
//   #define GASCL_CONSUMES 0
//   static void gascl_consume(const gascl_offset arc, GASCL_STATE GASCL_LANE GASCL_DELIVERY);
//
//   // Called once for each row and lane, with all its messages combined; the count may be 0, and
//   // where the delivery knows in which lanes a vertex sends, it need not be called then.
//   // `tally` is the argument of gascl_gather().
//   static void gascl_finish_row(const int row, const gascl_box in, gascl_tally *tally,
//                                GASCL_STATE GASCL_LANE GASCL_DELIVERY);
//
//   // The vertex that sends along an arc; not defined where a delivery does not know it. Where
//   // only the vertices in the mask send, arcs of the others are then skipped in all lanes at once.
//   #define GASCL_SENDER(arc)
//
// A delivery that knows in which lanes each vertex sends (Delivery.knows_lanes, GASCL_KNOWS_LANES)
// also defines:
//
//   // Those lanes, as bits. An arc is fetched in no other lanes.
//   #define GASCL_SENDING_LANES(arc)
//
//   // Called with the lanes in which a row has been finished with a message.
//   static void gascl_note_received(const int row, const ulong lanes, GASCL_STATE GASCL_DELIVERY);
//
// With GASCL_FETCHES_ALL (gascl/delivery/assembly.py), gascl_fetch() costs as much where an arc carries no message,
// and then may give any message.
//
// Messages are combined in an order that depends on nothing but the blocks, so that every delivery
// that gathers gives the same sums of floats, bit for bit.

// Before loops too short to be worth vectorizing. LLVM 14 vectorizes them for AVX-512 all the same,
// inside the loop over work-items that PoCL generates, and drops the mask of items that have no
// row: these then applied messages to vertices that do not exist.
#ifdef __clang__
#define GASCL_DO_NOT_VECTORIZE _Pragma("clang loop vectorize(disable)")
#else
#define GASCL_DO_NOT_VECTORIZE
#endif

#ifndef GASCL_CONSUMES
#define GASCL_CONSUMES (!GASCL_EVERY_ARC_SENDS)
#endif

// Whether any arc of a row must be fetched for a lane.
static bool gascl_visits_row(const int row, GASCL_STATE GASCL_LANE GASCL_DELIVERY) {
    return (!GASCL_MAY_STOP || gascl_receives(row, GASCL_STATE_ON GASCL_LANE_ON)) &&
           gascl_wants_row(row, GASCL_STATE_ON GASCL_DELIVERY_ON);
}

// Whether no other arc of a row must be fetched for a lane.
static bool gascl_is_done(const gascl_box in, const int row, GASCL_STATE GASCL_LANE) {
    return GASCL_MAY_STOP && gascl_stops(in, row, GASCL_STATE_ON GASCL_LANE_ON);
}

// What a row has received: where no message came along its own arcs, the box of one that ranks share.
static gascl_box gascl_received(const int row, const gascl_box in GASCL_DELIVERY) {
#if GASCL_CUTS
    for (int i = 0; !in.count && i < num_cut_rows; ++i)
        if (cut_rows[i].first == row)
            return joined[i];
#endif
    return in;
}

// gascl_gather() itself. No such file exists: gascl/delivery/assembly.py puts one of the files in
// gather/ here, by the size of a work-group, the number of lanes, and whether a vertex may have
// enough messages before its last one:
//
//                      one item in a group     several items in a group
//   one lane           item.cl                 group.cl; group_components.cl for arrays; or
//                                              group_early_exit.cl, of which delivery `frontier`
//                                              only needs shared_row.cl
//   several lanes      item_lanes.cl           group_lanes.cl, group_lane_bitmasks.cl or
//                                              group_lane_lists.cl
#include "gather_rows.cl"
