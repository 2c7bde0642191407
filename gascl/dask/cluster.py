"""`Cluster`: the workers of a Dask cluster as the ranks of a run."""

from __future__ import annotations

from asyncio import TimeoutError as NotYet  # an error of its own before Python 3.11
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from gascl.dask.edges import part_of
from gascl.dask.mailbox import Mailbox, end
from gascl.dask.mpi_world import ranks_of_workers
from gascl.dask.rank import Outcome, lost_rank, run_rank
from gascl.errors import DeviceError, GasclError, RankError
from gascl.language.program import VertexProgram
from gascl.util.extras import imported
from gascl.util.host import take_arrow_pool
from gascl.util.progress import Progress

#: Seconds between two checks whether all workers are there, and how far the run is.
LOOK = 1.0
#: Seconds to wait for ranks to end after they have been asked to.
END = 10.0


class Cluster:
    """The workers of a cluster as the ranks of a run. At the end of its block, also by Ctrl-C,
    ranks that are still running are asked to end.

    Attributes:
        addresses: of the workers, by rank.
        shown: shows how far the run is, or None.
    """

    def __init__(self, distributed: Any, client: Any):
        self._distributed, self._client = distributed, client
        self.addresses: list[str] = sorted(client.nthreads())
        if not self.addresses:
            raise GasclError(f"gascl.dask.run: {client!r} has no workers; start some, or wait")
        self._mailboxes: list[Any] = []
        self._ranks: list[Any] = []
        self.shown: Progress | None = None
        self._showing: tuple[Any, ...] = ()
        self._rows: list[int] = []  # of each partition

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        left = [rank for rank in self._ranks if not rank.done()]
        if not left:
            return
        there = self._client.nthreads()
        each = zip(self.addresses, self._mailboxes, strict=True)
        end("the client has ended the run", [box for address, box in each if address in there])
        left = [r for r, a in zip(self._ranks, self.addresses, strict=True) if a in there]
        with suppress(NotYet, TimeoutError):
            self._distributed.wait(left, timeout=END)
        self._client.cancel(self._ranks)

    def parts(self, edges: Any, columns: Sequence[Any]) -> list[list[Any]]:
        """For each worker, the `EdgePart`s that it has read, as futures. The first one has the
        first partitions."""
        if self.shown:
            self.shown.begin("reading the edges of the Dask DataFrame")
        delayed = imported("dask.delayed", "gascl.dask", GasclError).delayed
        frames, ranks = edges.to_delayed(), len(self.addresses)
        # Arrow's own pools keep what they have freed while the next partition is read.
        pools = self._client.gather(self._done(self._each(take_arrow_pool, [("system",)] * ranks)))
        parts: list[list[Any]] = [[] for _ in range(ranks)]
        for number, frame in enumerate(frames):
            rank = number * ranks // len(frames)
            part = delayed(part_of)(frame, number, *columns)
            where = {"workers": [self.addresses[rank]], "allow_other_workers": True}
            parts[rank].append(self._client.compute(part, **where))
        every = self._done(list(chain.from_iterable(parts)))
        self._done(self._each(take_arrow_pool, [(pool,) for pool in pools]))
        self._rows = self._client.gather(self._client.map(attrgetter("rows"), every))
        return parts

    def run(
        self,
        parts: list[list[Any]],
        policies: Sequence[Any],
        program: VertexProgram,
        options: Mapping[str, Any],
        whole: bool,
    ) -> list[tuple[Outcome, Any]]:
        """The outcome of each rank, and a future of its rows.

        Args:
            parts: of each rank; the workers empty them.
            policies, whole: as in `run_rank`.
        """
        actors = self._done(self._each(Mailbox, [()] * len(parts), actor=True))
        self._mailboxes = self._client.gather(actors)
        keys = [mailbox.own_key() for mailbox in self._mailboxes]
        in_world = ranks_of_workers(self._client, self.addresses)
        each = [
            (own, policies, program, options, rank, key.result(), self._mailboxes, in_world, whole)
            for rank, (own, key) in enumerate(zip(parts, keys, strict=True))
        ]
        self._ranks = self._each(run_rank, each)
        self._done(self._ranks)
        self._show()
        outcomes: list[Outcome] = self._client.gather(self._parts("outcome"))
        self._raise(outcomes, policies[1:] == ("keep", "keep"))
        return list(zip(outcomes, self._parts("rows"), strict=True))

    def _each(self, task: Any, arguments: Sequence[Sequence[Any]], **more: Any) -> list[Any]:
        """A task for each of the workers."""
        where = [{"workers": [address], "allow_other_workers": True} for address in self.addresses]
        return [
            self._client.submit(task, *given, pure=False, **place, **more)
            for given, place in zip(arguments, where, strict=True)
        ]

    def _parts(self, name: str) -> list[Any]:
        """An attribute of the result of each rank, as futures."""
        return self._each(attrgetter(name), [(rank,) for rank in self._ranks])

    def _done(self, futures: list[Any]) -> list[Any]:
        """The futures, all done.

        Raises:
            RankError: a worker has been lost.
            Any: the error of a task that failed.
        """
        while True:
            with suppress(NotYet, TimeoutError):
                self._distributed.wait(futures, timeout=LOOK)
                break
            self._show()
            there = self._client.nthreads()
            for rank, address in enumerate(self.addresses):
                if address not in there:
                    raise RankError(f"{address}: {lost_rank(rank, len(self.addresses))}")
        failed = next((one for one in futures if one.status != "finished"), None)
        if failed is not None:
            raise failed.exception() from None
        return futures

    def _show(self) -> None:
        """Show how far the first rank is, if ranks run."""
        if not self.shown or not self._ranks:
            return
        with suppress(NotYet, TimeoutError, RuntimeError, OSError):  # it may be lost
            report = self._mailboxes[0].reported().result(timeout=LOOK)
            if report.title and report[:3] != self._showing:
                self._showing = report[:3]
                self.shown.begin(*self._showing)
            if report.title:
                self.shown.at(report.done, report.note)

    def _raise(self, outcomes: Sequence[Outcome], every: bool) -> None:
        """Raise the error of a rank, if one failed; rather the cause than errors that follow.

        Args:
            every: each row is an edge.
        """
        failures = [(rank, one) for rank, one in enumerate(outcomes) if one.error is not None]
        if not failures:
            return
        rank, first = min(failures, key=lambda each: isinstance(each[1].error, RankError))
        error, there = first.error, first.traceback
        assert error is not None
        if there is not None:
            error = error.with_traceback(there.as_traceback())
        if isinstance(error, GasclError):
            if error.edge is not None and every:
                error.args = (f"{error}; {self._row(error.edge)}", *error.args[1:])
            raise error
        raise DeviceError(
            f"rank {rank} of {len(outcomes)}, on {self.addresses[rank]}, has failed: "
            f"{type(error).__name__}: {error}{first.line}"
        ) from error

    def _row(self, edge: int) -> str:
        """Where an edge is in the partitions."""
        ends = np.cumsum(self._rows)
        number = int(np.searchsorted(ends, edge, "right"))
        row = edge - int(ends[number]) + self._rows[number]
        return f"edge {edge} is row {row} of partition {number} (the first of both is 0)"
