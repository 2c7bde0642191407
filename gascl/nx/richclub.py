"""The rich-club coefficient."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, backend_function


def _normalized(call: Call) -> str:
    return "`normalized`, by NetworkX's random graphs" if call.normalized else ""


@backend_function(
    first=20_000,
    cached=5_000,
    numpy=True,
    limits="Only with `normalized=False`.",
    unsupported=[_normalized],
)
def rich_club_coefficient(
    G: Converted, normalized: bool = True, Q: Any = 100, seed: Any = None, *, n_samples: Any = 1
) -> dict[int, float]:
    """By degree, the share of edges among the pairs of nodes of a higher degree."""
    if G.num_loops:
        message = "rich_club_coefficient is not implemented for graphs with self loops."
        raise Exception(message)  # the class that NetworkX raises
    if not G.number_of_edges():
        return {}
    degree = G.degree
    src, dst = G.ends
    least = np.bincount(np.minimum(degree[src], degree[dst]), minlength=int(degree.max()) + 1)
    num_nodes = len(G) - np.cumsum(np.bincount(degree))
    num_edges = G.number_of_edges() - np.cumsum(least)
    pairs = zip(num_edges.tolist(), num_nodes.tolist(), strict=True)
    return {
        k: 2 * edges / (nodes * (nodes - 1)) for k, (edges, nodes) in enumerate(pairs) if nodes > 1
    }
