// Lists a vertex in the next frontier.
static GASCL_INLINE void gascl_list_by_group(const bool has, const int id, const gascl_offset arcs,
                                             gascl_listing *to,
                                             __local gascl_step_memory *memory) {
    if (has)
        gascl_list(id, arcs, &to->held, to->frontier, to->length);
}
