// Delivery `random`: one work-item runs a program with order = "any" by a schedule that GASCL_SEED decides.
// A vertex that waits scatters along its arcs, in either direction from any of them, and sometimes once
// more. With apply_on = "all", where there is no scatter, each vertex applies in a launch at least once, and
// all that it sends arrives through the inbox. A message is applied at once, or it flies for a while; then it
// arrives alone, or combined with another one to the same vertex, and sometimes it comes again. So a vertex may
// get what another one has sent long ago. Sometimes it refuses a message by what it had before the last one.
//
// It also looks for messages whose order matters: whether the receiver would be the same after the last
// two that changed it in the other order, after both of them combined, or after one of them twice.
#include "runtime.cl"

#define GASCL_RANDOM                                                                          \
    __global int *GASCL_RESTRICT queue, __global gascl_message *GASCL_RESTRICT flying,        \
        __global int *GASCL_RESTRICT flights, __global gascl_applied *GASCL_RESTRICT earlier, \
        __global gascl_message *GASCL_RESTRICT last_messages,                                 \
        __global uint *GASCL_RESTRICT last_senders,                                           \
        __global gascl_message *GASCL_RESTRICT first_messages,                                \
        __global uint *GASCL_RESTRICT first_senders,                                          \
        __global gascl_message *GASCL_RESTRICT second_messages,                               \
        __global uint *GASCL_RESTRICT second_senders, __global uchar *GASCL_RESTRICT found
#define GASCL_RANDOM_ON                                                                   \
    queue, flying, flights, earlier, last_messages, last_senders, first_messages,         \
        first_senders, second_messages, second_senders, found

// The schedule so far.
typedef struct {
    uint random;          // the last number that was drawn
    uint head, count;     // of the queue, a ring of the vertices that wait
    int flying;           // how many messages do
    long work;            // arcs and messages
} gascl_schedule;

// Whom a message flies to, in which lane, and from whom.
#define GASCL_FLIGHT(i) (&flights[3 * (i)])
// Senders are stored as numbers from 2 on; 1 is one that is not known, and 0 means that there is no message.
#define GASCL_UNKNOWN 1u
#define GASCL_SENDER(id) ((uint)(id) + 2)
#if GASCL_LANES > 1
#define GASCL_IN_LANE(lane) const int gascl_lane = lane
#else
#define GASCL_IN_LANE(lane) (void)0
#endif

static uint gascl_draw(gascl_schedule *schedule, const uint below) {
    schedule->random = gascl_mixed(schedule->random + 0x9e3779b9u);
    return schedule->random % below;
}

// A vertex waits to scatter, unless it does already: its place in the next mask says so.
static void gascl_wait(const int id, gascl_schedule *schedule, GASCL_STATE, GASCL_RANDOM) {
    __global uchar *waits = &gascl_next[(size_t)id * GASCL_LANES];
    if (*waits)
        return;
    *waits = 1;
    queue[(schedule->head + schedule->count++) % (uint)gascl_run_->graph.gascl_rows] = id;
}

// A vertex after a message.
static gascl_vertex gascl_after(gascl_vertex v, const gascl_message msg, gascl_tally *tally,
                                GASCL_STATE GASCL_LANE) {
    if (!gascl_wants(v, msg, GASCL_STATE_ON GASCL_LANE_ON))
        return v;
    v.gascl_set = 0;
    return gascl_apply_snippet(v, msg, true, tally, GASCL_STATE_ON GASCL_LANE_ON);
}

#if !GASCL_POSTS_AHEAD  // else apply does more than it returns, and cannot be tried
// What the last message to a vertex, which was `v` before and is `now`, shows of the order; 0: nothing.
static int gascl_tried(const size_t place, const gascl_vertex v, const gascl_vertex now,
                       const gascl_message msg, gascl_tally *tally, GASCL_STATE, GASCL_RANDOM
                       GASCL_LANE) {
    if (!gascl_is_same(gascl_after(now, msg, tally, GASCL_STATE_ON GASCL_LANE_ON), now))
        return GASCL_TWICE;
    if (last_senders[place]) {
        const gascl_message other = last_messages[place];
        const gascl_vertex before = gascl_with(v, &earlier[place]);
        gascl_vertex then = gascl_after(before, msg, tally, GASCL_STATE_ON GASCL_LANE_ON);
        then = gascl_after(then, other, tally, GASCL_STATE_ON GASCL_LANE_ON);
        if (!gascl_is_same(then, now))
            return GASCL_EXCHANGED;
        if (gascl_wants(before, msg, GASCL_STATE_ON GASCL_LANE_ON) &&
            gascl_wants(before, other, GASCL_STATE_ON GASCL_LANE_ON)) {
            gascl_box both = gascl_box_empty();
            gascl_box_add(&both, other);
            gascl_box_add(&both, msg);
            then = before;
            then.gascl_set = 0;
            then = gascl_apply_snippet(then, gascl_narrow(both, v.id, gascl_control_), true, tally,
                                       GASCL_STATE_ON GASCL_LANE_ON);
            if (!gascl_is_same(then, now))
                return GASCL_TOGETHER;
        }
    }
    if (now.gascl_set != GASCL_SET && !gascl_sends_same(now, v))
        return GASCL_UNTOLD;
    return 0;
}
#endif

