"""Communities that move: vertices are particles, and at rest those of a community lie together.

Neighbours attract each other and all others repel (particles.py has the formula and the papers).
When they come to rest, vertices that many edges join have gathered. Positions are kept while edges
come and go: communities of a changing graph move, split and merge, and gascl.communities.track
follows them.

Departure: clusters are cut out of the graph where its edges are long, at the length that gives the
greatest modularity, instead of by k-means, which has to know how many there are.
"""

import numpy as np

from gascl import VertexProgram, param, vertex
from gascl.programs.clusters import by_length, push, simple
from gascl.programs.particles import Particles


class ParticleCommunities(VertexProgram):
    """The number of each vertex's community in `community` (int32), its `position` (real, (V, 3)).

    Args:
        alpha, beta: strength of attraction and of repulsion. Groups in which a pair is adjacent
            with a chance of beta / (alpha + beta) or more hold together: more repulsion finds
            smaller ones. 0.1 is what the help of the papers' own program names.
        gamma: decay of the repulsion; 1 / gamma is the unit of length.
        softening, step: see `Particles`; a step is at most softening / alpha.
        tolerance: rest is when no vertex is faster; alpha is what a single neighbour pulls with.
        supersteps: move this often instead of asking the tolerance.
        seed: of the first positions, if no `position=` is given: uniform in a cube.

    Communities are numbered from 0, in the order of their first vertices. Direction, self-loops and
    parallel edges make no difference, nor do weights. A vertex without edges is a community of its
    own. After edges were added or removed, a run may go on from the positions before: where edges
    changed, a push of up to `softening` lets what had merged come apart. One that did not come to
    rest has positions, but no communities.
    """

    alpha, beta, gamma = Particles.alpha, Particles.beta, Particles.gamma
    softening, step = Particles.softening, Particles.step
    tolerance, supersteps = Particles.tolerance, Particles.supersteps
    seed = param.int32(0, low=0)
    position = vertex.real3()
    community = vertex.int32()

    def solve(self, turns):
        graph, values = (
            simple(turns.graph),
            {name: getattr(self, name) for name in Particles.spec.params},
        )
        if turns.state is None or "position" not in turns.state.names():
            # At rest, particles fill about such a cube; NumPy's RandomState is frozen.
            drawn = np.random.RandomState(self.seed).uniform(-1, 1, (graph.num_vertices, 3))
            values["position"] = drawn * graph.num_vertices**0.25 / 2
        elif turns.state.graph.num_vertices == graph.num_vertices:
            apart = push(simple(turns.state.graph), graph, self.seed)
            if apart.any():
                values["position"] = turns.state.field("position") + self.softening * apart
        values |= {"dtype": self.dtype, **self.initial}
        at = turns.run(Particles(**values), graph=graph).position
        length = np.linalg.norm(at[graph.edge_src] - at[graph.edge_dst], axis=1)
        return {"community": by_length(graph, length)}
