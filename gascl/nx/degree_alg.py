"""Centralities by degree."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


def _shares(G: Converted, degree: np.ndarray) -> dict[Any, float]:
    return G.by_node(degree * (1.0 / (len(G) - 1.0))) if len(G) > 1 else dict.fromkeys(G, 1)


@backend_function(first=None, cached=100_000, numpy=True)
def degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes that a node is connected to."""
    return _shares(G, G.degree)


@backend_function(first=None, cached=100_000, numpy=True)
def in_degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes from which an edge leads to a node."""
    return _shares(G, G.in_degree)


@backend_function(first=None, cached=100_000, numpy=True)
def out_degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes to which an edge leads from a node."""
    return _shares(G, G.out_degree)
