"""Communities that move: vertices are particles, and those of a community come to lie together.

Neighbors attract each other and all others repel:

    dx_i/dt = alpha / k_i * sum over neighbors j of -d / |d|
            + beta / k_i * sum over all others j of d / |d| * exp(-gamma * |d|),   d = x_i - x_j

with k_i neighbors of i. When the particles are at rest, vertices that many edges join have
gathered. Positions are kept while edges come and go: communities of a changing graph move, split
and merge, and gascl.communities.track follows them.

Algorithm: gradient descent with momentum, which a particle loses when the force turns against it,
until few forces are greater than a tolerance. The sum over all others is the one over every pair
minus that over the arcs, so that no matrix of distances is kept. At first, neighbors lie near each
other: random places are averaged over neighbors. Communities are in the end those of the graph
whose edges weigh the less the longer they are, at the scale at which the map equation is least: see
particle_clusters.py.

Sources: Quiles, Macau and Rubido, Dynamical Detection of Network Communities (2016); Resende,
Fazenda and Quiles, Parallel Algorithm for Dynamic Community Detection (2017); Nesterov, A Method of
Solving a Convex Programming Problem with Convergence Rate O(1/k^2) (1983), whose momentum it is;
O'Donoghue and Candes, Adaptive Restart for Accelerated Gradient Schemes (2015), when it is lost.

Differences: |d| is sqrt(d.d + softening^2), as in simulations of stars, because neighbors that
meet would swing around each other forever; no particle moves farther than 1 / gamma, the reach of
the repulsion, in a superstep, because where many are crowded a whole step would scatter them; and
the papers' particles have no momentum: those here come to rest where forces cancel, too, but in a
fifth of the supersteps. The papers find clusters by k-means, which has to know how many there are.
Here, an edge pulls by its weight, as a multiple of the mean, and k_i is the sum of these.
"""

from typing import Any

import numpy as np

from gascl import Graph, ProgramError, VertexProgram, aggregate, edge, param, vertex
from gascl.programs.particle_clusters import (
    best_scale,
    ends_of_changes,
    near_weights,
    push,
    spread,
    strengths,
    weighted,
)
from gascl.programs.particle_scales import RESOLUTIONS, Scales


class Averages(VertexProgram):
    """Averages `number` over neighbors, so often that it is similar within a community."""

    supersteps = param.supersteps(20)
    weight = edge.real(default=1)
    strength = vertex.real(init="v.out_degree", doc="the sum of the weights of its edges")
    number = vertex.real3()

    message, combine = "real3", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(e.weight * v.number);"
    apply = """
        if (v.strength > 0)
            v.number = (v.number + msg / v.strength) / 2;
    """


class Particles(VertexProgram):
    """Moves the `position` of vertices until they are at rest: of those on which a force has been
    `tolerance` or more, a hundredth still feel one at most. The last few take as long as all the
    others, and change no community.

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
    weight = edge.real(default=1)
    strength = vertex.real(init="v.out_degree", doc="the sum of the weights of its edges")
    position = vertex.real3()
    velocity = vertex.real3()
    steady = vertex.real(doc="for how many supersteps the force has not turned against velocity")
    moved = vertex.int32(doc="whether the force has been `tolerance` or more")
    known = vertex.int32(len(RESOLUTIONS), doc="its communities, for a run that continues; or 0")
    moving, ever = aggregate.int64("sum"), aggregate.int64("sum")

    message, combine = "real3", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        const real3 d = position_of(e.dst) - v.position;
        const real far = sqrt(dot(d, d) + p.softening * p.softening);
        send(-(p.alpha * e.weight + p.beta * exp(-p.gamma * far)) / far * d);
    """
    pairs = """
        const real x = v.position.x - u.position.x, y = v.position.y - u.position.y;
        const real z = v.position.z - u.position.z;
        const real far = sqrt(x * x + y * y + z * z + p.softening * p.softening);
        const real force = p.beta * exp(-p.gamma * far) / far;
        send((real3)(force * x, force * y, force * z));
    """
    apply = """
        if (v.strength > 0) {
            const real3 force = msg / v.strength;
            v.steady = dot(force, v.velocity) > 0 ? v.steady + 1 : 0;
            v.velocity = force + min(v.steady / (v.steady + 3), (real)0.9) * v.velocity;
            v.velocity /= max(p.step * p.gamma * length(v.velocity), (real)1);
            v.position += p.step * v.velocity;
            const int moves = !(length(force) < p.tolerance);
            v.moved |= moves;
            aggregate_moving(moves);
            aggregate_ever(v.moved);
        }
    """
    stop = "100 * agg.moving <= agg.ever"

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        if "position" in initial and not np.all(np.abs(initial["position"]) < 1e6):
            raise ProgramError("position: coordinates are numbers between -1e6 and 1e6")
        if self.supersteps is None and self.step * self.alpha > self.softening:
            raise ProgramError(
                f"step={self.step} is more than softening / alpha, {self.softening / self.alpha}: "
                "neighbors would swing around each other forever; give a smaller step, more "
                "softening, or a number of supersteps"
            )


