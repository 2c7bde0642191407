"""The part of ParticleCommunities on the host: it finds clusters of vertices that lie near each
other, and sets vertices apart where edges have come or gone.

Clusters are found by single linkage along the graph's edges: the minimum spanning forest of their
lengths holds the clusters of every cut, which leaves out edges longer than some length. The cut
that is taken is the one whose clusters have the greatest modularity (Newman and Girvan, Finding and
Evaluating Community Structure in Networks, 2004).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from gascl.graph.graph import Graph

#: Cuts that are tried: this many lengths in equal ratios, from a hundredth of the longest.
CUTS, SHORTEST = 64, 0.01
#: How often a push is averaged over neighbors.
ROUNDS = 20


def by_length(graph: Graph, length: np.ndarray, smallest: int = 3) -> np.ndarray:
    """Clusters of vertices, numbered from 0 in the order of their first vertices: (V,) int32.

    A cluster of fewer than `smallest` vertices joins the one to which its shortest edge leads; it
    stays only where no edge leads out of it.

    Args:
        graph: a simple undirected one, as `Graph.simple` makes it.
        length: (E,), 0 or more, of each edge.
    """
    n, (ends, lengths) = graph.num_vertices, _forest(graph, length)
    degree = np.bincount(graph.edge_src, minlength=n) + np.bincount(graph.edge_dst, minlength=n)
    longest = lengths[-1] if len(lengths) else 0.0
    best, cluster = -np.inf, np.arange(n)
    for cut in longest * np.geomspace(1, SHORTEST, CUTS):
        tried = _without_small(n, ends, lengths <= cut, smallest)
        quality = _modularity(graph, degree, tried)
        if quality > best:
            best, cluster = quality, tried
    return _numbered(cluster)


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


def _forest(graph: Graph, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges of the minimum spanning forest, (2, edges), and their lengths, the shortest first."""
    # SciPy takes an explicit 0 for no edge.
    lengths = np.maximum(length.astype(np.float64), np.finfo(np.float32).tiny)
    shape = (graph.num_vertices, graph.num_vertices)
    found = minimum_spanning_tree(csr_array((lengths, (graph.edge_src, graph.edge_dst)), shape))
    found = found.tocoo()
    order = np.argsort(found.data, kind="stable")
    return np.stack([found.row, found.col])[:, order], found.data[order]


def _components(n: int, ends: np.ndarray) -> np.ndarray:
    ones = np.ones(ends.shape[1], np.int8)
    number: np.ndarray = connected_components(coo_array((ones, tuple(ends)), (n, n)), False)[1]
    return number


def _without_small(n: int, ends: np.ndarray, joined: np.ndarray, smallest: int) -> np.ndarray:
    """The clusters that the joined edges of the forest make, the small ones joined to others.

    The shortest edge out of a set of vertices is in the forest, whose edges come in that order.
    """
    while True:
        cluster = _components(n, ends[:, joined])
        size = np.bincount(cluster, minlength=1)
        first, second = cluster[ends]
        out = np.flatnonzero((first != second) & (np.minimum(size[first], size[second]) < smallest))
        if not len(out):
            return cluster
        way = np.full(len(size), ends.shape[1])
        np.minimum.at(way, first[out], out)
        np.minimum.at(way, second[out], out)
        chosen = way[(size < smallest) & (way < ends.shape[1])]
        joined = joined.copy()
        joined[chosen] = True


def _modularity(graph: Graph, degree: np.ndarray, cluster: np.ndarray) -> float:
    within = np.count_nonzero(cluster[graph.edge_src] == cluster[graph.edge_dst])
    edges = max(graph.num_edges, 1)
    share = np.bincount(cluster, degree, minlength=1) / (2 * edges)
    return float(within / edges - np.sum(share**2))


def _numbered(cluster: np.ndarray) -> np.ndarray:
    """The same clusters, numbered by their first vertices."""
    _, first, number = np.unique(cluster, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    return order[number].astype(np.int32)
