"""Runs several programs one after the other, for a program with `solve`; each can continue from the
state of the one before."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from gascl.device_graph.buffers import convert
from gascl.distributed.ranks import Ranks
from gascl.distributed.work_sharing import Canceled, Share, TooLarge, alike, checked
from gascl.errors import GasclError, ProgramError, warn
from gascl.graph.contract import numbered
from gascl.graph.graph import Graph
from gascl.graph.lazy import LazyValues
from gascl.language.fields import Lanes
from gascl.language.program import VertexProgram
from gascl.language.types import Type, unfit
from gascl.opencl.device import Device
from gascl.opencl.event_wait import busy
from gascl.results.result import Result
from gascl.results.snapshot import Snapshot
from gascl.results.trace import Step, Trace
from gascl.run.initial_values import check_edge_fields, empty_field, initial_values
from gascl.run.options import MAX_SUPERSTEPS, RunOptions
from gascl.run.result_fields import own_rows, solved_fields
from gascl.run.state import DeviceField, State
from gascl.run.times import shown_fields, times_of
from gascl.user_messages import DOUBLE, Message, Option, ProgramName


class Runner(Protocol):
    """The interface of an Engine that stages use; its module imports this one."""

    graph: Graph
    device: Device
    ranks: Ranks | None
    left_out: frozenset[str]
    result_graph: Graph

    def run_with(self, program: VertexProgram, options: RunOptions) -> Result: ...

    def for_graph(self, graph: Graph) -> Runner: ...

    def derived(self, make: Callable[..., Graph], *arguments: Any) -> Runner: ...

    def contracted(self, number: np.ndarray, count: int, undirected: bool) -> Graph: ...

    def solo(self) -> Runner: ...


class Stages:
    """Runs programs one after the other on a graph, each continuing from the State of the last.

    `solve` has it as its argument.

    Attributes:
        graph, device: those of the engine.
        has_state: there is a State to continue from.
        trace: the steps of all runs, numbered consecutively.
        deliveries: the names of how messages traveled, in the order of first use.
        computed: the fields that the runs computed.
        numberings: the numberings of the vertices on the device (`Result.numbering`).
        endless: the programs that would never have ended, and why.
    """

    def __init__(
        self,
        engine: Runner,
        outer: VertexProgram,
        options: RunOptions,
    ):
        self.graph: Graph = engine.graph
        self.device: Device = engine.device
        self._state = options.previous
        self.trace = Trace()
        self.deliveries = dict[str, None]()
        self.numberings = dict[str, None]()
        self.computed = set[str]()
        self.endless: list[str] = []
        self._runs = Counter[str]()
        self._outer = outer
        self._options = options
        self._limit, self._callback = options.max_supersteps, options.callback
        # Those of other graphs are dropped with their graphs.
        self._engines = WeakKeyDictionary[Graph, Runner]({engine.graph: engine})
        self._ranks, self._sharing = engine.ranks, False
        self._others: Ranks | None = None  # which do the other items, in `share`

    @property
    def has_state(self) -> bool:
        return self._state is not None

    @property
    def state(self) -> State:
        """The State of the last run; before the first run, the one that the user gave.

        Set to None, it makes the next run begin without one.

        Raises:
            ProgramError: there is none.
        """
        if self._state is None:
            raise ProgramError(
                "stages.state: no program has left a State yet: call stages.run first, or check "
                "stages.has_state"
            )
        return self._state

    @state.setter
    def state(self, state: State | None) -> None:
        self._state = state

    @property
    def keeps_state(self) -> bool:
        """Whether the State of the last run is kept, for a run that continues from it."""
        return self._options.keep_state

    @property
    def alone(self) -> bool:
        """Whether one device has all arcs; otherwise several ranks have a part each."""
        return self._ranks is None

    def run(
        self,
        program: VertexProgram,
        *,
        fresh: bool | Sequence[str] = False,
        start: Any = None,
        graph: Graph | None = None,
        delivery: str | None = None,
    ) -> Result:
        """Run a program from superstep 0; fields that are in the State keep their values.

        Read what you need from the Result before the next run, which uses the State up.

        Args:
            fresh: fields that start from their `init` nevertheless; True: all, without the State.
            start: which vertices scatter first, as in `Engine.run`.
            graph: another graph with the same vertices.
            delivery: another one than the user gave, which not every program can use.
        """
        if self._sharing:
            raise ProgramError(
                "share passes a Stages to the function: call the run method of that one"
            )
        if self._others is not None and self._others.is_canceled():
            raise Canceled
        before = len(self.trace)
        name = type(program).__name__

        def add(steps: Sequence[Step], deliveries: Iterable[str]) -> None:
            def step(i: int) -> Step:
                made = steps[i]
                return replace(made, superstep=before + made.superstep, program=name)

            self.trace.extend(len(steps), step)
            self.deliveries |= dict.fromkeys(deliveries)

        def called(step: Step) -> None:
            add([step], [step.delivery])
            assert self._callback
            self._callback(self.trace[-1])

        def watched(snapshot: Snapshot) -> None:
            last, at = snapshot.last, before + snapshot.superstep
            if last is not None:
                last = replace(last, superstep=before + last.superstep, program=name)
            assert self._options.watch
            self._options.watch(replace(snapshot, superstep=at, last=last, program=name))

        def keep(result: Result) -> None:
            self.state = _state_of(result)
            self.computed |= {*result.types} - result.types.inputs
            self.numberings |= dict.fromkeys([result.numbering] if result.numbering else [])
            if self._callback is None and result.trace:  # else `called` has added them
                add(result.trace, result.trace.deliveries)
            phases = result.trace.phases
            self.trace.phases += [phase._replace(first=before) for phase in phases]
            self.trace.add_notes(result.trace.notes)

        program.run_by = type(self._outer).__name__
        fields = frozenset(type(self._outer).spec.vertex_fields)
        above = self._outer.outer_fields
        program.outer_fields = fields if above is None else fields & above
        if fresh is True:
            self.state = None
        elif self._state is not None:
            self._state.restart(fresh or ())
        options = replace(
            self._options,
            state=self._state,
            start=start,
            delivery=self._options.delivery if delivery is None else delivery,
            keep_state=True,
            max_supersteps=None if self._limit is None else self._limit - before,
            callback=None if self._callback is None else called,
            watch=None if self._options.watch is None else watched,
            not_converged="ignore",
        )
        try:
            result = self._engine(graph or self.graph).run_with(program, options)
        except KeyboardInterrupt as pressed:
            left: Result | None = getattr(pressed, "result", None)
            if left is not None:
                keep(left)
            raise
        keep(result)
        ended = f"{name}: " + result.stopped
        self._runs[name] += 1
        if result.converged:
            return result
        allowed = MAX_SUPERSTEPS if self._limit is None else self._limit - before
        if result.supersteps < allowed:  # it had supersteps left, but they would change nothing
            self.endless.append(ended)
            return result
        if self._limit is not None:
            raise _Unfinished(
                "reached ",
                Option("max_supersteps", self._limit),
                f" in {name}, before it converged",
            )
        raise _Unfinished(ended)

    def beside(self) -> Stages:
        """Another Stages of the same run, which begins without a State and keeps its own.

        A program that adds up what each of many runs has found continues from its own last run:
        give it the fields of theirs by `State.on_device`.
        """
        other = copy(self)  # both add to the same trace and sets
        other.state = None
        return other

    def derived(self, make: Callable[..., Graph], *arguments: Any) -> Graph:
        """`make(stages.graph, *arguments)`, a graph with the same vertices to run programs on.

        The engine keeps it, and its arrays on the device: further runs of the program need not make
        it again.

        Args:
            make: a function of a module, whose result depends on its arguments alone.
            arguments: hashable.
        """
        engine = self._engines[self.graph].derived(make, *arguments)
        self._engines.setdefault(engine.graph, engine)  # it may be stages.graph itself
        return engine.graph

    def contract(
        self, group: Any, *, graph: Graph | None = None, undirected: bool = False
    ) -> tuple[Graph, np.ndarray]:
        """The quotient graph by groups of vertices, to run programs on (`run(..., graph=...)`, with
        fresh=True, since it has other vertices) or to contract again.

        It has a vertex for each group, in the order of their numbers, and an edge where edges lead
        from one to another; those within a group become one self-loop. Edges are sorted. The edge
        field `weight` is the sum of the weights of the edges that are merged, or their number where
        there are no weights: int64 of integers, float64 of floats. Floats are added up as
        multiples of the power of two that is about 2^-62 of the sum of all, so that the sums are
        the same in any order and on every device.

        Args:
            group: (V,) integers, the group of each vertex, as an array or `State.on_device`.
            graph: the graph to contract; None: `stages.graph`.
            undirected: turn a directed graph into an undirected one: edges of both directions
                between two groups are merged.

        Returns:
            The quotient, and the vertex in it of each vertex, int32 (V,).

        Raises:
            GraphError: `group` is not as above; a weight is not finite; or a sum of integers may
                not fit in an int64.
        """
        graph = graph or self.graph
        number, count = numbered(np.asarray(group), graph.num_vertices)
        return self._engine(graph).contracted(number, count, undirected), number

    def share(
        self,
        items: Iterable[Any],
        work: Callable[[Stages, list[Any]], Mapping[str, Any]],
        *,
        by: Mapping[str, np.ufunc] | None = None,
    ) -> dict[str, Any]:
        """Do work that consists of independent items, such as searches from many sources.

        One device does all items. Of several ranks, each does some of them, on its own device with
        all arcs, and at the end they combine their results. If the arcs do not fit on a device, or
        supersteps are counted for `max_supersteps` or a callback, the ranks do all items together
        instead, each with its part of the arcs.

        Args:
            items: in the same order in all ranks. Of n ranks, the r-th does every n-th item, from
                the r-th on.
            work: a function of a Stages and a list of some of the items, at least one, which
                returns arrays or numbers by name. Its runs begin without a State.
            by: NumPy's function, such as `np.maximum`, by which the arrays of a name are combined,
                by that name; others are added up.

        Returns:
            By name, the arrays of all items, combined in the order of the ranks. Sums of integers
            are int64 or uint64, as those of NumPy. If one device did all of the work, a field that
            it returned by `State.on_device` is still there. Afterwards there is no State.

        Raises:
            ProgramError: there are no items, or `work` returns something else, or ranks return
                arrays of different names or shapes.
            RankError: `work` has failed in another rank.
        """
        if not isinstance(items, Iterable):
            raise ProgramError(f"share: items must be a list or another iterable, not {items!r}")
        if by is not None and not isinstance(by, Mapping):
            raise ProgramError(
                f"share(by={by!r}): expected a dict by name, such as {{'farthest': np.maximum}}"
            )
        items, by = list(items), dict(by or {})
        if not items:
            raise ProgramError("there is nothing to share: the list of items is empty")
        ranks, counted = self._ranks, self._limit is not None or self._callback is not None
        if ranks and not counted:
            found = self._side_by_side(ranks, items, work, by)
            if found is not None:
                return found
        own = copy(self)  # both add to the same trace and sets
        own.state, self._sharing = None, True
        try:
            done = checked(work(own, items), by, keeps=DeviceField)
        finally:
            self._sharing, self.state = False, None
        return {
            name: each if isinstance(each, DeviceField) else _alone(each, by.get(name, np.add))
            for name, each in done.items()
        }

    def _side_by_side(
        self, ranks: Ranks, items: list[Any], work: Callable[..., Any], by: dict[str, np.ufunc]
    ) -> dict[str, np.ndarray] | None:
        """The result of `share` if ranks work independently; None if the arcs do not fit on one."""
        engine, nothing = self._engines[self.graph].solo(), dict[str, np.ndarray]()
        own = Stages(engine, self._outer, replace(self._options, state=None))
        own._others = ranks
        mine, found, ended = items[ranks.rank :: ranks.size], nothing, ""
        interrupted = large = False
        failed: Exception | None = None
        self._sharing = True
        try:
            found = checked(work(own, mine), by) if mine else nothing
        except Canceled:
            pass
        except TooLarge:
            large = True
        except _Unfinished as unfinished:
            ended = str(unfinished)
        except KeyboardInterrupt as pressed:
            if busy(self.device):  # this rank cannot continue
                ranks.abort(pressed)
            interrupted = True
        except Exception as error:
            failed = error
        self._sharing = False
        self.state = own.state = None
        if large or ended or interrupted or failed is not None:
            ranks.cancel()
        ranks.join()
        ranks.raise_in_all(failed)
        if any(ranks.allgather(large)):
            return None
        steps = [replace(step, kernels=()) for step in own.trace]
        types = {name: (values.dtype, values.shape) for name, values in found.items()}
        made = own.deliveries, own.numberings, own.computed, own.endless, own._runs
        shares = ranks.allgather(Share(steps, *made, types, ended, interrupted))
        for rank, share in enumerate(shares):
            self._add(share, own.trace if rank == ranks.rank else None)
        if any(share.interrupted for share in shares):
            raise KeyboardInterrupt
        if ended := next((share.ended for share in shares if share.ended), ""):
            raise _Unfinished(ended)
        givers = min(ranks.size, len(items))
        combined = {}
        for name, type_, shape in alike(shares[:givers]):
            values = np.asarray(found[name], type_) if mine else np.empty(shape, type_)
            combined[name] = ranks.reduced_in_order(values, by.get(name, np.add), givers)[()]
        return combined

    def _add(self, share: Share, trace: Trace | None) -> None:
        """Add the runs of a rank.

        Args:
            trace: the trace of these runs, if they are this rank's; it has the times of kernels.
        """
        before, steps = len(self.trace), share.steps if trace is None else trace

        def step(i: int) -> Step:
            return replace(steps[i], superstep=before + i)

        if steps:
            self.trace.extend(len(steps), step)
        if trace is not None:
            phases = [phase._replace(first=before + phase.first) for phase in trace.phases]
            self.trace.phases += phases
            self.trace.add_notes(trace.notes)
        self.deliveries |= share.deliveries
        self.numberings |= share.numberings
        self.computed |= share.computed
        self.endless += share.endless
        self._runs += share.runs

    def runs_made(self) -> str:
        """The numbers of runs of each program, as the end of a message."""
        many = [f"{n} run{'s' * (n > 1)} of {name}" for name, n in self._runs.items()]
        return f" by {' and '.join(many)}" if many else ""

    def vertices(self, wanted: int | list[Any] | None, seed: int = 0) -> list[Any]:
        """The labels that a `param.vertices()` stands for: all, that many drawn by `seed`, or
        these.

        They are drawn without replacement, and the same on every machine (NumPy's RandomState is
        frozen).
        """
        graph = self.graph
        if isinstance(wanted, list):
            if not wanted:
                raise ProgramError("expected a list of labels, not an empty list")
            indices = graph.indices_of(wanted)  # refuses unknown labels
            first, counts = np.unique(indices, return_counts=True)
            if counts.max() > 1:
                twice = graph.label_of(int(first[np.argmax(counts > 1)]))
                raise ProgramError(
                    f"vertex {twice!r} occurs twice in the list: give each vertex once"
                )
            return _labels_of(graph, indices)
        if wanted is None:
            return _labels_of(graph, np.arange(graph.num_vertices))
        if wanted > graph.num_vertices:
            raise ProgramError(
                f"cannot draw {wanted:,} vertices from a graph with {graph.num_vertices:,}: "
                "give a smaller number, or None for all"
            )
        return _labels_of(graph, _drawn(graph.num_vertices, wanted, seed))

    def _engine(self, graph: Graph) -> Runner:
        engine = self._engines.get(graph)
        if engine is None:  # it has a twin, since it must not keep the graph
            engine = self._engines[graph] = self._engines[self.graph].for_graph(graph.twin())
        return engine


@lru_cache(maxsize=4)  # since it takes as long as a search
def _drawn(count: int, wanted: int, seed: int) -> np.ndarray:
    """That many different numbers below `count`."""
    return np.random.RandomState(seed).permutation(count)[:wanted].copy()


def _alone(values: np.ndarray, how: np.ufunc) -> Any:
    """The result of combining one array alone: the array itself, perhaps in a wider type."""
    return values.astype(how.reduce(values.reshape(1, -1)[:, :0]).dtype, copy=False)[()]


def _labels_of(graph: Graph, indices: np.ndarray) -> list[Any]:
    labels: list[Any] = (indices if graph.labels is None else graph.labels[indices]).tolist()
    return labels


def _state_of(result: Result) -> State | None:
    """The State of a run with keep_state."""
    return result.state if isinstance(result.state, State) else None


class _Unfinished(Exception):
    """A run reached max_supersteps, so that `solve` cannot continue."""


def solve(engine: Runner, program: VertexProgram, options: RunOptions) -> tuple[Result, bool]:
    """Run a program's `solve`; returns its Result, and whether Ctrl-C ended it."""
    cls, graph = type(program), engine.graph
    runs = _runs(program, options)
    started = time.perf_counter()
    types = {n: f.resolve(program.dtype) for n, f in cls.spec.vertex_fields.items()}
    read = {n: f.resolve(program.dtype) for n, f in cls.spec.edge_fields.items()}
    for note in check_edge_fields(program, graph, read, engine.left_out):
        warn(Message(f"{cls.__name__}: ", note))
    initial = initial_values(program, graph, types)
    for lane, run in enumerate(runs):
        run.prepare(graph, _in_lane(run, initial, lane) if len(runs) > 1 else initial)
    stages = Stages(engine, program, options)
    interrupted, answers, found = False, list[_Answers](), dict[str, Any]()
    stopped, finished = "the graph has no vertices", True
    try:
        for run in runs:
            if graph.num_vertices:
                found = cls.solve(run, stages)
                stopped = next(iter(stages.endless), f"solved{stages.runs_made()}")
            if len(runs) > 1:
                answers.append(_read(_answers(run, stages, found, types, True)))
                stages.state = None
    except _Unfinished as unfinished:
        stopped, finished = Message(*unfinished.args), False
    except KeyboardInterrupt:
        if busy(engine.device):  # its fields cannot be read
            raise
        stopped, finished, interrupted = "interrupted by Ctrl-C", False, True
    except GasclError as error:
        error.args = (error.message.within(cls.__name__), *error.args[1:])
        raise
    if len(runs) == 1:
        answers = [_answers(program, stages, found, types, finished)]
    fields, arc_fields, aggregates = _by_lane(answers, len(runs))
    stages.trace.deliveries = tuple(stages.deliveries)
    seconds = stages.trace.seconds()
    seconds["solve"] = time.perf_counter() - started - sum(seconds.values())
    kept = stages.state if options.keep_state and stages.has_state else None
    times = times_of(cls.spec, graph)
    held, held_by_arcs = (
        shown_fields(each, cls.spec.types, times)
        for each in solved_fields((fields, arc_fields), kept)
    )
    result = Result(
        graph=engine.result_graph,
        fields=held,
        _own_rows=own_rows(engine.ranks, held, graph),
        arc_fields=held_by_arcs,
        supersteps=len(stages.trace),
        converged=finished and not stages.endless,
        stopped=stopped,
        trace=stages.trace,
        device=str(engine.device),
        delivery=" and ".join(stages.deliveries),
        numbering="; ".join(stages.numberings),
        seconds=seconds,
        _state=kept,
        missing=tuple(n for n in _declared(cls) if n not in fields | arc_fields | aggregates),
        time_type=times,
        types=replace(cls.spec.types, inputs=frozenset(types) - {*found} - stages.computed),
        aggregates=aggregates,
        named=program.named_vertices(),
    )
    return result, interrupted


