// The words common(a, b) and for_common(w, a, b): the vertices in the rows of both, each once, except a
// and b themselves. Rows are sorted. Where one is much longer, the entries of the other are searched for
// in it; otherwise both are gone through side by side.

// How many times as long a row is in which entries are searched for.
#define GASCL_MUCH_LONGER 16

// How many common neighbors are found at a time. A processor cannot foresee which entries are equal:
// without a branch each one is held, and most are overwritten by the next. A GPU holds one in registers.
#if GASCL_GROUP == 1
#define GASCL_HELD 32
#define GASCL_HELD_AT(i) (i)
#else
#define GASCL_HELD 1
#define GASCL_HELD_AT(i) 0
#endif

// The rows of two vertices, and how far they have been gone through.
typedef struct {
    int a, b, size_a, size_b;
    __global const int *row_a, *row_b;
    int at_a, at_b, last;  // the next places, and the last common neighbor
    int held, visited;
    int held_a[GASCL_HELD], held_b[GASCL_HELD];  // their places in the rows, of parallel arcs the first
} gascl_two_rows;

static gascl_two_rows gascl_rows_of(const long a, const long b, const int id, const int line,
                                    __global int *faults, __global gascl_control *control,
                                    __global const gascl_run *run,
                                    __global const gascl_offset *offsets,
                                    __global const int *targets) {
    gascl_two_rows rows;
    const bool are = gascl_is_vertex(a, id, line, faults, control, run) &&
                     gascl_is_vertex(b, id, line, faults, control, run);
    rows.a = are ? (int)a : 0;
    rows.b = are ? (int)b : 0;
    const gascl_offset begin_a = offsets[rows.a], begin_b = offsets[rows.b];
    rows.size_a = are ? (int)(offsets[rows.a + 1] - begin_a) : 0;
    rows.size_b = are ? (int)(offsets[rows.b + 1] - begin_b) : 0;
    rows.row_a = targets + begin_a;
    rows.row_b = targets + begin_b;
    rows.at_a = rows.at_b = rows.held = rows.visited = 0;
    rows.last = -1;
    return rows;
}

// The place of the first entry that is not below x, in the part of a row from `low` to `size`: by steps
// that double.
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

// Finds the next common neighbors, at most GASCL_HELD; returns whether there are any.
static bool gascl_find_common(gascl_two_rows *rows) {
    __global const int *row_a = rows->row_a, *row_b = rows->row_b;
    const int a = rows->a, b = rows->b, size_a = rows->size_a, size_b = rows->size_b;
    const bool searches_a = size_a / GASCL_MUCH_LONGER > size_b;
    const bool searches_b = size_b / GASCL_MUCH_LONGER > size_a;
    int i = rows->at_a, j = rows->at_b, last = rows->last, held = 0;
    while (held < GASCL_HELD && i < size_a && j < size_b) {
        if (searches_a)
            i = gascl_search_from(row_a, i, size_a, row_b[j]);
        if (searches_b)
            j = gascl_search_from(row_b, j, size_b, row_a[i]);
        if ((searches_a && i == size_a) || (searches_b && j == size_b))
            break;
        const int x = row_a[i], y = row_b[j];
        rows->held_a[GASCL_HELD_AT(held)] = i;
        rows->held_b[GASCL_HELD_AT(held)] = j;
        const int is = (x == y) & (x > last) & (x != a) & (x != b);
        held += is;
        last = is ? x : last;
        i += x <= y;
        j += y <= x;
    }
    rows->at_a = i;
    rows->at_b = j;
    rows->last = last;
    rows->held = held;
    rows->visited = 0;
    return held > 0;
}

// Moves on to the next common neighbor w.
static bool gascl_next_common(gascl_two_rows *rows, int *w) {
    ++rows->visited;
    if (rows->visited >= rows->held && !gascl_find_common(rows))
        return false;
    *w = rows->row_a[rows->held_a[GASCL_HELD_AT(rows->visited)]];
    return true;
}

// The place among all arcs of the arc from a, or from b, to the vertex that is visited.
static gascl_offset gascl_place_in_a(const gascl_two_rows *rows, __global const int *targets) {
    return (gascl_offset)(rows->row_a - targets) + rows->held_a[GASCL_HELD_AT(rows->visited)];
}

static gascl_offset gascl_place_in_b(const gascl_two_rows *rows, __global const int *targets) {
    return (gascl_offset)(rows->row_b - targets) + rows->held_b[GASCL_HELD_AT(rows->visited)];
}

#if GASCL_GROUP == 1
// Counts the common neighbors in blocks of 8 entries of both rows, as long as there are any: on a CPU, a
// vector is compared at once.
static int gascl_count_blocks(gascl_two_rows *rows) {
    __global const int *row_a = rows->row_a, *row_b = rows->row_b;
    int i = 0, j = 0;
    int8 counts = 0, matched = 0, before = -1;
    while (i + 8 <= rows->size_a && j + 8 <= rows->size_b) {
        const int8 x = vload8(0, row_a + i), y = vload8(0, row_b + j);
        const int last_x = x.s7, last_y = y.s7;
        matched |= (x == y) | (x == y.s12345670) | (x == y.s23456701) | (x == y.s34567012) |
                   (x == y.s45670123) | (x == y.s56701234) | (x == y.s67012345) |
                   (x == y.s70123456);
        if (last_x <= last_y) {
            counts -= matched & (x != (int8)(before.s7, x.s0, x.s12, x.s3456)) & (x != rows->a) &
                      (x != rows->b);
            matched = 0;
            before = x;
            i += 8;
        }
        if (last_y <= last_x)
            j += 8;
    }
    if (i + 8 <= rows->size_a) {
        const int8 x = vload8(0, row_a + i);
        counts -= matched & (x != (int8)(before.s7, x.s0, x.s12, x.s3456)) & (x != rows->a) &
                  (x != rows->b);
    }
    rows->at_a = i;
    rows->at_b = j;
    // What was found is not found again in a parallel arc after it.
    rows->last = max(i > 0 ? row_a[i - 1] : -1, j > 0 ? row_b[j - 1] : -1);
    const int4 sums = counts.lo + counts.hi;
    return sums.x + sums.y + sums.z + sums.w;
}
#endif

static int gascl_count_common(gascl_two_rows rows) {
    int count = 0;
#if GASCL_GROUP == 1
    if (max(rows.size_a, rows.size_b) / GASCL_MUCH_LONGER <= min(rows.size_a, rows.size_b))
        count = gascl_count_blocks(&rows);
#endif
    while (gascl_find_common(&rows))
        count += rows.held;
    return count;
}
