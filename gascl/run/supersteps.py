"""`Loop`: enqueues supersteps, and reads the device's records of them."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.codegen.constants import (
    CURVE_BITS,
    FAULT_MESSAGES,
    GOING_ON,
    MOST_LOOKED,
    STRIDE,
    Again,
    Fault,
    Phase,
    Stop,
    Team,
    levels,
    receivers_together,
)
from gascl.delivery.buffers import EMPTY
from gascl.delivery.launch import (
    EMPTY_INBOX,
    FINISH,
    NANS,
    NEAR_BOUNDS,
    NEAR_KEYS,
    NEAR_LEAVES,
    NEAR_LEVELS,
    NEAR_PAIRS,
    NEAR_SORT,
    PAIRS,
    PAIRS_JOIN,
    RADIX,
    SNAPSHOT,
    START,
    START_ARCS,
    Launch,
)
from gascl.delivery.run_layout import (
    MOST_AHEAD,
    MOST_BOUNDS,
    RECORDS,
    RUN,
    TEAM,
    VERTEX,
    Key,
    team_bytes,
)
from gascl.device_graph.sort import radix_sort
from gascl.errors import DeviceError, GasclError, ProgramError
from gascl.results.snapshot import Messages
from gascl.results.trace import KernelTime, Trace
from gascl.run.checkpoint import Checkpoint
from gascl.run.job import Job
from gascl.run.launcher import Launched, Launcher
from gascl.run.loaded_program import MASK, LoadedProgram, copied
from gascl.run.long_run import LongRun
from gascl.run.placement import Placement, Tallies
from gascl.run.recorded_steps import RecordedSteps
from gascl.run.senders import Senders
from gascl.run.stagnation import StagnationDetector
from gascl.user_messages import Message, Option
from gascl.util.progress import Progress

#: Seconds of work to enqueue before the host reads the device's records.
_AHEAD = 0.1
#: The most supersteps to enqueue at once at first; later, a quarter of those that have run.
_FEW_AHEAD = 4
#: The most work of a launch of a persistent kernel, in units of 1024 arcs: half a second or less,
#: so that the host can react to Ctrl-C.
_MOST_WORK = {"CPU": 2**17, "GPU": 2**22}
#: The arcs and vertices of the supersteps that are enqueued first where a run has a fixed number of
#: them: of PageRank, less than a tenth of a second of work.
_FIRST_BATCH = {"CPU": 2**22, "GPU": 2**32}
#: The arguments of a persistent kernel that does not start the run.
_NO_FIRST_VALUES: dict[str, Any] = {"given": 0, "partly": None, "kept": 0, "own_mask": 0}
#: Of levels of the tree of places with more nodes, each is a launch.
_ONE_GROUP = 1024
#: The number of supersteps whose events, which have the times of kernels, are kept in a driver.
_UNTIMED = 256


class Ending(NamedTuple):
    """Why a run ended, in words, and whether that was the program's own rule."""

    reason: str
    converged: bool


