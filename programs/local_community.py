"""A community around a source, by work that depends on its size and not on that of the graph.

A walker starts at the source. In each step it goes along one of its vertex's edges with probability
`damping`, and otherwise ends. `rank` is close to the probability that it ends at a vertex, its
personalized PageRank. Vertices with much rank for their degree are the community.

Algorithm: local push. `residual` is the probability that a walker on its way is at the vertex. One
with at least `epsilon` for each of its edges pushes: 1 - damping of it becomes rank, and the rest
is sent to the neighbors. The residual that is too small to be pushed is the error:

    0 <= personalized PageRank(v) - rank(v) <= epsilon * degree(v)

A sweep finds the community: the vertices with rank are put in the order of rank / degree, and of
all sets that are the first ones of them, it is that of the least conductance, which is

    edges that leave the set / the sum of degrees of its vertices, or of the others if that is less

Sources: Andersen, Chung and Lang, Local Graph Partitioning Using PageRank Vectors (2006); Shun,
Roosta-Khorasani, Fountoulakis and Mahoney, Parallel Local Graph Clustering (2016), whose vertices
push at once, and all that they have.

Differences: walkers do not stay where they are half of the time. Lazy ones, which end with
probability a, have the ranks of these with damping = (1 - a) / (1 + a). Probabilities are whole
multiples of 2^-62, so that they add up to 1 in whatever order, and a run repeats; a push leaves
behind what its neighbors cannot share evenly. Rounding moves less than 2^-60 / ((1 - damping) *
epsilon) of the ranks.
"""

import numpy as np

from gascl import VertexProgram, aggregate, param, vertex
from gascl.programs.source_params import with_source

#: The probability 1.
ONE = 1 << 62


class Push(VertexProgram):
    """Vertices push as long as any has enough."""

    damping = param.uint64(doc="a multiple of 2^-64")
    least = param.uint64(doc="what a vertex that pushes has for each of its edges")
    degree = vertex.int32()
    waiting = vertex.uint64(doc="the residual")
    ended = vertex.uint64(doc="the rank")
    share = vertex.uint64(doc="what a vertex that pushes sends along each edge")

    message, combine, edges = "uint64", "sum", "both"
    functions = r"""
        #define PUSH_IF_ENOUGH \
            if (v.degree > 0 && v.waiting / v.degree >= p.least) { \
                const ulong further = mul_hi(v.waiting, p.damping); \
                v.share = further / v.degree; \
                v.ended += v.waiting - further; \
                v.waiting = further - v.share * v.degree; \
                set_mask(); \
            }
    """
    init = "PUSH_IF_ENOUGH"
    scatter = "send(v.share);"
    apply = """
        v.waiting += msg;
        PUSH_IF_ENOUGH
    """


class LocalCommunity(VertexProgram):
    """A community around `source`: 1 in `member` (int8), 0 elsewhere; its `conductance`, a number
    from 0 to 1; the probability that a walker ends at each vertex, in `rank` (`real`), as far as it
    was followed, and that it was not followed on from there, in `residual` (`real`).

    Args:
        source: where walkers start.
        sources: a list, instead of `source`: walkers start at each with the same probability.
        damping: the probability of another step. With more, walkers come farther.
        epsilon: `rank` lacks at most this much for each edge of a vertex. With less, communities
            may be larger; there are at most 1 / ((1 - damping) * epsilon) messages. If it is too
            much for any push, the sweep goes by `residual`.

    Edges run both ways. Parallel ones all count, a self-loop once. Walkers stay at a vertex without
    edges.
    """

    source = param.vertex()
    sources = param.vertices()
    damping = param.float64(0.85, low=0, high=0.999)
    epsilon = param.float64(1e-6, low=1e-8, high=1)
    member = vertex.int8()
    rank = vertex.real()
    residual = vertex.real()
    conductance = aggregate.real()

    def __init__(self, *positional, **values):
        super().__init__(*positional, **with_source(self, positional, values))

    def solve(self, stages):
        graph = stages.graph
        sources = [self.source] if self.sources is None else self.sources
        places = np.unique(graph.indices_of(sources))
        waiting = np.zeros(graph.num_vertices, np.uint64)
        waiting[places] = ONE // len(places)
        waiting[places[: ONE % len(places)]] += np.uint64(1)
        push = Push(
            damping=int(self.damping * 2**64),
            least=int(self.epsilon * ONE),
            degree=graph.degree,
            waiting=waiting,
        )
        found = stages.run(push, fresh=True)
        ended, left = found.ended.copy(), found.waiting.copy()
        alone = places[graph.degree[places] == 0]
        ended[alone], left[alone] = waiting[alone], 0
        member, conductance = sweep(graph, ended if ended.any() else left)
        return {
            "member": member,
            "rank": ended / ONE,
            "residual": left / ONE,
            "conductance": conductance,
        }


def sweep(graph, rank):
    """int8 (V,), 1 for the set of least conductance among the first vertices by rank / degree; and
    its conductance. Of equal ones it is the smallest; sets with all edges, or none, do not count
    unless there is no other."""
    offsets, targets = graph.arcs("both").out_offsets, graph.arcs("both").out_targets
    ranked = np.flatnonzero(rank)
    density = rank[ranked] / np.maximum(graph.degree[ranked], 1)
    ranked = ranked[np.argsort(-density, kind="stable")]
    degree = graph.degree[ranked].astype(np.int64)
    volume, count = np.cumsum(degree), len(ranked)
    place = np.full(graph.num_vertices, count)
    place[ranked] = np.arange(count)
    arcs = np.repeat(offsets[ranked] - (volume - degree), degree) + np.arange(volume[-1])
    # An arc is within all sets that have both its ends.
    first_within = np.maximum(np.repeat(np.arange(count), degree), place[targets[arcs]])
    leaving = volume - np.cumsum(np.bincount(first_within, minlength=count)[:count])
    smaller = np.minimum(volume, len(targets) - volume)
    conductance = np.where(smaller > 0, leaving / np.maximum(smaller, 1), np.inf)
    best = int(np.argmin(conductance)) if np.isfinite(conductance).any() else count - 1
    member = np.zeros(graph.num_vertices, np.int8)
    member[ranked[: best + 1]] = 1
    return member, conductance[best] if np.isfinite(conductance[best]) else 0.0
