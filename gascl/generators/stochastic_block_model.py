"""Planted groups: Holland, Laskey, Leinhardt, "Stochastic blockmodels: First steps" (1983)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gascl.errors import GraphError
from gascl.generators.builder import Weights, check_room, graph_of, seeded, vertices, weighted
from gascl.generators.random_words import EDGES, RandomWords
from gascl.graph.graph import Graph
from gascl.user_messages import Option

BATCH = 1 << 15  # gaps drawn at a time
MOST_VERTICES = 1 << 28  # so that sums of gaps fit in 63 bits


def stochastic_block_model(
    sizes: Sequence[int],
    probabilities: Any,
    *,
    seed: int = 0,
    directed: bool = False,
    weights: Weights = None,
) -> Graph:
    """Groups of vertices; two vertices are joined with a probability that depends on their groups.

    Vertices are numbered by group; the vertex field "community" is a vertex's group. There are no
    parallel edges and no self-loops. Each pair of groups takes about 50 microseconds in addition to
    its edges, so that thousands of groups take long.

    Args:
        sizes: the number of vertices in each of B groups, 1 or more.
        probabilities: two, within a group and between groups; or (B, B), [i][j] from group i to j,
            symmetric unless the graph is directed.
        seed: the same seed gives the same graph.
        directed: edges are ordered pairs.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    counts = _sizes(sizes)
    chances = _chances(probabilities, len(counts), directed)
    seed, span = seeded(seed), weighted(weights)
    begins = np.cumsum([0, *counts]).tolist()
    blocks = [
        (i, j, _pairs(counts, i, j, directed))
        for i in range(len(counts))
        for j in range(0 if directed else i, len(counts))
        if chances[i, j] > 0
    ]
    check_room(int(sum(pairs * chances[i, j] for i, j, pairs in blocks)), begins[-1], 16)
    tails, heads = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    for i, j, pairs in blocks:
        for codes in _successes(RandomWords(seed, EDGES, i, j), pairs, float(chances[i, j])):
            u, v = _ends(codes, counts[i], counts[j], i == j, directed)
            tails.append((u + begins[i]).astype(np.int32))
            heads.append((v + begins[j]).astype(np.int32))
    return graph_of(
        f"stochastic_block_model, groups={len(counts)}",
        np.concatenate(tails),
        np.concatenate(heads),
        begins[-1],
        seed=seed,
        directed=directed,
        weights=span,
        community=np.repeat(np.arange(len(counts), dtype=np.int32), counts),
    )


def _sizes(sizes: Any) -> list[int]:
    try:
        counts = [vertices(f"size {number} of the groups", n) for number, n in enumerate(sizes)]
    except TypeError:
        raise GraphError(f"sizes is {sizes!r}; give a list of sizes, as [100, 50]") from None
    if not counts or sum(counts) > MOST_VERTICES:
        raise GraphError(
            f"sizes are {len(counts):,} groups of {sum(counts):,} vertices in all; give one group "
            f"or more, and at most {MOST_VERTICES:,} vertices"
        )
    return counts


def _chances(probabilities: Any, groups: int, directed: bool) -> np.ndarray:
    """float64 (B, B)."""
    try:
        array = np.array(probabilities, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape == (2,):
        chances = np.full((groups, groups), array[1])
        np.fill_diagonal(chances, array[0])
    elif array.shape == (groups, groups):
        chances = array
    else:
        raise GraphError(
            f"probabilities have shape {array.shape}; give two, within a group and between groups, "
            f"or a matrix ({groups}, {groups})"
        )
    wrong = chances[~((chances >= 0) & (chances <= 1))]
    if len(wrong):
        raise GraphError(f"probabilities hold {wrong[0]}; give numbers from 0 to 1")
    if not directed and not np.array_equal(chances, chances.T):
        i, j = np.argwhere(chances != chances.T)[0]
        raise GraphError(
            f"probabilities[{i}][{j}] is {chances[i, j]} and probabilities[{j}][{i}] is "
            f"{chances[j, i]}; give a symmetric matrix, or ",
            Option("directed", True),
        )
    return chances


def _pairs(counts: list[int], i: int, j: int, directed: bool) -> int:
    """The number of pairs of vertices between the groups."""
    if i != j:
        return counts[i] * counts[j]
    return counts[i] * (counts[i] - 1) // (1 if directed else 2)


def _ends(
    codes: np.ndarray, rows: int, columns: int, same: bool, directed: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The pairs with these numbers, as positions in their groups."""
    if not same:
        return codes // columns, codes % columns
    if directed:
        u, v = codes // (rows - 1), codes % (rows - 1)
        return u, v + (v >= u)
    # Around a ring: first all pairs of neighbors, then of second neighbors, and so on.
    u = codes % rows
    v = (u + codes // rows + 1) % rows
    return np.minimum(u, v), np.maximum(u, v)


def _successes(words: RandomWords, trials: int, chance: float) -> list[np.ndarray]:
    """The trials, 0 to trials - 1, that succeed, each with this chance: int64 parts, sorted.

    The number of failures before the next success is geometrically distributed, and its bits are
    independent: bit i is set with odds (1 - chance)**(2**i) to 1. Squares and quotients are the
    same on every machine, unlike logarithms.
    """
    odds, powers = [1 - chance], 1
    while 1 << powers < trials and odds[-1] > 2.0**-70:
        odds.append(odds[-1] * odds[-1])
        powers += 1
    bits = np.array([r / (1 + r) for r in odds])
    beyond = odds[-1] * odds[-1]  # the chance of 2**powers failures or more
    values = np.left_shift(1, np.arange(powers, dtype=np.int64))
    parts = []
    place = -1  # of the last success
    while trials - place > 1:
        expected = (trials - place) * chance
        size = min(BATCH, int(expected + 4 * expected**0.5) + 8)
        drawn = words.unit(size * (powers + 1)).reshape(size, powers + 1)
        gaps = (drawn[:, :powers] < bits) @ values
        over = np.flatnonzero(drawn[:, powers] < beyond)
        if len(over):
            gaps = gaps[: over[0]]
        successes = place + np.cumsum(gaps + 1)
        inside = successes[successes < trials]
        parts.append(inside)
        if len(over) or len(inside) < len(successes):
            break
        place = int(successes[-1])
    return parts
