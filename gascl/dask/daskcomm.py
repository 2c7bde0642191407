"""`DaskComm`: how the ranks of a run on Dask workers tell each other something."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from gascl.dask.mailbox import Mailbox
from gascl.errors import RankError


class DaskComm:
    """Those methods of an mpi4py communicator that gascl calls, in terms of mailboxes.

    All ranks call the same methods in the same order.

    Args:
        rank: this process's.
        mailbox: its own.
        mailboxes: those of all ranks, as Dask's actors.
    """

    def __init__(self, rank: int, mailbox: Mailbox, mailboxes: Sequence[Any]):
        self._rank, self._mailbox, self._mailboxes = rank, mailbox, mailboxes
        self._sent = 0

    def Get_rank(self) -> int:
        """The number of this rank."""
        return self._rank

    def Get_size(self) -> int:
        """How many there are."""
        return len(self._mailboxes)

    def allgather(self, value: Any) -> list[Any]:
        """What each rank gives."""
        return [pickle.loads(mail) for mail in self._exchange(pickle.dumps(value, 5))]

    def allreduce(self, value: Any, op: Callable[[Any, Any], Any]) -> Any:
        """What `op` makes of what the ranks give, in their order."""
        return reduce(op, self.allgather(value))

    def Allgatherv(self, send: None, receive: Sequence[Any]) -> None:
        """Bring each rank's own part of an array to all.

        Args:
            send: None: it is in `receive` already.
            receive: uint8 (n,), and for each rank the number of bytes and the first of them.
        """
        values, (counts, begins) = receive
        parts = [slice(b, b + c) for b, c in zip(begins, counts, strict=True)]
        mails = self._exchange(values[parts[self._rank]].tobytes())
        for part, mail in zip(parts, mails, strict=True):
            values[part] = np.frombuffer(mail, np.uint8)

    def Abort(self, code: int) -> None:
        """End all other ranks."""
        why = f"rank {self._rank} of {self.Get_size()} has ended the run"
        for mailbox in self._others():
            mailbox.end(why)

    def _others(self) -> list[Any]:
        return [box for rank, box in enumerate(self._mailboxes) if rank != self._rank]

    def _exchange(self, own: bytes) -> list[bytes]:
        """What each rank has.

        Args:
            own: bytes, as Dask sends them when it comes to it, and arrays may change before.
        """
        number, self._sent = self._sent, self._sent + 1
        try:
            for mailbox in self._others():
                mailbox.post(number, self._rank, own)  # that it has come is not waited for
        except RuntimeError as error:  # of the actor
            raise RankError(f"another rank cannot be reached: {error}") from error
        ranks = range(self.Get_size())
        return [own if r == self._rank else self._mailbox.take(number, r) for r in ranks]
