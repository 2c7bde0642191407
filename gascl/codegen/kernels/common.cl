// The words common(a, b) and for_common(w, a, b): the vertices in the rows of both, each once, except a
// and b themselves. Rows are sorted. Each entry of the shorter row is searched for in the longer one,
// from where the last one was found, by steps that double: two rows of one length take time in
// proportion to it, and a short row is not held up by a long one.

// A vertex, or -1 for an id that is none, which is trapped.
static int gascl_vertex_or_none(const long id, const int sender, const int line,
                                __global int *faults, __global gascl_control *control,
                                __global const gascl_run *run) {
    return gascl_is_vertex(id, sender, line, faults, control, run) ? (int)id : -1;
}

// The place of the first entry that is not below x, in the part of a row from `low` to `size`.
static int gascl_search_from(__global const int *row, int low, const int size, const int x) {
    int high = low;
    for (int step = 1; high < size && row[high] < x; step *= 2) {
        low = high + 1;
        high = step < size - high ? high + step : size;
    }
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (row[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Moves on to the next common neighbor w. Its places in both rows, of several arcs those of the first,
// are -1 before the first one.
static bool gascl_next_common(int *w, const int a, const int b, int *place_a, int *place_b,
                              __global const gascl_offset *offsets, __global const int *targets) {
    if (a < 0 || b < 0)
        return false;
    const int size_a = (int)(offsets[a + 1] - offsets[a]);
    const int size_b = (int)(offsets[b + 1] - offsets[b]);
    const bool a_is_shorter = size_a <= size_b;
    __global const int *shorter = targets + offsets[a_is_shorter ? a : b];
    __global const int *longer = targets + offsets[a_is_shorter ? b : a];
    const int size = a_is_shorter ? size_a : size_b, longer_size = a_is_shorter ? size_b : size_a;
    int at = (a_is_shorter ? *place_a : *place_b) + 1;
    int found = (a_is_shorter ? *place_b : *place_a) + 1;
    const int last = at > 0 ? shorter[at - 1] : -1;
    for (; at < size; ++at) {
        const int x = shorter[at];
        if (x == last)
            continue;
        found = gascl_search_from(longer, found, longer_size, x);
        if (found == longer_size)
            return false;
        if (longer[found] == x && x != a && x != b) {
            *w = x;
            *place_a = a_is_shorter ? at : found;
            *place_b = a_is_shorter ? found : at;
            return true;
        }
    }
    return false;
}

static int gascl_common(const long a, const long b, const int id, const int line,
                        __global int *faults, __global gascl_control *control,
                        __global const gascl_run *run, __global const gascl_offset *offsets,
                        __global const int *targets) {
    const int first = gascl_vertex_or_none(a, id, line, faults, control, run);
    const int second = gascl_vertex_or_none(b, id, line, faults, control, run);
    int count = 0;
    for (int w, i = -1, j = -1; gascl_next_common(&w, first, second, &i, &j, offsets, targets);)
        ++count;
    return count;
}
