// Delivery `in_place`: passes over all vertices, in which apply changes their fields at once, by one
// compare-and-swap of a word in which they are packed; it reads the current values of others, and what it
// sends is applied at once, too. There is no inbox. The program's result does not depend on the order in
// which vertices apply, nor on how often (order = "any"). The run ends with a pass in which no apply says
// set_mask() and no message changes anything.
//
// What a trace calls a superstep is here such a pass.
#include "runtime.cl"
#include "team.cl"
#include "persistent/cpu.cl"
