"""Hubs and authorities: good hubs point to good authorities, which good hubs point to.

    authority(v) = sum over arcs u -> v of hub(u)
    hub(v) = sum over arcs v -> w of authority(w)

up to a factor each: the first singular vectors of the adjacency matrix. Kleinberg, Authoritative
Sources in a Hyperlinked Environment (1999).

Departures: the two take turns by superstep, each from the other as it is by now, and sums are
scaled to 1, not squares, as NetworkX does it.
"""

import numpy as np

from gascl import VertexProgram, aggregate, param, vertex


class HubsAndAuthorities(VertexProgram):
    """Authorities in even supersteps, hubs in odd ones, each divided by the sum of the other."""

    tolerance = param.real()
    arcs = param.choice("one_way", "both_ways")
    hub = vertex.real(init="(real)1 / g.num_vertices")
    authority = vertex.real()
    total = aggregate.real("sum")
    change = aggregate.real("sum")

    message, combine = "real", "sum"
    edges = "both"
    scatter_on = apply_on = "all"
    init = "aggregate_total(v.hub);"
    scatter = """
        const bool any = p.arcs == arcs_both_ways || e.src == e.dst;  // a self-loop is one arc
        if (any || e.reversed == superstep % 2)
            send(superstep % 2 ? v.authority : v.hub);
    """
    apply = """
        const real sum = prev.total > 0 ? msg / (real)prev.total : 0;  // 0: there are no arcs
        aggregate_total(sum);
        aggregate_change(fabs(sum - (superstep % 2 ? v.hub : v.authority)));
        if (superstep % 2)
            v.hub = sum;
        else
            v.authority = sum;
    """
    stop = "superstep > 0 && agg.change <= p.tolerance * agg.total"


class Hits(VertexProgram):
    """How good a vertex is as a hub, in `hub`, and as an authority, in `authority`.

    Each is 0 or more and sums to 1; without any edges, both are 0 everywhere.

    Args:
        tolerance: stop when one of them changes by less in all (L1), of a sum of 1.

    In an undirected graph the two are the same. Parallel edges count each, a self-loop once. Where
    parts of the graph are not connected, only those with the largest singular value are above 0.
    """

    tolerance = param.tolerance(1e-6)
    hub = vertex.real()
    authority = vertex.real()

    def solve(self, turns):
        arcs = "one_way" if turns.graph.directed else "both_ways"
        program = HubsAndAuthorities(tolerance=self.tolerance, arcs=arcs, dtype=self.dtype)
        # Afresh: what was all but 0 in another graph would take long to be seen to grow.
        found = turns.run(program, fresh=True)
        both = {"hub": found.hub, "authority": found.authority}
        return {name: x / (x.sum(dtype=np.float64) or 1) for name, x in both.items()}
