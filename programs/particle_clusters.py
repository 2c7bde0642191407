"""The part of ParticleCommunities on the host: it prepares weights and first places, chooses among
clusters of vertices that lie near each other, and sets vertices apart where edges came or went.

Clusters are communities of the graph whose edges weigh the more the shorter they are, as Leiden
finds them, at several resolutions. The scale is that of the clusters by which a random walk on the
graph is described in the fewest bits (Rosvall and Bergstrom, Maps of Random Walks on Complex
Networks Reveal Community Structure, 2008). Unlike modularity, this does not merge small clusters of
a large graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gascl.graph.graph import Graph

#: An edge weighs e times less for so many times 1 / gamma of its length, but never less than this.
REACH, LEAST = 4, 1e-6


def weighted(graph: Graph) -> Graph:
    """The simple undirected graph, with no other edge fields than `weight`, if the graph has it:
    float64, a multiple of the mean. The weights of parallel edges add up."""
    simple = graph.simple(undirected=True)
    weight = graph.edge_fields.get("weight")
    if weight is None or not simple.num_edges:
        return simple.with_edge_fields(**dict.fromkeys(simple.edge_fields))
    known, code = (_codes(each) for each in (simple, graph))
    order = np.argsort(known)
    ends = graph.edge_src != graph.edge_dst
    edge = order[np.searchsorted(known, code[ends], sorter=order)]
    total = np.bincount(edge, weight[ends].astype(np.float64), simple.num_edges)
    multiple = total / (total.mean() or 1)
    return simple.with_edge_fields(**dict.fromkeys(simple.edge_fields) | {"weight": multiple})


def _codes(graph: Graph) -> np.ndarray:
    """int64 (E,): a number for the two ends of each edge, whichever way it is given."""
    low, high = np.sort([graph.edge_src, graph.edge_dst], axis=0).astype(np.int64)
    codes: np.ndarray = low * graph.num_vertices + high
    return codes


def strengths(graph: Graph) -> np.ndarray:
    """float64 (V,): the sum of the weights of each vertex's edges, or their number."""
    weight = graph.edge_fields.get("weight")
    both = None if weight is None else np.concatenate([weight, weight])
    ends = np.concatenate([graph.edge_src, graph.edge_dst])
    return np.bincount(ends, both, graph.num_vertices).astype(np.float64)


def spread(number: np.ndarray) -> np.ndarray:
    """(V, 3): places evenly spread over each axis of a cube, in the order of the numbers (V, 3).

    At rest, particles fill about such a cube.
    """
    count = len(number)
    rank = np.argsort(np.argsort(number, axis=0, kind="stable"), axis=0, kind="stable")
    place: np.ndarray = ((rank + 0.5) / max(count, 1) - 0.5) * count**0.25
    return place


def near_weights(graph: Graph, position: np.ndarray, gamma: float) -> Graph:
    """The graph whose edges weigh the less the longer they are.

    Args:
        position: (V, 3)
    """
    length = np.linalg.norm(position[graph.edge_src] - position[graph.edge_dst], axis=1)
    weight = np.maximum(np.exp(-gamma / REACH * length.astype(np.float64)), LEAST)
    return graph.with_edge_fields(weight=weight * graph.edge_fields.get("weight", 1.0))


def best_scale(graph: Graph, clusters: Sequence[np.ndarray]) -> np.ndarray:
    """(V,) int32: of several divisions, (V,) each, the one with the shortest description.

    If a single cluster of all vertices has a shorter one still, there are no groups in which a
    random walk stays for long; then it is the division with the greatest modularity.
    """
    degree = strengths(graph)
    lengths = [description(graph, each, degree) for each in clusters]
    if min(lengths) < description(graph, np.zeros(graph.num_vertices, np.int64), degree):
        return clusters[int(np.argmin(lengths))]
    return clusters[int(np.argmax([modularity(graph, each, degree) for each in clusters]))]


