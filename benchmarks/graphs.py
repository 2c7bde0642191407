"""The graphs of the benchmarks, generated without gascl: seeded, the same bits on every machine.

Every random choice is splitmix64 of a counter (Steele, Lea and Flood, Fast Splittable Pseudorandom
Number Generators, 2014), so that NumPy's own generators may change, and threads take any part.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from contenders import all_cores

if TYPE_CHECKING:
    from gascl import Graph

EDGES_PER_VERTEX = 16
#: Graph500's probabilities of the bits (0, 0), (0, 1) and (1, 0) of an edge.
A, B, C = 0.57, 0.19, 0.19
MISSING = 0.05  # of a grid with holes
BLOCK = 1 << 16  # edges at a time, so that temporary arrays stay in the cache
PIECE = 1 << 21  # keys that are sorted at a time
PART = 1 << 20  # arcs at a time
MASK = (1 << 64) - 1

T = TypeVar("T")


@dataclass
class Edges:
    """A graph without self-loops and parallel edges, as arcs sorted by source and then target. Of
    an undirected edge it has both arcs.

    Attributes:
        offsets: int64 (V + 1,), where the arcs of each source start.
        targets: int32 (A,).
        weights: float32 (A,), whole numbers from 1 to 255; both arcs of an edge have the same.
    """

    name: str
    offsets: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    directed: bool

    @property
    def num_vertices(self) -> int:
        return len(self.offsets) - 1

    @property
    def num_edges(self) -> int:
        return len(self.targets) if self.directed else len(self.targets) // 2

    @cached_property
    def out_degree(self) -> np.ndarray:
        return np.diff(self.offsets).astype(np.int32)

    @cached_property
    def sources(self) -> np.ndarray:
        """int32 (A,)."""
        return np.repeat(np.arange(self.num_vertices, dtype=np.int32), self.out_degree)

    @property
    def hub(self) -> int:
        """The vertex with the largest out-degree, and of those the smallest."""
        return int(np.argmax(self.out_degree))

    def parts(self, arcs: int = PART) -> list[tuple[slice, slice]]:
        """Consecutive rows with about so many arcs, and those arcs: of all vertices."""
        cuts = np.searchsorted(self.offsets, np.arange(arcs, len(self.targets), arcs))
        bounds = np.unique([0, *cuts, self.num_vertices]).tolist()
        return [
            (slice(a, b), slice(int(self.offsets[a]), int(self.offsets[b])))
            for a, b in pairwise(bounds)
        ]

    def sources_of(self, rows: slice) -> np.ndarray:
        """int32: the source of each arc of the rows."""
        vertices = np.arange(rows.start, rows.stop, dtype=np.int32)
        return np.repeat(vertices, self.out_degree[rows])

    def listed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sources, targets and weights, each edge once."""
        if self.directed:
            return self.sources, self.targets, self.weights

        def once(part: tuple[slice, slice]) -> tuple[np.ndarray, ...]:
            rows, arcs = part
            sources, targets = self.sources_of(rows), self.targets[arcs]
            kept = sources < targets
            return sources[kept], targets[kept], self.weights[arcs][kept]

        parts = in_threads(once, self.parts(1 << 22))
        ends = np.cumsum([len(sources) for sources, _, _ in parts])
        joined = tuple(np.empty(ends[-1], array.dtype) for array in parts[0])

        def join(number: int) -> None:
            for whole, array in zip(joined, parts[number], strict=True):
                whole[ends[number] - len(array) : ends[number]] = array
            parts[number] = ()

        in_threads(join, range(len(parts)))
        return joined

    def graph(self) -> Graph:
        from gascl import Graph

        src, dst, weight = self.listed()
        return Graph.from_edges(
            src, dst, num_vertices=self.num_vertices, directed=self.directed, weight=weight
        )

    @cached_property
    def turned(self) -> Edges:
        """Every arc the other way round."""

        def piece(start: int) -> np.ndarray:
            part = slice(start, start + PIECE)
            return keys_of(self.targets[part], self.sources[part])

        pieces = [lambda s=s: piece(s) for s in range(0, len(self.targets), PIECE)]
        return collected(f"{self.name}, turned", self.num_vertices, pieces, True)

    def undirected(self) -> Edges:
        """The same edges without their directions."""
        if not self.directed:
            return self

        def piece(start: int) -> np.ndarray:
            part = slice(start, start + PIECE)
            return both_ways(keys_of(self.sources[part], self.targets[part]))

        pieces = [lambda s=s: piece(s) for s in range(0, len(self.targets), PIECE)]
        return collected(f"{self.name}, undirected", self.num_vertices, pieces, False)

    def two_sided(self) -> Edges:
        """Undirected and bipartite: an arc from u to v is an edge between u and V + v."""

        def piece(start: int) -> np.ndarray:
            part = slice(start, start + PIECE)
            return both_ways(keys_of(self.sources[part], self.num_vertices + self.targets[part]))

        pieces = [lambda s=s: piece(s) for s in range(0, len(self.targets), PIECE)]
        return collected(f"{self.name}, two-sided", 2 * self.num_vertices, pieces, False)

    def save(self, path: Path) -> None:
        """Write it as .npz; a file that is there is replaced when the new one is complete."""
        part = path.with_name(f"{os.getpid()}-{path.name}")
        np.savez(
            part,
            offsets=self.offsets,
            targets=self.targets,
            weights=self.weights.astype(np.uint8),
            directed=self.directed,
        )
        part.replace(path)

    @classmethod
    def load(cls, name: str, path: Path) -> Edges:
        with np.load(path) as file:
            weights = file["weights"].astype(np.float32)
            return cls(name, file["offsets"], file["targets"], weights, bool(file["directed"]))


