"""The superstep loop: enqueues supersteps and reads what the device recorded."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.codegen.constants import FAULT_MESSAGES, GOING_ON, STRIDE, Fault, Phase, Stop, Team
from gascl.delivery.buffers import EMPTY, PENDING
from gascl.delivery.launch import (
    EMPTY_INBOX,
    FINISH,
    MAIL_IN,
    MAIL_OUT,
    NANS,
    NEEDED,
    PAIRS,
    PAIRS_JOIN,
    SNAPSHOT,
    START,
    START_ARCS,
    STARTED,
    TOTAL,
    Launch,
)
from gascl.delivery.run_layout import MOST_AHEAD, RECORDS, RUN, TEAM, VERTEX, Key
from gascl.device_graph.buffers import ResidentGraph, num_arcs
from gascl.device_graph.stream import TALLIES, ArcStream
from gascl.distributed.exchange import MAIL, Exchange
from gascl.distributed.ranks import Ranks
from gascl.errors import DeviceError, GasclError, ProgramError
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.messages import Message, Option
from gascl.opencl.device import Device
from gascl.opencl.event_wait import wait
from gascl.opencl.interrupts import Interrupts
from gascl.results.trace import KernelTime, Step, Trace
from gascl.run.checkpoint import Checkpoint
from gascl.run.initial_values import listed
from gascl.run.plan import Plan
from gascl.run.push_pull import pull_bounds
from gascl.run.resume import Start
from gascl.run.stagnation import Standstill
from gascl.run.state import MASK, State
from gascl.util.progress import Progress

#: Seconds of work to enqueue before the host reads the device's records.
_AHEAD = 0.1
#: What a launch of a whole run does before it returns to the host, in units of 1024 arcs: half a
#: second or less of work, so that Ctrl-C is heeded.
_MOST_WORK = {"CPU": 2**17, "GPU": 2**22}
#: The arcs and vertices of the supersteps that are enqueued first where a run has a fixed number of
#: them: of PageRank, less than a tenth of a second of work.
_FIRST_BATCH = {"CPU": 2**22, "GPU": 2**32}


class Ending(NamedTuple):
    """Why a run ended, in words, and whether that was the program's own rule."""

    reason: str
    converged: bool


class _Launched(NamedTuple):
    """A kernel that was enqueued: its name, and its pyopencl Event."""

    kernel: str
    event: Any

    def time(self) -> KernelTime:
        profile = self.event.profile
        start = profile.start
        return KernelTime(self.kernel, start * 1e-9, (profile.end - start) * 1e-9)


