// Lists pieces of the frontier, where a work-group has several items: each lists its own.
#define GASCL_HELD 1
typedef struct {
    int count;  // none
} gascl_pieces;

static void gascl_flush_pieces(gascl_pieces *held, __global int2 *frontier, __global int *length) {}

static gascl_offset gascl_list(const int id, const gascl_offset arcs, gascl_pieces *held,
                               __global int2 *frontier, __global int *length) {
    const int pieces = gascl_pieces_of(arcs);
    gascl_list_at(id, pieces, atomic_add(length, pieces), frontier);
    return arcs;
}
