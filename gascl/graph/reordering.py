"""Vertices numbered anew, hubs first, for programs that gather a value of every sender.

Most arcs of a graph with hubs leave few vertices. Side by side, what is read of these stays in the
cache; and rows of like length lie beside each other. Sorting by degree is the simplest such order
(Balaji and Lucia, When is Graph Reordering an Optimization?, 2018). It pays where degrees are
skewed, and can only hurt where they are not, as on a grid, whose order has a meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.graph.csr_ends import Runs
from gascl.graph.parallel import blocks, cores, filled, in_threads

#: Vertices are numbered anew if one in `ONE_IN` of them has at least `SHARE` of the arcs, and there
#: are at least `LEAST`: what is read of fewer fits into a cache in any order.
ONE_IN, SHARE, LEAST = 16, 0.5, 1 << 16


@dataclass(frozen=True, eq=False)
class Numbering:
    """Another order of a graph's vertices.

    Attributes:
        order: int32 (V,), the vertex that has each number.
        number: int32 (V,), the number of each vertex.
        share: the part of the arcs that leave the hubs, one in `ONE_IN` of the vertices.
    """

    order: np.ndarray
    number: np.ndarray
    share: float

    def __str__(self) -> str:
        return f"hubs first: {self.share:.0%} of the arcs leave 1/{ONE_IN} of the vertices"


class Renumbered:
    """Ends of edges by their new numbers, which are looked up as they are read.

    Args:
        ends: int32 (E,), ids of vertices.
        number: as in `Numbering`.
    """

    def __init__(self, ends: np.ndarray | Runs, number: np.ndarray):
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
    """The numbering of a graph whose vertices have so many arcs out; None where it would not pay.

    Args:
        degree: (V,) integers.
        ranks: the processes that share the vertices. They are dealt out, so that each has as many,
            hubs first, with about as many arcs.
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


def hubs_first(degree: np.ndarray) -> np.ndarray:
    """int32 (V,): the vertices by degree, highest first; those of equal degree keep their order."""
    # NumPy sorts numbers of 16 bits by counting; each thread sorts a part, all of whose vertices of
    # one degree then have their place behind those of the parts before it.
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
    """int32 (V,): the place of each vertex in an order of all of them."""
    number = np.empty(len(order), np.int32)

    def write(block: slice) -> None:
        number[order[block]] = np.arange(block.start, block.stop, dtype=np.int32)

    in_threads(write, blocks(len(order)))
    return number


def by_number(numbering: Numbering | None, values: np.ndarray) -> np.ndarray:
    """Values (V, ...) of the vertices, in the order of their numbers; None: they have their own."""
    return values if numbering is None else _taken(values, numbering.order)


def by_vertex(numbering: Numbering | None, values: np.ndarray) -> np.ndarray:
    """Values (V, ...) in the order of numbers, in that of the vertices."""
    if numbering is None:
        return values
    found = np.empty(values.shape, values.dtype)
    spread(found, numbering.order, values)
    return found


def spread(to: np.ndarray, places: np.ndarray, rows: np.ndarray) -> None:
    """`to[places] = rows` in threads; no two places are the same.

    Args:
        to: contiguous.
        rows: likewise, of the same dtype, one for each of the places.
    """
    size = to.nbytes // max(len(to), 1)
    if size in (1, 2, 4, 8):  # NumPy is fast with these
        to, rows = (a.reshape(-1).view(f"u{size}") for a in (to, rows))

    def write(block: slice) -> None:
        to[places[block]] = rows[block]

    in_threads(write, blocks(len(places)))


def _taken(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    taken = np.empty(values.shape, values.dtype)
    return filled(taken, lambda block: values.take(rows[block], axis=0))
