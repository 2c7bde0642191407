"""`Engine.run`: runs a program on a graph, and returns a Result."""

from __future__ import annotations

import operator
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import pyopencl as cl

from gascl.delivery.admission import why_together
from gascl.delivery.run_layout import ARC
from gascl.device_graph.buffers import ResidentGraph, arcs_presorted, check_vertices
from gascl.device_graph.contract import contracted
from gascl.distributed.ranks import errors_in_all, ranks_of
from gascl.distributed.shared_edges import SharedEdges
from gascl.distributed.work_sharing import TooLarge
from gascl.errors import (
    DeviceError,
    GasclError,
    GraphError,
    Interrupted,
    NotConverged,
    NotConvergedError,
    ProgramError,
    check_flags,
    users_lines,
    warn,
)
from gascl.graph.arcs import Arcs, ArcsPart
from gascl.graph.contract import summed
from gascl.graph.field_table import read_as
from gascl.graph.graph import Graph
from gascl.graph.implicit_arcs import ImplicitOrder, is_implicit
from gascl.graph.partial_array import RemoteDataError
from gascl.graph.partition import Division
from gascl.graph.reordering import Numbering
from gascl.graph.vertex_partition import (
    HASH,
    RANGES,
    VertexPartition,
    check_partition,
)
from gascl.language.fields import REQUIRED
from gascl.language.program import VertexProgram
from gascl.language.spec import ProgramSpec
from gascl.language.stage_discovery import inner_programs
from gascl.language.stale_fields import stale_field
from gascl.language.traits import Traits
from gascl.language.wide_form import wide_form
from gascl.opencl import fork_guard
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.opencl.event_wait import check_free
from gascl.opencl.interrupts import Interrupts
from gascl.opencl.spill import Spill
from gascl.results.own_rows import RemoteFields
from gascl.results.result import KeptState, Result
from gascl.results.trace import Phase, Step
from gascl.run.checkpoint import Checkpoint, checkpoint_of, identity, same_runs
from gascl.run.explanation import Explanation, explained, stage_programs
from gascl.run.implicit_runs import check_implicit, check_room
from gascl.run.initial_values import check_edge_fields, inputs
from gascl.run.job import Job
from gascl.run.launcher import Launcher
from gascl.run.loaded_program import LoadedProgram
from gascl.run.long_run import LongRun
from gascl.run.options import RunOptions
from gascl.run.order_trial import OrderTrial, check_form, most_launches
from gascl.run.parameters import SPARSE
from gascl.run.placement import placement_of
from gascl.run.plan import PLANS, Plan, key_of, plan_of
from gascl.run.prepare import Prepared, Setting, decide_local, prepare
from gascl.run.result_fields import ResultFields, SolvedFields, own_rows
from gascl.run.resume import Start, resolve_start
from gascl.run.senders import Senders
from gascl.run.stages import solve
from gascl.run.state import Inputs, State
from gascl.run.steps import Steps
from gascl.run.supersteps import Ending, Loop
from gascl.run.times import shown_fields, times_of
from gascl.user_messages import Message, Option, ProgramName
from gascl.util.host import machine_memory
from gascl.util.progress import Progress, showing
from gascl.util.units import bytes_of

#: For each field of floats with NaN: the number of vertices that have it, and the first of them.
Nans: TypeAlias = Mapping[str, tuple[int, int]]

#: The most engines of derived graphs that an engine keeps, with their arrays on the device.
_MOST_DERIVED = 4
#: On a GPU and graphs with at least this many vertices, a run may begin again in any order.
MANY_VERTICES = 2**16


