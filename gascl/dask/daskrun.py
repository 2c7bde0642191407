"""`run`: a program on the edges of a Dask DataFrame, with a rank on each worker."""

from __future__ import annotations

import inspect
import warnings
from asyncio import TimeoutError as NotYet  # an error of its own before Python 3.11
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import attrgetter, getitem
from typing import Any
from uuid import uuid4

from gascl.dask.daskcomm import DaskComm
from gascl.dask.daskedges import error_of, labels_of, merged, part_of, whole
from gascl.dask.daskparts import (
    Layout,
    OwnArcs,
    added,
    degrees_of,
    ends_of,
    fields_of,
    own_arcs,
    suffice,
)
from gascl.dask.mailbox import Mailbox, Report, end
from gascl.dask.mpiworld import ranks_of_workers
from gascl.errors import (
    DeviceError,
    GasclError,
    GraphError,
    NotConverged,
    NotConvergedError,
    RankError,
    warn,
)
from gascl.graph import intake
from gascl.graph.graph import Graph
from gascl.graph.held import NotHeldError
from gascl.graph.intake import Duplicates, SelfLoops
from gascl.language.facts import Facts
from gascl.language.program import VertexProgram
from gascl.optional import imported
from gascl.progress import Progress, showing
from gascl.runtime.engine import Engine, check_call
from gascl.trace import Trace

#: What each partition has of the vertices is put together by tasks, of so many each.
MERGED = 4
#: Seconds between two looks at whether all workers are there.
LOOK = 1.0
#: Seconds in which ranks that have been told to end do so.
END = 10.0
ENGINE = ("device", "deterministic", "debug", "seed", "device_memory")
RUN = ("delivery", "start", "max_supersteps", "checkpoint", "every", "resume")


@dataclass(frozen=True, eq=False)
class DaskResult:
    """What a run on a Dask cluster computed.

    Attributes:
        vertices: a Dask DataFrame with a row per vertex, the labels as its index, and the columns
            of `Result.to_pandas`; its partitions are on the workers.
        supersteps, converged, stopped, trace, aggregates, delivery, seconds: as in
            `gascl.Result`; the trace and the times are those of the first rank.
        devices: what each rank ran on, by the address of its worker.
        communication: by what ranks told each other something, "MPI" or "Dask".
    """

    vertices: Any = field(repr=False)
    supersteps: int
    converged: bool
    stopped: str
    trace: Trace = field(repr=False)
    aggregates: Mapping[str, Any]
    delivery: str
    seconds: Mapping[str, float] = field(repr=False)
    devices: Mapping[str, str] = field(repr=False)
    communication: str


def run(
    edges: Any,
    program: VertexProgram,
    source: Any = None,
    target: Any = None,
    *,
    fields: Iterable[Any] | Mapping[str, Any] | None = None,
    weight: Any = None,
    directed: bool = True,
    duplicates: Duplicates = "keep",
    self_loops: SelfLoops = "keep",
    client: Any = None,
    progress: bool | Progress = False,
    not_converged: str = "warn",
    **options: Any,
) -> DaskResult:
    """Run a program on a Dask cluster, whose workers are the ranks of the run.

    The graph, and what comes out, are those of `Engine(graph, comm=...)` with as many ranks, and
    `graph = Graph.from_pandas(edges.compute(), ...)`.

    Args:
        edges: a Dask DataFrame with an edge per row.
        source, target, fields, weight, directed, duplicates, self_loops: as in
            `Graph.from_pandas`.
        client: a Client of dask.distributed; None: the current one.
        progress, not_converged: as in `Engine.run`; what is shown is the first rank's run, each
            second.
        options: `device`, `deterministic`, `debug`, `seed` and `device_memory`, as in `Engine`, on
            each worker; `delivery`, `start`, `max_supersteps`, `checkpoint`, `every` and `resume`,
            as in `Engine.run`; the checkpoint is a file that all workers see.

    Raises:
        GasclError: Dask is not installed, there is no client or no worker, or there is no such
            option.
        GraphError: `edges` is no Dask DataFrame, or has rows that are no edges; names the
            partition.
        RankError: a worker was lost.
        DeviceError: a rank failed by another error than gascl's.
        NotConvergedError: with not_converged="error"; its `result` is the partial DaskResult.
        Others: as in `Engine.run`.
    """
    distributed = imported("distributed", "gascl.dask", GasclError)
    frames = imported("dask.dataframe", "gascl.dask", GasclError)
    check_call(program, not_converged)
    _check_options(options)
    intake.check_policy("duplicates", duplicates, Duplicates)
    intake.check_policy("self_loops", self_loops, SelfLoops)
    if not isinstance(edges, frames.DataFrame):
        kind = type(edges)
        raise GraphError(
            f"gascl.dask.run takes a Dask DataFrame of edges, not {kind.__module__}."
            f"{kind.__name__}: give dask.dataframe.from_pandas(df, npartitions=...), or run "
            "Engine(Graph.from_pandas(df)) without Dask"
        )
    client = _client(distributed, client)
    cluster = _Cluster(distributed, client)
    # Ranks wait for each other: two runs at a time could each wait for the other's workers.
    lock = distributed.MultiLock(names=cluster.addresses, client=client)
    with showing(progress) as cluster.shown, lock, cluster:
        given = edges, (source, target, fields, weight), (directed, duplicates, self_loops)
        try:
            ran = cluster.run(cluster.graphs(*given, program, options), program, options)
        except NotHeldError:  # in spite of `suffice`
            ran = cluster.run(cluster.graphs(*given), program, options)
    first = ran[0][0]
    parts = [(told.labels, rows) for told, rows in ran if told.labels]
    divisions = [*(labels[0] for labels, _ in parts), *(labels[1] for labels, _ in parts[-1:])]
    result = replace(
        first.result,
        vertices=frames.from_delayed(
            [rows for _, rows in parts] or [ran[0][1]],
            meta=first.meta,
            divisions=tuple(divisions) or None,
            verify_meta=False,
        ),
        devices={
            address: told.result.devices[""]
            for address, (told, _) in zip(cluster.addresses, ran, strict=True)
        },
    )
    for message, category in first.warnings:
        warn(message, category)
    if not result.converged and not_converged == "error":
        raise NotConvergedError(f"{type(program).__name__}: {result.stopped}", result)
    if not result.converged and not_converged == "warn":
        warn(NotConverged(f"{type(program).__name__} did not converge: {result.stopped}"))
    return result


