"""How good a partition into communities is."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from networkx.algorithms.community.quality import NotAPartition

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


def _groups(G: Converted, communities: Any) -> np.ndarray | None:
    """int64 (V,): the place of each node's community; None if they are no partition."""
    group = np.full(len(G), -1, np.int64)
    listed = 0
    for number, community in enumerate(communities):
        listed += len(community)
        if any(node not in G for node in community):
            return None
        group[G.places(community)] = number
    return group if listed == len(G) and (group >= 0).all() else None


@backend_function(first=20_000, cached=5_000)
def modularity(
    G: Converted, communities: Any, weight: Any = "weight", resolution: Any = 1
) -> float:
    """The share of edges inside, less than what would be inside by chance."""
    group = _groups(G, communities)
    if group is None:
        raise NotAPartition(G.original(), list(communities))
    count = len(communities)
    values = np.ones(G.number_of_edges()) if weight is None else G.column(weight).lengths
    src, dst = group[G.topology.adjacency.src], group[G.topology.adjacency.dst]
    total = values.sum()
    if values.min(initial=1) < 0 or not total > 0:
        raise NotImplementedError("weights below 0, or all 0")
    inside = np.bincount(src[src == dst], values[src == dst], count)
    out, into = (np.bincount(ends, values, count) / total for ends in (src, dst))
    if not G.is_directed():
        out = into = (out + into) / 2
    found = inside / total - resolution * out * into
    return float(found.sum())


def _read_once(communities: Any) -> str:
    again = isinstance(communities, Collection)
    again = again and all(isinstance(community, Collection) for community in communities)
    return "" if again else "communities that can be read only once"


@modularity.unless
def _(G: Any, communities: Any, weight: Any, resolution: Any) -> str:
    return _read_once(communities)


@backend_function(first=100_000, cached=20_000)
def partition_quality(G: Converted, partition: Any) -> tuple[float, float]:
    """Coverage and performance."""
    group = _groups(G, partition)
    if group is None:  # NetworkX looks that up before it asks a backend, but not everywhere
        raise NotImplementedError("communities that are no partition")
    src, dst = G.topology.adjacency.src, G.topology.adjacency.dst
    inside = int(np.count_nonzero(group[src] == group[dst]))
    edges, count = G.number_of_edges(), len(G)
    coverage = inside / edges
    if G.is_multigraph():
        return coverage, -1.0
    sizes = [len(block) for block in partition]
    ways = 2 if G.is_directed() else 1
    between = (sum(sizes) ** 2 - sum(size * size for size in sizes)) // 2 * ways
    return coverage, (inside + between - (edges - inside)) / (count * (count - 1) // 2 * ways)


@partition_quality.unless
def _(G: Any, partition: Any) -> str:
    return _read_once(partition)
