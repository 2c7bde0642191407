"""Complete graphs: every vertex joined to every other."""

from __future__ import annotations

import numpy as np

from gascl.generators.builder import Weights, seeded, vertices, weighted
from gascl.generators.chunked import CHUNK, Chunks, Recipe, generator
from gascl.graph.parallel import blocks
from gascl.io.outofcore.spool import EdgeSpool


@generator
def complete(
    num_vertices: int, *, seed: int = 0, directed: bool = False, weights: Weights = None
) -> Recipe:
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
    num_edges = count * (count - 1) // (1 if directed else 2)

    def chunks(_: EdgeSpool | None) -> Chunks:
        for part in blocks(count, max(CHUNK // count, 1)):
            ids = np.arange(part.start, part.stop, dtype=np.int32)
            if directed:
                src = np.repeat(ids, count - 1)
                dst = np.tile(np.arange(count - 1, dtype=np.int32), len(ids))
                dst += dst >= src
            else:
                rest = count - 1 - ids.astype(np.int64)
                src = np.repeat(ids, rest)
                begins = np.cumsum(rest) - rest
                dst = (np.arange(len(src)) - np.repeat(begins - ids - 1, rest)).astype(np.int32)
            yield src, dst

    description = f"complete, num_vertices={count}"
    return Recipe(description, count, num_edges, chunks, seed, directed, span)
