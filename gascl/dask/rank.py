"""`run_rank`: one rank of a run, as a task on its Dask worker."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gascl.dask.actor_comm import DaskComm
from gascl.dask.edges import EdgePart
from gascl.dask.mailbox import Mailbox, Report, end
from gascl.dask.result import DaskResult
from gascl.distributed.ranks import Ranks, errors_in_all, ranks_of
from gascl.distributed.shared_edges import SharedEdges, shared_graph
from gascl.errors import RankError, users_frames
from gascl.graph.edge_pieces import joined
from gascl.graph.graph import Graph
from gascl.graph.validation import Duplicates, SelfLoops
from gascl.language.program import VertexProgram
from gascl.run.engine import Engine
from gascl.run.options import RunOptions
from gascl.util.progress import Progress

if TYPE_CHECKING:
    from tblib import Traceback

ENGINE = ("device", "deterministic", "debug", "seed", "device_memory")
RUN = ("delivery", "start", "max_supersteps", "checkpoint", "every", "resume")


@dataclass(frozen=True)
class Outcome:
    """What a rank reports to the client.

    Attributes:
        error: the error with which it failed; None: it has succeeded.
        traceback: that of the error, since Python pickles errors without it.
        line: the line of the user's code where it failed, as the end of a message; "": none.
        result: the result without the vertices; its device has the address "".
        labels: the first and the last label of its rows; None: it has no rows.
        meta: an empty DataFrame with the columns of its rows.
    """

    error: Exception | None = None
    traceback: Traceback | None = None
    line: str = ""
    result: Any = None
    labels: tuple[Any, Any] | None = None
    meta: Any = None
    warnings: Sequence[tuple[str, type[Warning]]] = ()


@dataclass(frozen=True)
class RankResult:
    """The result of a rank on its worker: its outcome, and a DataFrame of pandas with its rows."""

    outcome: Outcome
    rows: Any = None


class _Reports(Progress):
    """Puts the progress of a rank into its mailbox, for the client to show it."""

    def __init__(self, mailbox: Mailbox):
        super().__init__()
        self._mailbox = mailbox

    def _report(self) -> None:
        shown = self._title, self._total, self._unit, self.done, self._note
        self._mailbox.report(Report(*shown))


def run_rank(
    parts: Sequence[EdgePart],
    policies: tuple[bool, Duplicates, SelfLoops],
    program: VertexProgram,
    options: Mapping[str, Any],
    rank: int,
    key: str,
    mailboxes: Sequence[Any],
    in_world: Sequence[int] | None,
    whole: bool,
) -> RankResult:
    """Run one rank, as a task of Dask.

    Args:
        parts: the edges that this rank's worker has read, which are taken from there.
        policies: `directed`, `duplicates` and `self_loops`.
        key: the key of its mailbox.
        mailboxes: the mailboxes of all ranks, as actors.
        in_world: their ranks in MPI.COMM_WORLD, if they can communicate there.
        whole: the program is known to need all edges. Otherwise, these are forgotten when each has
            been sent to the rank that needs it.
    """
    mailbox = Mailbox.here.get(key)
    if mailbox is None:  # Dask tries again, since the first worker was lost
        lost = RankError(lost_rank(rank, len(mailboxes)))
        end(str(lost), mailboxes)
        return RankResult(Outcome(lost))
    comm: Any = DaskComm(rank, mailbox, mailboxes)
    try:
        if in_world:
            from gascl.dask.mpi_comm import MpiComm  # which imports mpi4py

            comm = MpiComm(in_world, comm)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            of_engine = {n: value for n, value in options.items() if n in ENGINE}
            of_run = {n: value for n, value in options.items() if n in RUN}
            reports: Any = _Reports(mailbox) if rank == 0 else False
            if reports:
                reports.begin("numbering the edges of the Dask DataFrame")
            forgets = not (whole or type(program).solve)
            graph = _graph(parts, *policies, ranks_of(comm), forgets)
            run_options = RunOptions(
                not_converged="ignore", progress=reports, collect=False, **of_run
            )
            # The engine is not kept: the device then has only the result's fields.
            result = Engine(graph, comm=comm, **of_engine).run_with(program, run_options)
            with result.graph.labels_in_all():
                rows = result._table(None, own=True).to_pandas()
        if in_world:
            comm.free()
    except Exception as error:
        comm.Abort(1)
        return RankResult(failed(error))
    own_result = DaskResult(
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
    return RankResult(
        Outcome(result=own_result, labels=labels, meta=rows.iloc[:0], warnings=noted), rows
    )


def _graph(
    parts: Sequence[EdgePart],
    directed: bool,
    duplicates: Duplicates,
    self_loops: SelfLoops,
    ranks: Ranks | None,
    forgets: bool,
) -> Graph:
    """The graph of the edges in all ranks.

    Raises:
        GraphError: in all ranks: a partition has rows that are no edges, or a policy refuses one.
    """
    with errors_in_all(ranks):
        pieces = [part.take() for part in parts]
    if ranks is None:
        raw = joined(pieces, directed, [])
        return Graph._from_raw(raw, duplicates, self_loops, own=True)
    graph = shared_graph(pieces, ranks, directed)
    shared: SharedEdges = graph._shared
    if (duplicates, self_loops) != ("keep", "keep"):
        return shared.whole(duplicates, self_loops)
    shared.keeps = not forgets
    return graph


def failed(error: Exception) -> Outcome:
    """The outcome of a rank that failed; its error may be one that cannot be pickled."""
    import cloudpickle  # both come with Dask, which a worker has
    from tblib import Traceback

    where, frames = Traceback(error.__traceback__), list(users_frames(error.__traceback__))
    line = f", at {frames[-1][0].f_code.co_filename}:{frames[-1][1]}" if frames else ""
    error = error.with_traceback(None)
    error.__cause__ = error.__context__ = None
    try:
        pickle.loads(cloudpickle.dumps(error))
    except Exception:
        kind = type(error)
        error = RuntimeError(f"{kind.__module__}.{kind.__qualname__}: {error}")
    return Outcome(error, where, line)


def lost_rank(rank: int, size: int) -> str:
    """The message about a rank whose worker is lost."""
    return (
        f"rank {rank} of {size} is lost with its Dask worker, whose log may say why, such as too "
        "little memory; run again"
    )
