"""The superstep loop: enqueue, look at what the device recorded, go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.delivery.buffers import EMPTY
from gascl.delivery.table import Launch
from gascl.errors import GasclError, ProgramError
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.result import Step
from gascl.runtime.device import Device
from gascl.runtime.direction import Direction
from gascl.runtime.interrupts import Interrupts
from gascl.runtime.plan import Kernels, Plan
from gascl.runtime.resident import Layout
from gascl.runtime.restart import Start
from gascl.runtime.standstill import Standstill
from gascl.runtime.state import RECORDS, State
from gascl.runtime.waiting import wait

#: Where a run ends that nothing else ends.
MAX_SUPERSTEPS = 100_000
#: Why the device stopped, as gascl_finish (superstep.cl) writes it.
_STOP_HELD, _MASK_EMPTY, _OVERFLOW, _FAULT, _PAUSE = 1, 2, 3, 4, 5
#: What a trap found, as kernels/words.cl numbers them.
_FAULTS = (
    "gave an id that is not in 0 ... {last}",
    "sent twice along one arc, and a gather snippet reads one message an arc: send once",
    "divided by zero",
    "read messages[i] with an i that is not in 0 ... num_messages - 1",
    "asked for the i-th neighbor with an i that is not in 0 ... num_neighbors - 1",
    "made NaN",
    "made a finite value infinite",
)
#: Seconds of work to have under way between two looks at what the device did.
_AHEAD = 0.1


class Loop:
    """One run: what is on the device, and how far it got.

    Attributes:
        trace: a `Step` for each superstep.
        before: supersteps that the run it goes on from has made.
        direction: which of the plans is in use.
    """

    def __init__(
        self,
        program: VertexProgram,
        plans: Sequence[Plan],
        layout: Layout,
        state: State,
        start: Start,
        callback: Callable[[Step], Any] | None,
        interrupts: Interrupts,
    ):
        self.program, self.layout, self.state, self.start = program, layout, state, start
        self.device: Device = layout.device
        self.graph: Graph = layout.graph
        self.callback, self.interrupts = callback, interrupts
        self.kernels: dict[str, Kernels] = {}
        self.direction = Direction.of(plans, self.device, layout.num_arcs)
        self.before = state.superstep if start.resumes else 0
        self.trace: list[Step] = []
        self.seconds = 0.0

    @property
    def plan(self) -> Plan:
        return self.direction.plan

    def to_end(self, max_supersteps: int) -> tuple[str, bool]:
        """Run until something ends it: what, in words, and whether that is the program's rule."""
        with ExitStack() as borrowed:
            for plan in self.direction.plans:
                self.kernels[plan.delivery.name] = borrowed.enter_context(plan.kernels())
            return self._to_end(max_supersteps)

    def _to_end(self, max_supersteps: int) -> tuple[str, bool]:
        fixed = self.program.fixed_supersteps()
        limit = max_supersteps if fixed is None else min(fixed, max_supersteps)
        interrupts = self.interrupts
        started = time.perf_counter()
        stopped = self._begin(fixed is None)
        ahead = 1
        why = endless = ""
        standstill = Standstill(self.program, self._digest)
        while not (stopped or why or endless or interrupts.pending) and len(self.trace) < limit:
            count = min(ahead, int(min(limit, standstill.due)) - len(self.trace))
            before = time.perf_counter()
            stopped, why = self._batch(count, fixed is None)
            each = (time.perf_counter() - before) / count
            if stopped == _PAUSE:
                stopped = 0
                self._turn()
            if self.program.converged is None:
                ahead = min(RECORDS, max(1, int(_AHEAD / max(each, 1e-9))), 2 * ahead)
            if not stopped and not why:
                endless = standstill.look(self.trace)
        self._leave()
        self.seconds = time.perf_counter() - started
        if stopped == _STOP_HELD:
            return f"stop held: {' '.join((self.program.spec.stop or '').split())}", True
        if stopped == _MASK_EMPTY:
            return "no vertex is active and no message is under way", True
        if why:
            return why, True
        if endless:
            return endless, False
        if fixed is not None and len(self.trace) == fixed:
            return f"ran the {fixed} supersteps asked for", True
        if interrupts.pending:
            return "interrupted by Ctrl-C", False
        return f"reached max_supersteps={max_supersteps} before its rule held", False

    def _leave(self) -> None:
        """Write the mask, where a frontier stands for it."""
        if self.plan.delivery.sparse and self.plan.facts.masked:
            self._launch("gascl_leave", self.device.groups, ("STATE", "mask"))

    def _digest(self) -> bytes:
        self._leave()
        return self.state.digest()

    def _begin(self, ask_stop: bool) -> int:
        """What stands before the first superstep; returns why nothing is to be done, or 0."""
        self._fill()
        stopped = self._resume() if self.start.resumes else self._start(ask_stop)
        if self.program.spec.scatter_on == "all" and self.plan.delivery.sparse:
            both = ("STATE", "out_offsets", "frontier", "frontier_next")
            self._launch("gascl_push_all", self.device.groups, both)
        if stopped == _PAUSE:
            stopped = 0
            self._turn()
        else:
            self.direction.choose(int(self.state.control["next_arcs"][0]))
        return stopped

    def _fill(self) -> None:
        """Let what no earlier run has left begin as its items do, whichever way the run begins."""
        for name, begins in self.state.unset.items():
            if begins == EMPTY:
                plan = next(p for p in self.direction.plans if p.inbox)
                self._launch("gascl_empty", self.device.groups, ("run", name), plan=plan)
            else:
                self.state.clear(name)

    def _enter(self) -> None:
        """Build push's lists from what every delivery leaves: the mask, and what has arrived."""
        control = self.state.control
        control["frontier"] = control["listed"] = control["touched"] = 0
        self.state.write_control()
        if self.plan.facts.masked:
            lists = ("STATE", "mask", "out_offsets", "frontier")
            self._launch("gascl_enter", self.device.groups, lists)

    def _resume(self) -> int:
        """Go on with a kept State as it stands."""
        state, control = self.state, self.state.control
        if self.plan.delivery.sparse:
            self._enter()
        if self.plan.facts.masked:
            idle = not control["next_active"][0] and not state.pending
            if idle and self.program.spec.scatter_on == "mask":
                return _MASK_EMPTY
        least, most = self.direction.bounds()
        return 0 if least <= control["next_arcs"][0] <= most else _PAUSE

    def _start(self, ask_stop: bool) -> int:
        """Field inits, the init snippet and the first mask: the program's own, or one given."""
        state, groups = self.state, self.device.groups
        mask = self.start.mask
        if self.start.kept_mask:  # read before the kernels make the program's own
            kept_mask = np.empty(self.graph.num_vertices, np.uint8)
            cl.enqueue_copy(self.device.queue, kept_mask, state.buffers["mask"])
            mask = kept_mask if mask is None else mask | kept_mask
        numbers = (np.uint64(state.given), np.uint64(state.kept), np.int32(mask is None))
        self._launch("gascl_start", groups, ("STATE", *numbers, "tallies"))
        if self.plan.facts.arc_state:
            kept = np.uint64(state.kept_arcs)
            arguments = ("STATE", "EDGE", "out_offsets", "out_targets", kept)
            self._launch("gascl_start_arcs", groups, arguments)
        self._enqueue_finish(groups, 0, True, ask_stop)
        state.swap(self.plan)
        state.control = self._records(1)
        self._check(state.control[0])
        return int(state.control["stopped"][0]) if mask is None else self._set_mask(mask)

    def _set_mask(self, mask: np.ndarray) -> int:
        """Replace the first mask by the one given, (V,) uint8."""
        state = self.state
        state.write("mask", mask)
        for name in ("next", "marks", "flags"):
            if name in state.buffers:
                state.clear(name)
        degrees = np.diff(self.graph.arcs(self.program.spec.edges).out_offsets)
        control = state.control
        control["stopped"] = 0
        control["next_active"] = np.count_nonzero(mask)
        control["next_arcs"] = degrees[mask != 0].sum()
        if self.plan.delivery.sparse:
            self._enter()
        else:
            state.write_control()
        if not control["next_active"][0]:
            return _MASK_EMPTY
        least, most = self.direction.bounds()
        return 0 if least <= control["next_arcs"][0] <= most else _PAUSE

    def _turn(self) -> None:
        """Change to the other plan, and the mask to its form."""
        state, was = self.state, self.plan
        if not self.direction.choose(int(state.control["next_arcs"][0])):
            return
        state.control["stopped"] = 0
        if was.delivery.sparse:
            self._launch("gascl_leave", self.device.groups, ("STATE", "mask"), plan=was)
        if self.plan.delivery.sparse:
            self._enter()
        else:
            state.write_control()

    def _batch(self, count: int, ask_stop: bool) -> tuple[int, str]:
        """Run up to `count` supersteps; the device stops by itself where its rule holds."""
        events = [self._enqueue_superstep(slot, ask_stop) for slot in range(count)]
        records = self._records(count)
        # NVIDIA's driver gives an event no times before that is seen to be done itself.
        cl.wait_for_events([event for each in events for event in each])
        for slot, record in enumerate(records):
            self._check(record)
            seconds = sum(e.profile.end - e.profile.start for e in events[slot]) * 1e-9
            aggregates = record["aggregates"]
            step = Step(
                superstep=self.before + len(self.trace),
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
                for _ in range(count - slot - 1):  # those behind have done nothing
                    self.state.swap(self.plan)
                if record["stopped"] != _PAUSE:
                    return int(record["stopped"]), ""
            if ask_stop and self.program.converged is not None and self.program.converged(step):
                return 0, "converged() said so"
            if record["stopped"]:
                return _PAUSE, ""
        return 0, ""

    def _records(self, count: int) -> np.ndarray:
        """The control records of the first `count` slots, once the device has written them."""
        records, copied = self.state.records(count)
        wait(copied, self.device, self.interrupts, keep=(self, self.device.queue))
        return records

    def _enqueue_superstep(self, slot: int, ask_stop: bool) -> list[Any]:
        events = []
        groups = 1
        first = not self.trace and slot == 0
        if self.plan.facts.snapshots:
            events.append(self._launch("gascl_snapshot", self.device.groups, ("STATE",)))
        if self.plan.facts.pairs:
            events += self._enqueue_pairs()
        for launch in self.plan.delivery.launches:
            if launch.first_only and self.plan.facts.fusable and not first:
                continue
            groups = self._groups(launch)
            events.append(self._launch(launch.kernel, groups, launch.arguments))
        events += self._enqueue_finish(max(groups, 1), slot, False, ask_stop)
        self.state.swap(self.plan)
        self.device.queue.flush()
        return events

    def _enqueue_pairs(self) -> list[Any]:
        """What every vertex gives to every other one, as one box a vertex."""
        vertices, groups = self.graph.num_vertices, self.device.groups
        splits = self.plan.splits(vertices, groups)
        shared = self.plan.group > 1  # else each group goes through a range of blocks
        blocks = splits * -(-vertices // self.plan.group) if shared else groups
        if splits == 1:
            return [self._launch("gascl_pairs", blocks, ("STATE", "paired", np.int32(1)))]
        ranges = ("STATE", "boxes", np.int32(splits))
        return [
            self._launch("gascl_pairs", blocks, ranges),
            self._launch("gascl_pairs_join", groups, ranges),
        ]

    def _groups(self, launch: Launch) -> int:
        if launch.over.endswith("_blocks"):
            blocks = len(self.layout.blocks(launch.over)) - 1
            # Groups that keep a tally go through several blocks.
            return min(blocks, self.layout.most_groups) if "tallies" in launch.arguments else blocks
        return {"vertices": self.device.groups, "one": 0}[launch.over]

    def _enqueue_finish(self, tallies: int, slot: int, starting: bool, ask_stop: bool) -> list[Any]:
        events, counts = [], 0
        if self.plan.facts.masked:
            commit = self.plan.delivery.commit
            counts = self.device.groups
            flag = np.int32(starting)
            arguments = [flag if a == "starting" else a for a in commit.arguments]
            events.append(self._launch(commit.kernel, counts, arguments))
        least, most = self.direction.bounds()
        numbers = (np.int32(starting), np.int32(ask_stop), np.int64(least), np.int64(most))
        reduced = ("STATE", "tallies", np.int32(tallies), "counts", np.int32(counts))
        ending = (*reduced, *numbers, "records", np.int32(slot))
        events.append(self._launch("gascl_finish", 1, ending))
        return events

    def _launch(
        self, name: str, groups: int, arguments: Sequence[Any], plan: Plan | None = None
    ) -> Any:
        """Enqueue a kernel with `groups` work-groups, or with one item where that is 0."""
        plan = plan or self.plan
        local = plan.group if groups else 1
        kernels = self.kernels[plan.delivery.name]
        kernel = kernels.with_arguments(name, self.state.arguments(plan, arguments))
        size = (max(groups, 1) * local,)
        return cl.enqueue_nd_range_kernel(self.device.queue, kernel, size, (local,))

    def _check(self, record: np.void) -> None:
        """Raise for what the device found wrong."""
        step = self.before + len(self.trace)
        name = type(self.program).__name__
        if record["stopped"] == _OVERFLOW:
            label = self.graph.label_of(int(record["overflow"]))
            wide = self.plan.header.message.itemsize == 8
            wider = "'real', which rounds" if wide else "'int64' or 'real'"
            raise GasclError(
                f"{name}: a message at vertex {label!r} overflowed {self.program.spec.message} "
                f"in superstep {step}; declare a wider type, such as message = {wider}"
            )
        if record["stopped"] == _FAULT:
            faults = self.state.faults(self.plan)
            kind, line = np.unravel_index(np.argmin(faults), faults.shape)
            label = self.graph.label_of(int(faults[kind, line]))
            place = self.plan.places[line - 1]
            what = _FAULTS[kind].format(last=self.graph.num_vertices - 1)
            shown = f"\n    {place.text.strip()}" if place and place.text else ""
            at = f"{place}: " if place else ""
            raise ProgramError(f"{at}{name}: vertex {label!r} {what}, in superstep {step}{shown}")
