"""Katz centrality: a vertex is central if many walks end at it, of which long ones count less.

    centrality(v) = alpha * (sum over arcs u -> v of centrality(u)) + beta * own(v)

where own(v) is 1 unless it is given. This is beta times the number of walks that end at v, where a
walk of k arcs counts alpha^k, times own of where it begins. There is such a number where alpha is
below 1 / the largest eigenvalue of the adjacency matrix.

Algorithm: the formula, again and again, from beta = 1. Superstep k adds the walks of k + 1 arcs;
`beta` and the scale are factors of the result.

Source: Katz, A New Status Index Derived from Sociometric Analysis (1953).

Differences: a run ends not where little changes, but where little is missing. The walks that are
missing continue those that the last superstep added, just as all walks continue the one without
arcs, which counts 1 at every vertex. So where those added count at most `tolerance` at every
vertex, those missing are at most that share of all; where `own` differs, of what there would be if
all had the largest. An alpha that is too large, and a tolerance that rounding keeps out of reach,
are refused with values that will do.
"""

from collections.abc import Mapping

import numpy as np
from scipy.sparse import csr_array

from gascl import ProgramError, VertexProgram, aggregate, edge, param, vertex
from gascl.programs.validation import largest_weight, refuse_vertices
from gascl.user_messages import DOUBLE

#: Walks that add up to more have no finite number: alpha is too large.
DIVERGED = 1e30


class Walks(VertexProgram):
    """The number of walks that end at each vertex, one of k arcs counted alpha^k times, and `own`
    times of the vertex where it begins."""

    alpha = param.real()
    tolerance = param.real()
    largest = param.real(1, doc="the largest `own`")
    own = vertex.real(init=1, rest=0)
    centrality = vertex.real(init="v.own")  # the walk without arcs
    change = aggregate.real("sum", doc="what this superstep's walks add")
    most = aggregate.real("max", doc="the most that they add to a vertex")

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.centrality);"
    apply = """
        const real before = v.centrality;
        v.centrality = p.alpha * msg + v.own;
        aggregate_change(v.centrality - before);
        aggregate_most(v.centrality - before);
    """
    stop = f"agg.most <= p.tolerance * p.largest || !(agg.change < {DIVERGED} * p.largest)"


class WeightedWalks(Walks):
    """The same, where a walk counts by the product of its weights, too."""

    unit = param.real(1, doc="the largest weight, so that sums of large ones can be held")
    weight = edge.real(default=1, low=0, finite=True)
    scatter = "send(v.centrality * (e.weight / p.unit));"


