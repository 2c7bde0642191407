"""A run on several devices: one part of the arcs for each rank of an MPI communicator.

Every rank has all vertices, and the arcs that end in a range of them. What runs for every vertex
runs on every rank; gather and apply run for a rank's own vertices. After them, the ranks tell each
other what they have written that others read, and their tallies, in the order of the parts, so that
all decide alike. That is the owner-computes rule of distributed graph systems with a cut by
receivers (Gemini: Zhu, Chen, Zheng, Ma 2016).
"""

from __future__ import annotations

import math
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.delivery.activeset import FRONTIER, most_pieces
from gascl.delivery.runspec import ARC, RUN, Key
from gascl.errors import GasclError, RankError
from gascl.graph.parts import Part
from gascl.hostmemory import host_memory
from gascl.runtime import process
from gascl.runtime.arcstream import TALLIES
from gascl.runtime.device import Device, devices, find
from gascl.runtime.interrupts import Interrupts
from gascl.runtime.staging import pinned
from gascl.runtime.state import State

CONTROL, COUNTS, MAIL = (Key(RUN, name) for name in ("control", "counts", "mail"))
#: The active vertices as lists (kernels/frontier.cl). The lengths of lists are `_LENGTH` words from
#: each other, and the first two are those of the frontiers of even and odd supersteps.
LENGTHS, FRONTIERS, TOUCHED = (
    Key(f"active set {FRONTIER.name}", name) for name in ("lengths", "frontiers", "touched")
)
_LENGTH, _LISTED = 16, 2 * 16
#: How many rows show whether it pays to look for those that have changed.
SAMPLE = 1024


@dataclass(frozen=True)
class Told:
    """What ranks tell each other after each superstep.

    Attributes:
        rows: buffers of which each rank has written the rows of its own vertices.
        marks: bytes that any rank may have set for any vertex.
        scattered: likewise, in scatter, so that apply must know of them.
        checked: the control record, too: something may go wrong that the device reports.
    """

    rows: Sequence[Key]
    marks: Sequence[Key]
    scattered: Sequence[Key]
    checked: bool


class Heard(NamedTuple):
    """What all ranks have come to in a superstep.

    Attributes:
        tallies, num_tallies: a buffer with those of all ranks, and how many they are.
        under_way: apply has sent messages with send_to.
    """

    tallies: Any
    num_tallies: int
    under_way: bool


def ranks_of(comm: Any) -> Ranks | None:
    """The ranks of an mpi4py communicator; None where there is only one, or no communicator.

    Raises:
        GasclError: it is something else.
    """
    if comm is None:
        return None
    if not hasattr(comm, "Get_size"):
        raise GasclError(f"comm={comm!r} is no communicator; give mpi4py's MPI.COMM_WORLD, or None")
    return Ranks(comm) if comm.Get_size() > 1 else None


@contextmanager
def agreed(ranks: Ranks | None) -> Iterator[None]:
    """What each rank does by itself; an error in any of them is raised in all."""
    try:
        yield
    except Exception as error:
        if ranks:
            ranks.agree(error)
        raise
    if ranks:
        ranks.agree(None)