#: Vertex fields, arc fields and aggregators, by name.
_Answers = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]


def _runs(program: VertexProgram, options: RunOptions) -> list[VertexProgram]:
    """The program, or where parameters have several values, a program for each of them."""
    cls = type(program)
    listed = {n: v for n in cls.spec.params if isinstance(v := getattr(program, n), Lanes)}
    if not listed and program.lanes > 1:
        why = f": lanes = {cls.lanes}: programs with solve cannot have lanes of their own"
        raise ProgramError(program.title(), why)
    if program.lanes > 1 and (options.previous is not None or options.keep_state):
        name, values = next(iter(listed.items()))
        why = f": {name}={[*values]} makes several runs, which neither continue from a State nor "
        raise ProgramError(program.title(), f"{why}leave one: run it once for each value")
    if not listed:
        return [program]
    runs = [copy(program) for _ in range(program.lanes)]
    for lane, run in enumerate(runs):
        run.__dict__.update({n: values[lane] for n, values in listed.items()}, lanes=1)
    return runs


def _in_lane(
    run: VertexProgram, initial: dict[str, np.ndarray], lane: int
) -> dict[str, np.ndarray]:
    """The initial fields of one of several runs, which are those of all, or (V, lanes)."""
    of_lane = {name: values[:, lane].copy() for name, values in initial.items()}
    run.initial = dict(run.initial)
    for name, given in run.initial.items():
        if not isinstance(given, Mapping) and np.ndim(given) == initial[name].ndim:
            run.initial[name] = of_lane[name]
    return of_lane


