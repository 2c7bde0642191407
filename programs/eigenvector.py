"""Eigenvector centrality: a vertex is central if central vertices have arcs to it.

    eigenvalue * centrality(v) = sum over arcs u -> v of centrality(u)

for the largest eigenvalue of the adjacency matrix A.

Algorithm: power iteration. A superstep multiplies the vector by A + I and divides it by its length.
I, by which a vertex adds what it had, moves all eigenvalues by 1: in a bipartite graph the least
one is minus the largest, and A alone would swing between two vectors forever. NetworkX does the
same.

Source: Bonacich, Power and Centrality (1987).

Differences: a directed graph without cycles has no eigenvalue but 0; such a graph is detected first
and refused. With weights, the matrix is divided by the largest one, so that their unit makes no
difference.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, edge, param, vertex
from gascl.programs.validation import largest_weight, shares


class Peel(VertexProgram):
    """Removes vertices without in-arcs, and their out-arcs, until there are none: what is left are
    the cycles and what they lead to."""

    left = vertex.int32(init="v.in_degree", doc="arcs from vertices that are not removed")

    message, combine = "int32", "sum"
    mask = "v.in_degree == 0"
    scatter = "send(1);"
    apply = """
        v.left -= msg;
        if (v.left == 0)
            set_mask();
    """


class Iteration(VertexProgram):
    """Power iteration, until the vector moves by `tolerance` of its length or less."""

    tolerance = param.real()
    centrality = vertex.real(init="1 / sqrt((real)g.num_vertices)", rest=0)
    squares = aggregate.real("sum", doc="the square of the vector's length")
    moved = aggregate.real("sum", doc="the square of the length of its change")

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    init = "aggregate_squares(v.centrality * v.centrality);"
    scatter = "send(v.centrality);"
    apply = """
        const real next = (msg + v.centrality) / sqrt((real)prev.squares);
        const real change = next - v.centrality;
        aggregate_squares(next * next);
        aggregate_moved(change * change);
        v.centrality = next;
    """
    stop = "agg.moved <= p.tolerance * p.tolerance * agg.squares"

    def prepare(self, graph, initial):
        if "centrality" in initial:
            vector = shares("", graph, "centrality", initial["centrality"])
            initial["centrality"][:] = vector / np.linalg.norm(vector)


class WeightedIteration(Iteration):
    """The same, where an arc counts by its weight."""

    unit = param.real(1, doc="the largest weight")
    weight = edge.real(default=1, low=0, finite=True)
    scatter = "send(v.centrality * (e.weight / p.unit));"


class Eigenvector(VertexProgram):
    """Eigenvector centrality, in `centrality`: 0 or more, its squares sum to 1.

    Args:
        tolerance: stop when the vector moves by less (L2), of a length of 1.
        centrality: the initial vector, {label: number} or (V,); by default all values are equal.

    Arcs count from source to target, undirected edges both ways, parallel ones each, a self-loop
    once. Of several components, only those with the largest eigenvalue are above 0. A directed
    graph without cycles has no eigenvalue except 0, and is refused; without edges, all are equal.
    """

    tolerance = param.tolerance(1e-6)
    centrality = vertex.real()

    def solve(self, stages):
        if stages.graph.num_edges and not stages.run(Peel(), fresh=["left"]).left.any():
            why = "a directed graph without cycles has no eigenvalue but 0; Katz has an answer"
            raise ProgramError(self.title(), f": {why}")
        iteration = self.iteration(stages.graph)
        # From the beginning also where a State is given: what was almost 0 in another graph would
        # take long to grow.
        found = stages.run(iteration, fresh=True).centrality.astype(np.float64)
        return {"centrality": found / np.linalg.norm(found)}

    def iteration(self, graph):
        """The stage that finds the vector."""
        return Iteration(tolerance=self.tolerance, dtype=self.dtype, **self.initial)


class WeightedEigenvector(Eigenvector):
    """Eigenvector centrality where an arc counts by the edge field `weight`, 0 or more."""

    weight = edge.real(default=1, low=0, finite=True)

    def iteration(self, graph):
        """The stage that finds the vector."""
        options = {"tolerance": self.tolerance, "dtype": self.dtype, **self.initial}
        return WeightedIteration(unit=largest_weight(graph), **options)
