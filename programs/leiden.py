"""Leiden: communities as by Louvain, each of which is connected.

Algorithm: as Louvain, but when no vertex gains by moving, communities are refined: within each of
them, every vertex is alone at first, and joins a part to which it adds most. The parts become the
vertices of the smaller graph, and begin there in the communities that were refined. So a part can
leave what Louvain would never divide again. A part is connected, since a vertex joins one to which
it has an edge, and one that others have joined stays; and the communities are the parts of the last
level, on which none joins another.

Sources: Traag, Waltman and van Eck, From Louvain to Leiden: Guaranteeing Well-Connected Communities
(2019); Sahu, GVE-Leiden: Fast Leiden Algorithm for Community Detection in Shared Memory Setting
(2023), that each vertex joins the part to which it adds most.

Differences: as in Louvain, a quarter of the vertices moves at a time. Traag, Waltman and van Eck
draw the part that a vertex joins at random, and only well-connected vertices join, only
well-connected parts. They consider only lone vertices, too, but all of them once, in a row. A
small graph is run as one of up to 16 copies, whose vertices have other turns; the best copy is the
result.
"""

import numpy as np

from gascl import param
from gascl.programs.local_moving import Refine
from gascl.programs.louvain import Louvain, sums

#: A small graph is run from so many starts at once, as long as they have no more edges than these.
_STARTS, _EDGES = 16, 1 << 17


class Leiden(Louvain):
    """Connected communities of high modularity, as `Louvain` has them."""

    iterations = param.int32(2, low=1)

    def starts(self, graph):
        return max(1, min(_STARTS, _EDGES // graph.num_edges))

    def parts(self, stages, level, group, touched, values):
        if touched is None:
            refine = Refine(group=group, **values)
        else:  # the other groups stay together
            alone = touched[group]
            part = np.where(alone, np.arange(len(group), dtype=np.int32), group)
            total, joined = sums(part, values["mass"], len(part)), (~alone).astype(np.int8)
            refine = Refine(group=group, part=part, total=total, joined=joined, **values)
        return stages.run(refine, graph=level, fresh=True).part
