"""The part of ParticleCommunities on the host: it chooses among clusters of vertices that lie near
each other, and sets vertices apart where edges have come or gone.

Clusters are communities of the graph whose edges weigh the more the shorter they are, as Leiden
finds them, at several resolutions. The scale is that of the clusters by which a random walk on the
graph is described in the fewest bits (Rosvall and Bergstrom, Maps of Random Walks on Complex
Networks Reveal Community Structure, 2008). Unlike modularity, this does not merge small clusters of
a large graph.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gascl.graph.graph import Graph

#: The resolutions that are tried, of modularity.
RESOLUTIONS = (0.5, 1.0, 2.0, 4.0, 8.0)
#: An edge weighs e times less for so many times 1 / gamma of its length, but never less than this.
REACH, LEAST = 4, 1e-6
#: How often a push is averaged over neighbors.
ROUNDS = 20


def nearness(graph: Graph, position: np.ndarray, gamma: float) -> np.ndarray:
    """The weight of each edge, float64 (E,): 1 for a length of 0, less for longer ones.

    Args:
        position: (V, 3)
    """
    length = np.linalg.norm(position[graph.edge_src] - position[graph.edge_dst], axis=1)
    weight: np.ndarray = np.maximum(np.exp(-gamma / REACH * length.astype(np.float64)), LEAST)
    return weight


def best_scale(graph: Graph, clusters: Sequence[np.ndarray]) -> np.ndarray:
    """(V,) int32: of several divisions, (V,) each, the one with the shortest description.

    If a single cluster of all vertices has a shorter one still, there are no groups in which a
    random walk stays for long; then it is the division with the greatest modularity.
    """
    lengths = [description(graph, each) for each in clusters]
    if min(lengths) < description(graph, np.zeros(graph.num_vertices, np.int64)):
        return clusters[int(np.argmin(lengths))]
    return clusters[int(np.argmax([modularity(graph, each) for each in clusters]))]


def description(graph: Graph, cluster: np.ndarray) -> float:
    """The map equation: bits for each step of a random walk along the edges of an undirected graph,
    with a code for the vertices of each cluster, and one for the steps from cluster to cluster."""
    twice = max(2 * graph.num_edges, 1)
    src, dst = cluster[graph.edge_src], cluster[graph.edge_dst]
    count = int(cluster.max(initial=0)) + 1
    degree = _degrees(graph) / twice
    within = np.bincount(cluster, degree, minlength=count)
    out = src != dst
    ends = np.concatenate([src[out], dst[out]])
    leaves = np.bincount(ends, minlength=count) / twice
    total = _entropy(leaves.sum()) - 2 * _entropy(leaves) - _entropy(degree)
    return float(total + _entropy(leaves + within))


def _entropy(shares: np.ndarray) -> np.ndarray:
    """The sum of x log2(x)."""
    some = shares[shares > 0]
    total: np.ndarray = np.sum(some * np.log2(some))
    return total


def _degrees(graph: Graph) -> np.ndarray:
    ends = np.concatenate([graph.edge_src, graph.edge_dst])
    return np.bincount(ends, minlength=graph.num_vertices)


def push(before: Graph, now: Graph, seed: int) -> np.ndarray:
    """Where edges came or went, directions in which to set vertices apart: (V, 3), at most 1 long.

    Vertices of a community that lie in one point stay there when it falls apart, as forces cancel.
    Noise, averaged over neighbors again and again, is nearly the same within what now holds
    together, and differs between such groups. Only vertices with a changed edge, or with
    a neighbor that has one, are moved, and their mean displacement is zero.

    Args:
        before, now: simple undirected graphs of the same vertices, as `Graph.simple` makes them.
    """
    n = now.num_vertices
    near = _ends_of_changes(before, now)
    both = np.concatenate([[now.edge_src, now.edge_dst], [now.edge_dst, now.edge_src]], axis=1)
    near[both[1, near[both[0]]]] = True
    both = both[:, near[both].all(axis=0)]
    links = csr_array((np.ones(both.shape[1]), tuple(both)), (n, n))
    weight = links.sum(axis=1)[:, None]  # neighbors; without any, a vertex has none to leave
    part = connected_components(links, False)[1]
    whole = np.maximum(np.bincount(part, weight[:, 0]), 1)
    way = np.random.RandomState(seed).uniform(-1, 1, (n, 3))  # frozen: alike on every machine
    for _ in range(ROUNDS):
        way = (way + links @ way / np.maximum(weight, 1)) / 2
        drift = [np.bincount(part, weight[:, 0] * x) / whole for x in way.T]
        way = np.where(weight > 0, way - np.transpose(drift)[part], 0)
        longest = np.zeros(len(whole))
        np.maximum.at(longest, part, np.linalg.norm(way, axis=1))
        way /= np.maximum(longest, 1e-12)[part, None]
    return way


def _ends_of_changes(one: Graph, other: Graph) -> np.ndarray:
    """bool (V,): the ends of the edges that only one of two simple graphs has."""
    n, pairs = one.num_vertices, []
    for graph in (one, other):
        low, high = np.sort([graph.edge_src, graph.edge_dst], axis=0).astype(np.int64)
        pairs.append(low * n + high)
    changed = np.setxor1d(pairs[0], pairs[1], assume_unique=True)
    ends = np.zeros(n, bool)
    ends[np.concatenate(np.divmod(changed, max(n, 1)))] = True
    return ends


def modularity(graph: Graph, cluster: np.ndarray) -> float:
    """The modularity of clusters of a simple undirected graph."""
    within = np.count_nonzero(cluster[graph.edge_src] == cluster[graph.edge_dst])
    edges = max(graph.num_edges, 1)
    share = np.bincount(cluster, _degrees(graph), minlength=1) / (2 * edges)
    return float(within / edges - np.sum(share**2))
