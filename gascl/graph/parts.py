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


def cut(offsets: np.ndarray, number: int) -> list[Part]:
    """Cut all arcs into parts of about as many.

    Args:
        offsets: (V + 1,) where the arcs of each receiving vertex begin; V is 1 or more.
        number: of parts; there are fewer where some vertex has more arcs than a part would.

    Returns:
        The parts in order; every vertex is in one of them.
    """
    rows, arcs = len(offsets) - 1, int(offsets[-1])
    targets = [arcs * i // number for i in range(1, number)]
    cuts = np.searchsorted(offsets, np.array(targets, offsets.dtype))
    bounds = np.unique(np.concatenate([[0], cuts, [rows]])).tolist()
    ends = offsets[bounds].tolist()
    return [Part(*each) for each in zip(bounds, bounds[1:], ends, ends[1:], strict=False)]
