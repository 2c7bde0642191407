"""The superstep loop: enqueues supersteps and reads what the device recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.delivery.buffers import EMPTY
from gascl.delivery.codes import FAULT_MESSAGES, Fault, Stop
from gascl.delivery.launch import (
    DECIDE,
    EMPTY_INBOX,
    FINISH,
    PAIRS,
    PAIRS_JOIN,
    SNAPSHOT,
    START,
    START_ARCS,
    TOTAL,
    Launch,
)
from gascl.delivery.runspec import RECORDS, RUN, Key
from gascl.errors import GasclError, ProgramError
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.result import Step
from gascl.runtime.device import Device
from gascl.runtime.direction import Direction
from gascl.runtime.exchange import Exchange, exchange_totals
from gascl.runtime.interrupts import Interrupts
from gascl.runtime.plan import Kernels, Plan
from gascl.runtime.resident import ResidentGraph
from gascl.runtime.restart import Start
from gascl.runtime.standstill import Standstill
from gascl.runtime.state import MASK, State
from gascl.runtime.waiting import wait

#: The default limit of supersteps.
MAX_SUPERSTEPS = 100_000
#: Seconds of work to enqueue before the host reads the device's records.
_AHEAD = 0.1


class Ending(NamedTuple):
    """Why a run ended, in words, and whether that was the program's own rule."""

    reason: str
    converged: bool


