"""The functions of other libraries that correspond to each bundled program.

A peer is a function that takes `Inputs` and returns the call to time; the library's own graph is
built before. README.md says where it is not the same work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gascl import Graph

Peer = Callable[["Inputs"], Callable[[], Any]]


class Inputs:
    """The edges, and each library's graph of them, directed or undirected, built once."""

    def __init__(self, count: int, src: np.ndarray, dst: np.ndarray, weights: np.ndarray):
        self.count, self.src, self.dst, self.weights = count, src, dst, weights
        pairs = np.minimum(src, dst).astype(np.int64) * count + np.maximum(src, dst)
        _, self.once = np.unique(pairs, return_index=True)  # each undirected edge once

    def ends(self, directed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        keep = slice(None) if directed else self.once
        return self.src[keep], self.dst[keep], self.weights[keep]

    def graph(self, directed: bool) -> Graph:
        src, dst, weights = self.ends(directed)
        return Graph.from_edges(
            src, dst, num_vertices=self.count, directed=directed, weight=weights
        )

    @cache  # noqa: B019  # there is one object for the whole run
    def networkit(self, directed: bool, weighted: bool = False) -> Any:
        import networkit as nk

        src, dst, weights = self.ends(directed)
        ends = (src.astype(np.uint64), dst.astype(np.uint64))
        if weighted:
            made = nk.GraphFromCoo(
                (weights.astype(float), ends), n=self.count, directed=directed, weighted=True
            )
        else:
            made = nk.GraphFromCoo(ends, n=self.count, directed=directed)
        made.indexEdges()
        return made

    @cache  # noqa: B019
    def igraph(self, directed: bool) -> Any:
        import igraph as ig

        src, dst, _ = self.ends(directed)
        return ig.Graph(n=self.count, edges=np.column_stack([src, dst]), directed=directed)


def networkit(directed: bool, make: Callable[[Any, Any], Any], weighted: bool = False) -> Peer:
    """A peer that runs the algorithm `make(networkit, graph)`."""

    def peer(inputs: Inputs) -> Callable[[], Any]:
        import networkit as nk

        nk.setNumberOfThreads(2)
        graph = inputs.networkit(directed, weighted)
        return lambda: make(nk, graph).run()

    return peer


def igraph(directed: bool, call: Callable[[Any], Any]) -> Peer:
    def peer(inputs: Inputs) -> Callable[[], Any]:
        graph = inputs.igraph(directed)
        return lambda: call(graph)

    return peer


def drawn(graph: Any, k: int = 16) -> list[int]:
    return np.random.RandomState(0).permutation(graph.vcount())[:k].tolist()


#: Program -> whether its graph is directed, and the peers.
PEERS: dict[str, tuple[bool, dict[str, Peer]]] = {
    "Betweenness": (
        True,
        {"igraph": igraph(True, lambda g: g.betweenness(sources=drawn(g)))},
    ),
    "BreadthFirst": (
        True,
        {
            "NetworKit": networkit(True, lambda nk, g: nk.distance.BFS(g, 0)),
            "igraph": igraph(True, lambda g: g.bfs(0, mode="out")),
        },
    ),
    "Closeness": (
        True,
        {"igraph": igraph(True, lambda g: g.closeness(drawn(g), mode="in"))},
    ),
    "ConnectedComponents": (
        True,
        {
            "NetworKit": networkit(True, lambda nk, g: nk.components.WeaklyConnectedComponents(g)),
            "igraph": igraph(True, lambda g: g.connected_components(mode="weak")),
        },
    ),
    "CoreNumber": (
        False,
        {
            "NetworKit": networkit(False, lambda nk, g: nk.centrality.CoreDecomposition(g)),
            "igraph": igraph(False, lambda g: g.coreness()),
        },
    ),
    "Eigenvector": (
        False,
        {"NetworKit": networkit(False, lambda nk, g: nk.centrality.EigenvectorCentrality(g))},
    ),
    "GreedyColouring": (
        False,
        {"igraph": igraph(False, lambda g: g.vertex_coloring_greedy())},
    ),
    "HarmonicCloseness": (
        True,
        {"igraph": igraph(True, lambda g: g.harmonic_centrality(drawn(g), mode="in"))},
    ),
    "Hits": (
        True,
        {"igraph": igraph(True, lambda g: (g.hub_score(), g.authority_score()))},
    ),
    "Katz": (
        True,
        {"NetworKit": networkit(True, lambda nk, g: nk.centrality.KatzCentrality(g))},
    ),
    "LabelPropagation": (
        False,
        {
            "NetworKit": networkit(False, lambda nk, g: nk.community.PLP(g, maxIterations=10)),
            "igraph": igraph(False, lambda g: g.community_label_propagation()),
        },
    ),
    "LocalClustering": (
        False,
        {
            "NetworKit": networkit(
                False, lambda nk, g: nk.centrality.LocalClusteringCoefficient(g, True)
            ),
            "igraph": igraph(False, lambda g: g.transitivity_local_undirected(mode="zero")),
        },
    ),
    "MaximalIndependentSet": (
        False,
        {"NetworKit": lambda inputs: luby(inputs)},
    ),
    "Neighbourhoods": (
        True,
        {"igraph": igraph(True, lambda g: g.neighborhood_size(order=2, mode="out"))},
    ),
    "PageRank": (
        True,
        {
            "NetworKit": lambda inputs: page_rank(inputs),
            "igraph": igraph(True, lambda g: g.pagerank()),
        },
    ),
    "ShortestPaths": (
        True,
        {
            "NetworKit": networkit(True, lambda nk, g: nk.distance.Dijkstra(g, 0), weighted=True),
        },
    ),
    "StronglyConnected": (
        True,
        {
            "NetworKit": networkit(
                True, lambda nk, g: nk.components.StronglyConnectedComponents(g)
            ),
            "igraph": igraph(True, lambda g: g.connected_components(mode="strong")),
        },
    ),
    "Triangles": (
        False,
        {
            "NetworKit": networkit(False, lambda nk, g: nk.sparsification.TriangleEdgeScore(g)),
            "igraph": igraph(False, lambda g: g.transitivity_undirected()),
        },
    ),
}


def page_rank(inputs: Inputs) -> Callable[[], Any]:
    """Twenty iterations: the tolerance is too small to be reached."""
    import networkit as nk

    def run() -> None:
        made = nk.centrality.PageRank(inputs.networkit(True), damp=0.85, tol=1e-300)
        made.maxIterations = 20
        made.run()

    return run


def luby(inputs: Inputs) -> Callable[[], Any]:
    import networkit as nk

    graph = inputs.networkit(False)
    return lambda: nk.independentset.Luby().run(graph)
