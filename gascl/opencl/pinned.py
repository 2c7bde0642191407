"""Copies arrays to a GPU and back through pinned memory of the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl

from gascl.graph.parallel import blocks, in_threads
from gascl.graph.reordering import spread
from gascl.opencl import fork_guard
from gascl.util.mapped_file import mapped_file_of

#: Bytes copied at a time, in blocks by several threads, while the previous piece is in transfer.
PIECE, BLOCK = 1 << 25, 1 << 20


class Staging:
    """Two pieces of pinned memory, used alternately, for the arrays of one queue."""

    def __init__(self, queue: Any):
        self.queue = queue
        whole = pinned(queue.context, 2 * PIECE)
        self._halves = whole[:PIECE], whole[PIECE:]

    def write(self, buffer: Any, array: np.ndarray) -> None:
        """Copy a contiguous array to a buffer; the array may change as soon as this returns."""
        source = array.reshape(-1).view(np.uint8)
        sent: list[Any] = []
        for part in blocks(len(source), PIECE):
            if len(sent) > 1:
                sent[-2].wait()
            half = self._halves[len(sent) % 2][: part.stop - part.start]
            copy(half, source[part])
            sent.append(self._send(buffer, half, dst_offset=part.start))
        if sent:
            sent[-1].wait()

    def read(self, array: np.ndarray, buffer: Any, places: np.ndarray | None = None) -> None:
        """Fill a contiguous array from the start of a buffer.

        Args:
            places: for each row of the buffer, its index in the array; None: the same order. With
                places, the size of a row must divide PIECE.
        """
        target = array.reshape(-1).view(np.uint8)
        parts = blocks(len(target), PIECE)
        halves = [self._halves[i % 2][: p.stop - p.start] for i, p in enumerate(parts)]

        def fetch(number: int) -> Any:
            return self._send(halves[number], buffer, src_offset=parts[number].start)

        coming = [fetch(0)] if parts else []
        for number, part in enumerate(parts):
            coming[number].wait()
            if number + 1 < len(parts):
                coming.append(fetch(number + 1))
            if places is None:
                copy(target[part], halves[number])
                continue
            size = len(target) // len(array)
            rows = halves[number].view(array.dtype).reshape(-1, *array.shape[1:])
            spread(array, places[part.start // size : part.stop // size], rows)

    def _send(self, to: Any, source: Any, **offset: Any) -> Any:
        sent: Any = cl.enqueue_copy(self.queue, to, source, is_blocking=False, **offset)
        self.queue.flush()
        return sent


class _Pinned:
    """Memory of the host that a GPU can read and write directly, as long as this object exists.

    The buffer is never mapped: NVIDIA's driver would take as much memory of the device for it. It
    also does so for CL_MEM_ALLOC_HOST_PTR, which takes seventeen times as long (an H200, 2 GiB).
    """

    def __init__(self, context: Any, values: np.ndarray):
        kind = cl.mem_flags.READ_WRITE if values.flags.writeable else cl.mem_flags.READ_ONLY
        self.buffer = cl.Buffer(context, kind | cl.mem_flags.USE_HOST_PTR, hostbuf=values)
        self.__array_interface__ = values.__array_interface__
        fork_guard.holds_opencl(self)


def pin(context: Any, values: np.ndarray) -> np.ndarray:
    """Pin the memory of a contiguous array, and return the array; unpinned if the driver pins no
    more memory. It stays pinned as long as the returned array exists."""
    try:
        return np.asarray(_Pinned(context, values))
    except cl.Error:
        return values


def pinned(context: Any, size: int) -> np.ndarray:
    """New memory of the host that is pinned: uint8 (size,)."""
    return pin(context, np.empty(size, np.uint8))


def in_pinned(context: Any, values: np.ndarray) -> np.ndarray:
    """`pin`, or a pinned copy of an array in a mapped file: with NVIDIA's driver, pinning the pages
    of a mapped file ended the process."""
    if mapped_file_of(values) is None:
        return pin(context, values)
    memory = pinned(context, values.nbytes)
    copy(memory, values.view(np.uint8))
    return memory.view(values.dtype)


def copy(to: np.ndarray, source: np.ndarray) -> None:
    """`to[:] = source` in threads."""

    def part(block: slice) -> None:
        to[block] = source[block]

    in_threads(part, blocks(len(to), BLOCK))
