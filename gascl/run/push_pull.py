"""Push or pull: when a delivery that can do both changes (Beamer, Asanović, Patterson 2012).

Pushing visits the arcs of the frontier, with an atomic operation for each message that changes
something; pulling goes through all vertices that still receive. So a run pushes while the frontier
has less than a certain share of the arcs. There are two thresholds, so that the run does not change
back and forth: each change costs a pass over the vertices. The device decides; see gascl_decide_on
in kernels/superstep.cl.
"""

from __future__ import annotations

from gascl.opencl.device import Device
from gascl.run.plan import Plan

#: A run starts to pull when the frontier has more than 1 / the first number of the graph's arcs,
#: and continues to pull while it has more than 1 / the second. Where a vertex stops receiving,
#: pulling skips it and stops at the first message that decides: 15 is the GAP benchmark's. On two
#: cores 24 was faster where degrees are equal, and the same elsewhere.
SKIPPING_GPU, SKIPPING_CPU = (15, 60), (24, 60)
#: For programs that pull along all arcs, as measured when the host still decided.
GPU, CPU = (14, 18), (3, 4)
NEVER = 2**62


def pull_bounds(plan: Plan, device: Device, num_arcs: int) -> tuple[int, int]:
    """The smallest number of a frontier's arcs with which pulling continues, and the largest with
    which pushing does."""
    if not plan.delivery.pulls:
        return NEVER, NEVER
    skips = plan.traits.receives and not plan.traits.filters
    bounds = (SKIPPING_CPU, CPU) if device.is_cpu else (SKIPPING_GPU, GPU)
    begins, goes_on = bounds[not skips]
    return num_arcs // goes_on, num_arcs // begins