class Loop:
    """The supersteps of a run, and its progress.

    Attributes:
        trace: a `Step` for each superstep.
        deliveries: the names of how messages traveled, in the order of first use.
        earlier: the number of supersteps of the run that this one continues.
        nans: for each field of floats where some vertex has NaN after the run, the number of such
            vertices, and the first of them; empty where the State is kept.
        seconds: how long the supersteps took.
        long_run: decides whether it begins again in any order; None: it does not.
        senders: the same by another delivery.
    """

    def __init__(self, job: Job, loaded: LoadedProgram, launcher: Launcher, placement: Placement):
        self.job, self.launcher, self.placement = job, launcher, placement
        self.program, self.start, self.checkpoint = job.program, job.start, job.checkpoint
        self.plan, self.state, self.device = launcher.plan, launcher.state, launcher.device
        self.graph, self.keeps = self.state.graph, job.options.keep_state
        self.callback, self.progress = job.options.callback, job.options.shown
        self.watch = job.options.watch
        self._sent: Messages | None = None  # in the last superstep, for `watch`
        self.fixed = self.program.fixed_supersteps()
        # Without vertices there is no superstep, but aggregators have their first values.
        self.limit = job.limit if self.graph.num_vertices else 0
        self.loaded, self.bounds = loaded, placement.bounds(loaded.bounds)
        self.groups = loaded.layout.extent.groups  # of kernels over the vertices
        self.earlier = self.state.superstep if self.start.resumes else 0
        self.trace, self.deliveries = Trace(), dict[str, None]()
        self._kept_records: list[np.ndarray] = []  # of all supersteps, for the checkpoint
        # Of the supersteps that were recorded last.
        self._last_records = np.zeros(0, self.plan.header.control)
        self._fresh = True  # no superstep has been enqueued
        self.nans: dict[str, tuple[int, int]] = {}
        # What the last launch of a persistent kernel has counted.
        self._counted_nans: list[list[int]] | None = None
        # The arguments with which a persistent kernel starts the run; None: it is not to.
        self._first_values: dict[str, Any] | None = None
        self._unread = False  # the record of the first mask has not been read
        self.long_run: LongRun | None = None
        self.senders: Senders | None = None
        # Each reads the times of a batch: when they are first used, or after `_UNTIMED` supersteps,
        # while the device is busy.
        self._untimed: list[Callable[[], Any]] = []
        self._timed = 0  # the number of supersteps whose times have been read
        self.seconds = 0.0
        # What has ended the run: a reason of the device, the method `converged`, or states that
        # would repeat forever, in words.
        self._stopped, self._converged, self._endless = 0, False, ""
        # Whether supersteps are enqueued before the host reads those before, and how many.
        self._runs_ahead = self.program.converged is None and self.watch is None
        self._ahead = self._first_batch() if self._runs_ahead and self.fixed is not None else 1

    def run(self) -> Ending:
        """Run supersteps until something ends the run."""
        if self.progress:
            self._begin_progress(self.progress)
        started = time.perf_counter()
        # Not an attribute: it refers to this object, whose buffers a cycle would keep.
        stagnation = StagnationDetector(self.program, self._digest, self.state.aggregates)
        if self.checkpoint:
            self._restore_records(self.checkpoint, stagnation)
        self._stopped = self._begin()
        self._show()
        while not (self._ended or self.job.interrupts.ends) and len(self.trace) < self.limit:
            most = self._most(stagnation)
            if self.plan.persistent:
                self._run_persistent(most)
            else:
                self._run_batch(most)
            if not (self._stopped or self._converged):
                self._endless = stagnation.check(self.trace)
                if not self._endless and self._begins_again(time.perf_counter() - started):
                    break
        self._end(stagnation)
        self.seconds = time.perf_counter() - started
        if self.plan.header.reals and not self.keeps:
            self.nans = self._count_nans()
        return self._ending()

    @property
    def needs_order(self) -> str:
        """Why the run must begin again in supersteps; "" if it need not."""
        if self._stopped != Stop.ORDER:
            return ""
        if self.state.control["ordered"][0] == Again.ROW_IS_LONG:
            return (
                f"apply looks at more than {MOST_LOOKED} neighbors of a vertex, for which all "
                "other work-items of a GPU would wait: let it stop early, as that of "
                "ConnectedComponents does in the tree of g.hub, or send values along arcs and "
                "combine them"
            )
        return self.plan.traits.why_order

    def _begin_progress(self, progress: Progress) -> None:
        # Of a program of several stages, only the end of this stage is known.
        known = self.fixed is not None and not self.program.run_by
        progress.begin(self.program.title(), progress.done + self.limit if known else None)

    @property
    def _ended(self) -> bool:
        """Whether the run has ended, other than by its number of supersteps or Ctrl-C."""
        return bool(self._stopped or self._converged or self._endless)

    def _most(self, stagnation: StagnationDetector) -> int:
        """The number of supersteps before which the host need not look at the run, whose state it
        saves first if that is due."""
        due = stagnation.due
        if self.checkpoint:
            if self.placement.every(self.checkpoint.is_due(len(self.trace)))[0]:
                self._save(self.checkpoint, stagnation)
            due = min(due, self.checkpoint.next_at())
        if self.long_run:
            due = min(due, self.long_run.due)
        return int(min(self.limit, due)) - len(self.trace)

    def _begins_again(self, seconds: float) -> bool:
        """Whether the run is to begin again, in any order or by another delivery."""
        if self.job.interrupts.ends or len(self.trace) == self.limit:
            return False
        if self.senders is not None:
            self.senders.see(self._last_records["arcs"], seconds)
            if self.senders.better:
                return True
        if self.long_run is None:
            return False
        self.long_run.see(self._last_records["active"], seconds)
        return self.long_run.begins_again

    def _end(self, stagnation: StagnationDetector) -> None:
        """After the last superstep: save the state, and complete what is read from it."""
        ended = self._ended or len(self.trace) == self.fixed
        if self.checkpoint and not ended and len(self.trace) > self.checkpoint.done:
            self._save(self.checkpoint, stagnation)
        if self._first_values is not None:  # there was no superstep to start with
            self.launcher.launch(START, **self._first_values)
            self._first_values = None
            self._commit_first()
        if self._unread:
            self._stopped = self._first_stop(self.launcher.records(0)[0])
        if self.keeps:
            self._write_mask()
        options, by_share = self.job.options, self.graph._shared is not None
        if by_share and not (options.collect or options.why_whole):
            self.state.has_all_arcs = False
        if options.collect or self.state.has_all:
            self.placement.complete(self.earlier + len(self.trace), self.state.has_all_arcs)
            self.state.has_all = True

    def _ending(self) -> Ending:
        """Why the run has ended."""
        if not self.graph.num_vertices:
            return Ending("the graph has no vertices", True)
        if self._stopped == Stop.RULE:
            return Ending(f"stop is true: {self.program.spec.stop}", True)
        if self._stopped == Stop.EMPTY_MASK:
            return Ending("no vertex is active and no message is pending", True)
        if self._converged:
            return Ending("converged() returned True", True)
        if self._endless:
            return Ending(self._endless, False)
        if self.fixed is not None and len(self.trace) == self.fixed:
            plural = "s" * (self.fixed != 1)
            return Ending(f"ran the requested {self.fixed} superstep{plural}", True)
        if self.job.interrupts.ends:
            return Ending("interrupted by Ctrl-C", False)
        reached = Message("reached ", Option("max_supersteps", self.limit))
        return Ending(reached + " before it converged", False)

    def _first_batch(self) -> int:
        """The number of supersteps to enqueue before it is known how long one takes."""
        if self.placement.ends_batches:
            return MOST_AHEAD
        each = (self.state.num_arcs + self.graph.num_vertices) * self.program.lanes
        return min(MOST_AHEAD, max(1, _FIRST_BATCH[self.device.kind] // max(each, 1)))

    def _count_nans(self) -> dict[str, tuple[int, int]]:
        names, last = self.plan.header.reals, self.graph.num_vertices
        counts = self._counted_nans
        if self.state.is_local:  # the device has only some of the vertices
            found = {n: self._own_nans(n) for n in names if n not in self.state.read_only}
            own = {n: counted for n, counted in found.items() if counted[0]}
            return own if self.state.has_all else self._nans_of_all(own)
        if counts is None:
            self.state.clear(Key(RUN, "nans"))
            self.launcher.launch(NANS)
            counts = self.launcher.read("nans", np.empty((len(names), 2), np.int32)).tolist()
        nans = {
            n: (many, last - from_last)
            for n, (many, from_last) in zip(names, counts, strict=True)
            if many
        }
        if self.state.numbering is None:
            return nans
        return {n: (many, int(self._nan_at(n)[0])) for n, (many, _) in nans.items()}

    def _nans_of_all(self, own: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
        """`nans` of the vertices of all processes, from those of this one, numbered from 0."""
        vertices, nans = self.state.own_vertices(), dict[str, tuple[int, int]]()
        named = {name: (many, int(vertices[first])) for name, (many, first) in own.items()}
        for name, (many, first) in (
            each for one in self.placement.every(named) for each in one.items()
        ):
            before, least = nans.get(name, (0, first))
            nans[name] = before + many, min(least, first)
        return nans

    def _nan_at(self, name: str) -> np.ndarray:
        """The vertices at which a field is NaN, in the graph's order."""
        return _nan_rows(self.state.field(name, VERTEX))

    def _own_nans(self, name: str) -> tuple[int, int]:
        """How often a field is NaN, and where first, among the rows that this process has."""
        many = first = 0
        for begin, values in self.state.pieces(name):
            at = _nan_rows(values)
            first = first if many or not len(at) else begin + int(at[0])
            many += len(at)
        return many, first

    # The mask, and how a run begins -----------------------------------------------------------

    def _write_mask(self) -> None:
        """Convert the mask to bytes, if the delivery has it in another form."""
        leave = self.plan.delivery.active.leave
        if leave and self.plan.traits.masked:
            self.state.clear(MASK)
            self.launcher.launch(leave)

    def _read_mask(self) -> None:
        """Convert the mask and pending messages to the form of the delivery, and count them."""
        pending = self.state.pending
        self.state.write_control()
        delivery = self.plan.delivery
        for key in self.state.layout.clears:
            self.state.clear(key)
        if self.plan.traits.masked:
            self.launcher.launch(delivery.active.enter)
            self._enqueue_finish(self.placement.start(0), 0, GOING_ON)
            self.state.control = self.launcher.records(0)
            self.state.control["under_way"] = pending

    def _digest(self) -> bytes:
        self._write_mask()
        return b"".join(self.placement.every(self.state.digest()))

    def _save(self, checkpoint: Checkpoint, stagnation: StagnationDetector) -> None:
        self._write_mask()
        self.placement.complete(self.earlier + len(self.trace))
        saved = self.state, self._kept_records, stagnation.known
        checkpoint.save(*saved, writes=self.placement.writes_files)
        self.placement.resume(self.earlier + len(self.trace))
        self.state.shared_values.clear()  # they would take memory until the end

    def _restore_records(self, checkpoint: Checkpoint, stagnation: StagnationDetector) -> None:
        """Take over a checkpoint's records of the earlier supersteps."""
        if checkpoint.saved:
            self.earlier = 0
            records = checkpoint.saved.records.view(self.plan.header.control).reshape(-1)
            self._record(records, lambda: [()] * len(records))
            stagnation.restore(checkpoint.saved.watch)
        checkpoint.start_clock()

    def _begin(self) -> int:
        """Prepare the first superstep; returns the reason to stop before it, or 0."""
        self._fill()
        if self.start.resumes:
            self.placement.resume(self.earlier + len(self.trace))
        stopped = self._resume() if self.start.resumes else self._start()
        all_scatter = self.plan.delivery.active.all_scatter
        if all_scatter and self.program.spec.scatter_on == "all":
            self.launcher.launch(all_scatter, starting=self._first_values is not None)
        # Its work-groups add to these.
        if self.plan.persistent and self._first_values is None:
            for name in ("tallies", "counts"):
                self.state.clear(Key(RUN, name))
        return stopped

    def _fill(self) -> None:
        """Set the initial content of the buffers that no earlier run has left."""
        for key, begins in self.state.unset.items():
            if key in self.loaded.started and not self.start.resumes:
                continue
            if begins == EMPTY:
                self.launcher.launch(EMPTY_INBOX, cells=self.state.buffers[key])
            else:
                self.state.clear(key)

    def _resume(self) -> int:
        """Continue from a kept State without changes."""
        self._read_mask()
        return self._idle()

    def _idle(self) -> int:
        """Stop.EMPTY_MASK if the program ends on an empty mask and the mask is empty, else 0."""
        if not self.plan.traits.masked or not self.program.spec.ends_on_empty_mask:
            return 0
        idle = not self.state.control["next_active"][0] and not self.state.pending
        return Stop.EMPTY_MASK if idle else 0

    def _start(self) -> int:
        """Run the init expressions and the init snippet, and set the first mask."""
        state = self.state
        mask = self.start.mask
        if self.start.kept_mask:  # read it before the kernels overwrite it
            kept_mask = state.read(MASK, np.empty(self.graph.num_vertices, np.uint8))
            mask = kept_mask if mask is None else mask | kept_mask
        fields = {"given": state.given, "partly": state.partly, "kept": state.kept}
        values = {**fields, "own_mask": mask is None}
        arc_state = self.plan.traits.arc_state
        if mask is None and self.plan.persistent and not (self.watch or arc_state):
            self._first_values = values
            return 0
        self.launcher.launch(START, **values)
        state.partly = None
        if arc_state:
            self.launcher.launch(START_ARCS, kept_arcs=state.kept_arcs)
        self._commit_first()
        if mask is None and not (self.watch or self.plan.persistent):
            return 0  # the first supersteps find it out
        stopped = self._first_stop(self.launcher.records(0)[0])
        if mask is None:
            return stopped
        state.write(MASK, mask)  # instead of the program's own
        state.control["stopped"] = 0
        self._read_mask()
        return self._idle()

    def _commit_first(self) -> None:
        """Enqueue the commit of the first mask."""
        self._unread = True
        self._enqueue_finish(self.placement.start(self.groups), 0, 1)
        self.state.swap()

    def _first_stop(self, record: np.void) -> int:
        """The reason to stop by the record from before the first superstep, or 0."""
        self._unread = False
        self.state.control = copied(record.reshape(1))
        self._check(record)
        return int(record["stopped"])

    # Supersteps -------------------------------------------------------------------------------

    def _run_batch(self, most: int) -> None:
        """Run up to `most` supersteps, and find out how many to enqueue next."""
        count = min(self._ahead, most)
        before = time.perf_counter()
        self._stopped, self._converged = self._batch(count)
        each = (time.perf_counter() - before) / count
        if self._runs_ahead and self.placement.ends_batches:
            self._ahead = MOST_AHEAD
        elif self._runs_ahead:
            # A rule may hold at any time, and the supersteps enqueued after it do nothing: they are
            # few, compared with those that have run.
            few = max(min(2 * self._ahead, _FEW_AHEAD), len(self.trace) // 4)
            soon = few if self.fixed is None else MOST_AHEAD
            self._ahead = min(soon, max(1, int(_AHEAD / max(each, 1e-9))), MOST_AHEAD)

    def _batch(self, count: int) -> tuple[int, bool]:
        """Run up to `count` supersteps; the device stops by itself when the program's rule holds.

        Returns:
            The reason why it stopped, or 0; and whether the method `converged` returned true.
        """
        events: list[list[Launched]] = []
        self.placement.begin_batch(_AHEAD)
        for number in range(count):
            events.append(self._enqueue_superstep(number))
            if self.placement.batch_ends:
                break
        count = len(events)
        if len(self.trace) - self._timed >= _UNTIMED:
            for read_times in self._untimed:
                read_times()
            self._untimed, self._timed = [], len(self.trace)
        read = self.launcher.records(count)
        records = read[1:]
        if self._unread and (stopped := self._first_stop(read[0])):
            for _ in range(count):  # these did nothing
                self.state.swap()
            return stopped, False
        stops = np.flatnonzero(records["stopped"])
        done = int(stops[0]) + 1 if len(stops) else count
        for _ in range(count - done):  # these did nothing
            self.state.swap()
        stopped = int(records["stopped"][done - 1])
        complete = done - (stopped in (Stop.OVERFLOW, Stop.FAULT))

        @functools.cache
        def times() -> list[tuple[KernelTime, ...]]:
            # NVIDIA's driver only gives the times of an event after waiting for that event itself.
            cl.wait_for_events([launched.event for each in events for launched in each])
            took = [tuple(map(Launched.time, each)) for each in events[:complete]]
            events.clear()
            return took

        if complete:
            self._untimed.append(times)
            self._add(records[:complete], times)
        self._check(records[done - 1])
        if stopped or self.fixed is not None or self.program.converged is None:
            return stopped, False
        return 0, self.program.converged(self.trace[-1])

    def _show(self) -> None:
        """Give the state between two supersteps to `watch`."""
        if self.watch is not None:
            self._write_mask()
            last = self.trace[-1] if self.trace else None
            self.watch(self.state.snapshot(last, self._sent, self.plan.traits.masked))

    def _add(self, records: np.ndarray, times: Callable[[], list[tuple[KernelTime, ...]]]) -> None:
        """Add supersteps that have run to the trace, and call the callback for each."""
        self._record(records, times)
        self._show()
        if self.callback is not None:
            for each in self.trace[-len(records) :]:
                self.callback(each)

    def _record(
        self, records: np.ndarray, times: Callable[[], list[tuple[KernelTime, ...]]]
    ) -> None:
        """Add supersteps to the trace. Each step is made when it is first used."""
        first, reasons = self.earlier + len(self.trace), self.placement.reasons(len(records))
        steps = RecordedSteps(
            self.program.spec.aggregates, self.loaded, records, first, times, reasons
        )
        self.deliveries |= dict.fromkeys(steps.ways())
        self.trace.extend(len(records), steps.step)
        self.state.control = copied(records[-1:])
        self._last_records = records
        if self.progress:
            active, messages = records["active"][-1], records["messages"][-1]
            self.progress.advance(len(records), f"{active:,} active, {messages:,} messages")
        if self.checkpoint:
            self._kept_records.append(records)

    def _run_persistent(self, most: int) -> None:
        """Run up to `most` supersteps in one launch."""
        # Callbacks are called after a launch: the first launches are short for them. With `watch`,
        # each launch has one superstep.
        many = RECORDS if self.callback is None and self._runs_ahead else self._ahead
        self._stopped = self._launch_persistent(min(most, many))
        self._ahead = min(RECORDS, 2 * self._ahead) if self._runs_ahead else 1

    def _launch_persistent(self, most: int) -> int:
        """Run up to `most` supersteps in one launch; returns the reason to stop, or 0."""
        state, launch = self.state, self.plan.delivery.persistent
        assert launch
        if self.trace:  # else its words are as the State has initialized them
            state.clear(TEAM)
        first, self._first_values = self._first_values, None
        starting = first is not None
        least, greatest = self.bounds
        if len(self.launcher.arrays.graphs) > 1:
            # The kernel exchanges them when it has committed the first mask, too.
            superstep = self.earlier + len(self.trace)
            self.launcher.arrays.select_arcs(superstep + starting)
        size = self.graph.num_vertices, self.state.num_arcs
        # As many as the groups of a launch that would have vertices.
        starts = -(-size[0] * self.program.lanes // self.plan.group)
        # As in the other form, if there is one.
        parts = self.launcher.groups(self.plan.later[-1]) if self.plan.later else self.groups
        launched = self.launcher.launch(
            launch,
            self.plan.persistent_groups(self.device, *size, parts),
            **(first or _NO_FIRST_VALUES),
            starting=starting,
            num_tallies=max(1, min(self.groups, starts)),
            ask_stop=self.fixed is None,
            least_arcs=least,
            most_arcs=greatest,
            supersteps=most,
            most_work=_MOST_WORK[self.device.kind],
            most_parts=state.layout.extent.block_groups,
            fresh=self._fresh,
        )
        self._fresh, state.partly = False, None
        words, nans, records = self._team(min(most, MOST_AHEAD))
        if words[Team.FAILED] or words[Team.PHASE] != Phase.END:
            raise DeviceError(
                f"{self.device} did not run all the work-groups that had begun "
                f"{type(self.program).__name__}, whose supersteps are one kernel; the run's state "
                "is lost. Give ",
                Option("delivery", "pull"),
                " or 'slots', and please report this",
            )
        self._counted_nans = nans
        if words[Team.SWAPPED]:
            state.swap()
        done = words[Team.DONE]
        if done > len(records):
            *_, records = self._team(done)
        if not done:
            self._check(records[0])
            state.control = copied(records[:1])
            return int(state.control["stopped"][0])
        records = copied(records[:done])
        stopped = int(records["stopped"][-1])
        if stopped in (Stop.OVERFLOW, Stop.FAULT):
            self._check(records[-1], done - 1)

        def times() -> list[tuple[KernelTime, ...]]:
            """The launch's time, divided among the supersteps."""
            ticks = records["ticks"].astype(np.float64)
            if ticks.min() < 0 or not ticks.sum():  # without a clock, each gets the same time
                ticks[:] = 1
            launched.event.wait()  # else NVIDIA's driver may not give its times
            name, begin, took = launched.time()
            shares = took * ticks / ticks.sum()
            begins = begin + np.cumsum(shares) - shares
            shared = zip(begins.tolist(), shares.tolist(), strict=True)
            return [(KernelTime(name, *each),) for each in shared]

        self._add(records, times)
        return stopped

    def _team(self, count: int) -> tuple[list[int], list[list[int]], np.ndarray]:
        """Wait for the kernel: the words of its team; how many NaN it has counted, as `gascl_nans`
        does; and the first `count` records."""
        control, reals = self.plan.header.control, len(self.plan.header.reals)
        size = team_bytes(reals)
        read = self.launcher.read("team", np.empty(size + count * control.itemsize, np.uint8))
        words = read[:size].view(np.int32)
        nans = words[STRIDE * len(Team) :][: 2 * reals].reshape(reals, 2).tolist()
        told = words[: STRIDE * len(Team) : STRIDE].tolist()
        return told, nans, read[size:].view(control)

    def _enqueue_superstep(self, number: int) -> list[Launched]:
        """Enqueue a superstep, after `number` that are not in the trace yet."""
        events: list[Launched] = []
        launcher, traits = self.launcher, self.plan.traits
        first, self._fresh = self._fresh, False
        superstep = self.earlier + len(self.trace) + number
        if len(launcher.arrays.graphs) > 1:
            launcher.arrays.select_arcs(superstep)
        if traits.snapshots:
            events.append(launcher.launch(SNAPSHOT))
        if traits.pairs:
            events += self._enqueue_pairs()
        launches = self.plan.first if first else self.plan.later
        if self.watch is not None and self.plan.delivery.stores:
            scatter, *launches = launches
            events += self._scatter(scatter, superstep)
        launched, tallies = self.placement.superstep(launches, superstep)
        events += launched
        if traits.shares:  # its groups add to the tallies
            launch, had = self.plan.delivery.shared_rows(traits), tallies.number
            tallies = tallies._replace(number=max(had, self.groups))
            events.append(launcher.launch(launch, tallies.number, num_tallies=had))
        events += self._enqueue_finish(tallies, 1 + number, 0)
        self.state.swap()
        launcher.queue.cl.flush()
        return events

    def _scatter(self, launch: Launch, superstep: int) -> list[Launched]:
        """Enqueue the scatter of a delivery that stores messages, and read them."""
        delivery, traits = self.plan.delivery, self.plan.traits
        if not traits.every_arc_sends:
            self.state.clear(Key(delivery.name, "sent"))  # of messages that no vertex has taken
        events, _ = self.placement.superstep([launch], superstep)
        self._sent = self.state.messages(delivery.name, traits)
        return events

    def _enqueue_pairs(self) -> list[Launched]:
        """Enqueue the pairs snippet, which computes a box for each vertex of this process."""
        buffers, ranges = self.state.buffers, self.state.layout.ranges
        first, last = self.launcher.arrays.graph.rows
        if first == last:  # a rank may have no rows
            return []
        if self.plan.traits.near:
            return self._enqueue_near(first, last)
        blocks = self.groups  # each handles a range of blocks
        if self.plan.group > 1:
            blocks = ranges * -(-(last - first) // self.plan.group)
        boxes = buffers[Key(RUN, "paired" if ranges == 1 else "boxes")]
        given = {"boxes": boxes, "splits": ranges, "first_row": first, "last_row": last}
        events = [self.launcher.launch(PAIRS, blocks, **given)]
        if ranges > 1:
            events.append(self.launcher.launch(PAIRS_JOIN, **given))
        return events

    def _enqueue_near(self, first: int, last: int) -> list[Launched]:
        """Enqueue the pairs by distance of the vertices from first to last."""
        launch, shares = self.launcher.launch, min(self.groups, MOST_BOUNDS)
        events = [launch(NEAR_BOUNDS, shares), launch(NEAR_KEYS, shares=shares)]
        order = self._sort_places(events)
        events.append(launch(NEAR_LEAVES, order=order))
        sizes = levels(self.graph.num_vertices)
        large = [level for level, size in enumerate(sizes) if level and size > _ONE_GROUP]
        for level in large:
            groups = min(self.groups, sizes[level])
            events.append(launch(NEAR_LEVELS, groups, first_level=level, last_level=level + 1))
        above = 1 + len(large)
        events.append(launch(NEAR_LEVELS, 1, first_level=above, last_level=len(sizes)))
        searches = self.groups
        if self.plan.group > 1:
            searches = -(-self.graph.num_vertices // receivers_together(self.plan.group))
        rows: dict[str, Any] = {"order": order, "first_row": first, "last_row": last}
        return [*events, launch(NEAR_PAIRS, searches, **rows)]

    def _sort_places(self, events: list[Launched]) -> Any:
        """Enqueue the sort of the vertices by their places; returns the buffer with the order."""
        launch, buffers = self.launcher.launch, self.state.buffers
        layout, group = self.state.layout, self.plan.group
        names = ("place_keys", "places"), ("place_keys_to", "places_to")
        side, other = ([buffers[Key(RUN, name)] for name in each] for each in names)
        lanes = self.plan.header.lanes
        if group == 1:
            events.append(launch(NEAR_SORT, lanes))
            return other[1]
        keys, bits = layout.extent.vertices * lanes, CURVE_BITS + (lanes - 1).bit_length()
        memory = buffers[Key(RUN, "digit_counts")], buffers[Key(RUN, "digit_sums")]

        def run(name: str, groups: int, *arguments: Any) -> None:
            kernel = RADIX[f"gascl_{name}"]
            named = dict(zip(kernel.arguments, arguments, strict=True))
            events.append(launch(kernel, groups, **named))

        side, _ = radix_sort(run, side, other, keys, bits, memory, (group, self.groups))
        return side[1]

    def _enqueue_finish(self, tallies: Tallies, place: int, starting: int) -> list[Launched]:
        """Enqueue the end of a superstep: commit the mask, add up totals, decide how to continue.

        Args:
            place: the index of the record; 0 is the record from before the first superstep.
        """
        events, counts = [], 0
        if self.plan.traits.masked:
            counts = self.groups
            lists = self.plan.delivery.active.lists_receivers and self.plan.traits.lists_directly
            if starting or not lists or self.placement.lists_again:
                for commit in self.plan.commits:
                    events.append(self.launcher.launch(commit, starting=starting))
        if tallies.counts:  # those of all ranks, added up
            counts = 1
        least, most = self.bounds
        finished = self.launcher.launch(
            FINISH,
            instead=tallies.instead,
            num_tallies=tallies.number,
            num_counts=counts,
            starting=starting,
            ask_stop=self.fixed is None,
            least_arcs=least,
            most_arcs=most,
            record=place,
        )
        return [*events, finished]

    def _check(self, record: np.void, ahead: int = 0) -> None:
        """Raise the error that a record reports, if it does.

        Args:
            ahead: the number of supersteps before it that are not in the trace yet.
        """
        step = self.earlier + len(self.trace) + ahead
        if record["stopped"] == Stop.OVERFLOW:
            label = self.graph.label_of(int(record["overflow"]))
            wide, message = self.plan.header.message.itemsize == 8, self.plan.header.message
            wider = "'real', which rounds" if wide else "'int64' or 'real'"
            if message.boxed:  # sums of arrays of 64-bit integers are refused
                width, narrow = message.width, message.scalar.itemsize < 4
                wider = f"'int32({width})' or " * narrow + f"'real({width})', which rounds"
            raise GasclError(
                self.program.title(),
                f": a message at vertex {label!r} overflowed {self.program.spec.message} "
                f"in superstep {step}; declare a wider type, such as message = {wider}",
            )
        if record["stopped"] == Stop.FAULT:
            faults = self.placement.faults()
            kind, line = np.unravel_index(np.argmin(faults), faults.shape)
            label = self.graph.label_of(int(faults[kind, line]))
            place = self.plan.places[line - 1]
            what = FAULT_MESSAGES[Fault(int(kind))].format(last=self.graph.num_vertices - 1)
            what = f": vertex {label!r} {what}, in superstep {step}"
            raise ProgramError(self.program.title(), what, place=place)


def _nan_rows(values: np.ndarray) -> np.ndarray:
    """The rows that have NaN."""
    nans = np.isnan(values)
    return np.flatnonzero(nans.any(axis=tuple(range(1, nans.ndim))))
