"""Paths: the graphs with the largest diameter."""

from __future__ import annotations

import numpy as np

from gascl.generators.builder import MOST, Weights, check_rule, seeded, weighted, whole_number
from gascl.generators.chunked import CHUNK, Chunks, Recipe, generator
from gascl.generators.lattice import Lattice
from gascl.graph.parallel import blocks
from gascl.io.outofcore.spool import EdgeSpool


@generator
def path(
    num_vertices: int,
    *,
    seed: int = 0,
    directed: bool = False,
    weights: Weights = None,
    stored: bool = True,
) -> Recipe:
    """Edges from 0 to 1, from 1 to 2 and so on.

    Args:
        num_vertices: 1 or more.
        seed: for the weights.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.
        stored: False: the edges are not stored, and there may be any number of vertices; each of
            several ranks makes its own arcs (docs/scale.md).

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    count = whole_number("num_vertices", num_vertices, 1, MOST)
    seed, span = seeded(seed), weighted(weights)
    check_rule(stored, span)

    def chunks(_: EdgeSpool | None) -> Chunks:
        for part in blocks(count - 1, CHUNK):
            src = np.arange(part.start, part.stop, dtype=np.int32)
            yield src, src + 1

    description = f"path, num_vertices={count}"
    into = out = None
    if not stored:
        into = Lattice((count,), (False,), after=not directed)
        out = Lattice((count,), (False,), before=False) if directed else None
    return Recipe(
        description, count, count - 1, chunks, seed, directed, weights=span, into=into, out=out
    )
