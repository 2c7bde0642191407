"""Betweenness: what part of the shortest ways between two others leads through a vertex.

    betweenness(v) = sum over sources s, s != v, of v's share of the shortest ways from s

Freeman, A Set of Measures of Centrality Based on Betweenness (1977); Brandes's algorithm, in
`brandes.py`, finds the shares of all vertices by two searches a source. Some sources instead of all
give an estimate: Brandes and Pich, Centrality Estimation in Large Networks (2007).
"""

import numpy as np

from gascl import ProgramError, VertexProgram, param, vertex
from gascl.programs.brandes import Backward, Forward


class Betweenness(VertexProgram):
    """What part of the shortest ways between two others leads through a vertex, in `centrality`.

    Args:
        sources: None: all; a number: that many drawn by `seed`, or a list of labels, for an
            estimate, scaled to all as by NetworkX's `k`. At a sole source it is NaN: unknown.
        normalized: divided by the number of pairs of others; else their sum, in an undirected
            graph with each pair once.

    The same as NetworkX's; but parallel edges are as many ways. Self-loops and weights make no
    difference.
    """

    sources = param.vertices()
    seed = param.int32(0, low=0)
    normalized = param.flag(True)
    centrality = vertex.real()

    def solve(self, turns):
        count, total = turns.graph.num_vertices, 0
        sources = turns.vertices(self.sources, self.seed)
        lanes = 8 if len(sources) > 1 else 1
        for begin in range(0, len(sources), lanes):
            some = sources[begin : begin + lanes]
            ways = turns.run(Forward(source=(some * lanes)[:lanes], dtype=self.dtype), fresh=True)
            self.check(max(step.aggregates["most"] for step in ways.trace))
            last = [ways.supersteps - 1] * lanes
            share = turns.run(Backward(last=last, dtype=self.dtype)).share
            total += share.reshape(count, lanes)[:, : len(some)].sum(axis=1, dtype=np.float64)
        if count < 3:
            return {"centrality": total}  # there are no pairs of others
        if self.normalized:
            total /= count - 2
        else:
            total *= (count - 1) / (1 if turns.graph.directed else 2)
        others = np.full(count, len(sources))
        others[turns.graph.indices_of(sources)] -= 1
        return {"centrality": total / np.where(others > 0, others, np.nan)}

    def check(self, most):
        """Refuses numbers of ways that, or whose inverses, the type can't hold."""
        bound = 1 / np.finfo(self.dtype).tiny
        if not most <= bound:
            why = f"{most:.3g} shortest ways lead to a vertex, and {self.dtype} counts to"
            remedy = "take a smaller graph" if self.dtype == "float64" else "give dtype='float64'"
            raise ProgramError(f"Betweenness: {why} {bound:.3g}: {remedy}")
