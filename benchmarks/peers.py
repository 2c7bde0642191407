"""The functions of other libraries that correspond to each bundled program.

README.md says where it is not the same work.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any

import numpy as np
from graphs import Edges

from gascl import Graph

#: What has to be installed for each library.
MODULES = {
    "NetworKit": "networkit",
    "igraph": "igraph",
    "GraphBLAS": "graphblas",
    "SciPy": "scipy",
}
#: Those that run on one thread.
SERIAL = ("igraph", "SciPy")
DAMPING = 0.85


def kept(make: Callable[..., Any]) -> Callable[..., Any]:
    """A method that makes a thing once; functools.cache would keep it when the object is gone."""

    @wraps(make)
    def get(self: Any, *form: bool) -> Any:
        key = (make.__name__, *form)
        if key not in self.made:
            self.made[key] = make(self, *form)
        return self.made[key]

    return get


class Inputs:
    """A graph, and each library's form of it, built once.

    Attributes:
        source: where searches begin.
        threads: how many a library may use.
    """

    def __init__(self, edges: Edges, threads: int = 2):
        self.edges, self.source, self.threads = edges, edges.hub, threads
        self.count, self.directed = edges.num_vertices, edges.directed
        self.made: dict[Any, Any] = {}

    @kept
    def graph(self) -> Graph:
        return self.edges.graph()

    @kept
    def networkit(self, weighted: bool = False) -> Any:
        import networkit as nk

        nk.setNumberOfThreads(self.threads)
        src, dst, weights = self.edges.listed()
        ends: Any = (src.astype(np.uint64), dst.astype(np.uint64))
        if weighted:
            ends = (weights.astype(np.float64), ends)
        return nk.GraphFromCoo(ends, n=self.count, directed=self.directed, weighted=weighted)

    @kept
    def igraph(self) -> Any:
        import igraph as ig

        src, dst, _ = self.edges.listed()
        return ig.Graph(n=self.count, edges=np.column_stack([src, dst]), directed=self.directed)

    @kept
    def scipy(self, weighted: bool = False) -> Any:
        """Float64, which SciPy's graph functions would otherwise make of it in every call."""
        from scipy.sparse import csr_array

        edges = self.edges
        values = edges.weights.astype(np.float64) if weighted else np.ones(len(edges.targets))
        arrays = (values, edges.targets, edges.offsets.astype(np.int32))
        return csr_array(arrays, shape=(self.count, self.count))

    @kept
    def graphblas(self, weighted: bool = False) -> Any:
        import graphblas as gb

        gb.ss.config["nthreads"] = self.threads
        edges = self.edges
        values = edges.weights if weighted else np.array([True])
        return gb.Matrix.ss.import_csr(
            indptr=edges.offsets.astype(np.uint64),
            col_indices=edges.targets.astype(np.uint64),
            values=values,
            is_iso=not weighted,
            nrows=self.count,
            ncols=self.count,
            sorted_cols=True,
        )


@dataclass(frozen=True)
class Peer:
    """A function of a library.

    Attributes:
        prepare: makes the call to time; the library's own graph is built before.
        answer: turns what the call returned into the array that `answers` compares; None: it is
            another answer than gascl's.
    """

    prepare: Callable[[Inputs], Callable[[], Any]]
    answer: Callable[[Any, Inputs], np.ndarray] | None = None


def missing(library: str) -> bool:
    return importlib.util.find_spec(MODULES[library]) is None


def networkit(
    make: Callable[[Any, Any, Inputs], Any],
    read: Callable[[Any, Inputs], np.ndarray] | None = None,
    weighted: bool = False,
) -> Peer:
    """A peer that runs the algorithm `make(networkit, graph, inputs)`."""

    def prepare(inputs: Inputs) -> Callable[[], Any]:
        import networkit as nk

        graph = inputs.networkit(weighted)
        return lambda: make(nk, graph, inputs).run()

    return Peer(prepare, read)


def igraph(
    call: Callable[[Any, Inputs], Any], read: Callable[[Any, Inputs], np.ndarray] | None = None
) -> Peer:
    return Peer(lambda inputs: partial(call, inputs.igraph(), inputs), read)


