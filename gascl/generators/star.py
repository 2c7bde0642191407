"""Stars: one vertex with an edge to each other."""

from __future__ import annotations

import numpy as np

from gascl.generators.builder import Weights, seeded, vertices, weighted
from gascl.generators.chunked import CHUNK, Chunks, Recipe, generator
from gascl.graph.parallel import blocks
from gascl.io.outofcore.spool import EdgeSpool


@generator
def star(
    num_vertices: int, *, seed: int = 0, directed: bool = False, weights: Weights = None
) -> Recipe:
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

    def chunks(_: EdgeSpool | None) -> Chunks:
        for part in blocks(count - 1, CHUNK):
            dst = np.arange(part.start, part.stop, dtype=np.int32) + 1
            yield np.zeros_like(dst), dst

    description = f"star, num_vertices={count}"
    return Recipe(description, count, count - 1, chunks, seed, directed, span)
