"""R-MAT graphs: Chakrabarti, Zhan, Faloutsos, "R-MAT: A Recursive Model for Graph Mining" (2004),
with the parameters of Graph500 (a stochastic Kronecker graph of its 2 x 2 matrix)."""

from __future__ import annotations

import numpy as np

from gascl.errors import GraphError
from gascl.generators.builder import Weights, probability, seeded, weighted, whole_number
from gascl.generators.chunked import CHUNK, Chunks, Recipe, generator
from gascl.generators.random_words import EDGES, HALF, LOW, NUMBERING, RandomWords, permutation
from gascl.graph import validation
from gascl.graph.arcs import INT32_MAX
from gascl.graph.parallel import in_order
from gascl.graph.validation import Duplicates, SelfLoops
from gascl.io.outofcore.spool import EdgeSpool
from gascl.util.progress import Progress

MOST_LEVELS = 6  # per draw: 4096 outcomes, whose tables stay in a core's cache
BLOCK = 1 << 16  # edges made at a time, so that they stay in the cache


@generator
def rmat(
    scale: int,
    edges_per_vertex: int = 16,
    *,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    renumber: bool = True,
    seed: int = 0,
    directed: bool = True,
    weights: Weights = None,
    duplicates: Duplicates = "keep",
    self_loops: SelfLoops = "keep",
    progress: bool | Progress = False,
) -> Recipe:
    """An R-MAT graph: each edge chooses a quadrant of the adjacency matrix, `scale` times over.

    Args:
        scale: there are 2**scale vertices; 0 to 30.
        edges_per_vertex: edges per vertex, before the policies are applied.
        a, b, c: the probabilities of the quadrants top left, top right and bottom left; the bottom
            right has the rest, 1 - a - b - c. The defaults are Graph500's.
        renumber: number the vertices at random; else vertices with low numbers have most edges.
        seed: the same seed gives the same graph.
        directed: whether the edges are directed.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly.
        duplicates, self_loops: as in `Graph.from_edges`; R-MAT makes many of both.
        progress: show on stderr, or as a bar in a notebook, how many edges have been made.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    levels = whole_number("scale", scale, 0, (INT32_MAX + 1).bit_length() - 2)
    degree = whole_number("edges_per_vertex", edges_per_vertex, 0)
    validation.check_policy("duplicates", duplicates, Duplicates)
    validation.check_policy("self_loops", self_loops, SelfLoops)
    seed, span = seeded(seed), weighted(weights)
    chances = _chances(a, b, c)
    count, num_vertices = degree << levels, 1 << levels

    def chunks(_: EdgeSpool | None) -> Chunks:
        draws = _draws(levels, chances)
        names = permutation(seed, num_vertices, NUMBERING) if renumber else None

        def filled(start: int) -> tuple[np.ndarray, np.ndarray]:
            src, dst = (np.empty(min(CHUNK, count - start), np.int32) for _ in range(2))
            _fill(src, dst, draws, names, seed, start)
            return src, dst

        return in_order(filled, range(0, count, CHUNK))

    description = f"rmat, scale={levels}, edges_per_vertex={degree}, a={a}, b={b}, c={c}"
    return Recipe(
        description if renumber else f"{description}, renumber=False",
        num_vertices,
        count,
        chunks,
        seed,
        directed,
        span,
        duplicates,
        self_loops,
        table=12 * num_vertices if renumber else 0,  # a permutation, and what it is sorted from
        progress=progress,
    )


def _chances(a: float, b: float, c: float) -> np.ndarray:
    """float64 (4,): the probabilities of the quadrants, by row."""
    first = [probability(name, value) for name, value in (("a", a), ("b", b), ("c", c))]
    rest = 1 - sum(first)
    if rest < -1e-9:
        raise GraphError(f"a + b + c is {sum(first)}; give chances that add up to at most 1")
    return np.array([*first, max(rest, 0.0)])


def _draws(levels: int, chances: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The tables for each 32-bit draw, which decides several levels (see `_tables`)."""
    groups = -(-levels // MOST_LEVELS)
    sizes = [levels // groups + (g < levels % groups) for g in range(groups)]
    made = {size: _tables(size, chances) for size in set(sizes)}
    draws = []
    below = levels
    for size in sizes:
        below -= size
        threshold, value = made[size]
        draws.append((threshold, value << below))
    return draws


def _tables(levels: int, chances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An alias table (Walker 1977, Vose 1991) of the 4**levels outcomes of these levels.

    A 32-bit draw u falls into bucket i = u % 4**levels, and gives outcome i if u is below the
    bucket's threshold, otherwise its alias; each outcome's probability is accurate to 2**-32.

    Returns:
        int64 (4**levels,) thresholds, and int64 (2 * 4**levels,) values: first of the aliases,
        then of the outcomes; a value is the source's bits times 2**32 plus the target's.
    """
    share = np.ones(1)
    value = np.zeros(1, dtype=np.int64)
    quarters = np.array([0, 1, 1 << 32, (1 << 32) + 1])
    for _ in range(levels):
        share = np.multiply.outer(share, chances).ravel()
        value = np.add.outer(2 * value, quarters).ravel()
    size = len(share)
    full = 2**32 // size  # draws of a bucket
    parts = share * 2.0**32
    counts = np.floor(parts).astype(np.int64)
    missing = 2**32 - int(counts.sum())  # by the largest remainders
    counts[np.argsort(counts - parts, kind="stable")[:missing]] += 1
    left = counts.tolist()
    kept, alias = [full] * size, list(range(size))
    small = [i for i in range(size) if left[i] < full]
    large = [i for i in range(size) if left[i] > full]
    while small:
        i, j = small.pop(), large[-1]
        kept[i], alias[i] = left[i], j
        left[j] -= full - left[i]
        if left[j] <= full:
            large.pop()
            if left[j] < full:
                small.append(j)
    threshold = np.array(kept, dtype=np.int64) * size  # of the whole draw, bucket included
    return threshold, np.concatenate([value[alias], value])


def _fill(
    src: np.ndarray,
    dst: np.ndarray,
    draws: list[tuple[np.ndarray, np.ndarray]],
    names: np.ndarray | None,
    seed: int,
    start: int,
) -> None:
    """Make the edges from number `start` on: int32 (n,) each."""
    columns = [RandomWords(seed, EDGES, j, start=start) for j in range(-(-len(draws) // 2))]
    room = min(BLOCK, len(src))
    u, index, chosen, edge = (np.empty(room, dtype=np.int64) for _ in range(4))
    for begin in range(0, len(src), BLOCK):
        size = min(BLOCK, len(src) - begin)
        u, index, chosen, edge = u[:size], index[:size], chosen[:size], edge[:size]
        edge[:] = 0
        for number, (threshold, value) in enumerate(draws):
            if number % 2 == 0:
                words = columns[number // 2].take(size)
                np.bitwise_and(words, LOW, out=u.view(np.uint64))
            else:
                np.right_shift(words, HALF, out=u.view(np.uint64))
            # Without a branch: below the threshold the difference is negative, all its bits set.
            np.bitwise_and(u, len(threshold) - 1, out=index)
            np.take(threshold, index, out=chosen, mode="wrap")
            np.subtract(u, chosen, out=chosen)
            np.right_shift(chosen, 63, out=chosen)
            np.bitwise_and(chosen, len(threshold), out=chosen)
            np.bitwise_or(chosen, index, out=chosen)
            np.take(value, chosen, out=u, mode="wrap")
            np.bitwise_or(edge, u, out=edge)
        tails, heads = src[begin : begin + size], dst[begin : begin + size]
        np.bitwise_and(edge, 0xFFFFFFFF, out=index)
        np.right_shift(edge, 32, out=edge)
        if names is None:
            tails[:], heads[:] = edge, index
        else:
            np.take(names, edge, out=tails, mode="wrap")
            np.take(names, index, out=heads, mode="wrap")
