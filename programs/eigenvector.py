"""Eigenvector centrality: a vertex is as central as the vertices with arcs to it are together.

    eigenvalue * centrality(v) = sum over arcs u -> v of centrality(u)

for the largest eigenvalue of the adjacency matrix (Bonacich, Power and Centrality, 1987), by power
iteration. A superstep also adds what a vertex had: that moves all eigenvalues by 1, so that vectors
of bipartite graphs, whose least is minus the largest, do not swing for ever. So does NetworkX.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, edge, param, vertex


class Peel(VertexProgram):
    left = vertex.int32(init="v.in_degree", doc="arcs from vertices on cycles, or behind one")
    message, combine, mask = "int32", "sum", "v.in_degree == 0"
    scatter = "send(1);"
    apply = "if ((v.left -= msg) == 0) set_mask();"


class Iteration(VertexProgram):
    tolerance = param.real()
    centrality = vertex.real(init="1 / sqrt((real)g.num_vertices)")
    squares = aggregate.real("sum", doc="of the length")
    moved = aggregate.real("sum", doc="the same of the change")

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


class WeightedIteration(Iteration):
    unit = param.real(1, doc="the largest weight: that sums of large ones fit")
    weight = edge.real(default=1, low=0, finite=True)
    scatter = "send(v.centrality * (e.weight / p.unit));"


class Eigenvector(VertexProgram):
    """Eigenvector centrality, in `centrality`: 0 or more, its squares sum to 1.

    Args:
        tolerance: stop when the vector moves by less (L2), of a length of 1.

    Arcs count from source to target, undirected edges both ways, parallel ones each, a self-loop
    once. Of parts that are not connected, only those with the largest eigenvalue are above 0. A
    graph without cycles has no eigenvalue but 0, and is refused; without edges, all are equal.
    """

    tolerance = param.tolerance(1e-6)
    centrality = vertex.real()
    iteration, weights = Iteration, ""

    def solve(self, turns):
        if turns.graph.num_edges and not turns.run(Peel(), fresh=["left"]).left.any():
            why = "a directed graph without cycles has no eigenvalue but 0; Katz has an answer"
            raise ProgramError(f"{type(self).__name__}: {why}")
        weights, unit = turns.graph.edge_fields.get(self.weights), {}
        if weights is not None:
            unit["unit"] = float(weights.max(initial=0)) or 1.0
        program = self.iteration(**unit, tolerance=self.tolerance, dtype=self.dtype)
        # Afresh: what was all but 0 in another graph would take long to be seen to grow.
        found = turns.run(program, fresh=True).centrality.astype(np.float64)
        return {"centrality": found / np.linalg.norm(found)}


class WeightedEigenvector(Eigenvector):
    """Eigenvector centrality where an arc counts by the edge field `weight`, 0 or more."""

    iteration, weights = WeightedIteration, "weight"
