"""The s-metric."""

from __future__ import annotations

import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


@backend_function(first=100_000, cached=5_000, numpy=True)
def s_metric(G: Converted) -> float:
    """The sum of the products of the degrees at the ends of edges."""
    tail, head = (G.degree.astype(np.float64)[ends] for ends in G.ends)
    return float(tail @ head)
