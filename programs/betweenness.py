"""Betweenness centrality: a vertex, or an edge, is central if many shortest paths lead through it.

    betweenness(v) = sum over sources s and targets t of the share of the shortest paths from s to t
                     that pass through v,  s != v != t

Algorithm: from each source s, a breadth-first search counts the shortest paths to every vertex,
level by level. Back from the last level, the dependency of s on v, its share of the paths to all
targets, is accumulated from the vertices w that follow v on these paths:

    dependency(v) = sum over arcs v -> w to the next level of
                    paths(v) / paths(w) * (1 + dependency(w))

Betweenness is the sum of the dependencies over all sources; over some of them, it is an estimate.
That of an edge is the sum of the terms of its arcs.

Sources: Freeman, A Set of Measures of Centrality Based on Betweenness (1977); Brandes, A Faster
Algorithm for Betweenness Centrality (2001), and On Variants of Shortest-Path Betweenness Centrality
and their Generic Computation (2008), edges and end points; Brandes and Pich, Centrality Estimation
in Large Networks (2007).

Differences: up to 8 sources, a lane each, go level by level together, and back from the deepest
level that any of them has.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, arc, param, vertex
from gascl.graph.parallel import blocks, filled, in_threads
from gascl.messages import DOUBLE, Message
from gascl.programs.source_params import how_many

#: The largest number of sources that are searched from at once.
LANES = 8


class Forward(VertexProgram):
    """Each vertex's distance from the source, in arcs, and the number of shortest paths to it."""

    source = param.vertex()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    paths = vertex.real(init="v.id == p.source")
    most = aggregate.real("max", doc="the largest number of paths")

    message, combine = "real", "sum"
    receive_if = "v.depth < 0"
    mask = "v.id == p.source"
    scatter = """
        if (v.depth == superstep)
            send(v.paths);
    """
    apply = """
        v.depth = superstep + 1;
        v.paths = msg;
        aggregate_most(msg);
        set_mask();
    """


class Backward(VertexProgram):
    """The source's dependency on each vertex, level by level from the `last` one back."""

    last = param.int32()
    depth = vertex.int32()
    paths = vertex.real()
    dependency = vertex.real()

    message, combine = "real", "sum"
    receive_if = "v.depth > 0 && v.depth == p.last - superstep - 1"
    edges, apply_on = "in", "all"
    mask = "v.depth == p.last"
    scatter = """
        if (v.depth == p.last - superstep)
            send((1 + v.dependency) / v.paths);
    """
    apply = """
        if (v.depth > 0 && v.depth == p.last - superstep - 1) {
            v.dependency = v.paths * msg;
            set_mask();
        }
    """


class Betweenness(VertexProgram):
    """The share of the shortest paths between two others that lead through a vertex, in
    `centrality`.

    Args:
        sources: None: all; a number: that many drawn by `seed`, or a list of labels, for an
            estimate, scaled to all as by NetworkX's `k`. At a sole source it is NaN: unknown.
        normalized: divided by the number of pairs; else their sum, in an undirected graph with each
            pair once.
        endpoints: a path leads through its ends, too.

    As NetworkX's, but parallel edges make as many paths. Self-loops and weights make no difference.
    """

    sources = param.vertices()
    seed = param.int32(0, low=0)
    normalized = param.flag(True)
    endpoints = param.flag(False)
    centrality = vertex.real()

    def solve(self, stages):
        graph = stages.graph
        sources = stages.vertices(self.sources, self.seed)
        total = stages.share(sources, self.sums)["total"]
        if self.endpoints:
            return {"centrality": scaled(self, graph, total, len(sources))}
        return {"centrality": self.between_others(graph, total, sources)}

    def largest_runs(self, size):
        return lanes_for(how_many(self.sources, size)), size

    def sums(self, stages, sources):
        """The sum of the dependencies of some sources on each vertex."""
        total = np.zeros(stages.graph.num_vertices)
        for batch, found in self.searches(stages, sources):
            add_all(total, of_each(batch, found, "dependency"))
            if self.endpoints:
                reached = self.reached(batch, found)
                total += reached.sum(axis=1)
                # A source is an end of all these paths; it has been counted as reached itself.
                total[stages.graph.indices_of(batch)] += reached.sum(axis=0) - 2
        return {"total": total}

    def searches(self, stages, sources):
        """Some of the sources at a time, and a Result with the dependency on each vertex."""
        return dependencies(stages, sources, self.dtype)

    def reached(self, batch, found):
        """bool (V, sources): whether there is a path."""
        return of_each(batch, found, "depth") >= 0

    def between_others(self, graph, total, sources):
        """`scaled`, where a vertex has one source less if it is one."""
        count = graph.num_vertices
        if count < 3:
            return total  # there are no pairs of others
        if self.normalized:
            total /= count - 2
        else:
            total *= (count - 1) / (1 if graph.directed else 2)
        at = graph.indices_of(sources)
        of_sources = total[at] / (len(sources) - 1 or np.nan)
        total /= len(sources)
        total[at] = of_sources
        return total


