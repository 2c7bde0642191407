"""Paths: the graphs with the largest diameter."""

from __future__ import annotations

import numpy as np

from gascl.generators.builder import Weights, seeded, vertices, weighted
from gascl.generators.chunked import CHUNK, Chunks, Recipe, generator
from gascl.graph.parallel import blocks
from gascl.io.outofcore.spool import EdgeSpool


@generator
def path(
    num_vertices: int, *, seed: int = 0, directed: bool = False, weights: Weights = None
) -> Recipe:
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

    def chunks(_: EdgeSpool | None) -> Chunks:
        for part in blocks(count - 1, CHUNK):
            src = np.arange(part.start, part.stop, dtype=np.int32)
            yield src, src + 1

    description = f"path, num_vertices={count}"
    return Recipe(description, count, count - 1, chunks, seed, directed, span)
