"""Push or pull: which delivery `auto` uses in each superstep (Beamer, Asanović, Patterson 2012).

Pushing visits the arcs of the frontier, with an atomic operation each; pulling visits all arcs of
the graph, each at a low cost. So a run pushes while the frontier has less than a certain share of
the arcs. There are two thresholds, so that the run does not change back and forth: each change
costs a pass over the vertices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gascl.runtime.device import Device
from gascl.runtime.plan import Plan

#: A run starts to pull when the frontier has more than 1 / the first number of the graph's arcs,
#: and continues to pull while it has more than 1 / the second. As measured, pushing an arc costs as
#: much as pulling 9 (breadth-first search) to 18 (shortest paths) on an H200, and about 3 on two
#: CPU cores.
GPU, CPU = (14, 18), (3, 4)
_FOREVER = 2**62


@dataclass
class Direction:
    """Chooses among a run's plans; if there are two, the first one pushes.

    Attributes:
        plan: the current choice.
    """

    plans: Sequence[Plan]
    device: Device
    num_arcs: int
    plan: Plan

    @classmethod
    def of(cls, plans: Sequence[Plan], device: Device, num_arcs: int) -> Direction:
        return cls(plans, device, num_arcs, plans[0])

    def bounds(self) -> tuple[int, int]:
        """The smallest and largest number of the frontier's arcs with which the choice stays."""
        if len(self.plans) == 1:
            return -1, _FOREVER
        begins, goes_on = CPU if self.device.is_cpu else GPU
        if self.plan is self.plans[0]:
            return -1, self.num_arcs // begins
        return self.num_arcs // goes_on, _FOREVER

    def choose(self, arcs: int) -> bool:
        """Choose the plan for a frontier with this many arcs; returns whether it is another one."""
        least, most = self.bounds()
        changes = not least <= arcs <= most
        if changes:
            self.plan = self.plans[self.plan is self.plans[0]]
        return changes

    def reason(self, arcs: int) -> str:
        """The reason for the current choice, with this many arcs; "" if there is only one plan."""
        if len(self.plans) == 1:
            return ""
        few = "few" if self.plan is self.plans[0] else "many"
        return f"the frontier has {arcs:,} of {self.num_arcs:,} arcs: {few}"
