// Deliveries `frontier` and `reached`: supersteps in which the vertices that still receive pull from the frontier.

// The frontier as bits, for even and odd supersteps.
#define GASCL_BITS(superstep) (bits + ((superstep) & 1 ? GASCL_WORDS(gascl_run_) : 0))

static void gascl_clear_bits(const gascl_team team, GASCL_STATE, __global uint *restrict bits) {
    __global uint *now = GASCL_BITS(gascl_control_->superstep);
    GASCL_FOR_SHARE(word, GASCL_WORDS(gascl_run_), 4096)
        now[word] = 0;
}

static void gascl_set_bits(const gascl_team team, GASCL_STATE, GASCL_PUSHED,
                           __global uint *GASCL_RESTRICT bits) {
    const int superstep = gascl_control_->superstep;
    __global uint *now = GASCL_BITS(superstep);
    __global const int2 *frontier =
        gascl_frontier_of(frontiers, superstep, most_pieces);
    const int listed = team.idle ? 0 : GASCL_FRONTIER_LENGTH(superstep);  // others add to it then
    // Neighbors in the list are often in the same word, which then takes one atomic operation.
    GASCL_FOR_TAKES(listed, 256) {
        int word = 0;
        uint set = 0;
        GASCL_FOR_TAKEN(i, listed) {
            const int id = frontier[i].x;
            if (id / 32 != word && set) {
                atomic_or(&now[word], set);
                set = 0;
            }
            word = id / 32;
            set |= 1u << id % 32;
        }
        if (set)
            atomic_or(&now[word], set);
    }
}

// From bits to a list, of the frontier of a superstep.
static void gascl_list_bits(const gascl_team team, const int superstep, GASCL_STATE, GASCL_PUSHED,
                            __global const uint *restrict bits,
                            __local gascl_step_memory *memory) {
    __global const uint *now = GASCL_BITS(superstep);
    __global int2 *frontier = gascl_frontier_of(frontiers, superstep, most_pieces);
    __global int *length = &GASCL_FRONTIER_LENGTH(superstep);
    gascl_pieces held;
    held.count = 0;
#if GASCL_GROUP == 1
    GASCL_FOR_SHARE(word, GASCL_WORDS(gascl_run_), 256)
        for (uint left = now[word]; left; left &= left - 1) {
            const int id = (int)word * 32 + 31 - clz(left & -left);
            gascl_list(id, offsets[id + 1] - offsets[id], &held, frontier, length);
        }
#else
    // An item takes a vertex. If each item added to the length, as many additions would wait for each other.
    const long n = gascl_run_->graph.gascl_rows, step = (long)team.groups * GASCL_GROUP;
    for (long base = (long)team.rank * GASCL_GROUP; base < (team.idle ? 0 : n); base += step) {
        const long id = base + get_local_id(0);
        const bool set = id < n && now[id / 32] >> id % 32 & 1;
        const gascl_offset arcs = set ? offsets[id + 1] - offsets[id] : 0;
        gascl_list_by_group(set, (int)id, arcs, &held, frontier, length, memory);
    }
#endif
    gascl_flush_pieces(&held, frontier, length);
}

// Where all arcs are visited and scatter reads none of them, each vertex's message is first put beside whether there
// is one: an arc then reads one address, instead of a bit and then fields. A CPU does so where it can combine the
// identity for vertices that send nothing, instead of a branch.
#define GASCL_HAS_OUTBOX                                                                         \
    (GASCL_HAS_SCATTER && !GASCL_COUNTS_ONCE && !GASCL_READS_EDGE && !GASCL_EVERY_ARC_SENDS && \
     (GASCL_GROUP > 1 || GASCL_ADDS_IDENTITY))
#if GASCL_HAS_OUTBOX
#define GASCL_OUTBOXES , __global gascl_outbox_entry *GASCL_RESTRICT outbox
#define GASCL_OUTBOXES_ON , outbox
#else
#define GASCL_OUTBOXES
#define GASCL_OUTBOXES_ON
#endif

// `pulled`: the messages that vertices have pulled in the first phase, combined, for the second one.
#define GASCL_PULLED                                                                          \
    __global const gascl_block *restrict in_blocks, const int num_in_blocks,                  \
        __global const gascl_offset *restrict in_offsets, __global const int *restrict sources, \
        __global uint *GASCL_RESTRICT bits, __global gascl_box *GASCL_RESTRICT pulled GASCL_OUTBOXES
