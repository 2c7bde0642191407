"""Closeness centrality: one by the mean distance from others, which breadth-first searches find.

    closeness(v) = reached / far * reached / others

where `reached` is how many of the `others`, the sources but v, have a way to v, and `far` the sum
of their distances. Freeman, Centrality in Social Networks (1979), with the second factor of
Wasserman and Faust (1994) for graphs of several parts. A number of sources instead of all gives an
estimate: Eppstein and Wang, Fast Approximation of Centrality (2001).
"""

import numpy as np

from gascl import VertexProgram, param, vertex
from gascl.programs.spread import Spread


class Closeness(VertexProgram):
    """How near each vertex is to the sources with a way to it, in `centrality`, as in NetworkX.

    Args:
        sources: None: all; a number: that many drawn by `seed`; or a list of labels.
        wf_improved: with the second factor: times the part of the sources that has a way to it.

    It is 0 where no other source has a way. Ways lead to the vertex, along the arcs; in an
    undirected graph either way. Parallel edges, self-loops and weights make no difference.
    """

    sources = param.vertices()
    seed = param.int32(0, low=0)
    wf_improved = param.flag(True)
    centrality = vertex.real()

    def solve(self, turns):
        sources = turns.vertices(self.sources, self.seed)
        found = Spread.from_each(turns, sources)
        centrality = found["reached"] / np.maximum(found["far"], 1)
        if self.wf_improved:
            others = np.full(turns.graph.num_vertices, len(sources))
            others[turns.graph.indices_of(sources)] -= 1
            centrality *= found["reached"] / np.maximum(others, 1)
        return {"centrality": centrality}
