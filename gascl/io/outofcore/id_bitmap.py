"""A bitmap of the integer ids that have been read."""

from __future__ import annotations

import numpy as np

from gascl.io.outofcore.disk_array import BLOCK, DiskArray


class IdBitmap:
    """A byte for each integer between the least id and the greatest, which are not known before.

    Args:
        limit: bytes; where more are needed, the ids are lost.

    Attributes:
        lost: this was so.
    """

    def __init__(self, limit: int):
        self._limit, self.lost = limit, False
        self._used = np.zeros(0, bool)
        self._begin = 0  # what the first byte stands for
        self._least, self._most = 0, -1

    def reserve(self, least: int, most: int) -> None:
        """Have room for the next ids, which are from `least` to `most`."""
        if self._most >= self._least:
            least, most = min(least, self._least), max(most, self._most)
        self._least, self._most = least, most
        end = self._begin + len(self._used)
        if self.lost or (self._begin <= least and most < end):
            return
        if most - least >= self._limit:
            self.lost, self._used = True, np.zeros(0, bool)
            return
        # More than is needed, so that ids that keep rising or falling do not make it grow often.
        size = min(self._limit, max(most - least + 1, 2 * len(self._used)))
        begin = max(most + 1 - size, -(2**63)) if least < self._begin else least
        used = np.zeros(size, bool)
        low, high = max(begin, self._begin), min(begin + size, end)
        if low < high:
            used[low - begin : high - begin] = self._used[low - self._begin : high - self._begin]
        self._used, self._begin = used, begin

    def mark(self, ids: np.ndarray) -> None:
        """Mark ids for which there is room; may be called in several threads."""
        if not self.lost:
            self._used[np.subtract(ids, self._begin, dtype=np.intp)] = True

    def write(self, labels: DiskArray) -> None:
        """Append the ids that occur, in order."""
        for begin in range(self._least, self._most + 1, BLOCK):
            end = min(begin + BLOCK, self._most + 1)
            used = self._used[begin - self._begin : end - self._begin]
            labels.append(np.flatnonzero(used) + begin)
