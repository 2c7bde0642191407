"""The arcs of a quotient graph, which stay on the device that has made them: the host has only
where each row begins, and copies the rest when it is first read."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.device_graph.gather import convert_values
from gascl.graph.arcs import Order
from gascl.graph.csr_ends import CsrEnds
from gascl.graph.lazy import LazyArray, LazyValues
from gascl.language.types import SCALARS, Type
from gascl.opencl import fork_guard
from gascl.opencl.device import Device

_INDEX = np.dtype(np.int32)


class DeviceOrder(Order):
    """An Order whose pairs a device has sorted. No two are equal.

    Args:
        offsets: those of the Order.
        ends, weights: buffers with the end and the weight of each pair.
        dtype: of weights.
        num_edges: half of the pairs that are no loops, and the loops, if every pair has its
            reverse; otherwise the pairs.
        out: the order of senders, if this is that of receivers, and not the same; else None.

    Attributes:
        src, dst: the ends of the edges, if this is the order of senders.
    """

    def __init__(
        self,
        device: Device,
        offsets: np.ndarray,
        ends: Any,
        weights: Any,
        dtype: np.dtype,
        num_edges: int,
        out: DeviceOrder | None = None,
    ):
        offsets.setflags(write=False)
        self.device, self.weight_dtype, self.num_edges = device, dtype, num_edges
        self.buffers = {"offsets": device.upload(offsets), "ends": ends, "weights": weights}
        both = num_edges < int(offsets[-1])
        self.src: CsrEnds | LazyValues = OfEdges(self, "rows", _INDEX) if both else CsrEnds(offsets)
        self.dst: LazyValues = OfEdges(self, "ends", _INDEX)
        row, end = (self.src, self.dst) if out is None else (out.dst, out.src)
        super().__init__(row, end, len(offsets) - 1, both=both, known={"offsets": offsets})
        self._is_sorted = not both and out is None
        fork_guard.holds_opencl(self)

    @LazyArray
    def ends(self) -> np.ndarray:
        """int32 (P): the end of each pair."""
        return self._read("ends", _INDEX)

    def weights(self) -> np.ndarray:
        """(P,): the weight of each pair."""
        return self._read("weights", self.weight_dtype)

    def _read(self, name: str, dtype: np.dtype) -> np.ndarray:
        values = np.empty(int(self.offsets[-1]), dtype)
        if len(values):
            self.device.download(values, self.buffers[name])
        return values


class OfEdges(LazyValues):
    """What each edge has: its source ("rows"), target ("ends") or weight ("weights").

    Args:
        order: the order of senders.
    """

    def __init__(self, order: DeviceOrder, name: str, dtype: np.dtype):
        super().__init__()
        self.order, self.name = order, name
        self.dtype, self.shape = dtype, (order.num_edges,)

    def read(self) -> np.ndarray:
        order = self.order
        values = order.weights() if self.name == "weights" else getattr(order, self.name)
        if order.both:
            values = values[order.rows <= order.ends]
        values.setflags(write=False)
        return values


class DeviceWeights(OfEdges):
    """The edge field of a quotient.

    Args:
        out, into: the orders of its arcs.
    """

    def __init__(self, out: DeviceOrder, into: DeviceOrder):
        super().__init__(out, "weights", out.weight_dtype)
        self._orders = out, into

    def of_arcs(self, order: Order, type_: Type, device: Device) -> Any:
        """A buffer with the value of each arc in an order, as this type; None if it is no order of
        these arcs, or they are on another device."""
        own = next((each for each in self._orders if each is order), None)
        if own is None or own.device is not device:
            return None
        if self.dtype == type_.scalar:
            return own.buffers["weights"]
        count = int(own.offsets[-1])
        converted = device.reserve(count * type_.itemsize)
        kind = SCALARS[self.dtype.name]
        convert_values(device, converted, own.buffers["weights"], count, kind, type_.c)
        device.queue.finish()  # the queues of other threads, which may use it, do not wait
        return converted
