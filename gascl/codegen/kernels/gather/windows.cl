// Windows: parts of a vertex's messages, which a work-group copies to local memory one after the other, so that
// a gather snippet reads them there. Its loops over all messages are written in these macros
// (gascl/language/message_loops.py). `gascl_sent`: how many messages there are.
#define GASCL_FOR_WINDOWS \
    for (int gascl_from = 0; gascl_from < gascl_sent; gascl_from += GASCL_BLOCK)
#define GASCL_LOAD_WINDOW                                            \
    gascl_load_window(gascl_window, messages, gascl_from, gascl_sent); \
    const int gascl_to = min(num_messages, gascl_from + GASCL_BLOCK);
#define GASCL_UNROLL _Pragma("unroll 8")

// A loop that looks ahead: each item tries its body on other messages of the window, with copies of the variables
// that it writes, until one differs from what it was. All messages before the first of these change nothing, and
// are left out. Then all items go on with that message, and look again; if most messages change something, so that
// looking is in vain, less and less often. Loops that run once or not at all: PoCL takes no barrier in a branch.
#define GASCL_LOOKS 32
#define GASCL_LOOK_AHEAD(i)                                                     \
    int gascl_left = gascl_most;                                                \
    while ((int)(i) < gascl_to) {                                               \
        int gascl_until = gascl_to;                                             \
        for (int gascl_looks = gascl_left > 0; gascl_looks; gascl_looks = 0) {  \
            int gascl_next = gascl_to;                                          \
            for (int gascl_at = (int)(i) + (int)get_local_id(0); gascl_at < gascl_next; \
                 gascl_at += GASCL_GROUP)
#define GASCL_GO_ON(i)                                    \
            i = gascl_least(gascl_next, gascl_to, gascl_shared); \
            gascl_until = min((int)(i) + 1, gascl_to);    \
            --gascl_left;                                 \
        }
#define GASCL_END_LOOKING gascl_most = gascl_left > 0 ? gascl_most : gascl_most / 2;
#define GASCL_DIFFERS(a, b) gascl_differs(&(a), &(b), (int)sizeof(a))

static GASCL_INLINE bool gascl_differs(const void *a, const void *b, const int size) {
    bool found = false;
    _Pragma("unroll") for (int i = 0; i < size; ++i)
        found |= ((const uchar *)a)[i] != ((const uchar *)b)[i];
    return found;
}

// The least of the items' numbers, which are at most `most`.
static int gascl_least(const int mine, const int most, volatile __local int *least) {
    barrier(CLK_LOCAL_MEM_FENCE);  // the one before has been read
    if (get_local_id(0) == 0)
        *least = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine < most)
        atomic_min(least, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *least;
}

static void gascl_load_window(__local gascl_message *window, __global const gascl_message *messages,
                              const int from, const int sent) {
    const int count = min(GASCL_BLOCK, sent - from);
    barrier(CLK_LOCAL_MEM_FENCE);  // the window before has been read
    for (int i = get_local_id(0); i < count; i += GASCL_GROUP)
        window[i] = messages[from + i];
    barrier(CLK_LOCAL_MEM_FENCE);
}
