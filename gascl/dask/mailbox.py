"""`Mailbox`: what the other ranks of a run have sent to one rank, on its Dask worker.

It is one of Dask's actors: the other workers call its methods, from worker to worker. The rank
itself, a task of the same worker, looks into it directly.
"""

from __future__ import annotations

import threading
from typing import ClassVar

from gascl.errors import RankError


class Mailbox:
    """The mail of one rank.

    The methods that others call are coroutines, which the worker runs in its event loop: for all
    other methods of actors it has one thread.

    Args:
        name: of the run and the rank; no two have the same.
    """

    #: Those on this worker, by name.
    here: ClassVar[dict[str, Mailbox]] = {}

    def __init__(self, name: str):
        self._came: dict[tuple[int, int], bytes] = {}
        self._ended = ""
        self._changed = threading.Condition()
        Mailbox.here[name] = self

    async def post(self, number: int, rank: int, mail: bytes) -> None:
        """Take the mail of another rank, the number-th that it has sent."""
        with self._changed:
            self._came[number, rank] = mail
            self._changed.notify_all()

    async def end(self, why: str) -> None:
        """Nothing else will come: who waits for it is told why."""
        with self._changed:
            self._ended = self._ended or why
            self._changed.notify_all()

    def take(self, number: int, rank: int) -> bytes:
        """Wait for a rank's number-th mail.

        Raises:
            RankError: it will not come.
        """
        with self._changed:
            self._changed.wait_for(lambda: (number, rank) in self._came or self._ended)
            if (number, rank) not in self._came:
                raise RankError(self._ended)
            return self._came.pop((number, rank))
