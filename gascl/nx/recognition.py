"""Recognition of forests."""

from __future__ import annotations

import networkx as nx

from gascl.nx.components import count, weak
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


@backend_function(first=200_000, cached=20_000)
def is_forest(G: Converted) -> bool:
    """Whether it has no cycle, whatever the directions of its edges."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return len(G) - G.number_of_edges() == count(weak(G))
