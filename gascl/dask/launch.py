"""`run`: a program on the edges of a Dask DataFrame, with a rank on each worker."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from gascl.dask.cluster import Cluster
from gascl.dask.rank import ENGINE, RUN, Outcome
from gascl.dask.result import DaskResult
from gascl.errors import GasclError, GraphError, NotConverged, NotConvergedError, warn
from gascl.graph import validation
from gascl.graph.partial_array import RemoteDataError
from gascl.graph.validation import Duplicates, SelfLoops
from gascl.language.program import VertexProgram
from gascl.run.engine import Engine, check_program
from gascl.run.options import check_not_converged
from gascl.util.extras import imported
from gascl.util.progress import Progress, showing


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

    The graph and the result are those of `Engine(graph, comm=...)` with as many ranks, and
    `graph = Graph.from_pandas(edges.compute(), ...)`.

    Args:
        edges: a Dask DataFrame with an edge per row.
        source, target, fields, weight, directed, duplicates, self_loops: as in
            `Graph.from_pandas`.
        client: a Client of dask.distributed; None: the current one.
        progress, not_converged: as in `Engine.run`; the first rank's progress is shown, each
            second.
        options: `device`, `deterministic`, `debug`, `seed` and `device_memory`, as in `Engine`, on
            each worker; `delivery`, `start`, `max_supersteps`, `checkpoint`, `every` and `resume`,
            as in `Engine.run`; the checkpoint is a file that all workers see.

    Raises:
        GasclError: Dask is not installed, there is no client or no worker, or an option is
            unknown.
        GraphError: `edges` is not a Dask DataFrame, or has rows that are not edges; names the
            partition.
        RankError: a worker was lost.
        DeviceError: a rank failed with an error that is not one of gascl's.
        NotConvergedError: with not_converged="error"; its `result` is the partial DaskResult.
        Others: as in `Engine.run`.
    """
    distributed = imported("distributed", "gascl.dask", GasclError)
    frames = imported("dask.dataframe", "gascl.dask", GasclError)
    check_program(program)
    check_not_converged(not_converged)
    _check_options(options)
    validation.check_policy("duplicates", duplicates, Duplicates)
    validation.check_policy("self_loops", self_loops, SelfLoops)
    if not isinstance(edges, frames.DataFrame):
        kind = type(edges)
        raise GraphError(
            f"gascl.dask.run takes a Dask DataFrame of edges, not {kind.__module__}."
            f"{kind.__name__}: give dask.dataframe.from_pandas(df, npartitions=...), or run "
            "Engine(Graph.from_pandas(df)) without Dask"
        )
    client = _client(distributed, client)
    cluster = Cluster(distributed, client)
    # Ranks wait for each other: two runs at a time could each wait for the other's workers.
    lock = distributed.MultiLock(names=cluster.addresses, client=client)
    with showing(progress) as cluster.shown, lock, cluster:
        columns, policies = (source, target, fields, weight), (directed, duplicates, self_loops)
        ran: list[tuple[Outcome, Any]] = []
        for whole in (False, True):
            parts = cluster.parts(edges, columns)
            try:
                ran = cluster.run(parts, policies, program, options, whole)
                break
            except RemoteDataError:  # which edges a program reads cannot always be foreseen
                if whole:
                    raise
    first = ran[0][0]
    there = [(one.labels, rows) for one, rows in ran if one.labels]
    divisions = [*(labels[0] for labels, _ in there), *(labels[1] for labels, _ in there[-1:])]
    result = replace(
        first.result,
        vertices=frames.from_delayed(
            [rows for _, rows in there] or [ran[0][1]],
            meta=first.meta,
            divisions=tuple(divisions) or None,
            verify_meta=False,
        ),
        devices={
            address: outcome.result.devices[""]
            for address, (outcome, _) in zip(cluster.addresses, ran, strict=True)
        },
    )
    for message, category in first.warnings:
        warn(message, category)
    if not result.converged and not_converged == "error":
        raise NotConvergedError(f"{type(program).__name__}: {result.stopped}", result)
    if not result.converged and not_converged == "warn":
        warn(NotConverged(f"{type(program).__name__} did not converge: " + result.stopped))
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
