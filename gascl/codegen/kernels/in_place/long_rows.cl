// A vertex with many neighbors, in delivery `in_place` on a GPU: an item runs the first turns of the loop over
// them, and if the loop does not end there, the work-group goes on from that turn.
//
// All items try out turns at the same time, each from the local variables that the loop has reached, and without
// any effect. Most turns then do nothing: they send no message, and change neither a variable nor the vertex.
// One item runs the first turn that does something, and all go on after it. So apply has the same effects as if
// that item had run all turns, and what it read of others is at most older, which order = "any" allows.
#define GASCL_MOST_TRIED 8
#define GASCL_MOST_RUN 64

// `items`: those whose vertices have begun; the other words are of one of these vertices.
typedef struct {
    int items[GASCL_GROUP], many;
    gascl_packed before, word;
    gascl_kept kept;
    int id, waited, set, acting, waits;
    long next;  // turn; -1: apply has ended
} gascl_step_memory;

static GASCL_INLINE gascl_vertex gascl_vertex_in(__local const gascl_step_memory *memory, const int id,
                                    GASCL_STATE) {
    gascl_vertex v = gascl_unpacked(memory->word, id, GASCL_STATE_ON);
    v.gascl_set = memory->set;
    return v;
}

// Runs turns up to `last`, and stores what they lead to in local memory.
static GASCL_INLINE void gascl_run_turns(const int id, gascl_turns *turns, gascl_tally *tally,
                            __local gascl_step_memory *memory, GASCL_STATE) {
    gascl_vertex v = gascl_vertex_in(memory, id, GASCL_STATE_ON);
    turns->tries = turns->reached = false;
    GASCL_COPY_KEPT(turns->kept, memory->kept);
    v = gascl_apply_turns(v, gascl_nothing(), false, turns, tally, GASCL_STATE_ON);
    GASCL_COPY_KEPT(memory->kept, turns->kept);
    memory->word = gascl_pack(v);
    memory->set = v.gascl_set;
    memory->next = turns->reached ? turns->last : -1;
}

// Whether turn `i` would do something.
static GASCL_INLINE bool gascl_turn_acts(const int id, const long i, gascl_turns *turns, gascl_tally *tally,
                            __local const gascl_step_memory *memory, GASCL_STATE) {
    const gascl_vertex before = gascl_vertex_in(memory, id, GASCL_STATE_ON);
    turns->tries = true;
    turns->acts = turns->reached = false;
    turns->first = i;
    turns->last = i + 1;
    GASCL_COPY_KEPT(turns->kept, memory->kept);
    gascl_vertex v;
    {
        // It may be a turn that apply never gets to.
        __global int *const gascl_faults = 0;
        v = gascl_apply_turns(before, gascl_nothing(), false, turns, tally, GASCL_STATE_ON);
    }
    return turns->acts || !turns->reached || gascl_pack(v) != memory->word ||
           v.gascl_set != memory->set;
}

// The group goes on with the vertex in local memory; returns, to one of its items, whether the vertex waits
// for the next pass.
static bool gascl_apply_long_row(gascl_tally *tally, __local gascl_step_memory *memory, GASCL_STATE) {
    const int item = get_local_id(0), id = memory->id;
    gascl_turns turns;
    turns.waited = memory->waited;
    do {
        int many = 1, run = 1;
        turns.continues = true;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (long first; (first = memory->next) >= 0;) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item == 0)
                memory->acting = many * GASCL_GROUP;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = item; i < many * GASCL_GROUP; i += GASCL_GROUP)
                if (gascl_turn_acts(id, first + i, &turns, tally, memory, GASCL_STATE_ON)) {
                    atomic_min(&memory->acting, i);
                    break;
                }
            barrier(CLK_LOCAL_MEM_FENCE);
            const int idle = memory->acting;
            const bool acts = idle < many * GASCL_GROUP;
            run = !acts || idle ? 1 : min(2 * run, GASCL_MOST_RUN);
            many = acts ? 1 : min(2 * many, GASCL_MOST_TRIED);
            if (item == 0) {
                memory->next = first + idle;
                if (acts) {
                    turns.first = first + idle;
                    turns.last = turns.first + run;
                    gascl_run_turns(id, &turns, tally, memory, GASCL_STATE_ON);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (item == 0) {
            const gascl_packed before = memory->before;
            gascl_packed seen = before;
            if (memory->word != before)
                seen = GASCL_SWAP_PACKED(&gascl_words[id], before, memory->word);
            memory->waits = memory->set == GASCL_SET;
            memory->acting = seen != before;
            if (seen != before) {  // a message has changed the vertex: apply begins again
                memory->before = memory->word = seen;
                memory->set = 0;
                turns.continues = false;
                turns.first = 0;
                turns.last = GASCL_MOST_LOOKED;
                gascl_run_turns(id, &turns, tally, memory, GASCL_STATE_ON);
            } else if (memory->waits) {
                GASCL_WAITS_NOW(id) = 1;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (memory->acting);
    return item == 0 && memory->waits;
}

// Vertices of all items of the group apply: an item those from `first` on, `step` apart. It stops at one whose
// loop has not ended after its first turns, the group goes on with that one, and then the item with its next
// one. So what apply has done in these turns is not lost. Returns how many wait for the next pass.
static int gascl_apply_with_long_rows(const long first, const int step, const long end, const uint waited,
                                      gascl_tally *tally, __local gascl_step_memory *memory,
                                      GASCL_STATE) {
    const int item = get_local_id(0);
    int waiting = 0, i = 0, many;
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0)
            memory->many = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        gascl_begun begun;
        int id = 0, waits = 0;
        bool did = false;
        while (waits != GASCL_APPLIES_LATER && i < GASCL_VERTICES_AT_ONCE &&
               first + (long)i * step < end) {
            id = (int)(first + (long)i * step);
            did = waited >> i & 1;
            waits = gascl_apply_in_place(id, did, &begun, tally, GASCL_STATE_ON);
            waiting += waits == 1;
            ++i;
        }
        if (waits == GASCL_APPLIES_LATER)
            memory->items[atomic_inc(&memory->many)] = item;
        barrier(CLK_LOCAL_MEM_FENCE);
        many = memory->many;
        for (int k = 0; k < many; ++k) {
            if (item == memory->items[k]) {
                memory->id = id;
                memory->waited = did;
                memory->before = begun.before;
                memory->word = begun.word;
                memory->set = begun.set;
                GASCL_COPY_KEPT(memory->kept, begun.kept);
                memory->next = GASCL_MOST_LOOKED;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            waiting += gascl_apply_long_row(tally, memory, GASCL_STATE_ON);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    } while (many);
    return waiting;
}
