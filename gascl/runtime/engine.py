"""`Engine.run`: from a program and a graph to a Result."""

from __future__ import annotations

import operator
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.delivery.admission import demand_of
from gascl.delivery.delivery import Delivery
from gascl.delivery.runspec import ARC, run_spec
from gascl.delivery.table import choose
from gascl.errors import (
    DeviceError,
    GasclError,
    Interrupted,
    NotConverged,
    NotConvergedError,
    ProgramError,
    warn,
)
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.language.spec import WORK
from gascl.result import KeptState, Result, Step
from gascl.runtime import process
from gascl.runtime.composite import solve
from gascl.runtime.device import Device, find
from gascl.runtime.interrupts import Interrupts
from gascl.runtime.loop import MAX_SUPERSTEPS, Loop
from gascl.runtime.plan import Plan, build
from gascl.runtime.resident import ResidentGraph, offset_type
from gascl.runtime.restart import Start, resolve_start
from gascl.runtime.state import Fields, State
from gascl.runtime.values import check_edge_fields, check_prepared, empty_field, initial_values
from gascl.runtime.waiting import check_free


class Engine:
    """Runs vertex programs on one graph; keeps the graph on the device between runs. Threads may
    share one; a process that was forked after a device was used can't use it.

    Args:
        device: part of a device's name, an index into `gascl devices`, a pyopencl device, or None:
            the environment's GASCL_DEVICE, else the fastest GPU, else the CPU.
        deterministic: runs repeat bit for bit; deliveries that add floats atomically are refused.
        debug: slow runs that stop at NaN, infinity, division by zero and wrong indices, with the
            vertex, the superstep and the snippet's line; messages come in a shuffled order.
        seed: of that order.
    """

    def __init__(
        self,
        graph: Graph,
        device: Any = None,
        *,
        deterministic: bool = True,
        debug: bool = False,
        seed: int = 0,
    ):
        if not isinstance(graph, Graph):
            raise GasclError(
                f"Engine takes a gascl.Graph, not {type(graph).__name__}: see Graph.read, "
                "Graph.from_edges, Graph.from_scipy and Graph.from_networkx"
            )
        self.graph = graph
        self.device: Device = find(device)
        self.deterministic, self.debug, self.seed = deterministic, debug, operator.index(seed)
        self._resident: dict[tuple[str, int, int], ResidentGraph] = {}
        self._lock = threading.Lock()

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
        not_converged: str = "warn",
    ) -> Result:
        """Run a program until its own rule ends it.

        Args:
            delivery: how messages travel; "auto" chooses among those that admit the program.
            state: the State of another run, kept by `keep_state`: fields that it has go on from
                there. It is used up. The same program on the same graph continues as if it had
                not been interrupted.
            start: who scatters first, where that is not the program's own rule: "mask" (as the
                State has it), "changed" (the vertices that `Graph.with_edges` changed; the
                default where the graph is another), or an array of vertices by label.
            keep_state: leave the State in `result.state`, on the device; fields are then read
                when first asked for.
            max_supersteps: stop there, unconverged; by default 100,000, or as many supersteps as
                the program asks for.
            callback: called with the `Step` of each superstep, in order. The device may already
                be some supersteps ahead, except under a program with `converged`.
            not_converged: "warn", "error" or "ignore", when `max_supersteps` ends the run, or when
                it would never end: a state came back, or rounding keeps a change above its bound.

        Raises:
            ProgramError, GraphError, DeviceError: before the first superstep.
            GasclError: an integer message overflowed.
            NotConvergedError: on request; its `result` is what there is.
            Interrupted: Ctrl-C; its `result` is the state after the last whole superstep.
            KeyboardInterrupt: a second Ctrl-C; there is no result, and where a kernel has not
                returned, the device is busy until it does. Also Ctrl-C in the superstep by which
                the program's own rule ended the run: `result` of this exception is the answer. A
                handler of SIGINT that raises nothing is called, and the run returns its result.
        """
        if isinstance(program, type) or not isinstance(program, VertexProgram):
            name = program.__name__ if isinstance(program, type) else repr(program)
            raise ProgramError(f"run takes a constructed program, such as {name}(), not {name}")
        if not_converged not in ("warn", "error", "ignore"):
            raise GasclError(f"not_converged is warn, error or ignore, not {not_converged!r}")
        if state is not None and not isinstance(state, State):
            raise GasclError(f"state is what a run with keep_state=True leaves, not {state!r}")
        if callback is not None and not callable(callback):
            raise GasclError(f"callback is called with each Step; {callback!r} can't be")
        if not hasattr(program, "initial"):
            raise ProgramError(
                f"{type(program).__name__}: its __init__ must call super().__init__(...)"
            )
        process.check()
        check_free(self.device)
        fixed = program.fixed_supersteps()
        limit = MAX_SUPERSTEPS if fixed is None else fixed
        try:
            limit = limit if max_supersteps is None else operator.index(max_supersteps)
        except TypeError:
            limit = -1
        if limit < 0:
            raise GasclError(f"max_supersteps is a whole number from 0, not {max_supersteps!r}")
        if type(program).solve is not None:
            if start is not None:
                raise GasclError(
                    f"{type(program).__name__} runs several programs: start has no meaning"
                )
            result, interrupted = solve(
                self,
                program,
                keep_state,
                delivery=delivery,
                state=state,
                max_supersteps=None if max_supersteps is None else limit,
                callback=callback,
            )
            _warn_of_nan(result, set())
        else:
            if not WORK & set(program.spec.snippets):
                raise ProgramError(
                    f"{type(program).__name__} has neither scatter nor apply: no work"
                )
            demand = demand_of(program, self.device.atomics, self.device.fp64, self.deterministic)
            chosen = choose(program, demand, delivery)
            if self.debug:  # one that keeps messages until they are gathered can shuffle them
                chosen = chosen[-1:]
            began = resolve_start(program, self.graph, state, start)
            try:
                with Interrupts() as interrupts:
                    result, given = self._run(
                        program, chosen, began, state, limit, callback, interrupts, keep_state
                    )
            except (cl.MemoryError, cl.RuntimeError) as error:
                raise DeviceError(
                    f"{self.device} failed at {type(program).__name__}: {error}; another program "
                    "may hold its memory, or it needs another device"
                ) from error
            interrupted = interrupts.pending and not result.converged
            if interrupts.pending and result.converged:
                try:
                    interrupts.hand_on()
                except KeyboardInterrupt as pressed:
                    pressed.result = result  # type: ignore[attr-defined]
                    raise
            if not keep_state:
                _warn_of_nan(result, given)
        if interrupted:
            raise Interrupted(f"interrupted after {result.supersteps} supersteps", result)
        if not result.converged and not_converged == "error":
            raise NotConvergedError(f"{type(program).__name__}: {result.stopped}", result)
        if not result.converged and not_converged == "warn":
            why = f"{type(program).__name__} did not converge: {result.stopped}"
            warn(NotConverged(why))
        return result

    def _run(
        self,
        program: VertexProgram,
        chosen: list[Delivery],
        start: Start,
        previous: State | None,
        limit: int,
        callback: Callable[[Step], Any] | None,
        interrupts: Interrupts,
        keep_state: bool,
    ) -> tuple[Result, set[str]]:
        """Build, upload, loop; the result, and the fields that were given."""
        spec = program.spec
        started = time.perf_counter()
        offset = offset_type(self.graph, spec.edges)
        plans: list[Plan] = [
            build(program, self.device, d, offset, self.debug, self.seed) for d in chosen
        ]
        built = time.perf_counter()
        seconds = {"build": built - started, "upload": 0.0, "supersteps": 0.0}
        header, facts = plans[0].header, plans[0].facts
        for note in check_edge_fields(program, self.graph, header):
            warn(f"{program.title()}: {note}")
        resident = self.resident(spec.edges, plans[0].group, plans[0].block)
        types = header.types
        initial = initial_values(program, self.graph, types)
        program.prepare(self.graph, initial)
        check_prepared(program, self.graph, types, initial)
        stopped, converged, trace = "the graph has no vertices", True, []
        fields: Any = {n: empty_field(types[n], program.lanes) for n in spec.vertex_fields}
        arc_fields: Any = {
            n: empty_field(types[n], program.lanes) for n in spec.arc_fields if n in types
        }
        kept = None
        if self.graph.num_vertices:
            extent = resident.extent(lines=max(len(p.places) for p in plans) + 1)
            memory = run_spec(spec, header, facts, chosen, extent)
            state = State(program, header, memory, resident, initial, previous, start.resumes)
            self.device.queue.finish()
            seconds["upload"] = time.perf_counter() - built
            loop = Loop(program, plans, resident, state, start, callback, interrupts)
            stopped, converged = loop.run(limit)
            trace, seconds["supersteps"] = loop.trace, loop.seconds
            state.keep()
            fields, arc_fields = Fields(state), Fields(state, ARC)
            if keep_state:
                kept = state
            else:
                fields, arc_fields = dict(fields), dict(arc_fields)
        result = Result(
            graph=self.graph,
            fields=fields,
            arc_fields=arc_fields,
            supersteps=len(trace),
            converged=converged,
            stopped=stopped,
            trace=trace,
            device=str(self.device),
            delivery=" and ".join(dict.fromkeys(s.delivery for s in trace)) or chosen[-1].name,
            seconds=seconds,
            state=kept,
        )
        return result, set(initial)

    def resident(self, edges: str, group: int, block: int) -> ResidentGraph:
        """The graph on the device, as programs that scatter along `edges` see it."""
        key = (edges if self.graph.directed else "out", group, block)
        with self._lock:
            if key not in self._resident:
                self._resident[key] = ResidentGraph(self.graph, self.device, *key)
            return self._resident[key]

    def for_graph(self, graph: Graph) -> Engine:
        """An engine for another graph, otherwise like this one."""
        return type(self)(
            graph,
            self.device,
            deterministic=self.deterministic,
            debug=self.debug,
            seed=self.seed,
        )


def _warn_of_nan(result: Result, given: set[str]) -> None:
    for name, values in result.fields.items():
        if values.dtype.kind != "f" or name in given:
            continue
        rows = np.isnan(values).any(axis=tuple(range(1, values.ndim)))
        if rows.any():
            first = result.graph.label_of(int(np.flatnonzero(rows)[0]))
            warn(
                f"field {name!r} is NaN at {int(rows.sum())} vertices, the first of them {first!r}",
                RuntimeWarning,
            )