def _answers(
    program: VertexProgram, stages: Stages, found: Any, types: dict[str, Any], finished: bool
) -> _Answers:
    """What solve has returned, and fields of the State."""
    return (
        _fields(program, stages, found, types, finished),
        _arc_fields(program, stages, found, finished),
        _aggregates(program, found, finished, stages.graph),
    )


def _read(answers: _Answers) -> _Answers:
    """The same, on the host."""
    fields, arc_fields, aggregates = answers
    fields, arc_fields = (
        {name: np.asarray(values) for name, values in each.items()} for each in (fields, arc_fields)
    )
    return fields, arc_fields, aggregates


def _by_lane(answers: list[_Answers], lanes: int) -> _Answers:
    """Those of a single run; of several, fields are (V, lanes) or (A, lanes) and aggregators lists,
    or all are missing if one of the runs has not been completed."""
    if lanes == 1:
        return answers[0]
    if len(answers) < lanes:
        return {}, {}, {}
    fields, arc_fields, aggregates = (
        {name: [each[name] for each in kind] for name in kind[0]}
        for kind in zip(*answers, strict=True)
    )
    return (
        {name: np.stack(values, axis=1) for name, values in fields.items()},
        {name: np.stack(values, axis=1) for name, values in arc_fields.items()},
        aggregates,
    )


