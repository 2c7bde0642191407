"""Leiden at several resolutions at once: the part of ParticleCommunities that finds communities.

Each resolution has a copy of the graph, and the copies are run as one graph, so that together they
take the supersteps of one. What a vertex adds to a community of a total mass, to which it has edges
of a weight, is weight - resolution * mass * total / (2 m), with m of `Louvain`. If all weights
of a copy are multiplied by the highest resolution and divided by its own one, the price of mass is
the same in all copies, and what adds most in a copy stays the same.
"""

import numpy as np

from gascl import vertex
from gascl.graph.copies import repeated
from gascl.programs.leiden import Leiden
from gascl.programs.louvain import apart, in_order, strengths, unit_of

#: The resolutions, of modularity: powers of two, so that multiples of weights are exact.
RESOLUTIONS = (0.5, 1.0, 2.0, 4.0, 8.0)
#: The multiples of the weights for each.
_TIMES = tuple(round(RESOLUTIONS[-1] / each) for each in RESOLUTIONS)

#: How many starts each resolution has at most, and how many edges all copies have, unless one has
#: more.
_STARTS, _EDGES = 4, 1 << 20


class Scales(Leiden):
    """Communities in `community` (int32), a column for each resolution.

    Args:
        community: as in `Leiden`, from which the run begins; then it has one start.
        looks: int8 (V,) with `community`, whether a vertex looks for better communities first. Only
            what they affect is refined.

    `modularity` is the greatest of the resolutions.
    """

    community = vertex.int32(len(RESOLUTIONS))
    looks = vertex.int8()

    def prepare(self, graph, initial):
        self.given = initial.get("community")
        self.looking = initial.get("looks", np.zeros(graph.num_vertices, np.int8))

    def found(self, stages, _):
        graph, unit = stages.graph, sum(_TIMES) * unit_of(stages.graph)
        weight = np.rint(graph.edge_fields["weight"] / unit).astype(np.int64)
        graph = graph.with_edge_fields(weight=weight)
        strength, count, scales = strengths(graph), graph.num_vertices, len(_TIMES)
        if not (twice := int(strength.sum())):
            alone = np.repeat(np.arange(count)[:, None], scales, axis=1)
            return {"community": alone, "looks": self.looking, "modularity": np.nan, "levels": 0}
        starts, changed = max(1, min(_STARTS, _EDGES // (scales * graph.num_edges))), None
        if self.given is not None:
            starts, changed = 1, np.tile(self.looking, scales)
        times = np.repeat(_TIMES, starts)
        copies = repeated(graph, len(times))
        weights = (weight * times[:, None]).ravel()
        copies = copies.with_edge_fields(weight=weights)
        communities = np.arange(copies.num_vertices, dtype=np.int32)
        if self.given is not None:
            communities = apart(self.given.T)
        mass, whole = np.tile(strength, len(times)), twice / 2 * times
        price = RESOLUTIONS[-1] / twice
        found, quality, _, climbed = self.improved(
            stages, copies, communities, mass, price, whole, changed
        )
        best = quality.reshape(scales, starts).argmax(axis=1) + starts * np.arange(scales)
        return {
            "community": np.stack([in_order(apart([found[i]])) for i in best], axis=1),
            "looks": self.looking,
            "modularity": quality.max(),
            "levels": climbed,
        }
