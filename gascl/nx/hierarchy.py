"""Flow hierarchy."""

from __future__ import annotations

from typing import Any

import networkx as nx

from gascl.nx.components import strong
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


@backend_function(first=50_000, cached=20_000, limits="No weights below 0.")
def flow_hierarchy(G: Converted, weight: Any = None) -> float:
    """The share of edges that are on no cycle."""
    if not G.number_of_edges():
        raise nx.NetworkXError("flow_hierarchy not applicable to empty graphs")
    if not G.is_directed():
        raise nx.NetworkXError("G must be a digraph in flow_hierarchy")
    values = G.column(weight).lengths
    if values.min() < 0 or not values.any():
        raise NotImplementedError("weights below 0, or all 0")
    tail, head = (strong(G)[ends] for ends in G.ends)
    return 1 - float(values[tail == head].sum()) / float(values.sum())