def _declared(cls: type[VertexProgram]) -> list[str]:
    """The names of what solve may return."""
    return [*cls.spec.vertex_fields, *cls.spec.arc_fields, *cls.spec.aggregates]


def _fields(
    program: VertexProgram, stages: Stages, found: Any, types: dict[str, Any], finished: bool
) -> dict[str, Any]:
    """The declared vertex fields: those that solve returned, and the others from the State."""
    cls, graph = type(program), stages.graph
    declared = _declared(cls)
    if not isinstance(found, dict) or not set(found) <= set(declared):
        known = ", ".join(declared)
        _refuse(cls, f"must return a dict of its fields ({known}), not {_shown(found)}")
    fields: dict[str, Any] = {}
    for name in sorted(types, key=lambda name: name not in found):  # what solve returned first
        type_ = types[name]
        if not graph.num_vertices:
            fields[name] = empty_field(type_)
        elif name in found:
            values = _as_array(found[name])
            shape = (graph.num_vertices, *([type_.width] if type_.width > 1 else []))
            if values.shape != shape:
                _refuse(cls, f"returned {name!r} with shape {values.shape}, not {shape}")
            fields[name] = _held(cls, name, values, type_)
        elif stages.has_state and name in stages.state.names() and not stages.state.used_by:
            fields[name] = stages.state.field(name)
        elif finished:
            _refuse(
                cls, f"did not compute {name!r}: return it, or declare it in a program that it runs"
            )
    return fields


