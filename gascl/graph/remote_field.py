"""`RemoteField`: an edge field whose values are with the arcs of each rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gascl.graph.arcs import Order
from gascl.graph.field_stats import Summary
from gascl.graph.fingerprint import hash_of
from gascl.graph.partial_array import PartialArray


class RemoteField(PartialArray):
    """A field of `length` edges, of which this process has the values on its own arcs.

    Args:
        hashed: returns `hash`.

    Attributes:
        name: the field's name where it was read.
        summary: the statistics of all values.
        own: by an order of arcs, the values on those of them that this process has, in that order.
    """

    def __init__(
        self,
        name: str,
        length: int,
        dtype: np.dtype,
        summary: Summary,
        hashed: Callable[[str], str],
    ):
        super().__init__(length, np.empty(0, dtype))
        self.name, self.summary, self._hashed, self._hash = name, summary, hashed, ""
        self.own: WeakKeyDictionary[Order, PartialArray] = WeakKeyDictionary()

    def hash(self) -> str:
        """The `hash_of` all values, for which all processes must ask."""
        self._hash = self._hash or self._hashed(self.name)
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:  # a copy has no values
        return PartialArray, (len(self), np.empty(0, self.dtype))


def hash_of_field(values: np.ndarray | RemoteField) -> str:
    """The `hash_of` the values of an edge field; of a RemoteField, all processes must ask."""
    if isinstance(values, RemoteField):
        return values.hash()
    return hash_of(values.dtype, values.shape, [values])
