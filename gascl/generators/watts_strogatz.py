"""Small worlds: Watts, Strogatz, "Collective dynamics of 'small-world' networks" (1998)."""

from __future__ import annotations

from array import array

import numpy as np

from gascl.errors import GraphError
from gascl.generators.builder import (
    Weights,
    check_room,
    graph_of,
    probability,
    seeded,
    vertices,
    weighted,
    whole_number,
)
from gascl.generators.random_words import EDGES, REDRAWS, Draws, RandomWords
from gascl.graph.graph import Graph
from gascl.util.progress import Progress, showing

REPORT = 1 << 16  # rewired edges between two reports of progress


def watts_strogatz(
    num_vertices: int,
    neighbors: int,
    rewire: float,
    *,
    seed: int = 0,
    weights: Weights = None,
    progress: bool | Progress = False,
) -> Graph:
    """An undirected ring, each vertex joined to its nearest neighbors, with some edges rewired.

    Edges are processed as in the paper: all between neighbors around the ring, then all between
    second neighbors, and so on. A rewired edge keeps its first end and gets another second end,
    drawn from all vertices that are not adjacent to the first one at that time.

    Args:
        num_vertices: more than `neighbors`.
        neighbors: the degree before rewiring, half on each side: even, 2 or more.
        rewire: the probability that an edge is rewired.
        seed: the same seed gives the same graph.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.
        progress: show on stderr, or as a bar in a notebook, how many edges have been rewired.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    count = vertices("num_vertices", num_vertices, 3)
    degree = whole_number("neighbors", neighbors, 2, count - 1)
    if degree % 2:
        raise GraphError(f"neighbors is {degree}; give an even number: half are on each side")
    chance = probability("rewire", rewire)
    seed, span = seeded(seed), weighted(weights)
    half = degree // 2
    check_room(half * count, count, 17)
    ids = np.arange(count, dtype=np.int32)
    src, dst = np.tile(ids, half), np.empty(half * count, dtype=np.int32)
    picked = np.empty(half * count, dtype=bool)
    words = RandomWords(seed, EDGES)
    for step in range(half):
        part = slice(step * count, (step + 1) * count)
        dst[part] = np.roll(ids, -step - 1)
        picked[part] = words.unit(count) < chance
    with showing(progress) as shown:
        _rewire(dst, np.flatnonzero(picked), count, half, Draws(seed, REDRAWS), shown)
    description = f"watts_strogatz, num_vertices={count}, neighbors={degree}, rewire={chance}"
    return graph_of(description, src, dst, count, seed=seed, weights=span)


def _rewire(
    dst: np.ndarray,
    picked: np.ndarray,
    count: int,
    half: int,
    draws: Draws,
    progress: Progress | None,
) -> None:
    """Rewire the picked edges, in order; edge step * count + u starts at u."""
    gone = bytearray(half * count)  # edges of the ring that have been rewired
    added: set[int] = set()  # new edges, as lower * count + higher
    degrees = array("i", [2 * half]) * count
    new = dst[picked].tolist()
    if progress:
        progress.begin("watts_strogatz", len(new), "edges")
    for number, edge in enumerate(picked.tolist()):
        u, old = edge % count, new[number]
        if degrees[u] == count - 1:  # adjacent to all: there is no other end
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
            progress.at(number + 1)
    dst[picked] = new
