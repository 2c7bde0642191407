"""Truss numbers: the truss number of an edge is the largest k for which it is in a k-truss, a
subgraph in which every edge is in at least k - 2 triangles.

Algorithm: peeling. Those edges are removed that are in the fewest triangles, and with them these
triangles, of which the others have so many fewer. The number of triangles in which an edge was when
it was removed, or the largest one before if that is more, is its truss number - 2.

Sources: Cohen, Trusses: Cohesive Subgraphs for Social Network Analysis (2008); Kabir and Madduri,
Parallel k-Truss Decomposition on Multicore Systems (2017), who remove all edges of a round at once;
Dhulipala, Blelloch and Shun, Julienne (2017), the buckets.

Differences: the stages run on a graph that has a vertex, with a self-loop, for each two vertices
that edges join, and these vertices besides. On a CPU, a pair waits in the bucket of its number of
triangles, and scatters once, along its self-loop, when it is removed. On a GPU, where the few pairs
of a bucket would keep only a work-group or two busy, all pairs apply in every superstep.
"""

from dataclasses import replace

import numpy as np

from gascl import Graph, VertexProgram, aggregate, arc, edge, param, struct, vertex
from gascl.programs.pair_join import numbered_pairs


class Support(VertexProgram):
    """In how many triangles pair v.id is, which joins `one` and `other`."""

    supersteps = param.supersteps(1)
    one = vertex.int32(doc="-1: there is no such pair")
    other = vertex.int32()
    left = vertex.int32()

    apply_on = "all"
    apply = "v.left = v.one < 0 ? -1 : common(v.one, v.other);"


class Peeling(VertexProgram):
    """Removes the pairs with the fewest triangles, again and again. Each has a self-loop, along
    which it scatters once."""

    pair = edge.int32(doc="the number of the edge")
    one = vertex.int32()
    other = vertex.int32()
    left = vertex.int32(doc="triangles; of a pair that is removed in level k, -1 - k")
    level = vertex.int32(doc="the last one in which the pair has lost triangles")

    Loss = struct([("level", "int32"), ("triangles", "int32")])
    message = Loss
    combine = "(Loss){max(a.level, b.level), a.triangles + b.triangles}"
    identity = "(Loss){0, 0}"
    mask, apply_on = "v.left >= 0", "mask"
    priority, delta = "max(v.left, v.level)", 1
    scatter = """
        const int level = max(v.left, v.level);
        int left = v.left;
        if (left > 0)
            for_common(w, v.one, v.other) {
                const int a = pair_from_first(w), b = pair_from_second(w);
                const int left_a = left_of(a), left_b = left_of(b);
                if (left_a < 0 || left_b < 0)
                    continue;
                // Of those that are removed now, the one with the smallest number tells the others.
                const bool keeps_a = left_a > level, keeps_b = left_b > level;
                if ((keeps_a || a > v.id) && (keeps_b || b > v.id)) {
                    if (keeps_a)
                        send_to(a, (Loss){level, 1});
                    if (keeps_b)
                        send_to(b, (Loss){level, 1});
                }
                if (--left == 0)
                    break;
            }
    """
    apply = """
        if (has_msg) {
            v.left -= msg.triangles;
            v.level = msg.level;
            set_mask();
        } else {
            v.left = -1 - max(v.left, v.level);  // it has scattered
        }
    """


class PeelingByRounds(VertexProgram):
    """The same in rounds of two supersteps, in which all pairs apply: in even ones, they learn
    which triangles they have lost, and in odd ones those with the fewest are removed."""

    pair = edge.int32(doc="the number of the edge")
    one = vertex.int32()
    other = vertex.int32(doc="-1: there is no such pair")
    left = vertex.int32(init="v.other < 0 ? -1 : 0", doc="triangles; -1: the pair is removed")
    truss = vertex.int32(init=2, doc="at least, until it is removed")
    level = aggregate.int32("min")

    message, combine = "int32", "sum"
    mask, apply_on, ends = "v.id < 0", "all", "stop"  # no vertex scatters
    stop = "superstep % 2 == 0 && agg.level == INT_MAX"  # no pair is left
    apply = """
        if (v.left < 0)
            return;
        if (superstep % 2 == 0) {
            v.left += superstep ? -msg : common(v.one, v.other);
            aggregate_level(max(v.left, v.truss - 2));
            return;
        }
        v.truss = prev.level + 2;
        if (v.left > prev.level)
            return;
        v.left = -1;
        for_common(w, v.one, v.other) {
            const int a = pair_from_first(w), b = pair_from_second(w);
            if (left_of(a) < 0 || left_of(b) < 0)
                continue;
            const bool keeps_a = left_of(a) > prev.level, keeps_b = left_of(b) > prev.level;
            if ((!keeps_a && a < v.id) || (!keeps_b && b < v.id))
                continue;  // that one is removed, too, and tells the others
            if (keeps_a)
                send_to(a, 1);
            if (keeps_b)
                send_to(b, 1);
        }
    """


class TrussNumber(VertexProgram):
    """The truss number of every edge, in the arc field `truss` (int32): an undirected edge's two
    arcs have the same.

    Edges of a k-truss are those with k or more; an edge in no triangle has 2. Direction and
    parallel edges make no difference; a self-loop has 0.
    """

    truss = arc.int32()

    def solve(self, stages):
        graph, rows = stages.graph, stages.derived(paired)
        ends = {name: rows.vertex_fields[name] for name in ("one", "other")}
        if stages.device.is_cpu:
            stages.run(Support(**ends), graph=rows, fresh=True)
            truss = 1 - stages.run(Peeling(), graph=rows).left
        else:
            truss = stages.run(PeelingByRounds(**ends), graph=rows, fresh=True).truss
        _, pair = numbered_pairs(graph)
        found = np.where(pair < 0, 0, truss[pair])
        return {"truss": found[graph.arcs().out_edges]}

    def largest_runs(self, size):
        pairs = size.num_edges - size.num_loops
        vertices, edges = size.num_vertices + pairs, 2 * pairs
        largest = replace(size, num_vertices=vertices, num_edges=edges, num_loops=pairs)
        return 1, replace(largest, directed=False)


def paired(graph):
    """A graph whose first vertices are the pairs, each with a self-loop; behind them come the
    vertices of the graph, with an edge for each pair. `one` and `other` are the two vertices of a
    pair."""
    ends, _ = numbered_pairs(graph)
    one, other = (end + len(end) for end in ends)
    number, none = np.arange(len(one)), np.full(graph.num_vertices, -1)
    return Graph.from_edges(
        np.concatenate([one, number]),
        np.concatenate([other, number]),
        num_vertices=len(one) + len(none),
        directed=False,
        vertex_fields={"one": np.append(one, none), "other": np.append(other, none)},
        pair=np.concatenate([number, number]).astype(np.int32),
    )
