"""Sizes of neighborhoods: how many vertices each one reaches in a number of hops.

Algorithm: every vertex is a source of a search against the arcs that ends after that many
supersteps: the sources that have reached v are the vertices that v reaches. See
multi_source_search.py; it takes V / 4096 rounds of `hops` supersteps on a GPU, V / 1024 on a CPU.
Sources of similar degree are in the same round, so that the words of few of them are at a vertex.

Differences: exact, where Boldi, Rosa and Vigna, HyperANF (2011), estimate by sketches.
"""

from functools import cache

import numpy as np

from gascl import Graph, VertexProgram, param, vertex
from gascl.graph.reordering import hubs_first, inverse
from gascl.programs.multi_source_search import LANES, WORD, lanes_for

#: The largest numbers of lanes on a CPU and on a GPU, and the most words of all vertices there.
OF_CPU, OF_GPU, WORDS = 16, 64, 1 << 26
#: Up to so many hops, one run makes all rounds.
FEW_HOPS = 8


def own_bit(lanes: int) -> str:
    """The macro OWN(round): the vertex's own bit, if it is among those of its lane in a round."""
    return f"""
        #define PLACE(round) (uint)(v.id - p.first - p.step * (lane + {lanes} * (round)))
        #define OWN(round) (PLACE(round) < 64 ? 1ul << PLACE(round) : 0)
    """


class Backwards(VertexProgram):
    """Counts 64 vertices against the arcs, and after so many `hops` the next ones."""

    first = param.int32(doc="the first vertex of the first lane")
    step = param.int32(64, doc="from the first vertex of a lane to that of the next")
    hops = param.int32(1)
    supersteps = param.supersteps()
    seen = vertex.uint64(init="OWN(0)")
    reached = vertex.int32()

    message, combine, edges = "uint64", "or", "in"
    apply_on = "all"
    functions = own_bit(1)
    receive_if = "v.seen != ~0ul"
    enough = "(msg | v.seen) == ~0ul"
    mask = "v.seen != 0"
    scatter = "send(v.seen);"
    apply = """
        const ulong fresh = msg & ~v.seen;
        if (fresh)
            v.reached += (int)popcount(fresh);
        if ((superstep + 1) % p.hops == 0) {
            v.seen = OWN((superstep + 1) / p.hops);
            if (v.seen)
                set_mask();
        } else if (fresh) {
            v.seen |= fresh;
            set_mask();
        }
    """


@cache
def in_lanes(program: type[Backwards], lanes: int, ends: str) -> type[Backwards]:
    """The program with so many lanes; `ends` is "stop" if there are several rounds."""
    body = {"lanes": lanes, "functions": own_bit(lanes), "ends": ends}
    return type(program.__name__, (program,), body)


def numbered(graph: Graph) -> Graph:
    """The graph with its vertices numbered by degree, highest first."""
    return graph.by_degree()[0]


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
        graph = stages.graph
        words = -(-np.count_nonzero(graph.degree) // WORD)  # the other vertices reach nothing
        if not words or not self.hops:
            return {"size": np.ones(graph.num_vertices, np.int32)}
        reached = stages.share(range(words), self.reached)["reached"]
        return {"size": reached[inverse(hubs_first(graph.degree))] + 1}

    def reached(self, stages, words):
        """How many of some words of vertices each vertex reaches, by its number."""
        graph, vertices = stages.derived(numbered), stages.graph.num_vertices
        most = most_lanes(vertices, stages.device.is_cpu)
        lanes = lanes_for(len(words), most)
        step = WORD * (words[1] - words[0] if len(words) > 1 else 1)
        # A run of several rounds cannot end sooner, where all are reached.
        rounds = -(-len(words) // lanes) if self.hops <= FEW_HOPS else 1
        program = in_lanes(Backwards, lanes, "stop" if rounds > 1 else "mask")
        values = {"step": step, "hops": self.hops, "supersteps": rounds * self.hops}
        for word in words[:: rounds * lanes]:
            stages.run(program(first=WORD * word, **values), graph=graph, fresh=["seen"])
        return {"reached": stages.state.lane_sums("reached")}

    def largest_runs(self, size):
        return lanes_for(-(-size.num_vertices // WORD), most_lanes(size.num_vertices)), size
