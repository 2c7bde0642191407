// Local memory for gather/group.cl: the messages of a block.
typedef struct {
    gascl_shared shared;
    gascl_message messages[GASCL_BLOCK];
#if !GASCL_EVERY_ARC_SENDS
    uchar carries[GASCL_BLOCK];  // whether the arc carries a message
#endif
    ushort starts[GASCL_BLOCK + 1];  // where a row's messages begin, and where the last row's end
} gascl_gather_memory;
