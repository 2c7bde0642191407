"""`Engine.run`: the superstep loop and nothing else."""

from __future__ import annotations

import operator
import signal
import threading
import time
import warnings
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

import numpy as np
import pyopencl as cl

from gascl import deliveries
from gascl.device import Device, find
from gascl.errors import (
    DeviceError,
    GasclError,
    Interrupted,
    NotConverged,
    NotConvergedError,
    ProgramError,
)
from gascl.graph import Graph
from gascl.layout import Layout, offset_type
from gascl.plan import Plan, build
from gascl.program import VertexProgram
from gascl.result import Result, Step
from gascl.state import RECORDS, State, initial_values

#: Why the device stopped, as gascl_finish (superstep.cl) writes it.
_STOP_HELD, _MASK_EMPTY, _OVERFLOW, _FAULT = 1, 2, 3, 4
#: Where a run ends that nothing else ends.
MAX_SUPERSTEPS = 100_000
#: Seconds of work to have under way between two looks at what the device did.
_AHEAD = 0.1


class Engine:
    """Runs vertex programs on one graph; keeps the graph on the device between runs.

    Args:
        device: part of a device's name, an index into `gascl devices`, a pyopencl device, or None:
            the environment's GASCL_DEVICE, else the fastest GPU, else the CPU.
    """

    def __init__(self, graph: Graph, device: Any = None):
        if not isinstance(graph, Graph):
            raise GasclError(
                f"Engine takes a gascl.Graph, not {type(graph).__name__}: see Graph.read, "
                "Graph.from_edges, Graph.from_scipy and Graph.from_networkx"
            )
        self.graph = graph
        self.device: Device = find(device)
        self._layouts: dict[tuple[str, int, int], Layout] = {}

    def run(
        self,
        program: VertexProgram,
        *,
        delivery: str = "auto",
        max_supersteps: int | None = None,
        callback: Callable[[Step], Any] | None = None,
        not_converged: str = "warn",
    ) -> Result:
        """Run a program until its own rule ends it.

        Args:
            delivery: how messages travel; "auto" chooses among those that admit the program.
            max_supersteps: stop there, unconverged; by default 100,000, or as many supersteps as
                the program asks for.
            callback: called with the `Step` of each superstep, in order. The device may already
                be some supersteps ahead, except under a program with `converged`.
            not_converged: "warn", "error" or "ignore", when `max_supersteps` ends the run.

        Raises:
            ProgramError, GraphError, DeviceError: before the first superstep.
            GasclError: an integer message overflowed.
            NotConvergedError: on request; its `result` is what there is.
            Interrupted: Ctrl-C; its `result` is the state after the last whole superstep. A
                second Ctrl-C is Python's own.
        """
        if isinstance(program, type) or not isinstance(program, VertexProgram):
            name = program.__name__ if isinstance(program, type) else repr(program)
            raise ProgramError(f"run takes a constructed program, such as {name}(), not {name}")
        if not_converged not in ("warn", "error", "ignore"):
            raise GasclError(f"not_converged is warn, error or ignore, not {not_converged!r}")
        if callback is not None and not callable(callback):
            raise GasclError(f"callback is called with each Step; {callback!r} can't be")
        if not hasattr(program, "initial"):
            raise ProgramError(
                f"{type(program).__name__}: its __init__ must call super().__init__(...)"
            )
        fixed = program.fixed_supersteps()
        limit = MAX_SUPERSTEPS if fixed is None else fixed
        try:
            limit = limit if max_supersteps is None else operator.index(max_supersteps)
        except TypeError:
            limit = -1
        if limit < 0:
            raise GasclError(f"max_supersteps is a whole number from 0, not {max_supersteps!r}")
        if not {"scatter", "apply"} & set(type(program).snippets):
            raise ProgramError(f"{type(program).__name__} has neither scatter nor apply: no work")
        chosen = deliveries.choose(type(program), delivery)
        try:
            run = _Run(self, program, chosen, callback)
            with _Interrupts() as interrupts:
                result = run.to_end(limit, interrupts)
        except (cl.MemoryError, cl.RuntimeError) as error:
            raise DeviceError(
                f"{self.device} failed at {type(program).__name__}: {error}; another program may "
                "hold its memory, or it needs another device"
            ) from error
        _warn_of_nan(result, run.given)
        if interrupts.pending:
            raise Interrupted(f"interrupted after {result.supersteps} supersteps", result)
        if not result.converged and not_converged == "error":
            raise NotConvergedError(f"{type(program).__name__}: {result.stopped}", result)
        if not result.converged and not_converged == "warn":
            why = f"{type(program).__name__} did not converge: {result.stopped}"
            warnings.warn(NotConverged(why), stacklevel=2)
        return result

    def layout(self, edges: str, group: int, block: int) -> Layout:
        """The graph on the device, as programs that scatter along `edges` see it."""
        key = (edges if self.graph.directed else "out", group, block)
        if key not in self._layouts:
            self._layouts[key] = Layout(self.graph, self.device, *key)
        return self._layouts[key]


