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

Differences: as in Louvain, an eighth or a quarter of the vertices moves at a time. Traag, Waltman
and van Eck draw the part that a vertex joins at random, and only well-connected vertices join, only
well-connected parts. They consider only lone vertices, too, but all of them once, in a row. A small
graph is run as one of up to 16 copies, whose vertices have other turns; the best copy is the
result.
"""

import numpy as np

from gascl import param
from gascl.programs.local_moving import Refine
from gascl.programs.louvain import Louvain, sums

#: A small graph is run from so many starts at once, as long as they have no more edges than these.
_STARTS, _EDGES = 16, 1 << 19

#: How often a level on which vertices have moved is refined until some of them join.
_TRIES = 8


class Leiden(Louvain):
    """Connected communities of high modularity, as `Louvain` has them."""

    iterations = param.int32(2, low=1)

    def starts(self, graph):
        most = np.iinfo(np.int32).max // graph.num_vertices  # of all starts together
        return max(1, min(_STARTS, _EDGES // graph.num_edges, most))

    def parts(self, stages, level, group, touched, values):
        alone, begin, looks = np.arange(len(group), dtype=np.int32), {}, group
        if touched is not None:  # the other groups stay together
            divided = touched[group]
            alone, looks = np.where(divided, alone, group), group[divided]
            begin = {"part": alone, "total": sums(alone, values["mass"], len(alone))}
            begin["joined"] = (~divided).astype(np.int8)
        begin["supersteps"] = 2 * values["turns"]  # two rounds
        can_join = np.bincount(looks, minlength=1).max() > 1
        for turns in range(_TRIES):
            seed = values["seed"] + 100 * turns
            refine = Refine(group=group, **begin, **values | {"seed": seed})
            part = stages.run(refine, graph=level, fresh=True).part
            # Of two vertices that have the same turns, neither joins the other one.
            if not can_join or (part != alone).any():
                break
        return part
