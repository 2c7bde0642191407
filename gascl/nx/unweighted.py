"""Shortest paths and searches that count edges."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import networkx as nx
import numpy as np

from gascl.errors import warn
from gascl.nx import weighted
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import VERSION, backend_function
from gascl.nx.path_trees import levels
from gascl.programs.breadth_first import BreadthFirst

#: The number of searches that are made at once.
LANES = 8

_PAIR = "a single pair, for which NetworkX searches from both ends"


def depths(G: Converted, source: Any, cutoff: float | None = None, reverse: bool = False) -> Any:
    """int32 (V,): the distance of each node from the source; -1: none."""
    hops = None if cutoff is None or cutoff >= len(G) else max(math.ceil(cutoff), 0)
    program = BreadthFirst(source=G.topology.index[source], hops=hops)
    return G.run(program, reverse=reverse)["depth"]


def by_depth(G: Converted, depth: np.ndarray) -> dict[Any, int]:
    """Nodes with a depth, the nearest first."""
    reached = np.flatnonzero(depth >= 0)
    near = depth[reached]
    if near.max(initial=0) < 2**16:
        near = near.astype(np.uint16)  # which NumPy sorts by digits
    order = reached[np.argsort(near, kind="stable")]
    return dict(zip(G.node_array[order].tolist(), depth[order].tolist(), strict=True))


@backend_function(first=400_000, cached=20_000)
def single_source_shortest_path_length(
    G: Converted, source: Any, cutoff: Any = None
) -> dict[Any, int]:
    """Distances, the nearest first."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    return by_depth(G, depths(G, source, cutoff))


@backend_function(first=400_000, cached=20_000)
def single_target_shortest_path_length(
    G: Converted, target: Any, cutoff: Any = None
) -> dict[Any, int]:
    """Distances, the nearest first."""
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return by_depth(G, depths(G, target, cutoff, reverse=True))


@backend_function(first=5_000, cached=2_000)
def all_pairs_shortest_path_length(
    G: Converted, cutoff: Any = None
) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Distances from every node, some nodes at a time."""
    found = _all_lengths(G, cutoff)
    # What fails must fail before NetworkX has got an iterator: the first searches are made at once.
    return chain(list(islice(found, LANES)), found)


def _all_lengths(G: Converted, cutoff: Any) -> Iterator[tuple[Any, dict[Any, int]]]:
    hops = None if cutoff is None or cutoff >= len(G) else max(math.ceil(cutoff), 0)
    for source, depth in depths_from(G, list(range(len(G))), hops):
        yield G.nodes[source], by_depth(G, depth)


def depths_from(
    G: Converted, places: list[int], hops: int | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Each of the sources, and the distances from it as `depths` gives them."""
    for begin in range(0, len(places), LANES):
        sources = places[begin : begin + LANES]
        padded = (sources * LANES)[:LANES]
        depth = G.run(BreadthFirst(source=padded, hops=hops))["depth"]
        for lane, source in enumerate(sources):
            yield source, depth[:, lane]


def _paths(
    G: Converted, source: Any, cutoff: Any, reverse: bool = False, backwards: bool = False
) -> dict[Any, list[Any]]:
    nodes = G.nodes
    paths = {source: [source]}
    for found, parents in levels(*G.rows(reverse), G.places([source]), cutoff):
        for vertex, parent in zip(found.tolist(), parents.tolist(), strict=True):
            node, before = [nodes[vertex]], paths[nodes[parent]]
            paths[node[0]] = node + before if backwards else before + node
    return paths


@backend_function(first=None, cached=None)
def single_source_shortest_path(
    G: Converted, source: Any, cutoff: Any = None
) -> dict[Any, list[Any]]:
    """NetworkX's own paths and order."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    return _paths(G, source, cutoff)


@backend_function(first=None, cached=None)
def single_target_shortest_path(
    G: Converted, target: Any, cutoff: Any = None
) -> dict[Any, list[Any]]:
    """NetworkX's own paths and order."""
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} not in G")
    return _paths(G, target, cutoff, reverse=True, backwards=True)


