// What every run needs around a delivery: init, the commit of masks, and the end of a superstep.
#include "runtime.cl"

#if GASCL_INBOX
// Empties an inbox, for a run that continues from a State without one.
__kernel void gascl_empty(__global const gascl_run *run, __global gascl_cell *inbox) {
    const long cells = (long)run->graph.gascl_rows * GASCL_LANES;
    GASCL_FOR_RANGE_OF(long, i, cells)
        inbox[i] = gascl_cell_empty();
}
#endif

#if GASCL_PERSISTENT
// The words of the team, and two for each field of floats; in whole cache lines (persistent/phases.cl).
#define GASCL_TEAM_SIZE \
    (GASCL_STRIDE * (GASCL_TEAM_WORDS + (2 * GASCL_REALS + GASCL_STRIDE - 1) / GASCL_STRIDE))
#endif

// How a run starts. Fields in `given` have a value at every vertex, those in `partly` (which may be null) at
// this one; those in `kept` keep theirs. `own_mask`: the program chooses the vertices that scatter first.
#define GASCL_FIRST_VALUES \
    const ulong given, __global const ulong *partly, const ulong kept, const int own_mask
#define GASCL_FIRST_VALUES_ON given, partly, kept, own_mask

// A team's share of the start: the fields' init expressions, the init snippet and the first mask. The mask and the
// inbox are emptied on the way, since filling their buffers in launches of their own would take longer.
static void gascl_start_vertices(const gascl_team team, gascl_tally *tally, GASCL_STATE,
                                 GASCL_FIRST_VALUES) {
#if GASCL_INIT_ADDS
    gascl_tally unused;  // of vertices that other ranks add up
    GASCL_ZERO_TALLY(unused);
#define GASCL_TALLY_OF(id)                                                             \
    ((id) >= gascl_run_->graph.gascl_first && (id) < gascl_run_->graph.gascl_last ? tally : &unused)
#else
#define GASCL_TALLY_OF(id) tally
#endif
#if GASCL_HOLDS_FIRST
    gascl_held_ids held;
    held.count = 0;
#endif
    GASCL_FOR_SHARE_OF_PLACES(id, gascl_run_->graph.gascl_rows) {
#if GASCL_MASKED && !GASCL_LISTS_RECEIVERS
        gascl_start_mask(id GASCL_MASKS_ON GASCL_LANE_ON);
#endif
#if GASCL_PREFETCHES
        if (id + GASCL_AHEAD < gascl_run_->graph.gascl_rows)
            gascl_prefetch_init(id + GASCL_AHEAD, GASCL_STATE_ON);
#endif
        const bool first = gascl_init(id, given | (partly ? partly[id] : 0), kept, own_mask,
                                      GASCL_TALLY_OF(id), GASCL_STATE_ON GASCL_LANE_ON);
#if GASCL_HOLDS_FIRST
        gascl_hold_if(first, id, &held, GASCL_FIRST_LISTED, &GASCL_LENGTH(LISTED));
#else
        GASCL_PUT_OWN(id, first ? GASCL_SET : 0);
#endif
#if GASCL_INBOX
        GASCL_EMPTY(id, );
#if GASCL_POSTS_AHEAD
        GASCL_EMPTY(id, _next);
#endif
#endif
    }
#if GASCL_HOLDS_FIRST
    gascl_flush_ids(&held, GASCL_FIRST_LISTED, &GASCL_LENGTH(LISTED));
#endif
}

// The start as a launch of its own, which also sets counters to 0.
__kernel void gascl_start(GASCL_STATE, GASCL_FIRST_VALUES, __global gascl_tally *tallies,
                          __global long *counts, __global long *posted) {
    __local gascl_shared shared;
    gascl_tally tally;
    GASCL_ZERO_TALLY(tally);
    if (get_local_id(0) == 0) {
        counts[2 * get_group_id(0)] = counts[2 * get_group_id(0) + 1] = 0;
        posted[get_group_id(0)] = 0;
    }
    gascl_start_vertices(gascl_team_of_launch(gascl_control_), &tally, GASCL_STATE_ON,
                         GASCL_FIRST_VALUES_ON);
    gascl_tally_store(&tally, tallies, &shared);
}

