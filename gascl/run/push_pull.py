"""Push or pull: when a delivery that can do both changes (Beamer, Asanović, Patterson 2012).

Pushing visits the arcs of the frontier, with an atomic operation for each message that changes
something; pulling goes through all vertices that still receive. So a run pushes while the frontier
has less than a certain share of the arcs. There are two thresholds, so that the run does not change
back and forth: each change costs a pass over the vertices. The device decides; see gascl_decide_on
in kernels/superstep.cl.
"""

from __future__ import annotations

import numpy as np

from gascl.delivery.cost import Costs
from gascl.delivery.delivery import Delivery
from gascl.graph.graph import Graph
from gascl.graph.implicit_arcs import ImplicitOrder
from gascl.language.traits import Traits

#: Where the first message counts, pulling skips the vertices that have one, and stops at the first
#: message of others; how many arcs it visits cannot be known before. A run then starts to
#: pull when the frontier has more than 1 / the first number of the graph's arcs, and continues to
#: pull while it has more than 1 / the second. 15 is the GAP benchmark's. On two cores 24 was faster
#: where degrees are equal, and the same elsewhere.
SKIPPING_GPU, SKIPPING_CPU = (15, 60), (24, 60)
#: Otherwise the cost model says where pulling is as fast as pushing, and a run continues to pull
#: down to this part of that share.
CONTINUES = 0.8
NEVER = 2**62


def largest_degree(graph: Graph, direction: str) -> int:
    """The largest number of arcs that end in a vertex, of a program with arcs in this direction."""
    if not graph.num_vertices or not graph.num_edges:
        return 0
    into = graph.arcs(direction).into
    return into.rule.most if isinstance(into, ImplicitOrder) else int(np.diff(into.offsets).max())


def pull_bounds(delivery: Delivery, traits: Traits, costs: Costs, on_cpu: bool) -> tuple[int, int]:
    """The smallest number of a frontier's arcs with which pulling continues, and the largest with
    which pushing does."""
    arcs = costs.size.arcs
    if not delivery.pulls:
        return NEVER, NEVER
    if traits.first:
        begins, goes_on = SKIPPING_CPU if on_cpu else SKIPPING_GPU
        return int(arcs / goes_on), int(arcs / begins)
    share = costs.share_to_pull(delivery.name)
    return int(CONTINUES * share * arcs), int(share * arcs)
