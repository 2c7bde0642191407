"""Louvain: communities with many more edges within than chance would have it, by modularity.

    Q = sum over communities c of inside(c) / m - resolution * (strength(c) / 2m)^2

where m is the weight of all edges, inside(c) that of the edges within c, and strength(c) the sum of
its vertices' strengths, the weights of their edges.

Algorithm: at first every vertex is a community. In a round, each vertex goes to that neighbor's
community to which it adds most. When few go, communities become the vertices of a smaller graph, on
which it begins again, until nothing is gained.

Sources: Blondel, Guillaume, Lambiotte and Lefebvre, Fast Unfolding of Communities in Large Networks
(2008); Lu, Halappanavar and Kalyanaraman, Parallel Heuristics for Scalable Community Detection
(2015): a lone vertex goes to another lone one only if that has a smaller number.

Differences: the vertices of a round go in turns, drawn at random, and those of a turn all at once.
If too many vertices move at once, they oscillate between communities, so later rounds have more
turns. Early rounds have few turns, which is faster on large graphs; and as in annealing, mistakes
of early rounds lead to better communities in the end. A vertex with very many communities around it
weighs only some of them in a round.
"""

import numpy as np
from scipy.sparse import csr_array

from gascl import Graph, VertexProgram, aggregate, edge, param, vertex

#: The turns of the first rounds, times the vertices, are at least so many, within bounds: on small
#: graphs, more turns cost next to nothing.
_SHARE, _LEAST, _MOST = 2**18, 16, 128
#: So many rounds have the same number of turns, then they have twice as many, up to `_MOST` or
#: once more.
_ROUNDS = 6
#: A level ends with a round in which fewer go than one in this many vertices.
_FEW = 64


class Move(VertexProgram):
    """Rounds in which vertices go to the communities to which they add most, turn by turn."""

    seed = param.uint32(doc="another one gives vertices other turns")
    turns = param.uint32(doc="in a round: a power of 2")
    rounds = param.uint32(doc="at most")
    few = param.int64(doc="a round in which no more vertices go is the last one")
    price = param.real(doc="resolution / 2m")
    unit = param.real(doc="of strength and total: as integers, they add up exactly")
    weight = edge.real(default=1)
    strength = vertex.int64()
    group = vertex.vertex(init="v.id", doc="its community, by the number of a vertex")
    total = vertex.int64(init="v.strength", doc="the strength of the community of this number")
    moved = aggregate.int64("sum", doc="vertices that went, in this round so far")

    message, combine, edges = "int64", "sum", "both"
    mask, apply_on, ends = "v.id < 0", "all", "stop"  # no vertex scatters
    functions = """
        #define MOST 2048  // communities that a vertex weighs
        #define SLOTS (2 * MOST)
        #define TURN(id) (hash((id) ^ p.seed) & (p.turns - 1))
        #define SLOT(community) ((community) * 0x9e3779b1u >> 8 & last)
    """
    apply = """
        v.total += msg;
        const uint turn = superstep & (p.turns - 1);
        if (v.id == 0 && turn > 0)
            aggregate_moved(prev.moved);
        const int degree = num_neighbors, own = v.group;
        if (degree == 0 || TURN(v.id) != turn)
            return;

        // The communities around, in a table by hash; where there are too many, a part of them.
        int around[SLOTS];
        real weights[SLOTS], stays;
        ushort used[MOST];
        int count;
        const uint last = (uint)(0xffffffffu >> clz(2 * min(MOST, degree) - 1));
        for (uint part = 0; part == 0 || count == MOST; part = 2 * part + 1) {
            for (uint i = 0; i <= last; ++i)
                around[i] = -1;
            count = 0;
            stays = 0;
            for (int i = 0; i < degree && count < MOST; ++i) {
                const int other = neighbor(i), community = group_of(other);
                if (community == own) {
                    stays += other == v.id ? 0 : weight_to(i);
                    continue;
                }
                if (part && ((hash(community) ^ superstep) & part))
                    continue;
                uint at = SLOT(community);
                while (around[at] >= 0 && around[at] != community)
                    at = (at + 1) & last;
                if (around[at] < 0) {
                    around[at] = community;
                    weights[at] = 0;
                    used[count++] = at;
                }
                weights[at] += weight_to(i);
            }
        }

        const real price = p.price * p.unit * (p.unit * v.strength);
        const long others = total_of(own) - v.strength;
        real best = stays - price * others;
        int target = own;
        for (int i = 0; i < count; ++i) {
            const int community = around[used[i]];
            const long total = total_of(community);
            const real gain = weights[used[i]] - price * total;
            if (gain > best || (gain == best && community < target)) {
                best = gain;
                target = community;
            }
        }
        // Two lone vertices must not change places, as they could in the same turn or the next one.
        const bool lone = others == 0 && total_of(target) == strength_of(target);
        const uint later = (TURN(target) - turn + 1) & (p.turns - 1);
        if (lone && later <= 2 && target > own && group_of(target) == target)
            return;
        if (target != own) {
            aggregate_moved(1);
            send_to(own, -v.strength);
            send_to(target, v.strength);
            v.group = target;
        }
    """
    stop = """
        ((superstep + 1) & (p.turns - 1)) == 0
        && (agg.moved <= p.few || superstep + 1 == p.turns * p.rounds)
    """


