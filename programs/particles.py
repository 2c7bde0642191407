"""Particles that neighbours attract and all others repel; ParticleCommunities is made of them.

    dx_i/dt = alpha / k_i * sum over neighbours j of -d / |d|
            + beta / k_i * sum over all others j of d / |d| * exp(-gamma * |d|),   d = x_i - x_j

Quiles, Macau and Rubido, Dynamical detection of network communities (2016); Resende, Fazenda and
Quiles, Parallel Algorithm for Dynamic Community Detection (2017). The sum over all others is the
one over every pair less that over the arcs, so that no matrix of distances is kept, as theirs is.

Departures: |d| is sqrt(d.d + softening^2), as in simulations of stars, for neighbours that meet
would swing around each other for ever; and nobody moves farther than 1 / gamma, the reach of the
repulsion, in a superstep, for where many are crowded a whole step would scatter them.
"""

import numpy as np

from gascl import Graph, ProgramError, VertexProgram, aggregate, param, vertex


class Particles(VertexProgram):
    """Moves the `position` of vertices until none is faster than `tolerance`.

    The graph is undirected, without self-loops and parallel edges. Vertices without edges, whose
    1 / k_i there is not, stay where they are and repel the others.
    """

    alpha = param.real(1, low=0, doc="strength of attraction")
    beta = param.real(0.1, low=0, doc="of repulsion")
    gamma = param.real(1, low=1e-3, doc="its decay with the distance")
    softening = param.real(0.25, low=1e-6)
    step = param.real(0.2, low=1e-6, doc="time of a superstep")
    tolerance = param.real(0.02, low=1e-4)
    supersteps = param.supersteps()
    position = vertex.real3()
    speed = aggregate.real("max")

    message, combine = "real3", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        const real3 d = position_of(e.dst) - v.position;
        const real far = sqrt(dot(d, d) + p.softening * p.softening);
        send(-(p.alpha + p.beta * exp(-p.gamma * far)) / far * d);
    """
    pairs = """
        const real x = v.position.x - u.position.x, y = v.position.y - u.position.y;
        const real z = v.position.z - u.position.z;
        const real far = sqrt(x * x + y * y + z * z + p.softening * p.softening);
        const real force = p.beta * exp(-p.gamma * far) / far;
        send((real3)(force * x, force * y, force * z));
    """
    apply = """
        if (v.out_degree > 0) {
            const real3 velocity = msg / v.out_degree;
            const real speed = length(velocity), reaches = p.step * p.gamma * speed;
            v.position += p.step / max(reaches, (real)1) * velocity;
            aggregate_speed(speed);
        }
    """
    stop = "agg.speed < p.tolerance"

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        if "position" in initial and not np.all(np.abs(initial["position"]) < 1e6):
            raise ProgramError("position: coordinates are numbers between -1e6 and 1e6")
        if self.supersteps is None and self.step * self.alpha > self.softening:
            raise ProgramError(
                f"step={self.step} is more than softening / alpha, {self.softening / self.alpha}: "
                "neighbours would swing around each other for ever; give a smaller step, more "
                "softening, or a number of supersteps"
            )
