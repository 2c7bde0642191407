"""A run on several devices: one part of the arcs for each rank of an MPI communicator.

Every rank has all vertices, and the arcs that end in a range of them. Kernels over all vertices run
on every rank; gather and apply run for a rank's own vertices. Then the ranks exchange the values
that other ranks need, and their tallies in the order of the parts, so that all make the same
decisions. That is the owner-computes rule of distributed graph systems that partition arcs by
receiver (Gemini: Zhu, Chen, Zheng, Ma 2016).
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gascl.distributed.abort import say_last
from gascl.distributed.shared_memory import shared_memory
from gascl.errors import DeviceError, GasclError, RankError
from gascl.graph.partial_array import RemoteDataError
from gascl.opencl import fork_guard
from gascl.opencl.device import Device, devices
from gascl.opencl.device_choice import find
from gascl.opencl.pinned import pin, pinned
from gascl.util.host import machine_memory

#: The most bytes of an array that each rank sends at a time, where arrays of all are combined.
AT_ONCE = 2**26
#: The tag of messages by which a rank cancels the ranks' independent work.
CANCEL = 1


def ranks_of(comm: Any) -> Ranks | None:
    """The ranks of an mpi4py communicator; None where there is only one, or no communicator.

    Raises:
        GasclError: `comm` is not a communicator.
    """
    if comm is None:
        return None
    if not hasattr(comm, "Get_size"):
        raise GasclError(f"comm={comm!r} is no communicator: use mpi4py's MPI.COMM_WORLD, or None")
    return Ranks(comm) if comm.Get_size() > 1 else None


@contextmanager
def errors_in_all(ranks: Ranks | None) -> Iterator[None]:
    """A block that each rank runs independently: an error in one of them is raised in all."""
    with ranks.errors_in_all() if ranks else nullcontext():
        yield


class Ranks:
    """The ranks of a communicator: their collective operations, and memory for their exchange.

    Args:
        comm: mpi4py's, or an object with those of its methods that are called here.

    Attributes:
        owns_gpu: this rank shares its GPU with no other rank of the host.
        host_memory: the bytes of the host's memory that each rank may use, on the host with the
            least memory per rank; None: unknown.
    """

    def __init__(self, comm: Any):
        # MPI's constants are in the module of the communicator's class.
        homes = (sys.modules[cls.__module__] for cls in type(comm).__mro__)
        mpi: Any = next(home for home in homes if hasattr(home, "IN_PLACE"))
        self.IN_PLACE, self.BYTE = mpi.IN_PLACE, mpi.BYTE
        self.MAX, self.MIN, self.BOR, self.SUM = mpi.MAX, mpi.MIN, mpi.BOR, mpi.SUM
        self.comm, self.rank, self.size = comm, comm.Get_rank(), comm.Get_size()
        self.owns_gpu = False
        self._kept: dict[Any, np.ndarray] = {}
        #: Which `RowMessages` has used kept memory last.
        self.users: dict[Any, object] = {}
        self._shared: np.ndarray | None = None
        self._held: list[np.ndarray | None] = []
        self._one_host: bool | None = None  # until it has been tried
        #: Of graphs on the device, which vertices each rank needs of the others.
        self.halos: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
        self._cancels: list[Any] = []
        fork_guard.holds_opencl(self)

    def device(self, choice: Any) -> Device:
        """The device that a user chose; the ranks of a host are distributed over devices with the
        same name."""
        chosen = find(choice)
        alike = [d for d in devices() if (d.name, d.kind) == (chosen.name, "GPU")]
        hosts = self.comm.allgather((platform.node(), machine_memory()))
        nodes = [node for node, _ in hosts]
        shares = (has // nodes.count(node) for node, has in hosts if has is not None)
        self.host_memory = min(shares, default=None)
        self.owns_gpu = nodes.count(platform.node()) <= len(alike)
        local = nodes[: self.rank].count(platform.node())
        return alike[local % len(alike)] if alike else chosen

    @contextmanager
    def errors_in_all(self) -> Iterator[None]:
        """As the function of this name."""
        try:
            yield
        except BaseException as error:  # also Ctrl-C
            self.raise_in_all(error)
        self.raise_in_all(None)

    def raise_in_all(self, error: BaseException | None) -> None:
        """Raise an error in all ranks if there is one in any; all must call this. Where one lacks
        data of others, all raise RemoteDataError, so that they can fetch it together."""
        text = None if error is None else f"{type(error).__name__}: {error}"
        told = self.comm.allgather((text, isinstance(error, RemoteDataError)))
        texts = [text for text, _ in told]
        if any(lacks for _, lacks in told) and not isinstance(error, RemoteDataError):
            raise RemoteDataError(next(text for text, lacks in told if lacks))
        if error is not None:
            raise error
        for rank, text in enumerate(texts):
            if text is not None:
                raise RankError(f"rank {rank} of {self.size} has failed: {text}")

    @contextmanager
    def ends_all(self) -> Iterator[None]:
        """A block in which ranks wait for each other again and again: an error that this rank may
        have alone ends all."""
        try:
            yield
        except BaseException as error:
            of_one = DeviceError, RemoteDataError  # the latter, for example, in a callback
            of_all = isinstance(error, GasclError) and not isinstance(error, of_one)
            if not (of_all or isinstance(error, RankError)):  # which another rank has caused
                self.abort(error)
            raise

    def check_same(self, about: dict[str, str]) -> None:
        """Raise GasclError in all ranks unless all run the same program; all must call this.

        Args:
            about: the texts that must be equal in all ranks, by the names of their subjects.
        """
        every = self.comm.allgather(about)
        for rank, other in enumerate(every):
            for what, text in every[0].items():
                if other[what] != text:
                    raise GasclError(
                        f"rank {rank} of {self.size} and rank 0 differ in their {what}: "
                        f"{other[what]}, and {text}; "
                        "all ranks must run the same program on the same graph"
                    )

    def first_text(self, text: str) -> str:
        """The text of the first rank that has one; "" if none has."""
        return next(filter(None, self.comm.allgather(text)), "")

    def abort(self, error: BaseException) -> None:
        """End all ranks, since this one cannot continue."""
        why = f"rank {self.rank} of {self.size} ends all: {type(error).__name__}: {error}"
        say_last(f"gascl: {why}")
        self.comm.Abort(1)

    def broadcast(self, value: Any) -> Any:
        """The value of rank 0."""
        return self.comm.bcast(value)

    def allgather(self, value: Any) -> list[Any]:
        """The value of each rank."""
        return self.comm.allgather(value)

    def cancel(self) -> None:
        """Cancel the independent work of the other ranks; all must call `join` next."""
        others = [rank for rank in range(self.size) if rank != self.rank]
        self._cancels = [self.comm.isend(None, rank, tag=CANCEL) for rank in others]

    def is_canceled(self) -> bool:
        """Whether another rank has canceled the ranks' independent work."""
        return bool(self.comm.iprobe(tag=CANCEL))

    def join(self) -> None:
        """Wait until all ranks are done with their independent work."""
        for rank, cancels in enumerate(self.comm.allgather(bool(self._cancels))):
            if cancels and rank != self.rank:
                self.comm.recv(source=rank, tag=CANCEL)
        for sent in self._cancels:
            sent.wait()
        self._cancels = []

    def reduced_in_order(self, own: np.ndarray, by: np.ufunc, givers: int) -> np.ndarray:
        """The arrays of the first ranks, combined in the order of the ranks.

        Args:
            own: this rank's array, of the same type and shape in all ranks, also where it is not
                among the first.
            givers: the number of ranks whose arrays are combined.
        """
        values, combined = np.ascontiguousarray(own).reshape(-1, 1), []
        gives, most = np.arange(self.size) < givers, AT_ONCE // own.itemsize
        for begin in range(0, max(len(values), 1), most):
            piece = values[begin : begin + most]
            counts = len(piece) * gives
            every = self.allgather_rows(piece[: counts[self.rank]], counts)
            combined.append(by.reduce(every.reshape(givers, len(piece)), axis=0))
        return np.concatenate(combined).reshape(own.shape)

    def barrier(self) -> None:
        """Wait until all ranks have called this."""
        self.allgather_counts(0)

    def allgather_counts(self, own: int) -> np.ndarray:
        """The number of each rank, int64 (ranks,)."""
        counts = np.empty(self.size, np.int64)
        self.comm.Allgather(np.array([own]), counts)
        return counts

    def allgather_rows(self, own: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The rows of all ranks' lists.

        Args:
            own: (rows, columns), this rank's list.
            counts: (ranks,), the number of rows of each rank.
        """
        every = np.empty((int(counts.sum()), own.shape[1]), own.dtype)
        size = own.itemsize * own.shape[1]
        begins = np.cumsum(counts) - counts
        places = (counts * size).tolist(), (begins * size).tolist()
        self.comm.Allgatherv([own, self.BYTE], [every, places, self.BYTE])
        return every

    def exchanged(self, own: np.ndarray, counts: np.ndarray, coming: np.ndarray) -> np.ndarray:
        """The items that each rank has sent to this one, in the order of the ranks.

        Args:
            own: those for each rank, one after the other.
            counts, coming: (ranks,), how many of them are for each rank, and how many come from
                each.
        """
        received, size = np.empty(int(coming.sum()), own.dtype), own.itemsize
        sent, into = (array.view(np.uint8) for array in (np.ascontiguousarray(own), received))
        begins = (np.cumsum(counts) - counts) * size
        self.exchange(sent, begins, counts * size, into, coming * size)
        return received

    def passed(self, own: np.ndarray, length: int, giver: int, taker: int) -> np.ndarray:
        """An array of so many items that one rank has, in another one; in the others, an empty
        one. All must call this, with the same dtype."""
        counts, coming = np.zeros(self.size, np.int64), np.zeros(self.size, np.int64)
        if self.rank == giver:
            counts[taker] = length
        if self.rank == taker:
            coming[giver] = length
        return self.exchanged(own, counts, coming)

    def in_order(self, own: Iterable[np.ndarray], dtype: np.dtype) -> Iterator[np.ndarray]:
        """The arrays of all ranks in the order of the ranks, one at a time, in the first rank; in
        the others, empty ones. All must read them to the end, in a block of `ends_all`.

        Args:
            own: those of this rank.
            dtype: that of all.
        """
        for rank in range(self.size):
            left = iter(own if rank == self.rank else ())
            while True:
                piece = next(left, None)
                length = int(self.allgather_counts(-1 if piece is None else len(piece))[rank])
                if length < 0:
                    break
                sent = np.empty(0, dtype) if piece is None else piece
                yield self.passed(sent, length, rank, 0)

    def added_in_order(self, count: int, add: Callable[[np.ndarray], None]) -> np.ndarray:
        """float64 (count,): 0 at first, to which the ranks have added their own, one after the
        other; all must call this, in a block of `ends_all`."""
        total = np.zeros(count if self.rank == 0 else 0)
        for rank in range(self.size):
            if rank == self.rank:
                add(total)
            if rank + 1 < self.size:
                total = self.passed(total, count, rank, rank + 1)
        counts = np.where(np.arange(self.size) == self.size - 1, count, 0)
        return self.allgather_rows(total[:, None], counts)[:, 0]

    def summed_before(self, own: np.ndarray) -> np.ndarray:
        """The sum of the arrays of the ranks before this one; all must call this, with arrays of
        the same dtype and length."""
        before = np.zeros_like(own)
        for rank in range(self.size - 1):
            given = before + own if self.rank == rank else own[:0]
            passed = self.passed(given, len(own), rank, rank + 1)
            before = passed if self.rank == rank + 1 else before
        return before

    def exchange(
        self,
        sent: np.ndarray,
        begins: np.ndarray,
        sizes: np.ndarray,
        received: np.ndarray,
        coming: np.ndarray,
    ) -> None:
        """Send each rank bytes, and receive those that each has sent to this one.

        Args:
            sent, begins, sizes: uint8, and (ranks,), where those for each rank begin, and how many
                they are.
            received: uint8, filled in the order of the ranks.
            coming: (ranks,), how many bytes come from each.
        """
        there = sizes.tolist(), begins.tolist()
        here = coming.tolist(), (np.cumsum(coming) - coming).tolist()
        self.comm.Alltoallv([sent, there, self.BYTE], [received, here, self.BYTE])

    def exchanged_counts(self, counts: np.ndarray) -> np.ndarray:
        """int64 (ranks,): how many items come from each rank, from how many go to each."""
        coming = np.empty(self.size, np.int64)
        self.comm.Alltoall(np.ascontiguousarray(counts, np.int64), coming)
        return coming

    def add_up(self, values: np.ndarray) -> None:
        """Replace integers by the sums over all ranks, some at a time."""
        flat, most = values.reshape(-1), AT_ONCE // 16 // values.itemsize
        for begin in range(0, len(flat), most):
            self.allreduce(flat[begin : begin + most], self.SUM)

    def allreduce(self, values: np.ndarray, op: Any) -> None:
        """Combine the arrays of all ranks in place."""
        self.comm.Allreduce(self.IN_PLACE, values, op)

    def elementwise_min(self, values: np.ndarray) -> np.ndarray:
        """The elementwise minimum of the arrays of all ranks."""
        smallest = np.empty_like(values)
        self.comm.Allreduce(values, smallest, self.MIN)
        return smallest

    def memory(self, device: Device, use: Any, size: int) -> np.ndarray:
        """Memory of the host, uint8 (size,), that is kept for one use."""
        kept = self._kept.get(use)
        if kept is None or len(kept) < size:
            pins = device.pools and size
            kept = pinned(device.context, size) if pins else np.empty(size, np.uint8)
            self._kept[use] = kept
        return kept[:size]

    def keep_apart(self) -> None:
        """Share no memory of a host, as ranks of several hosts."""
        self._one_host = False

    @property
    def on_one_host(self) -> bool:
        """Whether all ranks can share memory. All ranks must call this."""
        if self._one_host is None:
            self._one_host = shared_memory(self.comm, 0) is not None
        return self._one_host

    def shared(self, device: Device, size: int) -> np.ndarray | None:
        """Memory of the host, uint8 (size,), that all ranks see; None where they are on several
        hosts. All must call this, with the same size."""
        if self.on_one_host and (self._shared is None or len(self._shared) < size):
            shared = shared_memory(self.comm, size)
            self._one_host = shared is not None
            self._shared = None if shared is None else pin(device.context, shared)
        return None if self._shared is None else self._shared[:size]

    def hold_shared(self) -> None:
        """Keep other runs, such as those of a callback, from using the memory that `shared` has
        returned last, until `release_shared`. All ranks must call both."""
        self._held.append(self._shared)
        self._shared = None

    def release_shared(self) -> None:
        self._shared = self._held.pop()
