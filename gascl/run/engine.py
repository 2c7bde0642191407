"""`Engine.run`: runs a program on a graph, and returns a Result."""

from __future__ import annotations

import operator
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.delivery.admission import Demand, Parts, demand_of
from gascl.delivery.delivery import Delivery
from gascl.delivery.registry import choose
from gascl.delivery.run_layout import ARC, Extent
from gascl.device_graph.buffers import (
    ResidentGraph,
    came_sorted,
    check_vertices,
    num_arcs,
    offset_type,
    shortage,
    too_many_to_sort,
)
from gascl.device_graph.stream import in_parts, run_bytes
from gascl.distributed.ranks import agreed, ranks_of
from gascl.distributed.work_sharing import TooLarge
from gascl.errors import (
    DeviceError,
    GasclError,
    GraphError,
    Interrupted,
    NotConverged,
    NotConvergedError,
    ProgramError,
    users_lines,
    warn,
)
from gascl.graph.arcs import Arcs
from gascl.graph.graph import Graph
from gascl.graph.partition import Division
from gascl.graph.reordering import Numbering
from gascl.language.fields import REQUIRED
from gascl.language.program import VertexProgram
from gascl.language.spec import WORK, ProgramSpec
from gascl.language.stage_discovery import inner_programs
from gascl.language.stale_fields import stale_field
from gascl.language.traits import Facts
from gascl.messages import Message, Option
from gascl.opencl import fork_guard
from gascl.opencl.device import Device, find
from gascl.opencl.event_wait import check_free
from gascl.opencl.interrupts import Interrupts
from gascl.results.result import KeptState, Result
from gascl.results.trace import Phase, Step
from gascl.run.checkpoint import Checkpoint, checkpoint_of, identity, same_runs
from gascl.run.initial_values import (
    begins_finite,
    check_edge_fields,
    check_prepared,
    graph_values,
    has_rest,
    initial_values,
)
from gascl.run.plan import Plan, build
from gascl.run.result_fields import ResultFields
from gascl.run.resume import Start, resolve_start
from gascl.run.stages import solve
from gascl.run.state import State
from gascl.run.supersteps import MAX_SUPERSTEPS, Ending, Loop
from gascl.util.host import machine_memory
from gascl.util.progress import Progress, showing
from gascl.util.units import bytes_of


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
            shuffled order.
        seed: the seed of that order.
        device_memory: the most memory of the device that a run may take, in bytes or as text such
            as "8 GiB"; None: all. Where the arcs do not fit, they come to the device part by part,
            in every superstep.
        comm: an mpi4py communicator, of which each rank runs a part of the arcs, or some of many
            searches, with the same graph, programs and options, and has the whole result. If
            `device` names several alike, the ranks of a host share them out.

    Raises:
        GasclError: `graph` is not a Graph, or `device_memory` is no size.
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
    ):
        if not isinstance(graph, Graph):
            raise GasclError(_no_graph(graph))
        self.device_memory = (
            None if device_memory is None else bytes_of(device_memory, "device_memory")
        )
        self.graph = graph
        self._comm = comm
        self.ranks = ranks_of(comm)
        self.device: Device = self.ranks.device(device) if self.ranks else find(device)
        self.deterministic, self.debug, self.seed = deterministic, debug, operator.index(seed)
        self._resident: dict[tuple[str, int, int, bool, Division | None], ResidentGraph] = {}
        self.left_out: frozenset[str] = frozenset()  # edge fields that this view's graph lacks
        self._views: dict[frozenset[tuple[str, str | None]], Engine] = {}
        self._is_view = False
        self.warns_of_nan = True  # not in the NetworkX backend, whose answers may be NaN
        self._solo: Engine | None = None
        self._takes_parts = True  # where the arcs do not fit
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        given = [repr(self.graph), repr(str(self.device))]
        given += [] if self.deterministic else ["deterministic=False"]
        given += [f"debug=True, seed={self.seed}"] if self.debug else []
        given += [f"device_memory={self.device_memory}"] if self.device_memory else []
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
            max_supersteps: stop there without convergence; the default is 100,000, or the number of
                supersteps that the program asks for.
            callback: called with the `Step` of each superstep, in order. The device may already
                be some supersteps ahead, unless the program has `converged`.
            progress: show on stderr, or as a bar in a notebook, how far the run is. The supersteps
                are counted as the device reports them, many at once; that takes no time. A
                `gascl.util.progress.Progress` is one that several runs share.
            not_converged: "warn", "error" or "ignore"; what to do if `max_supersteps` ends the run,
                or if it would never end because a state was repeated or rounding keeps a change
                above its bound.
            checkpoint: a file in which the run saves how far it is, so that a run that was killed
                can go on from there: see docs/programs.md. It is renewed between two supersteps,
                also before a run that Ctrl-C or `max_supersteps` ends returns, and left there.
            every: how often: a time such as "60s", "5min" or "1h", or a number of supersteps. The
                default is "60s".
            resume: go on from the checkpoint, if the file exists; the result, its trace and
                `max_supersteps` are of the whole run then. Without it, a file that exists is
                refused.

        Returns:
            A Result, whose fields are read from the device when they are first asked for, when
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
                returned, the device is busy until it does, and so are fields of earlier results
                that nobody has asked for. Also after Ctrl-C in the very superstep
                in which the run ends by its own rule; then its attribute `result` is the final
                Result. (If a SIGINT handler raises nothing, it is called, and the run returns its
                Result.)
        """
        try:
            self.graph.check_unchanged()
            return self._run_checked(
                program,
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
            )
        except Exception as error:
            raise error.with_traceback(users_lines(error.__traceback__))  # noqa: B904, the same

    def _run_checked(
        self,
        program: VertexProgram,
        *,
        delivery: str,
        state: KeptState | None,
        start: Any,
        keep_state: bool,
        max_supersteps: int | None,
        callback: Callable[[Step], Any] | None,
        progress: bool | Progress,
        not_converged: str,
        checkpoint: str | Path | None,
        every: str | int | None,
        resume: bool,
    ) -> Result:
        """`run`, whose errors still show gascl's own lines."""
        check_call(program, not_converged)
        if state is not None and not isinstance(state, State):
            raise GasclError(
                f"state must be result.state of a run with keep_state=True, not {state!r}"
            )
        if callback is not None and not callable(callback):
            raise GasclError(f"callback must be a function of a Step, not {callback!r}")
        if not hasattr(program, "initial"):
            raise ProgramError(
                f"{type(program).__name__}: its __init__ must call super().__init__(...)"
            )
        if program.edge_names and not self._is_view:
            try:
                result = self._view(program).run(
                    program,
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
                )
            except (KeyboardInterrupt, NotConvergedError) as error:
                if isinstance(left := getattr(error, "result", None), Result):
                    error.result = replace(left, graph=self.graph)  # type: ignore[union-attr]
                raise
            return replace(result, graph=self.graph)
        if self.ranks:
            asked = f"delivery={delivery!r}, max_supersteps={max_supersteps}"
            self.ranks.check_same(same_runs(program, self.graph) | {"call of run": asked})
        fork_guard.check()
        check_free(self.device)
        fixed = program.fixed_supersteps()
        limit = MAX_SUPERSTEPS if fixed is None else fixed
        try:
            limit = limit if max_supersteps is None else operator.index(max_supersteps)
        except TypeError:
            limit = -1
        if limit < 0:
            raise GasclError(
                f"max_supersteps must be a whole number, 0 or more, not {max_supersteps!r}"
            )
        file = checkpoint_of(program, checkpoint, every, resume, state)
        with showing(progress) as shown:
            if type(program).solve is not None:
                if start is not None:
                    name = type(program).__name__
                    raise GasclError(f"{name} runs other programs: start= has no effect; remove it")
                with agreed(self.ranks):
                    for inner in inner_programs(type(program)):
                        self._check_vertices(inner.spec, program.dtype, 1)
                result, interrupted = solve(
                    self,
                    program,
                    keep_state,
                    delivery=delivery,
                    state=state,
                    max_supersteps=None if max_supersteps is None else limit,
                    callback=callback,
                    progress=shown,
                )
                nans = _nans(result.fields)
            else:
                if not WORK & set(program.spec.snippets):
                    raise ProgramError(
                        f"{type(program).__name__} has neither scatter nor pairs nor apply: there "
                        "is nothing to run"
                    )
                demand = demand_of(
                    program, self.device.atomics, self.device.fp64, self.deterministic
                )
                began = resolve_start(program, self.graph, state, start)
                try:
                    with Interrupts() as interrupts:
                        result, nans = self._run(
                            *(program, demand, delivery, began, state, limit, file),
                            *(callback, shown, interrupts, keep_state),
                        )
                except (cl.MemoryError, cl.RuntimeError) as error:
                    name = program.run_by or type(program).__name__
                    raise DeviceError(
                        f"{self.device} failed to run {name}: {error}; another "
                        "process may be using its memory, or the program needs another device"
                    ) from error
                interrupted = interrupts.ends and not result.converged
                if interrupts.pending and result.converged:
                    try:
                        interrupts.hand_on()
                    except KeyboardInterrupt as pressed:
                        pressed.result = result  # type: ignore[attr-defined]
                        raise
        if self.warns_of_nan:
            _warn_of_nan(self.graph, nans)
        if interrupted:
            why: str = Message(f"interrupted after {result.supersteps} supersteps")
            if file is not None and file.done == result.supersteps:
                why = Message(
                    why,
                    "; to go on, run it again with ",
                    Option("checkpoint", str(file.path)),
                    Option("resume", True),
                )
            raise Interrupted(why, result)
        if not result.converged and not_converged == "error":
            raise NotConvergedError(f"{type(program).__name__}: " + result.stopped, result)
        if not result.converged and not_converged == "warn":
            why = f"{type(program).__name__} did not converge: " + result.stopped
            warn(NotConverged(why))
        return result

    def _run(
        self,
        program: VertexProgram,
        demand: Demand,
        delivery: str,
        start: Start,
        previous: State | None,
        limit: int,
        checkpoint: Checkpoint | None,
        callback: Callable[[Step], Any] | None,
        progress: Progress | None,
        interrupts: Interrupts,
        keep_state: bool,
    ) -> tuple[Result, dict[str, tuple[int, int]]]:
        """Build, upload and run; returns the Result, and the fields that have come to be NaN, as
        in `Loop.nans`."""
        spec, facts = program.spec, demand.facts
        started = time.perf_counter()
        there = came_sorted(self.graph, spec.way)
        if self.ranks:  # all take the same numbers
            there = bool(self.ranks.any_of("there" if there else ""))
        keeps = there and self._too_many_to_sort(spec.way)
        with agreed(self.ranks):
            self._check_vertices(spec, program.dtype, program.lanes)
            size = self.ranks.size if self.ranks else 1
            parts = Parts(size) if self.ranks else None
            chosen = choose(program, demand, delivery, self.debug, parts)
            may = facts.renumbers and not self.debug and not keeps
            by_hubs = self._numbered(spec.way) if may else None
            numbered = bool(by_hubs)
            types = {n: f.resolve(program.dtype) for n, f in spec.vertex_fields.items()}
            from_state = previous.names() if previous else ()
            of_graph, notes = graph_values(program, self.graph, from_state)
            initial = initial_values(program, self.graph, types, of_graph)
            given = {*initial}
            program.prepare(self.graph, initial)
            check_prepared(program, self.graph, types, initial)
            # As for `init`: a field that the run goes on writing continues from the State.
            for name in ({*initial} - given) & {*from_state} & {*spec.written}:
                del initial[name]
            read_only = {
                n: values
                for n, values in initial.items()
                if n not in spec.written and not has_rest(values)
            }
            prepared = time.perf_counter()
            if progress:
                progress.begin(f"{program.title()}: building kernels")
            plan, resident = self._planned(program, facts, chosen, numbered)
            memory = plan.run_spec(spec, self._extent(program, plan, resident))
            sizes = run_bytes(self.device, memory, spec.alternates)
            short = shortage(self.device, sizes, limit=self.device_memory)
        if self.ranks:  # all take the same delivery
            short = self.ranks.any_of(short)
        if short and not self._takes_parts and self.graph.num_vertices:
            raise TooLarge(short)
        with agreed(self.ranks):
            if short and self.graph.num_vertices:
                chosen = choose(program, demand, delivery, self.debug, Parts(size, short))
                if numbered and there:
                    by_hubs, numbered = None, False
                plan, resident = self._planned(program, facts, chosen, numbered)
                graphs = [resident, resident.turned()] if spec.alternates else [resident]
                orders = [graph.arcs.into.offsets for graph in graphs]
                extent = self._extent(program, plan, resident)
                most = self.device_memory or self.device.memory
                specify = partial(plan.run_spec, spec)
                memory = in_parts(self.device, orders, specify, extent, most, sizes)
            if checkpoint:
                seed = self.seed if self.debug else None
                run = identity(program, self.graph, initial, start, chosen.name, seed)
                fixed = program.fixed_supersteps()
                checkpoint.open(run, limit if fixed is None else min(limit, fixed))
            saved = checkpoint.saved if checkpoint else None
            built = time.perf_counter()
            phases = [
                Phase("upload", started, prepared - started),
                Phase("build", prepared, built - prepared),
            ]
            if progress:
                progress.begin(f"{program.title()}: uploading the graph")
            header = plan.header
            read = {n: header.types[n] for n in spec.edge_fields if n in header.types}
            for note in [*check_edge_fields(program, self.graph, read, self.left_out), *notes]:
                warn(f"{program.title()}: {note}")
            if note := self._stale_note(program):
                warn(f"{program.title()}: {note}")
            if saved:
                start = Start(resumes=True)
            fresh = read_only if saved else initial
            earlier = previous.fields() if self.debug and previous else ()
            finite = not self.debug or begins_finite(program, self.graph, initial, earlier)
            its = program, header, memory, resident, fresh, previous, start.resumes, finite
            try:
                state = State(*its)
            except cl.MemoryError:  # what nobody has read yet may take what is missing
                self.device.give_back()
                state = State(*its)
            if checkpoint and saved:
                checkpoint.check_layout(state)
                state.restore(saved.buffers)
            self.device.queue.finish()
            uploaded = time.perf_counter()
            phases.append(Phase("upload", built, uploaded - built))
            hooks = callback, progress, interrupts
            loop = Loop(
                *(program, plan, resident, state, start, *hooks, keep_state),
                *(checkpoint, read_only, self.ranks),
            )
        stopped, converged = self._looped(loop, limit)
        trace = loop.trace
        phases.append(Phase("supersteps", uploaded, loop.seconds))
        trace.phases = phases
        state.keep()
        result = Result(
            graph=self.graph,
            fields=ResultFields(state, known=read_only, kept=keep_state),
            arc_fields=ResultFields(state, ARC, kept=keep_state),
            aggregates=state.aggregates(),
            supersteps=len(trace),
            converged=converged,
            stopped=stopped,
            trace=trace,
            device=str(self.device),
            delivery=" and ".join(loop.deliveries) or chosen.name,
            numbering=str(by_hubs[0]) if by_hubs else "",
            seconds=trace.seconds(),
            state=state if keep_state else None,
            types=spec.types,
            edges=spec.way,
            named=program.named_vertices(),
        )
        nans = {name: found for name, found in loop.nans.items() if name not in initial}
        return result, nans

    def _check_vertices(self, spec: ProgramSpec, dtype: str, lanes: int) -> None:
        """Raise DeviceError if there is no room for the vertices of a run, whatever its arcs."""
        types = [field.resolve(dtype) for field in spec.vertex_fields.values()]
        vertices, arcs = self.graph.num_vertices, num_arcs(self.graph, spec.way)
        there = came_sorted(self.graph, spec.way)
        check_vertices(self.device, vertices, arcs, types, lanes, self.device_memory, there)

    def _too_many_to_sort(self, way: str) -> bool:
        if self.ranks:
            return too_many_to_sort(self.graph, way, self.ranks.room, self.ranks.size)
        return too_many_to_sort(self.graph, way, machine_memory())

    def _looped(self, loop: Loop, limit: int) -> Ending:
        """Run the supersteps. What goes wrong in one rank alone ends all."""
        try:
            return loop.run(limit)
        except BaseException as error:
            common = isinstance(error, GasclError) and not isinstance(error, DeviceError)
            if self.ranks and not common:
                self.ranks.abort(error)
            raise

    def _planned(
        self, program: VertexProgram, facts: Facts, chosen: Delivery, numbered: bool
    ) -> tuple[Plan, ResidentGraph]:
        """The kernels for a delivery, and the graph on the device as they need it."""
        way = program.spec.way
        whole = (
            chosen.runs_whole(facts)
            and self.device.can_join
            and program.converged is None
            and not self.debug
            and not self.ranks
        )
        options = self.debug, self.seed, whole, numbered
        plan = build(program, self.device, chosen, offset_type(self.graph, way), *options)
        share = None
        if self.ranks:
            share = Division(self.ranks.rank, self.ranks.size)
            if facts.pairs:  # as if each vertex had arcs from all
                share = share._replace(vertex=self.graph.num_vertices)
        return plan, self.resident(way, plan.group, plan.block, numbered, share)

    def _extent(self, program: VertexProgram, plan: Plan, resident: ResidentGraph) -> Extent:
        """The size of a run; where edges alternate, with the more of either turn's arcs."""
        extent = resident.extent(lines=len(plan.places) + 1)
        if not program.spec.alternates:
            return extent
        return replace(extent, arcs=max(resident.num_arcs, resident.turned().num_arcs))

    def _stale_note(self, program: VertexProgram) -> str:
        """A warning if a field keeps old values where no message comes; "" if none does."""
        found = stale_field(program.spec)
        if found is None:
            return ""
        if found.sometimes:
            return found.note("vertices to which nobody sends in a superstep")
        graph, edges = self.graph, program.spec.edges
        degrees = {"out": graph.in_degree, "in": graph.out_degree}
        heard = degrees[edges] if edges in degrees else graph.in_degree + graph.out_degree
        unheard = np.flatnonzero(heard == 0)
        if not len(unheard):
            return ""
        first = graph.label_of(int(unheard[0]))
        return found.note(f"{len(unheard):,} vertices without incoming arcs, such as {first!r}")

    def _numbered(self, edges: str) -> tuple[Numbering, Arcs] | None:
        return self.graph.numbered(edges, self.ranks.size if self.ranks else 1)

    def resident(
        self,
        edges: str,
        group: int,
        block: int,
        numbered: bool = False,
        share: Division | None = None,
    ) -> ResidentGraph:
        """The graph on the device, for programs that scatter along `edges`."""
        key = (edges if self.graph.directed else "out", group, block, numbered, share)
        with self._lock:
            if key not in self._resident:
                found = self._numbered(edges) if numbered else None
                its = self.graph, self.device, *key[:3], found, share, self.device_memory
                self._resident[key] = ResidentGraph(*its)
            return self._resident[key]

    def _view(self, program: VertexProgram) -> Engine:
        """The engine of the same graph, whose edge fields have the names by which the program reads
        them, without those that it is not to read. On the device they share the arcs.

        Raises:
            GraphError: the graph has no such field.
        """
        names, graph = program.edge_names, self.graph
        for name, given in names.items():
            if given is not None and given not in graph.edge_fields:
                there = ", ".join(graph.edge_fields) or "none"
                read = [r for r in graph.report if repr(given) in r and "edge field" in r]
                raise GraphError(
                    f"{program.title()}({name}={given!r}): the graph has no edge field {given!r}; "
                    f"it has: {there}{''.join(f' ({line}: leave out {name}=)' for line in read)}"
                )
        key = frozenset(names.items())
        with self._lock:
            if key not in self._views:
                fields = {**{name: name for name in graph.edge_fields}, **names}
                kept = {name: given for name, given in fields.items() if given is not None}
                view = self.for_graph(graph.with_fields(**kept))
                view.left_out = frozenset(fields.keys() - kept.keys())
                view._is_view = True
                self._views[key] = view
            return self._views[key]

    def for_graph(self, graph: Graph) -> Engine:
        """An engine for another graph, with the same options."""
        return self._like(graph, self._comm, self._takes_parts)

    def solo(self) -> Engine:
        """An engine of this rank without the others, which has all arcs on its device. Its `run`
        raises TooLarge if they do not fit there.
        """
        with self._lock:
            if self._solo is None:
                self._solo = self._like(self.graph, None, False)
            return self._solo

    def _like(self, graph: Graph, comm: Any, takes_parts: bool) -> Engine:
        made = type(self)(
            graph,
            self.device,
            deterministic=self.deterministic,
            debug=self.debug,
            seed=self.seed,
            device_memory=self.device_memory,
            comm=comm,
        )
        made.left_out, made._takes_parts = self.left_out, takes_parts
        return made