def scipy(
    call: Callable[[Any, Inputs], Any],
    read: Callable[[Any, Inputs], np.ndarray],
    weighted: bool = False,
) -> Peer:
    return Peer(lambda inputs: partial(call, inputs.scipy(weighted), inputs), read)


def graphblas(
    call: Callable[[Any, Inputs], Any],
    read: Callable[[Any, Inputs], np.ndarray],
    weighted: bool = False,
) -> Peer:
    return Peer(lambda inputs: partial(call, inputs.graphblas(weighted), inputs), read)


# What the libraries return, as arrays by vertex.


def array(found: Any, inputs: Inputs) -> np.ndarray:
    return np.asarray(found)


def scores(found: Any, inputs: Inputs) -> np.ndarray:
    return np.array(found.scores())


def finite(distances: np.ndarray) -> np.ndarray:
    """Depths, -1 where there is no path."""
    return np.where(distances < 1e30, distances, -1).astype(np.int64)


def infinite(distances: np.ndarray) -> np.ndarray:
    """NetworKit's distances; it has the largest float where there is no path."""
    return np.where(distances < 1e30, distances, np.inf)


def smallest(groups: Any) -> np.ndarray:
    """The number of each vertex's group, replaced by the smallest vertex of the group."""
    _, first, which = np.unique(np.asarray(groups), return_index=True, return_inverse=True)
    return first[which]


