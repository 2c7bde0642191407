"""Stars: one vertex with an edge to each other."""

from __future__ import annotations

import numpy as np

from gascl.generators.made import Weights, graph_of, room, seeded, vertices, weighted
from gascl.graph.graph import Graph


def star(
    num_vertices: int, *, seed: int = 0, directed: bool = False, weights: Weights = None
) -> Graph:
    """Vertex 0, and an edge from it to each of the others.

    Args:
        num_vertices: including the center; 1 or more.
        seed: for the weights.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    count = vertices("num_vertices", num_vertices)
    seed, span = seeded(seed), weighted(weights)
    room(count - 1, count)
    dst = np.arange(1, count, dtype=np.int32)
    about = f"star, num_vertices={count}"
    return graph_of(
        about, np.zeros_like(dst), dst, count, seed=seed, directed=directed, weights=span
    )
