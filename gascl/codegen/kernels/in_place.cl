// Delivery `in_place`: passes over all vertices, in which apply changes their fields at once, by one
// compare-and-swap of a word in which they are packed; it reads the current values of others, on a GPU perhaps
// older ones of the same pass, and what it sends is applied at once, too. There is no inbox. The program's
// result does not depend on the order in which vertices apply, nor on how often (order = "any"). The run ends
// with a pass in which no apply says set_mask() and no message changes anything: in that, no value was older.
//
// What a trace calls a superstep is here such a pass. On a GPU, one item applies a vertex. Where it looks at very many
// neighbors, a work-group goes on (in_place/long_rows.cl), or if that is impossible, the run begins again, in
// supersteps (gascl_look() in intrinsics.cl).
#include "runtime.cl"
#include "team.cl"
// persistent/cpu.cl, or persistent/gpu.cl where a work-group has several items (gascl/delivery/assembly.py).
#include "step_kernels.cl"
