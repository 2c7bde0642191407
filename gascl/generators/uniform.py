"""Uniform random graphs G(n, m): Erdős, Rényi, "On Random Graphs I" (1959)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np

from gascl.errors import GraphError
from gascl.generators.builder import Weights, seeded, vertices, weighted, whole_number
from gascl.generators.chunked import CHUNK, Chunks, Recipe, generator
from gascl.generators.random_words import EDGES, RandomWords
from gascl.graph.parallel import blocks, cores, in_order, joined
from gascl.io.outofcore.disk_array import DiskArray
from gascl.io.outofcore.spool import EdgeSpool

PILED = 24  # bytes of memory that a pair takes while its pile is sorted
MOST_PILES = 500  # the largest number of files open at a time


@generator
def uniform(
    num_vertices: int,
    num_edges: int,
    *,
    seed: int = 0,
    directed: bool = False,
    weights: Weights = None,
) -> Recipe:
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
    wanted = whole_number("num_edges", num_edges, 0)
    seed, span = seeded(seed), weighted(weights)
    pairs = count * (count - 1) // (1 if directed else 2)
    if wanted > pairs:
        raise GraphError(
            f"num_edges is {wanted:,}, and {count:,} vertices have {pairs:,} pairs; ask for at "
            "most as many"
        )

    out = wanted > pairs // 2  # draw the edges to leave out instead
    drawn = pairs - wanted if out else wanted
    # A lower end is at most twice as likely in one place as on average.
    needed = 2 * drawn * PILED * cores()

    def chunks(spool: EdgeSpool | None) -> Chunks:
        bounds: list[int] = [0, count]
        if spool is not None:
            number = needed // spool.room + 1
            bounds = np.unique(np.linspace(0, count, number + 1).astype(np.int64)).tolist()
        ranges = [*pairwise(bounds)]
        paths = [None if spool is None else spool.folder / f"pile{n}" for n in range(len(ranges))]
        piles = [_Bucket(path) for path in paths]
        _draw(seed, count, drawn, directed, piles, bounds, spool)
        for pile, (first, last) in zip(piles, ranges, strict=True):
            if out:
                yield from _all_but(pile.codes(), first, last, count, directed)
            else:
                yield from _ends(pile.codes(), count)
            pile.delete()

    description = f"uniform, num_vertices={count}, num_edges={wanted}"
    return Recipe(
        description,
        count,
        wanted,
        chunks,
        seed,
        directed,
        span,
        table=needed // MOST_PILES,
        bytes_an_edge=24,
    )


class _Bucket:
    """Pairs u, v whose u is in a range, as codes u * V + v: distinct ones, sorted, followed by
    those drawn since.

    Args:
        path: the file to keep them in; None: memory.

    Attributes:
        count: the number of distinct pairs.
    """

    def __init__(self, path: Path | None):
        self._path, self.count = path, 0
        self._begin()

    def _begin(self) -> None:
        self._parts: list[np.ndarray] = []
        self._file = None if self._path is None else DiskArray(self._path, np.int64)

    def add(self, codes: np.ndarray) -> None:
        """Add pairs, int64 (n,)."""
        if self._file is None:
            self._parts.append(codes)
        else:
            self._file.append(codes)

    def codes(self) -> np.ndarray:
        """The codes of all pairs, int64 (n,)."""
        if self._file is None:
            return self._parts[0] if len(self._parts) == 1 else joined(self._parts, np.int64)
        return next(self._file.blocks(len(self._file) or 1), np.empty(0, np.int64))

    def settle(self) -> int:
        """Sort the pairs and remove duplicates; returns the number of distinct pairs."""
        codes = self.codes()
        if len(codes) == self.count:
            return self.count
        self.delete()
        # All but the new pairs at the end are sorted: a stable sort merges them.
        codes.sort(kind="stable" if self.count else None)
        first = np.ones(len(codes), bool)
        np.not_equal(codes[1:], codes[:-1], out=first[1:])
        codes = codes[first]
        self._begin()
        self.count = len(codes)
        self.add(codes)
        return self.count

    def delete(self) -> None:
        """Delete all pairs."""
        self._parts = []
        if self._file is not None:
            self._file.delete()


def _draw(
    seed: int,
    count: int,
    wanted: int,
    directed: bool,
    piles: list[_Bucket],
    bounds: list[int],
    spool: EdgeSpool | None,
) -> None:
    """Put into the piles the first `wanted` different pairs of an endless sequence, so that all
    sets are equally likely; pile i has those with bounds[i] <= u < bounds[i + 1]."""
    inner = np.array(bounds[1:-1], np.int64) * count

    def drawn(part: range) -> np.ndarray:
        u = RandomWords(seed, EDGES, 0, start=part.start).below(count, len(part))
        v = RandomWords(seed, EDGES, 1, start=part.start).below(count - 1, len(part))
        v += v >= u
        if not directed:
            u, v = np.minimum(u, v), np.maximum(u, v)
        u *= count
        u += v
        if len(piles) > 1:
            u.sort()
        return u

    def shown(title: str) -> Callable[[int], None]:
        if spool is None:
            return lambda count: None
        spool.progress.at(0)
        spool.progress.begin(title, wanted, "edges")
        return spool.progress.advance

    begin = distinct = 0
    while distinct < wanted:
        # Never draw more than are missing, so that no pair is dropped in favor of a later one.
        end = begin + wanted - distinct
        parts = [range(b, min(b + CHUNK, end)) for b in range(begin, end, CHUNK)]
        advance = shown("uniform: drawing")
        for codes in in_order(drawn, parts):
            cuts = [0, *np.searchsorted(codes, inner).tolist(), len(codes)]
            for pile, (a, b) in zip(piles, pairwise(cuts), strict=True):
                pile.add(codes[a:b])
            advance(len(codes))
        begin, distinct = end, 0
        advance = shown("uniform: sorting")
        for count_of_pile in in_order(_Bucket.settle, piles):
            distinct += count_of_pile
            advance(count_of_pile)
    shown("uniform")


def _ends(codes: np.ndarray, count: int) -> Chunks:
    for part in blocks(len(codes), CHUNK):
        u, v = np.divmod(codes[part], count)
        yield u.astype(np.int32), v.astype(np.int32)


def _all_but(out: np.ndarray, first: int, last: int, count: int, directed: bool) -> Chunks:
    """All pairs with first <= u < last except those in `out`, sorted."""
    for part in blocks(last - first, max(CHUNK // count, 1)):
        u = np.arange(first + part.start, first + part.stop)[:, np.newaxis]
        codes = (u * count + np.arange(count)).ravel()
        kept = np.ones(len(codes), bool)
        kept[np.arange(len(u)) * (count + 1) + u[0, 0]] = False  # self-loops
        if not directed:
            kept &= (np.arange(count) > u).ravel()
        left = out[slice(*np.searchsorted(out, [codes[0], codes[-1] + 1]))]
        kept[left - codes[0]] = False
        yield from _ends(codes[kept], count)
