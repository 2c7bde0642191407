"""Push or pull: which delivery `auto` takes in each superstep (Beamer, Asanovic, Patterson 2012).

Pushing costs the arcs of the frontier, with an atomic operation each; pulling costs all arcs of the
graph, each cheap. So a run pushes while the frontier has less than a share of the arcs. Two shares
keep it from changing back and forth, which costs a pass over the vertices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gascl.runtime.device import Device
from gascl.runtime.plan import Plan

#: One in how many of the graph's arcs the frontier must have for pulling to begin, and to go on.
#: Measured on an H200 an arc pushed costs about as much as 9 (breadth-first search) to 18
#: (shortest paths) pulled; on two CPU cores about 3.
GPU, CPU = (14, 18), (3, 4)
_FOREVER = 2**62


@dataclass
class Direction:
    """Chooses among a run's plans; the first is push where there are two.

    Attributes:
        plan: the present choice.
    """

    plans: Sequence[Plan]
    device: Device
    num_arcs: int
    plan: Plan

    @classmethod
    def of(cls, plans: Sequence[Plan], device: Device, num_arcs: int) -> Direction:
        return cls(plans, device, num_arcs, plans[0])

    def bounds(self) -> tuple[int, int]:
        """Arcs of a frontier from which to which the present choice stands."""
        if len(self.plans) == 1:
            return -1, _FOREVER
        begins, goes_on = CPU if self.device.is_cpu else GPU
        if self.plan is self.plans[0]:
            return -1, self.num_arcs // begins
        return self.num_arcs // goes_on, _FOREVER

    def choose(self, arcs: int) -> bool:
        """Take the plan for a frontier of so many arcs; whether it is another one."""
        least, most = self.bounds()
        changes = not least <= arcs <= most
        if changes:
            self.plan = self.plans[self.plan is self.plans[0]]
        return changes

    def reason(self, arcs: int) -> str:
        """Why a frontier of so many arcs goes by the present choice; "" where there is but one."""
        if len(self.plans) == 1:
            return ""
        few = "few" if self.plan is self.plans[0] else "many"
        return f"the frontier has {arcs:,} of {self.num_arcs:,} arcs: {few}"