class EdgeBetweenness(VertexProgram):
    """The share of the shortest paths between two vertices that lead along an edge, in the arc
    field `centrality`: an undirected edge's two arcs have the same.

    Args:
        sources: as those of `Betweenness`.
        normalized: divided by the number of pairs; else their sum, in an undirected graph with each
            pair once.

    Parallel edges share the paths. The graph's `arcs().out_edges` says which edge an arc is.
    """

    sources = param.vertices()
    seed = param.int32(0, low=0)
    normalized = param.flag(True)
    centrality = arc.real()

    def solve(self, stages):
        graph = stages.graph
        sources = stages.vertices(self.sources, self.seed)
        found = stages.share(sources, self.sums)
        total = found["forth"] if graph.directed else found["forth"] + found["back"]
        total, edges = scaled(self, graph, total, len(sources)), graph.arcs().out_edges
        of_arcs = np.empty(len(edges), self.dtype)
        return {"centrality": filled(of_arcs, lambda block: total[edges[block]])}

    def largest_runs(self, size):
        return lanes_for(how_many(self.sources, size)), size

    def sums(self, stages, sources):
        """What paths from some sources to all targets lead along each edge, by direction."""
        graph = stages.graph
        ways = ["forth"] if graph.directed else ["forth", "back"]
        totals = {way: np.zeros(graph.num_edges) for way in ways}
        for batch, found in self.searches(stages, sources):
            distances, length = self.distances(graph, batch, found)
            add_shares(graph, found, batch, distances, length, list(totals.values()))
        return totals

    def searches(self, stages, sources):
        """As that of `Betweenness`."""
        return dependencies(stages, sources, self.dtype)

    def distances(self, graph, batch, found):
        """(V, sources), and the length of each edge or of all."""
        depth = of_each(batch, found, "depth")
        few = np.int8 if depth.max() < 127 else np.int32  # many of a byte are in the cache
        return depth.astype(few), np.ones(1, few)


def dependencies(stages, sources, dtype):
    """Some of the sources at a time, and the Result of `Backward` from each of them."""
    lanes = lanes_for(len(sources))
    for begin in range(0, len(sources), lanes):
        batch = sources[begin : begin + lanes]
        padded = (batch * lanes)[:lanes]  # the last batch may be smaller
        search = stages.run(Forward(source=padded, dtype=dtype), fresh=True)
        check_paths(max(step.aggregates["most"] for step in search.trace), dtype)
        last = [search.supersteps - 1] * lanes
        found = stages.run(Backward(last=last, dtype=dtype))
        yield batch, found


def lanes_for(count):
    """How many of so many sources are searched from at once. It is a power of two, since kernels
    are built for each number of lanes."""
    return min(LANES, 1 << max(count - 1, 0).bit_length())


def of_each(batch, found, name):
    """(V, sources): a field of a run in lanes, of which the last ones may be padding."""
    return found[name].reshape(len(found[name]), -1)[:, : len(batch)]


def add_all(total, values):
    """Add the values of all sources, (V, sources), to the total of each vertex."""
    filled(total, lambda rows: total[rows] + values[rows].sum(axis=1, dtype=np.float64))


def add_shares(graph, found, batch, distances, length, totals):
    """Add to the total of each edge what the sources' paths to all targets lead along it: to the
    first total from its source to its target, and to a second one back."""
    paths, dependency = (of_each(batch, found, name) for name in ("paths", "dependency"))
    share = (1 + dependency) / np.maximum(paths, 1)
    of_sources = [np.ascontiguousarray(each.T) for each in (distances, paths, share)]

    def add(block):
        src, dst = graph.src[block], graph.dst[block]
        long = length[block] if len(length) > 1 else length
        terms = np.zeros((len(totals), len(src), len(batch)), share.dtype)
        for number, (distance, count, of_path) in enumerate(zip(*of_sources, strict=True)):
            far = distance[src], distance[dst]
            for way, begin, end in ((0, src, dst), (1, dst, src))[: len(totals)]:
                on = np.flatnonzero(far[way] + long == far[1 - way])
                # No path may lead to the beginning: `count` is 0 there.
                terms[way, on, number] = count[begin[on]] * of_path[end[on]]
        for total, each in zip(totals, terms, strict=True):
            total[block] += each.sum(axis=1, dtype=np.float64)

    in_threads(add, blocks(graph.num_edges))


def scaled(program, graph, total, count):
    """What paths from `count` sources come to, estimated for all and normalized."""
    pairs = count * (graph.num_vertices - 1)
    if pairs == 0:
        return total
    if program.normalized:
        return total / pairs
    return total * (graph.num_vertices / (count * (1 if graph.directed else 2)))


def check_paths(most, dtype):
    """Refuses numbers of paths that, or whose inverses, the type can't hold."""
    bound = 1 / np.finfo(dtype).tiny
    if not most <= bound:
        why = f"{most:.3g} shortest paths lead to a vertex, and {dtype} counts to"
        remedy = "take a smaller graph" if dtype == "float64" else Message("give ", DOUBLE)
        raise ProgramError(f"{why} {bound:.3g}: ", remedy)
