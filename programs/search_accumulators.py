"""Sums over the distances from many sources along weights, which WeightedCloseness,
WeightedHarmonicCloseness and WeightedEccentricity are made of.

One search after the other, see shortest_paths.py; sums are made on the host in float64. Searching
in lanes would pass over all arcs in every superstep.
"""

from functools import partial

import numpy as np

from gascl.graph.parallel import blocks, in_threads
from gascl.programs.shortest_paths import Distances


def add(found, distance, block):
    """Add the distances of a block of vertices to the sums."""
    far = distance[block].astype(np.float64)
    there = np.flatnonzero(np.isfinite(far))
    far = far[there]
    reached, distances, inverses, farthest = (each[block] for each in found.values())
    reached[there] += 1
    distances[there] += far
    inverses[there] += np.divide(1, far, out=np.zeros_like(far), where=far > 0)
    farthest[there] = np.maximum(farthest[there], far)


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
            distance = stages.run(search, fresh=True, graph=graph).distance
            distance[vertex] = np.inf
            in_threads(partial(add, found, distance), blocks(count))
        return found

    return stages.share(sources, searches, by={"farthest": np.maximum})