class Loop:
    """One run: what is on the device, and how far it got.

    Args:
        keeps: the State is kept after the run.
        checkpoint: where to save how far the run has got, or None. If it holds an earlier part of
            the run, the State is that of its end.
        given: the vertex fields that need not be saved.
        ranks: the processes that share the run, or None.

    Attributes:
        trace: a `Step` for each superstep.
        deliveries: the names of how messages traveled, in the order of first use.
        earlier: how many supersteps the run has made from which this one goes on.
        nans: for each field of floats where some vertex has NaN after the run, how many have, and
            the first of them; not found out where the State is kept.
        seconds: how long it took.
    """

    def __init__(
        self,
        program: VertexProgram,
        plan: Plan,
        resident: ResidentGraph,
        state: State,
        start: Start,
        callback: Callable[[Step], Any] | None,
        progress: Progress | None,
        interrupts: Interrupts,
        keeps: bool = False,
        checkpoint: Checkpoint | None = None,
        given: Collection[str] = (),
        ranks: Ranks | None = None,
    ):
        self.program, self.resident, self.state, self.start = program, resident, state, start
        self.device: Device = resident.device
        self.graph: Graph = resident.graph
        self.callback, self.progress = callback, progress
        self.interrupts, self.ranks = interrupts, ranks
        self.plan = plan
        self.num_arcs = num_arcs(resident.graph, resident.edges)  # of all ranks
        self.bounds = pull_bounds(plan, self.device, self.num_arcs)
        self.checkpoint, self._given = checkpoint, given
        self.earlier = state.superstep if start.resumes else 0
        self.trace, self.deliveries = Trace(), dict[str, None]()
        self._kept_records: list[np.ndarray] = []  # of all supersteps, for the checkpoint
        self._fresh = True  # no superstep has been enqueued
        self.keeps = keeps
        self.nans: dict[str, tuple[int, int]] = {}
        self._starting = False  # the first mask is committed by the launch of a whole run
        self._unread = False  # nobody has read what came of the first mask
        self._needed: list[int] = []  # how many parts of the arcs, in the supersteps of a batch
        # Reads the times of the latest batch: while the next one runs, or when somebody asks.
        self._timed: Callable[[], Any] = list
        self.seconds = 0.0
        self.exchange: Exchange | None = None
        if ranks:
            interrupts.agreed = False
        if ranks and self.graph.num_vertices:  # otherwise there is nothing to exchange
            self.exchange = Exchange(ranks, program.spec, plan, state)

    def run(self, max_supersteps: int) -> Ending:
        """Run supersteps until something ends the run."""
        with self.plan.kernels() as self.kernels:
            return self._run(max_supersteps)

    def _run(self, max_supersteps: int) -> Ending:
        fixed = self.program.fixed_supersteps()
        limit = max_supersteps if fixed is None else min(fixed, max_supersteps)
        empty = not self.graph.num_vertices
        if empty:  # no superstep, but aggregators have their first values
            limit = 0
        interrupts = self.interrupts
        if self.progress:
            # Of a program of several stages, only this stage's end is known.
            known = fixed is not None and not self.program.run_by
            self.progress.begin(self.program.title(), self.progress.done + limit if known else None)
        started = time.perf_counter()
        standstill = Standstill(self.program, self._digest)
        if self.checkpoint:
            self._go_on(self.checkpoint, standstill)
        stopped = self._begin(fixed is None)
        runs_ahead = self.program.converged is None
        ahead = self._first_batch() if runs_ahead and fixed is not None else 1
        converged, endless = False, ""
        while not (stopped or converged or endless or interrupts.ends) and len(self.trace) < limit:
            due = standstill.due
            if self.checkpoint:
                now = self.checkpoint.is_due(len(self.trace))
                if self.ranks.first(now) if self.ranks else now:
                    self._save(self.checkpoint, standstill)
                due = min(due, self.checkpoint.next_at())
            most = int(min(limit, due)) - len(self.trace)
            if self.plan.whole:
                # A callback is called after the launch: the first launches are short ones for it.
                count = min(most, RECORDS if self.callback is None else ahead)
                stopped = self._whole(count, fixed is None)
                ahead = min(RECORDS, 2 * ahead)
                endless = "" if stopped else standstill.look(self.trace)
                continue
            count = min(ahead, most)
            before = time.perf_counter()
            stopped, converged = self._batch(count, fixed is None)
            each = (time.perf_counter() - before) / count
            if self.ranks:
                ahead = MOST_AHEAD if runs_ahead else 1
            elif runs_ahead:
                # A rule may hold at any time, and what is enqueued behind it is for nothing.
                soon = 2 * ahead if fixed is None else MOST_AHEAD
                ahead = min(soon, max(1, int(_AHEAD / max(each, 1e-9))), MOST_AHEAD)
            if not stopped and not converged:
                endless = standstill.look(self.trace)
        ended = stopped or converged or endless or len(self.trace) == fixed
        if self.checkpoint and not ended and len(self.trace) > self.checkpoint.done:
            self._save(self.checkpoint, standstill)
        if self._starting:  # no superstep has run that would have done it
            self._commit_first(fixed is None)
        if self._unread:
            stopped = self._first_stop(self._records(0)[0])
        if self.exchange:
            self.exchange.tell_all(self.earlier + len(self.trace))
        if self.keeps:
            self._write_mask()
        self.seconds = time.perf_counter() - started
        if self.plan.header.reals and not self.keeps:
            self.nans = self._count_nans()
        if empty:
            return Ending("the graph has no vertices", True)
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
        if interrupts.ends:
            return Ending("interrupted by Ctrl-C", False)
        reached = Message("reached ", Option("max_supersteps", max_supersteps))
        return Ending(reached + " before it converged", False)

    def _first_batch(self) -> int:
        """How many supersteps can be enqueued before it is known how long one takes."""
        if self.ranks:  # which end a batch
            return MOST_AHEAD
        each = (self.resident.num_arcs + self.graph.num_vertices) * self.program.lanes
        return min(MOST_AHEAD, max(1, _FIRST_BATCH[self.device.kind] // max(each, 1)))

    def _count_nans(self) -> dict[str, tuple[int, int]]:
        self._launch(NANS)
        names = self.plan.header.reals
        found = self._read("nans", np.empty((len(names), 2), np.int32)).tolist()
        last = self.graph.num_vertices
        nans = {
            n: (many, last - from_last)
            for n, (many, from_last) in zip(names, found, strict=True)
            if many
        }
        if self.state.numbering is None:
            return nans
        return {n: (many, self._first_nan(n)) for n, (many, _) in nans.items()}

    def _first_nan(self, name: str) -> int:
        """The first vertex where a field is NaN, not by its number on the device."""
        values = np.isnan(self.state.field(name, VERTEX))
        return int(np.flatnonzero(values.any(axis=tuple(range(1, values.ndim))))[0])

    # The mask, and how a run begins -----------------------------------------------------------

    def _write_mask(self) -> None:
        """Convert the mask to bytes, if the delivery has it in another form."""
        leave = self.plan.delivery.active.leave
        if leave and self.plan.facts.masked:
            self.state.clear(MASK)
            self._launch(leave)

    def _read_mask(self, ask_stop: bool) -> None:
        """Convert the mask and pending messages to the form of the delivery, and count them."""
        pending = self.state.pending
        self.state.write_control()
        delivery = self.plan.delivery
        for key in self.state.spec.clears:
            self.state.clear(key)
        if self.plan.facts.masked:
            self._launch(delivery.active.enter)
            self._enqueue_finish(0, 0, GOING_ON, ask_stop)
            self.state.control = self._records(0)
            self.state.control["under_way"] = pending

    def _digest(self) -> bytes:
        self._write_mask()
        found = self.state.digest()
        return self.ranks.all_of(found) if self.ranks else found

    def _save(self, checkpoint: Checkpoint, standstill: Standstill) -> None:
        self._write_mask()
        if self.exchange:
            self.exchange.tell_all(self.earlier + len(self.trace))
        saved = self.state, self._given, self._kept_records, standstill.known
        checkpoint.save(*saved, writes=not self.ranks or self.ranks.rank == 0)

    def _go_on(self, checkpoint: Checkpoint, standstill: Standstill) -> None:
        """Take over what a checkpoint knows of the supersteps before."""
        if checkpoint.saved:
            self.earlier = 0
            records = checkpoint.saved.records.view(self.plan.header.control).reshape(-1)
            self._record(records, lambda: [()] * len(records))
            standstill.recall(checkpoint.saved.watch)
        checkpoint.start_clock()

    def _begin(self, ask_stop: bool) -> int:
        """Prepare the first superstep; returns why there is nothing to run, or 0."""
        self._fill()
        if self.start.resumes and MAIL in self.state.buffers:
            self._drop_mail(self.earlier + len(self.trace))
        stopped = self._resume(ask_stop) if self.start.resumes else self._start(ask_stop)
        all_scatter = self.plan.delivery.active.all_scatter
        if all_scatter and self.program.spec.scatter_on == "all":
            self._launch(all_scatter)
        if self.plan.whole and not self._starting:  # its groups add to these
            for name in ("tallies", "counts"):
                self.state.clear(Key(RUN, name))
        return stopped

    def _fill(self) -> None:
        """Set the initial content of the buffers that no earlier run has left."""
        active = self.plan.delivery.active
        for key, begins in self.state.unset.items():
            started = not self.start.resumes and key.owner == RUN and key.name in STARTED
            # A mask in another form is written as bytes where somebody asks for it.
            if started or (key == MASK and active.leave and not self.start.resumes):
                continue
            if begins == EMPTY:
                self._launch(EMPTY_INBOX, cells=self.state.buffers[key])
            else:
                self.state.clear(key)

    def _resume(self, ask_stop: bool) -> int:
        """Continue from a kept State as it is."""
        self._read_mask(ask_stop)
        return self._idle()

    def _idle(self) -> int:
        """Stop.EMPTY_MASK if there is nothing to do for a program that then ends, else 0."""
        if not self.plan.facts.masked or not self.program.spec.ends_on_empty_mask:
            return 0
        idle = not self.state.control["next_active"][0] and not self.state.pending
        return Stop.EMPTY_MASK if idle else 0

    def _start(self, ask_stop: bool) -> int:
        """Run the init expressions and the init snippet, and set the first mask."""
        state = self.state
        mask = self.start.mask
        if self.start.kept_mask:  # read it before the kernels overwrite it
            kept_mask = state.read(MASK, np.empty(self.graph.num_vertices, np.uint8))
            mask = kept_mask if mask is None else mask | kept_mask
        own = mask is None
        self._launch(START, given=state.given, partly=state.partly, kept=state.kept, own_mask=own)
        state.partly = None
        if self.plan.facts.arc_state:
            self._launch(START_ARCS, kept_arcs=state.kept_arcs)
        if self.plan.whole and mask is None:  # the rest is part of the whole run
            self._starting = True
            return 0
        self._commit_first(ask_stop)
        if mask is None:
            return 0  # it is known with the first supersteps
        self._first_stop(self._records(0)[0])
        state.write(MASK, mask)  # instead of the program's own
        state.control["stopped"] = 0
        self._read_mask(ask_stop)
        return self._idle()

    def _commit_first(self, ask_stop: bool) -> None:
        """Enqueue the commit of the first mask."""
        self._starting, self._unread = False, True
        self._enqueue_finish(self.device.groups, 0, 1, ask_stop)
        self.state.swap()

    def _first_stop(self, record: np.void) -> int:
        """Why there is nothing to run, by the record before the first superstep, or 0."""
        self._unread = False
        self.state.control = record.reshape(1).copy()
        self._check(record)
        return int(record["stopped"])

    # Supersteps -------------------------------------------------------------------------------

    def _batch(self, count: int, ask_stop: bool) -> tuple[int, bool]:
        """Run up to `count` supersteps; the device stops by itself when the program's rule holds.

        Returns:
            Why it stopped, or 0; and whether the Python method `converged` returned true.
        """
        self._needed = []
        events: list[list[_Launched]] = []
        if self.exchange:
            self.exchange.due = time.perf_counter() + _AHEAD
        for number in range(count):
            events.append(self._enqueue_superstep(number, ask_stop))
            if self.exchange and self.exchange.ends:
                break
        count = len(events)
        self._timed()  # while the device is busy
        read = self._records(count)
        records = read[1:]
        if self._unread and (stopped := self._first_stop(read[0])):
            for _ in range(count):  # these have done nothing
                self.state.swap()
            return stopped, False
        stops = np.flatnonzero(records["stopped"])
        done = int(stops[0]) + 1 if len(stops) else count
        for _ in range(count - done):  # these have done nothing
            self.state.swap()
        stopped = int(records["stopped"][done - 1])
        complete = done - (stopped in (Stop.OVERFLOW, Stop.FAULT))

        @functools.cache
        def times() -> list[tuple[KernelTime, ...]]:
            # NVIDIA's driver only gives the times of an event after waiting for that event itself.
            cl.wait_for_events([launched.event for each in events for launched in each])
            took = [tuple(launched.time() for launched in each) for each in events[:complete]]
            events.clear()
            return took

        if complete:
            self._add(records[:complete], times)
            self._timed = times
        self._check(records[done - 1])
        if stopped or not ask_stop or self.program.converged is None:
            return stopped, False
        return 0, self.program.converged(self.trace[-1])

    def _add(self, records: np.ndarray, times: Callable[[], list[tuple[KernelTime, ...]]]) -> None:
        """Add supersteps that have run, and tell those who want to know."""
        self._record(records, times)
        if self.callback is not None:
            for each in self.trace[-len(records) :]:
                self.callback(each)

    def _record(
        self, records: np.ndarray, times: Callable[[], list[tuple[KernelTime, ...]]]
    ) -> None:
        """Add supersteps to the trace, whose steps are made when somebody looks at them."""
        first, names = self.earlier + len(self.trace), self.program.spec.aggregates
        arcs, delivery = self.num_arcs, self.plan.delivery
        parts, needed = self.state.spec.extent.parts, self._needed
        why_parts = f"the arcs come in {parts} parts" if parts > 1 else ""
        if self.ranks:
            why_parts = why_parts or f"{self.ranks.size} ranks have a part of the arcs each"

        @functools.cache  # reading a column at once costs less than reading it a number at a time
        def columns() -> list[Any]:
            tallied = records["tally"]["messages"]
            found = [records["active"], tallied, records["pulled"], records["arcs"]]
            return [times(), *(column.tolist() for column in found)]

        @functools.cache
        def aggregates(name: str) -> list[Any]:
            return listed(records["aggregates"][name])

        def step(i: int) -> Step:
            kernels, active, messages, pulled, many = columns()
            way, why = delivery.name, why_parts
            if i < len(needed):
                why += f", {needed[i]} of them needed"
            if delivery.pulls:
                way, few = ("pull", "many") if pulled[i] else ("push", "few")
                why = f"the frontier has {many[i]:,} of {arcs:,} arcs: {few}"
            values = {name: aggregates(name)[i] for name in names}
            took = sum(kernel.seconds for kernel in kernels[i])
            counted = first + i, active[i], messages[i], values
            return Step(*counted, took, way, why, kernels=kernels[i])

        if delivery.pulls:
            ways = ["pull" if pulled else "push" for pulled in records["pulled"]]
        else:
            ways = [delivery.name]
        self.deliveries |= dict.fromkeys(ways)
        self.trace.extend(len(records), step)
        self.state.control = records[-1:].copy()
        if self.progress:
            active, messages = records["active"][-1], records["tally"]["messages"][-1]
            self.progress.advance(len(records), f"{active:,} active, {messages:,} messages")
        if self.checkpoint:
            self._kept_records.append(records)

    def _whole(self, most: int, ask_stop: bool) -> int:
        """Run up to `most` supersteps in one launch; returns why the device stopped, or 0."""
        state, launch = self.state, self.plan.delivery.whole
        assert launch
        team = Key(RUN, "team")
        if self.trace:  # else they are as the State was made
            state.clear(team)
        least, greatest = self.bounds
        launched = self._launch(
            launch,
            self.plan.whole_groups(self.device, self.resident),
            starting=self._starting,
            num_tallies=self.device.groups if self._starting else 0,
            ask_stop=ask_stop,
            least_arcs=least,
            most_arcs=greatest,
            supersteps=most,
            most_work=_MOST_WORK[self.device.kind],
        )
        words, records = self._team(min(most, MOST_AHEAD))
        if words[Team.FAILED] or words[Team.PHASE] != Phase.END:
            raise DeviceError(
                f"{self.device} did not run all the work-groups that had begun "
                f"{type(self.program).__name__}, whose supersteps are one kernel; the run's state "
                "is lost. Give ",
                Option("delivery", "pull"),
                " or 'slots', and please report this",
            )
        if words[Team.SWAPPED]:
            state.swap()
        done = int(words[Team.DONE])
        if done > len(records):
            _, records = self._team(done)
        self._starting = False
        if not done:
            self._check(records[0])
            state.control = records[:1].copy()
            return int(state.control["stopped"][0])
        last = records[done - 1]
        if last["stopped"] in (Stop.OVERFLOW, Stop.FAULT):
            self._check(last, done - 1)
        records = records[:done].copy()

        def times() -> list[tuple[KernelTime, ...]]:
            """The launch's time, shared out to the supersteps."""
            ticks = records["ticks"].astype(np.float64)
            if ticks.min() < 0 or not ticks.sum():  # without a clock, they get the same
                ticks[:] = 1
            launched.event.wait()  # else NVIDIA's driver may not give its times
            name, begin, took = launched.time()
            shares = took * ticks / ticks.sum()
            begins = begin + np.cumsum(shares) - shares
            shared = zip(begins.tolist(), shares.tolist(), strict=True)
            return [(KernelTime(name, *each),) for each in shared]

        self._add(records, times)
        return int(state.control["stopped"][0])

    def _records(self, count: int) -> np.ndarray:
        """Wait for the control record of before the first superstep, and those of `count`
        supersteps that were enqueued at once, and return them."""
        return self._read("records", np.empty(1 + count, self.plan.header.control))

    def _team(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Wait for what a whole run has left: the team's words, int32, and the first `count`
        records."""
        control = self.plan.header.control
        read = self._read("team", np.empty(TEAM + count * control.itemsize, np.uint8))
        return read[:TEAM].view(np.int32)[::STRIDE], read[TEAM:].view(control)

    def _read(self, name: str, values: np.ndarray) -> np.ndarray:
        """Fill an array from the start of a buffer when all that was enqueued has run."""
        queue, buffer = self.device.queue_of_thread(), self.state.buffers[Key(RUN, name)]
        landing = queue.landing(values.nbytes)
        to = values if landing is None else landing
        copied = cl.enqueue_copy(queue.cl, to, buffer, is_blocking=False)
        queue.cl.flush()
        wait(copied, self.device, self.interrupts, keep=(self, queue, to))
        if landing is not None:
            values.view(np.uint8).reshape(-1)[:] = landing
        return values

    def _enqueue_superstep(self, number: int, ask_stop: bool) -> list[_Launched]:
        """Enqueue a superstep, after `number` that are not in the trace yet."""
        events: list[_Launched] = []
        groups, tallies = 1, None
        first, self._fresh = self._fresh, False
        superstep = self.earlier + len(self.trace) + number
        self.state.take_turn(superstep)
        if self.plan.facts.snapshots:
            events.append(self._launch(SNAPSHOT))
        if self.plan.facts.pairs:
            events += self._enqueue_pairs()
        stream = self.state.stream
        needed, asked = self._ask_needed(stream) if stream else ([], [])
        events += asked
        for launch in self.plan.delivery.launches:
            if launch.first_only and self.plan.facts.fusable and not first:
                continue
            if not launch.suits(self.plan.facts):
                continue
            if self.exchange and self.exchange.pieces and launch.over == "in_blocks":
                events += self._enqueue_pieces(launch, self.exchange)
                groups = sum(piece.groups for piece in self.exchange.pieces)
                tallies = self.exchange.tallies
                continue
            if stream and launch.over == "in_blocks":
                launched, groups = self._enqueue_parts(launch, stream, needed)
                events += launched
                continue
            groups = self._groups(launch)
            if groups or launch.over not in ("in_blocks", "out_blocks"):  # a rank may have no rows
                events.append(self._launch(launch))
            if self.exchange and launch.over == "out_blocks":
                self.exchange.tell_scattered()
                if self.plan.facts.scatter_sends_to:
                    events += self._bring_mail(self.exchange, superstep, "")
        if self.exchange:
            events.append(self._add_up(groups, tallies))
            heard = self.exchange.tell(self.interrupts, superstep)
            tallies, groups = heard.tallies, self.exchange.ranks.size
            if heard.under_way:
                events += self._bring_mail(self.exchange, superstep + 1, "_next")
        events += self._enqueue_finish(max(groups, 1), 1 + number, 0, ask_stop, tallies)
        self.state.swap()
        self.device.queue.flush()
        return events

    def _ask_needed(self, stream: ArcStream) -> tuple[list[int], list[_Launched]]:
        """The parts of the arcs along which anybody sends; waits for the superstep before."""
        if stream.reaches is None:
            return list(range(len(stream.parts))), []
        asked = self._launch(NEEDED, reaches=stream.reaches)
        needed = stream.needed(self._read("needed", np.empty(self.device.groups, np.uint32)))
        self._needed.append(len(needed))
        return needed, [asked]

    def _enqueue_parts(
        self, launch: Launch, stream: ArcStream, needed: Collection[int]
    ) -> tuple[list[_Launched], int]:
        """Enqueue a kernel for each part of the arcs; returns also how many groups have left a
        tally."""
        events: list[_Launched] = []
        keys = [key for key in self.state.spec.arguments[launch.kernel] if isinstance(key, Key)]
        most = self.state.spec.extent.block_groups
        numbers = {
            number: min(stream.blocks_of(number), most) for number in range(len(stream.parts))
        }
        # Tallies lie in the order of the parts.
        places = dict(zip(numbers, itertools.accumulate(numbers.values(), initial=0), strict=False))
        for number in stream.in_turn():
            part = stream.take(number, keys, number in needed)
            groups = numbers[number]
            given = {"num_in_blocks": stream.blocks_of(number)}
            ready = part.place.ready
            launched = self._launch(launch, groups, part.buffers, ready, **given)
            part.place.readers = [launched.event]
            events.append(launched)
            if TALLIES in keys:
                size = self.plan.header.tally.itemsize
                cl.enqueue_copy(
                    *(self.device.queue, self.state.buffers[TALLIES], part.buffers[TALLIES]),
                    byte_count=groups * size,
                    dst_offset=places[number] * size,
                )
        return events, sum(numbers.values()) if TALLIES in keys else 0

    def _enqueue_pieces(self, launch: Launch, exchange: Exchange) -> list[_Launched]:
        """Enqueue a kernel for each piece of the vertices, which is shown when it is there."""
        events: list[_Launched] = []
        for number, piece in enumerate(exchange.pieces):
            its = piece.groups, piece.buffers
            events.append(self._launch(launch, *its, num_in_blocks=piece.blocks))
            exchange.show(number, events[-1].event)
        return events

    def _add_up(self, count: int, tallies: Any) -> _Launched:
        """Enqueue the sum of so many tallies.

        Args:
            tallies: the buffer in which they are, if it is not the run's own.
        """
        instead = None if tallies is None else {TALLIES: tallies}
        return self._launch(TOTAL, instead=instead, num_tallies=count)

    def _bring_mail(self, exchange: Exchange, superstep: int, when: str) -> list[_Launched]:
        """Bring what was sent to vertices to the ranks that apply them in a superstep.

        Args:
            when: as in `Exchange.mail`.
        """
        mail = exchange.mail(self.state.resident_at(superstep).parts, when)
        events = [self._drop_mail(superstep)]
        room = self.state.spec.own[MAIL].count
        names = PENDING if when else ()
        inbox = {Key(RUN, n): self.state.buffers[Key(RUN, f"{n}{when}")] for n in names}
        for begin in range(0, len(mail), room):
            parcels = mail[begin : begin + room]
            self.state.write(MAIL, parcels)
            events.append(self._launch(MAIL_IN, instead=inbox, num_mail=len(parcels)))
        return events

    def _drop_mail(self, superstep: int) -> _Launched:
        """Empty the inboxes of the vertices that other ranks apply in a superstep."""
        first, last = self.state.resident_at(superstep).rows
        return self._launch(MAIL_OUT, first_row=first, last_row=last)

    def _enqueue_pairs(self) -> list[_Launched]:
        """Enqueue the pairs snippet, which leaves one box per vertex that is applied here."""
        buffers, ranges = self.state.buffers, self.state.spec.ranges
        first, last = self.state.resident.rows
        if first == last:  # a rank may have no rows
            return []
        blocks = self.device.groups  # each handles a range of blocks
        if self.plan.group > 1:
            blocks = ranges * -(-(last - first) // self.plan.group)
        boxes = buffers[Key(RUN, "paired" if ranges == 1 else "boxes")]
        given = {"boxes": boxes, "splits": ranges, "first_row": first, "last_row": last}
        events = [self._launch(PAIRS, blocks, **given)]
        if ranges > 1:
            events.append(self._launch(PAIRS_JOIN, **given))
        return events

    def _groups(self, launch: Launch) -> int:
        """The number of work-groups of a launch; 0 for a single work-item."""
        if launch.over in ("in_blocks", "out_blocks"):
            blocks = len(self.state.resident.blocks(launch.over)) - 1
            # Groups that keep a tally handle several blocks each.
            most = self.state.spec.extent.block_groups
            return min(blocks, most) if "tallies" in launch.arguments else blocks
        return {"vertices": self.device.groups, "one group": 1, "one": 0}[launch.over]

    def _enqueue_finish(
        self, tallies: int, place: int, starting: int, ask_stop: bool, where: Any = None
    ) -> list[_Launched]:
        """Enqueue the end of a superstep: commit the mask, add up totals, decide what is next.

        Args:
            tallies: how many there are.
            place: of the record that is kept; 0: of before the first superstep.
            where: the buffer with the tallies, if it is not the run's own.
        """
        events, counts = [], 0
        if self.plan.facts.masked:
            active, facts = self.plan.delivery.active, self.plan.facts
            counts = self.device.groups
            for commit in active.commits:
                listed = active.lists_receivers and facts.lists_directly and not starting
                if (self.ranks or not listed) and commit.suits(facts):
                    events.append(self._launch(commit, starting=starting))
        least, most = self.bounds
        finished = self._launch(
            FINISH,
            instead=None if where is None else {TALLIES: where},
            num_tallies=tallies,
            num_counts=counts,
            starting=starting,
            ask_stop=ask_stop,
            least_arcs=least,
            most_arcs=most,
            record=place,
        )
        return [*events, finished]

    def _launch(
        self,
        launch: Launch,
        groups: int | None = None,
        instead: Mapping[Key, Any] | None = None,
        after: Sequence[Any] | None = None,
        **given: Any,
    ) -> _Launched:
        """Enqueue a kernel.

        Args:
            groups: the number of work-groups, if the launch does not say.
            instead: buffers to use in place of those of the run or the graph.
            after: events of another queue to wait for.
            given: arguments that differ between launches, by name.
        """
        groups = self._groups(launch) if groups is None else groups
        local = self.plan.group if groups else 1
        arguments = self.state.arguments(launch, given, instead)
        kernel = self.kernels.with_arguments(launch.kernel, arguments)
        size = (max(groups, 1) * local,)
        queue = self.device.queue
        event = cl.enqueue_nd_range_kernel(queue, kernel, size, (local,), wait_for=after)
        return _Launched(launch.kernel, event)

    def _check(self, record: np.void, ahead: int = 0) -> None:
        """Raise an error for what the device found to be wrong; `ahead`: how many supersteps before
        this record are not in the trace yet."""
        step = self.earlier + len(self.trace) + ahead
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
            if self.ranks:
                faults = self.ranks.least(faults)
            kind, line = np.unravel_index(np.argmin(faults), faults.shape)
            label = self.graph.label_of(int(faults[kind, line]))
            place = self.plan.places[line - 1]
            what = FAULT_MESSAGES[Fault(int(kind))].format(last=self.graph.num_vertices - 1)
            shown = f"\n    {place.text.strip()}" if place and place.text else ""
            at = f"{place}: " if place else ""
            raise ProgramError(f"{at}{name}: vertex {label!r} {what}, in superstep {step}{shown}")
