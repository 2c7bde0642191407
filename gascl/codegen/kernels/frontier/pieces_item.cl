// Lists pieces of the frontier, where a work-group is one item: it holds some back, to list them together,
// since a place in the list costs an atomic operation.
#define GASCL_HELD 128
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

static gascl_offset gascl_list(const int id, const gascl_offset arcs, gascl_pieces *held,
                               __global int2 *frontier, __global int *length) {
    const int pieces = gascl_pieces_of(arcs);
    if (held->count + pieces > GASCL_HELD) {
        gascl_flush_pieces(held, frontier, length);
        if (pieces > 1) {
            gascl_list_at(id, pieces, atomic_add(length, pieces), frontier);
            return arcs;
        }
    }
    for (int i = 0; i < pieces; ++i)
        held->at[held->count++] = (int2)(id, i);
    return arcs;
}
