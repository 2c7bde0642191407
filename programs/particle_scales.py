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

#: How many starts each resolution has at most, as long as all copies have no more edges than these.
_STARTS, _EDGES = 4, 1 << 20
#: Resolutions take turns where copies for all of them would have more edges, for memory's sake.
_MOST = 1 << 25


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
        # Multiples of the unit, so that those for the lowest resolution fit, too.
        graph, unit = stages.graph, 2 * _TIMES[0] * unit_of(stages.graph)
        weight = np.rint(graph.edge_fields["weight"] / unit).astype(np.int64)
        graph = graph.with_edge_fields(weight=weight)
        strength, scales = strengths(graph), len(_TIMES)
        if not strength.any():
            alone = np.repeat(np.arange(graph.num_vertices)[:, None], scales, axis=1)
            return {"community": alone, "looks": self.looking, "modularity": np.nan, "levels": 0}
        starts = max(1, min(_STARTS, _EDGES // (scales * graph.num_edges)))
        if self.given is not None:
            starts = 1
        at_once = max(1, _MOST // graph.num_edges)
        found, modularity, levels = [], [], []
        for first in range(0, scales, at_once):
            some = slice(first, first + at_once)
            each, best, climbed = self.at(stages, graph, strength, some, starts)
            found += each
            modularity.append(best)
            levels.append(climbed)
        return {
            "community": np.stack(found, axis=1),
            "looks": self.looking,
            "modularity": max(modularity),
            "levels": max(levels),
        }

    def at(self, stages, graph, strength, some, starts):
        """The best communities at each of some resolutions, a slice of all, of so many starts each;
        the greatest modularity; and the number of levels."""
        times, twice = np.repeat(_TIMES[some], starts), int(strength.sum())
        copies = repeated(graph, len(times))
        weights = (graph.edge_fields["weight"] * times[:, None]).ravel()
        changed, community = None, np.arange(copies.num_vertices, dtype=np.int32)
        if self.given is not None:
            changed, community = np.tile(self.looking, len(times)), apart(self.given.T[some])
        found, quality, _, levels = self.improved(
            stages,
            copies.with_edge_fields(weight=weights),
            community,
            mass=np.tile(strength, len(times)),
            price=RESOLUTIONS[-1] / twice,
            whole=twice / 2 * times,
            changed=changed,
        )
        quality = quality.reshape(-1, starts)
        best = quality.argmax(axis=1) + starts * np.arange(len(quality))
        return [in_order(apart([found[i]])) for i in best], quality.max(), levels
