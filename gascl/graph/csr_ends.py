"""Edge endpoints in sorted order, stored as CSR offsets."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.graph.lazy import LazyArray, Lock
from gascl.graph.parallel import filled


def rises(offsets: np.ndarray, last: int) -> bool:
    """Whether the offsets, at least one, begin with 0, end with `last`, and never fall."""
    ends = offsets[0] == 0 and offsets[-1] == last
    return bool(ends and (offsets[1:] >= offsets[:-1]).all())


class CsrEnds:
    """The row of each pair, where pairs are sorted by row: stored as offsets, like the `indptr` of
    CSR, instead of an array with a number per pair.

    Args:
        offsets: integers (V+1,), from 0 on; the pairs of row v are offsets[v] to offsets[v+1] - 1.
    """

    def __init__(self, offsets: np.ndarray):
        self.offsets = offsets
        self.lock = Lock()
        self.kept: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return int(self.offsets[-1])

    @property
    def nbytes(self) -> int:
        """The bytes of the offsets; `rows` takes 4 bytes a pair more."""
        return self.offsets.nbytes

    def __getitem__(self, part: slice) -> np.ndarray:
        begin, end, _ = part.indices(len(self))
        if begin >= end:
            return np.empty(0, np.int32)
        first, last = np.searchsorted(self.offsets, [begin, end - 1], "right") - 1
        bounds = self.offsets[first : last + 2].clip(begin, end)
        return np.repeat(np.arange(first, last + 1, dtype=np.int32), np.diff(bounds))

    @LazyArray
    def rows(self) -> np.ndarray:
        """int32 (P): the row of each pair."""
        return filled(np.empty(len(self), np.int32), lambda block: self[block])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.rows if dtype is None else self.rows.astype(dtype, copy=False)

    def take(self, places: np.ndarray) -> np.ndarray:
        rows = np.searchsorted(self.offsets, places, "right") - 1
        return rows.astype(np.int32)
