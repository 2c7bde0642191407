"""`Mailbox`: what the other ranks of a run have sent to one rank, on its Dask worker.

It is one of Dask's actors: the other workers call its methods, from worker to worker. The rank
itself, a task of the same worker, looks into it directly.
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

    The methods that others call are coroutines, which the worker runs in its event loop: for all
    other methods of actors it has one thread. If a worker dies, Dask may make its mailbox anew,
    without the mail, on another one or in the process that takes its place; it has another key.
    """

    #: Those on this worker, by key.
    here: ClassVar[WeakValueDictionary[str, Mailbox]] = WeakValueDictionary()

    def __init__(self) -> None:
        self._key = uuid4().hex
        self._came: dict[tuple[int, int], bytes] = {}
        self._ended, self._reported = "", Report()
        self._changed = threading.Condition()
        Mailbox.here[self._key] = self

    async def own_key(self) -> str:
        """What no other mailbox has."""
        return self._key

    async def reported(self) -> Report:
        """How far the rank is, if it reports that."""
        return self._reported

    def report(self, report: Report) -> None:
        """Keep it for who asks."""
        self._reported = report

    async def post(self, number: int, rank: int, mail: bytes) -> None:
        """Take the mail of another rank, the number-th that it has sent. Numbers below 0 are of
        mail that is not waited for."""
        with self._changed:
            self._came[number, rank] = mail
            self._changed.notify_all()

    async def end(self, why: str) -> None:
        """Nothing else will come: who waits for it is told why."""
        with self._changed:
            self._ended = self._ended or why
            self._changed.notify_all()

    def has(self, number: int, rank: int) -> bool:
        """Whether a rank's number-th mail is here."""
        return (number, rank) in self._came

    def check(self) -> None:
        """Raise RankError if nothing else will come."""
        if self._ended:
            raise RankError(self._ended)

    def take(self, number: int, rank: int) -> bytes:
        """Wait for a rank's number-th mail.

        Raises:
            RankError: it will not come.
        """
        with self._changed:
            self._changed.wait_for(lambda: (number, rank) in self._came or self._ended)
            if (number, rank) not in self._came:
                self.check()
            return self._came.pop((number, rank))


def end(why: str, mailboxes: Iterable[Any]) -> None:
    """Tell ranks that nothing else will come.

    Args:
        mailboxes: theirs, as actors.
    """
    for mailbox in mailboxes:
        with suppress(RuntimeError):  # it is lost
            mailbox.end(why)
