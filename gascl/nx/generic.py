"""Lengths of shortest paths, with weights or without."""

from __future__ import annotations

from typing import Any

import networkx as nx

from gascl.nx import unweighted, weighted
from gascl.nx.all_pairs import all_reached, by_distances, total_distance
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, backend_function, callable_weight
from gascl.nx.locality import local_search


def _pair(call: Call) -> str:
    if call.source is None or call.target is None:
        return ""
    return "a single pair, for which NetworkX searches from both ends"


_from_source = local_search("source")
_to_target = local_search("target", reverse=True)


def _local(call: Call) -> str:
    if call.source is None and call.target is None:
        return ""
    return _to_target(call) if call.source is None else _from_source(call)


@backend_function(
    first=400_000,
    cached=20_000,
    limits="A single pair is left to NetworkX.",
    unsupported=[_pair, callable_weight()],
    slower=[_local],
)
def shortest_path_length(
    G: Converted,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    method: Any = "dijkstra",
) -> Any:
    """Distances, the nearest first."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    dijkstra = method == "dijkstra"
    if source is None and target is None:
        if weight is None:
            return unweighted.all_pairs_shortest_path_length(G)
        if dijkstra:
            return weighted.all_pairs_dijkstra_path_length(G, weight=weight)
        return weighted.all_pairs_bellman_ford_path_length(G, weight=weight)
    start, reverse = (target, True) if source is None else (source, False)
    if weight is None:
        G.require(start, nx.NodeNotFound(f"Source {start} is not in G"))
        return unweighted.by_depth(G, unweighted.depths(G, start, reverse=reverse))
    message = f"Node {start} not found in graph" if dijkstra else f"Source {start} not in G"
    G.require(start, nx.NodeNotFound(message))
    return weighted.lengths_from(G, [start], weight, reverse=reverse, negative=not dijkstra)


@by_distances()
def average_shortest_path_length(G: Converted, weight: Any = None, method: Any = None) -> float:
    """The mean distance between two nodes."""
    methods = ["unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"]
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    if method not in methods:
        raise ValueError(f"method not supported: {method}")
    count = len(G)
    if count == 0:
        message = "the null graph has no paths, thus there is no average shortest path length"
        raise nx.NetworkXPointlessConcept(message)
    if count == 1:
        return 0
    if not all_reached(G):
        strongly = "strongly " if G.is_directed() else ""
        raise nx.NetworkXError(f"Graph is not {strongly}connected.")
    return total_distance(G, None if method == "unweighted" else weight) / (count * (count - 1))