#if GASCL_ARC_STATE
__kernel void gascl_start_arcs(GASCL_STATE GASCL_EDGE, __global const gascl_offset *offsets,
                               __global const int *targets, const ulong kept) {
    GASCL_FOR_RANGE(row, gascl_run_->graph.gascl_rows)
        for (gascl_offset arc = offsets[row]; arc < offsets[row + 1]; ++arc)
            GASCL_FOR_LANES
                gascl_init_arc(gascl_edge_at(row, targets[arc], arc GASCL_EDGE_ON GASCL_LANE_ON),
                               arc, kept, GASCL_STATE_ON GASCL_EDGE_ON GASCL_LANE_ON);
}
#endif

// Copies the fields that apply writes and other vertices read, so that these read the old values.
#if GASCL_SNAPSHOTS
__kernel void gascl_snapshot(GASCL_STATE) {
    GASCL_FOR_PLACES(id, gascl_vertices(gascl_run_, gascl_control_))
        gascl_copy_fields(id, GASCL_STATE_ON GASCL_LANE_ON);
}
#endif

#if GASCL_REALS
// After a run, of each field of floats: how many vertices have NaN in it, and the number of vertices
// less the first of them, or 0.
// The first is looked for afterwards, so that compilers can count several vertices at once.
#define GASCL_COUNT_NANS(field, is_nan)                       \
    {                                                         \
        int many = 0;                                         \
        GASCL_FOR_TAKEN(id, rows) {                           \
            int any_nan = 0;                                  \
            GASCL_FOR_LANES                                   \
                any_nan |= is_nan;                            \
            many += any_nan != 0;                             \
        }                                                     \
        if (many) {                                           \
            int first = rows;                                 \
            GASCL_FOR_TAKEN(id, rows)                         \
                GASCL_FOR_LANES                               \
                    if (is_nan)                               \
                        first = min(first, (int)id);          \
            atomic_add(&nans[2 * (field)], many);             \
            atomic_max(&nans[2 * (field) + 1], rows - first); \
        }                                                     \
    }
static void gascl_count_nans(const gascl_team team, GASCL_STATE, __global int *nans) {
    const int rows = gascl_run_->graph.gascl_rows;
    GASCL_FOR_TAKES(rows, 4096) {
        GASCL_FOR_REALS(GASCL_COUNT_NANS)
    }
}

__kernel void gascl_nans(GASCL_STATE, __global int *nans) {
    gascl_team team = gascl_team_of_launch(gascl_control_);
    team.idle = false;
    gascl_count_nans(team, GASCL_STATE_ON, nans);
}
#endif

// How many vertices the next mask holds, and how many arcs go out from them: of each group.
static void gascl_count(const long vertices, const long arcs, __global long *counts,
                        __local gascl_shared *shared) {
    const long2 sum = gascl_count_reduce((long2)(vertices, arcs), shared);
    if (get_local_id(0) == 0) {
        counts[2 * get_group_id(0)] = sum.x;
        counts[2 * get_group_id(0) + 1] = sum.y;
    }
}

// Adds to what a group has counted in this superstep.
static void gascl_add_count(const long2 counted, __global long *count,
                            __local gascl_shared *shared) {
    const long2 sum = gascl_count_reduce(counted, shared);
    if (get_local_id(0) == 0) {
        count[0] += sum.x;
        count[1] += sum.y;
    }
}

// The commit of the mask, and the other kernels of the delivery's active set. No such file exists:
// gascl/delivery/assembly.py puts `Delivery.active.kernels` here, that is mask_kernels.cl,
// frontier_kernels.cl or the text of another form.
#include "active_set_kernels.cl"

// The end of a superstep, by one group, in two steps: total up what the groups counted, and decide
// how to continue. Each item's `messages` are added to those of the tallies.
static long2 gascl_total_of(gascl_tally *total, const long messages,
                            __global const gascl_tally *tallies, const int num_tallies,
                            __global const long *counts, const int num_counts,
                            __local gascl_shared *shared) {
    const int item = get_local_id(0);
    GASCL_ZERO_TALLY(*total);
    total->messages = messages;
    for (int i = item; i < num_tallies; i += GASCL_GROUP)
        GASCL_ADD_TALLY(*total, tallies[i]);
    long2 sum = 0;
    for (int i = item; i < num_counts; i += GASCL_GROUP)
        sum += (long2)(counts[2 * i], counts[2 * i + 1]);
    sum = gascl_count_reduce(sum, shared);
    gascl_tally_reduce(total, shared);
    return sum;
}