// Keeps what shows that the order matters; a message that changes the vertex in any order the same way
// settles what came before.
static void gascl_note(const size_t place, const int what, const bool changes,
                       const gascl_message msg, const uint sender, GASCL_RANDOM) {
    if (what) {
        first_messages[place] = last_messages[place];
        first_senders[place] = last_senders[place];
        second_messages[place] = msg;
        second_senders[place] = sender;
    }
    if (what || changes)
        found[place] = what;
}

// A message arrives.
static void gascl_arrive(const int id, const gascl_message msg, const uint sender,
                         gascl_schedule *schedule, gascl_tally *tally, GASCL_STATE, GASCL_RANDOM
                         GASCL_LANE) {
    const size_t place = GASCL_AT(id);
    const gascl_vertex v = gascl_whole(id, GASCL_STATE_ON GASCL_LANE_ON);
    ++schedule->work;
    const gascl_vertex now = gascl_after(v, msg, tally, GASCL_STATE_ON GASCL_LANE_ON);
    const bool changes = !gascl_is_same(now, v);
#if !GASCL_POSTS_AHEAD  // a message that is not wanted may have been so before the last one
    const int what = gascl_tried(place, v, now, msg, tally, GASCL_STATE_ON, GASCL_RANDOM_ON
                                 GASCL_LANE_ON);
    gascl_note(place, what, changes, msg, sender, GASCL_RANDOM_ON);
#endif
    if (!gascl_wants(v, msg, GASCL_STATE_ON GASCL_LANE_ON))
        return;
    // What the vertex had before the last message that changed it may refuse this one.
    if (last_senders[place] && gascl_draw(schedule, 4) == 0 &&
        !gascl_wants(gascl_with(v, &earlier[place]), msg, GASCL_STATE_ON GASCL_LANE_ON))
        return;
    ++tally->messages;
    if (changes) {
        gascl_keep(&earlier[place], v);
        last_messages[place] = msg;
        last_senders[place] = sender;
    }
    gascl_put(id, now, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_SNAPSHOTS
    gascl_copy_fields(id, GASCL_STATE_ON GASCL_LANE_ON);
#endif
    if (now.gascl_set == GASCL_SET) {
#if GASCL_APPLY_ALL
        gascl_next[place] = gascl_mask[id] = 1;
#else
        gascl_wait(id, schedule, GASCL_STATE_ON, GASCL_RANDOM_ON);
#endif
    }
}

// The flight of a message ends: the last one takes its place.
static void gascl_end_flight(const int i, gascl_schedule *schedule, GASCL_RANDOM) {
    const int last = --schedule->flying;
    flying[i] = flying[last];
    for (int j = 0; j < 3; ++j)
        GASCL_FLIGHT(i)[j] = GASCL_FLIGHT(last)[j];
}

// One of the messages that fly arrives, sometimes with another one; with `again`, some come again.
static void gascl_land(gascl_schedule *schedule, const bool again, gascl_tally *tally, GASCL_STATE,
                       GASCL_RANDOM) {
    const int i = gascl_draw(schedule, schedule->flying);
    const int id = GASCL_FLIGHT(i)[0];
    const uint sender = GASCL_FLIGHT(i)[2];
    GASCL_IN_LANE(GASCL_FLIGHT(i)[1]);
    gascl_message msg = flying[i];
    if (gascl_draw(schedule, 3) == 0) {
        const gascl_vertex v = gascl_whole(id, GASCL_STATE_ON GASCL_LANE_ON);
        for (int j = 0; j < schedule->flying; ++j)
            if (j != i && GASCL_FLIGHT(j)[0] == id && GASCL_FLIGHT(j)[1] == GASCL_FLIGHT(i)[1] &&
                gascl_wants(v, msg, GASCL_STATE_ON GASCL_LANE_ON) &&
                gascl_wants(v, flying[j], GASCL_STATE_ON GASCL_LANE_ON)) {
                gascl_box both = gascl_box_empty();
                gascl_box_add(&both, msg);
                gascl_box_add(&both, flying[j]);
                msg = gascl_narrow(both, id, gascl_control_);
                break;  // it comes by itself, too
            }
    }
    if (!again || gascl_draw(schedule, 8))
        gascl_end_flight(i, schedule, GASCL_RANDOM_ON);
    gascl_arrive(id, msg, sender, schedule, tally, GASCL_STATE_ON, GASCL_RANDOM_ON GASCL_LANE_ON);
}

#if GASCL_APPLY_ALL
// A vertex applies in all lanes, without a message. The mask has what get_mask() reads: whether it says
// set_mask(); the next mask, by which there is another launch, whether it has said so in this one.
static void gascl_visit(const int id, gascl_schedule *schedule, gascl_tally *tally,
                        GASCL_STATE GASCL_EDGE, __global const gascl_offset *offsets,
                        __global const int *targets, GASCL_RANDOM) {
    bool set = false;
    GASCL_FOR_LANES {
        const gascl_vertex v = gascl_whole(id, GASCL_STATE_ON GASCL_LANE_ON);
        const gascl_vertex now = gascl_apply_snippet(v, gascl_nothing(), false, tally,
                                                     GASCL_STATE_ON GASCL_LANE_ON);
        gascl_put(id, now, GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_SNAPSHOTS
        gascl_copy_fields(id, GASCL_STATE_ON GASCL_LANE_ON);
#endif
        if (now.gascl_set == GASCL_SET) {
            gascl_next[GASCL_AT(id)] = 1;
            set = true;
        }
    }
    gascl_mask[id] = set;
}

// All vertices wait to apply: from any of them on, in either direction.
static void gascl_wait_all(gascl_schedule *schedule, GASCL_STATE, GASCL_RANDOM) {
    const int n = gascl_run_->graph.gascl_rows, first = gascl_draw(schedule, max(n, 1));
    const bool back = gascl_draw(schedule, 2);
    for (int i = 0; i < n; ++i)
        queue[i] = (int)(((long)first + (back ? n - 1 - i : i)) % n);
    schedule->count = n;
}
#else
// A vertex scatters in all lanes.
static void gascl_visit(const int id, gascl_schedule *schedule, gascl_tally *tally,
                        GASCL_STATE GASCL_EDGE, __global const gascl_offset *offsets,
                        __global const int *targets, GASCL_RANDOM) {
    const gascl_offset begin = offsets[id], arcs = offsets[id + 1] - begin;
    if (!arcs)
        return;
    const gascl_offset first = gascl_draw(schedule, (uint)min((ulong)arcs, (ulong)INT_MAX));
    const bool back = gascl_draw(schedule, 2);
    schedule->work += arcs;
    GASCL_FOR_LANES {
        const gascl_vertex v = gascl_scattering(id, GASCL_STATE_ON GASCL_LANE_ON);
        for (gascl_offset i = 0; i < arcs; ++i) {
            const gascl_offset arc = begin + (first + (back ? arcs - 1 - i : i)) % arcs;
            const int target = targets[arc];
            gascl_edge e = gascl_edge_at(id, target, arc GASCL_EDGE_ON GASCL_LANE_ON);
            const gascl_box out = gascl_scatter(v, &e, 0, GASCL_STATE_ON GASCL_LANE_ON);
            if (!out.count)
                continue;
            const gascl_message msg = gascl_narrow(out, id, gascl_control_);
            if (gascl_draw(schedule, 2)) {
                gascl_arrive(target, msg, GASCL_SENDER(id), schedule, tally, GASCL_STATE_ON,
                             GASCL_RANDOM_ON GASCL_LANE_ON);
                continue;
            }
            if (schedule->flying == GASCL_MOST_FLIGHTS)
                gascl_land(schedule, false, tally, GASCL_STATE_ON, GASCL_RANDOM_ON);
            const int place = schedule->flying++;
            flying[place] = msg;
            GASCL_FLIGHT(place)[0] = target;
#if GASCL_LANES > 1
            GASCL_FLIGHT(place)[1] = gascl_lane;
#else
            GASCL_FLIGHT(place)[1] = 0;
#endif
            GASCL_FLIGHT(place)[2] = GASCL_SENDER(id);
        }
    }
}
#endif

// The turn of one of the vertices that have waited longest, which sometimes waits again at once.
static void gascl_visit_any(gascl_schedule *schedule, gascl_tally *tally, GASCL_STATE GASCL_EDGE,
                            __global const gascl_offset *offsets, __global const int *targets,
                            GASCL_RANDOM) {
    const uint n = gascl_run_->graph.gascl_rows, first = schedule->head % n;
    const uint chosen =
        (first + gascl_draw(schedule, min(schedule->count, (uint)GASCL_MOST_FLIGHTS))) % n;
    const int id = queue[chosen];
    queue[chosen] = queue[first];
    schedule->head = (first + 1) % n;
    --schedule->count;
    if (!GASCL_APPLY_ALL)
        gascl_next[(size_t)id * GASCL_LANES] = 0;
    gascl_visit(id, schedule, tally, GASCL_STATE_ON GASCL_EDGE_ON, offsets, targets,
                GASCL_RANDOM_ON);
    if (gascl_draw(schedule, 8))
        return;
#if GASCL_APPLY_ALL
    queue[(schedule->head + schedule->count++) % n] = id;
#else
    gascl_wait(id, schedule, GASCL_STATE_ON, GASCL_RANDOM_ON);
#endif
}

#if GASCL_INBOX
// What send_to has sent to a vertex arrives, combined; the senders are not known.
#define GASCL_ARRIVE(when)                                                                       \
    {                                                                                            \
        const gascl_box in = gascl_take(id, gascl_inbox##when, gascl_arrived##when,              \
                                        gascl_wraps##when GASCL_LANE_ON);                        \
        if (in.count)                                                                            \
            gascl_arrive(id, gascl_narrow(in, id, gascl_control_), GASCL_UNKNOWN, schedule,      \
                         tally, GASCL_STATE_ON, GASCL_RANDOM_ON GASCL_LANE_ON);                  \
    }
static void gascl_empty_inboxes(gascl_schedule *schedule, gascl_tally *tally, GASCL_STATE,
                                GASCL_RANDOM) {
    const int n = gascl_run_->graph.gascl_rows, first = gascl_draw(schedule, max(n, 1));
    for (int i = 0; i < n; ++i) {
        const int id = (first + i) % n;
        GASCL_FOR_LANES {
            GASCL_ARRIVE()
#if GASCL_POSTS_AHEAD
            GASCL_ARRIVE(_next)
#endif
        }
    }
}
#endif

__kernel void gascl_random(GASCL_STATE GASCL_EDGE, __global const gascl_offset *restrict offsets,
                           __global const int *restrict targets, GASCL_RANDOM,
                           __global gascl_tally *restrict tallies) {
    if (gascl_control_->stopped)
        return;
    const int n = gascl_run_->graph.gascl_rows;
    gascl_schedule schedule = {gascl_mixed(GASCL_SEED + gascl_control_->superstep), 0, 0, 0, 0};
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
#if GASCL_APPLY_ALL
    gascl_wait_all(&schedule, GASCL_STATE_ON, GASCL_RANDOM_ON);
#else
    for (int id = 0; id < n; ++id)
        if (gascl_mask[id]) {  // in any bucket
            gascl_mask[id] = 0;
            gascl_wait(id, &schedule, GASCL_STATE_ON, GASCL_RANDOM_ON);
        }
#endif
    while ((GASCL_APPLY_ALL || schedule.work < GASCL_MOST_RANDOM_WORK) &&
           (schedule.count || schedule.flying)) {
        if (schedule.count && (!schedule.flying || gascl_draw(&schedule, 2)))
            gascl_visit_any(&schedule, &tally, GASCL_STATE_ON GASCL_EDGE_ON, offsets, targets,
                            GASCL_RANDOM_ON);
        else
            gascl_land(&schedule, true, &tally, GASCL_STATE_ON, GASCL_RANDOM_ON);
#if GASCL_INBOX  // rarely where there are many vertices, which all are looked at
        if (gascl_draw(&schedule, 2 + n / 64) == 0)
            gascl_empty_inboxes(&schedule, &tally, GASCL_STATE_ON, GASCL_RANDOM_ON);
#endif
    }
    while (schedule.flying)
        gascl_land(&schedule, false, &tally, GASCL_STATE_ON, GASCL_RANDOM_ON);
#if GASCL_INBOX
    gascl_empty_inboxes(&schedule, &tally, GASCL_STATE_ON, GASCL_RANDOM_ON);
#endif
    GASCL_COPY_TALLY(tallies[0], tally);
}
