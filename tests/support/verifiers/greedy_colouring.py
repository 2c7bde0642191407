"""A proper colouring, each colour the least that the neighbours leave, by looking at each edge."""

from __future__ import annotations

import numpy as np

from gascl import Graph, Result
from gascl.programs import GreedyColouring


def verify(graph: Graph, result: Result, program: GreedyColouring) -> None:
    """Raises AssertionError at two neighbours alike, or a colour that could be less."""
    colour = result.colour.astype(np.int64)
    assert colour.min(initial=0) >= 0, "there are vertices without a colour"
    other = graph.edge_src != graph.edge_dst
    src, dst = graph.edge_src[other], graph.edge_dst[other]
    alike = np.flatnonzero(colour[src] == colour[dst])
    if len(alike):
        ends = (graph.label_of(int(x[alike[0]])) for x in (src, dst))
        raise AssertionError("{!r} and {!r} are adjacent and alike".format(*ends))
    # Each vertex has neighbours of all the colours below its own: as many colours as its own is.
    src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    lower = colour[dst] < colour[src]
    pairs = np.unique(np.stack([src[lower], colour[dst[lower]]]), axis=1)
    below = np.bincount(pairs[0], minlength=graph.num_vertices)
    if not np.array_equal(below, colour):
        first = int(np.flatnonzero(below != colour)[0])
        why = f"has colour {colour[first]}, and its neighbours leave a smaller one free"
        raise AssertionError(f"{graph.label_of(first)!r} {why}")
