"""Renumbers vertices, hubs first, for programs that gather a value of every sender.

In a graph with hubs, most arcs leave few vertices. Stored side by side, the values of these stay in
the cache, and rows of similar length are neighbors. Sorting by degree is the simplest such order
(Balaji and Lucia, When is Graph Reordering an Optimization?, 2018). It pays where degrees are
skewed, and can only hurt where they are not, as on a grid, whose order has a meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.graph.csr_ends import CsrEnds
from gascl.graph.lazy import LazyValues
from gascl.graph.parallel import blocks, cores, filled, in_threads

#: Vertices are renumbered if one in `ONE_IN` of them has at least `SHARE` of the arcs, and there
#: are at least `LEAST` vertices: the values of fewer fit into a cache in any order.
ONE_IN, SHARE, LEAST = 16, 0.5, 1 << 16


@dataclass(frozen=True, eq=False)
class Numbering:
    """Another order of a graph's vertices.

    Attributes:
        order: int32 (V,), the vertex that has each number.
        number: int32 (V,), the number of each vertex.
        share: the part of the arcs that leave the hubs, one in `ONE_IN` of the vertices; 0: these
            do not come first.
        bounds: where the vertices of each rank begin, and the last ones end, if that does not
            depend on the arcs.
    """

    order: np.ndarray
    number: np.ndarray
    share: float
    bounds: tuple[int, ...] = ()

    def __str__(self) -> str:
        hubs = f"hubs first: {self.share:.0%} of the arcs leave 1/{ONE_IN} of the vertices"
        return ", ".join(["by rank"] * bool(self.bounds) + [hubs] * (self.share > 0))


@dataclass(frozen=True, eq=False)
class Places:
    """The places of some of the vertices, on the device of a rank that has no others.

    Attributes:
        order: int32 (places,), the vertex at each place; int64 where ids have 64 bits.
        sorted: the process's own vertices are there in the order of their ids.
    """

    order: np.ndarray
    sorted: bool


class Renumbered:
    """Endpoints of edges in the new numbering, looked up while they are read.

    Args:
        ends: int32 (E,), ids of vertices.
        number: as in `Numbering`.
    """

    def __init__(self, ends: np.ndarray | CsrEnds | LazyValues, number: np.ndarray):
        self.ends, self.number = ends, number

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, part: slice) -> np.ndarray:
        return self.number.take(self.ends[part])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return filled(np.empty(len(self), dtype or np.int32), lambda block: self[block])

    def take(self, places: np.ndarray) -> np.ndarray:
        return self.number.take(self.ends.take(places))


def numbering(degree: np.ndarray, ranks: int = 1) -> Numbering | None:
    """The numbering of a graph with these out-degrees; None where it would not pay.

    Args:
        degree: (V,) integers.
        ranks: the number of processes that share the vertices. Vertices are dealt out, hubs first,
            so that each rank has as many, with about as many arcs.
    """
    count, total = len(degree), int(degree.sum(dtype=np.int64))
    if count < LEAST or not total:
        return None
    hubs = max(1, count // ONE_IN)
    share = int(np.partition(degree, count - hubs)[count - hubs :].sum(dtype=np.int64)) / total
    if share < SHARE:
        return None
    order = hubs_first(degree)
    if ranks > 1:
        order = np.concatenate([order[rank::ranks] for rank in range(ranks)])
    return Numbering(order, inverse(order), share)


def numbering_by(owner: np.ndarray, ranks: int, by_degree: Numbering | None) -> Numbering:
    """The numbering by which the vertices of each rank are a range.

    Args:
        owner: uint16 (V,), the rank of each vertex.
        by_degree: the order of the vertices of a rank, as `numbering` returns it.
    """
    order = np.arange(len(owner), dtype=np.int32) if by_degree is None else by_degree.order
    order = order[np.argsort(owner[order], kind="stable")]
    ends = np.cumsum(np.bincount(owner, minlength=ranks)).tolist()
    return Numbering(order, inverse(order), by_degree.share if by_degree else 0.0, (0, *ends))


def hubs_first(degree: np.ndarray) -> np.ndarray:
    """int32 (V,): the vertices by degree, highest first; those of equal degree keep their order."""
    # NumPy sorts numbers of 16 bits by counting; each thread sorts a part. Of each
    # degree, the vertices of a part come after those of the parts before it.
    top = np.iinfo(np.uint16).max
    keys = filled(np.empty(len(degree), np.uint16), lambda b: top - np.minimum(degree[b], top))
    parts = blocks(len(degree), max(1, -(-len(degree) // cores())))
    sorts = in_threads(lambda part: np.argsort(keys[part], kind="stable"), parts)
    counts = [np.bincount(keys[part], minlength=top + 1) for part in parts]
    begins = np.cumsum(np.stack(counts, axis=1)) if parts else np.empty(0, np.int64)
    order = np.empty(len(degree), np.int32)

    def put(number: int) -> None:
        part, places, count = parts[number], sorts[number], counts[number]
        begin = begins.reshape(-1, len(parts))[:, number] - np.cumsum(count)
        order[begin[keys[part][places]] + np.arange(len(places))] = places + part.start

    in_threads(put, range(len(parts)))
    hubs = order[: sum(int(count[0]) for count in counts)]  # of degree `top` or more
    hubs[:] = hubs[np.argsort(-degree[hubs].astype(np.int64), kind="stable")]
    return order


def inverse(order: np.ndarray) -> np.ndarray:
    """int32 (V,): the position of each vertex in an order of all vertices."""
    number = np.empty(len(order), np.int32)

    def write(block: slice) -> None:
        number[order[block]] = np.arange(block.start, block.stop, dtype=np.int32)

    in_threads(write, blocks(len(order)))
    return number


def by_number(numbering: Numbering | Places | None, values: np.ndarray) -> np.ndarray:
    """Values (V, ...) in the order of vertices, put into the order of numbers or of places; None:
    no change."""
    return values if numbering is None else gathered(values, numbering.order)


def by_vertex(numbering: Numbering | None, values: np.ndarray) -> np.ndarray:
    """Values (V, ...) in the order of numbers, put into the order of vertices; None: no change."""
    if numbering is None:
        return values
    by_vertices = np.empty(values.shape, values.dtype)
    spread(by_vertices, numbering.order, values)
    return by_vertices


def spread(to: np.ndarray, places: np.ndarray, rows: np.ndarray) -> None:
    """`to[places] = rows` in threads; no two places are the same.

    Args:
        to: contiguous.
        rows: contiguous, of the same dtype, one for each place.
    """
    size = to.nbytes // max(len(to), 1)
    if size in (1, 2, 4, 8):  # NumPy is fast with these
        to, rows = (a.reshape(-1).view(f"u{size}") for a in (to, rows))

    def write(block: slice) -> None:
        to[places[block]] = rows[block]

    in_threads(write, blocks(len(places)))


def gathered(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """`values[rows]`, in threads."""
    gathered = np.empty((len(rows), *values.shape[1:]), values.dtype)
    return filled(gathered, lambda block: values.take(rows[block], axis=0))