class Katz(VertexProgram):
    """Katz centrality, in `centrality`, scaled so that its squares sum to 1.

    Args:
        alpha: the factor of each arc of a walk; refused if the sum over walks grows forever.
        beta: each vertex's own share.
        own: a multiple of beta for each vertex, {label: number} or (V,); by default 1.
        tolerance: no vertex lacks more than this share; refused where rounding takes more.
        normalized: False returns the numbers of the formula, not scaled.

    Arcs count from source to target, undirected edges both ways, parallel ones each, loops once.
    """

    alpha = param.real(0.1, low=0)
    beta = param.real(1, low=0)
    tolerance = param.tolerance(1e-6)
    normalized = param.flag(True)
    centrality = vertex.real()
    own = vertex.real()

    def prepare(self, graph, initial):
        if "own" in initial:
            refuse_vertices(self.title() + ": ", graph, "own", initial["own"])

    def solve(self, stages):
        walks = self.walks(stages.graph)
        result = stages.run(walks, fresh=True)
        found = result.centrality.astype(np.float64)
        added = np.array([step.aggregates["change"] for step in stages.trace])
        if not added[-1] < DIVERGED * (walks.largest or 1):
            self.refuse_alpha(stages.graph)
        self.refuse_tolerance(result.own.sum(dtype=np.float64), added)
        scale = self.beta
        if self.normalized:
            scale = (self.beta > 0) / (np.linalg.norm(found) or 1)
        return {"centrality": found * scale}

    def weights(self, graph):
        """(E,) what each edge counts; None: 1."""
        return None

    def walks(self, graph):
        """The stage that counts the walks."""
        return Walks(alpha=min(self.alpha, DIVERGED), **self.options())

    def options(self):
        """What all stages need."""
        own = self.initial.get("own", 1)
        largest = float(np.max(list(own.values()) if isinstance(own, Mapping) else own, initial=0))
        common = {"tolerance": self.tolerance, "largest": largest, "dtype": self.dtype}
        return common | self.initial

    def refuse_alpha(self, graph):
        """Raises ProgramError, which says what would do."""
        most = eigenvalue_bound(graph, self.weights(graph))
        raise ProgramError(
            self.title(),
            f": alpha={self.alpha} is too large: no eigenvalue is more than "
            f"{most:.6g}; {0.999 / most:.4g} will do",
        )

    def refuse_tolerance(self, count, added):
        """Raises ProgramError where rounding takes more than the tolerance.

        Every arc of a walk is rounded by up to eps / 2, and so is the beginning: the longer the
        walks are on average, the more is lost.

        Args:
            added: what the walks of 1, 2, ... arcs add up to; those of none are `count`.
        """
        arcs = np.arange(1, len(added) + 1) @ added / ((count + added.sum()) or 1)  # of a walk
        lost = np.finfo(self.dtype).eps / 2 * (1 + arcs)
        if lost > self.tolerance:
            raise ProgramError(
                self.title(),
                f": tolerance={self.tolerance} is out of reach: {self.dtype} "
                f"rounds walks of about {arcs:.0f} arcs; give {2 * lost:.0e}, a smaller alpha, or ",
                DOUBLE,
            )


class WeightedKatz(Katz):
    """Katz centrality where an arc counts by the edge field `weight`, 0 or more."""

    weight = edge.real(default=1, low=0, finite=True)

    def weights(self, graph):
        """(E,) what each edge counts; None: 1."""
        return graph.edge_fields.get("weight")

    def walks(self, graph):
        """The stage that counts the walks."""
        unit = largest_weight(graph)
        alpha = min(self.alpha * unit, DIVERGED)
        return WeightedWalks(alpha=alpha, unit=unit, **self.options())


#: Steps of power iteration, which end when the bounds are this close.
STEPS, CLOSE = 200, 1e-4


def eigenvalue_bound(graph, weights=None):
    """A bound of all eigenvalues of the adjacency matrix, usually little more than the largest.

    Collatz and Wielandt: for a matrix M without negative entries and any vector x above 0, no
    eigenvalue is more than the largest (M x) / x. Power iteration brings that down to the largest
    eigenvalue, with M plus a multiple of the unit matrix, since x would swing where the graph is
    periodic.

    With t a little less than 1 / the bound, (t M)^k, summed over k, stays below 1e25: x is never
    less than 1e-25 of its largest entry, times the number of vertices.

    Args:
        weights: (E,), 0 or more; None: 1 each.
    """
    n, src, dst = graph.num_vertices, graph.edge_src, graph.edge_dst
    values = np.ones(len(src)) if weights is None else weights.astype(np.float64)
    unit = values.max(initial=0) or 1.0  # sums of large weights might overflow
    matrix = csr_array((values / unit, (dst, src)), (n, n))
    if not graph.directed:
        other = src != dst
        matrix = matrix + csr_array(((values / unit)[other], (src[other], dst[other])), (n, n))
    x, best = np.ones(n), np.inf
    for _ in range(STEPS):
        more = matrix @ x
        ratio = more / x
        best = min(best, float(ratio.max(initial=0)))
        if best == 0 or best - ratio.min(initial=best) <= CLOSE * best:
            break
        x = more + best / 2 * x
        x = np.maximum(x / x.max(), 1e-25 * n)
    return best * unit
