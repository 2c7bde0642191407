"""Undirected edges as directed ones: two of each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

SAID = "directed=True: every edge is two, one a direction"


def both_ways(
    src: np.ndarray, dst: np.ndarray, fields: Mapping[str, np.ndarray], sign: int = 1
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """The edges, and behind them each in the other direction but for self-loops, whose fields are
    those of the edge times `sign`."""
    across = np.flatnonzero(src != dst)
    both = {
        n: np.append(v, v[across] if sign == 1 else sign * v[across]) for n, v in fields.items()
    }
    return np.append(src, dst[across]), np.append(dst, src[across]), both
