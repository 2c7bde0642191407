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

Differences: up to 8 sources, or 16 on a GPU, a lane each, go level by level together, and back from
the deepest level that any of them has.
"""

from functools import cache, partial

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, arc, param, vertex
from gascl.programs.source_params import how_many
from gascl.user_messages import DOUBLE, Message

#: The largest numbers of sources that are searched from at once, on a CPU and on a GPU.
OF_CPU, OF_GPU = 8, 16
#: The most values of a field in lanes, where there are more lanes on a GPU.
VALUES = 1 << 26


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

    supersteps = param.supersteps()
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


def lane_macros(lanes: int, far: str, wide: str) -> str:
    """The macros of `ArcSums`: the type of a vertex's distances, one for each lane, that of its
    real numbers, and that of a sum; and EACH(DO), which is DO(lane, what selects it) for each."""
    at = [""] if lanes == 1 else [f".s{lane:x}" for lane in range(lanes)]
    many = "" if lanes == 1 else lanes
    each = " ".join(f"DO({lane}, {place})" for lane, place in enumerate(at))
    return f"""
        #define FARS {far}{many}
        #define REALS real{many}
        #define WIDE {wide}
        #define EACH(DO) {each}
    """


class ArcSums(VertexProgram):
    """Adds the shares of the paths from some sources to the total of each arc. The last run
    scales it."""

    supersteps = param.supersteps(1)
    count = param.int32(1, doc="sources; further lanes are padding")
    both = param.flag(False, doc="along the arc's edge, in either direction")
    last = param.flag(False)
    times = param.real(1)
    over = param.real(1)
    far = vertex.int32(doc="the distance from the source")
    paths = vertex.real()
    dependency = vertex.real()
    total = arc.real()
    centrality = arc.real()

    lanes, scatter_on = 1, "all"
    functions = lane_macros(1, "int", "real")
    along = """
        // No path may lead to the beginning: `paths` is 0 there.
        #define LED(from, to, paths, beyond, ways) \\
            (FOLLOWS(from, to) ? (paths) * ((1 + (beyond)) / max(ways, (real)1)) : 0)
        #define ADD(lane, at) \\
            if (lane < p.count) { \\
                sum += LED(near at, far at, ours at, beyond at, theirs at); \\
                if (p.both) \\
                    sum += LED(far at, near at, theirs at, before at, ours at); \\
            }
        const FARS near = v.far, far = far_of(e.dst);
        const REALS ours = v.paths, theirs = paths_of(e.dst);
        const REALS before = v.dependency, beyond = dependency_of(e.dst);
        WIDE sum = 0;
        EACH(ADD)
        e.total += sum;
        if (p.last)
            e.centrality = e.total * p.times / p.over;
    """
    scatter = "#define FOLLOWS(from, to) ((from) + 1 == (to))" + along


@cache
def arc_sums(program: type[ArcSums], lanes: int, wide: str) -> type[ArcSums]:
    """The program for what a run in lanes has left, where each field is a vector of as many
    components, and sums are of the type `wide`."""
    many = "" if lanes == 1 else lanes
    far = str(program.spec.vertex_fields["far"].type)
    wide_int = far == "int32" and lanes > 4
    of_far = f"int32x{lanes}" if wide_int else f"{far.removesuffix('32')}{many}"
    real = f"real{many}"
    body = {
        "far": getattr(vertex, far if lanes == 1 else of_far)(),
        "paths": getattr(vertex, real)(),
        "dependency": getattr(vertex, real)(),
        "times": getattr(param, wide)(1),
        "over": getattr(param, wide)(1),
        "total": getattr(arc, wide)(),
        "functions": lane_macros(
            lanes, far.removesuffix("32"), "double" if wide == "float64" else wide
        ),
    }
    return type(program.__name__, (program,), body)


class Betweenness(VertexProgram):
    """The share of the shortest paths between two others that lead through a vertex, in
    `centrality`.

    Args:
        sources: None: all; a number: that many drawn by `seed`, or a list of labels, for an
            estimate, scaled to all as by NetworkX's `k`. At a sole source it is NaN: unknown.
        normalized: divided by the number of pairs; else their sum, in an undirected graph with each
            pair once.
        endpoints: the ends of a path count as vertices on it.

    As in NetworkX, but parallel edges are different paths. Self-loops and weights do not matter.
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
            times, over = scale(self, graph, len(sources))
            return {"centrality": total * times / over}
        return {"centrality": self.between_others(graph, total, sources)}

    def largest_runs(self, size):
        return lanes_for(how_many(self.sources, size), size.num_vertices), size

    def sums(self, stages, sources):
        """The sum of the dependencies of some sources on each vertex."""
        total = np.zeros(stages.graph.num_vertices)
        for batch, found in self.searches(stages, sources):
            total += stages.state.lane_sums("dependency", len(batch))
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
        """As `scale` says, where a vertex has one source less if it is one."""
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
        sources = stages.vertices(self.sources, self.seed)
        return stages.share(sources, partial(self.sums, count=len(sources)))

    def largest_runs(self, size):
        return lanes_for(how_many(self.sources, size), size.num_vertices), size

    def sums(self, stages, sources, count):
        """What paths from some of `count` sources to all targets lead along each arc, scaled."""
        wide = "float64" if stages.device.fp64 else "real"
        times, over = scale(self, stages.graph, count)
        values = {"times": times, "over": over, "both": not stages.graph.directed}
        totals, left = stages.beside(), len(sources)
        for batch, _ in self.searches(stages, sources):
            left -= len(batch)
            far, paths, dependency = map(stages.state.on_device, self.left)
            found = {"far": far, "paths": paths, "dependency": dependency, "dtype": self.dtype}
            program = arc_sums(self.program, stages.state.lanes, wide)
            sums = program(count=len(batch), last=not left, **values, **found)
            totals.run(sums, delivery="auto")
        return {"centrality": totals.state.on_device("centrality")}

    #: What adds to the totals, and the fields that it needs from a search.
    program, left = ArcSums, ("depth", "paths", "dependency")

    def searches(self, stages, sources):
        """As that of `Betweenness`."""
        return dependencies(stages, sources, self.dtype)


