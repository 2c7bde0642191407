"""Small worlds: Watts, Strogatz, "Collective dynamics of 'small-world' networks" (1998)."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import numpy as np

from gascl.errors import GraphError
from gascl.generators.made import (
    Weights,
    graph_of,
    probability,
    room,
    seeded,
    vertices,
    weighted,
    whole,
)
from gascl.generators.words import EDGES, REDRAWS, Draws, RandomWords
from gascl.graph.graph import Graph

REPORT = 1 << 16  # rewired edges between two calls of progress


def watts_strogatz(
    num_vertices: int,
    neighbors: int,
    rewire: float,
    *,
    seed: int = 0,
    weights: Weights = None,
    progress: Callable[[int, int], None] | None = None,
) -> Graph:
    """An undirected ring, each vertex joined to the nearest, with some edges led elsewhere.

    Edges are taken as in the paper: all between nearest vertices round the ring, then all between
    second nearest, and so on. One that is rewired keeps its first end and gets another second end,
    drawn among all vertices to which the first is not joined at the time.

    Args:
        num_vertices: more than `neighbors`.
        neighbors: to how many a vertex is joined at first, half on each side: even, 2 or more.
        rewire: the chance of an edge to be rewired.
        seed: the same seed gives the same graph.
        weights: (least, highest): each edge gets a "weight", a whole number drawn uniformly.
        progress: called with the number of edges that are rewired and of all to be.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    count = vertices("num_vertices", num_vertices, 3)
    degree = whole("neighbors", neighbors, 2, count - 1)
    if degree % 2:
        raise GraphError(f"neighbors is {degree}; give an even number: half are on each side")
    chance = probability("rewire", rewire)
    seed, span = seeded(seed), weighted(weights)
    half = degree // 2
    room(half * count, count, 17)
    ids = np.arange(count, dtype=np.int32)
    src, dst = np.tile(ids, half), np.empty(half * count, dtype=np.int32)
    picked = np.empty(half * count, dtype=bool)
    words = RandomWords(seed, EDGES)
    for step in range(half):
        part = slice(step * count, (step + 1) * count)
        dst[part] = np.roll(ids, -step - 1)
        picked[part] = words.unit(count) < chance
    _rewire(dst, np.flatnonzero(picked), count, half, Draws(seed, REDRAWS), progress)
    about = f"watts_strogatz, num_vertices={count}, neighbors={degree}, rewire={chance}"
    return graph_of(about, src, dst, count, seed=seed, weights=span)


def _rewire(
    dst: np.ndarray,
    picked: np.ndarray,
    count: int,
    half: int,
    draws: Draws,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Lead the picked edges elsewhere, in their order; edge step * count + u begins at u."""
    gone = bytearray(half * count)  # edges of the ring that were rewired
    added: set[int] = set()  # others, as least * count + highest
    degrees = array("i", [2 * half]) * count
    new = dst[picked].tolist()
    for number, edge in enumerate(picked.tolist()):
        u, old = edge % count, new[number]
        if degrees[u] == count - 1:  # joined to all: there is nowhere to lead it
            continue
        while True:
            w = draws.below(count)
            ahead = (w - u) % count
            if ahead == 0:
                continue
            if ahead <= half and not gone[(ahead - 1) * count + u]:
                continue
            if count - ahead <= half and not gone[(count - ahead - 1) * count + w]:
                continue
            code = u * count + w if u < w else w * count + u
            if code not in added:
                break
        added.add(code)
        gone[edge] = 1
        degrees[old] -= 1
        degrees[w] += 1
        new[number] = w
        if progress and (number + 1) % REPORT == 0:
            progress(number + 1, len(picked))
    dst[picked] = new
