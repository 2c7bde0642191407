"""Katz centrality: the number of walks that end at a vertex, one of k arcs counted alpha^k times.

    centrality(v) = alpha * (sum over arcs u -> v of centrality(u)) + beta

Katz, A New Status Index Derived from Sociometric Analysis (1953). A superstep makes the walks one
arc longer. The sum exists where alpha is below 1 / the largest eigenvalue of the adjacency matrix;
close to that, much is to come when little changes: so the two last changes say when to end.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, edge, param, vertex


class Walks(VertexProgram):
    alpha, beta, tolerance = param.real(), param.real(), param.real()
    centrality = vertex.real(init="p.beta")
    change = aggregate.real("sum")
    total = aggregate.real("sum")

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.centrality);"
    apply = """
        const real more = p.alpha * msg + p.beta;
        aggregate_change(fabs(more - v.centrality));
        aggregate_total(more);
        v.centrality = more;
    """
    # What is to come is change * r / (1 - r), where r is change / the change before.
    stop = """
        agg.change * agg.change <= p.tolerance * agg.total * (prev.change - agg.change)
        || !(agg.change < 1e30)
    """


class WeightedWalks(Walks):
    weight = edge.real(default=1, low=0)
    scatter = "send(v.centrality * e.weight);"


class Katz(VertexProgram):
    """Katz centrality, in `centrality`, scaled so that its squares sum to 1.

    Args:
        alpha: what an arc more counts. Too large a value is refused when walks are seen to grow,
            with one that will do; at the very edge of that, a run ends as not converged.
        beta: what each vertex has of its own.
        tolerance: stop when what is to come is this part of the sum over all vertices.
        normalized: False leaves the numbers as the formula has them.

    Arcs count from source to target, undirected edges both ways, parallel ones each, loops once.
    """

    alpha = param.real(0.1, low=0)
    beta = param.real(1, low=0)
    tolerance = param.tolerance(1e-6)
    normalized = param.flag(True)
    centrality = vertex.real()
    walks = Walks

    def solve(self, turns):
        given = {n: getattr(self, n) for n in ("alpha", "beta", "tolerance", "dtype")}
        found = turns.run(self.walks(**given)).centrality.astype(np.float64)
        before, last = [0.0, *(step.aggregates["change"] for step in turns.trace)][-2:]
        if not last < 1e30:
            raise ProgramError(
                f"{type(self).__name__}: alpha={self.alpha} is too large here: the largest "
                f"eigenvalue is {last / before / self.alpha:.4g}; give less than "
                f"{self.alpha * before / last:.4g}"
            )
        length = np.linalg.norm(found) if self.normalized else 1
        return {"centrality": found / (length or 1)}


class WeightedKatz(Katz):
    """Katz centrality where an arc counts by the edge field `weight`, 0 or more."""

    walks = WeightedWalks
