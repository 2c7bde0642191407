// What has gone wrong in a snippet, and the checks of debug mode.
static void gascl_trap(const int kind, const int line, const int id, __global int *faults,
                       __global gascl_control *control) {
    if (!faults)  // in a combiner or `stop`, where no vertex is to blame, or in a turn that is only tried
        return;
    atomic_min(&faults[kind * GASCL_LINES + line], id);
    atomic_min(&control->fault, id);
}

#if GASCL_DEBUG
static int gascl_zero(const int id, const int line, __global int *faults,
                      __global gascl_control *control) {
    gascl_trap(GASCL_DIVIDED_BY_ZERO, line, id, faults, control);
    return 1;
}

static int gascl_message_index(const long i, const int num_messages, const int id, const int line,
                               __global int *faults, __global gascl_control *control) {
    if (i >= 0 && i < num_messages)
        return (int)i;
    gascl_trap(GASCL_NO_MESSAGE, line, id, faults, control);
    return 0;
}

// An index of an array, or 0 if the array has no such element. `count`: LONG_MAX if unknown.
static long gascl_array_index(const long i, const long count, const int id, const int line,
                              __global int *faults, __global gascl_control *control) {
    if (count == LONG_MAX || (i >= 0 && i < count))
        return i;
    gascl_trap(GASCL_NO_ELEMENT, line, id, faults, control);
    return 0;
}
#endif
