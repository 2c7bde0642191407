"""The number of self-loops (`networkx.classes.function`)."""

from __future__ import annotations

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


@backend_function(first=None, cached=20_000, numpy=True)
def number_of_selfloops(G: Converted) -> int:
    """The number of edges from a node to itself."""
    return G.num_loops
