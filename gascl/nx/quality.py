"""Measures of a partition into communities."""

from __future__ import annotations

from typing import Any

import numpy as np
from networkx.algorithms.community.quality import NotAPartition

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Check, backend_function, collections


def _iterators(name: str) -> Check:
    """Checks that communities are collections: NetworkX needs them, too, if it runs the call."""
    return lambda call: collections(getattr(call, name), "communities")


@backend_function(
    first=20_000,
    cached=5_000,
    numpy=True,
    limits="No weights below 0.",
    unsupported=[_iterators("communities")],
)
def modularity(
    G: Converted, communities: Any, weight: Any = "weight", resolution: Any = 1
) -> float:
    """The share of edges inside communities, less the share expected by chance."""
    group = G.numbered(communities)
    if group is None:
        raise NotAPartition(G.original(), list(communities))
    count = len(communities)
    values = G.column(weight).lengths
    src, dst = (group[ends] for ends in G.ends)
    total = values.sum()
    if values.min(initial=1) < 0 or not total > 0:
        raise NotImplementedError("weights below 0, or all 0")
    inside = np.bincount(src[src == dst], values[src == dst], count)
    out, into = (np.bincount(ends, values, count) / total for ends in (src, dst))
    if not G.is_directed():
        out = into = (out + into) / 2
    return float((inside / total - resolution * out * into).sum())


@backend_function(first=200_000, cached=20_000, numpy=True, unsupported=[_iterators("partition")])
def partition_quality(G: Converted, partition: Any) -> tuple[float, float]:
    """Coverage and performance."""
    group = G.numbered(partition)
    if group is None:  # NetworkX checks that before it calls a backend, but not in every version
        raise NotImplementedError("communities that are no partition")
    src, dst = (group[ends] for ends in G.ends)
    inside = int(np.count_nonzero(src == dst))
    edges, count = G.number_of_edges(), len(G)
    coverage = inside / edges
    if G.is_multigraph():
        return coverage, -1.0
    sizes = [len(block) for block in partition]
    directions = 2 if G.is_directed() else 1
    between = (sum(sizes) ** 2 - sum(size * size for size in sizes)) // 2 * directions
    pairs = count * (count - 1) // 2 * directions
    return coverage, (inside + between - (edges - inside)) / pairs
