"""Dominating sets of nodes."""

from __future__ import annotations

from typing import Any

from gascl.nx.boundary import neighbors_of, sets_of_nodes, within
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


@backend_function(first=None, cached=100_000, numpy=True, unsupported=[sets_of_nodes("nbunch")])
def is_dominating_set(G: Converted, nbunch: Any) -> bool:
    """Whether each node is one of these, or an edge leads to it from one of them."""
    inside = within(G, nbunch)
    return bool((inside | neighbors_of(G, inside)).all())
