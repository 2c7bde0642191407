"""HITS: good hubs point to good authorities, which good hubs point to.

    authority(v) = sum over arcs u -> v of hub(u)
    hub(v) = sum over arcs v -> w of authority(w)

up to a factor each: the first singular vectors of the adjacency matrix.

Algorithm: power iteration. In even supersteps every vertex sends its hub value along its arcs, and
the sum that a vertex receives is its authority; in odd ones it sends its authority back against the
arcs, and the sum is its hub value. What is received is divided by the sum of what all have sent.

Source: Kleinberg, Authoritative Sources in a Hyperlinked Environment (1999).

Differences: hubs are computed from the new authorities, not both from the old values; and as in
NetworkX the values sum to 1, where Kleinberg's squares do.
"""

import numpy as np

from gascl import VertexProgram, aggregate, param, vertex


class HubsAndAuthorities(VertexProgram):
    """Authorities in even supersteps, hubs in odd ones."""

    tolerance = param.real()
    hub = vertex.real(init="(real)1 / g.num_vertices")
    authority = vertex.real()
    total = aggregate.real("sum", doc="of what this superstep computes")
    change = aggregate.real("sum")

    message, combine = "real", "sum"
    edges = "alternate"
    scatter_on = apply_on = "all"
    functions = "#define HUBS (superstep % 2)"
    init = "aggregate_total(v.hub);"
    scatter = "send(HUBS ? v.authority : v.hub);"
    apply = """
        const real next = prev.total > 0 ? msg / (real)prev.total : 0;  // 0: there are no arcs
        aggregate_total(next);
        aggregate_change(fabs(next - (HUBS ? v.hub : v.authority)));
        if (HUBS)
            v.hub = next;
        else
            v.authority = next;
    """
    stop = "superstep > 0 && agg.change <= p.tolerance * agg.total"


class Hits(VertexProgram):
    """How good a vertex is as a hub, in `hub`, and as an authority, in `authority`.

    Each is 0 or more and sums to 1; without any edges, both are 0 everywhere.

    Args:
        tolerance: stop when one of them changes by less in all (L1), of a sum of 1.

    In an undirected graph the two are the same. Parallel edges count each, a self-loop once. Of
    several components, only those with the largest singular value are above 0.
    """

    tolerance = param.tolerance(1e-6)
    hub = vertex.real()
    authority = vertex.real()

    def solve(self, stages):
        program = HubsAndAuthorities(tolerance=self.tolerance, dtype=self.dtype)
        # From the beginning also where a State is given: what was almost 0 in another graph would
        # take long to grow.
        found = stages.run(program, fresh=True)
        both = {"hub": found.hub, "authority": found.authority}
        return {name: x / (x.sum(dtype=np.float64) or 1) for name, x in both.items()}
