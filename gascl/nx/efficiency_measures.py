"""Efficiency: the mean of 1 / distance over all pairs of nodes."""

from __future__ import annotations

from gascl.nx.all_pairs import CACHED, FIRST, inverse_sums
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


@backend_function(first=FIRST, cached=CACHED)
def global_efficiency(G: Converted) -> float:
    """The mean of 1 / distance."""
    pairs = len(G) * (len(G) - 1)
    return float(inverse_sums(G).sum()) / pairs if pairs else 0