def made(name: str, cache: Path | None = None) -> Edges:
    """A graph by its name, from the cache if it is there.

    Args:
        name: "rmat20" and "uniform20" have 2**20 vertices and 16 edges drawn for each; "kron20" is
            the undirected graph of rmat20; "grid1500" has 1500 x 1500 vertices and arcs both ways;
            "holes1500" is undirected, and 5 % of its edges are missing. With a comma and
            "undirected", the graph without directions.
    """
    path = (cache or default_cache()) / f"{name.replace(', ', '-')}.npz"
    if path.exists():
        return Edges.load(name, path)
    kind, _, without = name.partition(", ")
    family = re.fullmatch(r"(rmat|kron|uniform|grid|holes|star|path|clique)(\d+)", kind)
    if not family or without not in ("", "undirected"):
        raise SystemExit(f"unknown graph {name!r}: see --help")
    size = int(family[2])
    if without:
        edges = made(kind, cache).undirected()
    elif family[1] == "grid":
        edges = grid(size)
    elif family[1] == "holes":
        edges = grid(size, MISSING)
    elif family[1] == "uniform":
        edges = uniform(size)
    elif family[1] in SHAPES:
        edges = SHAPES[family[1]](size)
    else:
        edges = rmat(size, directed=family[1] == "rmat")
    edges.name = name
    path.parent.mkdir(parents=True, exist_ok=True)
    edges.save(path)
    return edges


def default_cache() -> Path:
    return Path(tempfile.gettempdir()) / "gascl-benchmarks"


def rmat(scale: int, seed: int = 1, *, directed: bool = True, shuffled: bool = True) -> Edges:
    """R-MAT with Graph500's probabilities, without noise; vertices are renumbered at random."""
    below_a, below_b, below_c = (np.uint64(int(x * 2**32)) for x in (A, A + B, A + B + C))
    number = permutation(1 << scale, seed) if shuffled else None

    def keys(index: np.ndarray) -> np.ndarray:
        src, dst = np.zeros(len(index), np.int64), np.zeros(len(index), np.int64)
        for level in range(scale):
            if level % 2 == 0:
                word = hashed(index, seed, scale, level)
                draw = word & np.uint64(0xFFFFFFFF)
            else:
                draw = word >> np.uint64(32)
            high = draw >= below_b
            src <<= 1
            dst <<= 1
            src |= high
            dst |= ((draw >= below_a) & ~high) | (draw >= below_c)
        if number is not None:
            src, dst = number[src], number[dst]
        return keys_of(src, dst)

    count = EDGES_PER_VERTEX << scale
    pieces = drawn_pieces(count, keys, directed)
    return collected(f"rmat{scale}", 1 << scale, pieces, directed, seed)


