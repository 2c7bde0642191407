"""Arrays that are computed, or copied from a device, when they are first read, and cached."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gascl.errors import GasclError


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
        array: np.ndarray | None = owner.kept.get(self.name)
        if array is None:
            with owner.lock:
                array = owner.kept.get(self.name)
                if array is None:
                    array = self.make(owner)
                    array.setflags(write=False)
                    owner.kept[self.name] = array
        return array  # which may have left `kept` by now

    def __set__(self, owner: Any, value: Any) -> None:
        raise AttributeError(f"{self.name} cannot be set: a graph does not change")


class LazyValues(NDArrayOperatorsMixin):
    """An array that is elsewhere, such as on a device, and is read once it is needed: by NumPy's
    functions, by operators, or by an index.

    Subclasses have a `dtype`, a `shape`, and `read`, which returns the array.
    """

    dtype: np.dtype
    shape: tuple[int, ...]

    def __init__(self) -> None:
        self._values: np.ndarray | None = None
        self._lock = Lock()

    def read(self) -> np.ndarray:
        """The array."""
        raise NotImplementedError

    __hash__ = object.__hash__

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return self.dtype.itemsize * int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        return np.asarray(self)[index]

    def __reduce__(self) -> tuple[Any, ...]:  # a copy is an array
        return np.asarray, (np.asarray(self),)

    def take(self, places: np.ndarray) -> np.ndarray:
        return np.asarray(self).take(places)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        with self._lock:
            if self._values is None:
                self._values = self.read()
        if copy is None:  # where it is needed; NumPy 1 has no such value
            return np.asarray(self._values, dtype)
        return np.array(self._values, dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(each, LazyValues) for each in options.get("out", ())):
            raise GasclError(
                f"{self!r} cannot be changed: write x = x + 1, for example, not x += 1"
            )
        arrays = [_read(each) for each in inputs]
        return getattr(ufunc, method)(*arrays, **{n: _read(v) for n, v in options.items()})


class NamedFields(Mapping[str, np.ndarray]):
    """Fields by name, each of which is read when it is asked for.

    Subclasses have `_names`, the names of all in order, so that none is read to know which there
    are.
    """

    _names: Collection[str]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


class LazyFields(NamedFields):
    """Fields by name, some of them LazyValues, which are read when they are asked for.

    Attributes:
        held: the fields themselves.
    """

    def __init__(self, held: Mapping[str, Any]):
        self.held = self._names = held

    def __getitem__(self, name: str) -> np.ndarray:
        values: np.ndarray = _read(self.held[name])
        return values

    def __repr__(self) -> str:
        return repr(dict(self))


def held(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields without reading those that are LazyValues."""
    return fields.held if isinstance(fields, LazyFields) else fields


def _read(value: Any) -> Any:
    """LazyValues as an array; any other value itself."""
    return np.asarray(value) if isinstance(value, LazyValues) else value
