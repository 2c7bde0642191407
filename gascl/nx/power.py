"""Power iterations with the starts and the stop rules of NetworkX."""

from gascl import VertexProgram, aggregate, edge, param, vertex
from gascl.programs.hits import HubsAndAuthorities


class Affine(VertexProgram):
    """x = alpha * A^T x + own, until x changes by less than `bound` (L1): Katz centrality.

    Differences from `Katz`: the start, and a stop rule that a run of NetworkX's would have.
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

    `next` is x of the coming superstep, whose length is known only then. Differences from
    `Eigenvector`: the start, and a stop rule that a run of NetworkX's would have.
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


class Hubs(VertexProgram):
    """a = A^T h and h = A a, divided by its largest value, until h changes by less than `bound`
    (L1): hubs and authorities.

    `next` is A a, whose largest value is known only in the coming superstep, which has computed
    the coming `sums` A^T h by then. Differences from `HubsAndAuthorities`: what is divided by, and
    a stop rule that a run of NetworkX's would have.
    """

    bound = param.real()
    hub = vertex.real(init="(real)1 / g.num_vertices")
    next = vertex.real(init="v.hub")
    sums = vertex.real()
    authority = vertex.real()
    largest = aggregate.real("max")
    change = aggregate.real("sum")

    message, combine = "real", "sum"
    edges = "alternate"
    scatter_on = apply_on = "all"
    functions = "#define BACK (superstep % 2)"
    scatter = "send(BACK ? v.sums : v.next);"
    apply = """
        if (BACK) {
            v.next = msg;
            aggregate_largest(msg);
        } else {
            const real largest = superstep == 0 ? 1 : (real)prev.largest;
            const real hub = v.next / largest;
            aggregate_change(fabs(hub - v.hub));
            v.hub = hub;
            v.authority = v.sums;
            v.sums = msg / largest;
        }
    """
    stop = "superstep > 0 && superstep % 2 == 0 && agg.change < p.bound"


class WeightedHubs(Hubs):
    """The same, where an arc counts by its weight."""

    weight = edge.real(default=1, low=0, finite=True)
    scatter = "send((BACK ? v.sums : v.next) * e.weight);"


class WeightedHubsAndAuthorities(HubsAndAuthorities):
    """Hubs and authorities where an arc counts by its weight."""

    weight = edge.real(default=1, low=0, finite=True)
    scatter = "send((HUBS ? v.authority : v.hub) * e.weight);"
