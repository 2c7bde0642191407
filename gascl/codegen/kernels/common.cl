// The words common(a, b) and for_common(w, a, b): the vertices in the rows of both, each once, except a
// and b themselves. Rows are sorted. The entries of the shorter one are searched for in the longer one,
// from where the last one was found; on a CPU, rows of similar length are gone through side by side.

// Entries are searched for in a row that is more than so many times as long as the other.
#if GASCL_GROUP == 1
#define GASCL_MUCH_LONGER 16
#else
#define GASCL_MUCH_LONGER 1
#endif

// How many common neighbors are found at a time: on a CPU, in blocks of 8 entries, of which a vector is
// compared at once. A GPU holds one in registers.
#if GASCL_GROUP == 1
#define GASCL_HELD 64
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
    int held_a[GASCL_HELD];  // places in a's row, of parallel arcs those of the first
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

#if GASCL_GROUP == 1
// The entries of x that are in y, too, as -1.
#define GASCL_IN_BLOCK(x, y)                                                                \
    ((x == y) | (x == y.s12345670) | (x == y.s23456701) | (x == y.s34567012) |              \
     (x == y.s45670123) | (x == y.s56701234) | (x == y.s67012345) | (x == y.s70123456))

// The entries of x that may be common neighbors: of parallel arcs one.
#define GASCL_MAY_BE_COMMON(x, before, rows) \
    ((x != (int8)(before, x.s0, x.s12, x.s3456)) & (x != rows->a) & (x != rows->b))

// Finds common neighbors as long as both rows have a block, and there is room for one.
static void gascl_find_in_blocks(gascl_two_rows *rows) {
    __global const int *row_a = rows->row_a, *row_b = rows->row_b;
    int i = rows->at_a, j = rows->at_b, last = rows->last, held = 0;
    while (held + 8 <= GASCL_HELD && i + 8 <= rows->size_a && j + 8 <= rows->size_b) {
        const int8 x = vload8(0, row_a + i), y = vload8(0, row_b + j);
        const int8 is = GASCL_IN_BLOCK(x, y) & GASCL_MAY_BE_COMMON(x, -1, rows) & (x > last);
        if (any(is)) {
            // A processor cannot foresee which ones are: each is held, and overwritten by the next.
            int are[8];
            vstore8(is, 0, are);
            for (int k = 0; k < 8; ++k) {
                rows->held_a[held] = i + k;
                held -= are[k];
            }
            last = row_a[rows->held_a[held - 1]];
        }
        const int last_x = x.s7, last_y = y.s7;
        i += last_x <= last_y ? 8 : 0;
        j += last_y <= last_x ? 8 : 0;
    }
    rows->at_a = i;
    rows->at_b = j;
    rows->last = last;
    rows->held = held;
}
#endif

// Finds the next common neighbors, as many as there is room for; returns whether there are any.
static bool gascl_find_common(gascl_two_rows *rows) {
    __global const int *row_a = rows->row_a, *row_b = rows->row_b;
    const int a = rows->a, b = rows->b, size_a = rows->size_a, size_b = rows->size_b;
    const bool searches_a = size_a / GASCL_MUCH_LONGER > size_b;
    const bool searches_b = size_b / GASCL_MUCH_LONGER > size_a;
    rows->held = rows->visited = 0;
#if GASCL_GROUP == 1
    if (!searches_a && !searches_b)
        gascl_find_in_blocks(rows);
    if (rows->held + 8 > GASCL_HELD)
        return true;
#endif
    int i = rows->at_a, j = rows->at_b, last = rows->last, held = rows->held;
    while (held < GASCL_HELD && i < size_a && j < size_b) {
        if (searches_a)
            i = gascl_search_from(row_a, i, size_a, row_b[j]);
        if (searches_b)
            j = gascl_search_from(row_b, j, size_b, row_a[i]);
        if ((searches_a && i == size_a) || (searches_b && j == size_b))
            break;
        const int x = row_a[i], y = row_b[j];
        rows->held_a[GASCL_HELD_AT(held)] = i;
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

// The places, among all arcs, of the arcs from a and from b to the vertex that is visited.
static gascl_offset gascl_place_in_a(const gascl_two_rows *rows, __global const int *targets) {
    return (gascl_offset)(rows->row_a - targets) + rows->held_a[GASCL_HELD_AT(rows->visited)];
}

static gascl_offset gascl_place_in_b(const gascl_two_rows *rows, __global const int *targets) {
    const int w = rows->row_a[rows->held_a[GASCL_HELD_AT(rows->visited)]];
    return (gascl_offset)(rows->row_b - targets) +
           gascl_search_from(rows->row_b, 0, rows->size_b, w);
}

#if GASCL_GROUP == 1
// Counts common neighbors as long as both rows have a block.
static int gascl_count_blocks(gascl_two_rows *rows) {
    __global const int *row_a = rows->row_a, *row_b = rows->row_b;
    int i = 0, j = 0, before = -1;
    int8 counts = 0, found = 0;
    while (i + 8 <= rows->size_a && j + 8 <= rows->size_b) {
        const int8 x = vload8(0, row_a + i), y = vload8(0, row_b + j);
        const int last_x = x.s7, last_y = y.s7;
        found |= GASCL_IN_BLOCK(x, y);
        if (last_x <= last_y) {
            counts -= found & GASCL_MAY_BE_COMMON(x, before, rows);
            found = 0;
            before = last_x;
            i += 8;
        }
        if (last_y <= last_x)
            j += 8;
    }
    if (i + 8 <= rows->size_a) {
        const int8 x = vload8(0, row_a + i);
        counts -= found & GASCL_MAY_BE_COMMON(x, before, rows);
    }
    rows->at_a = i;
    rows->at_b = j;
    // What has been found is not found again in a parallel arc after it.
    rows->last = max(before, j > 0 ? row_b[j - 1] : -1);
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