def _check_options(options: Mapping[str, Any]) -> None:
    for name in options:
        if name in (*ENGINE, *RUN):
            continue
        known = {*inspect.signature(Engine).parameters, *inspect.signature(Engine.run).parameters}
        why = "does not work over a cluster" if name in known else "is no option of a run"
        raise GasclError(f"gascl.dask.run: {name}= {why}; there are: {', '.join((*ENGINE, *RUN))}")


def _client(distributed: Any, client: Any) -> Any:
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise GasclError(
                "gascl.dask.run needs a cluster: make a client first, such as "
                "client = dask.distributed.Client()"
            ) from None
    if getattr(client, "asynchronous", True):
        raise GasclError(
            f"gascl.dask.run: client={client!r} must be a dask.distributed.Client that is not "
            "asynchronous"
        )
    return client


@dataclass(frozen=True)
class _Told:
    """What the client is told of a rank.

    Attributes:
        error: what it failed with; the others are there where it did not.
        result: without the vertices; its device is that of no address.
        labels: the first and the last in its rows; None: it has none.
        meta: its rows, without any.
    """

    error: Exception | None = None
    result: Any = None
    labels: tuple[Any, Any] | None = None
    meta: Any = None
    warnings: Sequence[tuple[str, type[Warning]]] = ()


@dataclass(frozen=True)
class _Ran:
    """What a rank leaves on its worker: a DataFrame of pandas with its rows, and what it tells."""

    told: _Told
    rows: Any = None


class _Reports(Progress):
    """What would be shown of a rank's run goes into its mailbox: the client shows it."""

    def __init__(self, mailbox: Mailbox):
        super().__init__()
        self._mailbox = mailbox

    def _report(self) -> None:
        shown = self._title, self._total, self._unit, self.done, self._note
        self._mailbox.report(Report(*shown))


