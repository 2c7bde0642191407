"""A block model whose groups split and merge at known steps, for tests and a picture."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gascl import Graph

#: What `community` does at which step; all else stays.
EVENTS = {5: "split", 9: "merge", 12: "merge", 15: "split", 17: "merge"}


def changing(steps: int = 20, size: int = 20, seed: int = 0) -> Iterator[Graph]:
    """Graphs of a block model of eight groups of which some are one at times, see `community`.

    A pair keeps its number, and is an edge while the chance is more: edges come and go between
    groups that split or merge, and a few others at random.
    """
    group = np.repeat(np.arange(8), size)
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(len(group), 1)
    chance = rng.random(len(u))
    graph, present = None, np.zeros(len(u), bool)
    for step in range(steps):
        together = community(step)[group]
        redrawn = rng.random(len(u)) < 0.01
        chance[redrawn] = rng.random(np.count_nonzero(redrawn))
        wanted = chance < np.where(together[u] == together[v], 0.5, 0.02)
        if graph is None:
            ends = u[wanted], v[wanted]
            graph = Graph.from_edges(*ends, num_vertices=len(group), directed=False)
        else:
            came, went = wanted & ~present, present & ~wanted
            graph = graph.with_edges(add=(u[came], v[came]), remove=(u[went], v[went]))
        present = wanted
        yield graph


def community(step: int) -> np.ndarray:
    """Which of the eight groups are one: 0 and 1 until step 5, 2 and 3 from 9 to 15, 4 to 6 ..."""
    joined = np.arange(8)
    if step < 5:
        joined[1] = 0
    if 9 <= step < 15:
        joined[3] = 2
    if step >= 12:
        joined[5] = 4
    if step >= 17:
        joined[6] = 4
    return joined
