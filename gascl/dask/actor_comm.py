"""`DaskComm`: communication between the ranks of a run on Dask workers, by actors; and the
constants of MPI that its methods accept."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from gascl.dask.mailbox import Mailbox, end
from gascl.errors import RankError

IN_PLACE = None
BYTE = np.uint8
MAX, MIN, BOR, SUM = np.maximum, np.minimum, np.bitwise_or, np.add


class SendRequest:
    """A request to send a value, of which Dask has a copy."""

    def wait(self) -> None:
        """Return at once."""


class DaskComm:
    """The methods of an mpi4py communicator that gascl calls, implemented by mailboxes.

    All ranks call the same methods in the same order. As in MPI, methods with a capital letter take
    arrays: [array, (counts, begins), BYTE] is an array with a part for each rank, in bytes.

    Args:
        rank: the number of this rank.
        mailbox: the mailbox of this rank.
        mailboxes: the mailboxes of all ranks, as actors of Dask.
    """

    def __init__(self, rank: int, mailbox: Mailbox, mailboxes: Sequence[Any]):
        self._rank, self._mailbox, self._mailboxes = rank, mailbox, mailboxes
        self._sent = 0

    def Get_rank(self) -> int:
        """The number of this rank."""
        return self._rank

    def Get_size(self) -> int:
        """The number of ranks."""
        return len(self._mailboxes)

    def allgather(self, value: Any) -> list[Any]:
        """The value of each rank."""
        return [pickle.loads(mail) for mail in self._broadcast(pickle.dumps(value, 5))]

    def bcast(self, value: Any) -> Any:
        """The value of rank 0."""
        return self.allgather(value)[0]

    def Allreduce(self, own: np.ndarray | None, found: np.ndarray, op: Callable[..., Any]) -> None:
        """Fill `found` with the arrays of all ranks, combined; IN_PLACE: it has this rank's."""
        mails = self._broadcast((found if own is IN_PLACE else own).tobytes())
        each = (np.frombuffer(mail, found.dtype).reshape(found.shape) for mail in mails)
        found[...] = reduce(op, each)

    def Allgather(self, own: np.ndarray, found: np.ndarray) -> None:
        """Fill `found` with the arrays of all ranks, one after the other."""
        found[...] = np.frombuffer(b"".join(self._broadcast(own.tobytes())), found.dtype)

    def Allgatherv(self, send: Sequence[Any] | None, receive: Sequence[Any]) -> None:
        """Send each rank's array to all ranks; IN_PLACE: it is in `receive`."""
        own = _parts(*receive)[self._rank] if send is IN_PLACE else send[0]
        _fill(receive, self._broadcast(own.tobytes()))

    def Alltoall(self, own: np.ndarray, found: np.ndarray) -> None:
        """Send the r-th item of each rank to rank r."""
        mails = self._exchange([item.tobytes() for item in own])
        found[...] = np.frombuffer(b"".join(mails), found.dtype).reshape(found.shape)

    def Alltoallv(self, send: Sequence[Any], receive: Sequence[Any]) -> None:
        """Send the r-th part of each rank to rank r."""
        _fill(receive, self._exchange([part.tobytes() for part in _parts(*send)]))

    def isend(self, value: Any, dest: int, tag: int) -> SendRequest:
        """Send a value to a rank, without waiting until it arrives."""
        self._mailboxes[dest].post(-tag, self._rank, pickle.dumps(value, 5))
        return SendRequest()

    def iprobe(self, tag: int) -> bool:
        """Whether a value sent by `isend` has arrived that `recv` has not returned yet."""
        return any(self._mailbox.has(-tag, rank) for rank in range(self.Get_size()))

    def recv(self, source: int, tag: int) -> Any:
        """The value that a rank has sent by `isend`."""
        return pickle.loads(self._mailbox.take(-tag, source))

    def Abort(self, code: int) -> None:
        """End all other ranks."""
        why = f"rank {self._rank} of {self.Get_size()} has ended the run"
        end(why, [box for rank, box in enumerate(self._mailboxes) if rank != self._rank])

    def check(self) -> None:
        """Raise RankError if the run has been ended."""
        self._mailbox.check()

    def _broadcast(self, own: bytes) -> list[bytes]:
        """The mail that each rank sends to all ranks."""
        return self._exchange([own] * self.Get_size())

    def _exchange(self, mails: Sequence[bytes]) -> list[bytes]:
        """The mail that each rank sends to this one.

        Args:
            mails: the mail of this rank to each. Bytes, since Dask sends them some time later, and
                arrays may change before.
        """
        number, self._sent = self._sent, self._sent + 1
        ranks = range(self.Get_size())
        try:
            for rank in ranks:
                if rank != self._rank:  # without waiting until it arrives
                    self._mailboxes[rank].post(number, self._rank, mails[rank])
        except RuntimeError as error:  # of the actor
            raise RankError(f"another rank cannot be reached: {error}") from error
        return [mails[r] if r == self._rank else self._mailbox.take(number, r) for r in ranks]


def _parts(array: np.ndarray, places: tuple[Sequence[int], Sequence[int]], _: Any) -> list[Any]:
    """The part of each rank, uint8."""
    values = array.reshape(-1).view(BYTE)
    return [values[begin : begin + count] for count, begin in zip(*places, strict=True)]


def _fill(receive: Sequence[Any], mails: Sequence[bytes]) -> None:
    for part, mail in zip(_parts(*receive), mails, strict=True):
        part[:] = np.frombuffer(mail, BYTE)
