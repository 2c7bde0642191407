"""`PartialArray`: an array of which this process has a part, and other processes the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gascl.errors import GraphError


class RemoteDataError(GraphError):
    """An operation needs data that another process has."""


class PartialArray(NDArrayOperatorsMixin):
    """The items from `begin` on of an array of `length` items.

    It takes the place of an array in a Graph. Anything other than reading these items, the length
    or the dtype raises RemoteDataError, so that missing data cannot go unnoticed.
    """

    ndim = 1

    def __init__(self, length: int, items: np.ndarray, begin: int = 0):
        self._length, self._items, self._begin = length, items, begin
        self.dtype, self.shape, self.size = items.dtype, (length,), length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, piece: Any) -> np.ndarray:
        if isinstance(piece, slice):
            first, last, step = piece.indices(self._length)
            if step == 1 and self._begin <= first <= last <= self._begin + len(self._items):
                return self._items[first - self._begin : last - self._begin]
        return self._missed(piece)

    def setflags(self, write: bool) -> None:
        self._items.setflags(write=write)

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
