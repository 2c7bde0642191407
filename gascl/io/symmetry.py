"""Undirected edges as arcs: making two directed edges of each, and checking that both are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from gascl.graph.arcs import Order
from gascl.graph.raw_graph import RawGraph
from gascl.user_messages import Message, Option

#: The line of a report after `both_ways`.
MADE_DIRECTED = Message(Option("directed", True), ": each edge became two, one in each direction")
#: The line of a report if neither the file nor the caller gives the direction.
ASSUMED_DIRECTED = Message(
    "read as directed, since the file does not say; ", Option("directed", False), ": undirected"
)


def both_ways(
    src: np.ndarray, dst: np.ndarray, fields: Mapping[str, np.ndarray], sign: int = 1
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """The edges, followed by the reverse of each except self-loops; the fields of a reversed edge
    are those of the edge times `sign`."""
    across = np.flatnonzero(src != dst)
    both = {
        n: np.append(v, v[across] if sign == 1 else sign * v[across]) for n, v in fields.items()
    }
    return np.append(src, dst[across]), np.append(dst, src[across]), both


def as_directed(raw: RawGraph, directed: bool | None, every: str = "") -> RawGraph:
    """The edges of a file, which says their direction, in that of a reader's argument `directed`:
    one for each arc, or undirected ones; extends the report.

    Args:
        every: what became an undirected edge, for the report; "": the reader has reported it.
    """
    if directed in (None, raw.directed):
        return raw
    src, dst, fields = np.asarray(raw.src), np.asarray(raw.dst), dict(raw.fields)
    if directed:
        raw.report.append(MADE_DIRECTED)
        src, dst, fields = both_ways(src, dst, fields)
    elif every:
        line = Message(Option("directed", False), f": every {every} became an undirected edge")
        raw.report.append(line)
    raw = replace(raw, src=src, dst=dst, directed=bool(directed), fields=fields)
    return replace(raw, arcs={}, numbered={}, fingerprint=None, checked=False)


#: Arcs: from a vertex, to another, and their weights, if there are any; (A,) each.
WeightedArcs: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray | None]


def unpaired(
    tail: np.ndarray, head: np.ndarray, weight: np.ndarray | None, num_vertices: int
) -> int | None:
    """The position of an arc without a reverse arc of the same weight; None if all have one.

    For files that list an undirected edge at both of its ends. Self-loops are ignored, and each of
    several parallel arcs needs a reverse of its own. The arguments are as for `unmatched`.
    """
    ways = [np.flatnonzero(tail < head), np.flatnonzero(tail > head)]
    weights = [None if weight is None else weight[way] for way in ways]
    up, down = ways
    found = unmatched(
        (tail[up], head[up], weights[0]), (head[down], tail[down], weights[1]), num_vertices
    )
    return None if found is None else int(ways[found[0]][found[1]])


def unmatched(one: WeightedArcs, other: WeightedArcs, num_vertices: int) -> tuple[int, int] | None:
    """An arc of one of two sets that is not in the other, as the number of its set and its
    position; None if they are the same sets, in any order, of which several arcs may be equal.

    Takes time linear in arcs and vertices if parallel arcs come with their weights in the same
    order. NaN equals NaN.

    Args:
        one, other: arcs of vertices below `num_vertices`, itself at most 2^31-1.
    """
    arcs = one, other
    keys, orders = zip(*(_in_order(*each[:2], num_vertices) for each in arcs), strict=True)
    count = min(map(len, keys))
    differ = keys[0][:count] != keys[1][:count]
    weights = [
        each[2][order] for each, order in zip(arcs, orders, strict=True) if each[2] is not None
    ]
    if weights:
        wrong = _differ(weights, count)
        if wrong.any() and not differ.any():
            again = [np.lexsort(pair) for pair in zip(weights, keys, strict=True)]
            wrong = _differ([w[a] for w, a in zip(weights, again, strict=True)], count)
            orders = [order[a] for order, a in zip(orders, again, strict=True)]
        differ |= wrong
    place = int(np.argmax(differ)) if differ.any() else count
    if place < count:
        number = int(keys[0][place] > keys[1][place])
    elif len(keys[0]) == len(keys[1]):
        return None
    else:
        number = int(len(keys[1]) > count)
    return number, int(orders[number][place])


def _differ(weights: list[np.ndarray], count: int) -> np.ndarray:
    """bool (count,): where the first items of two arrays differ."""
    one, other = (each[:count] for each in weights)
    different: np.ndarray = (one != other) & ~((one != one) & (other != other))
    return different


def _in_order(low: np.ndarray, high: np.ndarray, num_vertices: int) -> tuple[np.ndarray, ...]:
    """Keys of the sorted pairs, int64 (n,), and the stable order (n,) that sorts them."""
    order = Order(low, high, num_vertices)
    return order.rows.astype(np.int64) * num_vertices + order.ends, order.places
