"""The mirrors of arcs: files that list an undirected edge at both of its ends must agree."""

from __future__ import annotations

import numpy as np

from gascl.graph.arcs import stable_order


def unpaired(
    tail: np.ndarray, head: np.ndarray, weight: np.ndarray | None, num_vertices: int
) -> int | None:
    """The place of an arc without its mirror, of the same weight; None where all have one.

    Arcs from a vertex to itself are passed over. Of parallel arcs each needs a mirror of its own.
    Linear in arcs and vertices, where parallel arcs have their weights in the same order.

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
    """Keys of the pairs, int64 (n,), in order, and the stable order (n,) that sorts them so."""
    keys = low.astype(np.int64) * num_vertices + high
    order = np.arange(len(keys))
    if (keys[1:] >= keys[:-1]).all():
        return keys, order
    if (high[1:] < high[:-1]).any():
        order = stable_order(high, num_vertices)
    order = order[stable_order(low[order], num_vertices)]
    return keys[order], order
