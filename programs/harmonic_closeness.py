"""Harmonic centrality: the sum of one by the distance from each other vertex; none counts as 0.

Marchiori and Latora, Harmony in the Small-World (2000); Boldi and Vigna, Axioms for Centrality
(2014). Unlike closeness, it needs no special case for vertices that have no way to each other.
"""

from gascl import VertexProgram, param, vertex
from gascl.programs.spread import Spread


class HarmonicCloseness(VertexProgram):
    """The sum of 1 / distance over the sources with a way to the vertex, in `centrality`.

    As in NetworkX, it is not divided by the number of sources.

    Args:
        sources: None: all; a number: that many drawn by `seed`; or a list of labels.

    It is 0 where no other source has a way. Ways lead to the vertex, along the arcs; in an
    undirected graph either way. Parallel edges, self-loops and weights make no difference.
    """

    sources = param.vertices()
    seed = param.int32(0, low=0)
    centrality = vertex.real()

    def solve(self, turns):
        sources = turns.vertices(self.sources, self.seed)
        return {"centrality": Spread.from_each(turns, sources, dtype=self.dtype)["near"]}
