"""Push or pull: when a delivery that can do both changes (Beamer, Asanović, Patterson 2012).

Pushing visits the arcs of the frontier, with an atomic operation for each message that changes
something; pulling goes through all vertices that still receive. So a run pushes while the frontier
has less than a certain share of the arcs. There are two thresholds, so that the run does not change
back and forth: each change costs a pass over the vertices. The device decides; see gascl_decide_on
in kernels/superstep.cl.
"""

from __future__ import annotations

from gascl.graph.graph import Graph
from gascl.opencl.device import Device
from gascl.run.plan import Plan

#: A run starts to pull when the frontier has more than 1 / the first number of the graph's arcs,
#: and continues to pull while it has more than 1 / the second. Where a vertex stops receiving,
#: pulling skips it and stops at the first message that decides: 15 is the GAP benchmark's. On two
#: cores 24 was faster where degrees are equal, and the same elsewhere.
SKIPPING_GPU, SKIPPING_CPU = (15, 60), (24, 60)
#: For programs that pull along all arcs on a CPU, as measured when the host still decided.
CPU = (3, 4)
#: On a GPU, where every message counts. On an H100, R-MAT and uniform graphs of scale 18 to 22, a
#: message that is pushed takes about as long as this many arcs that are pulled; less where
#: `receive_if` drops most of them; ...
ARCS_PER_PUSH, ARCS_PER_FILTERED_PUSH = 2.2, 1.2
#: ... and a compare-and-swap that changes the cell of a hub as long as this many: the messages to
#: a vertex wait for each other.
ARCS_PER_WAIT = 27_000
#: The ratio of the two thresholds.
MARGIN = 1.25
NEVER = 2**62


def largest_degree(graph: Graph, direction: str) -> int:
    """The largest number of arcs that end in a vertex, of a program with arcs in this direction."""
    if not graph.num_vertices or not graph.num_edges:
        return 0
    name = {"out": "in_degree", "in": "out_degree"}.get(direction, "degree")
    return int(getattr(graph, name).max())


def pull_bounds(
    plan: Plan, device: Device, graph: Graph, direction: str, num_arcs: int, atomic: str
) -> tuple[int, int]:
    """The smallest number of a frontier's arcs with which pulling continues, and the largest with
    which pushing does.

    Args:
        direction: of the program's arcs.
        num_arcs: the number of arcs of all ranks.
        atomic: how messages are combined, as in `Prepared`.
    """
    traits = plan.traits
    if not plan.delivery.pulls:
        return NEVER, NEVER
    begins: float
    goes_on: float
    if device.is_cpu:
        skips = traits.receives and not traits.filters
        begins, goes_on = SKIPPING_CPU if skips else CPU
    elif traits.counts_once:
        begins, goes_on = SKIPPING_GPU
    else:
        begins = ARCS_PER_FILTERED_PUSH if traits.filters else ARCS_PER_PUSH
        if atomic == "cas" and not traits.selects and num_arcs:
            begins += ARCS_PER_WAIT * largest_degree(graph, direction) / num_arcs
        goes_on = MARGIN * begins
    return int(num_arcs / goes_on), int(num_arcs / begins)
