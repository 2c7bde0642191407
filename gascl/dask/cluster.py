"""`Cluster`: the workers of a Dask cluster as the ranks of a run."""

from __future__ import annotations

from asyncio import TimeoutError as NotYet  # an error of its own before Python 3.11
from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import attrgetter, getitem
from typing import Any
from uuid import uuid4

import numpy as np

from gascl.dask.edges import error_of, labels_of, merged, part_of, whole_graph
from gascl.dask.mailbox import Mailbox, end
from gascl.dask.mpi_world import ranks_of_workers
from gascl.dask.partitions import (
    Layout,
    added,
    degrees_of,
    ends_of,
    fields_of,
    own_arcs,
    suffice,
)
from gascl.dask.rank import Outcome, lost_rank, run_rank
from gascl.errors import DeviceError, GasclError, RankError
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits
from gascl.util.extras import imported
from gascl.util.progress import Progress

#: The number of partial results that a task joins.
MERGED = 4
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
        self._rows: list[int] = []  # of each partition, where the edges are the rows

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

    def graphs(
        self,
        edges: Any,
        columns: Sequence[Any],
        policies: Sequence[Any],
        program: VertexProgram | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> list[Any]:
        """The graph on each worker, as futures.

        Args:
            program, options: the program that runs on the graph, and its options. If it needs no
                more, each worker has only the arcs of its own part, as OwnArcs.
        """
        if self.shown:
            self.shown.begin("numbering the edges of the Dask DataFrame")
        client = self._client
        delayed = imported("dask.delayed", "gascl.dask", GasclError).delayed
        frames = [delayed(part_of)(f, n, *columns) for n, f in enumerate(edges.to_delayed())]
        parts = client.compute(frames)
        labels = self._together(merged, client.map(labels_of, parts))
        self._done([*parts, labels])
        wrong = client.gather(client.submit(error_of, labels))
        if wrong is not None:
            raise wrong
        every = policies[1:] == ("keep", "keep")
        self._rows = client.gather(client.map(attrgetter("num_edges"), parts)) if every else []
        part_fields = client.gather(client.map(fields_of, parts))
        fields = next((one for one in part_fields if one is not None), None)
        if fields is not None and program is not None and options is not None:
            plain = every and not options.get("checkpoint")
            if plain and len(self.addresses) > 1 and suffice(program, [*fields]):
                debug = bool(options.get("debug"))
                own = self._own_arcs(parts, labels, fields, policies[0], program, debug)
                for part in parts:  # at once: other objects of the client refer to them, too
                    part.release()
                return self._done(own)
        return self._done(
            self._each(whole_graph, [(labels, parts, *policies)] * len(self.addresses))
        )

    def _own_arcs(
        self,
        parts: Sequence[Any],
        labels: Any,
        fields: Mapping[str, Any],
        directed: bool,
        program: VertexProgram,
        debug: bool,
    ) -> list[Any]:
        """The arcs of each rank, as futures."""
        client, ranks = self._client, range(len(self.addresses))
        ends = [client.submit(ends_of, part, labels) for part in parts]
        degrees = self._together(added, [client.submit(degrees_of, end, labels) for end in ends])
        renumbers = Traits.of(program.spec, program.lanes).renumbers and not debug
        about = directed, program.spec.direction, renumbers, len(ranks), uuid4().hex
        layout = client.submit(Layout, degrees, *about)
        splits = [client.submit(Layout.split, layout, end) for end in ends]
        pieces = [[client.submit(getitem, split, rank) for split in splits] for rank in ranks]
        return self._each(
            own_arcs, [(layout, labels, fields, rank, pieces[rank]) for rank in ranks]
        )

    def _together(self, join: Any, tasks: list[Any]) -> Any:
        """The results of all tasks, joined by a function of several results."""
        while len(tasks) > 1:
            groups = range(0, len(tasks), MERGED)
            tasks = [self._client.submit(join, tasks[i : i + MERGED]) for i in groups]
        return tasks[0]

    def run(
        self, graphs: Sequence[Any], program: VertexProgram, options: Mapping[str, Any]
    ) -> list[tuple[Outcome, Any]]:
        """The outcome of each rank, and a future of its rows."""
        actors = self._done(self._each(Mailbox, [()] * len(graphs), actor=True))
        self._mailboxes = self._client.gather(actors)
        keys = [mailbox.own_key() for mailbox in self._mailboxes]
        in_world = ranks_of_workers(self._client, self.addresses)
        each = [
            (graph, program, options, rank, keys[rank].result(), self._mailboxes, in_world)
            for rank, graph in enumerate(graphs)
        ]
        self._ranks = self._each(run_rank, each)
        self._done(self._ranks)
        self._show()
        outcomes: list[Outcome] = self._client.gather(self._parts("outcome"))
        self._raise(outcomes)
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

    def _raise(self, outcomes: Sequence[Outcome]) -> None:
        """Raise the error of a rank, if one failed; rather the cause than errors that follow."""
        failures = [(rank, one) for rank, one in enumerate(outcomes) if one.error is not None]
        if not failures:
            return
        rank, first = min(failures, key=lambda each: isinstance(each[1].error, RankError))
        error, there = first.error, first.traceback
        assert error is not None
        if there is not None:
            error = error.with_traceback(there.as_traceback())
        if isinstance(error, GasclError):
            if error.edge is not None and self._rows:
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
