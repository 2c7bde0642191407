"""The vertices of other ranks whose values a rank receives: all (`RemoteVertices`), or those that
send to its own (`Halo`)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.device_graph.buffers import ResidentGraph
from gascl.device_graph.gather import get_rows, put_rows
from gascl.distributed.ranks import Ranks
from gascl.graph.arcs import LocalArcs
from gascl.graph.partition import senders_elsewhere
from gascl.graph.reordering import gathered
from gascl.opencl import fork_guard
from gascl.opencl.device import Device


class RemoteVertices:
    """The vertices of other ranks whose values a rank needs, and those of its own that others need.

    By default, each rank needs the values of all vertices.

    Attributes:
        first, last: the range of this rank's vertices on its device.
        sent: for each rank, those of this rank's vertices that it needs, numbered from this rank's
            first one, as an index of their rows.
        numbers: the number of vertices that each rank needs of this one.
        sent_begins: (ranks,), where the rows for each rank begin among those that `read` reads.
        rows_sent: how many rows it reads.
        begins: (ranks + 1,) where the vertices of each rank begin among those that this one needs.
    """

    def __init__(self, ranks: Ranks, graph: ResidentGraph):
        self.first, self.last = graph.rows
        others = np.arange(ranks.size) != ranks.rank
        rows = np.array([part.last - part.first for part in graph.parts])
        self.sent: list[Any] = [slice(None) if other else slice(0) for other in others]
        self.numbers = np.where(others, self.last - self.first, 0)
        self.sent_begins, self.rows_sent = np.zeros(ranks.size, np.int64), self.last - self.first
        self.begins = np.cumsum([0, *np.where(others, rows, 0)])
        self._firsts = [part.first for part in graph.parts]

    def listed(self, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """int32: for each rank in turn, the places of some of this rank's vertices among those that
        it needs; and (ranks,), how many these are.

        Args:
            vertices: int32, numbered from this rank's first one.
        """
        counts = np.where(self.numbers > 0, len(vertices), 0)
        return np.tile(vertices, np.count_nonzero(counts)), counts

    def marked(self, marks: np.ndarray) -> list[np.ndarray]:
        """uint8: for each rank, a bit for each vertex that it needs.

        Args:
            marks: bool, whether the bit of each of this rank's vertices is set.
        """
        bits = np.packbits(marks)
        return [bits[: -(-count // 8)] for count in self.numbers.tolist()]

    @property
    def size(self) -> int:
        """The number of vertices of other ranks that this one needs."""
        return int(self.begins[-1])

    def vertices(self, rank: int, places: np.ndarray) -> np.ndarray:
        """int32: where some of the vertices that this rank needs of another one are on its device.

        Args:
            places: their places among all that it needs of it.
        """
        return (self._firsts[rank] + places).astype(np.int32)

    def read(self, device: Device, buffer: Any, rows: np.ndarray) -> None:
        """Read the rows of this rank's vertices that others need, those for each rank in turn, or
        once if each needs all.

        Args:
            rows: uint8 (`rows_sent`, bytes of a row), which is set.
        """
        if rows.size:
            begin = self.first * rows.shape[1]
            cl.enqueue_copy(device.queue, rows, buffer, src_offset=begin)

    def write(self, device: Device, buffer: Any, rows: np.ndarray) -> None:
        """Write the rows of these vertices to a buffer.

        Args:
            rows: uint8 (`size`, bytes of a row), in the order of their numbers.
        """
        for begin, part in ((0, rows[: self.first]), (self.last, rows[self.first :])):
            if part.size:
                cl.enqueue_copy(device.queue, buffer, part, dst_offset=begin * rows.shape[1])


class Halo(RemoteVertices):
    """The same where each rank needs only the values of the vertices from which arcs end in its
    own: its *halo*.

    All ranks must create one at the same time.
    """

    def __init__(self, ranks: Ranks, graph: ResidentGraph):
        super().__init__(ranks, graph)
        arcs, part, vertices = graph.arcs, graph.parts[ranks.rank], graph.graph.num_vertices
        self._is_local = isinstance(arcs, LocalArcs)
        if isinstance(arcs, LocalArcs):  # it has no other vertices on its device
            needed, places = arcs.halo, np.arange(len(arcs.halo), dtype=np.int32)
            self._needed = places + np.int32(self.last - self.first) * (places >= self.first)
        else:
            needed = self._needed = senders_elsewhere(arcs.into.ends, part, vertices)
        bounds = [each.first for each in graph.parts] + [vertices]
        self.begins = np.searchsorted(needed, np.array(bounds, needed.dtype))
        counts = np.diff(self.begins)
        self.numbers = np.empty(ranks.size, np.int64)
        ranks.comm.Alltoall(counts, self.numbers)
        asked = ranks.exchanged(needed, counts, self.numbers) - part.first
        asked = asked.astype(np.int32, copy=False)
        self.sent = np.split(asked, np.cumsum(self.numbers)[:-1])
        self.sent_begins, self.rows_sent = np.cumsum(self.numbers) - self.numbers, len(asked)
        # Where the vertices are on the device, and a buffer for their rows.
        self._places: Any = None if self._is_local else graph.device.upload(needed)
        self._asked: Any = graph.device.upload(asked + np.int32(self.first))
        self._rows: Any = None
        fork_guard.holds_opencl(self)

    @cached_property
    def _needed_by(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which ranks need each of this rank's vertices, uint16, and the places where, int32, by
        vertex; and where those of each vertex begin, int64."""
        vertices = np.concatenate(self.sent)
        order = np.argsort(vertices, kind="stable")
        ranks = np.repeat(np.arange(len(self.sent), dtype=np.uint16), self.numbers)
        places = np.arange(len(vertices)) - np.repeat(self.sent_begins, self.numbers)
        begins = np.zeros(self.last - self.first + 1, np.int64)
        np.cumsum(np.bincount(vertices, minlength=len(begins) - 1), out=begins[1:])
        return ranks[order], places[order].astype(np.int32), begins

    def listed(self, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ranks, places, begins = self._needed_by
        starts = begins[vertices]
        counts = begins[vertices + 1] - starts
        ends = counts.cumsum()
        at = np.arange(counts.sum()) + np.repeat(starts - ends + counts, counts)
        whose = ranks[at]
        order = np.argsort(whose, kind="stable")
        return places[at[order]], np.bincount(whose, minlength=len(self.sent))

    def marked(self, marks: np.ndarray) -> list[np.ndarray]:
        return [np.packbits(gathered(marks, needed)) for needed in self.sent]

    def vertices(self, rank: int, places: np.ndarray) -> np.ndarray:
        return gathered(self._needed[self.begins[rank] : self.begins[rank + 1]], places)

    def write(self, device: Device, buffer: Any, rows: np.ndarray) -> None:
        if self._is_local:  # before and after its own vertices, as the device has them
            super().write(device, buffer, rows)
            return
        if rows.size:
            cl.enqueue_copy(device.queue, self._room(device, rows), rows)
            put_rows(device, buffer, self._rows, self._places, *rows.shape)

    def read(self, device: Device, buffer: Any, rows: np.ndarray) -> None:
        if rows.size:
            get_rows(device, self._room(device, rows), buffer, self._asked, *rows.shape)
            cl.enqueue_copy(device.queue, rows, self._rows)

    def _room(self, device: Device, rows: np.ndarray) -> Any:
        """The buffer for rows, with room for these."""
        if self._rows is None or self._rows.size < rows.nbytes:
            self._rows = device.reserve(rows.nbytes)
        return self._rows


def halo_of(ranks: Ranks, graph: ResidentGraph) -> Halo:
    """The halo of a graph's arcs, made once; all ranks must call this."""
    if not all(ranks.allgather(graph in ranks.halos)):
        ranks.halos[graph] = Halo(ranks, graph)
    return ranks.halos[graph]
