"""Undirected edges as arcs: making two directed edges of each, and checking that both are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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


def unpaired(
    tail: np.ndarray, head: np.ndarray, weight: np.ndarray | None, num_vertices: int
) -> int | None:
    """The position of an arc without a reverse arc of the same weight; None if all have one.

    For files that list an undirected edge at both of its ends. Self-loops are ignored, and each of
    several parallel arcs needs a reverse of its own. Takes time linear in arcs and vertices if
    parallel arcs come with their weights in the same order at both ends.

    Args:
        tail, head: (A,) below `num_vertices`, itself at most 2^31-1.
        weight: (A,), or None.
    """
    up, down = tail < head, tail > head
    there, first = _in_order(tail[up], head[up], num_vertices)
    back, second = _in_order(head[down], tail[down], num_vertices)
    count = min(len(there), len(back))
    differ = there[:count] != back[:count]
    if weight is not None:
        ahead, behind = weight[up][first], weight[down][second]
        wrong = ahead[:count] != behind[:count]
        if wrong.any() and not differ.any():
            one, other = np.lexsort((ahead, there)), np.lexsort((behind, back))
            wrong = ahead[one][:count] != behind[other][:count]
            first, second = first[one], second[other]
        differ |= wrong
    place = int(np.argmax(differ)) if differ.any() else count
    if place < count:
        is_first = there[place] <= back[place]
    elif len(there) == len(back):
        return None
    else:
        is_first = len(there) > count
    mask, order = (up, first) if is_first else (down, second)
    return int(np.flatnonzero(mask)[order[place]])


def _in_order(low: np.ndarray, high: np.ndarray, num_vertices: int) -> tuple[np.ndarray, ...]:
    """Keys of the sorted pairs, int64 (n,), and the stable order (n,) that sorts them."""
    order = Order(low, high, num_vertices)
    return order.rows.astype(np.int64) * num_vertices + order.ends, order.places
