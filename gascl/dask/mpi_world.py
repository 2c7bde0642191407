"""Finds out whether the workers of a Dask cluster are processes of one MPI world, as those are that
dask-mpi starts."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

#: Seconds for a small message to arrive.
ARRIVES = 5.0


def ranks_of_workers(client: Any, addresses: Sequence[str]) -> list[int] | None:
    """The rank of each worker in their common MPI world; None: they have none.

    Args:
        client: of dask.distributed.
    """
    places = _asked(client, place, addresses, [()] * len(addresses))
    there = [one for one in places if one is not None]
    sizes, ranks = {size for size, _ in there}, [rank for _, rank in there]
    if len(sizes) != 1 or len(set(ranks)) < len(places):
        return None
    # Several mpiexec may have started them: messages must arrive, from each to the next one.
    word = uuid4().hex
    nexts = [(ranks[i - 1], ranks[(i + 1) % len(ranks)], word) for i in range(len(ranks))]
    return ranks if all(_asked(client, passed_on, addresses, nexts)) else None


def _asked(client: Any, what: Any, addresses: Sequence[str], arguments: Sequence[Any]) -> list[Any]:
    """The result of a function in each worker, with arguments for each; None where it fails. It
    runs in the worker's event loop, beside its tasks."""
    by_worker = dict(zip(addresses, arguments, strict=True))
    answers = client.run(_answer, what, by_worker, workers=list(addresses), on_error="ignore")
    return [answers.get(address) for address in addresses]


async def _answer(what: Any, given: dict[str, Any], dask_worker: Any) -> Any:
    return await what(*given[dask_worker.address])


async def place() -> tuple[int, int] | None:
    """The size of the MPI world of this process, and its rank there; None: there is no world in
    which ranks can communicate.

    MPI is not initialized here, since all processes of a world must do that together.
    """
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not mpi.Is_initialized() or mpi.Is_finalized():
        return None
    if mpi.Query_thread() < mpi.THREAD_SERIALIZED:  # Dask runs tasks in threads of their own
        return None
    size = mpi.COMM_WORLD.size
    return (size, mpi.COMM_WORLD.rank) if size > 1 else None


async def passed_on(before: int, behind: int, word: str) -> bool:
    """Send a word to rank `behind`, and return whether the word of rank `before` arrives."""
    world: Any = sys.modules["mpi4py.MPI"].COMM_WORLD
    tag = int(word[:3], 16)
    sent, received = world.isend(word, behind, tag), False
    until = time.monotonic() + ARRIVES
    while time.monotonic() < until:
        message = world.improbe(before, tag)
        received = received or (message is not None and message.recv() == word)
        if received and sent.test()[0]:
            return True
        await asyncio.sleep(0.001)
    return False
