"""Shortest paths by the number of edges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Check, Function, backend_function, one_step, started
from gascl.nx.locality import local_search
from gascl.nx.path_trees import Lengths, Paths, levels
from gascl.programs.breadth_first import BreadthFirst

#: The number of searches that run at once.
LANES = 8


def _hops(G: Converted, cutoff: float | None) -> int | None:
    """The limit of a search in whole edges."""
    return None if cutoff is None or cutoff >= len(G) else max(math.ceil(cutoff), 0)


def depths(
    G: Converted, source: Any, cutoff: float | None = None, reverse: bool = False
) -> np.ndarray:
    """int32 (V,): the distance of each node from the source; -1 without a path."""
    program = BreadthFirst(source=G.topology.index[source], hops=_hops(G, cutoff))
    return G.run(program, reverse=reverse)["depth"]


def depths_from(
    G: Converted, places: list[int], cutoff: float | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Each of the sources, and the distances from it as `depths` returns them."""
    for start in range(0, len(places), LANES):
        sources = places[start : start + LANES]
        padded = (sources * LANES)[:LANES]
        depth = G.run(BreadthFirst(source=padded, hops=_hops(G, cutoff)))["depth"]
        for lane, source in enumerate(sources):
            yield source, depth[:, lane]


def by_depth(G: Converted, depth: np.ndarray) -> Lengths:
    """The nodes that have a depth, the nearest first."""
    reached = np.flatnonzero(depth >= 0)
    key = depth[reached]
    if key.max(initial=0) < 2**16:
        key = key.astype(np.uint16)  # for which NumPy has a radix sort
    order = reached[np.argsort(key, kind="stable")]
    return dict(zip(G.node_array[order].tolist(), depth[order].tolist(), strict=True))


@backend_function(first=400_000, cached=20_000, slower=[local_search("source", "cutoff")])
def single_source_shortest_path_length(G: Converted, source: Any, cutoff: Any = None) -> Lengths:
    """Distances, the nearest first."""
    G.require(source, nx.NodeNotFound(f"Source {source} is not in G"))
    return by_depth(G, depths(G, source, cutoff))


@backend_function(
    first=400_000, cached=20_000, slower=[local_search("target", "cutoff", reverse=True)]
)
def single_target_shortest_path_length(G: Converted, target: Any, cutoff: Any = None) -> Lengths:
    """Distances, the nearest first."""
    G.require(target, nx.NodeNotFound(f"Target {target} is not in G"))
    return by_depth(G, depths(G, target, cutoff, reverse=True))


@backend_function(first=5_000, cached=2_000, lazy=inf, slower=[one_step("cutoff")])
def all_pairs_shortest_path_length(
    G: Converted, cutoff: Any = None
) -> Iterator[tuple[Any, Lengths]]:
    """Distances from every node."""
    searches = depths_from(G, list(range(len(G))), cutoff)
    return started(((G.nodes[source], by_depth(G, depth)) for source, depth in searches), LANES)


def _paths(G: Converted, source: Any, cutoff: Any, to_source: bool = False) -> Paths:
    """Paths from the source, or to it."""
    nodes = G.nodes
    paths = {source: [source]}
    for level, parents in levels(*G.rows(to_source), G.places([source]), cutoff):
        for vertex, parent in zip(level.tolist(), parents.tolist(), strict=True):
            node, path = nodes[vertex], paths[nodes[parent]]
            paths[node] = [node, *path] if to_source else [*path, node]
    return paths


def _search(slower: Check) -> Callable[[Callable[..., Any]], Function]:
    limits = "NetworkX's own paths."
    return backend_function(first=None, cached=100_000, numpy=True, limits=limits, slower=[slower])


@_search(local_search("source", "cutoff"))
def single_source_shortest_path(G: Converted, source: Any, cutoff: Any = None) -> Paths:
    """NetworkX's own paths and order."""
    G.require(source, nx.NodeNotFound(f"Source {source} not in G"))
    return _paths(G, source, cutoff)


@_search(local_search("target", "cutoff", reverse=True))
def single_target_shortest_path(G: Converted, target: Any, cutoff: Any = None) -> Paths:
    """NetworkX's own paths and order."""
    G.require(target, nx.NodeNotFound(f"Target {target} not in G"))
    return _paths(G, target, cutoff, to_source=True)


@backend_function(first=None, cached=100_000, numpy=True, slower=[local_search("source", "cutoff")])
def predecessor(
    G: Converted, source: Any, target: Any = None, cutoff: Any = None, return_seen: Any = None
) -> Any:
    """All parents of each node, in NetworkX's order."""
    G.require(source, nx.NodeNotFound(f"Source {source} not in G"))
    nodes = G.nodes
    parents: Paths = {source: []}
    depth = {source: 0}
    limit = max(cutoff, 1) if cutoff else None
    search = levels(*G.rows(), G.places([source]), limit, every_parent=True)
    for level, pairs in enumerate(search, 1):
        for vertex, parent in zip(*(ends.tolist() for ends in pairs), strict=True):
            parents.setdefault(nodes[vertex], []).append(nodes[parent])
            depth[nodes[vertex]] = level
    if target is None:
        return (parents, depth) if return_seen else parents
    if return_seen:
        return (parents[target], depth[target]) if target in parents else ([], -1)
    return parents.get(target, [])
