// The atomic inbox with the combiner `first`: a cell a vertex, which any work-item may write. It holds not
// the message but its sender: a vertex, or if the message depends on the arc, an arc in the order of
// senders. Apply computes the message from it.
#if GASCL_READS_EDGE
typedef gascl_offset gascl_sender;  // an arc, in CSR order
#else
typedef int gascl_sender;
#endif
typedef gascl_sender gascl_cell;
#define GASCL_COUNTS_ARRIVED 0
#define GASCL_NO_SENDER ((gascl_sender)((~(ulong)0 >> 1) >> 8 * (8 - sizeof(gascl_sender))))

static gascl_cell gascl_cell_empty(void) {
    return GASCL_NO_SENDER;
}

// Whether this sender comes before all others from which a vertex has a message.
static bool gascl_post_first(volatile __global gascl_sender *cell, const gascl_sender sender) {
#if !GASCL_OCLGRIND
    if (*cell <= sender)
        return false;
#endif
#if GASCL_READS_EDGE && GASCL_LONG_OFFSETS
    return atom_min(cell, sender) == GASCL_NO_SENDER;
#else
    return atomic_min(cell, sender) == GASCL_NO_SENDER;
#endif
}

// Empties the inbox of a vertex.
#define GASCL_EMPTY(id, when) gascl_inbox##when[GASCL_AT(id)] = gascl_cell_empty()
