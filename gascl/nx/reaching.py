"""Reaching centrality."""

from __future__ import annotations

from typing import Any

import networkx as nx

from gascl.nx.all_pairs import inverse_sums
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function
from gascl.programs.eccentricity import Eccentricity


@backend_function(
    first=1_000,
    cached=500,
    limits="No weights.",
    unsupported=[argument("weight", reason="weights")],
)
def global_reaching_centrality(G: Converted, weight: Any = None, normalized: bool = True) -> float:
    """The mean difference between the largest share of nodes that a node reaches and the others."""
    count = len(G)
    if not G.number_of_edges():
        raise nx.NetworkXError("Size of G must be positive")
    if count == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    reach = G.run(Eccentricity())["reached"] if G.is_directed() else inverse_sums(G)
    reach = reach / (count - 1)
    return float((reach.max() - reach).sum() / (count - 1))