class Loop:
    """One run: what is on the device, and how far it got.

    Args:
        exchange: what to do between the two steps that end a superstep, totals and decision, where
            the run is one part of several; None: both are one kernel.

    Attributes:
        trace: a `Step` for each superstep.
        earlier: how many supersteps the run has made from which this one goes on.
        direction: which of the plans is in use.
        seconds: how long it took.
    """

    def __init__(
        self,
        program: VertexProgram,
        plans: Sequence[Plan],
        resident: ResidentGraph,
        state: State,
        start: Start,
        callback: Callable[[Step], Any] | None,
        interrupts: Interrupts,
        exchange: Exchange | None = None,
    ):
        self.program, self.resident, self.state, self.start = program, resident, state, start
        self.device: Device = resident.device
        self.graph: Graph = resident.graph
        self.callback, self.interrupts, self.exchange = callback, interrupts, exchange
        self.kernels: dict[str, Kernels] = {}
        self.direction = Direction.of(plans, self.device, resident.num_arcs)
        self.earlier = state.superstep if start.resumes else 0
        self.trace: list[Step] = []
        self.seconds = 0.0

    @property
    def plan(self) -> Plan:
        return self.direction.plan

    def run(self, max_supersteps: int) -> Ending:
        """Run supersteps until something ends the run."""
        with ExitStack() as borrowed:
            for plan in self.direction.plans:
                self.kernels[plan.delivery.name] = borrowed.enter_context(plan.kernels())
            return self._run(max_supersteps)

    def _run(self, max_supersteps: int) -> Ending:
        fixed = self.program.fixed_supersteps()
        limit = max_supersteps if fixed is None else min(fixed, max_supersteps)
        interrupts = self.interrupts
        started = time.perf_counter()
        stopped = self._begin(fixed is None)
        ahead = 1
        converged, endless = False, ""
        standstill = Standstill(self.program, self._digest)
        while (
            not (stopped or converged or endless or interrupts.pending) and len(self.trace) < limit
        ):
            count = min(ahead, int(min(limit, standstill.due)) - len(self.trace))
            before = time.perf_counter()
            stopped, converged = self._batch(count, fixed is None)
            each = (time.perf_counter() - before) / count
            if stopped == Stop.PAUSE:
                stopped = 0
                self._change_direction()
            if self.program.converged is None and self.exchange is None:
                ahead = min(RECORDS, max(1, int(_AHEAD / max(each, 1e-9))), 2 * ahead)
            if not stopped and not converged:
                endless = standstill.look(self.trace)
        self._write_mask(self.plan)
        self.seconds = time.perf_counter() - started
        if stopped == Stop.RULE:
            return Ending(f"stop is true: {self.program.spec.stop}", True)
        if stopped == Stop.EMPTY_MASK:
            return Ending("no vertex is active and no message is pending", True)
        if converged:
            return Ending("converged() returned True", True)
        if endless:
            return Ending(endless, False)
        if fixed is not None and len(self.trace) == fixed:
            return Ending(f"ran the requested {fixed} superstep{'s' * (fixed != 1)}", True)
        if interrupts.pending:
            return Ending("interrupted by Ctrl-C", False)
        return Ending(f"reached max_supersteps={max_supersteps} before it converged", False)

    # The mask, and how a run begins -----------------------------------------------------------

    def _write_mask(self, plan: Plan) -> None:
        """Convert the mask to bytes, if the plan's delivery has it in another form."""
        leave = plan.delivery.active.leave
        if leave and plan.facts.masked:
            self._launch(leave, plan=plan)

    def _read_mask(self) -> None:
        """Convert the mask and pending messages to the form of the current delivery."""
        self.state.write_control()
        delivery = self.plan.delivery
        for key in self.state.spec.clears[delivery.name]:
            self.state.clear(key)
        if delivery.active.enter and self.plan.facts.masked:
            self._launch(delivery.active.enter)

    def _digest(self) -> bytes:
        self._write_mask(self.plan)
        return self.state.digest()

    def _begin(self, ask_stop: bool) -> int:
        """Prepare the first superstep; returns why there is nothing to run, or 0."""
        self._fill()
        stopped = self._resume() if self.start.resumes else self._start(ask_stop)
        all_scatter = self.plan.delivery.active.all_scatter
        if all_scatter and self.program.spec.scatter_on == "all":
            self._launch(all_scatter)
        if stopped == Stop.PAUSE:
            stopped = 0
            self._change_direction()
        else:
            self.direction.choose(int(self.state.control["next_arcs"][0]))
        return stopped

    def _fill(self) -> None:
        """Set the initial content of the buffers that no earlier run has left."""
        for key, begins in self.state.unset.items():
            if begins == EMPTY:
                plan = next(p for p in self.direction.plans if p.delivery.has_inbox(p.facts))
                self._launch(EMPTY_INBOX, plan=plan, cells=self.state.buffers[key])
            else:
                self.state.clear(key)

    def _resume(self) -> int:
        """Continue from a kept State as it is."""
        state, control = self.state, self.state.control
        self._read_mask()
        if self.plan.facts.masked:
            idle = not control["next_active"][0] and not state.pending
            if idle and self.program.spec.ends_on_empty_mask:
                return Stop.EMPTY_MASK
        return self._pause()

    def _start(self, ask_stop: bool) -> int:
        """Run the init expressions and the init snippet, and set the first mask."""
        state = self.state
        mask = self.start.mask
        if self.start.kept_mask:  # read it before the kernels overwrite it
            kept_mask = state.read(MASK, np.empty(self.graph.num_vertices, np.uint8))
            mask = kept_mask if mask is None else mask | kept_mask
        self._launch(START, given=state.given, kept=state.kept, own_mask=mask is None)
        if self.plan.facts.arc_state:
            self._launch(START_ARCS, kept_arcs=state.kept_arcs)
        self._enqueue_finish(self.device.groups, 0, True, ask_stop)
        state.swap(self.plan)
        state.control = self._records(1)
        self._check(state.control[0])
        return int(state.control["stopped"][0]) if mask is None else self._set_mask(mask)

    def _set_mask(self, mask: np.ndarray) -> int:
        """Replace the first mask by this one, (V,) uint8."""
        state = self.state
        state.write(MASK, mask)
        degrees = np.diff(self.graph.arcs(self.program.spec.edges).out_offsets)
        control = state.control
        control["stopped"] = 0
        control["next_active"] = np.count_nonzero(mask)
        control["next_arcs"] = degrees[mask != 0].sum()
        self._read_mask()
        if not control["next_active"][0] and self.program.spec.ends_on_empty_mask:
            return Stop.EMPTY_MASK
        return self._pause()

    def _pause(self) -> int:
        """Stop.PAUSE if the next frontier calls for another delivery, else 0."""
        least, most = self.direction.bounds()
        return 0 if least <= self.state.control["next_arcs"][0] <= most else Stop.PAUSE

    def _change_direction(self) -> None:
        """Change to the other plan, and convert the mask to its form."""
        before = self.plan
        if self.direction.choose(int(self.state.control["next_arcs"][0])):
            self.state.control["stopped"] = 0
            self._write_mask(before)
            self._read_mask()

    # Supersteps -------------------------------------------------------------------------------

    def _batch(self, count: int, ask_stop: bool) -> tuple[int, bool]:
        """Run up to `count` supersteps; the device stops by itself when the program's rule holds.

        Returns:
            Why it stopped, or 0; and whether the Python method `converged` returned true.
        """
        events = [self._enqueue_superstep(slot, ask_stop) for slot in range(count)]
        records = self._records(count)
        # NVIDIA's driver only gives the times of an event after waiting for that event itself.
        cl.wait_for_events([event for each in events for event in each])
        for slot, record in enumerate(records):
            self._check(record)
            seconds = sum(e.profile.end - e.profile.start for e in events[slot]) * 1e-9
            aggregates = record["aggregates"]
            step = Step(
                superstep=self.earlier + len(self.trace),
                active=int(record["active"]),
                messages=int(record["tally"]["messages"]),
                aggregates={n: aggregates[n].tolist() for n in self.program.spec.aggregates},
                seconds=seconds,
                delivery=self.plan.delivery.name,
                why=self.direction.reason(int(self.state.control["next_arcs"][0])),
            )
            self.trace.append(step)
            self.state.control = records[slot : slot + 1].copy()
            if self.callback is not None:
                self.callback(step)
            if record["stopped"]:
                for _ in range(count - slot - 1):  # the supersteps after it have done nothing
                    self.state.swap(self.plan)
                if record["stopped"] != Stop.PAUSE:
                    return int(record["stopped"]), False
            if ask_stop and self.program.converged is not None and self.program.converged(step):
                return 0, True
            if record["stopped"]:
                return Stop.PAUSE, False
        return 0, False

    def _records(self, count: int) -> np.ndarray:
        """Wait for the control records of the first `count` slots, and return them."""
        records, copied = self.state.records(count)
        wait(copied, self.device, self.interrupts, keep=(self, self.device.queue))
        return records

    def _enqueue_superstep(self, slot: int, ask_stop: bool) -> list[Any]:
        events = []
        groups = 1
        first = not self.trace and slot == 0
        if self.plan.facts.snapshots:
            events.append(self._launch(SNAPSHOT))
        if self.plan.facts.pairs:
            events += self._enqueue_pairs()
        for launch in self.plan.delivery.launches:
            if launch.first_only and self.plan.facts.fusable and not first:
                continue
            groups = self._groups(launch)
            events.append(self._launch(launch))
        events += self._enqueue_finish(max(groups, 1), slot, False, ask_stop)
        self.state.swap(self.plan)
        self.device.queue.flush()
        return events

    def _enqueue_pairs(self) -> list[Any]:
        """Enqueue the pairs snippet, which leaves one box per receiving vertex."""
        buffers, ranges = self.state.buffers, self.state.spec.ranges
        blocks = self.device.groups  # each handles a range of blocks
        if self.plan.group > 1:
            blocks = ranges * -(-self.graph.num_vertices // self.plan.group)
        boxes = buffers[Key(RUN, "paired" if ranges == 1 else "boxes")]
        events = [self._launch(PAIRS, blocks, boxes=boxes, splits=ranges)]
        if ranges > 1:
            events.append(self._launch(PAIRS_JOIN, boxes=boxes, splits=ranges))
        return events

    def _groups(self, launch: Launch) -> int:
        """The number of work-groups of a launch; 0 for a single work-item."""
        if launch.over in ("in_blocks", "out_blocks"):
            blocks = len(self.resident.blocks(launch.over)) - 1
            # Groups that keep a tally handle several blocks each.
            most = self.state.spec.extent.block_groups
            return min(blocks, most) if "tallies" in launch.arguments else blocks
        return {"vertices": self.device.groups, "one group": 1, "one": 0}[launch.over]

    def _enqueue_finish(self, tallies: int, slot: int, starting: bool, ask_stop: bool) -> list[Any]:
        """Enqueue the end of a superstep: commit the mask, add up totals, decide what is next."""
        events, counts = [], 0
        if self.plan.facts.masked:
            commit = self.plan.delivery.active.commit
            counts = self._groups(commit)
            events.append(self._launch(commit, starting=starting))
        least, most = self.direction.bounds()
        counted: dict[str, Any] = {"num_tallies": tallies, "num_counts": counts}
        decision: dict[str, Any] = {
            "starting": starting,
            "ask_stop": ask_stop,
            "least_arcs": least,
            "most_arcs": most,
            "record": slot,
        }
        if self.exchange is None:
            events.append(self._launch(FINISH, **counted, **decision))
        else:
            events.append(self._launch(TOTAL, **counted))
            exchange_totals(self.state, self.exchange)
            events.append(self._launch(DECIDE, **decision))
        return events

    def _launch(
        self, launch: Launch, groups: int | None = None, plan: Plan | None = None, **given: Any
    ) -> Any:
        """Enqueue a kernel.

        Args:
            groups: the number of work-groups, if the launch does not say.
            plan: the plan that the kernel belongs to, if not the current one.
            given: arguments that differ between launches, by name.
        """
        plan = plan or self.plan
        groups = self._groups(launch) if groups is None else groups
        local = plan.group if groups else 1
        kernels = self.kernels[plan.delivery.name]
        arguments = self.state.arguments(plan, launch, given)
        kernel = kernels.with_arguments(launch.kernel, arguments)
        size = (max(groups, 1) * local,)
        return cl.enqueue_nd_range_kernel(self.device.queue, kernel, size, (local,))

    def _check(self, record: np.void) -> None:
        """Raise an error for what the device found to be wrong."""
        step = self.earlier + len(self.trace)
        name = type(self.program).__name__
        if record["stopped"] == Stop.OVERFLOW:
            label = self.graph.label_of(int(record["overflow"]))
            wide = self.plan.header.message.itemsize == 8
            wider = "'real', which rounds" if wide else "'int64' or 'real'"
            raise GasclError(
                f"{name}: a message at vertex {label!r} overflowed {self.program.spec.message} "
                f"in superstep {step}; declare a wider type, such as message = {wider}"
            )
        if record["stopped"] == Stop.FAULT:
            faults = self.state.faults(self.plan)
            kind, line = np.unravel_index(np.argmin(faults), faults.shape)
            label = self.graph.label_of(int(faults[kind, line]))
            place = self.plan.places[line - 1]
            what = FAULT_MESSAGES[Fault(int(kind))].format(last=self.graph.num_vertices - 1)
            shown = f"\n    {place.text.strip()}" if place and place.text else ""
            at = f"{place}: " if place else ""
            raise ProgramError(f"{at}{name}: vertex {label!r} {what}, in superstep {step}{shown}")
