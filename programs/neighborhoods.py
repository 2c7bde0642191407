"""Sizes of neighborhoods: how many vertices each one reaches in a number of hops.

Algorithm: every vertex is a source of a search against the arcs that ends after that many
supersteps: the sources that have reached v are the vertices that v reaches. See
multi_source_search.py; it takes V / 4096 rounds of `hops` supersteps on a GPU, V / 1024 on a CPU.
Sources of similar degree are in the same round, so that the words of few of them are at a vertex.

Differences: exact, where Boldi, Rosa and Vigna, HyperANF (2011), estimate by sketches.
"""

import numpy as np

from gascl import VertexProgram, param, vertex
from gascl.graph.reordering import hubs_first
from gascl.programs.multi_source_search import LANES, Reaching

#: The largest numbers of lanes on a CPU and on a GPU, and the most words of all vertices there.
OF_CPU, OF_GPU, WORDS = 16, 64, 1 << 26


class Backwards(Reaching):
    """Against the arcs."""

    edges = "in"


def most_lanes(vertices, is_cpu=False):
    """The largest number of lanes for a graph with so many vertices."""
    few = LANES
    while 2 * few <= (OF_CPU if is_cpu else OF_GPU) and 2 * few * vertices <= WORDS:
        few *= 2
    return few


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
        degree = np.asarray(stages.graph.in_degree)
        sources = hubs_first(degree)[: np.count_nonzero(degree)]  # the others reach nothing
        if not len(sources):
            return {"size": np.ones(len(degree), np.int32)}
        most = most_lanes(len(degree), stages.device.is_cpu)
        values = {"most": most, "supersteps": self.hops}
        found = Backwards.from_each(stages, sources, ["reached"], **values)
        return {"size": found["reached"] + 1}

    def largest_runs(self, size):
        return Backwards.largest_runs_from(None, size, most_lanes(size.num_vertices))
