"""`FrontierLists`: brings together the next frontier of a run on several ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.codegen.constants import STRIDE, ActiveList
from gascl.delivery.active_set import FRONTIER, most_pieces
from gascl.delivery.run_layout import Key
from gascl.device_graph.gather import list_vertices
from gascl.distributed.halo import RemoteVertices
from gascl.distributed.ranks import Ranks
from gascl.distributed.run_protocols import RunState

#: The active vertices as lists (kernels/frontier.cl).
LENGTHS, FRONTIERS, RECEIVERS = (
    Key(FRONTIER.owner, name) for name in ("lengths", "frontiers", "receivers")
)
#: How many vertices of a frontier are read before their number is known; others take a second read.
FIRST = 4096
#: The bits of a vertex in a list.
PLACE_BITS = 32
#: In place of the number of listed vertices: they are sent as bits.
_BITS = -1
#: The place of the number of listed vertices.
_LISTED = STRIDE * ActiveList.LISTED


class FrontierLists:
    """Brings the vertices that apply has put into the next frontier to the ranks that need them.
    Each rank's gascl_commit then lists them with the arcs that the rank has of them.

    Args:
        halo: which rank needs which vertices, between hosts.
        halves: two halves of the shared memory of the ranks of one host, uint8 (4 V,) each, of
            which one may be written while other ranks still read the other; none between hosts.
    """

    def __init__(
        self, ranks: Ranks, state: RunState, halves: Sequence[np.ndarray], halo: RemoteVertices
    ):
        self._ranks, self._state, self._halo = ranks, state, halo
        self._halves = [half.view(np.int32) for half in halves]
        self._most = most_pieces(state.num_vertices, state.num_arcs)
        lengths = ranks.memory(state.device, LENGTHS, state.sizes[LENGTHS])
        self._lengths, self._count = lengths.view(np.int32), 0
        self._begin = 0  # of the next frontier, in the buffer of both
        self._listed = np.empty(0, np.int32)

    def first(self) -> np.ndarray:
        """int32: the vertices of this rank in the list of the first mask, before its commit."""
        queue, buffers = self._state.device.queue, self._state.buffers
        cl.enqueue_copy(queue, self._lengths, buffers[LENGTHS])
        listed = np.empty(int(self._lengths[_LISTED]), np.int32)
        if len(listed):
            cl.enqueue_copy(queue, listed, buffers[RECEIVERS])
        return listed[(listed >= self._halo.first) & (listed < self._halo.last)]

    def read(self, superstep: int) -> Any:
        """Enqueue a list of the vertices that this rank has put into the frontier of a superstep,
        and a read of its length and of the first of them; returns its event."""
        state, self._begin = self._state, superstep % 2
        buffers, queue = state.buffers, state.device.queue
        pieces = buffers[FRONTIERS], self._begin * self._most
        places = STRIDE * self._begin, _LISTED
        list_vertices(state.device, *pieces, buffers[LENGTHS], *places, buffers[RECEIVERS])
        most = min(FIRST, self._halo.last - self._halo.first)
        self._read(0, most)
        return cl.enqueue_copy(queue, self._lengths, buffers[LENGTHS], is_blocking=False)

    def publish(self) -> int:
        """Copy the other vertices to where the other ranks see them, once `read` has ended; returns
        the number of all."""
        self._count = int(self._lengths[_LISTED])
        if self._count > FIRST:
            self._read(FIRST, self._count).wait()
        return self._count

    @property
    def own(self) -> np.ndarray:
        """int32: the vertices that this rank has put into the frontier, once they are published."""
        return self._own_list()[: self._count]

    def _own_list(self) -> np.ndarray:
        """int32: memory for all vertices of this rank, in shared memory if there is any."""
        ranks, most = self._ranks, self._halo.last - self._halo.first
        if self._halves:
            return self._slot(ranks.rank, most)
        return ranks.memory(self._state.device, RECEIVERS, 4 * most).view(np.int32)

    def _read(self, begin: int, end: int) -> Any:
        """Enqueue a read of some vertices of this rank's list; returns its event."""
        if begin == end:
            return None
        source, queue = self._state.buffers[RECEIVERS], self._state.device.queue
        where: Any = {"src_offset": 4 * begin, "is_blocking": False}
        return cl.enqueue_copy(queue, self._own_list()[begin:end], source, **where)

    def write(self, counts: np.ndarray) -> None:
        """Enqueue a write of the vertices of all ranks, once all ranks have published theirs.

        Args:
            counts: (ranks,), the number of vertices of each rank.
        """
        lists = []
        if self._halves:
            others = (
                (n, count) for n, count in enumerate(counts.tolist()) if n != self._ranks.rank
            )
            lists = [self._slot(rank, count) for rank, count in others]
            self._halves.reverse()
        elif counts.any():
            self._listed = self._exchanged()
            lists = [self._listed]
        # The device has this rank's own there.
        queue, buffers, begin = self._state.device.queue, self._state.buffers, self._count
        for each in filter(len, lists):
            where: Any = {"dst_offset": 4 * begin, "is_blocking": False}
            cl.enqueue_copy(queue, buffers[RECEIVERS], each, **where)
            begin += len(each)
        self._lengths[STRIDE * self._begin] = 0
        self._lengths[_LISTED] = begin
        cl.enqueue_copy(queue, buffers[LENGTHS], self._lengths, is_blocking=False)

    def _exchanged(self) -> np.ndarray:
        """The vertices of other ranks that have been put into the frontier and that this one
        needs."""
        ranks, halo = self._ranks, self._halo
        mail, sent, counts = self._mail()
        coming = np.empty_like(counts)
        ranks.comm.Alltoall(counts, coming)
        lengths = np.diff(halo.begins)
        sizes = np.where(coming == _BITS, -(-lengths // 8), 4 * coming)
        received = ranks.exchanged(mail, sent, sizes)
        found = []
        for rank, its in enumerate(np.split(received, np.cumsum(sizes)[:-1])):
            listed: Any = its.view(np.int32) if coming[rank] != _BITS else None
            if listed is None:
                listed = np.flatnonzero(np.unpackbits(its, count=int(lengths[rank])))
            found.append(halo.vertices(rank, listed))
        return np.concatenate(found)

    def _mail(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The bytes for each rank in turn: the places of the frontier's vertices that it needs
        while these are few, and otherwise a bit for each vertex that it needs.

        Returns:
            The bytes; (ranks,), how many are for each rank; and (ranks,), the number of places for
            each, or _BITS.
        """
        halo, own = self._halo, self.own - self._halo.first
        vertices, needed = halo.last - halo.first, int(halo.numbers.sum())
        if PLACE_BITS * len(own) <= vertices:  # else it takes longer to find the places
            places, counts = halo.listed(own)
            if PLACE_BITS * len(places) <= needed:
                return places.view(np.uint8), places.itemsize * counts, counts
        marks = np.zeros(vertices, bool)
        marks[own] = True
        bits = halo.marked(marks)
        sizes = np.array([len(each) for each in bits])
        return np.concatenate(bits), sizes, np.full(len(sizes), _BITS)

    def _slot(self, rank: int, count: int) -> np.ndarray:
        """The shared memory for `count` vertices of a rank."""
        first = self._state.arrays.graph.parts[rank].first
        return self._halves[0][first : first + count]
