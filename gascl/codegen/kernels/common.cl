// The words common(a, b) and for_common(w, a, b): the vertices in the rows of both, each once, except a
// and b themselves. Rows are sorted. The entries of the shorter one are searched for in the longer one,
// from where the last one was found; on a CPU, rows of similar length are gone through side by side.

// How many common neighbors are found at a time, before they are visited.
#if GASCL_GROUP == 1
#define GASCL_MOST_COMMON 32
#else  // several take registers, which costs more than items that wait for each other's visits
#define GASCL_MOST_COMMON 1
#endif
// Rows of these lengths are put into a table.
#define GASCL_SHORTEST_HELD 8
#define GASCL_LONGEST_HELD 8192
// Of so many vertices, a bit each fits a core's second cache.
#define GASCL_MOST_MARKED (1 << 20)
// From this length on, counting goes through rows of similar length in blocks.
#define GASCL_SHORTEST_IN_BLOCKS 64

// A row in a table, by which an item finds out whether a vertex is in it, and where. Kernels for CPUs
// hold that of the vertex in which the arcs end that they visit one after the other.
struct gascl_held_row {
    int vertex, size;
    gascl_offset end;
    __global const int *entries;
#if GASCL_GROUP == 1
    int shift;  // -1: the row is not in the table yet
    ushort heads[8 * GASCL_LONGEST_HELD];  // the first place with each hash, counted from 1; 0: none
    ushort next[GASCL_LONGEST_HELD + 1];   // the next one with the same
    // To count, where vertices are not too many, entries are marked instead.
    uint marks[GASCL_MOST_MARKED / 32];  // a bit for each vertex
    __global const int *marked;          // the entries of which all other marks are 0
    int num_marked;                      // -1: marks are not cleared yet
    bool is_marked;                      // these are the row's entries
#endif
#if GASCL_ORDERS_CREDITS
    __global const gascl_offset *slot;  // the place of each arc in the order of receivers
#endif
};

// The rows of two vertices, and how far they have been gone through.
typedef struct {
    int a, b;
    bool swapped;  // the shorter row is that of b
    __global const int *targets, *shorter, *longer;
    int shorter_size, longer_size;
    int i, j, last;         // the next places in the two, and the last common neighbor
    const gascl_held_row *held_row;  // the longer one in a table, or 0
    int held, visited;      // how many common neighbors have been found, and visited
    int places[GASCL_MOST_COMMON];  // theirs in the shorter row; of parallel arcs, those of the first
    int near[GASCL_MOST_COMMON];    // places in the longer row from which they are not far
} gascl_two_rows;

#if GASCL_GROUP == 1
// Gets ready for lookups in the row of a vertex.
static void gascl_hold_row(gascl_held_row *held, const int vertex,
                           __global const gascl_offset *offsets, __global const int *targets) {
    if (held->vertex == vertex)
        return;
    held->vertex = vertex;
    held->entries = targets + offsets[vertex];
    held->size = (int)(offsets[vertex + 1] - offsets[vertex]);
    held->shift = -1;
    held->is_marked = false;
}

static uint gascl_table_place(const int x, const int shift) {
    return (uint)x * 2654435769u >> shift;  // Fibonacci hashing (Knuth 1973)
}

// Puts the row into the table if it is faster to look up all entries of another row there than to
// search for its own in the other one, or to go through both; returns whether it is there. Where common
// neighbors are only counted, rows of similar length are gone through in blocks in less time.
static bool gascl_put_into_table(gascl_held_row *held, const int looked_up, const bool counts) {
    const int size = held->size;
    if (size < GASCL_SHORTEST_HELD || size > GASCL_LONGEST_HELD || looked_up / 16 > size)
        return false;
    if (counts && looked_up >= GASCL_SHORTEST_IN_BLOCKS && size / 4 <= looked_up)
        return false;
    if (held->shift >= 0)
        return true;
    held->shift = (int)clz(8 * (uint)size - 1);
    for (uint i = 0; i <= 0xffffffffu >> held->shift; ++i)
        held->heads[i] = 0;
    for (int i = size; i > 0; --i) {  // of parallel arcs, the first is found first
        const uint place = gascl_table_place(held->entries[i - 1], held->shift);
        held->next[i] = held->heads[place];
        held->heads[place] = (ushort)i;
    }
    return true;
}

