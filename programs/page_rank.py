"""PageRank: the probability of finding a surfer, who follows a random arc or starts over, at a
vertex.

    rank(v) = damping * (sum over arcs u -> v of rank(u) / out_degree(u) + dangling * landing(v))
              + (1 - damping) * start(v)

where `dangling` is the rank of the vertices without out-arcs, start(v) is 1/V or follows the
personalization, and landing(v) is start(v) unless it is given.

Algorithm: the formula, again and again, until ranks hardly change. As GasCL writes it (section
VI-A): scatter a vertex's rank / out-degree, gather the sum. Kim's node-centric and edge-centric
methods are the deliveries `pull` and `edges`, Reddy's contributions are `outbox`.

Sources: Page, Brin, Motwani and Winograd, The PageRank Citation Ranking (1999); Che, GasCL (2014);
Kim, Towards Exploiting GPUs for Fast PageRank Computation of Large-Scale Networks; Reddy, GPU
Programming.

Differences: (1 - damping) / V stands in the place of GasCL's 0.15, so that ranks sum to 1 (Kim,
formula 1); scale="vertices" is GasCL's own. The rank of dangling vertices is spread, as in
NetworkX; dangling="ignore" drops it, as Kim's and GasCL's formulas do, and ranks then sum to less.
"""

import numpy as np

from gascl import Graph, ProgramError, VertexProgram, aggregate, param, vertex
from gascl.programs.validation import shares


class PageRank(VertexProgram):
    """PageRank of every vertex, in `rank`.

    Args:
        damping: the probability of following an arc.
        tolerance: stop when ranks change by less in all (L1; over all lanes), of a sum of 1; where
            rounding keeps the change above it, the run ends, too, unconverged.
        supersteps: run this many, without regard to the tolerance.
        dangling: how to treat the rank of vertices without out-arcs: "spread" it like the
            personalization, "ignore" it, or let it "land" by `landing`.
        scale: what ranks sum to, "one" or "vertices": V, 1 a vertex on average.
        personalization: where a surfer starts over: weights, {label: weight} or (V,), which are
            scaled to sum to 1. By default all are equal.
        landing: where it lands: weights likewise. NetworkX calls them `dangling`.
        rank: the initial ranks: weights likewise. By default all are equal.

    After edges were added or removed, a run can continue from the earlier ranks.
    """

    damping = param.real(0.85, low=0, high=1)
    tolerance = param.tolerance(1e-6, rate="damping")
    supersteps = param.supersteps()
    dangling = param.choice("spread", "ignore", "land")
    scale = param.choice("one", "vertices")
    personalization = vertex.real(init="(real)1 / g.num_vertices", rest=0)
    landing = vertex.real(init="v.personalization", rest=0)
    rank = vertex.real(init="p.scale == scale_one ? (real)1 / g.num_vertices : 1", rest=0)
    change = aggregate.real("sum")
    lost = aggregate.real("sum", doc="rank of the dangling vertices")

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    restart = "any"
    functions = "#define DANGLING (!v.out_degree)"
    init = "if (DANGLING) aggregate_lost(v.rank);"
    scatter = "send(v.rank / v.out_degree);"
    apply = """
        const real whole = p.scale == scale_one ? 1 : g.num_vertices;
        const real lost = p.dangling == dangling_ignore ? 0 : (real)prev.lost;
        const real started = (1 - p.damping) * whole * v.personalization;
        const real landed = lost * (p.dangling == dangling_land ? v.landing : v.personalization);
        const real rank = p.damping * (msg + landed) + started;
        aggregate_change(fabs(rank - v.rank) / whole);
        if (DANGLING)
            aggregate_lost(rank);
        v.rank = rank;
    """
    stop = "agg.change < p.tolerance"

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        if self.lanes > 1 and self.dangling != "ignore":
            strength = initial.get("strength", graph.out_degree)
            if not strength.all():
                why = "lanes can't tell apart the rank that is lost at vertices without out-arcs"
                remedy = "run one by one, or with dangling='ignore'"
                raise ProgramError(self.title(), f": {why}; {remedy}")
        if ("landing" in initial) != (self.dangling == "land"):
            why = "landing=... and dangling='land' need each other: give both, or neither"
            raise ProgramError(self.title(), f": {why}")
        for name in {"personalization", "landing", "rank"} & set(initial):
            initial[name][:] = shares(self.title() + ": ", graph, name, initial[name])
            if name == "rank" and self.scale == "vertices":
                initial[name] *= graph.num_vertices
