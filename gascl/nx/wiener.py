"""The Wiener index."""

from __future__ import annotations

from typing import Any

from gascl.nx.all_pairs import by_distances, total_distance
from gascl.nx.components import connected
from gascl.nx.converted_graph import Converted


@by_distances()
def wiener_index(G: Converted, weight: Any = None) -> float:
    """The sum of the distances between all pairs."""
    if not connected(G):
        return float("inf")
    total = total_distance(G, weight)
    return total if G.is_directed() else total / 2
