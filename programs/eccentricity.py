"""Eccentricities: how far away the farthest vertex is that each one reaches; and how many it
reaches, and how far they are in all.

Algorithm: every vertex is a source of a search against the arcs, so that the sources that have
reached v are the vertices that v reaches; the last superstep that brought new ones is the distance
of the farthest. See multi_source_search.py; along weights, one search after the other, see
search_accumulators.py.

Source: Then, Kaufmann, Chirigati et al., The More the Merrier: Efficient Multi-Source Graph
Traversal (2014). Takes and Kosters, Computing the Eccentricity Distribution of Large Graphs (2013),
search from few vertices where eccentricities alone are wanted, of connected graphs.
"""

from gascl import VertexProgram, edge, param, vertex
from gascl.programs.multi_source_search import MultiSourceSearch
from gascl.programs.search_accumulators import sums_from_each


class Farthest(MultiSourceSearch):
    """Against the arcs, and the distance of the farthest source."""

    farthest = vertex.int32()

    edges = "in"
    apply = """
        const ulong fresh = msg & ~v.seen;
        if (fresh) {
            const int count = (int)popcount(fresh);
            v.seen |= fresh;
            v.reached += count;
            v.distances += (superstep + 1L) * count;
            v.farthest = max(v.farthest, superstep + 1);
            set_mask();
        }
    """


class Eccentricity(VertexProgram):
    """The length of the longest of the shortest paths from each vertex to the `targets`, in
    `eccentricity` (int32); how many other targets it reaches, in `reached` (int32), and the sum of
    their distances, in `distances` (int64).

    Targets without a path to them do not count. In a connected graph the greatest eccentricity is
    the diameter, the least the radius.

    Args:
        targets: None: all; a number: that many drawn by `seed`; or a list of labels.

    Paths lead along the arcs, undirected edges both ways. Parallel edges, self-loops and weights
    make no difference.
    """

    targets = param.vertices()
    seed = param.int32(0, low=0)
    eccentricity = vertex.int32()
    reached = vertex.int32()
    distances = vertex.int64()

    def solve(self, stages):
        found = self.sums(stages, stages.vertices(self.targets, self.seed))
        return {
            "eccentricity": found["farthest"],
            "reached": found["reached"],
            "distances": found["distances"],
        }

    def largest_runs(self, size):
        return Farthest.largest_runs_from(self.targets, size)

    def sums(self, stages, targets):
        """The sums over the distances to all targets, and the largest."""
        at = stages.graph.indices_of(targets)
        return Farthest.from_each(stages, at, ["farthest", "reached", "distances"])


class WeightedEccentricity(Eccentricity):
    """Eccentricity (`real`) where an arc is as long as the edge field `weight` says, 0 or more."""

    weight = edge.real(default=1, low=0)
    eccentricity = vertex.real()
    distances = vertex.real()

    def largest_runs(self, size):
        return 1, size

    def sums(self, stages, targets):
        """The sums over the distances to all targets, and the largest."""
        return sums_from_each(stages, targets, self.dtype, stages.graph.reversed())
