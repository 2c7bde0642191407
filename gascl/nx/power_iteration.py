"""Power iterations with the starts and the stop rules of NetworkX."""

from gascl import VertexProgram, aggregate, edge, param, vertex
from gascl.programs.hits import HubsAndAuthorities


class Affine(VertexProgram):
    """x = alpha * A^T x + own, until x changes by less than `bound` (L1): Katz centrality.

    It differs from `Katz` in the start and in the stop rule, which are NetworkX's.
    """

    alpha = param.real()
    bound = param.real()
    own = vertex.real()
    x = vertex.real()
    change = aggregate.real("sum")

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    apply = """
        const real next = p.alpha * msg + v.own;
        aggregate_change(fabs(next - v.x));
        v.x = next;
    """
    stop = "agg.change < p.bound"


class WeightedAffine(Affine):
    """The same, where an arc counts by its weight."""

    weight = edge.real(default=1)
    scatter = "send(v.x * e.weight);"


class Normed(VertexProgram):
    """x = (A^T + I) x, divided by its length, until x changes by less than `bound` (L1):
    eigenvector centrality.

    `next` is x of the coming superstep, whose length is known only then. It differs from
    `Eigenvector` in the start and in the stop rule, which are NetworkX's.
    """

    bound = param.real()
    x = vertex.real()
    next = vertex.real(init="v.x")
    squares = aggregate.real("sum", doc="the square of the length of `next`")
    change = aggregate.real("sum")

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.next);"
    apply = """
        real length = superstep == 0 ? 1 : sqrt((real)prev.squares);
        if (length == 0)
            length = 1;
        const real x = v.next / length;
        aggregate_change(fabs(x - v.x));
        v.x = x;
        v.next = (msg + v.next) / length;
        aggregate_squares(v.next * v.next);
    """
    stop = "superstep > 0 && agg.change < p.bound"


class WeightedNormed(Normed):
    """The same, where an arc counts by its weight."""

    weight = edge.real(default=1)
    scatter = "send(v.next * e.weight);"


class ScaledHubs(VertexProgram):
    """Hubs and authorities by the iteration of NetworkX 3.7, until hubs, of which the largest is 1,
    change by less than `bound` (L1).

    `next` is the hub value of the coming iteration, whose largest is known only then. Iteration i
    is computed in supersteps 2i - 2 and 2i - 1, and scaled and compared in superstep 2i.
    """

    bound = param.real()
    hub = vertex.real(init="(real)1 / g.num_vertices")
    next = vertex.real(init="v.hub")
    authority = vertex.real(doc="from which `hub` was computed")
    latest = vertex.real(doc="authority by `hub`")
    most = aggregate.real("max", doc="of `next`")
    change = aggregate.real("sum")

    message, combine = "real", "sum"
    edges = "alternate"
    scatter_on = apply_on = "all"
    functions = "#define HUBS (superstep % 2)"
    scatter = "send(HUBS ? v.latest : v.next);"
    apply = """
        if (HUBS) {
            v.next = msg;
            aggregate_most(msg);
        } else {
            const real scale = superstep == 0 ? 1 : (real)prev.most;
            const real x = v.next / scale;
            aggregate_change(fabs(x - v.hub));
            v.hub = x;
            v.authority = v.latest;
            v.latest = msg / scale;
        }
    """
    stop = "superstep > 0 && !HUBS && agg.change < p.bound"


class WeightedScaledHubs(ScaledHubs):
    """The same, where an arc counts by its weight."""

    weight = edge.real(default=1, low=0, finite=True)
    scatter = "send((HUBS ? v.latest : v.next) * e.weight);"


class WeightedHubs(HubsAndAuthorities):
    """Hubs and authorities where an arc counts by its weight."""

    weight = edge.real(default=1, low=0, finite=True)
    scatter = "send((HUBS ? v.authority : v.hub) * e.weight);"
