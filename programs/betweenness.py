"""Betweenness centrality: a vertex is central if many shortest paths lead through it.

    betweenness(v) = sum over sources s and targets t of the share of the shortest paths from s to t
                     that pass through v,  s != v != t

Algorithm: from each source s, a breadth-first search counts the shortest paths to every vertex,
level by level. Back from the last level, the dependency of s on v, its share of the paths to all
targets, is accumulated from the vertices w that follow v on these paths:

    dependency(v) = sum over arcs v -> w to the next level of
                    paths(v) / paths(w) * (1 + dependency(w))

Betweenness is the sum of the dependencies over all sources; over some of them, it is an estimate.

Sources: Freeman, A Set of Measures of Centrality Based on Betweenness (1977); Brandes, A Faster
Algorithm for Betweenness Centrality (2001); Brandes and Pich, Centrality Estimation in Large
Networks (2007).

Differences: up to 8 sources, a lane each, go level by level together, and back from the deepest
level that any of them has.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, param, vertex

#: The largest number of sources that are searched from at once.
LANES = 8


class Forward(VertexProgram):
    """Each vertex's distance from the source, in arcs, and the number of shortest paths to it."""

    source = param.vertex()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    paths = vertex.real(init="v.id == p.source")
    most = aggregate.real("max", doc="the largest number of paths")

    message, combine = "real", "sum"
    receive_if = "v.depth < 0"
    mask = "v.id == p.source"
    scatter = """
        if (v.depth == superstep)
            send(v.paths);
    """
    apply = """
        v.depth = superstep + 1;
        v.paths = msg;
        aggregate_most(msg);
        set_mask();
    """


class Backward(VertexProgram):
    """The source's dependency on each vertex, level by level from the `last` one back."""

    last = param.int32()
    depth = vertex.int32()
    paths = vertex.real()
    dependency = vertex.real()

    message, combine = "real", "sum"
    receive_if = "v.depth > 0 && v.depth == p.last - superstep - 1"
    edges, apply_on = "in", "all"
    mask = "v.depth == p.last"
    scatter = """
        if (v.depth == p.last - superstep)
            send((1 + v.dependency) / v.paths);
    """
    apply = """
        if (v.depth > 0 && v.depth == p.last - superstep - 1) {
            v.dependency = v.paths * msg;
            set_mask();
        }
    """


class Betweenness(VertexProgram):
    """The share of the shortest paths between two others that lead through a vertex, in
    `centrality`.

    Args:
        sources: None: all; a number: that many drawn by `seed`, or a list of labels, for an
            estimate, scaled to all as by NetworkX's `k`. At a sole source it is NaN: unknown.
        normalized: divided by the number of pairs of others; else their sum, in an undirected
            graph with each pair once.

    As NetworkX's, but parallel edges make as many paths. Self-loops and weights make no difference.
    """

    sources = param.vertices()
    seed = param.int32(0, low=0)
    normalized = param.flag(True)
    centrality = vertex.real()

    def solve(self, stages):
        count = stages.graph.num_vertices
        sources = stages.vertices(self.sources, self.seed)
        # A power of two, since kernels are built for each number of lanes.
        lanes = min(LANES, 1 << (len(sources) - 1).bit_length())
        total = 0
        for begin in range(0, len(sources), lanes):
            batch = sources[begin : begin + lanes]
            padded = (batch * lanes)[:lanes]  # the last batch may be smaller
            search = stages.run(Forward(source=padded, dtype=self.dtype), fresh=True)
            self.check(max(step.aggregates["most"] for step in search.trace))
            last = [search.supersteps - 1] * lanes
            found = stages.run(Backward(last=last, dtype=self.dtype)).dependency
            found = found.reshape(count, lanes)[:, : len(batch)]
            total += found.sum(axis=1, dtype=np.float64)
        return {"centrality": self.scaled(stages.graph, total, sources)}

    def scaled(self, graph, total, sources):
        """What the dependencies of `sources` come to, estimated for all and normalized."""
        count = graph.num_vertices
        if count < 3:
            return total  # there are no pairs of others
        if self.normalized:
            total /= count - 2
        else:
            total *= (count - 1) / (1 if graph.directed else 2)
        others = np.full(count, len(sources))
        others[graph.indices_of(sources)] -= 1
        return total / np.where(others > 0, others, np.nan)

    def check(self, most):
        """Refuses numbers of paths that, or whose inverses, the type can't hold."""
        bound = 1 / np.finfo(self.dtype).tiny
        if not most <= bound:
            why = f"{most:.3g} shortest paths lead to a vertex, and {self.dtype} counts to"
            remedy = "take a smaller graph" if self.dtype == "float64" else "give dtype='float64'"
            raise ProgramError(f"Betweenness: {why} {bound:.3g}: {remedy}")
