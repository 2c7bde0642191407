// Lists pieces of the frontier, where a work-group is one item: it holds some back, to list them together,
// since a place in the list costs an atomic operation.
typedef struct {
    int count;
    int2 at[GASCL_HELD];
} gascl_pieces;

static void gascl_flush_pieces(gascl_pieces *held, __global int2 *frontier, __global int *length) {
    if (!held->count)
        return;
    const int at = atomic_add(length, held->count);
    for (int i = 0; i < held->count; ++i)
        frontier[at + i] = held->at[i];
    held->count = 0;
}

// Without a branch in most cases: whether a vertex is to be listed is often random.
static gascl_offset gascl_list_if(const bool listed, const int id, const gascl_offset arcs,
                                  gascl_pieces *held, __global int2 *frontier,
                                  __global int *length) {
    if (arcs > GASCL_PIECE) {
        const int pieces = gascl_pieces_of(arcs);
        if (listed)
            gascl_list_at(id, pieces, atomic_add(length, pieces), frontier);
    } else {
        held->at[held->count] = (int2)(id, 0);
        held->count += listed;
        if (held->count == GASCL_HELD)
            gascl_flush_pieces(held, frontier, length);
    }
    return arcs & -(gascl_offset)listed;
}

static gascl_offset gascl_list(const int id, const gascl_offset arcs, gascl_pieces *held,
                               __global int2 *frontier, __global int *length) {
    return gascl_list_if(true, id, arcs, held, frontier, length);
}
