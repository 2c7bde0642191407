"""Harmonic centrality: the sum of 1 / distance from each other vertex; 0 where there is no path.

    harmonic(v) = sum over sources s != v of 1 / distance(s, v)

Unlike closeness, it needs no special case for vertices that no path joins.

Algorithm: breadth-first searches from many sources at once, see multi_source_search.py; along
weights, one search after the other, see search_accumulators.py.

Sources: Marchiori and Latora, Harmony in the Small-World (2000); Boldi and Vigna, Axioms for
Centrality (2014).
"""

from gascl import VertexProgram, edge, param, vertex
from gascl.programs.multi_source_search import MultiSourceSearch
from gascl.programs.search_accumulators import sums_from_each


class HarmonicCloseness(VertexProgram):
    """The sum of 1 / distance over the sources with a path to the vertex, in `centrality`.

    As in NetworkX, it is not divided by the number of sources.

    Args:
        sources: None: all; a number: that many drawn by `seed`; or a list of labels.

    It is 0 where no other source has a path. Paths lead to the vertex, along the arcs; undirected
    edges run both ways. Parallel edges, self-loops and weights make no difference.
    """

    sources = param.vertices()
    seed = param.int32(0, low=0)
    centrality = vertex.real()

    def solve(self, stages):
        sources = stages.vertices(self.sources, self.seed)
        return {"centrality": self.sums(stages, sources)["inverses"]}

    def largest_runs(self, size):
        return MultiSourceSearch.largest_runs_from(self.sources, size)

    def sums(self, stages, sources):
        """The sums over the distances from all sources."""
        at = stages.graph.indices_of(sources)
        return MultiSourceSearch.from_each(stages, at, ["inverses"], dtype=self.dtype)


class WeightedHarmonicCloseness(HarmonicCloseness):
    """Harmonic centrality where an arc is as long as the edge field `weight` says, 0 or more.

    Sources at a distance of 0 do not count, as in NetworkX.
    """

    weight = edge.real(default=1, low=0)

    def largest_runs(self, size):
        return 1, size

    def sums(self, stages, sources):
        """The sums over the distances from all sources."""
        return sums_from_each(stages, sources, self.dtype)
