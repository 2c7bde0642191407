// A vertex with many neighbors, in delivery `in_place` on a GPU: an item runs the first turns of the loop over
// them, and if it does not end there, the work-group goes on with it.
//
// All items try out turns at the same time, each from the local variables that the loop has reached, and without
// any effect. Most turns then do nothing: they send no message, and change neither a variable nor the vertex.
// One item runs the first turn that does something, and all go on after it. So apply has the same effects as if
// that item had run all turns, and what it read of others is at most older, which order = "any" allows.
#define GASCL_MOST_TRIED 8
#define GASCL_MOST_RUN 64

typedef struct {
    int later[GASCL_GROUP * GASCL_VERTICES_AT_ONCE], many;
    gascl_kept kept;
    gascl_packed word;
    int set, acting, waits;
    long next;  // turn; -1: apply has ended
} gascl_step_memory;

static gascl_vertex gascl_vertex_in(__local const gascl_step_memory *memory, const int id,
                                    GASCL_STATE) {
    gascl_vertex v = gascl_unpacked(memory->word, id, GASCL_STATE_ON);
    v.gascl_set = memory->set;
    return v;
}

// Runs turns up to `last`, and stores what they lead to in local memory.
static void gascl_run_turns(const int id, gascl_turns *turns, gascl_tally *tally,
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
static bool gascl_turn_acts(const int id, const long i, gascl_turns *turns, gascl_tally *tally,
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

// All items of the group call it; returns, to one of them, whether the vertex waits for the next pass.
static bool gascl_apply_long_row(const int id, const bool waited, gascl_tally *tally,
                                 __local gascl_step_memory *memory, GASCL_STATE) {
    const int item = get_local_id(0);
    volatile __global gascl_packed *word = &gascl_words[id];
    gascl_turns turns;
    turns.waited = waited;
    gascl_packed before = *word;
    do {
        int many = 1, run = 1;
        if (item == 0) {
            memory->word = before;
            memory->set = 0;
            turns.continues = false;
            turns.first = turns.last = 0;
            gascl_run_turns(id, &turns, tally, memory, GASCL_STATE_ON);
        }
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
            gascl_packed seen = before;
            if (memory->word != before)
                seen = GASCL_SWAP_PACKED(word, before, memory->word);
            memory->waits = memory->set == GASCL_SET;
            if (seen == before && memory->waits)
                GASCL_WAITS_NOW(id) = 1;
            memory->acting = seen == before;
            before = seen;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (!memory->acting);
    const bool waits = item == 0 && memory->waits;
    barrier(CLK_LOCAL_MEM_FENCE);
    return waits;
}