class Engine:
    """Runs vertex programs on one graph, which stays on the device between runs.

    Threads may share an engine. A process that was forked after a device was used cannot use one.

    Args:
        device: part of a device's name, an index into `gascl devices`, a pyopencl device, or None:
            the device named by the environment variable GASCL_DEVICE, or else the fastest GPU that
            passes a trial, or else the fastest CPU that does.
        deterministic: runs repeat bit for bit; deliveries that add floats atomically are refused.
        debug: runs are slow, but stop at NaN, overflow, division by zero and indices outside of
            arrays, and name the vertex, the superstep and the snippet's line; messages come in a
            shuffled order. A program with order = "any", or its form in any order, runs once more,
            by a random schedule: if the fields then differ, the error names messages whose order
            matters.
        seed: the seed of that order.
        device_memory: the most memory of the device that a run may take, in bytes or as text such
            as "8 GiB"; None: all. If the arcs do not fit, they are streamed to the device in parts
            in every superstep.
        comm: an mpi4py communicator, whose ranks run the same programs on the same graph, each with
            a part of the arcs, or some of many searches; each has the whole result. If `device`
            names several devices of a host, its ranks are distributed over them.
        partition: which rank has which vertices, with all arcs that end in them: "ranges", with
            about as much work each; "hash", by the vertices' numbers; or the name of a vertex field
            of integers, 0 or more, whose value modulo the number of ranks is the rank, or of text,
            so that vertices with the same text are together. Programs whose result may depend on
            the order of the vertices always have "ranges", and warn of it.
        spill: on a CPU, a folder: what runs keep of the vertices is in files there, of which the
            system has in memory what fits. The files have no names, and vanish with the run.

    Raises:
        GasclError: `graph` is not a Graph, `device_memory` is not a size, or `spill` is no folder
            that can be written to, or the device is no CPU.
        GraphError: there is no such vertex field, or it has other values.
        DeviceError: there is no such device.
    """

    def __init__(
        self,
        graph: Graph,
        device: Any = None,
        *,
        deterministic: bool = True,
        debug: bool = False,
        seed: int = 0,
        device_memory: int | str | None = None,
        comm: Any = None,
        partition: str = RANGES,
        spill: str | Path | None = None,
    ):
        if not isinstance(graph, Graph):
            raise GasclError(_no_graph(graph))
        check_flags(deterministic=deterministic, debug=debug)
        self.device_memory = (
            None if device_memory is None else bytes_of(device_memory, "device_memory")
        )
        check_partition(graph, partition)
        self.graph, self.partition = graph, partition
        self._comm = comm
        self.ranks = ranks_of(comm)
        if self.ranks and is_implicit(graph):  # no rank could have all vertices
            self.ranks.keep_apart()
        self._partition: VertexPartition | None = None
        if self.ranks and partition != RANGES:
            self._partition = VertexPartition(graph, partition, self.ranks.size)
        elif comm is None and partition != RANGES:
            partitioned = Option("partition", partition)
            warn(Message(partitioned, " has no effect: there are no ranks to share the vertices"))
        self.device: Device = self.ranks.device(device) if self.ranks else find(device)
        self.spill = None if spill is None else Spill(spill)
        if self.spill and not self.device.is_cpu:
            raise GasclError(
                Option("spill"), f" is for CPUs, and {self.device} is none: leave it out"
            )
        self.deterministic, self.debug, self.seed = deterministic, debug, operator.index(seed)
        #: Work that each rank does independently: an error in one rank is raised in all.
        self._in_all = partial(errors_in_all, self.ranks) if self.ranks else nullcontext
        self._resident: dict[tuple[Any, ...], ResidentGraph] = {}
        self.left_out: frozenset[str] = frozenset()  # edge fields that this view leaves out
        self._views: dict[frozenset[tuple[str, str | None]], Engine] = {}
        self._is_view, self.result_graph = False, graph  # results name the latter
        self._prepared: WeakKeyDictionary[type[VertexProgram], dict[Any, Prepared]] = (
            WeakKeyDictionary()
        )
        self._loaded: WeakKeyDictionary[Prepared, LoadedProgram] = WeakKeyDictionary()
        # Programs that have a form in any order, but none in place.
        self._not_in_place: WeakKeyDictionary[type[VertexProgram], set[Any]] = WeakKeyDictionary()
        self.warns_of_nan = True  # not in the NetworkX backend, whose answers may be NaN
        self._solo: Engine | None = None
        self._of_whole: Engine | None = None
        self._derived: dict[tuple[Any, ...], Engine] = {}  # by how their graphs are made
        self._takes_parts = True  # if the arcs do not fit
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        given = [repr(self.graph), repr(str(self.device))]
        given += [] if self.deterministic else ["deterministic=False"]
        given += [f"debug=True, seed={self.seed}"] if self.debug else []
        given += [f"device_memory={self.device_memory}"] if self.device_memory else []
        given += [f"partition={self.partition!r}"] if self.partition != RANGES else []
        given += [f"spill={str(self.spill.folder)!r}"] if self.spill else []
        return f"Engine({', '.join(given)})"

    def run(
        self,
        program: VertexProgram,
        *,
        delivery: str = "auto",
        state: KeptState | None = None,
        start: Any = None,
        keep_state: bool = False,
        max_supersteps: int | None = None,
        callback: Callable[[Step], Any] | None = None,
        progress: bool | Progress = False,
        not_converged: str = "warn",
        checkpoint: str | Path | None = None,
        every: str | int | None = None,
        resume: bool = False,
        collect: bool = True,
    ) -> Result:
        """Run a program until its own rule ends it.

        Args:
            delivery: how messages travel; "auto" chooses among the deliveries that can run the
                program.
            state: the State of another run with `keep_state`. Fields that it has continue from
                there, and it is used up. The same program on the same graph continues as if it had
                not been interrupted.
            start: which vertices scatter first, instead of the program's own rule: "mask" (the
                State's mask), "changed" (the vertices that `Graph.with_edges` changed; the default
                if the edges have changed), or an array of labels, or of a bool per vertex.
            keep_state: leave the State on the device, in `result.state`.
            max_supersteps: stop there without convergence; the default is 100,000, or the program's
                own number of supersteps.
            callback: called with the `Step` of each superstep, in order. The device may already
                be some supersteps ahead, unless the program has `converged`.
            progress: show on stderr, or as a bar in a notebook, how far the run is. The supersteps
                are counted as the device reports them, many at once; that takes no time. A
                `gascl.util.progress.Progress` is one that several runs share.
            not_converged: "warn", "error" or "ignore"; what to do if `max_supersteps` ends the run,
                or if it would never end because a state was repeated or rounding keeps a change
                above its bound.
            checkpoint: a file in which the run saves its state, so that it can resume from there
                after a kill: see docs/programs.md. It is replaced between two supersteps,
                also before a run that Ctrl-C or `max_supersteps` ends returns, and left there.
            every: how often: a time such as "60s", "5min" or "1h", or a number of supersteps. The
                default is "60s".
            resume: continue from the checkpoint, if the file exists; the result, its trace and
                `max_supersteps` are of the whole run then. Without it, a file that exists is
                refused.
            collect: with ranks, each gets the values of all vertices. Otherwise each has those of
                its own vertices alone, where the run allows that, in `result.own_rows`;
                `result.to_parquet` writes them all.

        Returns:
            A Result, whose fields are read from the device when they are first used, when
            another run needs the memory, or before a fork; those that the program only reads and
            that were given are not read at all.

        Raises:
            ProgramError, GraphError, DeviceError: before the first superstep.
            ProgramError: a snippet did something wrong, such as to use an id that is not a vertex.
            GasclError: an integer message overflowed; or, before the first superstep, the
                checkpoint is of another run.
            FormatError: the checkpoint is damaged, or cannot be written.
            NotConvergedError: with not_converged="error"; its `result` is the partial Result.
            Interrupted: after Ctrl-C; its `result` holds the values after the last complete
                superstep.
            KeyboardInterrupt: after a second Ctrl-C, without a result; if a kernel has not
                returned, the device is busy until it does, and unread fields of earlier results
                are not available. Also after Ctrl-C in the last superstep of a run that ends by
                its own rule; then its attribute `result` is the final Result. (If a SIGINT handler
                raises nothing, it is called, and the run returns its Result.)
        """
        try:
            self.graph.check_unchanged()
            check_program(program)
            options = RunOptions(
                delivery=delivery,
                state=state,
                start=start,
                keep_state=keep_state,
                max_supersteps=max_supersteps,
                callback=callback,
                progress=progress,
                not_converged=not_converged,
                checkpoint=checkpoint,
                every=every,
                resume=resume,
                collect=collect,
            )
            return self.run_with(program, options)
        except Exception as error:
            raise error.with_traceback(users_lines(error.__traceback__))  # noqa: B904, the same

    def steps(
        self,
        program: VertexProgram,
        *,
        delivery: str = "auto",
        state: KeptState | None = None,
        start: Any = None,
        max_supersteps: int | None = None,
        not_converged: str = "warn",
    ) -> Steps:
        """Run a program step by step, to look at its state between any two supersteps.

        It runs as by `run`, and ends with the same values, but each superstep waits until the next
        state is requested. The loop may be left at any time; that ends the run, frees its memory on
        the device, and leaves the engine as it was.

        Args:
            delivery, state, start, max_supersteps, not_converged: as in `run`. By
                delivery="slots", the snapshots have the messages, too.

        Returns:
            An iterator over Snapshots: the initial state, then the state after each superstep. Of a
            program of several stages, there are those of each program that it runs, which
            `snapshot.program` names, one after the other, with supersteps that are numbered
            consecutively. After the last one, the iterator's `result` is the Result of the run; its
            method `close` ends the run early.

        Raises:
            ProgramError, GasclError: an argument is wrong; or the engine has several ranks. All
                other errors and warnings of `run` come when the first or the next state is
                requested; Ctrl-C then raises KeyboardInterrupt.
        """
        try:
            self.graph.check_unchanged()
            check_program(program)
            if self.ranks:
                raise GasclError(
                    f"steps shows the state of one process, and this run has {self.ranks.size} "
                    "ranks: create the engine without comm="
                )
            options = RunOptions(
                delivery=delivery,
                state=state,
                start=start,
                max_supersteps=max_supersteps,
                not_converged=not_converged,
            )
            options.limit(program)
            return Steps(lambda watch: self.run_with(program, replace(options, watch=watch)))
        except Exception as error:
            raise error.with_traceback(users_lines(error.__traceback__))  # noqa: B904, the same

    def run_with(self, program: VertexProgram, options: RunOptions) -> Result:
        """`run` with the options as an object; errors still show gascl's own lines."""
        if options.progress is True:
            with showing(True) as progress:
                return self.run_with(program, replace(options, progress=progress or False))
        if not hasattr(program, "initial"):
            raise ProgramError(
                ProgramName(type(program).__name__),
                ": its __init__ must call super().__init__(...)",
            )
        shared = self.graph._shared
        if shared is not None and not shared.runs:
            return self._run_shared(program, options)
        return self._run_own(program, options)

    def _run_shared(self, program: VertexProgram, options: RunOptions) -> Result:
        """`run_with` on a graph of whose edges each rank has read a share."""
        shared = self._shared_edges()
        if options.callback is not None:
            options = replace(options, callback=shared.apart(options.callback))
        before = None if options.previous is None else options.previous.graph._shared
        with before.running() if before else nullcontext():  # its fingerprint is read
            with suppress(RemoteDataError), shared.running():
                try:
                    result = self._run_own(program, options)
                except (Interrupted, NotConvergedError) as error:  # in all ranks
                    error.result = self._named(error.result, options)
                    raise
                return self._named(result, options)
            return self._whole_engine().run_with(program, options)

    def _named(self, result: Result, options: RunOptions) -> Result:
        """A result with the labels of those vertices whose values this rank has, and if there are
        values of arcs, with the graph of all edges, whose ends are their names."""
        self._shared_edges().keep_labels(None if options.collect else result.own_rows.vertices)
        if options.collect and result.arc_fields:
            return replace(result, graph=self._whole_engine().graph)
        return result

    def _shared_edges(self) -> SharedEdges:
        """The edges of a graph that was read by ranks.

        Raises:
            GasclError: these are not the engine's.
        """
        shared: SharedEdges = self.graph._shared
        if self.ranks is None or self.ranks.size != shared.ranks.size:
            raise GasclError(
                f"the graph was read with comm=, of {shared.ranks.size} ranks: give the engine the "
                "same comm="
            )
        return shared

    def _whole_engine(self) -> Engine:
        """An engine for all edges of a graph that was read by ranks; all must call this."""
        if self._of_whole is None:
            self._of_whole = self.for_graph(self._shared_edges().whole_of(self.graph))
        return self._of_whole

    def _run_own(self, program: VertexProgram, options: RunOptions) -> Result:
        """`run_with` on what this process has of the graph.

        Raises:
            RemoteDataError: the program needs more.
        """
        if self.graph._shared is not None:
            self.graph._shared.check_suffices(program)
        if program.edge_names and not self._is_view:
            return self._view(program).run_with(program, options)
        if is_implicit(self.graph):
            check_implicit(
                program, self.graph, options, self.debug, self.ranks, self.spill is not None
            )
            program = wide_form(program)
        if self.ranks:
            call = f"delivery={options.delivery!r}, max_supersteps={options.max_supersteps}"
            if self._partition:
                call += f", {self._partition.identity}"
            self.ranks.check_same(same_runs(program, self.graph) | {"call of run": call})
        fork_guard.check()
        check_free(self.device)
        limit = options.limit(program)
        checkpoint = None if options.checkpoint is None else checkpoint_of(program, options)
        if checkpoint is not None and self.graph._shared is not None:
            self.graph._shared.identify(self.graph, program)
        if type(program).solve is not None:
            result, interrupted = self._solve(program, options)
            nans = _nans(result.fields)
        else:
            form = self._form(program, options)
            form_of = None if form is program else program
            result, interrupted, nans = self._run_one(form, form_of, options, limit, checkpoint)
        if nans and self.warns_of_nan:
            _warn_of_nan(self.graph, nans)
        if interrupted:
            raise Interrupted(_interruption(result, checkpoint), result)
        if not result.converged and options.not_converged == "error":
            raise NotConvergedError(f"{type(program).__name__}: " + result.stopped, result)
        if not result.converged and options.not_converged == "warn":
            why = f"{type(program).__name__} did not converge: " + result.stopped
            warn(NotConverged(why))
        return result

    def explain(self, program: VertexProgram, **options: Any) -> Explanation:
        """How `run` would run a program with these options, and why, without running it.

        Args:
            options: those of `run`.

        Returns:
            An Explanation, whose text has the delivery and why the others were not chosen, the
            numbering of the vertices, where the arcs are, the memory of each buffer, what may take
            long, and which declarations would help.

        Raises:
            ProgramError, GraphError, DeviceError, GasclError: as `run` before it computes anything.
        """
        try:
            self.graph.check_unchanged()
            check_program(program)
            checked = RunOptions(**options)
            checked.limit(program)
            if self.graph._shared is not None:
                with suppress(RemoteDataError), self._shared_edges().running():
                    return self._explain(program, checked)
                return self._whole_engine().explain(program, **options)
            return self._explain(program, checked)
        except Exception as error:
            raise error.with_traceback(users_lines(error.__traceback__))  # noqa: B904, the same

    def _explain(self, program: VertexProgram, options: RunOptions) -> Explanation:
        """`explain` with the options as an object."""
        if is_implicit(self.graph):
            check_implicit(
                program, self.graph, options, self.debug, self.ranks, self.spill is not None
            )
            program = wide_form(program)
        if program.edge_names and not self._is_view:
            return self._view(program)._explain(program, options)
        programs = [program]
        if type(program).solve is not None:  # whose stages keep their States
            programs, options = stage_programs(program), replace(options, keep_state=True)
        runs = []
        for each in programs:
            check_work(each)
            form = self._form(each, options)
            prepared, again = self._prepare(form, options), None
            delivery = prepared.delivery
            if (delivery.queues or delivery.in_place) and prepared.traits.may_need_order:
                automatic = replace(options, delivery="auto")
                again = self._prepare(each, automatic, prepared.traits.why_order)
            runs.append(explained(form, self.graph, self.device.facts, prepared, again))
        return Explanation(type(program).__name__, str(self.device), tuple(runs))

    def _solve(self, program: VertexProgram, options: RunOptions) -> tuple[Result, bool]:
        """Run a program that runs others; returns also whether Ctrl-C ended it."""
        if options.start is not None:
            name = type(program).__name__
            raise GasclError(f"{name} runs other programs: start= has no effect; remove it")
        if self._partition:
            own = Option("partition", self.partition)
            name = type(program).__name__
            why = "it runs other programs, and ranks may have ranges of the vertices in these"
            warn(Message(name, ": ", own, f" may have no effect: {why}"))
        with self._in_all():
            for inner in inner_programs(type(program)):
                self._check_vertices(inner.spec, program.dtype)
        return solve(self, program, options)

    def _form(self, program: VertexProgram, options: RunOptions) -> VertexProgram:
        """The form of a program that is run: the one in place, if this run can have it."""
        if "in_any_order" not in vars(type(program)):
            return program
        if self.ranks or options.start is not None or options.delivery not in ("auto", "in_place"):
            return program
        not_in_place = self._not_in_place.setdefault(type(program), set())
        if options.delivery == "auto" and key_of(program) in not_in_place:
            return program
        together = why_together(self.device.facts, self.debug) or options.why_in_supersteps(False)
        if together and options.delivery == "auto":
            return program
        other = _in_any_order(program)
        if other is None:
            return program
        in_place = Traits.of(other.spec).applies_in_place
        if in_place and self._prepare(other, options).delivery.in_place:
            return other
        if not together:
            not_in_place.add(key_of(program))
        return program

    def _run_one(
        self,
        program: VertexProgram,
        form_of: VertexProgram | None,
        options: RunOptions,
        limit: int,
        checkpoint: Checkpoint | None,
    ) -> tuple[Result, bool, Nans]:
        """Run a program without `solve`; returns also whether Ctrl-C ended it, and the fields that
        have become NaN, as in `Loop.nans`.

        Args:
            form_of: as in `Job`.
        """
        check_work(program)
        start = Start()
        if options.state is not None or options.start is not None:
            start = resolve_start(program, self.graph, options.previous, options.start)
        try:
            with Interrupts() as interrupts:
                job = Job(program, options, limit, start, checkpoint, interrupts, form_of)
                result, nans = self._supersteps(job)
                tried = self._order_to_try(job, result)
                if tried is not None:
                    self._try_order(job, tried, result)
        except (cl.MemoryError, cl.RuntimeError) as error:
            name = program.run_by or type(program).__name__
            raise DeviceError(
                f"{self.device} failed to run {name}: {error}; another "
                "process may be using its memory, or the program needs another device"
            ) from error
        if interrupts.pending and result.converged:
            try:
                interrupts.hand_on()
            except KeyboardInterrupt as pressed:
                pressed.result = result  # type: ignore[attr-defined]
                raise
        return result, interrupts.ends and not result.converged, nans

    def _supersteps(
        self,
        job: Job,
        ordered: str = "",
        values: Inputs | None = None,
        before: Sequence[Phase] = (),
    ) -> tuple[Result, Nans]:
        """Prepare, build, upload, and run the supersteps.

        Args:
            ordered: why messages must not be applied as they are sent; "" if they may be.
            values, before: the program's values, and what has taken time before, if the run begins
                again.
        """
        program, options, checkpoint = job.program, job.options, job.checkpoint
        began, progress, previous = time.perf_counter(), options.shown, options.previous
        prepared = self._prepare(program, options, ordered)
        loaded = self._loaded.get(prepared)
        with self._in_all():
            types = prepared.source.header.types
            known = values is not None
            values = values or inputs(program, self.graph, types, previous, self.debug)
            read = time.perf_counter()
            if progress:
                progress.begin(f"{program.title()}: building kernels")
            if loaded is None:
                plan = plan_of(program, self.device, prepared.source)
        fresh = values
        # Again, since the ranks then set up their exchange together.
        with self._in_all():
            if checkpoint:
                seed = self.seed if self.debug else None
                name = prepared.delivery.name
                run = identity(program, self.graph, values.initial, job.start, name, seed)
                checkpoint.open(run, job.limit, values.read_only)
                if checkpoint.saved:  # it holds the other fields
                    job = replace(job, start=Start(resumes=True))
                    fresh = replace(values, initial=values.read_only)
            built = time.perf_counter()
            if progress:
                progress.begin(f"{program.title()}: uploading the graph")
            if loaded is None:
                loaded = self._load(program, prepared, plan)
        with self._in_all():
            for note in () if known else (*loaded.notes, *values.notes):
                warn(Message(program.title(), ": ", note))
            state = self._state(program, loaded, fresh, job.start.resumes)
            if checkpoint and checkpoint.saved:
                checkpoint.check_layout(state)
                state.restore(checkpoint.saved.buffers)
            if self.ranks:  # which exchange data in queues of their own
                self.device.queue.finish()
            uploaded = time.perf_counter()
            launcher = Launcher(loaded.plan, state, job.interrupts)
            loop = Loop(job, loaded, launcher, placement_of(launcher, program.spec, self.ranks))
        arcs = loaded.resident.arcs
        if self.graph._shared is not None and isinstance(arcs, ArcsPart) and not prepared.short:
            self.graph._shared.uploaded(arcs)
        loop.long_run = self._long_run(job, prepared)
        if not known:
            loop.senders = self._senders(job, prepared)
        try:
            ending = self._looped(loop)
        finally:
            loop.placement.close()
        phases = [
            *before,
            Phase("upload", began, read - began),
            Phase("build", read, built - read),
            Phase("upload", built, uploaded - built),
            Phase("supersteps", uploaded, loop.seconds),
        ]
        if loop.long_run and loop.long_run.begins_again:
            state.end(loaded, None)
            return self._supersteps(replace(job, program=loop.long_run.other), "", values, phases)
        if loop.senders and loop.senders.better:
            state.end(loaded, None)
            self._choose_again(job, loop.senders)
            return self._supersteps(job, "", values, phases)
        if loop.needs_order:
            state.end(loaded, None)
            if options.delivery != "auto":
                job = replace(job, options=replace(options, delivery="auto"))
            if job.form_of is not None:  # later runs need not try again
                self._not_in_place.setdefault(type(job.form_of), set()).add(key_of(job.form_of))
                job = replace(job, program=job.form_of, form_of=None)
                types = self._prepare(job.program, job.options).source.header.types
                values = inputs(job.program, self.graph, types, previous, self.debug)
            return self._supersteps(job, loop.needs_order, values, phases)
        loop.trace.phases = phases
        loop.trace.deliveries = tuple(loop.deliveries) or (prepared.delivery.name,)
        if known:
            again = f"in supersteps, since {ordered}" if ordered else "in any order: it was long"
            if not (ordered or prepared.delivery.in_one_launch):
                again = f"by {prepared.choice.name}: {prepared.choice.why}"
            loop.trace.notes.append(f"the run began again {again}")
        state.end(loaded, program if options.keep_state else None)
        arc_fields: Mapping[str, np.ndarray] = {}
        if program.spec.arc_fields and state.has_all_arcs:
            arc_fields = ResultFields(state, ARC, kept=options.keep_state)
        elif program.spec.arc_fields:
            arc_fields = RemoteFields([*program.spec.arc_fields], arcs=True)
        declared, times = program.spec.types, times_of(program.spec, self.graph)
        vertices = None if state.has_all else state.own_vertices()
        given = values.read_only
        if vertices is not None:
            given = {name: each.take(vertices, axis=0) for name, each in given.items()}
        fields = ResultFields(state, known=given, kept=options.keep_state)
        shown = shown_fields(fields, declared, times)
        aggregates = _common(program, state.aggregates())
        if len(aggregates) < len(program.spec.aggregates):
            loop.trace.keep_aggregates(aggregates)
        result = Result(
            graph=self.result_graph,
            fields=shown if vertices is None else RemoteFields([*fields]),
            _own_rows=own_rows(self.ranks, shown, self.graph, vertices),
            arc_fields=shown_fields(arc_fields, declared, times),
            aggregates=aggregates,
            supersteps=len(loop.trace),
            converged=ending.converged,
            stopped=ending.reason,
            trace=loop.trace,
            device=str(self.device),
            delivery=" and ".join(loop.trace.deliveries),
            numbering=str(prepared.numbering or ""),
            seconds=loop.trace.seconds(),
            _state=state if options.keep_state else None,
            _keeps_state=options.keep_state,
            types=declared,
            time_type=times,
            edges=program.spec.direction,
            named=program.named_vertices(),
        )
        for name in values.initial:
            loop.nans.pop(name, None)
        return result, loop.nans

    def _long_run(self, job: Job, prepared: Prepared) -> LongRun | None:
        """Decides whether a run begins again in any order; None: it has no such form, or it is not
        known that this may be faster."""
        options, graph = job.options, self.graph
        why_not = (
            self.device.kind != "GPU",
            not prepared.persistent.chosen,
            graph.num_vertices < MANY_VERTICES or graph.num_arcs > SPARSE * graph.num_vertices,
            options.delivery != "auto" or bool(options.why_in_supersteps(True)),
            options.state is not None or options.start is not None,
        )
        other = None if any(why_not) else _in_any_order(job.program)
        form = self._prepare(other, options) if other is not None else None
        if other is None or form is None or not form.delivery.queues:
            return None
        costs, name = form.choice.costs, form.choice.name

        def in_any_order(supersteps: float) -> float:
            return sum(costs.in_any_order(name, supersteps).values())

        return LongRun(other, graph.num_vertices, in_any_order)

    def _senders(self, job: Job, prepared: Prepared) -> Senders | None:
        """Decides whether a run begins again by another delivery; None: the mask does not matter,
        or beginning again could be noticed."""
        options, program, choice = job.options, job.program, prepared.choice
        floats = (f.resolve("float64").is_float for f in program.spec.aggregates.values())
        why_not = (
            self.device.kind != "CPU" or self.ranks is not None or self.debug,
            not choice.rivals or not choice.costs.masked or not choice.costs.scatters,
            choice.name in choice.left,  # else runs could go from one to the other for ever
            options.state is not None or options.start is not None or job.checkpoint is not None,
            options.callback is not None or options.watch is not None,
            program.converged is not None or any(floats),  # their order depends on the delivery
            not self.deterministic or bool(prepared.short),
        )
        if any(why_not):
            return None

        def fits(name: str) -> bool:
            try:
                return not self._prepare(program, replace(options, delivery=name)).short
            except (GasclError, TooLarge):  # nor can the arcs come in parts
                return False

        fixed = program.fixed_supersteps()
        return Senders(choice.costs, choice.name, choice.rivals, fixed, fits)

    def _choose_again(self, job: Job, senders: Senders) -> None:
        """From now on, `auto` runs a program by the delivery that was found to be better."""
        program, options = job.program, job.options
        other = self._prepare(program, replace(options, delivery=senders.better))
        chosen = self._prepare(program, options)
        why = f"earlier, messages went along {senders.share:.2g} of the arcs in each superstep"
        before = chosen.choice
        slower = f"with so many, {senders.better} is likely to be faster"
        others = {n: no for n, no in before.others.items() if n != senders.better}
        others |= dict.fromkeys({before.name, *before.rivals} - {senders.better}, slower)
        rivals = (before.name, *(name for name in before.rivals if name != senders.better))
        left = before.left | {before.name}
        choice = replace(other.choice, why=why, others=others, rivals=rivals, left=left)
        with self._lock:
            kept = self._prepared[type(program)]
            for key in [key for key, each in kept.items() if each is chosen]:
                kept[key] = replace(other, choice=choice)

    def _order_to_try(self, job: Job, result: Result) -> VertexProgram | None:
        """The program with order = "any" that is compared with a run: this one, or its form in any
        order; None: there is nothing to compare."""
        program, options = job.program, job.options
        why_not = (
            not self.debug or self.ranks is not None or not result.converged,
            options.state is not None or options.watch is not None or job.checkpoint is not None,
            options.delivery == "random",
        )
        if any(why_not):
            return None
        if Traits.of(program.spec).any_order:
            return program
        return _in_any_order(program) if options.start is None else None

    def _try_order(self, job: Job, program: VertexProgram, result: Result) -> None:
        """Run a program with order = "any" by a random schedule, after the run in supersteps.

        Raises:
            ProgramError: the result depends on the schedule, or on the form of the program.
        """
        is_form, in_supersteps = program is not job.program, result
        if is_form:
            alone = RunOptions()
            own = replace(job, program=program, options=alone, limit=alone.limit(program))
            in_supersteps, _ = self._supersteps(own)
            if job.interrupts.ends or not in_supersteps.converged:
                return
            check_form(job.program, program, result, in_supersteps)
            result.trace.add_notes(in_supersteps.trace.notes)
        options = RunOptions(delivery="random")
        prepared = self._prepare(program, options)
        if prepared.short:  # its arcs do not fit at once
            return
        plan = plan_of(program, self.device, prepared.source)
        loaded = self._loaded.get(prepared) or self._load(program, prepared, plan)
        values = inputs(program, self.graph, plan.header.types, None, self.debug)
        state = self._state(program, loaded, values, False)
        launcher = Launcher(plan, state, job.interrupts)
        job = replace(job, program=program, options=options, limit=most_launches(in_supersteps))
        loop = Loop(job, loaded, launcher, placement_of(launcher, program.spec, None))
        ending = self._looped(loop)
        trial = OrderTrial.of(state, prepared.delivery.name, self.seed, ending.converged)
        state.end(loaded, None)
        if not (loop.needs_order or job.interrupts.ends):
            trial.check(program, in_supersteps, is_form)
            note = f"by the random schedule of seed={self.seed}, the fields are the same"
            result.trace.notes.append(note)

    def _prepare(self, program: VertexProgram, options: RunOptions, ordered: str = "") -> Prepared:
        """How to run a program, cached for its next run; all ranks must call this.

        Args:
            ordered: as in `_supersteps`.

        Raises:
            TooLarge: this engine needs all arcs on its device, and they do not fit.
        """
        traits = Traits.of(program.spec)
        if traits.any_order:
            ordered = ordered or options.why_in_supersteps(traits.may_need_order)
        else:
            ordered = ""  # it always runs in supersteps
        settings = self.deterministic, self.debug, self.seed, self.device_memory
        whole = options.why_whole
        key = key_of(program), str(options.delivery), ordered, whole, settings
        with self._lock:
            kept = self._prepared.setdefault(type(program), {})
        prepared = kept.get(key)
        if prepared is None:
            prepared = self._prepare_now(program, options.delivery, ordered, whole)
            if len(kept) >= PLANS:
                kept.clear()
            kept[key] = prepared
        return prepared

    def _prepare_now(
        self, program: VertexProgram, delivery: str, ordered: str, why_whole: str
    ) -> Prepared:
        spec, ranks = program.spec, self.ranks
        if self.graph._shared is not None:
            self._shared_edges().bring(self.graph, program, self.debug, self._partition)
        presorted = arcs_presorted(self.graph, spec.direction)
        if ranks:  # all ranks must use the same numbering
            presorted = any(ranks.allgather(presorted))
        setting = self._setting()
        with self._in_all():
            traits = Traits.of(spec, program.lanes)
            if not decide_local(self.graph, traits, setting, why_whole).chosen:
                self._check_vertices(spec, program.dtype, program.lanes)
            given = program, self.graph, self.device.facts, setting, delivery, ordered
            prepared = prepare(*given, presorted=presorted, why_whole=why_whole)
        if ranks:  # all ranks must use the same delivery
            halos = [halo for each in ranks.allgather(prepared.halos) for halo in each]
            prepared = replace(prepared, short=ranks.first_text(prepared.short), halos=halos)
        if prepared.short and self.graph.num_vertices:
            if not self._takes_parts:
                raise TooLarge(prepared.short)
            with self._in_all():
                parts = prepare(*given, presorted=presorted, at_once=prepared, why_whole=why_whole)
                prepared = replace(parts, halos=prepared.halos)
        if ranks and is_implicit(self.graph):
            with self._in_all():
                check_room(prepared, ranks, self.device.facts)
        if ranks or self.spill:
            self._check_disk(prepared.in_files)
        return prepared

    def _check_disk(self, needed: int) -> None:
        """Check that the disk has room for the files of all ranks that use it, of which this one
        needs so many bytes, if it has `spill`."""
        with self._in_all():
            own = (self.spill.disk, needed) if self.spill else None
        every = self.ranks.allgather(own) if self.ranks else [own]
        with self._in_all():
            if self.spill and own:
                self.spill.check(sum(each[1] for each in every if each and each[0] == own[0]))

    def _setting(self) -> Setting:
        """The settings of all runs of this engine; all ranks must call this."""
        options = self.deterministic, self.debug, self.seed, self.device_memory
        ranks, memory = self.ranks, machine_memory()
        if ranks is None:
            return Setting(*options, memory, spills=self.spill is not None)
        memory = None if ranks.host_memory is None else ranks.host_memory * ranks.size
        place = ranks.rank, ranks.size, not ranks.on_one_host
        return Setting(*options, memory, *place, self._partition, self.spill is not None)

    def _load(self, program: VertexProgram, prepared: Prepared, plan: Plan) -> LoadedProgram:
        """A prepared program with its kernels and the graph on the device, for this run and others.

        Raises:
            GraphError: the program cannot read the graph's edge fields.
        """
        types = plan.header.types
        read = {n: types[n] for n in program.spec.edge_fields if n in types}
        notes = check_edge_fields(program, self.graph, read, self.left_out)
        notes += filter(None, [self._stale_note(program)])
        if self._partition and not prepared.renumbered.chosen:
            why = prepared.renumbered.why
            notes.append(f"partition={self.partition!r} has no effect: {why}; ranks have ranges")
        size, of_ranks = (plan.group, plan.block), (prepared.share, prepared.local.chosen)
        resident = self.resident(prepared.edges, *size, prepared.numbered, *of_ranks)
        loaded = self._loaded[prepared] = LoadedProgram(program, prepared, plan, resident, notes)
        return loaded

    def _state(self, *arguments: Any) -> State:
        """The State of a run, on the device."""
        try:
            return State(*arguments)
        except cl.MemoryError:  # results that have not been read yet may take what is missing,
            self.device.give_back()
            with self._lock:  # and so may graphs that no run needs now
                self._derived.clear()
            return State(*arguments)

    def _check_vertices(self, spec: ProgramSpec, dtype: str, lanes: int = 1) -> None:
        limits = self.device_memory, self.spill is not None
        check_vertices(self.device, self.graph, spec, dtype, lanes, *limits)

    def _looped(self, loop: Loop) -> Ending:
        """Run the supersteps. An error that only one rank may have ends all ranks."""
        ends_all = self.ranks.ends_all() if self.ranks else nullcontext()
        with ends_all, loop.plan.kernels() as loop.launcher.kernels:
            return loop.run()

    def _stale_note(self, program: VertexProgram) -> str:
        """A warning if a field keeps old values at vertices without messages; "" if none does."""
        stale = stale_field(program.spec)
        if stale is None:
            return ""
        if stale.sometimes:
            return stale.note("vertices without messages in a superstep")
        graph, edges = self.graph, program.spec.edges
        into = graph.arcs(program.spec.direction).into
        if isinstance(into, ImplicitOrder):
            return "" if into.rule.least else stale.note("vertices without incoming arcs")
        degrees = {"out": graph.in_degree, "in": graph.out_degree}
        heard = degrees[edges] if edges in degrees else graph.in_degree + graph.out_degree
        unheard = np.flatnonzero(heard == 0)
        if not len(unheard):
            return ""
        first = graph.label_of(int(unheard[0]))
        return stale.note(f"{len(unheard):,} vertices without incoming arcs, such as {first!r}")

    def resident(
        self,
        edges: str,
        group: int,
        block: int,
        numbered: tuple[Numbering, Arcs] | None = None,
        share: Division | None = None,
        local: bool = False,
    ) -> ResidentGraph:
        """The graph on the device, for programs that scatter along `edges`."""
        size = edges if self.graph.directed else "out", group, block
        key = *size, numbered and numbered[0], share, local
        with self._lock:
            if key not in self._resident:
                given = self.graph, self.device, *size, numbered, share, self.device_memory
                self._resident[key] = ResidentGraph(*given, local, self.spill)
            return self._resident[key]

    def _view(self, program: VertexProgram) -> Engine:
        """An engine of the same graph whose edge fields have the names by which the program reads
        them. Both engines share the arcs on the device.

        Raises:
            GraphError: the graph has no such field.
        """
        names, graph = program.edge_names, self.graph
        for name, given in names.items():
            if given is not None and given not in graph.edge_fields:
                there = ", ".join(graph.edge_fields) or "none"
                raise GraphError(
                    program.title(),
                    f"({name}={given!r}): the graph has no edge field {given!r}; it has: {there}",
                    *_read_as(graph, name, given),
                )
        key = frozenset(names.items())
        with self._lock:
            if key not in self._views:
                view = self.for_graph(graph.with_edge_fields(**names))
                view.left_out = frozenset(name for name, given in names.items() if given is None)
                view._is_view, view.result_graph = True, graph
                self._views[key] = view
            return self._views[key]

    def for_graph(self, graph: Graph) -> Engine:
        """An engine for another graph, with the same options."""
        return self._like(graph, self._comm, self._takes_parts)

    def derived(self, make: Callable[..., Graph], *arguments: Any) -> Engine:
        """The `for_graph` of `make(graph, *arguments)`, which is kept for the next call."""
        key = (make, *arguments)
        with self._lock:
            found = self._derived.get(key)
        if found is None:
            found = self.for_graph(make(self.graph, *arguments))
            with self._lock:
                if len(self._derived) >= _MOST_DERIVED:
                    self._derived.clear()
                self._derived[key] = found
        return found

    def contracted(self, number: np.ndarray, count: int, undirected: bool) -> Graph:
        """The quotient of the graph by groups that are numbered already: made by the device, where
        it stays, or else by the host.

        Args:
            number: int32 (V,), the group of each vertex, of `count`, none of which is empty.
            undirected: make an undirected graph of a directed one.
        """
        edges, memory = "both" if undirected else "out", self.device_memory or self.device.memory
        quotient = None
        if not self.ranks and not self.debug:
            quotient = contracted(self._resident_along(edges), number, count, memory)
        return summed(self.graph, number, count, undirected) if quotient is None else quotient

    def _resident_along(self, edges: str) -> ResidentGraph:
        """The graph on the device with the arcs of `edges`: that of an earlier run, if any."""
        edges = edges if self.graph.directed else "out"
        with self._lock:
            for resident in self._resident.values():
                if resident.edges == edges and resident.share is None:
                    return resident
        return self.resident(edges, self.device.group, self.device.group)

    def solo(self) -> Engine:
        """An engine of this rank without the others, which has all arcs on its device. Its `run`
        raises TooLarge if they do not fit there.

        Raises:
            RemoteDataError: in all ranks: each has read a share of the edges.
        """
        if self.graph._shared is not None:
            raise RemoteDataError("each rank needs all arcs for independent work")
        with self._lock:
            if self._solo is None:
                self._solo = self._like(self.graph, None, False)
            return self._solo

    def _like(self, graph: Graph, comm: Any, takes_parts: bool) -> Engine:
        kept = comm is not None and self.partition in (HASH, *graph.vertex_fields)
        made = type(self)(
            graph,
            self.device,
            deterministic=self.deterministic,
            debug=self.debug,
            seed=self.seed,
            device_memory=self.device_memory,
            comm=comm,
            partition=self.partition if kept else RANGES,
            spill=None if self.spill is None else self.spill.folder,
        )
        made.left_out, made._takes_parts = self.left_out, takes_parts
        return made