@backend_function(first=None, cached=None)
def all_pairs_shortest_path(
    G: Converted, cutoff: Any = None
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """NetworkX's own paths and order."""
    return ((node, _paths(G, node, cutoff)) for node in G)


@backend_function(first=None, cached=100_000)
def predecessor(
    G: Converted, source: Any, target: Any = None, cutoff: Any = None, return_seen: Any = None
) -> Any:
    """All parents of each node, in NetworkX's order."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    nodes = G.nodes
    pred: dict[Any, list[Any]] = {source: []}
    seen = {source: 0}
    limit = max(cutoff, 1) if cutoff else None
    found = levels(*G.rows(), G.places([source]), limit, every_parent=True)
    for level, (vertices, parents) in enumerate(found, 1):
        for vertex, parent in zip(vertices.tolist(), parents.tolist(), strict=True):
            pred.setdefault(nodes[vertex], []).append(nodes[parent])
            seen[nodes[vertex]] = level
    if target is None:
        return (pred, seen) if return_seen else pred
    if return_seen:
        return (pred[target], seen[target]) if target in pred else ([], -1)
    return pred.get(target, [])


@backend_function(first=None, cached=None)
def shortest_path(
    G: Converted,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    method: Any = "dijkstra",
) -> Any:
    """NetworkX's own paths and order."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    dijkstra = method == "dijkstra"
    if source is None and target is None:
        if weight is None:
            return all_pairs_shortest_path(G)
        if dijkstra:
            return weighted.all_pairs_dijkstra_path(G, weight=weight)
        return weighted.all_pairs_bellman_ford_path(G, weight=weight)
    if source is None:
        if weight is not None and G.is_directed():
            raise NotImplementedError("paths by weight to a target of a directed graph")
        start, reverse = target, True
    else:
        start, reverse = source, False
    if weight is None:
        if start not in G:
            raise nx.NodeNotFound(f"Source {start} not in G")
        return _paths(G, start, None, reverse, backwards=reverse)
    by_dijkstra, by_bellman_ford = (
        weighted.single_source_dijkstra_path,
        weighted.single_source_bellman_ford_path,
    )
    paths = (by_dijkstra if dijkstra else by_bellman_ford)(G, start, weight=weight)
    return {node: path[::-1] for node, path in paths.items()} if reverse else paths


@backend_function(first=400_000, cached=20_000)
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
    if source is None and target is None:
        if weight is None:
            return all_pairs_shortest_path_length(G)
        if method == "dijkstra":
            return weighted.all_pairs_dijkstra_path_length(G, weight=weight)
        return weighted.all_pairs_bellman_ford_path_length(G, weight=weight)
    start, reverse = (target, True) if source is None else (source, False)
    if weight is None:
        if start not in G:
            raise nx.NodeNotFound(f"Source {start} is not in G")
        return by_depth(G, depths(G, start, reverse=reverse))
    if start not in G:
        missing = f"Node {start} not found in graph"
        raise nx.NodeNotFound(missing if method == "dijkstra" else f"Source {start} not in G")
    below_0 = method != "dijkstra"
    return weighted.lengths_from(G, [start], weight, reverse=reverse, below_0=below_0)


@shortest_path.unless
@shortest_path_length.unless
def _(G: Any, source: Any, target: Any, weight: Any, method: Any) -> str:
    if source is not None and target is not None:
        return _PAIR
    return weighted.hidden(weight)


@backend_function(first=None, cached=None)
def has_path(G: Converted, source: Any, target: Any) -> bool:
    """Whether there is a path."""
    for name, node in (("Source", source), ("Target", target)):
        if node not in G:
            raise nx.NodeNotFound(f"{name} {node} is not in G")
    return bool(depths(G, source)[G.topology.index[target]] >= 0)


@has_path.unless
def _(G: Any, source: Any, target: Any) -> str:
    return "None as source or target" if source is None or target is None else ""


def _check(G: Converted, source: Any) -> None:
    if source not in G:
        raise nx.NetworkXError(
            f"The node {source} is not in the {'digraph' if G.is_directed() else 'graph'}."
        )


@backend_function(first=None, cached=20_000)
def descendants(G: Converted, source: Any) -> set[Any]:
    """The nodes that can be reached."""
    _check(G, source)
    found = G.node_array[depths(G, source) > 0]
    return set(found.tolist())


@backend_function(first=None, cached=20_000)
def ancestors(G: Converted, source: Any) -> set[Any]:
    """The nodes from which a node can be reached."""
    _check(G, source)
    found = G.node_array[depths(G, source, reverse=True) > 0]
    return set(found.tolist())


@backend_function(first=None, cached=20_000)
def descendants_at_distance(G: Converted, source: Any, distance: Any) -> set[Any]:
    """The nodes at one distance."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if distance != distance // 1 or distance < 0:
        return set()
    found = G.node_array[depths(G, source, distance) == distance]
    return set(found.tolist())


@backend_function(first=None, cached=100_000)
def bfs_layers(G: Converted, sources: Any) -> Iterator[list[Any]]:
    """Layers in NetworkX's order."""
    current = list({sources} if sources in G else set(sources))
    for source in current:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    return _layers(G, current)


def _layers(G: Converted, current: list[Any]) -> Iterator[list[Any]]:
    if current:
        yield current
        for found, _ in levels(*G.rows(), G.places(current)):
            yield G.node_array[found].tolist()


def _edges(
    G: Converted, source: Any, reverse: bool = False, depth_limit: Any = None
) -> Iterator[tuple[Any, Any]]:
    limit = len(G) if depth_limit is None else depth_limit
    for found, parents in levels(*G.rows(reverse), G.places([source]), limit):
        nodes = G.node_array
        yield from zip(nodes[parents].tolist(), nodes[found].tolist(), strict=True)


@backend_function(first=None, cached=100_000)
def bfs_edges(
    G: Converted,
    source: Any,
    reverse: Any = False,
    depth_limit: Any = None,
    sort_neighbors: Any = None,
) -> Iterator[tuple[Any, Any]]:
    """Edges of the tree in NetworkX's order."""
    _check(G, source)
    if reverse:  # declined now where it cannot be had, not when the first edge is asked for
        G.rows(reverse)
    return _edges(G, source, reverse, depth_limit)


@backend_function(first=None, cached=None)
def bfs_tree(
    G: Converted,
    source: Any,
    reverse: Any = False,
    depth_limit: Any = None,
    sort_neighbors: Any = None,
) -> Any:
    """A DiGraph in NetworkX's order."""
    _check(G, source)
    T = nx.DiGraph()
    T.add_node(source)
    T.add_edges_from(_edges(G, source, reverse, depth_limit))
    return T


@backend_function(first=None, cached=100_000)
def bfs_predecessors(
    G: Converted, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Parents in NetworkX's order."""
    if VERSION >= (3, 7):
        message = "bfs_predecessors is deprecated and will be removed in NetworkX 3.9"
        warn(f"{message}\nUse ``(t, s) for (s, t) in bfs_edges`` instead", DeprecationWarning)
    _check(G, source)
    return ((child, parent) for parent, child in _edges(G, source, depth_limit=depth_limit))


@backend_function(first=None, cached=100_000)
def bfs_successors(
    G: Converted, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, list[Any]]]:
    """Children in NetworkX's order."""
    _check(G, source)
    return _successors(_edges(G, source, depth_limit=depth_limit), source)


def _successors(edges: Iterator[tuple[Any, Any]], source: Any) -> Iterator[tuple[Any, list[Any]]]:
    parent = source
    children: list[Any] = []
    for before, child in edges:
        if before != parent:
            yield parent, children
            parent, children = before, []
        children.append(child)
    yield parent, children


def _unsorted(*given: Any) -> str:
    """`sort_neighbors` is their last parameter."""
    return "" if given[-1] is None else "`sort_neighbors`"


for _each in (bfs_edges, bfs_tree, bfs_predecessors, bfs_successors):
    _each.unless(_unsorted)
