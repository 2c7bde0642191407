// Sorts what is stored of a vertex's messages by one item: Quicksort (Hoare 1962), whose pivots are drawn, so
// that no order of messages is slow. Who includes this defines GASCL_COMES_BEFORE(a, b).
#define GASCL_FEW_MESSAGES 16  // insertion is faster than a division

static void gascl_sort_messages(__global gascl_stored *messages, const int n) {
    int2 waiting[32];  // parts; the larger one waits, so that there are at most log2(n)
    int parts = 0, begin = 0, end = n;
    while (true) {
        while (end - begin > GASCL_FEW_MESSAGES) {
            const uint drawn = ((uint)begin * 31 + (uint)end) * 2654435761u >> 8;
            const gascl_stored pivot = messages[begin + drawn % (uint)(end - begin)];
            int i = begin, j = end - 1;
            while (i <= j) {
                while (GASCL_COMES_BEFORE(messages[i], pivot))
                    ++i;
                while (GASCL_COMES_BEFORE(pivot, messages[j]))
                    --j;
                if (i <= j) {
                    const gascl_stored held = messages[i];
                    messages[i++] = messages[j];
                    messages[j--] = held;
                }
            }
            if (j + 1 - begin < end - i) {
                waiting[parts++] = (int2)(i, end);
                end = j + 1;
            } else {
                waiting[parts++] = (int2)(begin, j + 1);
                begin = i;
            }
        }
        for (int i = begin + 1; i < end; ++i) {
            const gascl_stored held = messages[i];
            int j = i;
            for (; j > begin && GASCL_COMES_BEFORE(held, messages[j - 1]); --j)
                messages[j] = messages[j - 1];
            messages[j] = held;
        }
        if (parts == 0)
            return;
        begin = waiting[--parts].x;
        end = waiting[parts].y;
    }
}
