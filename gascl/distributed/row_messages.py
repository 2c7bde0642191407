"""`RowMessages`: sends the rows of vertices to the ranks that need them, between hosts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.delivery.run_layout import Key
from gascl.distributed.halo import RemoteVertices
from gascl.distributed.ranks import Ranks
from gascl.distributed.run_protocols import RunState

#: The number of rows that are sampled to see whether it pays to look for the changed ones.
SAMPLE = 1024
#: Buffers with more bytes than that travel one by one: MPI before version 4 counts up to 2^31.
MOST_AT_ONCE = 1 << 30
#: In place of a number of listed rows: all rows are sent, as an array.
_ALL = -1


class RowMessages:
    """Sends the rows of a rank's vertices to the ranks that need them.

    The host keeps the rows that were sent last, and those that it has received. If few of the rows
    that a rank needs differ, these are sent to it as a list, and otherwise all of them.

    Args:
        halo: which rank needs which vertices.
        use: what these messages are for; memory of the host is kept for each use.
    """

    def __init__(self, ranks: Ranks, state: RunState, halo: RemoteVertices, use: str):
        self._ranks, self._state, self._halo, self._use = ranks, state, halo, use
        self._sent_once = set[Key]()  # of these, the host has the rows that were sent last

    def exchange(self, keys: Sequence[Key]) -> None:
        """Bring the rows of these buffers to the ranks that need them; all ranks must call this."""
        if not keys:
            return
        if len(keys) > 1 and sum(self._state.sizes[key] for key in keys) > MOST_AT_ONCE:
            for key in keys:
                self.exchange([key])
            return
        ranks, halo, device = self._ranks, self._halo, self._state.device
        counts = np.empty((ranks.size, len(keys)), np.int64)
        mails: list[list[np.ndarray]] = [[] for _ in range(ranks.size)]
        for column, key in enumerate(keys):
            now, changed = self._changed(key)
            for rank, mail in enumerate(mails):
                counts[rank, column] = self._post(mail, now, changed, rank)
            self._kept("sent", key, now.size).reshape(now.shape)[:] = now
            self._sent_once.add(key)
        coming = np.empty_like(counts)
        ranks.comm.Alltoall(counts, coming)
        widths = np.array([self._width(key) for key in keys])
        sizes = [
            np.where(each == _ALL, rows[:, None] * widths, each * (4 + widths)).sum(axis=1)
            for each, rows in ((counts, halo.numbers), (coming, np.diff(halo.begins)))
        ]
        sent = np.concatenate([part for mail in mails for part in mail])
        received, begin = ranks.exchanged(sent, *sizes), 0
        rows = [self._received(key) for key in keys]
        for rank, numbers in enumerate(coming.tolist()):
            for into, number in zip(rows, numbers, strict=True):
                its = into[halo.begins[rank] : halo.begins[rank + 1]]
                begin = _take(received, begin, its, number)
        for key, each in zip(keys, rows, strict=True):
            halo.write(device, self._state.buffers[key], each)

    def rows(self, key: Key) -> np.ndarray:
        """uint8 (this rank's vertices, bytes of a row): the rows that `exchange` sent last."""
        width = self._width(key)
        count = self._halo.last - self._halo.first
        return self._kept("sent", key, count * width).reshape(count, width)

    def _changed(self, key: Key) -> tuple[Any, np.ndarray | None]:
        """This rank's rows, and which of them differ from what was sent last; None if about half of
        them or more do."""
        before, state = self.rows(key), self._state
        now: Any = self._kept("now", key, before.size).reshape(before.shape)
        if now.size:
            begin = self._halo.first * now.shape[1]
            cl.enqueue_copy(state.device.queue, now, state.buffers[key], src_offset=begin)
        return now, _changed(before, now) if key in self._sent_once else None

    def _post(self, mail: list[np.ndarray], now: Any, changed: np.ndarray | None, rank: int) -> int:
        """Add the rows that a rank needs to its mail; returns the number of listed ones, or _ALL.

        Args:
            now, changed: as `_changed` returns them.
        """
        needed, width = self._halo.sent[rank], now.shape[1]
        if changed is not None:
            listed = np.flatnonzero(changed[needed])
            if 2 * len(listed) * (4 + width) <= self._halo.numbers[rank] * width:
                values = now[listed if isinstance(needed, slice) else needed[listed]]
                mail += [listed.astype(np.int32).view(np.uint8), values.reshape(-1)]
                return len(listed)
        mail.append(now[needed].reshape(-1))
        return _ALL

    def _received(self, key: Key) -> np.ndarray:
        """uint8 (vertices that this rank needs, bytes of a row): the rows received last."""
        width, size = self._width(key), self._halo.size
        return self._kept("received", key, size * width).reshape(size, width)

    def _width(self, key: Key) -> int:
        return self._state.sizes[key] // self._state.num_vertices

    def _kept(self, what: str, key: Key, size: int) -> np.ndarray:
        """Memory of the host, uint8 (size,), that is kept for one use of a buffer."""
        return self._ranks.memory(self._state.device, (self._use, what, key), size)


def _take(received: np.ndarray, begin: int, rows: np.ndarray, number: int) -> int:
    """Set rows to what has been received from `begin` on; returns where that ends.

    Args:
        number: of listed rows, or _ALL.
    """
    width = rows.shape[1]
    if number == _ALL:
        end = begin + rows.size
        rows[:] = received[begin:end].reshape(rows.shape)
        return end
    middle, end = begin + 4 * number, begin + (4 + width) * number
    places = received[begin:middle].view(np.int32)
    rows[places] = received[middle:end].reshape(number, width)
    return end


def _changed(before: Any, now: Any) -> np.ndarray | None:
    """Which rows differ; None if about half of them or more do."""
    word = math.gcd(now.shape[1], 8)
    rows = [each.view(f"u{word}") for each in (before, now)]

    def differ(step: int) -> np.ndarray:
        differing: Any = np.not_equal(rows[0][::step], rows[1][::step])
        return differing[:, 0] if differing.shape[1] == 1 else np.any(differing, axis=1)

    step = len(now) // SAMPLE
    if step > 1 and 2 * np.count_nonzero(sample := differ(step)) > len(sample):
        return None
    return differ(1)