def _arc_fields(
    program: VertexProgram, stages: Stages, found: Any, finished: bool
) -> dict[str, Any]:
    """The declared arc fields, all of which solve must have returned if it has completed."""
    cls, graph = type(program), stages.graph
    fields: dict[str, Any] = {}
    for name, declared in cls.spec.arc_fields.items():
        type_ = declared.resolve(program.dtype)
        if not graph.num_vertices:
            fields[name] = empty_field(type_)
        elif name in found:
            values = _as_array(found[name])
            if values.shape != (graph.num_arcs,):
                _refuse(cls, f"returned {name!r} with shape {values.shape}, not one value per arc")
            fields[name] = _held(cls, name, values, type_)
        elif finished:
            _refuse(cls, f"did not compute {name!r}: return it")
    return fields


def _aggregates(
    program: VertexProgram, found: dict[str, Any], finished: bool, graph: Graph
) -> dict[str, Any]:
    """The declared aggregators, all of which solve must have returned if it has completed."""
    cls, values = type(program), {}
    for name, declared in cls.spec.aggregates.items():
        is_float = declared.resolve("float64").is_float
        if not graph.num_vertices:
            values[name] = np.nan if is_float else 0
        elif name in found:
            value = np.asarray(found[name])
            plain = value.item() if value.ndim == 0 else found[name]
            if why := unfit(plain, declared.type):
                _refuse(cls, f"returned {name}={found[name]!r}: {why}")
            values[name] = float(plain) if is_float else int(plain)
        elif finished:
            _refuse(cls, f"did not compute {name!r}: return it")
    return values


