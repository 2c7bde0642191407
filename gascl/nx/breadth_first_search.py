"""Breadth-first search."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import networkx as nx

from gascl.errors import warn
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import VERSION, Call, argument, backend_function
from gascl.nx.locality import local_search
from gascl.nx.path_trees import levels
from gascl.nx.unweighted import depths


@backend_function(first=None, cached=20_000, slower=[local_search("source", "distance")])
def descendants_at_distance(G: Converted, source: Any, distance: Any) -> set[Any]:
    """The nodes at one distance."""
    G.require(source, nx.NetworkXError(f"The node {source} is not in the graph."))
    if distance != distance // 1 or distance < 0:
        return set()
    return set(G.node_array[depths(G, source, distance) == distance].tolist())


@backend_function(first=None, cached=100_000, numpy=True, lazy=2, later=[local_search("sources")])
def bfs_layers(G: Converted, sources: Any) -> Iterator[list[Any]]:
    """Layers in NetworkX's order."""
    first = list({sources} if sources in G else set(sources))
    for source in first:
        G.require(source, nx.NetworkXError(f"The node {source} is not in the graph."))
    return _layers(G, first)


def _layers(G: Converted, first: list[Any]) -> Iterator[list[Any]]:
    if first:
        yield first
        for level, _ in levels(*G.rows(), G.places(first)):
            yield G.node_array[level].tolist()


def _edges(
    G: Converted, source: Any, depth_limit: Any, reverse: bool = False
) -> Iterator[tuple[Any, Any]]:
    """The edges of the tree as pairs of parent and child, in NetworkX's order.

    Raises:
        NetworkXError: the source is not in the graph.
        NotImplementedError: `reverse` with a directed graph that was deleted.
    """
    kind = "digraph" if G.is_directed() else "graph"
    G.require(source, nx.NetworkXError(f"The node {source} is not in the {kind}."))
    limit = len(G) if depth_limit is None else depth_limit
    nodes = G.node_array
    return (
        edge
        for level, parents in levels(*G.rows(reverse), G.places([source]), limit)
        for edge in zip(nodes[parents].tolist(), nodes[level].tolist(), strict=True)
    )


_near = local_search("source", "depth_limit")


def _limited(call: Call) -> str:
    return "" if call.depth_limit is None else _near(call)


_search = backend_function(
    first=None,
    cached=100_000,
    numpy=True,
    lazy=inf,
    limits="No `sort_neighbors`.",
    unsupported=[argument("sort_neighbors")],
    slower=[_limited],
    later=[_near],
)


@_search
def bfs_edges(
    G: Converted,
    source: Any,
    reverse: Any = False,
    depth_limit: Any = None,
    sort_neighbors: Any = None,
) -> Iterator[tuple[Any, Any]]:
    """The edges of the tree in NetworkX's order."""
    return _edges(G, source, depth_limit, reverse)


@_search
def bfs_predecessors(
    G: Converted, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Parents in NetworkX's order."""
    if VERSION >= (3, 7):
        message = "bfs_predecessors is deprecated and will be removed in NetworkX 3.9"
        warn(f"{message}\nUse ``(t, s) for (s, t) in bfs_edges`` instead", DeprecationWarning)
    return ((child, parent) for parent, child in _edges(G, source, depth_limit))


@_search
def bfs_successors(
    G: Converted, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, list[Any]]]:
    """Children in NetworkX's order."""
    return _successors(_edges(G, source, depth_limit), source)


def _successors(edges: Iterator[tuple[Any, Any]], source: Any) -> Iterator[tuple[Any, list[Any]]]:
    current = source
    children: list[Any] = []
    for parent, child in edges:
        if parent != current:
            yield current, children
            current, children = parent, []
        children.append(child)
    yield current, children