def uniform(scale: int, seed: int = 1, *, directed: bool = True) -> Edges:
    """16 edges from each vertex to vertices drawn uniformly."""

    def keys(index: np.ndarray) -> np.ndarray:
        dst = hashed(index, seed, scale, 99) >> np.uint64(64 - scale)
        return keys_of(index // np.uint64(EDGES_PER_VERTEX), dst)

    pieces = drawn_pieces(EDGES_PER_VERTEX << scale, keys, directed)
    return collected(f"uniform{scale}", 1 << scale, pieces, directed, seed)


def grid(side: int, missing: float = 0.0, seed: int = 1) -> Edges:
    """A square grid with arcs both ways; undirected if edges are missing."""
    ids = np.arange(side * side, dtype=np.int64).reshape(side, side)
    once = np.concatenate(
        [
            keys_of(ids[:, :-1].ravel(), ids[:, 1:].ravel()),
            keys_of(ids[:-1].ravel(), ids[1:].ravel()),
        ]
    )
    if missing:
        once = once[hashed(once.astype(np.uint64), seed, 5) >= np.uint64(missing * 2**64)]
    return collected(f"grid{side}", side * side, [lambda: both_ways(once)], not missing, seed)


def star(scale: int, seed: int = 1) -> Edges:
    """Vertex 0 and its neighbors, the leaves."""
    leaves = np.arange(1, (1 << scale) + 1)
    once = keys_of(np.zeros_like(leaves), leaves)
    return collected(f"star{scale}", len(leaves) + 1, [lambda: both_ways(once)], False, seed)


def path(scale: int, seed: int = 1) -> Edges:
    ids = np.arange(1 << scale)
    once = keys_of(ids[:-1], ids[1:])
    return collected(f"path{scale}", len(ids), [lambda: both_ways(once)], False, seed)


def clique(count: int, seed: int = 1) -> Edges:
    """Every vertex is a neighbor of every other."""

    def row(source: int) -> np.ndarray:
        ids = np.arange(count)
        return keys_of(np.full(count, source), ids)

    rows = [lambda v=v: row(v) for v in range(count)]
    return collected(f"clique{count}", count, rows, False, seed)


SHAPES: dict[str, Callable[[int], Edges]] = {"star": star, "path": path, "clique": clique}


def hashed(value: np.ndarray, *key: int) -> np.ndarray:
    """uint64 (n,): a hash of uint64 values under a key of small integers."""
    state = 0x9E3779B97F4A7C15
    for part in key:
        state = (state ^ part) * 0xBF58476D1CE4E5B9 & MASK
        state ^= state >> 29
        state = state * 0x94D049BB133111EB & MASK
        state ^= state >> 32
    word = value * np.uint64(0x9E3779B97F4A7C15)
    word += np.uint64(state)
    for _ in range(2):
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
            word ^= word >> np.uint64(shift)
            word *= np.uint64(factor)
    return word


def permutation(count: int, seed: int) -> np.ndarray:
    """int64 (count,): a permutation, by sorting hashes that end in the number itself."""
    number = np.arange(count, dtype=np.uint64)
    bits = np.uint64(max(1, (count - 1).bit_length()))
    keys = ((hashed(number, seed, 31337) >> bits) << bits) | number
    keys.sort()
    return (keys & np.uint64((1 << int(bits)) - 1)).astype(np.int64)


def keys_of(src: np.ndarray, dst: np.ndarray) -> np.ndarray:
    """int64 (n,): an arc in one number, which sorts by source and then target."""
    return (src.astype(np.int64) << 32) | dst.astype(np.int64)


def both_ways(keys: np.ndarray) -> np.ndarray:
    return np.concatenate([keys, (keys << 32) | (keys >> 32)])


def drawn_pieces(
    count: int, keys: Callable[[np.ndarray], np.ndarray], directed: bool
) -> list[Callable[[], np.ndarray]]:
    """The keys of the edges 0 ... count-1, a piece at a time."""

    def piece(start: int) -> np.ndarray:
        end = min(start + PIECE, count)
        parts = [
            keys(np.arange(first, min(first + BLOCK, end), dtype=np.uint64))
            for first in range(start, end, BLOCK)
        ]
        drawn = np.concatenate(parts)
        return drawn if directed else both_ways(drawn)

    return [lambda s=s: piece(s) for s in range(0, count, PIECE)]


def collected(
    name: str,
    count: int,
    pieces: list[Callable[[], np.ndarray]],
    directed: bool,
    seed: int = 1,
) -> Edges:
    """The graph of all pieces of keys, without self-loops and duplicates.

    Pieces are sorted by themselves; then each range of sources is merged out of all of them.
    """

    def ordered(piece: Callable[[], np.ndarray]) -> np.ndarray:
        keys = piece()
        keys.sort()
        return keys

    ranges = min(256, count)
    bounds = np.array([count * i // ranges for i in range(ranges + 1)])
    found = in_threads(ordered, pieces)
    cuts = [np.searchsorted(keys, bounds << 32) for keys in found]

    def merged(number: int) -> np.ndarray:
        parts = [k[c[number] : c[number + 1]] for k, c in zip(found, cuts, strict=True)]
        keys = np.concatenate(parts)
        keys.sort()
        keep = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=keep[1:])
        keep &= (keys >> 32) != (keys & 0xFFFFFFFF)
        return keys[keep]

    rows = in_threads(merged, range(ranges))
    found.clear()
    starts = np.concatenate([[0], np.cumsum([len(keys) for keys in rows])])
    degree = np.zeros(count + 1, np.int64)
    targets, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)

    def filled(number: int) -> None:
        keys, first, last = rows[number], *bounds[number : number + 2]
        for start in range(0, len(keys), BLOCK):
            part = keys[start : start + BLOCK]
            at = slice(starts[number] + start, starts[number] + start + len(part))
            targets[at] = part & 0xFFFFFFFF
            weights[at] = pair_weights(part, seed)
        degree[first + 1 : last + 1] = np.bincount((keys >> 32) - first, minlength=last - first)
        rows[number] = np.empty(0, np.int64)

    in_threads(filled, range(ranges))
    return Edges(name, np.cumsum(degree), targets, weights, directed)


def pair_weights(keys: np.ndarray, seed: int) -> np.ndarray:
    """Whole numbers from 1 to 255, the same for (u, v) and (v, u)."""
    src, dst = keys >> 32, keys & 0xFFFFFFFF
    pair = keys_of(np.minimum(src, dst), np.maximum(src, dst)).astype(np.uint64)
    word = hashed(pair, seed, 777) >> np.uint64(33)
    word -= word // np.uint64(255) * np.uint64(255)
    return word + np.uint64(1)


def in_threads(do: Callable[[Any], T], items: Iterable[Any]) -> list[T]:
    """NumPy releases the interpreter's lock while it works on an array."""
    with ThreadPoolExecutor(all_cores()) as pool:
        return list(pool.map(do, items))