#define GASCL_PULLED_ON in_blocks, num_in_blocks, in_offsets, sources, bits, pulled GASCL_OUTBOXES_ON

// Whether all vertices pull, since scatter must run in any case, and not only those that receive and have an arc.
#define GASCL_PULLS_ALL_ROWS \
    (!GASCL_SKIPS || !GASCL_RECEIVES || GASCL_FILTERS || GASCL_APPLY_ALL)
#if GASCL_GROUP < 32 && !GASCL_PULLS_ALL_ROWS
// Which of 32 vertices pull, as a bit mask.
static uint gascl_pulling_rows(const int first, GASCL_STATE,
                               __global const gascl_offset *restrict in_offsets) {
    const int last = min(gascl_run_->graph.gascl_rows - first, 32);
    uint wanting = 0;
    for (int j = 0; j < last; ++j)
        wanting |= (uint)(gascl_receives(first + j, GASCL_STATE_ON) &
                          (in_offsets[first + j] < in_offsets[first + j + 1]))
                   << j;
    return wanting;
}
#endif

#define GASCL_DELIVERY GASCL_EDGE, GASCL_PULLED, __global const uint *now
#define GASCL_DELIVERY_ON GASCL_EDGE_ON, GASCL_PULLED_ON, now

// The frontier as bits; 0: all vertices are in it.
#define GASCL_SENDING_BITS()                                                  \
    (GASCL_ALL_SEND ? (__global const uint *)0                                \
                    : (__global const uint *)GASCL_BITS(gascl_control_->superstep))

#if GASCL_HAS_OUTBOX
// Fills the outboxes of a share of the vertices. One without out-arcs does not scatter: its scatter must not
// be run where it could fail.
static void gascl_fill_outboxes(const gascl_team team, GASCL_STATE,
                                __global const gascl_offset *restrict offsets,
                                __global const uint *bits,
                                __global gascl_outbox_entry *GASCL_RESTRICT outbox) {
    __global const uint *now = GASCL_SENDING_BITS();
    GASCL_FOR_SHARE(id, gascl_run_->graph.gascl_rows, 1024) {
        const bool scatters = (!now || now[id / 32] >> id % 32 & 1) &&
                              (!GASCL_CAN_FAIL || offsets[id] < offsets[id + 1]);
        gascl_box out = gascl_box_empty();
        if (scatters) {
            gascl_edge e = {0};  // scatter reads no arc
            out = gascl_scatter(gascl_scattering(id, GASCL_STATE_ON), &e, 0, GASCL_STATE_ON);
        }
        if (out.count)
            outbox[id].message = gascl_narrow(out, id, gascl_control_);
        outbox[id].sent = out.count > 0;
    }
}
#endif

#define GASCL_PULLS_NOW (gascl_control_->pulls != 0)
#define GASCL_HAS_BITS (!GASCL_LISTS_BITS && gascl_control_->bits != 0)

// Whether a vertex is in the frontier; `now` is GASCL_SENDING_BITS().
static bool gascl_is_sending(const int source, GASCL_STATE, __global const uint *now) {
#if GASCL_REACHES
    if (!GASCL_PULLS_NOW)
        return gascl_sent_in[source] == GASCL_MARK_NOW();
#endif
    return !now || now[source / 32] >> source % 32 & 1;
}

// Whether an arc carries a message, and which.
#define GASCL_FETCHES_OUTBOX (GASCL_HAS_OUTBOX && GASCL_GROUP > 1)
static bool gascl_fetch(const gascl_offset arc, const int row, gascl_message *x,
                        GASCL_STATE GASCL_DELIVERY) {
    const int source = sources[arc];
#if GASCL_FETCHES_OUTBOX
#if GASCL_REACHES
    if (GASCL_PULLS_NOW)  // otherwise no outbox is filled
#endif
    {
        if (sizeof(gascl_message) > 16 && !outbox[source].sent)  // else both come by one read
            return false;
        *x = outbox[source].message;
        return outbox[source].sent;
    }
#endif
#if !GASCL_FETCHES_OUTBOX || GASCL_REACHES
    if (!gascl_is_sending(source, GASCL_STATE_ON, now))
        return false;
    gascl_edge e = gascl_edge_at(source, row, arc GASCL_EDGE_ON);
    const gascl_box out =
        gascl_scatter(gascl_scattering(source, GASCL_STATE_ON), &e, 0, GASCL_STATE_ON);
    if (!out.count)
        return false;
    *x = gascl_narrow(out, source, gascl_control_);
    return true;
#endif
}

