"""Sizes of neighborhoods: how many vertices each one reaches in a number of hops.

Algorithm: every vertex is a source of a search against the arcs that ends after that many
supersteps: the sources that have reached v are the vertices that v reaches. See
multi_source_search.py; it takes V / 512 rounds of `hops` supersteps.

Differences: exact, where Boldi, Rosa and Vigna, HyperANF (2011), estimate by sketches.
"""

from gascl import VertexProgram, param, vertex
from gascl.programs.multi_source_search import MultiSourceSearch


class Backwards(MultiSourceSearch):
    """Against the arcs."""

    edges = "in"


class Neighborhoods(VertexProgram):
    """How many vertices are at most `hops` arcs away, itself included, in `size` (int32).

    Args:
        hops: 0 or more; 0 is the vertex alone.

    Arcs are followed as they point, undirected edges both ways. Parallel edges and self-loops make
    no difference; a vertex without out-arcs has 1. `BreadthFirst(source, hops=...)` says which
    vertices they are.
    """

    hops = param.int32(low=0)
    size = vertex.int32()

    def solve(self, stages):
        vertices = stages.vertices(None)
        found = Backwards.from_each(stages, vertices, ["reached"], supersteps=self.hops)
        return {"size": found["reached"] + 1}

    def largest_runs(self, size):
        return Backwards.largest_runs_from(None, size)
