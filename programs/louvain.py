"""Louvain: communities with many more edges within than chance would have it, by modularity.

    Q = sum over communities c of inside(c) / m - resolution * (strength(c) / 2m)^2

where m is the weight of all edges, inside(c) that of the edges within c, and strength(c) the sum of
its vertices' strengths, the weights of their edges.

Algorithm: at first every vertex is a community. In each round, vertices go to that neighbour's
community to which they add most. When that gains little more, communities become the vertices of a
smaller graph, on which it begins again, until nothing is gained.

Sources: Blondel, Guillaume, Lambiotte and Lefebvre, Fast Unfolding of Communities in Large Networks
(2008); Lu, Halappanavar and Kalyanaraman, Parallel Heuristics for Scalable Community Detection
(2015): a lone vertex goes to another lone one only if that has a smaller number.

Differences: the vertices of a round go at once, so that two may change places, or all go where only
a few should. Therefore only a random half of them may go in a round, and what is kept is the best
communities of all rounds. A run repeats.
"""

import numpy as np

from gascl import Graph, VertexProgram, edge, param, struct, vertex

#: Rounds without a gain after which a level ends.
PATIENCE = 4


class Move(VertexProgram):
    """A round: vertices go to the community to which they add most."""

    supersteps = param.supersteps(1)
    turn = param.uint32(doc="another one lets other vertices go")
    price = param.real(doc="resolution / 2m")
    community = vertex.int32()
    strength = vertex.real()
    total = vertex.real(doc="the strength of the community of this number")
    members = vertex.int32(doc="of the community of this number")
    weight = edge.real(default=1, low=0, finite=True)

    message = struct([("community", "int32"), ("weight", "real")])
    gathered = "int32"
    edges, scatter_on = "both", "all"
    functions = """
        #define MAY_GO (hash(v.id ^ hash(p.turn)) & 1)

        // By community, and then by weight, so that sums do not depend on the order of messages.
        bool before(const message a, const message b) {
            return a.community < b.community || (a.community == b.community && a.weight < b.weight);
        }

        void sift(__global message *heap, int at, const int size) {
            const message moved = heap[at];
            for (int child; (child = 2 * at + 1) < size; at = child) {
                if (child + 1 < size && before(heap[child], heap[child + 1]))
                    ++child;
                if (!before(moved, heap[child]))
                    break;
                heap[at] = heap[child];
            }
            heap[at] = moved;
        }
    """
    scatter = """
        if (e.src != e.dst)
            send((message){v.community, e.weight});
    """
    gather = """
        msg = v.community;
        if (!MAY_GO)
            return;
        for (int at = num_messages / 2; at-- > 0;)
            sift(messages, at, num_messages);
        for (int size = num_messages; --size > 0;) {
            const message last = messages[size];
            messages[size] = messages[0];
            messages[0] = last;
            sift(messages, 0, size);
        }
        const real price = p.price * v.strength;
        const bool lone = members_of(v.community) == 1;
        real stays = 0, best = -INFINITY;
        int target = v.community;
        for (int i = 0; i < num_messages;) {
            const int community = messages[i].community;
            real sum = 0;
            for (; i < num_messages && messages[i].community == community; ++i)
                sum += messages[i].weight;
            if (community == v.community) {
                stays = sum;
                continue;
            }
            const real gain = sum - price * total_of(community);
            const bool allowed = !lone || members_of(community) > 1 || community < v.community;
            if (allowed && gain > best) {
                best = gain;
                target = community;
            }
        }
        if (best > stays - price * (total_of(v.community) - v.strength))
            msg = target;
    """
    apply = "v.community = msg;"


class Louvain(VertexProgram):
    """Communities of high modularity, in `community` (int32): numbered from 0 in the order of their
    first vertices.

    Args:
        resolution: more than 1 prefers smaller communities, less than 1 larger ones.
        threshold: a level ends when its rounds gain less modularity.
        seed: another one lets other vertices go in a round.

    Edges count by the edge field `weight`, 0 or more, and both ways: a directed graph has the
    communities of the undirected one. Weights of parallel edges add up, and self-loops count. A
    vertex without edges is a community of its own.
    """

    resolution = param.real(1, low=0)
    threshold = param.real(1e-7, low=0)
    seed = param.int32(0, low=0)
    weight = edge.float64(default=1, low=0, finite=True)
    community = vertex.int32()

    def solve(self, stages):
        graph, count = stages.graph, stages.graph.num_vertices
        weight = graph.edge_fields.get("weight", np.ones(graph.num_edges)).astype(np.float64)
        whole, largest = weight.sum(), weight.max(initial=0)
        community = np.arange(count)
        if whole > 0:
            level = graph.with_fields(weight=weight / largest)
            while True:
                found = self.one_level(stages, level, whole / largest)
                if found is None:
                    break
                community = found[community]
                level = merged(level, found)
        first, place = np.unique(community, return_index=True)
        number = np.empty(int(first.max()) + 1, np.int32)
        number[first[np.argsort(place)]] = np.arange(len(first))
        return {"community": number[community]}

    def one_level(self, stages, graph, whole):
        """int64 (V,): a number from 0 for each community of a level; None: it gained nothing."""
        count, weight = graph.num_vertices, graph.edge_fields["weight"]
        strength = np.bincount(graph.edge_src, weight, count)
        strength += np.bincount(graph.edge_dst, weight, count)

        def modularity(community, total):
            inside = weight[community[graph.edge_src] == community[graph.edge_dst]].sum()
            return inside / whole - self.resolution * ((total / (2 * whole)) ** 2).sum()

        community = np.arange(count, dtype=np.int32)
        begun = most = modularity(community, strength)
        best, rounds, last_gain = community, 0, 0
        while rounds - last_gain < PATIENCE:
            total = np.bincount(community, strength, count)
            move = Move(
                turn=(self.seed + rounds) % 2**32,
                price=self.resolution / (2 * whole),
                community=community,
                strength=strength,
                total=total,
                members=np.bincount(community, minlength=count),
                dtype=self.dtype,
            )
            community = stages.run(move, graph=graph, fresh=True).community
            rounds += 1
            found = modularity(community, np.bincount(community, strength, count))
            if found > most + self.threshold:
                last_gain = rounds
            if found > most:
                best, most = community, found
        if not most > begun + self.threshold:
            return None
        return np.unique(best, return_inverse=True)[1]


def merged(graph, community):
    """The graph of the communities, whose edges have the sums of their weights."""
    count = int(community.max()) + 1
    src, dst = community[graph.edge_src], community[graph.edge_dst]
    low, high = np.minimum(src, dst).astype(np.int64), np.maximum(src, dst)
    keys, edge_of = np.unique(low * count + high, return_inverse=True)
    weight = np.bincount(edge_of, graph.edge_fields["weight"], len(keys))
    src, dst = np.divmod(keys, count)
    return Graph.from_edges(src, dst, num_vertices=count, directed=False, weight=weight)
