"""Ranks as threads of this process, which exchange mail as those of a Dask cluster do."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from gascl.dask.actor_comm import DaskComm
from gascl.dask.mailbox import Mailbox


class Local:
    """An actor's proxy, of a mailbox in this process."""

    def __init__(self, mailbox: Mailbox):
        self.mailbox = mailbox

    def __getattr__(self, name: str) -> Callable[..., None]:
        def call(*arguments: Any) -> None:
            with pytest.raises(StopIteration):
                getattr(self.mailbox, name)(*arguments).send(None)

        return call


def local_ranks(size: int, work: Callable[[Any], Any]) -> list[Any]:
    """What `work(comm)` returns, or the error, of so many ranks, each a thread."""
    mailboxes = [Mailbox() for _ in range(size)]
    outcomes: list[Any] = [None] * size

    def one(rank: int) -> None:
        comm = DaskComm(rank, mailboxes[rank], [Local(mailbox) for mailbox in mailboxes])
        try:
            outcomes[rank] = work(comm)
        except BaseException as error:  # those of pytest, too
            outcomes[rank] = error
            comm.Abort(1)

    threads = [threading.Thread(target=one, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert not any(thread.is_alive() for thread in threads), "a rank waits forever"
    return outcomes