// Applies what a vertex has pulled; whether it is in the next frontier.
static bool gascl_apply_pulled(const int row, const gascl_box in, gascl_tally *tally,
                               long2 *counted, GASCL_STATE,
                               __global const gascl_offset *restrict offsets) {
    if (!GASCL_APPLY_ALL && !in.count)
        return false;
    // Without a branch: which vertices are in it is often random.
    const bool set = gascl_apply_box(row, in, tally, GASCL_STATE_ON) == GASCL_SET;
    counted->x += set;
    counted->y += (offsets[row + 1] - offsets[row]) & -(gascl_offset)set;
    return set;
}

#include "push/words.cl"

// Pulling by the items of a work-group: push/pull_by_item.cl where a group is one item, or a vertex may have
// enough before its last message; otherwise push/pull_by_block.cl (gascl/delivery/assembly.py). Both define:
//
//   GASCL_PULLS_AT_ONCE        whether there is no first phase
//   GASCL_SEARCHES             whether there is a phase in which groups search long rows
//   GASCL_APPLY_ROW(row)       applies a row in the second phase; whether it is in the next frontier
//   GASCL_PREFETCH_ROW(row)    prefetches what that reads
//
//   // The first phase: what apply must wait for.
//   static void gascl_pull_first(const gascl_team team, ...);
#include "pull_rows.cl"
// Delivery `reached`: push/reached_rows.cl.
#include "reached_rows.cl"

// The second phase applies what the vertices have pulled.
static void gascl_apply_rows(const gascl_team team, GASCL_STATE GASCL_DELIVERY,
                             __global const gascl_offset *restrict offsets,
                             __local gascl_step_memory *memory, gascl_tally *tally,
                             long2 *counted) {
    __global uint *coming = GASCL_BITS(gascl_control_->superstep + 1);
    GASCL_FOR_WORDS(GASCL_PREFETCH_ROW, GASCL_APPLY_ROW(row))
}

// What a superstep needs besides GASCL_STATE and GASCL_EDGE.
#define GASCL_STEP GASCL_PUSHED GASCL_EDGE_IN, GASCL_PULLED
#define GASCL_STEP_ON GASCL_PUSHED_ON GASCL_EDGE_IN_ON, GASCL_PULLED_ON

// The first phase of a superstep; the result is as that of gascl_push().
static long gascl_scatter_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                                __local gascl_step_memory *memory) {
    __global const uint *now = GASCL_SENDING_BITS();
    if (GASCL_PULLS_NOW) {
        gascl_pull_first(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, GASCL_PULLED_ON, now, memory);
        return 0;
    }
    return gascl_push(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON, memory);
}

// The second phase.
static void gascl_apply_phase(const gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                              __local gascl_step_memory *memory, gascl_tally *tally,
                              long2 *counted) {
    __global const uint *now = GASCL_SENDING_BITS();
    if (GASCL_PULLS_NOW) {
        gascl_apply_rows(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, GASCL_PULLED_ON, now, offsets,
                         memory, tally, counted);
        return;
    }
    gascl_apply_receivers(team, GASCL_STATE_ON GASCL_EDGE_ON, GASCL_PUSHED_ON GASCL_PULLED_BOXES_ON,
                          memory, tally, counted);
}

#if GASCL_SEARCHES
// The phase in which groups search long rows: before gascl_apply_rows() or, where vertices pull and apply at
// once, after it.
static GASCL_INLINE void gascl_search_phase(gascl_team team, GASCL_STATE GASCL_EDGE, GASCL_STEP,
                               __local gascl_step_memory *memory, gascl_tally *tally,
                               long2 *counted) {
    __global const uint *now = GASCL_SENDING_BITS();
    team.idle |= !GASCL_PULLS_NOW;
    gascl_search_rows(team, GASCL_STATE_ON GASCL_EDGE_IN_ON, GASCL_PULLED_ON, now, offsets, memory,
                      tally, counted);
}
#endif
