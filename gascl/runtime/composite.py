"""Programs that run one after the other on one State: what `solve` of a program runs them with."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from gascl.errors import GasclError, ProgramError
from gascl.graph.graph import Graph
from gascl.language.fields import Lanes
from gascl.language.program import VertexProgram
from gascl.language.types import Type
from gascl.result import KeptState, Result, Step
from gascl.runtime.device import Device
from gascl.runtime.loop import MAX_SUPERSTEPS
from gascl.runtime.resident import convert
from gascl.runtime.state import State
from gascl.runtime.values import empty_field, initial_values
from gascl.runtime.waiting import busy


class Runner(Protocol):
    """Runs single programs on a graph: an Engine, which itself needs this module."""

    graph: Graph
    device: Device

    def run(
        self,
        program: VertexProgram,
        *,
        delivery: str = ...,
        state: KeptState | None = ...,
        start: Any = ...,
        keep_state: bool = ...,
        max_supersteps: int | None = ...,
        callback: Callable[[Step], Any] | None = ...,
        not_converged: str = ...,
    ) -> Result: ...

    def for_graph(self, graph: Graph) -> Runner: ...


class CompositeRun:
    """Runs one program after the other on a graph, each going on from the State of the last.

    Attributes:
        graph, device: of the engine.
        state: what the last run left on the device; None before the first.
        trace: the steps of all runs, numbered through.
        seconds: wall time of "build", "upload" and "supersteps", summed.
        last: the program that ran last, and why it ended.
        endless: the first that would never have ended, and why; "" where there was none.
    """

    def __init__(
        self,
        engine: Runner,
        whole: VertexProgram,
        delivery: str,
        state: State | None,
        max_supersteps: int | None,
        callback: Callable[[Step], Any] | None,
    ):
        self.graph: Graph = engine.graph
        self.device: Device = engine.device
        self.state = state
        self.trace: list[Step] = []
        self.seconds = {"build": 0.0, "upload": 0.0, "supersteps": 0.0}
        self.last = self.endless = ""
        self._whole = whole
        self._delivery, self._callback, self._limit = delivery, callback, max_supersteps
        self._engines = {id(engine.graph): engine}

    def run(
        self,
        program: VertexProgram,
        *,
        fresh: bool | Sequence[str] = False,
        start: Any = None,
        graph: Graph | None = None,
    ) -> Result:
        """Run a program from superstep 0; its fields that the State has keep their values.

        Read what you need of the Result before the next run: that uses the State up.

        Args:
            fresh: fields that begin by their `init` all the same; True: all, without the State.
            start: who scatters first, as for `Engine.run`.
            graph: another graph of the same vertices.
        """
        name = type(program).__name__
        before = len(self.trace)

        def called(step: Step) -> None:
            step = replace(step, superstep=before + step.superstep, program=name)
            self.trace.append(step)
            if self._callback is not None:
                self._callback(step)

        program.run_by = type(self._whole).__name__
        if fresh is True:
            self.state = None
        elif self.state is not None:
            self.state.begin_anew(fresh or ())
        try:
            result = self._engine(graph or self.graph).run(
                program,
                state=self.state,
                start=start,
                keep_state=True,
                max_supersteps=None if self._limit is None else self._limit - before,
                callback=called,
                not_converged="ignore",
                delivery=self._delivery,
            )
        except KeyboardInterrupt as pressed:
            left: Result | None = getattr(pressed, "result", None)
            if left is not None:
                self.state = _state_of(left)
            raise
        self.state = _state_of(result)
        for part, seconds in result.seconds.items():
            self.seconds[part] += seconds
        self.last = f"{name}: {result.stopped}"
        if result.converged:
            return result
        allowed = MAX_SUPERSTEPS if self._limit is None else self._limit - before
        if result.supersteps < allowed:  # it would have had more, and found nothing more
            self.endless = self.endless or self.last
            return result
        if self._limit is not None:
            raise _Unfinished(
                f"reached max_supersteps={self._limit} in {name}, before its rule held"
            )
        raise _Unfinished(self.last)

    def vertices(self, wanted: int | list[Any] | None, seed: int = 0) -> list[Any]:
        """The labels that a `param.vertices()` means: all, that many drawn by `seed`, or these.

        Drawn without replacement, alike on every machine (NumPy's RandomState is frozen).
        """
        graph = self.graph
        every = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
        if isinstance(wanted, list):
            if not wanted:
                raise ProgramError("vertices to go through: expected labels, not an empty list")
            indices = graph.indices_of(wanted)  # refuses what is none
            first, counts = np.unique(indices, return_counts=True)
            if counts.max() > 1:
                twice = graph.label_of(int(first[np.argmax(counts > 1)]))
                raise ProgramError(f"vertex {twice!r} is asked for twice: give each once")
            return every[indices].tolist()
        if wanted is None:
            return every.tolist()
        if wanted > graph.num_vertices:
            raise ProgramError(
                f"{wanted:,} vertices are asked for, and the graph has {graph.num_vertices:,}: "
                "ask for fewer, or None for all"
            )
        drawn = np.random.RandomState(seed).permutation(graph.num_vertices)[:wanted]
        return every[drawn].tolist()

    def _engine(self, graph: Graph) -> Runner:
        if id(graph) not in self._engines:
            self._engines[id(graph)] = self._engines[id(self.graph)].for_graph(graph)
        return self._engines[id(graph)]


def _state_of(result: Result) -> State | None:
    """What a run with keep_state left; None of a graph without vertices."""
    return result.state if isinstance(result.state, State) else None


class _Unfinished(Exception):
    """A run reached max_supersteps: what follows it would go on from no answer."""


def solve(
    engine: Runner,
    program: VertexProgram,
    keep_state: bool,
    *,
    delivery: str,
    state: State | None,
    max_supersteps: int | None,
    callback: Callable[[Step], Any] | None,
) -> tuple[Result, bool]:
    """What a program's `solve` finds, as a Result, and whether Ctrl-C ended it.

    The arguments are those of `Engine.run`.
    """
    cls, graph = type(program), engine.graph
    if program.lanes > 1:
        listed = [n for n in cls.spec.params if isinstance(getattr(program, n), Lanes)]
        what = f"{listed[0]}={getattr(program, listed[0])}" if listed else f"lanes = {cls.lanes}"
        raise ProgramError(
            f"{cls.__name__}: {what}: it runs other programs, and has no lanes itself; run it "
            "once for each value"
        )
    started = time.perf_counter()
    types = {n: f.resolve(program.dtype) for n, f in cls.spec.vertex_fields.items()}
    program.prepare(graph, initial_values(program, graph, types))
    turns = CompositeRun(engine, program, delivery, state, max_supersteps, callback)
    interrupted = False
    stopped, whole, found = "the graph has no vertices", True, {}
    try:
        if graph.num_vertices:
            found = cls.solve(program, turns)
            stopped = turns.endless or (f"solved; {turns.last}" if turns.last else "solved")
    except _Unfinished as unfinished:
        stopped, whole = str(unfinished), False
    except KeyboardInterrupt:
        if busy(engine.device):  # it can't be asked for what there is
            raise
        stopped, whole, interrupted = "interrupted by Ctrl-C", False, True
    except GasclError as error:
        error.args = (_within(cls.__name__, str(error)), *error.args[1:])
        raise
    fields = _fields(program, turns, found, types, whole)
    turns.seconds["solve"] = time.perf_counter() - started - sum(turns.seconds.values())
    result = Result(
        graph=graph,
        fields=fields,
        supersteps=len(turns.trace),
        converged=whole and not turns.endless,
        stopped=stopped,
        trace=turns.trace,
        device=str(engine.device),
        delivery=" and ".join(dict.fromkeys(s.delivery for s in turns.trace)),
        seconds=turns.seconds,
        state=turns.state if keep_state else None,
        missing=tuple(name for name in types if name not in fields),
    )
    return result, interrupted


def _fields(
    program: VertexProgram, turns: CompositeRun, found: Any, types: dict[str, Any], whole: bool
) -> dict[str, np.ndarray]:
    """The declared fields: those that solve returned, else the State's."""
    cls, graph = type(program), turns.graph
    if not isinstance(found, dict) or not set(found) <= set(types):
        known = ", ".join(types)
        _refuse(cls, f"returns a dict of its vertex fields ({known}), not {_shown(found)}")
    fields = {}
    for name, type_ in types.items():
        if not graph.num_vertices:
            fields[name] = empty_field(type_)
        elif name in found:
            fields[name] = np.asarray(found[name])
            shape = (graph.num_vertices, *([type_.width] if type_.width > 1 else []))
            if fields[name].shape != shape:
                _refuse(cls, f"gave {name!r} the shape {fields[name].shape}, not {shape}")
            fields[name] = _held(cls, name, fields[name], type_)
        elif turns.state is not None and name in turns.state.names() and not turns.state.used_by:
            fields[name] = turns.state.field(name)
        elif whole:
            _refuse(cls, f"left no {name!r}: return it, or let a program that is run declare it")
    return fields


def _within(name: str, message: str) -> str:
    """What a program that another one runs complains of, as of that other one."""
    if re.match(rf"(?:\S+:\d+: )?{name}\b", message):
        return message
    inner = re.match(r"((?:\S+:\d+: )?)([A-Z]\w*)(?=: )", message)
    if inner:
        return f"{inner[1]}{name} ({inner[2]}){message[inner.end() :]}"
    return f"{name}: {message}"


def _held(cls: type[VertexProgram], name: str, values: np.ndarray, type_: Type) -> np.ndarray:
    """In the field's type; integers that would wrap are refused, floats may round, to 0 as well."""
    scalar = type_.scalar
    if scalar.kind in "iu":
        return convert(values, type_, f"{cls.__name__}: what solve returns as {name!r}")
    with np.errstate(over="ignore"):
        held = values.astype(scalar, copy=False)
    if held.dtype.kind == "f" and not (np.isfinite(held) | ~np.isfinite(values)).all():
        most = f"{name} comes to {np.abs(values).max():.3g}, more than {held.dtype} holds"
        raise ProgramError(f"{cls.__name__}: {most}; give dtype='float64' or a smaller scale")
    return held


def _shown(found: Any) -> str:
    return ", ".join(map(str, found)) if isinstance(found, dict) else repr(found)


def _refuse(cls: type[VertexProgram], why: str) -> Any:
    raise ProgramError(f"{cls.spec.source.place('solve')}: {cls.__name__}: solve {why}")
