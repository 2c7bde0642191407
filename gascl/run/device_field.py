"""`DeviceField`: a field that a run has left on the device, for another run or for a result."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gascl.delivery.run_layout import VERTEX, Key, Owner
from gascl.language.types import Type

if TYPE_CHECKING:
    from gascl.run.state import State


class DeviceField(NDArrayOperatorsMixin):
    """A field of a State, read from the device once it is needed as an array, also by operators.

    Attributes:
        state, owner, name: whose field it is.
        type, lanes: the type of a value, and how many values there are at each vertex or arc.
    """

    def __init__(self, state: State, owner: Owner, name: str):
        self.state, self.owner, self.name = state, owner, name
        self.type: Type = state.types[self.key]
        self.lanes = state.lanes
        self._values: np.ndarray | None = None
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<the field {self.name} of {self.state!r}>"

    @property
    def key(self) -> Key:
        return Key(self.owner, self.name)

    @property
    def nbytes(self) -> int:
        return self.state.sizes[self.key]

    @property
    def dtype(self) -> np.dtype:
        return self.type.scalar

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the array: see `State.field`."""
        rows = self.state.graph.num_vertices if self.owner == VERTEX else self.state.num_arcs
        lanes = (self.lanes,) if self.lanes > 1 else ()
        return (rows, *lanes, *((self.type.width,) if self.type.width > 1 else ()))

    __hash__ = object.__hash__

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        return np.asarray(self)[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        with self._lock:
            if self._values is None:
                self._values = self.state.field(self.name, self.owner)
        return np.array(self._values, dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        arrays = [np.asarray(each) if isinstance(each, DeviceField) else each for each in inputs]
        return getattr(ufunc, method)(*arrays, **options)

    def fits(self, type_: Type, lanes: int) -> bool:
        """Whether a field of that type and number of lanes has the same layout. The lanes of one
        are as good as the components of a vector of the other."""
        if (self.type, self.lanes) == (type_, lanes):
            return True
        parts = [(each.width, each.stored) for each in (self.type, type_)]
        dense = all(width == stored for width, stored in parts) and not type_.members
        counts = self.type.width * self.lanes, type_.width * lanes
        return dense and self.dtype == type_.scalar and counts[0] == counts[1]
