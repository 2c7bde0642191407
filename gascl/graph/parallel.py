"""Passes over large arrays in threads: NumPy releases the interpreter's lock while it works."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import numpy as np

#: Items of an array that a thread takes at a time, so that temporary arrays stay in the cache.
BLOCK = 1 << 18
#: Seconds after which a wait looks for Ctrl-C: a signal just before it begins does not end it.
LOOK = 0.1
#: `here.works` is true in the threads of the pool.
here = threading.local()

T = TypeVar("T")
S = TypeVar("S")


def cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _begin() -> None:
    here.works = True


@cache
def _pool() -> ThreadPoolExecutor:
    """A thread for each processor, which stays: to begin sixteen takes milliseconds."""
    return ThreadPoolExecutor(cores(), "gascl.pool", initializer=_begin)


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_pool.cache_clear)


def in_threads(do: Callable[[S], T], items: Iterable[S]) -> list[T]:
    """[do(item) for item in items], in as many threads as there are processors.

    After an exception or Ctrl-C, calls that have begun are finished, and no others are begun.
    """
    waiting = deque(enumerate(items))
    results: list[Any] = [None] * len(waiting)
    threads = min(cores(), len(waiting))

    def work() -> None:
        while True:
            try:
                number, item = waiting.popleft()
            except IndexError:
                return
            try:
                results[number] = do(item)
            except BaseException:
                waiting.clear()
                raise

    if threads < 2 or getattr(here, "works", False):  # else threads may wait for each other
        work()
        return results
    workers: list[Future[None]] = []
    try:
        with suppress(RuntimeError):  # none can be begun once the main thread has ended
            for _ in range(threads - 1):
                workers.append(_pool().submit(work))
        # The pool may be busy with calls that wait for a lock of this thread: it works, too.
        here.works = True
        try:
            work()
        finally:
            here.works = False
        workers = [worker for worker in workers if not worker.cancel()]
        while wait(workers, LOOK).not_done:
            pass
        for worker in workers:
            worker.result()
    finally:
        waiting.clear()
        wait([worker for worker in workers if not worker.cancel()])
    return results


def in_order(do: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """do(item) for each item, in threads; one result after the other, and no more ahead than there
    are processors."""
    threads = cores()
    if threads < 2:
        yield from map(do, items)
        return
    ahead: deque[Future[T]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                ahead.append(pool.submit(do, item))
                if len(ahead) > threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:  # also when the consumer stops early
            for other in ahead:
                other.cancel()


def ahead(items: Iterable[T]) -> Generator[T, None, None]:
    """Yields the items; the next one is computed in a thread while the current one is used. Closing
    the generator waits for that thread."""
    if cores() < 2:
        yield from items
        return
    end = object()
    made = iter(items)
    with ThreadPoolExecutor(1) as pool:
        coming: Future[Any] = pool.submit(next, made, end)
        while (item := coming.result()) is not end:
            coming = pool.submit(next, made, end)
            yield item


def blocks(count: int, size: int | None = None) -> list[slice]:
    """Slices of `size` items, by default BLOCK, that cover `count` items."""
    size = size or BLOCK
    return [slice(begin, min(begin + size, count)) for begin in range(0, count, size)]


def filled(array: np.ndarray, values: Callable[[slice], Any]) -> np.ndarray:
    """The array itself, after `array[block] = values(block)` for blocks that cover it."""

    def fill(block: slice) -> None:
        array[block] = values(block)

    in_threads(fill, blocks(len(array)))
    return array


def copied(array: np.ndarray, dtype: Any = None) -> np.ndarray:
    """A contiguous copy, of `dtype`."""
    copy = np.empty(array.shape, array.dtype if dtype is None else dtype)
    return filled(copy, lambda block: array[block])


def extremes(*arrays: np.ndarray) -> tuple[int, int]:
    """The least and the greatest of the integers in some arrays, not all of them empty."""
    parts = [array[block] for array in arrays for block in blocks(len(array))]
    pairs = in_threads(lambda part: (int(part.min()), int(part.max())), parts)
    return min(low for low, _ in pairs), max(high for _, high in pairs)


def joined(parts: list[np.ndarray], least: Any = None) -> np.ndarray:
    """np.concatenate of arrays of one dimension; of none, an empty one of int32.

    Args:
        least: a dtype whose values the dtype of the result can hold, too.
    """
    dtypes = {part.dtype for part in parts} | ({np.dtype(least)} if least else set())
    dtype = np.result_type(*dtypes or {np.dtype(np.int32)})
    if not parts:
        return np.empty(0, dtype)
    ends = np.cumsum([len(part) for part in parts])
    whole = np.empty(int(ends[-1]), dtype)

    def put(number: int) -> None:
        whole[ends[number] - len(parts[number]) : ends[number]] = parts[number]

    in_threads(put, range(len(parts)))
    return whole
