"""Closeness centrality: a vertex is central if the paths to it from the others are short.

    closeness(v) = reached / distances * reached / others

where `reached` is how many of the `others`, the sources except v, have a path to v, and `distances`
the sum of the lengths of the shortest ones. The first factor is the inverse of the mean distance;
the second one compares vertices of components of different sizes.

Algorithm: breadth-first searches from many sources at once, see multi_source_search.py; along
weights, one search after the other, see search_accumulators.py. Some sources instead of all give an
estimate.

Sources: Freeman, Centrality in Social Networks (1979); Wasserman and Faust, Social Network Analysis
(1994), the second factor; Eppstein and Wang, Fast Approximation of Centrality (2001), the estimate.
"""

import numpy as np

from gascl import VertexProgram, edge, param, vertex
from gascl.graph.parallel import filled
from gascl.programs.multi_source_search import MultiSourceSearch
from gascl.programs.search_accumulators import sums_from_each


class Closeness(VertexProgram):
    """How near each vertex is to the sources with a path to it, in `centrality`, as in NetworkX.

    Args:
        sources: None: all; a number: that many drawn by `seed`; or a list of labels.
        wf_improved: with the second factor: times the share of the sources that have a path to it.

    It is 0 where no other source has a path. Paths lead to the vertex, along the arcs; undirected
    edges run both ways. Parallel edges, self-loops and weights make no difference.
    """

    sources = param.vertices()
    seed = param.int32(0, low=0)
    wf_improved = param.flag(True)
    centrality = vertex.real()

    def solve(self, stages):
        sources = stages.vertices(self.sources, self.seed)
        found = self.sums(stages, sources)
        reached, distances = found["reached"], found["distances"]

        def closeness(rows, others):
            near, far = reached[rows], distances[rows]
            inverse = np.divide(near, far, out=np.zeros(len(far)), where=far > 0)
            return inverse * (near / max(others, 1)) if self.wf_improved else inverse

        all_others = len(sources)
        centrality = filled(np.empty(len(reached)), lambda rows: closeness(rows, all_others))
        at = stages.graph.indices_of(sources)  # which are not among the others
        centrality[at] = closeness(at, all_others - 1)
        return {"centrality": centrality}

    def largest_runs(self, size):
        return MultiSourceSearch.largest_runs_from(self.sources, size)

    def sums(self, stages, sources):
        """How many sources have a path to each vertex, and their distances."""
        at = stages.graph.indices_of(sources)
        return MultiSourceSearch.from_each(stages, at, ["reached", "distances"])


class WeightedCloseness(Closeness):
    """Closeness where an arc is as long as the edge field `weight` says, 0 or more.

    A vertex whose distances are all 0 has 0, as in NetworkX.
    """

    weight = edge.real(default=1, low=0)

    def largest_runs(self, size):
        return 1, size

    def sums(self, stages, sources):
        """How many sources have a path to each vertex, and their distances."""
        return sums_from_each(stages, sources, self.dtype)