class NearAndFar(Particles):
    """The same, where groups of vertices repel those that are far away as one.

    A vertex repels another with beta * exp(-gamma * |d|) * d / |d|, whose second derivative in any
    direction is at most

        beta * exp(-gamma * m) * max(gamma^2, sqrt(2) * (gamma / m + 1 / m^2))

    if m is less than |d|. Half of its product with the square of a group's radius, which is how far
    a member is from the mean, is what the group is wrong by for each member: at most
    `beta * error`. So the force on a vertex, before it is divided by the degree, is wrong by at
    most V * beta * error.
    """

    error = param.real(0.1, low=1e-6)
    pairs_at = "position"
    pairs_merge = """
        #define LEAST max(distance - radius, p.softening)
        #define DECAY (p.gamma * LEAST)
        #define BEND max(DECAY * DECAY, (real)1.4142136 * (DECAY + 1))
        radius * radius * exp(-DECAY) * BEND <= 2 * p.error * LEAST * LEAST
    """


class ParticleCommunities(VertexProgram):
    """The number of each vertex's community in `community` (int32), its `position` (real, (V, 3)).

    Args:
        alpha, beta: strength of attraction and of repulsion. Groups in which a pair is adjacent
            with a probability of beta / (alpha + beta) or more hold together: more repulsion finds
            smaller ones. 0.1 is what the help of the papers' own program names.
        gamma: decay of the repulsion; 1 / gamma is the unit of length.
        softening, step: see `Particles`; a step is at most softening / alpha.
        error: how far the repulsion by a vertex may be off, as a part of beta, where groups that
            are far away repel as one; see `NearAndFar`. 0: all pairs, each by itself. In graphs of
            more than a thousand vertices, 0.1 takes less time.
        tolerance: at rest, the force on a vertex, divided by k_i, is less; all neighbors together
            pull with alpha at most. The run ends when all but a hundredth of the vertices that were
            not at rest are.
        supersteps: move this often instead of asking the tolerance.
        seed: of the first positions, if no `position=` is given.

    Communities are numbered from 0, in the order of their first vertices. `levels` has those at
    each of the resolutions 0.5, 1, 2, 4 and 8, from coarse to fine: `community` is one of them.
    Edges count by the edge field `weight`, 0 or more, as multiples of the mean. Direction and
    self-loops make no difference, nor do parallel edges, but that their weights add up. A vertex
    without edges is a community of its own. After edges were added or removed, a run can continue
    from the earlier positions and communities: where edges changed, a push of up to `softening`
    lets merged particles separate, and there and where particles moved, vertices look for better
    communities first. A run that did not come to rest has positions, but no communities.
    """

    alpha, beta, gamma = Particles.alpha, Particles.beta, Particles.gamma
    softening, step = Particles.softening, Particles.step
    tolerance, supersteps = Particles.tolerance, Particles.supersteps
    error = param.real(0, low=0)
    seed = param.int32(0, low=0)
    weight = edge.real(default=1, low=0, finite=True)
    position = vertex.real3()
    community = vertex.int32()
    levels = vertex.int32(len(RESOLUTIONS))

    def solve(self, stages):
        graph = stages.derived(weighted)
        values = {name: getattr(self, name) for name in Particles.spec.params}
        common: dict[str, Any] = {"dtype": self.dtype}
        if "weight" in graph.edge_fields:
            common["strength"] = strengths(graph)

        def averages(number, **given):
            program = Averages(number=number, **common | given)
            return stages.beside().run(program, graph=graph).number

        ends = known = None
        if not stages.has_state or "position" not in stages.state.names():
            # NumPy's RandomState is frozen: the same numbers on every machine.
            drawn = np.random.RandomState(self.seed).uniform(-1, 1, (graph.num_vertices, 3))
            values["position"] = spread(averages(drawn))
        elif (before := stages.state).graph.num_vertices == graph.num_vertices:
            ends = ends_of_changes(before.graph.simple(undirected=True), graph)
            if ends.any():
                apart = push(ends, graph, self.seed, averages)
                values["position"] = before.field("position") + self.softening * apart
            if "known" in before.names():
                known = before.field("known")
        values |= {**common, **self.initial}
        program = NearAndFar(error=self.error, **values) if self.error else Particles(**values)
        # The graph of an earlier run may have had other edges.
        rest = stages.run(program, graph=graph, fresh=["strength", "moved", "known"])
        begin = {}
        if known is not None and known.any():
            begin = {"community": known, "looks": rest.moved | ends, "iterations": 1}
        near = near_weights(graph, rest.position, self.gamma)
        scales = Scales(seed=self.seed, **begin)
        # Its deliveries are others than those of particles.
        levels = stages.beside().run(scales, graph=near, delivery="auto").community
        if stages.keeps_state:
            stages.run(type(program)(supersteps=0, known=levels, dtype=self.dtype), graph=graph)
        return {"community": best_scale(graph, list(levels.T)), "levels": levels}
