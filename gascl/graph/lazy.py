"""Arrays that are computed when they are first read, and cached."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np


class Lock:
    """A reentrant lock. A copy of the object that it protects gets a lock of its own."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return Lock, ()


class LazyArray:
    """A property that is an array: computed when it is first read, under the object's `lock`, since
    two threads would need twice the memory; cached in the object's dict `kept`, and read-only."""

    def __init__(self, make: Callable[[Any], np.ndarray]):
        self.make, self.name, self.__doc__ = make, make.__name__, make.__doc__

    def __get__(self, owner: Any, cls: type) -> np.ndarray:
        if self.name not in owner.kept:
            with owner.lock:
                if self.name not in owner.kept:
                    owner.kept[self.name] = self.make(owner)
                    owner.kept[self.name].setflags(write=False)
        array: np.ndarray = owner.kept[self.name]
        return array

    def __set__(self, owner: Any, value: Any) -> None:
        raise AttributeError(f"{self.name} cannot be set: a graph does not change")
