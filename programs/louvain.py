"""Louvain: communities with many more edges within than chance would have it, by modularity.

    Q = sum over communities c of inside(c) / m - resolution * (strength(c) / 2m)^2

where m is the weight of all edges, inside(c) that of the edges within c, and strength(c) the sum of
its vertices' strengths, the weights of their edges. Or by the constant Potts model (CPM),

    sum over communities c of inside(c) - resolution * n(c) * (n(c) - 1) / 2

with n(c) vertices in c, which finds communities of any size denser than `resolution`.

Algorithm: at first every vertex is a community. Vertices move to neighbors' communities until none
gains by it; then communities become the vertices of a smaller graph, on which it begins again,
until there is nothing to merge.

Sources: Blondel, Guillaume, Lambiotte and Lefebvre, Fast Unfolding of Communities in Large Networks
(2008); Traag, Van Dooren and Nesterov, Narrow Scope for Resolution-Limit-Free Community Detection
(2011), CPM; Ozaki, Tezuka and Inaba, A Simple Acceleration Method for the Louvain Algorithm (2016),
that only neighbors of those that moved look again; Lu, Halappanavar and Kalyanaraman, Parallel
Heuristics for Scalable Community Detection (2015), that two lone vertices do not change places.

Differences: an eighth of the vertices, drawn at random, moves at a time, all at once, in smaller
graphs a quarter. After a change of edges, only their ends look around first, and Leiden refines
only communities that have changed: Sahu, A Starting Point for Dynamic Community Detection with
Leiden Algorithm (2024).
"""

import numpy as np

from gascl import Graph, ProgramError, VertexProgram, aggregate, edge, param, vertex
from gascl.graph.contract import numbered
from gascl.programs.local_moving import Move

#: On a level, moving ends when fewer than one in so many vertices have moved or have yet to look.
_FEW = 1000

#: In so many turns vertices move on the first level, where all are alone, and on the others.
_TURNS, _LATER_TURNS = 8, 4