class Ranks:
    """The ranks of a communicator, and what they tell each other.

    Args:
        comm: mpi4py's, or something else with those of its methods that are called here.

    Attributes:
        memory: what each rank may use of its host's, in bytes: of the host with least for a rank;
            None where the systems do not tell.
    """

    memory: int | None = None

    def __init__(self, comm: Any):
        # MPI's constants stand beside the class of a communicator.
        homes = (sys.modules[cls.__module__] for cls in type(comm).__mro__)
        self._mpi: Any = next(home for home in homes if hasattr(home, "IN_PLACE"))
        self.comm, self.rank, self.size = comm, comm.Get_rank(), comm.Get_size()
        self._hosts: dict[tuple[str, Key], np.ndarray] = {}
        self._told: set[Key] = set()
        self._tallies: Any = None
        process.holds_opencl(self)

    def device(self, choice: Any) -> Device:
        """The device that a user chose; of several alike, each rank of a host has another one."""
        found = find(choice)
        alike = [d for d in devices() if (d.name, d.kind) == (found.name, "GPU")]
        hosts = self.comm.allgather((platform.node(), host_memory()))
        nodes = [node for node, _ in hosts]
        shares = (has // nodes.count(node) for node, has in hosts if has is not None)
        self.memory = min(shares, default=None)
        local = nodes[: self.rank].count(platform.node())
        return alike[local % len(alike)] if alike else found

    def agree(self, error: Exception | None) -> None:
        """Raise an error in all ranks if there is one in any; all must call this."""
        told = self.comm.allgather(None if error is None else f"{type(error).__name__}: {error}")
        if error is not None:
            raise error
        for rank, text in enumerate(told):
            if text is not None:
                raise RankError(f"rank {rank} of {self.size} has failed: {text}")

    def check_same(self, about: dict[str, str]) -> None:
        """Raise GasclError in all ranks unless all run the same; all must call this.

        Args:
            about: what must be equal, in words and as text.
        """
        told = self.comm.allgather(about)
        for rank, other in enumerate(told):
            for what, text in told[0].items():
                if other[what] != text:
                    raise GasclError(
                        f"rank {rank} of {self.size} and rank 0 differ in their {what}: "
                        f"{other[what]}, and {text}; "
                        "all ranks must run the same program on the same graph"
                    )

    def any_of(self, text: str) -> str:
        """The text of the first rank that has one; "" if none has."""
        return next(filter(None, self.comm.allgather(text)), "")

    def abort(self, error: BaseException) -> None:
        """End all ranks, of which this one cannot go on."""
        told = f"rank {self.rank} of {self.size} ends all: {type(error).__name__}: {error}"
        print(f"gascl: {told}", file=sys.__stderr__, flush=True)
        self.comm.Abort(1)

    def first(self, value: Any) -> Any:
        """What rank 0 has."""
        return self.comm.bcast(value)

    def all_of(self, value: bytes) -> bytes:
        """What all ranks have, one after the other."""
        return b"".join(self.comm.allgather(value))

    def begin(self) -> None:
        """A run begins, in which nothing has been told."""
        self._told.clear()

    def tell(self, state: State, told: Told, tallied: int, interrupts: Interrupts) -> Heard:
        """Exchange what a superstep came to."""
        self.tell_rows(state, told.rows)
        self.tell_marks(state, told.marks)
        tallies = state.read(TALLIES, np.empty(tallied, state.header.tally))
        record = np.empty(1, state.header.control)
        checks = [0, 0, 0]
        if told.checked:
            state.read(CONTROL, record)
            checks = [int(record[name][0]) for name in ("overflow", "fault", "under_way")]
        own = tallies.tobytes(), checks, interrupts.pending
        everyone = self.comm.allgather(own)
        whole = np.frombuffer(b"".join(each[0] for each in everyone), state.header.tally)
        if self._tallies is None or self._tallies.size < whole.nbytes:
            self._tallies = state.device.reserve(whole.nbytes)
        if len(whole):
            cl.enqueue_copy(state.device.queue, self._tallies, whole)
        if told.checked:
            record["overflow"] = min(each[1][0] for each in everyone)
            record["fault"] = min(each[1][1] for each in everyone)
            record["under_way"] = max(each[1][2] for each in everyone)
            state.write(CONTROL, record)
        interrupts.agreed = any(each[2] for each in everyone)
        state.device.queue.finish()  # what was written from here may be freed
        return Heard(self._tallies, len(whole), any(each[1][2] for each in everyone))

    def mail(self, state: State, parts: Sequence[Part], when: str) -> np.ndarray:
        """What has been sent to this rank's vertices in the others: parcels, as in mail.cl.

        Args:
            parts: those of the ranks when it arrives.
            when: "" in this superstep, "_next" in the next one.
        """
        type_, lanes = state.spec.own[MAIL].dtype, state.lanes
        rows = lanes * _rows(parts)

        def inbox(name: str, dtype: Any) -> np.ndarray:
            values = np.empty(state.graph.num_vertices * lanes, dtype)
            return state.read(Key(RUN, f"{name}{when}"), values)

        arrived = inbox("arrived", np.uint32)
        arrived[slice(*rows[self.rank])] = 0
        places = np.flatnonzero(arrived)
        sent = np.zeros(len(places), type_)
        if len(places):
            sent["place"], sent["arrived"] = places, arrived[places]
            sent["cell"] = inbox("inbox", type_["cell"])[places]
            if state.sizes[Key(RUN, f"wraps{when}")] >= 4 * len(arrived):
                sent["wraps"] = inbox("wraps", np.int32)[places]
        begins, ends = np.searchsorted(places, rows.T)
        counts, heard = ends - begins, np.empty(self.size, np.int64)
        self.comm.Alltoall(counts, heard)
        found, size = np.empty(int(heard.sum()), type_), type_.itemsize
        out = (counts * size).tolist(), (begins * size).tolist()
        into = (heard * size).tolist(), ((np.cumsum(heard) - heard) * size).tolist()
        own, others = (array.view(np.uint8) for array in (sent, found))
        self.comm.Alltoallv([own, out, self._mpi.BYTE], [others, into, self._mpi.BYTE])
        return found

    def tell_rows(self, state: State, keys: Iterable[Key]) -> None:
        """Bring the rows of each rank's vertices to all.

        The host keeps what was told last. Where few rows differ from that, they travel as a list.
        """
        rows = _rows(state.resident.parts)
        for key in keys:
            size = state.sizes[key] // state.graph.num_vertices
            begins, ends = (rows * size).T.tolist()
            own = slice(begins[self.rank], ends[self.rank])
            known = self._host(state, "known", key, state.sizes[key])
            now = self._host(state, "now", key, own.stop - own.start)
            queue, buffer = state.device.queue, state.buffers[key]
            if len(now):
                cl.enqueue_copy(queue, now, buffer, src_offset=own.start)
            changed = _changed(known[own], now, size) if key in self._told else None
            counts = self._counts(-1 if changed is None else len(changed))
            listed = 4 + size
            if changed is None or counts.min() < 0 or 2 * counts.sum() * listed > len(known):
                known[own] = now
                sizes = [end - begin for begin, end in zip(begins, ends, strict=True)]
                self.comm.Allgatherv(self._mpi.IN_PLACE, [known, (sizes, begins), self._mpi.BYTE])
            else:
                sent = np.empty((len(changed), listed), np.uint8)
                numbers = (changed + rows[self.rank, 0]).astype(np.int32)
                sent[:, :4] = numbers.view(np.uint8).reshape(-1, 4)
                sent[:, 4:] = now.reshape(-1, size)[changed]
                every = self._lists(sent, counts)
                its = np.ascontiguousarray(every[:, :4]).view(np.int32)[:, 0]
                known.reshape(-1, size)[its] = every[:, 4:]
            self._told.add(key)
            for part in (slice(0, own.start), slice(own.stop, len(known))):
                if part.stop > part.start:
                    cl.enqueue_copy(queue, buffer, known[part], dst_offset=part.start)

    def tell_marks(self, state: State, keys: Iterable[Key]) -> None:
        """Set the marks, 0 or 1 in each byte, that any rank has set."""
        for key in keys:
            values = state.read(key, self._host(state, "known", key, state.sizes[key]))
            marked = np.flatnonzero(values)
            counts = self._counts(len(marked))
            if 2 * counts.sum() * marked.itemsize > len(values):
                self.comm.Allreduce(self._mpi.IN_PLACE, values, self._mpi.MAX)
            else:
                values[self._lists(marked[:, None], counts)[:, 0]] = 1
            state.write(key, values)

    def _counts(self, own: int) -> np.ndarray:
        """A number of each rank, int64 (ranks,)."""
        counts = np.empty(self.size, np.int64)
        self.comm.Allgather(np.array([own]), counts)
        return counts

    def _lists(self, own: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The rows of all ranks' lists, of which there are so many."""
        every = np.empty((int(counts.sum()), own.shape[1]), own.dtype)
        size = own.itemsize * own.shape[1]
        begins = np.cumsum(counts) - counts
        places = (counts * size).tolist(), (begins * size).tolist()
        self.comm.Allgatherv([own, self._mpi.BYTE], [every, places, self._mpi.BYTE])
        return every

    def tell_frontier(self, state: State, superstep: int) -> None:
        """Bring the vertices that apply has put into the frontier of a superstep to all, so that
        gascl_commit then lists them, each rank with the arcs that it has of them."""
        lengths = state.read(LENGTHS, np.empty(state.sizes[LENGTHS] // 4, np.int32))
        its = superstep % 2
        pieces = np.empty((lengths[its * _LENGTH], 2), np.int32)
        if len(pieces):
            begin = its * most_pieces(state.graph.num_vertices, state.num_arcs) * 8
            queue, buffer = state.device.queue, state.buffers[FRONTIERS]
            cl.enqueue_copy(queue, pieces, buffer, src_offset=begin)
        own = np.ascontiguousarray(pieces[pieces[:, 1] == 0, 0])
        listed = self._lists(own[:, None], self._counts(len(own)))
        lengths[its * _LENGTH], lengths[_LISTED] = 0, len(listed)
        state.write(TOUCHED, listed)
        state.write(LENGTHS, lengths)

    def tell_counts(self, state: State) -> None:
        """Add up how many arcs of all ranks go out from the next frontier, which all know."""
        counts = state.read(COUNTS, np.empty((state.sizes[COUNTS] // 16, 2), np.int64))
        vertices, arcs = counts.sum(0).tolist()
        state.write(COUNTS, np.array([[vertices, self.comm.allreduce(arcs)]]))

    def tell_arcs(self, state: State) -> None:
        """Bring the arc fields of all ranks together, on the host of each."""
        for key in state.buffers:
            if key.owner == ARC:
                values = state.arcs_of_all(key)
                self.comm.Allreduce(self._mpi.IN_PLACE, values, self._mpi.BOR)
                state.told_arcs[key] = values

    def least(self, values: np.ndarray) -> np.ndarray:
        """The smallest of what all ranks have in each place."""
        found = np.empty_like(values)
        self.comm.Allreduce(values, found, self._mpi.MIN)
        return found

    def _host(self, state: State, what: str, key: Key, size: int) -> np.ndarray:
        """Memory of the host, uint8 (size,), that is kept for this use of a buffer."""
        found = self._hosts.get((what, key))
        if found is None or len(found) != size:
            pins = state.device.pools and size
            found = pinned(state.device.context, size) if pins else np.empty(size, np.uint8)
            self._hosts[what, key] = found
        return found


def _rows(parts: Sequence[Part]) -> np.ndarray:
    """int64 (ranks, 2): the range of the vertices of each rank."""
    return np.array([(part.first, part.last) for part in parts], np.int64)


def _changed(before: np.ndarray, now: np.ndarray, size: int) -> np.ndarray | None:
    """The rows of which any of the `size` bytes differs; None if about half of them or more do."""
    word = math.gcd(size, 8)
    rows = [each.view(f"u{word}").reshape(-1, size // word) for each in (before, now)]

    def differ(step: int) -> np.ndarray:
        differing = np.not_equal(rows[0][::step], rows[1][::step])
        return differing[:, 0] if differing.shape[1] == 1 else np.any(differing, axis=1)

    step = len(rows[0]) // SAMPLE
    if step > 1 and 2 * np.count_nonzero(sample := differ(step)) > len(sample):
        return None
    return np.flatnonzero(differ(1))