def _read_as(graph: Graph, name: str, given: Any) -> Iterator[str | Option]:
    """What to pass instead of a column that the graph has read as a field of another name.

    Args:
        name: the edge field that a program reads.
        given: the column that it was given for it.
    """
    for line, field in read_as(graph.report, given):
        if field in graph.edge_fields:
            remedy = f"leave out {name}=" if field == name else Option(name, field, "edge field")
            yield from (f" ({line}: ", remedy, ")")


def _common(program: VertexProgram, aggregates: dict[str, Any]) -> dict[str, Any]:
    """The aggregators' values without those of this form of the program alone: results say the same
    whichever form has run."""
    other = _in_any_order(program)
    return {n: v for n, v in aggregates.items() if other is None or n in other.spec.aggregates}


def _in_any_order(program: VertexProgram) -> VertexProgram | None:
    """What a program's own class has defined as its form in any order; None: nothing.

    Raises:
        ProgramError: it is none.
    """
    if "in_any_order" not in vars(type(program)):
        return None
    returned: Any = program.in_any_order()
    if returned is None:
        return None
    other: VertexProgram = returned
    known = isinstance(other, VertexProgram) and Traits.of(other.spec).any_order
    if not known or {*other.spec.vertex_fields} != {*program.spec.vertex_fields}:
        raise ProgramError(
            f"{type(program).__name__}.in_any_order returned {other!r}: return a program with "
            f"order = 'any' and the vertex fields {', '.join(program.spec.vertex_fields)}, or None"
        )
    other.run_by = program.run_by or type(program).__name__
    other.outer_fields = program.outer_fields
    return other


