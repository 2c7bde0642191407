"""Communities that move: vertices are particles, and those of a community come to lie together.

Neighbors attract each other and all others repel:

    dx_i/dt = alpha / k_i * sum over neighbors j of -d / |d|
            + beta / k_i * sum over all others j of d / |d| * exp(-gamma * |d|),   d = x_i - x_j

with k_i neighbors of i. When the particles are at rest, vertices that many edges join have
gathered. Positions are kept while edges come and go: communities of a changing graph move, split
and merge, and gascl.communities.track follows them.

Algorithm: Euler steps until no particle is faster than a tolerance. The sum over all others is the
one over every pair minus that over the arcs, so that no matrix of distances is kept. Communities
are then those of the graph whose edges weigh the less the longer they are, at the scale at which
the map equation is least: see particle_clusters.py.

Sources: Quiles, Macau and Rubido, Dynamical Detection of Network Communities (2016); Resende,
Fazenda and Quiles, Parallel Algorithm for Dynamic Community Detection (2017).

Differences: |d| is sqrt(d.d + softening^2), as in simulations of stars, because neighbors that
meet would swing around each other for ever; and no particle moves farther than 1 / gamma, the reach
of the repulsion, in a superstep, because where many are crowded a whole step would scatter them.
The papers find clusters by k-means, which has to know how many there are.
"""

import numpy as np

from gascl import Graph, ProgramError, VertexProgram, aggregate, param, vertex
from gascl.programs.leiden import Leiden
from gascl.programs.particle_clusters import RESOLUTIONS, best_scale, nearness, push


class Particles(VertexProgram):
    """Moves the `position` of vertices until none is faster than `tolerance`.

    The graph is undirected, without self-loops and parallel edges. Vertices without edges, for
    which 1 / k_i is undefined, stay where they are and repel the others.
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
                "neighbors would swing around each other for ever; give a smaller step, more "
                "softening, or a number of supersteps"
            )


class ParticleCommunities(VertexProgram):
    """The number of each vertex's community in `community` (int32), its `position` (real, (V, 3)).

    Args:
        alpha, beta: strength of attraction and of repulsion. Groups in which a pair is adjacent
            with a probability of beta / (alpha + beta) or more hold together: more repulsion finds
            smaller ones. 0.1 is what the help of the papers' own program names.
        gamma: decay of the repulsion; 1 / gamma is the unit of length.
        softening, step: see `Particles`; a step is at most softening / alpha.
        tolerance: rest is when no vertex is faster; alpha is what a single neighbor pulls with.
        supersteps: move this often instead of asking the tolerance.
        seed: of the first positions, if no `position=` is given: uniform in a cube.

    Communities are numbered from 0, in the order of their first vertices. Direction, self-loops and
    parallel edges make no difference, nor do weights. A vertex without edges is a community of its
    own. After edges were added or removed, a run can continue from the earlier positions: where
    edges changed, a push of up to `softening` lets merged particles separate. A run that did not
    come to rest has positions, but no communities.
    """

    alpha, beta, gamma = Particles.alpha, Particles.beta, Particles.gamma
    softening, step = Particles.softening, Particles.step
    tolerance, supersteps = Particles.tolerance, Particles.supersteps
    seed = param.int32(0, low=0)
    position = vertex.real3()
    community = vertex.int32()

    def solve(self, stages):
        graph = stages.graph.simple(undirected=True)
        values = {name: getattr(self, name) for name in Particles.spec.params}
        if not stages.has_state or "position" not in stages.state.names():
            # At rest, particles fill about such a cube; NumPy's RandomState is frozen.
            drawn = np.random.RandomState(self.seed).uniform(-1, 1, (graph.num_vertices, 3))
            values["position"] = drawn * graph.num_vertices**0.25 / 2
        elif (before := stages.state).graph.num_vertices == graph.num_vertices:
            apart = push(before.graph.simple(undirected=True), graph, self.seed)
            if apart.any():
                values["position"] = before.field("position") + self.softening * apart
        values |= {"dtype": self.dtype, **self.initial}
        at = stages.run(Particles(**values), graph=graph).position
        near = graph.with_edge_fields(weight=nearness(graph, at, self.gamma))
        found = []
        for resolution in RESOLUTIONS:
            leiden = Leiden(resolution=resolution, seed=self.seed)
            # Its deliveries are others than those of particles.
            found.append(stages.beside().run(leiden, graph=near, delivery="auto").community)
        return {"community": best_scale(graph, found)}
