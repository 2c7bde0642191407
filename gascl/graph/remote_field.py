"""`RemoteField`: an edge field whose values are with the arcs of each rank."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gascl.graph.arcs import Order
from gascl.graph.field_stats import Summary
from gascl.graph.partial_array import PartialArray


class RemoteField(PartialArray):
    """A field of `length` edges, of which this process has the values on its own arcs.

    Attributes:
        summary: the statistics of all values.
        own: by an order of arcs, the values on those of them that this process has, in that order.
    """

    def __init__(self, length: int, dtype: np.dtype, summary: Summary):
        super().__init__(length, np.empty(0, dtype))
        self.summary = summary
        self.own: WeakKeyDictionary[Order, np.ndarray] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[Any, ...]:  # a copy has no values
        return PartialArray, (len(self), np.empty(0, self.dtype))