def check_program(program: Any) -> None:
    """Raise ProgramError unless this is a constructed program."""
    if isinstance(program, type) or not isinstance(program, VertexProgram):
        raise ProgramError(_no_program(program))


def check_work(program: VertexProgram) -> None:
    """Raise ProgramError if a program without `solve` has nothing to run."""
    if not program.spec.works:
        raise ProgramError(
            f"{type(program).__name__} has neither scatter nor pairs nor apply: there is nothing "
            "to run"
        )


def _interruption(result: Result, checkpoint: Checkpoint | None) -> str:
    """The message about a run that Ctrl-C has ended."""
    why: str = Message(f"interrupted after {result.supersteps} supersteps")
    if checkpoint is not None and checkpoint.done == result.supersteps:
        options = Option("checkpoint", str(checkpoint.path)), Option("resume", True)
        why = Message(why, "; to resume, run it again with ", *options)
    return why


def _no_program(given: Any) -> str:
    """The message about an argument that is not a constructed program."""
    if not (isinstance(given, type) and issubclass(given, VertexProgram)):
        return f"run takes a constructed program, such as PageRank(), not {given!r}"
    name, params = given.__name__, given.spec.params.values()
    needed = ", ".join(f"{param.name}=..." for param in params if param.default is REQUIRED)
    return f"run takes a constructed program, such as {name}({needed}), not the class {name}"


