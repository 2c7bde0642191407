"""Parts of a graph's arcs: ranges of receiving vertices with the arcs that end in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Part(NamedTuple):
    """The arcs begin to end, in the order of receivers, which end in the vertices first to last."""

    first: int
    last: int
    begin: int
    end: int


def cut(offsets: np.ndarray, number: int, first: int = 0, last: int | None = None) -> list[Part]:
    """Cut the arcs that end in a range of vertices into parts of about as many.

    Args:
        offsets: (V + 1,) where the arcs of each receiving vertex begin; V is 1 or more.
        number: of parts; there are fewer where some vertex has more arcs than a part would.
        first, last: the range, of all vertices if it is not given.

    Returns:
        The parts in order; every vertex of the range is in one of them.
    """
    last = len(offsets) - 1 if last is None else last
    begin, end = int(offsets[first]), int(offsets[last])
    targets = [begin + (end - begin) * i // number for i in range(1, number)]
    cuts = np.searchsorted(offsets, np.array(targets, offsets.dtype)).clip(first, last)
    bounds = np.unique(np.concatenate([[first], cuts, [last]])).tolist()
    ends = offsets[bounds].tolist()
    return [Part(*each) for each in zip(bounds, bounds[1:], ends, ends[1:], strict=False)]
