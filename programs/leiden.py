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
well-connected parts. They consider only lone vertices, too, but all of them once, in a row.
"""

import numpy as np

from gascl import param
from gascl.programs.local_moving import Refine
from gascl.programs.louvain import Louvain

#: How often a level on which vertices have moved is refined until some of them join.
_TRIES = 8


class Leiden(Louvain):
    """Connected communities of high modularity, as `Louvain` has them."""

    iterations = param.int32(2, low=1)

    def parts(self, stages, level, group, values):
        grouped = np.bincount(group).max() > 1
        for turns in range(_TRIES):
            seed = values["seed"] + 100 * turns
            refine = Refine(group=group, **values | {"seed": seed})
            part = stages.run(refine, graph=level, fresh=True).part
            # Of two vertices that have the same turns, neither joins the other one.
            if not grouped or (part != np.arange(len(part))).any():
                break
        return part
