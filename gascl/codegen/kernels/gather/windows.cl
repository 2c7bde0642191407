// Windows: parts of a vertex's messages, which a work-group copies to local memory one after the other, so that
// a gather snippet reads them there. Its loops over all messages are written in these macros
// (gascl/language/message_loops.py). `gascl_sent`: how many messages there are.
#define GASCL_FOR_WINDOWS \
    for (int gascl_from = 0; gascl_from < gascl_sent; gascl_from += GASCL_BLOCK)
#define GASCL_LOAD_WINDOW                                            \
    gascl_load_window(gascl_window, messages, gascl_from, gascl_sent); \
    const int gascl_to = min(num_messages, gascl_from + GASCL_BLOCK);  \
    _Pragma("unroll 8")

static void gascl_load_window(__local gascl_message *window, __global const gascl_message *messages,
                              const int from, const int sent) {
    const int count = min(GASCL_BLOCK, sent - from);
    barrier(CLK_LOCAL_MEM_FENCE);  // the window before has been read
    for (int i = get_local_id(0); i < count; i += GASCL_GROUP)
        window[i] = messages[from + i];
    barrier(CLK_LOCAL_MEM_FENCE);
}
