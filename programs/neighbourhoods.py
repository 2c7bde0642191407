"""Sizes of neighbourhoods: how many vertices each one comes to in a number of hops.

All vertices are sources of searches against the arcs that end after that many supersteps: those
which have come to v are those which v comes to. Exact, where sketches such as HyperANF's (Boldi,
Rosa and Vigna, 2011) estimate; it takes V / 512 rounds of `hops` supersteps.
"""

from gascl import VertexProgram, param, vertex
from gascl.programs.spread import Spread


class Backwards(Spread):
    """Against the arcs."""

    edges = "in"


class Neighbourhoods(VertexProgram):
    """How many vertices are at most `hops` arcs away, itself included, in `size` (int32).

    Args:
        hops: 0 or more; 0 is the vertex alone.

    Arcs are followed as they point, in an undirected graph both ways. Parallel edges and self-loops
    make no difference; a vertex without arcs out of it has 1. `BreadthFirst(source, hops=...)` says
    which vertices they are.
    """

    hops = param.int32(low=0)
    size = vertex.int32()

    def solve(self, turns):
        found = Backwards.from_each(turns, turns.vertices(None), supersteps=self.hops)
        return {"size": found["reached"] + 1}
