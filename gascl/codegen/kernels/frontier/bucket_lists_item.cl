// A work-group is one item, which holds back some of the vertices that it lists.
static void gascl_flush_pile(gascl_bucket_lists *to, const int pile) {
    if (!to->counts[pile])
        return;
    const int at =
        atomic_add(pile == GASCL_NEAR ? to->near_length : to->far_length, to->counts[pile]);
    __global int *list = pile == GASCL_NEAR ? to->near : to->far;
    for (int i = 0; i < to->counts[pile]; ++i)
        list[at + i] = to->ids[pile][i];
    to->counts[pile] = 0;
}

static GASCL_INLINE void gascl_add_to_bucket_list(gascl_bucket_lists *to, const int where, const int id,
                                                  const gascl_offset arcs, __local gascl_list_memory *memory) {
    if (where == GASCL_TO_FRONTIER) {
        gascl_list(id, arcs, &to->held, to->frontier, to->frontier_length);
    } else if (where != GASCL_NO_LIST) {
        const int pile = where == GASCL_TO_NEAR ? GASCL_NEAR : GASCL_FAR;
        if (to->counts[pile] == GASCL_HELD)
            gascl_flush_pile(to, pile);
        to->ids[pile][to->counts[pile]++] = id;
    }
}

static void gascl_flush_bucket_lists(gascl_bucket_lists *to) {
    gascl_flush_pieces(&to->held, to->frontier, to->frontier_length);
    gascl_flush_pile(to, GASCL_NEAR);
    gascl_flush_pile(to, GASCL_FAR);
}

static GASCL_INLINE void gascl_lower_to_least(volatile __global int *lowest, const int least,
                                              __local gascl_list_memory *memory) {
    if (least < INT_MAX)
        atomic_min(lowest, least);
}

#define GASCL_FOR_LISTED(i, n) GASCL_FOR_SHARE(i, n, 64)
