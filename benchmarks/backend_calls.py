"""Sixty calls of NetworkX, of all kinds, with which `backend.py --automatic` compares it with and
without gascl: whole graphs, searches from a node with limits and without, few pairs, iterators of
which only the first item is taken, and calls that NetworkX can decide at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np

#: A call by name: its graph ("G" undirected, "D" directed, both with weights), how it is made, and
#: from how many edges on NetworkX takes too long to be waited for.
Call = tuple[str, str, Callable[[Any], Any], float]

EVER, LONG, PAIRS = 1e9, 100_000, 2_000


def graph(edges: int, directed: bool, seed: int = 0) -> Any:
    """A graph of about so many edges, with hubs and, at its end, nodes without edges."""
    draw = np.random.default_rng(seed)
    count = max(edges // 8, 5)
    ends = (count * draw.random((2, edges)) ** 2).astype(int).tolist()
    G = nx.DiGraph() if directed else nx.Graph()
    G.add_nodes_from(range(count))
    G.add_weighted_edges_from(zip(*ends, draw.random(edges).tolist(), strict=True))
    G.remove_edges_from(list(nx.selfloop_edges(G)))
    return G


def pairs(G: Any, count: int) -> list[tuple[int, int]]:
    """Pairs of different nodes, always the same."""
    draw = np.random.default_rng(1)
    ends = draw.integers(0, len(G), (count, 2)).tolist()
    return [(u, v) for u, v in ends if u != v]


def middle(G: Any) -> int:
    """A node of medium degree."""
    return len(G) // 3


CALLS: list[Call] = [
    # the whole graph
    ("pagerank", "D", nx.pagerank, EVER),
    ("pagerank, no weight", "G", lambda G: nx.pagerank(G, weight=None), EVER),
    ("hits", "D", nx.hits, LONG),
    ("katz_centrality", "G", lambda G: nx.katz_centrality(G, alpha=1e-4, weight=None), LONG),
    ("eigenvector_centrality", "G", nx.eigenvector_centrality, LONG),
    ("degree_centrality", "G", nx.degree_centrality, EVER),
    ("core_number", "G", nx.core_number, LONG),
    ("triangles", "G", nx.triangles, LONG),
    ("clustering", "G", nx.clustering, LONG),
    ("transitivity", "G", nx.transitivity, LONG),
    ("k_core", "G", lambda G: nx.k_core(G, 3), LONG),
    ("onion_layers", "G", nx.onion_layers, LONG),
    ("number_of_selfloops", "G", nx.number_of_selfloops, EVER),
    ("number_of_isolates", "G", nx.number_of_isolates, EVER),
    ("reciprocity", "D", nx.reciprocity, LONG),
    ("degree_assortativity", "G", nx.degree_assortativity_coefficient, LONG),
    ("greedy_color", "G", lambda G: nx.greedy_color(G, "largest_first"), LONG),
    ("to_scipy_sparse_array", "G", nx.to_scipy_sparse_array, EVER),
    ("betweenness_centrality, k=3", "G", lambda G: nx.betweenness_centrality(G, 3, seed=1), LONG),
    ("closeness_centrality", "G", nx.closeness_centrality, PAIRS),
    ("diameter, error", "G", lambda G: _or_error(nx.diameter, G), PAIRS),
    ("global_efficiency", "G", nx.global_efficiency, PAIRS),
    ("minimum_spanning_edges", "G", lambda G: list(nx.minimum_spanning_edges(G)), LONG),
    (
        "topological_sort, error",
        "D",
        lambda G: _or_error(lambda G: [*nx.topological_sort(G)], G),
        LONG,
    ),
    # components
    ("connected_components", "G", lambda G: list(nx.connected_components(G)), EVER),
    ("next(connected_components)", "G", lambda G: next(nx.connected_components(G)), EVER),
    ("is_connected", "G", nx.is_connected, EVER),
    ("is_connected, isolated first node", "I", nx.is_connected, EVER),
    (
        "strongly_connected_components",
        "D",
        lambda G: list(nx.strongly_connected_components(G)),
        LONG,
    ),
    (
        "next(strongly_connected_components)",
        "D",
        lambda G: next(nx.strongly_connected_components(G)),
        EVER,
    ),
    ("is_strongly_connected", "D", nx.is_strongly_connected, EVER),
    ("is_bipartite", "G", nx.is_bipartite, EVER),
    ("is_directed_acyclic_graph", "D", nx.is_directed_acyclic_graph, LONG),
    ("node_connected_component, isolated", "I", lambda G: nx.node_connected_component(G, 0), EVER),
    ("descendants", "D", lambda G: nx.descendants(G, middle(G)), EVER),
    ("descendants of a sink", "S", lambda G: nx.descendants(G, 0), EVER),
    ("next(isolates)", "I", lambda G: next(nx.isolates(G)), EVER),
    # searches
    *(
        (
            f"BFS lengths, cutoff={c}",
            "G",
            lambda G, c=c: nx.single_source_shortest_path_length(G, middle(G), c),
            EVER,
        )
        for c in (0, 1, 2, 3, None)
    ),
    ("BFS lengths, isolated", "I", lambda G: nx.single_source_shortest_path_length(G, 0), EVER),
    (
        "single_source_shortest_path",
        "G",
        lambda G: nx.single_source_shortest_path(G, middle(G)),
        LONG,
    ),
    ("shortest_path(G, s)", "G", lambda G: nx.shortest_path(G, middle(G)), LONG),
    ("shortest_path(G, s, t)", "G", lambda G: nx.shortest_path(G, middle(G), 1), EVER),
    ("has_path", "D", lambda G: nx.has_path(G, middle(G), 1), EVER),
    *(
        (
            f"bfs_edges, depth_limit={d}",
            "G",
            lambda G, d=d: list(nx.bfs_edges(G, middle(G), depth_limit=d)),
            EVER,
        )
        for d in (1, 2, None)
    ),
    ("next(bfs_edges)", "G", lambda G: next(nx.bfs_edges(G, middle(G))), EVER),
    ("bfs_layers", "G", lambda G: list(nx.bfs_layers(G, middle(G))), EVER),
    ("next(bfs_layers)", "G", lambda G: next(nx.bfs_layers(G, middle(G))), EVER),
    (
        "next(all_pairs_shortest_path_length)",
        "G",
        lambda G: next(nx.all_pairs_shortest_path_length(G)),
        LONG,
    ),
    ("ego_graph", "G", lambda G: nx.ego_graph(G, middle(G)), EVER),
    ("Dijkstra lengths", "G", lambda G: nx.single_source_dijkstra_path_length(G, middle(G)), LONG),
    (
        "Dijkstra lengths, cutoff=0.1",
        "G",
        lambda G: nx.single_source_dijkstra_path_length(G, middle(G), 0.1),
        EVER,
    ),
    (
        "dijkstra_path",
        "G",
        lambda G: _or_error(lambda G: nx.dijkstra_path(G, middle(G), 1), G),
        EVER,
    ),
    # some of the nodes or pairs
    ("clustering of a node", "G", lambda G: nx.clustering(G, middle(G)), EVER),
    ("triangles of a node", "G", lambda G: nx.triangles(G, middle(G)), EVER),
    (
        "jaccard_coefficient, 10 pairs",
        "G",
        lambda G: list(nx.jaccard_coefficient(G, pairs(G, 10))),
        EVER,
    ),
    (
        "jaccard_coefficient, 6,000 pairs",
        "G",
        lambda G: list(nx.jaccard_coefficient(G, pairs(G, 6_000))),
        EVER,
    ),
]


def _or_error(call: Callable[[Any], Any], G: Any) -> Any:
    try:
        return call(G)
    except nx.NetworkXException as error:
        return str(error)
