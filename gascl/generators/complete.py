"""Complete graphs: every vertex joined to every other."""

from __future__ import annotations

import numpy as np

from gascl.generators.made import Weights, graph_of, room, seeded, vertices, weighted
from gascl.graph.graph import Graph


def complete(
    num_vertices: int, *, seed: int = 0, directed: bool = False, weights: Weights = None
) -> Graph:
    """An edge between every two vertices, or one in each direction if directed.

    Args:
        num_vertices: 1 or more.
        seed: for the weights.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    count = vertices("num_vertices", num_vertices)
    seed, span = seeded(seed), weighted(weights)
    room(count * (count - 1) // (1 if directed else 2), count, 24)
    ids = np.arange(count, dtype=np.int32)
    if directed:
        src = np.repeat(ids, count - 1)
        dst = np.tile(ids[: count - 1], count)
        dst += dst >= src
    else:
        rest = np.arange(count - 1, -1, -1, dtype=np.int64)
        src = np.repeat(ids, rest)
        begins = np.cumsum(rest) - rest
        dst = (np.arange(len(src)) - np.repeat(begins - ids - 1, rest)).astype(np.int32)
    about = f"complete, num_vertices={count}"
    return graph_of(about, src, dst, count, seed=seed, directed=directed, weights=span)
