"""Integers of any width and sign as places in their sorted, unique values."""

from __future__ import annotations

import numpy as np

from gascl.errors import GraphError
from gascl.io import ids


def numbered(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The labels (V,), int64 or uint64 where one needs it, and the places of `src` and `dst` (E,)
    in them.

    Raises:
        GraphError: some ids are below 0 and others beyond 2^63 - 1.
    """
    wide = [c for c in (src, dst) if c.dtype == np.uint64 and len(c) and c.max() >= 2**63]
    if not wide:
        small = src.dtype == dst.dtype == np.int32
        return ids.numbered(*(c if small else c.astype(np.int64, copy=False) for c in (src, dst)))
    if any(len(column) and column.min() < 0 for column in (src, dst)):
        raise GraphError("some ids are below 0 and some above 2^63 - 1; give them as text")
    src, dst = src.astype(np.uint64), dst.astype(np.uint64)
    labels = np.union1d(src, dst)
    places = [np.searchsorted(labels, column).astype(np.int32) for column in (src, dst)]
    return labels, places[0], places[1]
