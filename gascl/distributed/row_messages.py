"""`RowMessages`: sends the rows of vertices to the ranks that need them, between hosts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gascl.delivery.run_layout import Key
from gascl.distributed.halo import RemoteVertices
from gascl.distributed.ranks import Ranks
from gascl.distributed.run_protocols import RunState

#: The number of rows that are sampled to see whether it pays to look for the changed ones.
SAMPLE = 1024
#: In place of a number of listed rows: all rows are sent, as an array.
_ALL = -1


class RowMessages:
    """Sends the rows of a rank's vertices to the ranks that need them.

    The host keeps the rows that were sent last, and those that it has received. If few of the rows
    that a rank needs differ, these are sent to it as a list, and otherwise all of them.

    Args:
        halo: which rank needs which vertices.
        use: what these messages are for; memory of the host is kept for each use, also for later
            runs. None: nothing is kept, and all rows are sent.
    """

    def __init__(self, ranks: Ranks, state: RunState, halo: RemoteVertices, use: str | None):
        self._ranks, self._state, self._halo, self._use = ranks, state, halo, use
        #: How often rows of each buffer have been sent.
        self._turns: dict[Key, int] = {}
        self._numbers: dict[Key, int] = {}
        self._token = object()

    def exchange(self, keys: Sequence[Key]) -> None:
        """Bring the rows of these buffers to the ranks that need them; all ranks must call this."""
        if not keys:
            return
        ranks, halo, device = self._ranks, self._halo, self._state.device
        counts = np.empty((len(keys), ranks.size), np.int64)
        mails = [self._mail(*each) for each in zip(keys, counts, strict=True)]
        coming = np.empty(counts.T.shape, np.int64)
        ranks.comm.Alltoall(np.ascontiguousarray(counts.T), coming)
        lengths = np.diff(halo.begins)
        for column, (key, mail) in enumerate(zip(keys, mails, strict=True)):
            width, going, come = self._width(key), counts[column], coming[:, column]
            rows = self._memory("received", key, halo.size)
            sizes = _sizes(going, halo.numbers, width), _sizes(come, lengths, width)
            if (come[lengths > 0] == _ALL).all():
                ranks.exchange(*mail, sizes[0], rows.reshape(-1), sizes[1])
            else:
                received, begin = np.empty(int(sizes[1].sum()), np.uint8), 0
                ranks.exchange(*mail, sizes[0], received, sizes[1])
                for rank, number in enumerate(come.tolist()):
                    its = rows[halo.begins[rank] : halo.begins[rank + 1]]
                    begin = _take(received, begin, its, number)
            halo.write(device, self._state.buffers[key], rows)

    def _mail(self, key: Key, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The bytes to send, uint8, and where those for each rank begin.

        Args:
            counts: (ranks,), set to the number of listed rows for each rank, or to _ALL.
        """
        halo, turn = self._halo, self._turns.get(key, 0) if self._still_has(key) else 0
        before, now = (
            self._memory(f"sent {parity % 2}", key, halo.rows_sent) for parity in (turn + 1, turn)
        )
        halo.read(self._state.device, self._state.buffers[key], now)
        changed = _changed(before, now) if turn else None
        if self._use is not None:
            self._turns[key] = turn + 1
        width, parts = now.shape[1], list[np.ndarray]()
        counts[:] = _ALL
        for rank, begin in enumerate(halo.sent_begins.tolist()):
            own = slice(begin, begin + int(halo.numbers[rank]))
            if changed is not None:
                listed = np.flatnonzero(changed[own])
                if 2 * len(listed) * (4 + width) <= now[own].size:
                    counts[rank] = len(listed)
                    values = now[own][listed].reshape(-1)
                    parts.append(np.concatenate([listed.astype(np.int32).view(np.uint8), values]))
                    continue
            parts.append(now[own].reshape(-1))
        if (counts[halo.numbers > 0] == _ALL).all():
            return now.reshape(-1), halo.sent_begins * width
        return np.concatenate(parts), np.cumsum([0, *map(len, parts[:-1])])

    def _still_has(self, key: Key) -> bool:
        """Whether the kept memory has the rows that were sent last: a run that a callback begins,
        in all ranks, uses the same memory."""
        place = self._use, self._number(key)
        had = self._ranks.users.get(place) is self._token
        self._ranks.users[place] = self._token
        return had

    def _number(self, key: Key) -> int:
        # Programs have buffers of other names, for which the memory of a number is used again.
        return self._numbers.setdefault(key, len(self._numbers))

    def _width(self, key: Key) -> int:
        return self._state.sizes[key] // self._state.num_vertices

    def _memory(self, what: str, key: Key, rows: int) -> np.ndarray:
        """Memory of the host, uint8 (rows, bytes of a row)."""
        size = rows * self._width(key)
        if self._use is None:
            return np.empty((rows, self._width(key)), np.uint8)
        place = self._use, what, self._number(key)
        kept = self._ranks.memory(self._state.device, place, size)
        return kept.reshape(rows, self._width(key))


def _sizes(listed: np.ndarray, rows: np.ndarray, width: int) -> np.ndarray:
    """The bytes for each rank."""
    return np.where(listed == _ALL, rows * width, listed * (4 + width))


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
