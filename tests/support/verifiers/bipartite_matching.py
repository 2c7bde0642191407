"""A matching and a vertex cover of the same size, each of which proves that the other is best."""

from __future__ import annotations

import numpy as np

from gascl import Graph, Result
from gascl.programs import BipartiteMatching


def verify(graph: Graph, result: Result, program: BipartiteMatching) -> None:
    """Raises AssertionError where mates do not have each other or no edge, an edge is not covered,
    or the cover has more vertices than the matching edges."""
    mate, cover = result.mate, result.cover
    every = np.arange(graph.num_vertices)
    matched = every[mate >= 0]
    assert ((mate >= -1) & (mate < graph.num_vertices)).all(), "a mate is no vertex"
    assert (mate[mate[matched]] == matched).all(), "two vertices are matched with the same one"
    ends = graph.edge_src.astype(np.int64), graph.edge_dst.astype(np.int64)
    low, high = np.minimum(*ends), np.maximum(*ends)
    edges = low * graph.num_vertices + high
    pairs = matched[matched < mate[matched]]
    assert len(pairs) * 2 == len(matched), "a vertex is its own mate"
    assert np.isin(pairs * graph.num_vertices + mate[pairs], edges).all(), "mates have no edge"
    assert np.isin(cover, (0, 1)).all(), "cover is neither 0 nor 1"
    assert (cover[ends[0]] | cover[ends[1]]).all(), "an edge is not covered"
    assert cover.sum() == len(pairs), f"{len(pairs)} edges, and a cover of {cover.sum()} vertices"