def depths_of_layers(found: Any, inputs: Inputs) -> np.ndarray:
    """From igraph's list of vertices, and where in it each layer begins."""
    order, starts, _ = found
    depth = np.full(inputs.count, -1)
    depth[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return depth


def depths_of_tree(found: Any, inputs: Inputs) -> np.ndarray:
    """From SciPy's predecessors: each step doubles how far a vertex looks up the tree."""
    order, parent = found
    up = np.where(parent < 0, inputs.source, parent).astype(np.int64)
    depth = np.ones(inputs.count, np.int64)
    depth[inputs.source] = 0
    while (up != inputs.source).any():
        depth, up = depth + depth[up], up[up]
    reached = np.zeros(inputs.count, bool)
    reached[order] = True
    return np.where(reached, depth, -1)


def triangles_of_coefficients(found: Any, inputs: Inputs) -> np.ndarray:
    coefficients = found if isinstance(found, list) else found.scores()
    degree = inputs.edges.out_degree.astype(np.int64)
    return np.rint(np.array(coefficients) * (degree * (degree - 1) // 2)).astype(np.int64)


def dense(missing: Any) -> Callable[[Any, Inputs], np.ndarray]:
    """From a vector of GraphBLAS."""

    def read(found: Any, inputs: Inputs) -> np.ndarray:
        index, values = found.to_coo()
        filled = np.full(inputs.count, missing, values.dtype)
        filled[index] = values
        return filled

    return read


# Algorithms on SuiteSparse:GraphBLAS and SciPy, whose functions are matrix products.


def graphblas_levels(matrix: Any, inputs: Inputs) -> Any:
    """As LAGraph's breadth-first search, which multiplies from the left (push) or right (pull)."""
    from graphblas import Vector, semiring

    level, frontier = Vector("int32", inputs.count), Vector(bool, inputs.count)
    level[inputs.source], frontier[inputs.source] = 0, True
    depth = 0
    while frontier.nvals:
        depth += 1
        pull = frontier.nvals > inputs.count / 20
        product = matrix @ frontier if pull else frontier @ matrix  # it is symmetric
        frontier(~level.S, replace=True) << semiring.any_pair(product)
        level(frontier.S) << depth
    return level


def graphblas_distances(matrix: Any, inputs: Inputs) -> Any:
    """Bellman-Ford from the vertices whose distance fell."""
    from graphblas import Vector, binary, op, semiring

    distance = Vector("float32", inputs.count)
    distance[inputs.source] = 0
    frontier = distance.dup()
    while frontier.nvals:
        frontier << semiring.min_plus(frontier @ matrix)
        known = op.ge(frontier & distance).new()  # not nearer than it was
        known << known.select("==", True)
        nearer = Vector("float32", inputs.count)
        nearer(~known.S) << frontier
        frontier = nearer
        distance(binary.min) << frontier
    return distance


def graphblas_components(matrix: Any, inputs: Inputs) -> np.ndarray:
    """FastSV (Zhang, Azad and Buluç, 2020)."""
    from graphblas import Vector, binary, semiring

    parent = np.arange(inputs.count)
    above = Vector.from_coo(parent, parent, size=inputs.count)  # the parents' parents
    label, least = above.dup(), above.dup()
    while True:
        least(binary.min) << semiring.min_second(matrix @ above)
        hooks = Vector.from_coo(parent, least.to_coo()[1], size=inputs.count, dup_op=binary.min)
        for found in (hooks, least, above):
            label(binary.min) << found
        parent = label.to_coo()[1]
        if (parent[parent] == above.to_coo()[1]).all():
            return parent
        above = Vector.from_coo(np.arange(inputs.count), parent[parent], size=inputs.count)


def graphblas_triangles(matrix: Any, inputs: Inputs) -> int:
    """As LAGraph counts them: dot products of the lower and upper triangles, sorted by degree."""
    from graphblas import Matrix, monoid, semiring

    order = np.argsort(inputs.edges.out_degree, kind="stable")
    ordered = matrix[order, order].new()
    lower, upper = ordered.select("tril", -1).new(), ordered.select("triu", 1).new()
    count = Matrix("int64", inputs.count, inputs.count)
    count(lower.S) << semiring.plus_pair(lower @ upper.T)
    return int(count.reduce_scalar(monoid.plus).value or 0)


def graphblas_ranks(matrix: Any, inputs: Inputs) -> Any:
    """Twenty iterations on an undirected graph."""
    from graphblas import Vector, binary, monoid, semiring

    n, degree = inputs.count, inputs.edges.out_degree
    every, sinks = np.arange(n), np.flatnonzero(degree == 0)
    shares = Vector.from_coo(every, np.maximum(degree, 1) / DAMPING, size=n, dtype="float32")
    sink = Vector.from_coo(sinks, True, size=n, dtype=bool)
    rank = Vector.from_coo(every, np.float32(1 / n), size=n)
    for _ in range(20):
        lost = Vector("float32", n)
        lost(sink.S) << rank
        sent = rank.ewise_mult(shares, binary.truediv).new()
        started = (1 - DAMPING + DAMPING * float(lost.reduce(monoid.plus).value or 0)) / n
        rank = Vector.from_coo(every, np.float32(started), size=n)
        rank(binary.plus) << semiring.plus_second(matrix @ sent)
    return rank


def scipy_ranks(
    matrix: Any, inputs: Inputs, spread: bool = True, iterations: int = 20
) -> np.ndarray:
    """On an undirected graph.

    Args:
        spread: the rank of vertices without arcs goes to all; else it is lost.
    """
    n, degree = inputs.count, inputs.edges.out_degree
    sinks, shares = degree == 0, np.maximum(degree, 1)
    rank = np.full(n, 1 / n)
    for _ in range(iterations):
        lost = rank[sinks].sum() if spread else 0
        rank = DAMPING * (matrix @ (rank / shares)) + (1 - DAMPING + DAMPING * lost) / n
    return rank


def networkit_ranks(nk: Any, graph: Any, inputs: Inputs) -> Any:
    """Twenty iterations: the tolerance is too small to be reached. Of undirected graphs it loses
    the rank of vertices without arcs, whatever `distributeSinks` says."""
    sinks = nk.centrality.SinkHandling.DistributeSinks
    made = nk.centrality.PageRank(graph, DAMPING, 1e-300, distributeSinks=sinks)
    made.maxIterations = 20
    return made


def networkit_diameter(nk: Any, graph: Any, inputs: Inputs) -> Any:
    return nk.distance.Diameter(graph, nk.distance.DiameterAlgo.Exact)


def networkit_independent(inputs: Inputs) -> Callable[[], Any]:
    import networkit as nk

    graph = inputs.networkit()
    return lambda: nk.independentset.Luby().run(graph)


def igraph_components(graph: Any, inputs: Inputs) -> Any:
    getattr(graph, "__invalidate_cache")()  # it remembers that it is connected
    return graph.connected_components(mode="weak")


def igraph_distances(inputs: Inputs) -> Callable[[], Any]:
    graph, weights = inputs.igraph(), inputs.edges.listed()[2].tolist()
    return lambda: graph.distances(inputs.source, weights=weights)


def igraph_weighted(call: Callable[[Any, list[float], Inputs], Any]) -> Peer:
    """A peer that also gets the weights, in the order of igraph's edges."""

    def prepare(inputs: Inputs) -> Callable[[], Any]:
        return partial(call, inputs.igraph(), inputs.edges.listed()[2].tolist(), inputs)

    return Peer(prepare)


def components(strong: bool) -> Callable[[Any, Inputs], Any]:
    def call(matrix: Any, inputs: Inputs) -> Any:
        from scipy.sparse.csgraph import connected_components

        kind = "strong" if strong else "weak"
        return connected_components(matrix, inputs.directed, kind)[1]

    return call


def scipy_distances(matrix: Any, inputs: Inputs) -> np.ndarray:
    from scipy.sparse.csgraph import dijkstra

    return dijkstra(matrix, indices=inputs.source)


def scipy_tree(matrix: Any, inputs: Inputs) -> Any:
    from scipy.sparse.csgraph import breadth_first_order

    return breadth_first_order(matrix, inputs.source)


def weak(nk: Any, graph: Any, inputs: Inputs) -> Any:
    kind = "WeaklyConnectedComponents" if inputs.directed else "ConnectedComponents"
    return getattr(nk.components, kind)(graph)


def labels(found: Any, inputs: Inputs) -> np.ndarray:
    """The smallest vertex of each vertex's component, from NetworKit or igraph."""
    if hasattr(found, "getPartition"):
        return smallest(found.getPartition().getVector())
    return smallest(found.membership if hasattr(found, "membership") else found)


def igraph_matching(graph: Any, inputs: Inputs) -> Any:
    return graph.maximum_bipartite_matching(
        types=[v >= inputs.count // 2 for v in range(inputs.count)]
    )


def networkit_community(inputs: Inputs) -> Callable[[], Any]:
    """Walkers that end with probability a, and do not move half of the time, have the ranks of
    those that do not end with probability (1 - a) / (1 + a)."""
    import networkit as nk

    found = nk.scd.PageRankNibble(inputs.networkit(), (1 - DAMPING) / (1 + DAMPING), 1e-6)
    return lambda: found.expandOneCommunity(inputs.source)


def drawn(graph: Any, k: int = 16) -> list[int]:
    return np.random.RandomState(0).permutation(graph.vcount())[:k].tolist()


def clustering(nk: Any, graph: Any, inputs: Inputs) -> Any:
    return nk.centrality.LocalClusteringCoefficient(graph, True)


def local_transitivity(graph: Any, inputs: Inputs) -> Any:
    return graph.transitivity_local_undirected(mode="zero")


#: Program -> library -> its function.
PEERS: dict[str, dict[str, Peer]] = {
    "Betweenness": {"igraph": igraph(lambda g, _: g.betweenness(sources=drawn(g)))},
    "BipartiteMatching": {"igraph": igraph(igraph_matching)},
    "BreadthFirst": {
        "NetworKit": networkit(
            lambda nk, g, i: nk.distance.BFS(g, i.source, storePaths=False),
            lambda found, _: finite(np.array(found.getDistances())),
        ),
        "igraph": igraph(lambda g, i: g.bfs(i.source, mode="out"), depths_of_layers),
        "GraphBLAS": graphblas(graphblas_levels, dense(-1)),
        "SciPy": scipy(scipy_tree, depths_of_tree),
    },
    "Closeness": {"igraph": igraph(lambda g, _: g.closeness(drawn(g), mode="in"))},
    "ConnectedComponents": {
        "NetworKit": networkit(weak, labels),
        "igraph": igraph(igraph_components, labels),
        "GraphBLAS": graphblas(graphblas_components, labels),
        "SciPy": scipy(components(strong=False), labels),
    },
    "CoreNumber": {
        "NetworKit": networkit(lambda nk, g, _: nk.centrality.CoreDecomposition(g), scores),
        "igraph": igraph(lambda g, _: g.coreness(), array),
    },
    "Diameter": {"NetworKit": networkit(networkit_diameter)},
    "Eigenvector": {
        "NetworKit": networkit(lambda nk, g, _: nk.centrality.EigenvectorCentrality(g))
    },
    "GreedyColoring": {"igraph": igraph(lambda g, _: g.vertex_coloring_greedy())},
    "HarmonicCloseness": {
        "igraph": igraph(lambda g, _: g.harmonic_centrality(drawn(g), mode="in"))
    },
    "Hits": {"igraph": igraph(lambda g, _: (g.hub_score(), g.authority_score()))},
    "Katz": {"NetworKit": networkit(lambda nk, g, _: nk.centrality.KatzCentrality(g))},
    "LabelPropagation": {
        "NetworKit": networkit(lambda nk, g, _: nk.community.PLP(g, maxIterations=10)),
        "igraph": igraph(lambda g, _: g.community_label_propagation()),
    },
    "Leiden": {
        "NetworKit": networkit(lambda nk, g, _: nk.community.ParallelLeiden(g)),
        "igraph": igraph(lambda g, _: g.community_leiden("modularity", n_iterations=2)),
    },
    "LocalClustering": {
        "NetworKit": networkit(clustering, scores),
        "igraph": igraph(local_transitivity, array),
    },
    "LocalCommunity": {"NetworKit": Peer(networkit_community)},
    "Louvain": {
        "NetworKit": networkit(lambda nk, g, _: nk.community.PLM(g)),
        "igraph": igraph(lambda g, _: g.community_multilevel()),
    },
    "MaximalIndependentSet": {"NetworKit": Peer(networkit_independent)},
    "Neighborhoods": {"igraph": igraph(lambda g, _: g.neighborhood_size(order=2, mode="out"))},
    "PageRank": {
        "NetworKit": networkit(networkit_ranks, scores),
        "igraph": igraph(lambda g, _: g.pagerank(damping=DAMPING), array),
        "GraphBLAS": graphblas(graphblas_ranks, dense(0)),
        "SciPy": scipy(scipy_ranks, array),
    },
    "ShortestPaths": {
        "NetworKit": networkit(
            lambda nk, g, i: nk.distance.Dijkstra(g, i.source, storePaths=False),
            lambda found, _: infinite(np.array(found.getDistances())),
            weighted=True,
        ),
        "igraph": Peer(igraph_distances, lambda found, _: np.array(found[0])),
        "GraphBLAS": graphblas(graphblas_distances, dense(np.inf), weighted=True),
        "SciPy": scipy(scipy_distances, array, weighted=True),
    },
    "SpanningForest": {
        "NetworKit": networkit(
            lambda nk, g, _: nk.graph.RandomMaximumSpanningForest(g), weighted=True
        ),
        "igraph": igraph_weighted(lambda g, weights, _: g.spanning_tree(weights)),
    },
    "StronglyConnected": {
        "NetworKit": networkit(
            lambda nk, g, _: nk.components.StronglyConnectedComponents(g), labels
        ),
        "igraph": igraph(lambda g, _: g.connected_components(mode="strong"), labels),
        "SciPy": scipy(components(strong=True), labels),
    },
    "Triangles": {
        "NetworKit": networkit(clustering, triangles_of_coefficients),
        "igraph": igraph(local_transitivity, triangles_of_coefficients),
        "GraphBLAS": graphblas(graphblas_triangles, array),
    },
    "WeightedBetweenness": {
        "igraph": igraph_weighted(
            lambda g, weights, _: g.betweenness(sources=drawn(g, 2), weights=weights)
        )
    },
    "WeightedCloseness": {
        "igraph": igraph_weighted(
            lambda g, weights, _: g.closeness(drawn(g), mode="in", weights=weights)
        )
    },
    "WeightedHarmonicCloseness": {
        "igraph": igraph_weighted(
            lambda g, weights, _: g.harmonic_centrality(drawn(g), mode="in", weights=weights)
        )
    },
}
