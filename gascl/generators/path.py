"""Paths: the graphs with the largest diameter."""

from __future__ import annotations

import numpy as np

from gascl.generators.made import Weights, graph_of, room, seeded, vertices, weighted
from gascl.graph.graph import Graph


def path(
    num_vertices: int, *, seed: int = 0, directed: bool = False, weights: Weights = None
) -> Graph:
    """Edges from 0 to 1, from 1 to 2 and so on.

    Args:
        num_vertices: 1 or more.
        seed: for the weights.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    count = vertices("num_vertices", num_vertices)
    seed, span = seeded(seed), weighted(weights)
    room(count - 1, count)
    ids = np.arange(count, dtype=np.int32)
    about = f"path, num_vertices={count}"
    src, dst = ids[:-1].copy(), ids[1:].copy()
    return graph_of(about, src, dst, count, seed=seed, directed=directed, weights=span)
