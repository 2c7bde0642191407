"""Maps ids to vertex numbers on the fly instead of storing the mapped array."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gascl.graph.parallel import in_order
from gascl.io.outofcore.disk_array import BLOCK, DiskArray


class IdMap:
    """The vertex of each id: its place among the labels.

    Args:
        labels: the ids in use, in order; one at least. All integers between them take 4 bytes each.
    """

    def __init__(self, labels: DiskArray):
        self._least = int(labels.at(0))
        self._vertices = np.empty(int(labels.at(len(labels) - 1)) - self._least + 1, np.int32)
        count = 0
        for block in labels.blocks():
            self._vertices[block - self._least] = np.arange(count, count + len(block))
            count += len(block)

    def of(self, ids: np.ndarray) -> np.ndarray:
        """The vertices of ids in use: int32, (n,)."""
        places = np.subtract(ids, self._least, dtype=np.intp)
        # "clip" only spares a second look at the bounds, which all of them keep to.
        return self._vertices.take(places, mode="clip")


class MappedIds:
    """A `DiskArray` of ids, read as one of vertices, which are looked up each time."""

    dtype = np.dtype(np.int32)

    def __init__(self, ids: DiskArray, table: IdMap):
        self._ids, self._table = ids, table

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def shape(self) -> tuple[int]:
        """As NumPy's."""
        return self._ids.shape

    @property
    def nbytes(self) -> int:
        """As NumPy's."""
        return len(self) * self.dtype.itemsize

    def blocks(self, size: int = BLOCK) -> Iterator[np.ndarray]:
        """The vertices, `size` at a time."""
        return in_order(self._table.of, self._ids.blocks(size))