class Louvain(VertexProgram):
    """Communities of high modularity, in `community` (int32): numbered from 0 in the order of their
    first vertices.

    Args:
        quality: "modularity", or "cpm" for the constant Potts model.
        resolution: a higher one leads to smaller communities, a lower one to larger ones.
        iterations: how often it begins again on the whole graph, from the communities found so far.
        threshold: an iteration whose quality is better by no more than this is the last one, and
            does not count; as a share of all weights.
        seed: it decides which vertices move first.
        community: the initial communities, by any numbers. Vertices that a dict leaves out begin
            alone.
        start: which vertices look for better communities than these first: "all", or if `community`
            is what was found before `Graph.with_edges`, the ends of edges that have "changed".

    `result.aggregates` has the `modularity` (with `resolution`, or 1 for CPM; NaN if there are no
    edges, or all weights are 0) and the number of `levels` of the last iteration. With a list of
    resolutions, `community` is (V, resolutions), and the aggregates are lists. Edges count by
    the edge field `weight`, 0 or more, and both ways: a directed graph has the communities of the
    undirected one. Weights of parallel edges add up, and self-loops count. A vertex without edges
    is a community of its own.
    """

    quality = param.choice("modularity", "cpm")
    resolution = param.real(1, low=0)
    iterations = param.int32(1, low=1)
    threshold = param.real(1e-7, low=0)
    seed = param.int32(0, low=0)
    start = param.choice("all", "changed")
    weight = edge.float64(default=1, low=0, finite=True)
    community = vertex.int32(init="v.id")
    modularity = aggregate.real()
    levels = aggregate.int64()

    def prepare(self, graph, initial):
        self.given = initial.get("community")
        if np.ma.is_masked(self.given):
            left_out = self.given.mask
            self.given = np.where(left_out, 0, self.given.data).astype(np.int64)
            self.given[left_out] = self.given.max() + 1 + np.arange(left_out.sum())
        if self.start == "all":
            return
        name = type(self).__name__
        if self.given is None:
            raise ProgramError(
                f"{name}: start='changed' goes on from communities: give those that were found "
                "before the change, community=result.community"
            )
        if graph.change is None:
            raise ProgramError(
                f"{name}: start='changed', but the graph does not know which edges have changed: "
                "make it by before.with_edges(add=..., remove=...)"
            )

    def solve(self, stages):
        return stages.share([None], self.found)  # of several ranks, one does it all

    def found(self, stages, _):
        """The results, by name."""
        graph, unit = stages.derived(in_units), unit_of(stages.graph)
        strength, count = strengths(graph), graph.num_vertices
        twice = int(strength.sum())
        if not twice:
            return {"community": np.arange(count), "modularity": np.nan, "levels": 0}
        modular = self.quality == "modularity"
        price = self.resolution / (twice if modular else unit)
        changed, starts = None, self.starts(graph)
        if self.start == "changed":
            changed, starts = np.zeros(count, np.int8), 1
            changed[stages.graph.change.vertices] = 1
        graph, mass = repeated(graph, starts), strength if modular else np.ones(count, np.int64)
        mass = np.tile(mass, starts)
        if self.given is None:
            community = np.arange(starts * count, dtype=np.int32)
        else:
            community = apart([self.given] * starts)
        found = np.empty((starts, count), np.int32)
        most, inside, levels = np.full(starts, -np.inf), np.zeros(starts), 0
        for iteration in range(self.iterations):
            seed = self.seed + 1000 * iteration
            at, last, size, climbed = self.climb(
                stages, graph, community, mass, price, seed, changed
            )
            which = members(at) // count  # of the starts
            weight = np.bincount(which[: last.num_vertices], inside_of(last), starts)
            pairs = np.bincount(which, size.astype(float) ** 2, starts)
            worth = (weight - price / 2 * pairs) / (twice / 2)
            better = worth > most + self.threshold
            if not better.any():
                break
            found[better] = at.reshape(starts, count)[better]
            most[better], inside[better], levels = worth[better], weight[better], climbed
            community = at if better.all() else apart(found)
        best = int(most.argmax())
        community = numbered(found[best], count)[0]
        share = np.bincount(community, strength) / twice
        expected = (self.resolution if modular else 1) * (share**2).sum()
        return {
            "community": in_order(community),
            "modularity": 2 * inside[best] / twice - expected,
            "levels": levels,
        }

    def starts(self, graph):
        """From how many different turns of the vertices it starts: the best result counts."""
        return 1

    def climb(self, stages, level, community, mass, price, seed, changed=None):
        """From level to level.

        Args:
            level: a graph.
            community: (V,) of the vertices of the graph, from 0 on, in which they begin.
            mass: int64 (V,)
            changed: int8 (V,) 1 for the vertices that look around first; None: all.

        Returns:
            The community of each vertex, from 0 on; the last level, whose vertices they are; their
            masses; and how many levels there were.
        """
        at, levels = np.arange(level.num_vertices, dtype=np.int32), 0
        values = {"price": price, "dtype": "float64" if stages.device.fp64 else "float32"}
        linked = np.diff(level.arcs("both").out_offsets) > 0
        left_out, count = np.flatnonzero(~linked), int(linked.sum())
        masses_left_out = mass[left_out]
        while True:
            before, begin = np.arange(level.num_vertices, dtype=np.int32), {}
            if community.max() + 1 < len(community):  # else each vertex is a community
                before = members(community)[community]
                begin = {"group": before, "total": sums(before, mass, len(before))}
            begin["few"] = level.num_vertices // _FEW
            if changed is not None:
                begin |= {"few": 0, "waits": changed}
            turns = _LATER_TURNS if levels else _TURNS
            values |= {"seed": seed + levels, "turns": turns, "mass": mass}
            group = stages.run(Move(**begin, **values), graph=level, fresh=True).group
            touched = None
            if changed is not None:
                moved, touched = (group != before) | (changed != 0), np.zeros(len(group), bool)
                touched[before[moved]] = touched[group[moved]] = True
            parts = self.parts(stages, level, group, touched, values)
            divides = parts is not group
            if not levels and len(left_out):
                # Vertices without edges have no place in smaller graphs: with any other one.
                other = linked.argmax()
                parts, group = parts.copy(), group.copy()
                for each in (parts, group):
                    each[left_out] = each[other]
            smaller, number = stages.contract(parts, graph=level, undirected=True)
            if smaller.num_vertices == count:
                break
            count = smaller.num_vertices
            mass = sums(number, mass if levels else mass * linked, count)
            community = np.arange(count)
            if divides:
                community = numbered(group[members(number)], count)[0]
            at = number[at] if levels else number
            level, levels, changed = smaller, levels + 1, None
        if levels:
            at[left_out] = np.arange(count, count + len(left_out))
            mass = np.concatenate([mass, masses_left_out])
        return at, level, mass, levels

    def parts(self, stages, level, group, touched, values):
        """(V,) The vertices of a level that become one of the next level have the same number.

        Args:
            touched: bool (V,) which groups have changed, by number; None: any.
        """
        return group


