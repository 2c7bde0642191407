"""ForceAtlas2: neighbors attract each other in proportion to their distance, and all repel each
other by their masses, so that the vertices of a community come to lie together.

Between vertices i and j, whose difference is d = x_i - x_j:

    attraction of i by a neighbor j:  -weight * d,       or -weight * log(1 + |d|) * d / |d|
    repulsion of i by any other j:    scaling * m_i * m_j * d / |d|^2
    gravity:                          -gravity * m_i * c / |c|,   or -gravity * m_i * c

with c the difference from the mean of all positions. Two supersteps are an iteration: the first
one computes the forces, and how much all vertices swing, from which the second one finds how far
they may move. No vertex scatters in it, so that pairs are visited once.

Sources: Jacomy, Venturini, Heymann and Bastian, ForceAtlas2, a Continuous Graph Layout Algorithm
for Handy Network Visualization Designed for the Gephi Software (2014). Speed, swing and traction
are those of NetworkX's forceatlas2_layout, which adds up the last two over all iterations, and
takes them from positions instead of former forces. Barnes and Hut, A Hierarchical O(N log N)
Force-calculation Algorithm (1986): groups that are far away repel as one.
"""

from gascl import VertexProgram, aggregate, edge, param, vertex


class ForceAtlas(VertexProgram):
    """Moves `position`. Each vertex is attracted by those that have an arc to it.

    Without a given `size`, vertices are points. Otherwise a pair repels by the distance of its
    circles, and vertices move a tenth as far.
    """

    iterations = param.int32(100, low=0)
    scaling = param.real(2, doc="strength of the repulsion")
    gravity = param.real(1)
    strong = param.flag(False, doc="gravity grows with the distance")
    logarithmic = param.flag(False, doc="attraction grows with the logarithm of the distance")
    divided = param.flag(False, doc="by the mass of the attracted vertex: hubs move outwards")
    sized = param.flag(False, doc="vertices have the radius `size`")
    jitter = param.real(1, doc="how much swinging is accepted")
    weight = edge.real(default=1, finite=True)
    position = vertex.real2()
    mass = vertex.real(init=1)
    size = vertex.real(init=0)
    force = vertex.real2()
    speed, efficiency = vertex.real(init=1), vertex.real(init=1)  # the same at all vertices
    swing, traction = vertex.real(init=1), vertex.real(init=1)
    x, y = aggregate.real("sum"), aggregate.real("sum")
    swung, drawn, moved = aggregate.real("sum"), aggregate.real("sum"), aggregate.real("sum")

    message, combine = "real2", "sum"
    mask, ends = "false", "stop"
    apply_on = "all"
    scatter = """
        const real2 d = v.position - position_of(e.dst);
        const real far = length(d);
        const real pull = p.logarithmic ? (far > 0 ? log(1 + far) / far : (real)0) : (real)1;
        send(d * (e.weight * pull / (p.divided ? mass_of(e.dst) : (real)1)));
    """
    pairs = """
        const real x = v.position.x - u.position.x, y = v.position.y - u.position.y;
        const real square = x * x + y * y;
        const real apart = p.sized ? sqrt(square) - v.size - u.size : (real)0;
        const real by = p.sized ? apart * apart : square;
        const real push = by > 0 ? p.scaling * v.mass * u.mass / by : (real)0;
        send((real2)(x * push, y * push));
    """
    apply = """
        if (superstep % 2) {
            const real2 c = v.position - (real2)(prev.x, prev.y) / g.num_vertices;
            const real far = length(c);
            const real pull = p.strong ? (real)1 : far > 0 ? 1 / far : (real)0;
            v.force = msg - p.gravity * v.mass * pull * c;
            aggregate_swung(v.mass * length(v.position - v.force));
            aggregate_drawn(v.mass * length(v.position + v.force) / 2);
        } else {
            if (superstep > 0) {
                const real n = g.num_vertices;
                v.swing += prev.swung;
                v.traction += prev.drawn;
                const real ratio = v.swing / v.traction, best = sqrt(n) / 20;
                real jitter = p.jitter
                    * max(sqrt(best), min((real)10, best * v.traction / (n * n)));
                if (ratio > 2) {
                    v.efficiency *= v.efficiency > (real)0.05 ? (real)0.5 : (real)1;
                    jitter = max(jitter, p.jitter);
                }
                const real wanted = jitter * v.efficiency / ratio;
                if (ratio > jitter)
                    v.efficiency *= v.efficiency > (real)0.05 ? (real)0.7 : (real)1;
                else if (v.speed < 1000)
                    v.efficiency *= (real)1.3;
                v.speed = min(wanted, v.speed + v.speed / 2);
                const real length_ = length(v.force);
                real part = v.speed / (1 + sqrt(v.speed * v.mass * length_));
                if (p.sized)
                    part = min(part / 10, 10 / length_);
                v.position += part * v.force;
                aggregate_moved(part * (fabs(v.force.x) + fabs(v.force.y)));
            }
            aggregate_x(v.position.x);
            aggregate_y(v.position.y);
            set_mask();
        }
    """
    stop = (
        "superstep % 2 == 0 && (superstep >= 2 * p.iterations || (superstep && agg.moved < 1e-10))"
    )


class NearAndFar(ForceAtlas):
    """The same for drawing: the direction of arcs makes no difference, gravity grows with the
    distance, and a group of vertices repels those that are far away as one."""

    angle = param.real(0.5, low=0, doc="of a group's radius to its distance, at most")
    strong = param.flag(True)
    edges = "both"
    pairs_at = "position"
    pairs_merge = "radius < p.angle * distance"