#define GASCL_MARKS_OF(held, x) ((held)->marks[(uint)(x) / 32])
#define GASCL_MARK(x) (1u << (uint)(x) % 32)
#define GASCL_IS_MARKED(held, x) (GASCL_MARKS_OF(held, x) >> (uint)(x) % 32 & 1)

// Marks the entries of the row, but not its own vertex.
static void gascl_mark_row(gascl_held_row *held, const int vertices) {
    if (held->is_marked)
        return;
    if (held->num_marked < 0)
        for (int i = 0; i <= (vertices - 1) / 32; ++i)
            held->marks[i] = 0;
    for (int i = 0; i < held->num_marked; ++i)
        GASCL_MARKS_OF(held, held->marked[i]) = 0;
    for (int i = 0; i < held->size; ++i)
        GASCL_MARKS_OF(held, held->entries[i]) |= GASCL_MARK(held->entries[i]);
    GASCL_MARKS_OF(held, held->vertex) &= ~GASCL_MARK(held->vertex);
    held->marked = held->entries;
    held->num_marked = held->size;
    held->is_marked = true;
}

// How many entries of another vertex's row are marked.
static int gascl_count_marked(gascl_held_row *held, const int other, __global const int *row,
                              const int size) {
    const uint marks = GASCL_MARKS_OF(held, other);
    GASCL_MARKS_OF(held, other) &= ~GASCL_MARK(other);
    int count = size > 0 ? GASCL_IS_MARKED(held, row[0]) : 0;
    for (int i = 1; i < size; ++i)  // of parallel arcs, one counts
        count += GASCL_IS_MARKED(held, row[i]) & (row[i] != row[i - 1]);
    GASCL_MARKS_OF(held, other) = marks;
    return count;
}
#endif