def unit_of(graph):
    """A power of two: weights are rounded to multiples, whose sums float64 can hold exactly."""
    weight = graph.edge_fields.get("weight")
    if weight is None or not len(weight):
        return 1.0
    most = np.frexp(float(weight.max()))[1] + int(graph.num_edges).bit_length() + 1
    return 2.0 ** max(most - 53, -1074)


def in_units(graph):
    """The graph with int64 weights, as multiples of the unit, if it has weights."""
    fields = dict.fromkeys(graph.edge_fields)  # None: without these
    if "weight" in fields:
        units = np.rint(graph.edge_fields["weight"] / unit_of(graph))
        fields["weight"] = units.astype(np.int64)
    return graph.with_edge_fields(**fields)


def strengths(graph):
    """int64 (V,): the sum of the weights of each vertex's edges, that of a self-loop twice."""
    arcs, weight = graph.arcs("both"), graph.edge_fields.get("weight")
    if weight is None:
        found = np.diff(arcs.out_offsets).astype(np.int64)
    else:
        up_to = np.concatenate([[0], np.cumsum(weight[arcs.out_edges])])
        found = np.diff(up_to[arcs.out_offsets])
    if graph.num_loops:
        loops = np.flatnonzero(graph.edge_src == graph.edge_dst)
        np.add.at(found, graph.edge_src[loops], 1 if weight is None else weight[loops])
    return found


def inside_of(graph):
    """int64 (V,): the weight of each vertex's self-loops."""
    if not graph.num_loops:
        return np.zeros(graph.num_vertices, np.int64)
    loops, weight = graph.edge_src == graph.edge_dst, graph.edge_fields.get("weight")
    values = None if weight is None else weight[loops]
    return sums(graph.edge_src[loops], values, graph.num_vertices)


def repeated(graph, times):
    """The graph that consists of the graph so many times."""
    if times == 1:
        return graph
    count, copy = graph.num_vertices, np.repeat(np.arange(times), graph.num_edges)
    ends = (np.tile(end, times) + count * copy for end in (graph.edge_src, graph.edge_dst))
    whole = Graph.from_edges(*ends, num_vertices=times * count, directed=graph.directed)
    fields = {name: np.tile(values, times) for name, values in graph.edge_fields.items()}
    return whole.with_edge_fields(**fields)


def apart(communities):
    """int32: the communities of several graphs in a row, from 0 on, none of which are the same."""
    found, count = [], 0
    for community in communities:
        found.append(np.unique(community, return_inverse=True)[1] + count)
        count += found[-1].max() + 1
    return np.concatenate(found).astype(np.int32)


def sums(number, values, count):
    """int64 (count,): the sums of values, up to 2^53, by number."""
    return np.bincount(number, values, count).astype(np.int64)


def members(number):
    """One of the vertices of each number from 0 on: the first."""
    first = np.empty(number.max() + 1, np.int32)
    first[number[::-1]] = np.arange(len(number) - 1, -1, -1)
    return first


def in_order(community):
    """The same communities, numbered from 0 in the order of their first vertices."""
    first = members(community)
    is_first = np.zeros(len(community), bool)
    is_first[first] = True
    place = np.cumsum(is_first, dtype=np.int32)[first] - np.int32(1)
    return place[community]