// For a persistent kernel, persistent/clock.cl; otherwise nothing.
#include "clock.cl"

// Evaluates `stop`, stores the superstep's record, and sets `stopped` to the reason if the run ends: see
// `Stop` in gascl/codegen/constants.py. A delivery that can pull begins to do so where the next frontier has more
// than `most_arcs` arcs, and continues while it has `least_arcs` or more. `starting`: 1 before the
// first superstep, GASCL_GOING_ON where only the mask is new. `now`: the control record that results, in
// an item's own memory: reading and writing the device's alternately would wait for each read.
static void gascl_decide_on(gascl_control *now, const gascl_tally *tally, const long vertices,
                            const long arcs, GASCL_STATE, const int starting, const int ask_stop,
                            const long least_arcs, const long most_arcs,
                            __global gascl_control *records, const int record) {
    GASCL_COPY_CONTROL(*now, *gascl_control_);
    gascl_aggregates prev, agg;
    if (starting != GASCL_GOING_ON) {
        GASCL_COPY_AGGREGATES(prev, now->aggregates);
        GASCL_SETTLE(agg, *tally);
        GASCL_COPY_AGGREGATES(now->aggregates, agg);
        now->messages = tally->messages;
        now->active = now->next_active;
    }
    now->next_active = GASCL_SCATTER_ALL ? gascl_run_->graph.num_vertices : vertices;
    now->arcs = now->next_arcs;
    now->next_arcs = arcs;
    if (now->overflow != INT_MAX)
        now->stopped = GASCL_STOPPED_BY_OVERFLOW;
    else if (now->fault != INT_MAX)
        now->stopped = GASCL_STOPPED_BY_FAULT;
#if GASCL_MAY_NEED_ORDER
    else if (now->ordered)
        now->stopped = GASCL_STOPPED_BY_ORDER;
#endif
    else if (!starting && ask_stop &&
             gascl_stop(&prev, &agg, now->superstep, gascl_run_))
        now->stopped = GASCL_STOPPED_BY_RULE;
    else if (GASCL_ENDS_ON_EMPTY_MASK && starting != GASCL_GOING_ON && now->next_active == 0 &&
             !now->under_way)
        now->stopped = GASCL_STOPPED_BY_EMPTY_MASK;
    now->pulled = now->pulls;
    now->bits = now->pulls && !starting;
    now->pulls = now->pulls ? arcs >= least_arcs : arcs > most_arcs;
    GASCL_RENEW_LISTS(now, starting);
    if (!starting)
        ++now->superstep;
#ifdef GASCL_CLOCK
    const long clock = GASCL_CLOCK();
    now->ticks = clock - now->clock;
    now->clock = clock;
#endif
    GASCL_COPY_CONTROL(records[record], *now);
    now->under_way = 0;
    GASCL_COPY_CONTROL(*gascl_control_, *now);
}

__kernel void gascl_finish(GASCL_STATE, __global const gascl_tally *tallies, const int num_tallies,
                           __global const long *counts, const int num_counts, const int starting,
                           const int ask_stop, const long least_arcs, const long most_arcs,
                           __global gascl_control *records, const int record) {
    __local gascl_shared shared;
    gascl_tally tally;
    gascl_control now;
    const long2 sum =
        gascl_total_of(&tally, 0, tallies, num_tallies, counts, num_counts, &shared);
    if (get_local_id(0) == 0 && !gascl_control_->stopped)
        gascl_decide_on(&now, &tally, sum.x, sum.y, GASCL_STATE_ON, starting, ask_stop, least_arcs,
                        most_arcs, records, record);
}

// The control record and the total of a device's tallies, for the other ranks of the run.
__kernel void gascl_total(__global const gascl_tally *tallies, const int num_tallies,
                          __global const gascl_control *control, __global gascl_outcome *total) {
    __local gascl_shared shared;
    gascl_tally tally;
    gascl_total_of(&tally, 0, tallies, num_tallies, 0, 0, &shared);
    if (get_local_id(0) == 0) {
        GASCL_COPY_CONTROL(total->control, *control);
        GASCL_COPY_TALLY(total->tally, tally);
    }
}
