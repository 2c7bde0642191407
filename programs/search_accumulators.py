"""Sums over the distances from many sources along weights, which WeightedCloseness,
WeightedHarmonicCloseness and WeightedEccentricity are made of.

One search after the other, see shortest_paths.py; sums are made on the host in float64. Searching
in lanes would pass over all arcs in every superstep.
"""

import numpy as np

from gascl.programs.shortest_paths import Distances


def sums_from_each(stages, sources, dtype, graph=None):
    """What `MultiSourceSearch.from_each` gives, for distances along the edge field `weight`.

    Args:
        graph: another one than that of the stages.
    """

    def searches(stages, sources):
        count = stages.graph.num_vertices
        fields = ("distances", "inverses", "farthest")
        found = {"reached": np.zeros(count, np.int64)} | {name: np.zeros(count) for name in fields}
        for source, vertex in zip(sources, stages.graph.indices_of(sources), strict=True):
            search = Distances(source=source, dtype=dtype)
            distance = stages.run(search, fresh=True, graph=graph).distance.astype(np.float64)
            distance[vertex] = np.inf
            there = np.isfinite(distance)
            far = distance[there]
            found["reached"] += there
            found["distances"][there] += far
            found["inverses"][there] += np.divide(1, far, out=np.zeros_like(far), where=far > 0)
            found["farthest"][there] = np.maximum(found["farthest"][there], far)
        return found

    return stages.share(sources, searches, by={"farthest": np.maximum})
