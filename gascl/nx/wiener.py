"""The Wiener index."""

from __future__ import annotations

from typing import Any

from gascl.nx.all_pairs import total_distance
from gascl.nx.components import connected
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function, callable_weight, few_edges_by_weight


@backend_function(
    first=1_000, cached=500, unsupported=[callable_weight()], slower=[few_edges_by_weight()]
)
def wiener_index(G: Converted, weight: Any = None) -> float:
    """The sum of the distances between all pairs."""
    if not connected(G):
        return float("inf")
    total = total_distance(G, weight)
    return total if G.is_directed() else total / 2