static gascl_two_rows *gascl_rows_of(gascl_two_rows *rows, const long a, const long b, const int id,
                                     const int line, __global int *faults,
                                     __global gascl_control *control,
                                     __global const gascl_run *run,
                                     __global const gascl_offset *offsets,
                                     __global const int *targets, gascl_held_row *held,
                                     const bool counts) {
    const bool are = gascl_is_vertex(a, id, line, faults, control, run) &&
                     gascl_is_vertex(b, id, line, faults, control, run);
    rows->targets = targets;
    rows->a = are ? (int)a : 0;
    rows->b = are ? (int)b : 0;
    const gascl_offset begin_a = offsets[rows->a], begin_b = offsets[rows->b];
    const int size_a = are ? (int)(offsets[rows->a + 1] - begin_a) : 0;
    const int size_b = are ? (int)(offsets[rows->b + 1] - begin_b) : 0;
    rows->swapped = size_b < size_a;
#if GASCL_GROUP == 1
    rows->held_row = 0;
    if (held && (rows->a == held->vertex || rows->b == held->vertex)) {
        const bool of_a = rows->a == held->vertex;
        if (gascl_put_into_table(held, of_a ? size_b : size_a, counts)) {
            rows->held_row = held;
            rows->swapped = of_a;
        }
    }
#endif
    rows->shorter = targets + (rows->swapped ? begin_b : begin_a);
    rows->longer = targets + (rows->swapped ? begin_a : begin_b);
    rows->shorter_size = rows->swapped ? size_b : size_a;
    rows->longer_size = rows->swapped ? size_a : size_b;
    rows->i = rows->j = rows->held = rows->visited = 0;
    rows->last = -1;
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
// Whether entries are searched for: where the longer row is much longer.
#define GASCL_SEARCHES_LONGER(rows) ((rows)->longer_size / 16 > (rows)->shorter_size)

// The entries of x that are in y, too, as -1.
#define GASCL_IN_BLOCK(x, y)                                                   \
    ((x == y) | (x == y.s12345670) | (x == y.s23456701) | (x == y.s34567012) | \
     (x == y.s45670123) | (x == y.s56701234) | (x == y.s67012345) | (x == y.s70123456))

// The entries of x that may be common neighbors: of parallel arcs one.
#define GASCL_MAY_BE_COMMON(x, before, rows) \
    ((x != (int8)(before, x.s0, x.s12, x.s3456)) & (x != rows->a) & (x != rows->b))

// Finds common neighbors as long as both rows have a block, and there is room for one.
static void gascl_find_in_blocks(gascl_two_rows *rows) {
    int i = rows->i, j = rows->j, last = rows->last, held = 0;
    while (held + 8 <= GASCL_MOST_COMMON && i + 8 <= rows->shorter_size && j + 8 <= rows->longer_size) {
        const int8 x = vload8(0, rows->shorter + i), y = vload8(0, rows->longer + j);
        const int8 is = GASCL_IN_BLOCK(x, y) & GASCL_MAY_BE_COMMON(x, -1, rows) & (x > last);
        int are[8];
        vstore8(is, 0, are);
        for (int k = 0; k < 8; ++k) {
            rows->places[held] = i + k;
            rows->near[held] = j;
            held -= are[k];
        }
        last = held ? rows->shorter[rows->places[held - 1]] : last;
        const int last_x = x.s7, last_y = y.s7;
        i += last_x <= last_y ? 8 : 0;
        j += last_y <= last_x ? 8 : 0;
    }
    rows->i = i;
    rows->j = j;
    rows->last = last;
    rows->held = held;
}

// Finds the next common neighbors by the table, as many as there is room for; returns how many.
static int gascl_find_in_table(gascl_two_rows *rows) {
    const gascl_held_row *held_row = rows->held_row;
    const int shift = held_row->shift, greatest = held_row->entries[held_row->size - 1];
    __global const int *row = rows->shorter;
    int i = rows->i, end = rows->shorter_size, held = 0;
    while (!held && i < end) {
        // Few are in the table: those that may be are collected without a branch.
        int likely = 0;
        while (i + 8 <= end && likely + 8 <= GASCL_MOST_COMMON) {
            if (row[i] > greatest) {
                end = i;
                break;
            }
            for (const int stop = i + 8; i < stop; ++i) {
                rows->places[likely] = i;
                likely += held_row->heads[gascl_table_place(row[i], shift)] != 0;
            }
        }
        for (; i < end && i + 8 > end && likely < GASCL_MOST_COMMON; ++i) {
            rows->places[likely] = i;
            likely += held_row->heads[gascl_table_place(row[i], shift)] != 0;
        }
        for (int k = 0; k < likely; ++k) {
            const int place = rows->places[k], x = row[place];
            int at = held_row->heads[gascl_table_place(x, shift)];
            while (at && held_row->entries[at - 1] != x)
                at = held_row->next[at];
            if (!at || x <= rows->last || x == rows->a || x == rows->b)
                continue;
            rows->places[held] = place;
            rows->near[held++] = at - 1;
            rows->last = x;
        }
    }
    rows->i = i < end ? i : rows->shorter_size;
    rows->held = held;
    return held;
}

// Counts common neighbors as long as both rows have a block.
static int gascl_count_in_blocks(gascl_two_rows *rows) {
    int i = 0, j = 0, before = -1;
    int8 counts = 0, found = 0;
    while (i + 8 <= rows->shorter_size && j + 8 <= rows->longer_size) {
        const int8 x = vload8(0, rows->shorter + i), y = vload8(0, rows->longer + j);
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
    if (i + 8 <= rows->shorter_size) {
        const int8 x = vload8(0, rows->shorter + i);
        counts -= found & GASCL_MAY_BE_COMMON(x, before, rows);
    }
    // What has been found is not found again in a parallel arc after it.
    rows->last = max(before, j > 0 ? rows->longer[j - 1] : -1);
    rows->i = i;
    rows->j = j;
    const int4 sums = counts.lo + counts.hi;
    return sums.x + sums.y + sums.z + sums.w;
}
#else
#define GASCL_SEARCHES_LONGER(rows) true
#endif

// Finds the next common neighbors, as many as there is room for, or only counts all of them; returns how
// many there are.
static int gascl_find_common(gascl_two_rows *rows, const bool counts) {
    const int most = counts ? INT_MAX : GASCL_MOST_COMMON;
    rows->held = rows->visited = 0;
#if GASCL_GROUP == 1
    if (rows->held_row)
        return gascl_find_in_table(rows);
    if (!counts && !GASCL_SEARCHES_LONGER(rows))
        gascl_find_in_blocks(rows);
    if (rows->held + 8 > GASCL_MOST_COMMON)
        return rows->held;
#endif
    int i = rows->i, j = rows->j, last = rows->last, held = rows->held;
    while (held < most && i < rows->shorter_size && j < rows->longer_size) {
        const int x = rows->shorter[i];
        if (GASCL_SEARCHES_LONGER(rows)) {
            j = gascl_search_from(rows->longer, j, rows->longer_size, x);
            if (j == rows->longer_size)
                break;
        }
        const int y = rows->longer[j];
        if (!counts) {
            rows->places[held] = i;
            rows->near[held] = j;
        }
        const int is = (x == y) & (x > last) & (x != rows->a) & (x != rows->b);
        held += is;
        last = is ? x : last;
        i += x <= y;
        j += y <= x;
    }
    rows->i = i;
    rows->j = j;
    rows->last = last;
    rows->held = held;
    return held;
}

// The common neighbor that is visited.
static int gascl_common_neighbor(const gascl_two_rows *rows) {
    return rows->shorter[rows->places[rows->visited]];
}

// Moves on to the next common neighbor w.
static bool gascl_next_common(gascl_two_rows *rows, int *w) {
    ++rows->visited;
    if (rows->visited >= rows->held && !gascl_find_common(rows, false))
        return false;
    *w = gascl_common_neighbor(rows);
    return true;
}

// The place, among all arcs, of the arc to the common neighbor that is visited, from the vertex with the
// shorter row or from the other one.
static gascl_offset gascl_common_arc(const gascl_two_rows *rows, const bool of_shorter,
                                     __global const int *targets) {
    if (of_shorter)
        return rows->shorter - targets + rows->places[rows->visited];
    const int w = gascl_common_neighbor(rows);
    int j = gascl_search_from(rows->longer, rows->near[rows->visited],
                              rows->longer_size, w);
    while (j > 0 && rows->longer[j - 1] == w)
        --j;  // of parallel arcs, the first
    return rows->longer - targets + j;
}

#if GASCL_SCATTER_FINDS_COMMON
// The same in scatter, which remembers the arc to w from the vertex in which `e` ends.
static bool gascl_next_common_of_edge(gascl_two_rows *rows, int *w, gascl_edge *e) {
    if (!gascl_next_common(rows, w))
        return false;
#if GASCL_CREDITS
    const bool of_shorter = (rows->swapped ? rows->b : rows->a) == e->dst;
    if (of_shorter || (rows->swapped ? rows->a : rows->b) == e->dst) {
        e->gascl_common = *w;
        e->gascl_arc = gascl_common_arc(rows, of_shorter, rows->targets);
#if GASCL_ORDERS_CREDITS && GASCL_OWNS_CREDITS
        e->gascl_arc = e->gascl_held->slot[e->gascl_arc];
#endif
    }
#endif
    return true;
}
#endif

static int gascl_common(const long a, const long b, const int id, const int line,
                        __global int *faults, __global gascl_control *control,
                        __global const gascl_run *run, __global const gascl_offset *offsets,
                        __global const int *targets, gascl_held_row *held) {
    gascl_two_rows rows;
#if GASCL_GROUP == 1
    const bool marks = held && run->graph.gascl_rows <= GASCL_MOST_MARKED;
    gascl_rows_of(&rows, a, b, id, line, faults, control, run, offsets, targets, marks ? 0 : held, true);
    if (marks && (rows.a == held->vertex || rows.b == held->vertex)) {
        const bool of_a = rows.a == held->vertex;
        __global const int *row = of_a == rows.swapped ? rows.shorter : rows.longer;
        const int size = of_a == rows.swapped ? rows.shorter_size : rows.longer_size;
        if (size / 16 <= held->size) {
            gascl_mark_row(held, run->graph.gascl_rows);
            return gascl_count_marked(held, of_a ? rows.b : rows.a, row, size);
        }
    }
    int count = 0;
    if (rows.held_row) {
        while (gascl_find_in_table(&rows))
            count += rows.held;
        return count;
    }
    if (!GASCL_SEARCHES_LONGER(&rows))
        count = gascl_count_in_blocks(&rows);
    return count + gascl_find_common(&rows, true);
#else
    gascl_rows_of(&rows, a, b, id, line, faults, control, run, offsets, targets, held, true);
    return gascl_find_common(&rows, true);
#endif
}
