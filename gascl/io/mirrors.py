"""The mirrors of arcs: files that list an undirected edge at both of its ends must agree."""

from __future__ import annotations

import numpy as np


def unpaired(
    tail: np.ndarray, head: np.ndarray, weight: np.ndarray | None, num_vertices: int
) -> int | None:
    """The place of an arc without its mirror, of the same weight; None where all have one.

    Arcs from a vertex to itself are passed over. Of parallel arcs each needs a mirror of its own.

    Args:
        tail, head: (A,) below `num_vertices`, itself at most 2^31-1.
        weight: (A,), or None.
    """
    up, down = np.flatnonzero(tail < head), np.flatnonzero(tail > head)
    there = tail[up].astype(np.int64) * num_vertices + head[up]
    back = head[down].astype(np.int64) * num_vertices + tail[down]
    first, second = np.argsort(there, kind="stable"), np.argsort(back, kind="stable")
    count = min(len(first), len(second))
    if weight is not None and (weight[up[first[:count]]] != weight[down[second[:count]]]).any():
        # Parallel arcs may come in another order at the other end.
        first = np.lexsort((weight[up], there))
        second = np.lexsort((weight[down], back))
    differ = there[first[:count]] != back[second[:count]]
    if weight is not None:
        differ |= weight[up[first[:count]]] != weight[down[second[:count]]]
    if differ.any():
        place = int(np.argmax(differ))
        lone = there[first[place]] <= back[second[place]]
        return int(up[first[place]] if lone else down[second[place]])
    if len(first) > count:
        return int(up[first[count]])
    return int(down[second[count]]) if len(second) > count else None