def _run_rank(
    given: Graph | GraphError | OwnArcs,
    program: VertexProgram,
    options: Mapping[str, Any],
    rank: int,
    key: str,
    mailboxes: Sequence[Any],
    in_world: Sequence[int] | None,
) -> _Ran:
    """A task of Dask's: what one rank does.

    Args:
        given: the graph, or why there is none.
        key: of its mailbox.
        mailboxes: of all ranks, as actors.
        in_world: their ranks in MPI.COMM_WORLD, if they can talk there.
    """
    mailbox = Mailbox.here.get(key)
    if mailbox is None:  # this is a second try, which Dask makes of what was lost
        lost = RankError(_lost(rank, len(mailboxes)))
        end(str(lost), mailboxes)
        return _Ran(_Told(lost))
    comm: Any = DaskComm(rank, mailbox, mailboxes)
    try:
        if isinstance(given, GraphError):
            raise given
        if in_world:
            from gascl.dask.mpicomm import MpiComm  # which imports mpi4py

            comm = MpiComm(in_world, comm)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            of_engine = {n: value for n, value in options.items() if n in ENGINE}
            of_run = {n: value for n, value in options.items() if n in RUN}
            graph = given if isinstance(given, Graph) else given.graph()
            engine = Engine(graph, comm=comm, **of_engine)
            reports: Any = _Reports(mailbox) if rank == 0 else False
            result = engine.run(program, not_converged="ignore", progress=reports, **of_run)
            count, size = graph.num_vertices, comm.Get_size()
            own = slice(count * rank // size, count * (rank + 1) // size)
            rows = result.to_pandas().iloc[own].copy()
        if in_world:
            comm.free()
    except Exception as error:
        comm.Abort(1)
        return _Ran(_Told(error.with_traceback(None)))
    told = DaskResult(
        vertices=None,
        supersteps=result.supersteps,
        converged=result.converged,
        stopped=result.stopped,
        trace=result.trace,
        aggregates=result.aggregates,
        delivery=result.delivery,
        seconds=result.seconds,
        devices={"": result.device},
        communication="MPI" if in_world else "Dask",
    )
    labels = (rows.index[0], rows.index[-1]) if len(rows) else None
    noted = [(str(one.message), one.category) for one in caught]
    return _Ran(_Told(None, told, labels, rows.iloc[:0], noted), rows)


def _lost(rank: int, size: int) -> str:
    return (
        f"rank {rank} of {size} is lost with its Dask worker, whose log may say why, such as too "
        "little memory; run again"
    )


class _Cluster:
    """The workers of a cluster as the ranks of a run. At the end of its block, also by Ctrl-C,
    ranks that are still running are told to end.

    Attributes:
        addresses: of the workers, by rank.
        shown: what shows how far the run is, if anything does.
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

    def __enter__(self) -> _Cluster:
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
            program, options: what is to run on it. Where it needs no more, each worker has the arcs
                of its part alone, as OwnArcs.
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
        found = client.gather(client.map(fields_of, parts))
        fields = next((one for one in found if one is not None), None)
        if fields is not None and program is not None and options is not None:
            plain = policies[1:] == ("keep", "keep") and not options.get("checkpoint")
            if plain and len(self.addresses) > 1 and suffice(program, [*fields]):
                debug = bool(options.get("debug"))
                own = self._own_arcs(parts, labels, fields, policies[0], program, debug)
                del parts, frames  # what nobody needs any longer, the cluster may forget
                return self._done(own)
        return self._done(self._each(whole, [(labels, parts, *policies)] * len(self.addresses)))

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
        renumbers = Facts.of(program.spec, program.lanes).renumbers and not debug
        its = directed, program.spec.way, renumbers, len(ranks), uuid4().hex
        layout = client.submit(Layout, degrees, *its)
        splits = [client.submit(Layout.split, layout, end) for end in ends]
        pieces = [[client.submit(getitem, split, rank) for split in splits] for rank in ranks]
        return self._each(
            own_arcs, [(layout, labels, fields, rank, pieces[rank]) for rank in ranks]
        )

    def _together(self, join: Any, tasks: list[Any]) -> Any:
        """What all tasks return, joined by a function of several."""
        while len(tasks) > 1:
            groups = range(0, len(tasks), MERGED)
            tasks = [self._client.submit(join, tasks[i : i + MERGED]) for i in groups]
        return tasks[0]

    def run(
        self, graphs: Sequence[Any], program: VertexProgram, options: Mapping[str, Any]
    ) -> list[tuple[_Told, Any]]:
        """What each rank tells, and a future of its rows."""
        actors = self._done(self._each(Mailbox, [()] * len(graphs), actor=True))
        self._mailboxes = self._client.gather(actors)
        keys = [mailbox.own_key() for mailbox in self._mailboxes]
        in_world = ranks_of_workers(self._client, self.addresses)
        each = [
            (graph, program, options, rank, keys[rank].result(), self._mailboxes, in_world)
            for rank, graph in enumerate(graphs)
        ]
        self._ranks = self._each(_run_rank, each)
        self._done(self._ranks)
        self._show()
        told: list[_Told] = self._client.gather(self._parts("told"))
        self._raise([one.error for one in told])
        return list(zip(told, self._parts("rows"), strict=True))

    def _each(self, task: Any, arguments: Sequence[Sequence[Any]], **more: Any) -> list[Any]:
        """A task for each of the workers."""
        where = [{"workers": [address], "allow_other_workers": True} for address in self.addresses]
        return [
            self._client.submit(task, *given, pure=False, **place, **more)
            for given, place in zip(arguments, where, strict=True)
        ]

    def _parts(self, name: str) -> list[Any]:
        """Of what the ranks leave."""
        return self._each(attrgetter(name), [(rank,) for rank in self._ranks])

    def _done(self, futures: list[Any]) -> list[Any]:
        """The futures, all done.

        Raises:
            RankError: a worker has been lost.
            Any: what one of them has raised.
        """
        while True:
            with suppress(NotYet, TimeoutError):
                self._distributed.wait(futures, timeout=LOOK)
                break
            self._show()
            there = self._client.nthreads()
            for rank, address in enumerate(self.addresses):
                if address not in there:
                    raise RankError(f"{address}: {_lost(rank, len(self.addresses))}")
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

    def _raise(self, errors: Sequence[Exception | None]) -> None:
        """Raise what a rank has failed with, if one has; not what follows from that in others."""
        found = [(rank, error) for rank, error in enumerate(errors) if error is not None]
        if not found:
            return
        rank, error = min(found, key=lambda each: isinstance(each[1], RankError))
        if isinstance(error, GasclError):
            raise error
        raise DeviceError(
            f"rank {rank} of {len(errors)}, on {self.addresses[rank]}, has failed: "
            f"{type(error).__name__}: {error}"
        ) from error