class _Run:
    """One run: what is built, what is on the device, and how far it got."""

    def __init__(
        self,
        engine: Engine,
        program: VertexProgram,
        delivery: deliveries.Delivery,
        callback: Callable[[Step], Any] | None,
    ):
        self.engine, self.program, self.callback = engine, program, callback
        self.device, graph = engine.device, engine.graph
        started = time.perf_counter()
        cls = type(program)
        offset = offset_type(graph, cls.edges)
        self.plan: Plan = build(program, self.device, delivery, offset)
        built = time.perf_counter()
        self.layout = engine.layout(cls.edges, self.plan.group, self.plan.block)
        initial = initial_values(program, graph, self.plan.header.types)
        program.prepare(graph, initial)
        self.given = set(initial)
        self.trace: list[Step] = []
        self.seconds = {"build": built - started, "upload": 0.0, "supersteps": 0.0}
        if graph.num_vertices:
            self.state = State(program, self.plan, self.layout, initial)
            self.device.queue.finish()
            for note in self.state.notes:
                warnings.warn(f"{cls.__name__}: {note}", stacklevel=3)
        self.seconds["upload"] = time.perf_counter() - built

    def to_end(self, max_supersteps: int, interrupts: _Interrupts) -> Result:
        if not self.engine.graph.num_vertices:
            return self._result("the graph has no vertices", True)
        fixed = self.program.fixed_supersteps()
        limit = max_supersteps if fixed is None else min(fixed, max_supersteps)
        started = time.perf_counter()
        stopped = self._enqueue_start(fixed is None)
        ahead = 1
        why = ""
        while not stopped and not why and len(self.trace) < limit and not interrupts.pending:
            count = min(ahead, limit - len(self.trace))
            before = time.perf_counter()
            stopped, why = self._batch(count, fixed is None)
            each = (time.perf_counter() - before) / count
            if self.program.converged is None:
                ahead = min(RECORDS, max(1, int(_AHEAD / max(each, 1e-9))), 2 * ahead)
        self.seconds["supersteps"] = time.perf_counter() - started
        if stopped == _STOP_HELD:
            return self._result(f"stop held: {(type(self.program).stop or '').strip()}", True)
        if stopped == _MASK_EMPTY:
            return self._result("no vertex is active and no message is under way", True)
        if why:
            return self._result(why, True)
        if fixed is not None and len(self.trace) == fixed:
            return self._result(f"ran the {fixed} supersteps asked for", True)
        if interrupts.pending:
            return self._result("interrupted by Ctrl-C", False)
        return self._result(f"reached max_supersteps={max_supersteps} before its rule held", False)

    def _batch(self, count: int, ask_stop: bool) -> tuple[int, str]:
        """Run up to `count` supersteps; the device stops by itself where its rule holds."""
        events = [self._enqueue_superstep(slot, ask_stop) for slot in range(count)]
        for slot, record in enumerate(self.state.records(count)):
            self._check(record)
            seconds = sum(e.profile.end - e.profile.start for e in events[slot]) * 1e-9
            step = Step(
                superstep=len(self.trace),
                active=int(record["active"]),
                messages=int(record["tally"]["messages"]),
                aggregates={
                    n: record["tally"]["aggregates"][n].item()
                    for n in type(self.program).aggregates
                },
                seconds=seconds,
            )
            self.trace.append(step)
            if self.callback is not None:
                self.callback(step)
            if record["stopped"]:
                return int(record["stopped"]), ""
            if ask_stop and self.program.converged is not None and self.program.converged(step):
                return 0, "converged() said so"
        return 0, ""

    def _enqueue_start(self, ask_stop: bool) -> int:
        """Superstep 0's beginning; returns why nothing is to be done, or 0."""
        groups = self.device.groups
        given = np.uint64(self.state.given)
        self._launch("gascl_start", groups, ("STATE", given, "tallies"))
        self._enqueue_finish(groups, 0, True, ask_stop)
        record = self.state.records(1)[0]
        self._check(record)
        return int(record["stopped"])

    def _enqueue_superstep(self, slot: int, ask_stop: bool) -> list[Any]:
        events = []
        groups = 1
        first = not self.trace and slot == 0
        for launch in self.plan.delivery.launches:
            if launch.first_only and self.plan.facts.fusable and not first:
                continue
            if launch.over.endswith("_blocks"):
                groups = len(self.layout.blocks(launch.over)) - 1
            else:
                groups = {"vertices": self.device.groups, "one": 0}[launch.over]
            events.append(self._launch(launch.kernel, groups, launch.arguments))
        events += self._enqueue_finish(max(groups, 1), slot, False, ask_stop)
        self.state.swap()
        self.device.queue.flush()
        return events

    def _enqueue_finish(self, tallies: int, slot: int, starting: bool, ask_stop: bool) -> list[Any]:
        events, counts = [], 0
        if self.plan.facts.masked:
            counts = self.device.groups
            events.append(self._launch("gascl_commit", counts, ("STATE", "counts")))
        reduced = "tallies"
        if tallies > self.device.groups:
            folding = ("STATE", "tallies", np.int32(tallies), "folded")
            events.append(self._launch("gascl_fold", self.device.groups, folding))
            reduced, tallies = "folded", self.device.groups
        numbers = (np.int32(starting), np.int32(ask_stop))
        arguments = ("STATE", reduced, np.int32(tallies), "counts", np.int32(counts), *numbers)
        events.append(self._launch("gascl_finish", 1, (*arguments, "records", np.int32(slot))))
        return events

    def _launch(self, name: str, groups: int, arguments: tuple[Any, ...]) -> Any:
        """Enqueue a kernel with `groups` work-groups, or with one item where that is 0."""
        header, buffers = self.plan.header, self.state.buffers
        values: list[Any] = []
        for argument in arguments:
            if not isinstance(argument, str):
                values.append(argument)
            elif argument == "STATE":
                values += [buffers[n] for n in header.state]
            elif argument == "EDGE":
                values += [buffers[f"e.{n}"] for n in header.edge]
            else:
                values.append(buffers[argument])
        local = self.plan.group if groups else 1
        kernel = self.plan.kernels[name]
        kernel.set_args(*values)
        size = (max(groups, 1) * local,)
        return cl.enqueue_nd_range_kernel(self.device.queue, kernel, size, (local,))

    def _check(self, record: np.void) -> None:
        """Raise for what the device found wrong."""
        step = len(self.trace)
        name = type(self.program).__name__
        if record["stopped"] == _OVERFLOW:
            label = self.engine.graph.label_of(int(record["overflow"]))
            raise GasclError(
                f"{name}: a message at vertex {label!r} overflowed {type(self.program).message} "
                f"in superstep {step}; declare a wider type, such as message = 'int64' or 'real'"
            )
        if record["stopped"] == _FAULT:
            label = self.engine.graph.label_of(int(record["fault"]))
            last = self.engine.graph.num_vertices - 1
            raise ProgramError(
                f"{name}: vertex {label!r} gave set_mask_of or get_mask_of an id that is not in "
                f"0 ... {last}, in superstep {step}"
            )

    def _result(self, stopped: str, converged: bool) -> Result:
        if self.engine.graph.num_vertices:
            fields = self.state.fields()
        else:
            types = self.plan.header.types
            shapes = {n: (0,) if types[n].width == 1 else (0, types[n].width) for n in types}
            names = type(self.program).vertex_fields
            fields = {n: np.zeros(shapes[n], types[n].scalar) for n in names}
        return Result(
            graph=self.engine.graph,
            fields=fields,
            supersteps=len(self.trace),
            converged=converged,
            stopped=stopped,
            trace=self.trace,
            device=str(self.device),
            delivery=self.plan.delivery.name,
            seconds=self.seconds,
        )


class _Interrupts:
    """Holds Ctrl-C back until a superstep is whole; the second one is not held back.

    Only the main thread receives signals; elsewhere this does nothing.
    """

    pending = False

    def __enter__(self) -> _Interrupts:
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._previous = signal.signal(signal.SIGINT, self._handle)
        return self

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.pending:
            raise KeyboardInterrupt
        self.pending = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._previous)


def _warn_of_nan(result: Result, given: set[str]) -> None:
    for name, values in result.fields.items():
        if values.dtype.kind != "f" or name in given:
            continue
        rows = np.isnan(values) if values.ndim == 1 else np.isnan(values).any(axis=1)
        if rows.any():
            first = result.graph.label_of(int(np.flatnonzero(rows)[0]))
            warnings.warn(
                f"field {name!r} is NaN at {int(rows.sum())} vertices, the first of them {first!r}",
                RuntimeWarning,
                stacklevel=3,
            )
