"""The Wiener index, and others of the distances between all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gascl.nx.all_pairs import all_reached, by_distances, distances_by_weight, total_distance
from gascl.nx.components import connected
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call
from gascl.nx.unweighted import depths_from


@by_distances()
def wiener_index(G: Converted, weight: Any = None) -> float:
    """The sum of the distances between all pairs."""
    if not all_reached(G):
        return float("inf")
    total = total_distance(G, weight)
    return total if G.is_directed() else total / 2


#: Nodes times edges from which searches from all nodes pay whose distances are read.
READ = 5_000_000


def _sum_over_pairs(
    G: Converted, weight: Any, term: Callable[[int, np.ndarray], np.ndarray]
) -> Any:
    """Half of the sum over all ordered pairs of a connected graph; infinite if it is not connected.

    Args:
        term: what each node adds, of a source's place and the distances (V,) from it.
    """
    if not connected(G):
        return math.inf
    if weight is None:
        searches = depths_from(G, list(range(len(G))))
        return (
            sum(int(term(source, depth.astype(np.int64)).sum()) for source, depth in searches) / 2
        )
    distances = enumerate(distances_by_weight(G, weight))
    return math.fsum(float(term(source, distance).sum()) for source, distance in distances) / 2


def _few_searches(call: Call) -> str:
    enough = len(call.G) * call.num_edges >= READ
    return "" if enough else "NetworkX is faster in few searches of few edges"


_index = by_distances(slower=[_few_searches], first=1_000, cached=500)


@_index
def hyper_wiener_index(G: Converted, weight: Any = None) -> float:
    """Half of the sum of distances and of their squares, over all pairs."""
    return _sum_over_pairs(G, weight, lambda source, distance: distance + distance**2)


@_index
def schultz_index(G: Converted, weight: Any = None) -> float:
    """The sum over all pairs of the distance, times the sum of both degrees."""
    degree = G.degree
    return _sum_over_pairs(G, weight, lambda at, distance: distance * (degree[at] + degree))


@_index
def gutman_index(G: Converted, weight: Any = None) -> float:
    """The sum over all pairs of the distance, times the product of both degrees."""
    degree = G.degree
    return _sum_over_pairs(G, weight, lambda at, distance: distance * (degree[at] * degree))