class Louvain(VertexProgram):
    """Communities of high modularity, in `community` (int32): numbered from 0 in the order of their
    first vertices.

    Args:
        resolution: more than 1 prefers smaller communities, less than 1 larger ones.
        threshold: a level that gains no more modularity is the last one, and does not count.
        seed: another one lets other vertices go first.

    `result.aggregates` has the `modularity` (NaN if there are no edges, or all weights are 0) and
    the number of `levels`. Edges count by the edge field `weight`, 0 or more, and both ways: a
    directed graph has the communities of the undirected one. Weights of parallel edges add up, and
    self-loops count. A vertex without edges is a community of its own.
    """

    resolution = param.real(1, low=0)
    threshold = param.real(1e-7, low=0)
    seed = param.int32(0, low=0)
    weight = edge.float64(default=1, low=0, finite=True)
    community = vertex.int32()
    modularity = aggregate.real()
    levels = aggregate.int64()

    def solve(self, stages):
        graph, count = stages.graph, stages.graph.num_vertices
        weight = graph.edge_fields.get("weight", np.ones(min(graph.num_edges, 1)))
        largest = float(weight.max(initial=0))
        community = np.arange(count, dtype=np.int32)  # each by the number of one of its vertices
        if not largest:
            return {"community": community, "modularity": np.nan, "levels": 0}
        level, at = graph, community  # `at`: which community each vertex of the level is
        if "weight" in graph.edge_fields:
            level = graph.with_edge_fields(weight=weight / largest)
        links = matrix(level)
        strength = links.sum(axis=1)
        whole = strength.sum() / 2

        def modularity(inside):
            return inside / whole - self.resolution * ((strength / (2 * whole)) ** 2).sum()

        most = modularity(links.diagonal().sum() / 2)
        inside, levels = 0.0, 0  # the weight inside communities that `links` no longer has
        while True:
            group = self.moved(stages, level, strength[at], whole)
            number, many = numbered(group)
            links = merged(links, number, many)
            inside += links.diagonal().sum() / 2
            joins = np.arange(count, dtype=np.int32)
            joins[at] = at[group]
            strength = np.bincount(joins, strength, count)
            found = modularity(inside)
            if not found > most + self.threshold:
                break
            most, levels, community = found, levels + 1, joins[community]
            ends = links.tocoo()
            between = ends.row < ends.col
            if not between.any():
                break
            first = np.empty(many, np.int32)
            first[number] = at[group]
            linked, ends_ = np.unique([ends.row[between], ends.col[between]], return_inverse=True)
            at = first[linked]
            level = Graph.from_edges(
                *ends_.reshape(2, -1),
                num_vertices=len(linked),
                directed=False,
                weight=ends.data[between],
            )
            links = matrix(level)
        return {"community": in_order(community), "modularity": most, "levels": levels}

    def moved(self, stages, level, strength, whole):
        """int32 (V,): the communities of a level, each by the number of one of its vertices."""
        count = level.num_vertices
        unit = 2.0 ** (np.ceil(np.log2(2 * whole)) - 60)
        strength = np.rint(strength / unit).astype(np.int64)
        turns, few = _LEAST, count // _FEW
        while turns < _MOST and turns * count < _SHARE:
            turns *= 2
        group = np.arange(count, dtype=np.int32)
        while True:
            total = np.zeros(count, np.int64)
            np.add.at(total, group, strength)
            move = Move(
                seed=self.seed,
                turns=turns,
                rounds=_ROUNDS,
                few=few,
                price=self.resolution / (2 * whole),
                unit=unit,
                strength=strength,
                group=group,
                total=total,
                dtype=self.dtype,
            )
            result = stages.run(move, graph=level, fresh=True)
            group = result.group
            if result.trace[-1].aggregates["moved"] <= few or turns >= _MOST:
                return group
            turns *= 2


def matrix(graph):
    """(V, V) sparse: the weights of the edges between vertices, those of self-loops twice."""
    arcs, weight = graph.arcs("both"), graph.edge_fields.get("weight")
    values = np.ones(len(arcs.out_targets)) if weight is None else weight[arcs.out_edges]
    if graph.num_loops:
        values[arcs.out.rows == arcs.out_targets] *= 2
    return csr_array((values, arcs.out_targets, arcs.out_offsets), (graph.num_vertices,) * 2)


def merged(links, number, count):
    """(communities, communities) sparse: the sums of the weights, by the communities' numbers."""
    rows = len(number)
    members = csr_array((np.ones(rows), number, np.arange(rows + 1)), (rows, count)).T.tocsr()
    return members @ csr_array((links.data, number[links.indices], links.indptr), (rows, count))


def numbered(group):
    """The same communities, numbered from 0; and how many there are."""
    there = np.zeros(len(group), bool)
    there[group] = True
    number = np.cumsum(there, dtype=np.int32) - 1
    return number[group], int(number[-1]) + 1


def in_order(community):
    """The same communities, numbered from 0 in the order of their first vertices."""
    _, first, number = np.unique(community, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[number]
