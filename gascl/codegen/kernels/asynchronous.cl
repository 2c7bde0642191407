// Delivery `asynchronous`: a message is applied when it is sent, by one compare-and-swap of the receiver's
// fields, which are packed in a word. There is no inbox, and no pass over vertices. What has changed waits
// in a queue (asynchronous/queue.cl) and scatters soon, not in a next superstep: the program's result does
// not depend on the order (order = "any").
//
// What a trace calls a superstep is here a round: the work of all groups between two barriers; on GPUs, several
// of them.
#include "runtime.cl"
#include "team.cl"
// persistent/cpu.cl, or asynchronous/gpu.cl where a work-group has several items (gascl/delivery/assembly.py).
#include "step_kernels.cl"
