"""Uniform random graphs G(n, m): Erdős, Rényi, "On Random Graphs I" (1959)."""

from __future__ import annotations

import numpy as np

from gascl.errors import GraphError
from gascl.generators.made import Weights, graph_of, room, seeded, vertices, weighted, whole
from gascl.generators.words import CHUNK, EDGES, RandomWords
from gascl.graph.graph import Graph


def uniform(
    num_vertices: int,
    num_edges: int,
    *,
    seed: int = 0,
    directed: bool = False,
    weights: Weights = None,
) -> Graph:
    """A graph drawn uniformly from all graphs with these numbers of vertices and edges.

    There are no parallel edges and no self-loops. Edges are sorted by their ends.

    Args:
        num_vertices: 1 or more.
        num_edges: at most the number of pairs of vertices.
        seed: the same seed gives the same graph.
        directed: edges are ordered pairs.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    count = vertices("num_vertices", num_vertices)
    wanted = whole("num_edges", num_edges, 0)
    seed, span = seeded(seed), weighted(weights)
    pairs = count * (count - 1) // (1 if directed else 2)
    if wanted > pairs:
        raise GraphError(
            f"num_edges is {wanted:,}, and {count:,} vertices have {pairs:,} pairs; ask for at "
            "most as many"
        )
    room(wanted, count, 24)
    if wanted <= pairs // 2:
        codes = _distinct(seed, count, wanted, directed)
    else:  # draw the edges to leave out instead
        ids = np.arange(count, dtype=np.int64)
        every = np.concatenate([u * count + (ids if directed else ids[u + 1 :]) for u in ids])
        every = every[every % (count + 1) != 0]  # u * count + u is a self-loop
        out = _distinct(seed, count, pairs - wanted, directed)
        kept = np.ones(pairs, dtype=bool)
        kept[np.searchsorted(every, out)] = False
        codes = every[kept]
    src, dst = np.empty(wanted, np.int32), np.empty(wanted, np.int32)
    for begin in range(0, wanted, CHUNK):
        part = slice(begin, begin + CHUNK)
        src[part], dst[part] = np.divmod(codes[part], count)
    about = f"uniform, num_vertices={count}, num_edges={wanted}"
    return graph_of(about, src, dst, count, seed=seed, directed=directed, weights=span)


def _distinct(seed: int, count: int, wanted: int, directed: bool) -> np.ndarray:
    """int64 (wanted,): pairs u, v as u * count + v, sorted: the first `wanted` different ones of an
    endless sequence of pairs, so that all sets are equally likely."""
    tails, heads = RandomWords(seed, EDGES, 0), RandomWords(seed, EDGES, 1)
    found = np.empty(0, dtype=np.int64)
    while len(found) < wanted:
        # Never more than are missing, so that no pair is dropped in favor of a later one.
        codes = np.empty(wanted - len(found), dtype=np.int64)
        for begin in range(0, len(codes), CHUNK):
            part = codes[begin : begin + CHUNK]
            u, v = tails.below(count, len(part)), heads.below(count - 1, len(part))
            v += v >= u
            if not directed:
                u, v = np.minimum(u, v), np.maximum(u, v)
            np.add(u * count, v, out=part)
        codes.sort()
        codes = codes[np.diff(codes, prepend=-1) != 0]
        if len(found):
            new = found[np.minimum(np.searchsorted(found, codes), len(found) - 1)] != codes
            codes = np.concatenate([found, codes[new]])
            codes.sort()
        found = codes
    return found
