"""`PartialArray`: an array of which this process has a part, and other processes the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gascl.errors import GraphError


class RemoteDataError(GraphError):
    """An operation needs data that another process has."""


class PartialArray(NDArrayOperatorsMixin):
    """The items from `begin` on of an array of `length` items, and others that are added.

    It takes the place of an array in a Graph. Anything other than reading these items, the length
    or the dtype raises RemoteDataError, so that missing data cannot go unnoticed.
    """

    ndim = 1

    def __init__(self, length: int, items: np.ndarray, begin: int = 0):
        self._length, self._parts = length, [(begin, items)]
        self.dtype, self.shape, self.size = items.dtype, (length,), length

    def __len__(self) -> int:
        return self._length

    def add(self, items: np.ndarray, begin: int) -> None:
        """Have further items, from `begin` on."""
        self._parts.append((begin, items))

    def holds(self, first: int, last: int) -> bool:
        """Whether the items from `first` to `last` - 1 are here."""
        return self._found(first, last) is not None

    def _found(self, first: int, last: int) -> np.ndarray | None:
        for begin, items in self._parts:
            if begin <= first <= last <= begin + len(items):
                return items[first - begin : last - begin]
        return None

    def __getitem__(self, piece: Any) -> np.ndarray:
        if isinstance(piece, slice):
            first, last, step = piece.indices(self._length)
            found = self._found(first, last) if step == 1 and first <= last else None
            if found is not None:
                return found
        return self._missed(piece)

    def setflags(self, write: bool) -> None:
        for _, items in self._parts:
            items.setflags(write=write)

    def _missed(self, *_: Any, **more: Any) -> Any:
        raise RemoteDataError(
            "this reads edges of other ranks: of a graph that was read with comm=, each rank has a "
            "part; read it without comm="
        )

    __array__ = __array_ufunc__ = __iter__ = _missed

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # probed by Python and NumPy on any object
            raise AttributeError(name)
        return self._missed()
