"""Katz centrality: the number of walks that end at a vertex, one of k arcs counted alpha^k times.

    centrality(v) = alpha * (sum over arcs u -> v of centrality(u)) + beta

Katz, A New Status Index Derived from Sociometric Analysis (1953). A superstep makes the walks one
arc longer. The sum exists where alpha is below 1 / the largest eigenvalue of the adjacency matrix.
Here beta = 1 until the end: where a superstep brings each vertex a part t of that or less, those
to come, which sum t as the sum was one of 1, bring each that part of its own or less.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, edge, param, vertex
from gascl.programs.spectrum import most_eigenvalue


class Walks(VertexProgram):
    alpha, tolerance, unit = param.real(), param.real(), param.real(1)
    centrality = vertex.real(init=1)
    change, most = aggregate.real("sum"), aggregate.real("max")
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.centrality);"
    apply = """
        const real before = v.centrality;
        v.centrality = p.alpha * msg + 1;
        aggregate_change(v.centrality - before);
        aggregate_most(v.centrality - before);
    """
    stop = "agg.most <= p.tolerance || !(agg.change < 1e30)"


class WeightedWalks(Walks):
    weight = edge.real(default=1, low=0, finite=True)
    scatter = "send(v.centrality * (e.weight / p.unit));"


class Katz(VertexProgram):
    """Katz centrality, in `centrality`, scaled so that its squares sum to 1.

    Args:
        alpha: what an arc more counts; refused once walks are seen to grow for ever.
        beta: what each vertex has of its own.
        tolerance: no vertex lacks more than this part; refused where rounding takes more.
        normalized: False leaves the numbers as the formula has them.

    Arcs count from source to target, undirected edges both ways, parallel ones each, loops once.
    """

    alpha, beta, tolerance = param.real(0.1, low=0), param.real(1, low=0), param.tolerance(1e-6)
    normalized, centrality = param.flag(True), vertex.real()
    walks, weights = Walks, ""

    def solve(self, turns):
        weights, why = turns.graph.edge_fields.get(self.weights), ""
        unit = 1.0 if weights is None else float(weights.max(initial=0)) or 1.0  # sums of it fit
        given = {"alpha": min(self.alpha * unit, 1e30), "unit": unit, "dtype": self.dtype}
        program = self.walks(**given, tolerance=self.tolerance)
        found = turns.run(program, fresh=True).centrality.astype(np.float64)
        walks = np.array([each.aggregates["change"] for each in turns.trace])
        arcs = np.arange(1, len(walks) + 1) @ walks / (len(found) + walks.sum())  # of a walk
        off = np.finfo(self.dtype).eps / 2 * (1 + arcs)
        if not walks[-1] < 1e30:
            most = most_eigenvalue(turns.graph, weights)
            why = f"no eigenvalue is more than {most:.6g}; {0.999 / most:.4g} will do"
            why = f"alpha={self.alpha} is too large: {why}"
        elif off > self.tolerance:
            why = f"tolerance={self.tolerance} is out of reach: {self.dtype} rounds walks of about "
            why += f"{arcs:.0f} arcs; give {2 * off:.0e}, a smaller alpha, or dtype='float64'"
        if why:
            raise ProgramError(f"{type(self).__name__}: {why}")
        scale = (self.beta > 0) / np.linalg.norm(found) if self.normalized else self.beta
        return {"centrality": found * scale}


class WeightedKatz(Katz):
    """Katz centrality where an arc counts by the edge field `weight`, 0 or more."""

    walks, weights = WeightedWalks, "weight"