def _as_array(found: Any) -> Any:
    """What `solve` returned for a field, as an array, or as what is read on first use."""
    if isinstance(found, DeviceField):
        found.state.check_unused()
        return found
    # Floats are read now, since the result warns of NaN.
    later = isinstance(found, LazyValues) and found.dtype.kind != "f"
    return found if later else np.asarray(found)


def _held(cls: type[VertexProgram], name: str, values: Any, type_: Type) -> Any:
    """The values in the field's type. Integers must fit; floats may be rounded, even to 0."""
    scalar = type_.scalar
    if isinstance(values, LazyValues):
        if values.dtype == scalar:
            return values
        values = np.asarray(values)
    if scalar.kind in "iu":
        return convert(values, type_, f"{cls.__name__}: the {name!r} that solve returns")
    with np.errstate(over="ignore"):
        held = values.astype(scalar, copy=False)
    if held is values or held.dtype.kind != "f":
        return held
    finite = np.isfinite(held)
    if not finite.all() and not (finite | ~np.isfinite(values)).all():
        most = f"{name} is up to {np.abs(values).max():.3g}, more than {held.dtype} can hold"
        name = ProgramName(cls.__name__)
        raise ProgramError(name, f": {most}; use ", DOUBLE, " or smaller values")
    return held


def _shown(found: Any) -> str:
    return ", ".join(map(str, found)) if isinstance(found, dict) else repr(found)


def _refuse(cls: type[VertexProgram], why: str) -> Any:
    place = cls.spec.source.place("solve")
    raise ProgramError(ProgramName(cls.__name__), f": solve {why}", place=place)
