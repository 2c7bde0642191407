"""`SharedRows`: copies rows of buffers through memory that the ranks of a host share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.delivery.run_layout import Key
from gascl.distributed.run_protocols import RunState

#: For each rank, the first vertex of a range and the one after its last.
Rows = tuple[tuple[int, int], ...]


class _Copied(NamedTuple):
    """Some rows of a buffer, their place in shared memory, and where they begin in the buffer, in
    bytes."""

    key: Key
    memory: np.ndarray
    begin: int


class SharedRows:
    """Copies rows of buffers to shared memory and from there.

    Args:
        memory: uint8, shared by all ranks.
        places: where the rows of each buffer begin there.
    """

    def __init__(self, memory: np.ndarray, places: Mapping[Key, int], state: RunState, rank: int):
        self._memory, self._places, self._state, self._rank = memory, places, state, rank
        self._known: dict[Rows, tuple[list[_Copied], list[_Copied]]] = {}

    def copy_out(self, queue: Any, rows: Rows, after: Sequence[Any] = ()) -> list[Any]:
        """Enqueue copies of this rank's rows to shared memory; returns their events.

        Args:
            after: events to wait for.
        """
        buffers, copies = self._state.buffers, []
        for key, memory, begin in self._copies(rows)[0]:
            where: Any = {"src_offset": begin, "is_blocking": False, "wait_for": after}
            copies.append(cl.enqueue_copy(queue, memory, buffers[key], **where))
        queue.flush()
        return copies

    def copy_in(self, queue: Any, rows: Rows) -> list[Any]:
        """Enqueue copies of the other ranks' rows from shared memory; returns their events."""
        buffers, copies = self._state.buffers, []
        for key, memory, begin in self._copies(rows)[1]:
            where: Any = {"dst_offset": begin, "is_blocking": False}
            copies.append(cl.enqueue_copy(queue, buffers[key], memory, **where))
        queue.flush()
        return copies

    def _copies(self, rows: Rows) -> tuple[list[_Copied], list[_Copied]]:
        """The copies to shared memory, and those from there."""
        if rows not in self._known:
            others = _joined([each for rank, each in enumerate(rows) if rank != self._rank])
            self._known[rows] = self._of([rows[self._rank]]), self._of(others)
        return self._known[rows]

    def _of(self, ranges: Sequence[tuple[int, int]]) -> list[_Copied]:
        copies = []
        for key, place in self._places.items():
            size = self._state.sizes[key] // self._state.graph.num_vertices
            for first, last in ranges:
                begin, end = first * size, last * size
                if begin < end:
                    copies.append(_Copied(key, self._memory[place + begin : place + end], begin))
        return copies


def _joined(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same rows in as few ranges as possible."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and joined[-1][1] == first:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    return joined