def _no_graph(given: Any) -> str:
    """The message about an argument that is not a Graph."""
    if isinstance(given, str | Path):
        return f"Engine takes a gascl.Graph, not {given!r}: give Engine(Graph.read({str(given)!r}))"
    kind = type(given)
    library = kind.__module__.partition(".")[0]
    if library in ("networkx", "igraph", "scipy", "pandas"):
        make = f"Graph.from_{library}"
        return (
            f"Engine takes a gascl.Graph, not {library}'s {kind.__name__}: give Engine({make}(...))"
        )
    return (
        f"Engine takes a gascl.Graph, not {kind.__name__}: see Graph.read, Graph.from_edges, "
        "Graph.from_pandas, Graph.from_scipy and Graph.from_networkx"
    )


def _nans(fields: Mapping[str, np.ndarray]) -> Nans:
    """As `Loop.nans`, for fields on the host."""
    if isinstance(fields, SolvedFields):  # the runs that left the others have counted theirs
        fields = fields.known()
    nans = {}
    for name, values in fields.items():
        if values.dtype.kind == "f":
            rows = np.flatnonzero(np.isnan(values).any(axis=tuple(range(1, values.ndim))))
            if len(rows):
                nans[name] = len(rows), int(rows[0])
    return nans


def _warn_of_nan(graph: Graph, nans: Nans) -> None:
    for name, (many, first) in nans.items():
        label = graph.label_of(first)
        warn(f"field {name!r} is NaN at {many} vertices, first at {label!r}", RuntimeWarning)