def check_call(program: Any, not_converged: Any) -> None:
    """Raise ProgramError or GasclError unless this is a program, and one of the three words."""
    if isinstance(program, type) or not isinstance(program, VertexProgram):
        raise ProgramError(_no_program(program))
    if not_converged not in ("warn", "error", "ignore"):
        raise GasclError(f"not_converged must be warn, error or ignore, not {not_converged!r}")


def _no_program(given: Any) -> str:
    """What to do with something that is not a constructed program."""
    if not (isinstance(given, type) and issubclass(given, VertexProgram)):
        return f"run takes a constructed program, such as PageRank(), not {given!r}"
    name, params = given.__name__, given.spec.params.values()
    needed = ", ".join(f"{param.name}=..." for param in params if param.default is REQUIRED)
    return f"run takes a constructed program, such as {name}({needed}), not the class {name}"


def _no_graph(given: Any) -> str:
    """What to do with something that is not a Graph."""
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


def _nans(fields: Mapping[str, np.ndarray]) -> dict[str, tuple[int, int]]:
    """What `Loop.nans` is for fields on the host."""
    found = {}
    for name, values in fields.items():
        if values.dtype.kind == "f":
            rows = np.flatnonzero(np.isnan(values).any(axis=tuple(range(1, values.ndim))))
            if len(rows):
                found[name] = len(rows), int(rows[0])
    return found


def _warn_of_nan(graph: Graph, nans: Mapping[str, tuple[int, int]]) -> None:
    for name, (many, first) in nans.items():
        label = graph.label_of(first)
        warn(f"field {name!r} is NaN at {many} vertices, first at {label!r}", RuntimeWarning)
