"""`Mailbox`: the mail from the other ranks of a run to one rank, on its Dask worker.

It is an actor of Dask: the other workers call its methods. The rank itself, a task of the same
worker, reads it directly.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple
from uuid import uuid4
from weakref import WeakValueDictionary

from gascl.errors import RankError


class Report(NamedTuple):
    """How far a run is, as `gascl.util.progress.Progress` shows it."""

    title: str = ""
    total: int | None = None
    unit: str = ""
    done: int = 0
    note: str = ""


class Mailbox:
    """The mail of one rank.

    The methods that others call are coroutines, which the worker runs in its event loop, since it
    has a single thread for all other methods of actors. If a worker dies, Dask may create its
    mailbox again, without the mail, on another worker or in the process that replaces it; then it
    has another key.
    """

    #: The mailboxes on this worker, by key.
    here: ClassVar[WeakValueDictionary[str, Mailbox]] = WeakValueDictionary()

    def __init__(self) -> None:
        self._key = uuid4().hex
        self._arrived: dict[tuple[int, int], bytes] = {}
        self._ended, self._reported = "", Report()
        self._changed = threading.Condition()
        Mailbox.here[self._key] = self

    async def own_key(self) -> str:
        """The key, which no other mailbox has."""
        return self._key

    async def reported(self) -> Report:
        """The latest report of the rank."""
        return self._reported

    def report(self, report: Report) -> None:
        """Keep the latest report, for `reported`."""
        self._reported = report

    async def post(self, number: int, rank: int, mail: bytes) -> None:
        """Receive the number-th mail of another rank. Numbers below 0 are those of mail from
        `isend`."""
        with self._changed:
            self._arrived[number, rank] = mail
            self._changed.notify_all()

    async def end(self, why: str) -> None:
        """Close the mailbox: a rank that waits for mail raises RankError with this reason."""
        with self._changed:
            self._ended = self._ended or why
            self._changed.notify_all()

    def has(self, number: int, rank: int) -> bool:
        """Whether a rank's number-th mail has arrived."""
        return (number, rank) in self._arrived

    def check(self) -> None:
        """Raise RankError if nothing else will arrive."""
        if self._ended:
            raise RankError(self._ended)

    def take(self, number: int, rank: int) -> bytes:
        """Wait for a rank's number-th mail.

        Raises:
            RankError: it will not arrive.
        """
        with self._changed:
            self._changed.wait_for(lambda: (number, rank) in self._arrived or self._ended)
            if (number, rank) not in self._arrived:
                self.check()
            return self._arrived.pop((number, rank))


def end(why: str, mailboxes: Iterable[Any]) -> None:
    """End the mail of ranks: see `Mailbox.end`.

    Args:
        mailboxes: the mailboxes of these ranks, as actors.
    """
    for mailbox in mailboxes:
        with suppress(RuntimeError):  # its worker is lost
            mailbox.end(why)