def dependencies(stages, sources, dtype):
    """Some of the sources at a time, and the Result of `Backward` from each of them."""
    lanes = lanes_for(len(sources), stages.graph.num_vertices, stages.device.is_cpu)
    for begin in range(0, len(sources), lanes):
        batch = sources[begin : begin + lanes]
        padded = (batch * lanes)[:lanes]  # the last batch may be smaller
        search = stages.run(Forward(source=padded, dtype=dtype), fresh=True)
        check_paths(max(step.aggregates["most"] for step in search.trace), dtype)
        last = search.supersteps - 1
        back = Backward(last=[last] * lanes, supersteps=max(last - 1, 0), dtype=dtype)
        found = stages.run(back)
        yield batch, found


def lanes_for(count, vertices, is_cpu=False):
    """How many of so many sources are searched from at once. It is a power of two, since kernels
    are built for each number of lanes."""
    most = OF_CPU if is_cpu or OF_GPU * vertices > VALUES else OF_GPU
    return min(most, 1 << max(count - 1, 0).bit_length())


def of_each(batch, found, name):
    """(V, sources): a field of a run in lanes, of which the last ones may be padding."""
    return found[name].reshape(len(found[name]), -1)[:, : len(batch)]


def scale(program, graph, count):
    """What a sum over `count` sources is multiplied by and divided by, so that it is estimated for
    all and normalized."""
    pairs = count * (graph.num_vertices - 1)
    if pairs == 0:
        return 1, 1
    if program.normalized:
        return 1, pairs
    return graph.num_vertices / (count * (1 if graph.directed else 2)), 1


def check_paths(most, dtype):
    """Refuses numbers of paths that, or whose inverses, the type can't hold."""
    bound = 1 / np.finfo(dtype).tiny
    if not most <= bound:
        why = f"{most:.3g} shortest paths lead to a vertex, and {dtype} counts to"
        remedy = "take a smaller graph" if dtype == "float64" else Message("give ", DOUBLE)
        raise ProgramError(f"{why} {bound:.3g}: ", remedy)