def description(graph: Graph, cluster: np.ndarray, degree: np.ndarray) -> float:
    """The map equation: bits for each step of a random walk along the edges of an undirected graph,
    by their weights, with a code for the vertices of each cluster, and one for the steps from
    cluster to cluster.

    Args:
        degree: the vertices' `strengths`.
    """
    twice = degree.sum() or 1.0
    degree = degree / twice
    src, dst = cluster[graph.edge_src], cluster[graph.edge_dst]
    count = int(cluster.max(initial=0)) + 1
    within = np.bincount(cluster, degree, minlength=count)
    out = src != dst
    weight = _weights(graph)[out]
    ends = np.concatenate([src[out], dst[out]])
    leaves = np.bincount(ends, np.concatenate([weight, weight]), minlength=count) / twice
    total = _entropy(leaves.sum()) - 2 * _entropy(leaves) - _entropy(degree)
    return float(total + _entropy(leaves + within))


def _weights(graph: Graph) -> np.ndarray:
    """float64 (E,): the edges' weights, or 1."""
    return np.asarray(graph.edge_fields.get("weight", np.ones(graph.num_edges)))


def _entropy(shares: np.ndarray) -> np.ndarray:
    """The sum of x log2(x)."""
    some = shares[shares > 0]
    total: np.ndarray = np.sum(some * np.log2(some))
    return total


def push(
    ends: np.ndarray,
    now: Graph,
    seed: int,
    averages: Callable[..., np.ndarray],
) -> np.ndarray:
    """Where edges came or went, directions in which to set vertices apart: (V, 3), at most 1 long.

    Vertices of a community that lie in one point stay there when it falls apart, as forces cancel.
    Noise, averaged over neighbors again and again, is nearly the same within what now holds
    together, and differs between such groups. Only vertices with a changed edge, or with
    a neighbor that has one, are moved, and their mean displacement is zero.

    Args:
        ends: bool (V,) the ends of the edges that have come or gone.
        now: a simple undirected graph.
        averages: averages noise (V, 3) over neighbors, given `strength` (V,): the sum of the
            weights of a vertex's edges to others that are moved, or 0 if it is not moved itself.
            The means of connected parts, weighted by strength, stay as they are.
    """
    n, near = now.num_vertices, ends.copy()
    src, dst = now.edge_src, now.edge_dst
    near[dst[ends[src]]] = near[src[ends[dst]]] = True
    inside = near[src] & near[dst]
    src, dst, weight = src[inside], dst[inside], _weights(now)[inside]
    strength = np.bincount(src, weight, n) + np.bincount(dst, weight, n)
    pulls = weight > 0
    links = csr_array((pulls[pulls], (src[pulls], dst[pulls])), (n, n))
    part = connected_components(links, False)[1]
    whole = np.bincount(part, strength)
    whole[whole == 0] = 1  # a vertex without neighbors has none to leave

    def centered(way: np.ndarray) -> np.ndarray:
        drift = [np.bincount(part, strength * x) / whole for x in way.T]
        return np.where(strength[:, None] > 0, way - np.transpose(drift)[part], 0)

    noise = np.random.RandomState(seed).uniform(-1, 1, (n, 3))  # frozen: alike on every machine
    way = centered(averages(centered(noise), strength=strength))
    longest = np.zeros(len(whole))
    np.maximum.at(longest, part, np.linalg.norm(way, axis=1))
    return way / np.maximum(longest, 1e-30)[part, None]


def ends_of_changes(one: Graph, other: Graph) -> np.ndarray:
    """bool (V,): the ends of the edges that only one of two simple undirected graphs of the same
    vertices has."""
    n = one.num_vertices
    changed = np.setxor1d(_codes(one), _codes(other), assume_unique=True)
    ends = np.zeros(n, bool)
    ends[np.concatenate(np.divmod(changed, max(n, 1)))] = True
    return ends


def modularity(graph: Graph, cluster: np.ndarray, degree: np.ndarray) -> float:
    """The modularity of clusters of a simple undirected graph, with its `strengths`."""
    twice = degree.sum() or 1.0
    within = _weights(graph)[cluster[graph.edge_src] == cluster[graph.edge_dst]].sum()
    share = np.bincount(cluster, degree, minlength=1) / twice
    return float(2 * within / twice - np.sum(share**2))
