"""`Placement`: where the arcs of a run are, and how its supersteps therefore run.

One device has all arcs, or they are streamed to it part by part, or several ranks share them, each
of which may stream its own. The superstep loop is the same for all.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.delivery.buffers import PENDING
from gascl.delivery.exchanged_rows import fills_ahead
from gascl.delivery.launch import CLEAR_REMOTE_INBOXES, NEEDED, RECEIVE_REMOTE, TOTAL, Launch
from gascl.delivery.run_layout import RUN, Key
from gascl.device_graph.stream import TALLIES
from gascl.distributed.exchange import COUNTS, REMOTE_MESSAGES, Exchange
from gascl.distributed.ranks import Ranks
from gascl.language.spec import ProgramSpec
from gascl.run.launcher import Launched, Launcher


class Tallies(NamedTuple):
    """The tallies of a superstep's work-groups.

    Attributes:
        number: how many there are.
        instead: the buffer with them, in place of the run's own; None: they are in that one.
        counts: `instead` has the numbers of the next mask, too, of all ranks.
    """

    number: int
    instead: Mapping[Key, Any] | None = None
    counts: bool = False


class Placement:
    """One device has all arcs.

    Attributes:
        ends_batches: `batch_ends` says when to read the records of supersteps, so that any number
            of them may be enqueued.
        lists_again: the next frontier comes from all ranks, and must be listed even if apply has
            listed it.
        writes_files: this process writes the files of the run.
        batch_ends: no superstep is to be enqueued before the records are read.
    """

    ends_batches = lists_again = batch_ends = False
    writes_files = True

    def __init__(self, launcher: Launcher):
        self.launcher = launcher

    def resume(self, superstep: int) -> None:
        """Prepare complete buffers for the next superstep: those of an earlier run, or after
        `complete`."""

    def begin_batch(self, seconds: float) -> None:
        """Begin a batch of supersteps that should take about this many seconds."""

    def begin_superstep(self) -> list[Launched]:
        """Find out which arcs the next superstep needs."""
        return []

    def start(self, groups: int) -> Tallies:
        """The tallies of the start of a run, and the counts of its first mask, before its commit.

        Args:
            groups: the number of tallies.
        """
        return Tallies(groups)

    def superstep(
        self, launches: Iterable[Launch], superstep: int
    ) -> tuple[list[Launched], Tallies]:
        """Enqueue the kernels of the delivery in a superstep, and combine what all processes have
        computed; returns the tallies of all."""
        events, tallies = list[Launched](), Tallies(1)
        for launch in launches:
            launched, tallies = self.launch(launch, superstep)
            events += launched
        return events, tallies

    def launch(self, launch: Launch, superstep: int) -> tuple[list[Launched], Tallies]:
        """Enqueue a kernel of the delivery, and the commands that must follow it."""
        groups = self.launcher.groups(launch)
        return [self.launcher.launch(launch, groups)], Tallies(max(groups, 1))

    def reasons(self, count: int) -> list[str]:
        """For each of the first supersteps of the batch, why arcs were not all read at once."""
        return [""] * count

    def complete(self, superstep: int, arcs: bool = True) -> None:
        """Fetch the data that only other processes have, before superstep `superstep`.

        Args:
            arcs: also the values of arc fields.
        """

    def bounds(self, arcs: Sequence[int]) -> Sequence[int]:
        """Numbers of arcs of a frontier, of those that this process counts."""
        return arcs

    def close(self) -> None:
        """After the run."""

    def every(self, value: Any) -> list[Any]:
        """The value of each process."""
        return [value]

    def faults(self) -> np.ndarray:
        """`State.faults` of all processes."""
        return self.launcher.state.faults(self.launcher.plan)


class StreamedArcs(Placement):
    """The arcs are streamed to the device in parts: see `ArcStream`."""

    def __init__(self, launcher: Launcher):
        super().__init__(launcher)
        self._needed: list[int] = []  # the numbers of the parts that the superstep needs
        self._counts: list[int] = []  # how many these were, in each superstep of the batch

    def begin_batch(self, seconds: float) -> None:
        self._counts = []

    def begin_superstep(self) -> list[Launched]:
        launcher, stream = self.launcher, self.launcher.arrays.stream
        if stream.reaches is None:
            self._needed = list(range(len(stream.parts)))
            return []
        launched = launcher.launch(NEEDED, reaches=stream.reaches)
        # The host learns which parts these are only after the previous superstep.
        words = launcher.read("needed", np.empty(launcher.device.groups, np.uint32))
        self._needed = stream.needed(words)
        self._counts.append(len(self._needed))
        return [launched]

    def superstep(
        self, launches: Iterable[Launch], superstep: int
    ) -> tuple[list[Launched], Tallies]:
        asked = self.begin_superstep()
        events, tallies = super().superstep(launches, superstep)
        return asked + events, tallies

    def launch(self, launch: Launch, superstep: int) -> tuple[list[Launched], Tallies]:
        if launch.over != "in_blocks":
            return super().launch(launch, superstep)
        launcher, stream = self.launcher, self.launcher.arrays.stream
        spec, events = launcher.state.layout, list[Launched]()
        keys = [key for key in spec.arguments[launch.kernel] if isinstance(key, Key)]
        most = spec.extent.block_groups
        groups = [min(stream.blocks_of(n), most) for n in range(len(stream.parts))]
        numbers, traits = stream.resident_first(), launcher.plan.traits
        if traits.only_receivers and not fills_ahead(traits, launcher.plan.delivery):
            numbers = [number for number in numbers if number in self._needed]
            groups = [count if n in numbers else 0 for n, count in enumerate(groups)]
        begins = list(itertools.accumulate(groups, initial=0))  # of the tallies, by part
        size = launcher.plan.header.tally.itemsize
        for number in numbers:
            part = stream.load(number, keys, number in self._needed)
            blocks = stream.blocks_of(number)
            where = groups[number], part.buffers, part.place.ready
            launched = launcher.launch(
                launch,
                *where,
                num_in_blocks=blocks,
                offsets_from=stream.parts[number].first,
                first_row=stream.parts[number].first,
                last_row=stream.parts[number].last,
            )
            part.place.readers = [launched.event]
            events.append(launched)
            if TALLIES in keys:
                cl.enqueue_copy(
                    launcher.device.queue,
                    launcher.state.buffers[TALLIES],
                    part.buffers[TALLIES],
                    byte_count=groups[number] * size,
                    dst_offset=begins[number] * size,
                )
        return events, Tallies(begins[-1] if TALLIES in keys else 0)

    def reasons(self, count: int) -> list[str]:
        why = f"the arcs come in {self.launcher.state.layout.extent.parts} parts"
        needed = [f"{why}, {number} of them needed" for number in self._counts[:count]]
        return needed + [why] * (count - len(needed))


class SharedByRanks(Placement):
    """Several ranks share the arcs: each applies its own range of the vertices.

    Args:
        local: where the arcs of this rank are.
    """

    ends_batches = lists_again = True

    def __init__(self, local: Placement, exchange: Exchange):
        super().__init__(local.launcher)
        self._local, self._exchange, self._ranks = local, exchange, exchange.ranks
        self.writes_files = self._ranks.rank == 0
        self.launcher.interrupts.agreed = False

    def resume(self, superstep: int) -> None:
        if REMOTE_MESSAGES in self.launcher.state.buffers:
            self._empty_inboxes(superstep)

    def begin_batch(self, seconds: float) -> None:
        self._local.begin_batch(seconds)
        self._exchange.due = time.perf_counter() + seconds

    def launch(self, launch: Launch, superstep: int) -> tuple[list[Launched], Tallies]:
        exchange, launcher = self._exchange, self.launcher
        if launch.over == "in_blocks":
            if exchange.pieces:
                return self._launch_pieces(launch)
            rows = launcher.arrays.graph.rows
            return self._local.launch(launch, superstep) if rows[0] < rows[1] else ([], Tallies(0))
        if launch.over in ("cut_segments", "cut_rows"):
            some = bool(launcher.groups(launch))
            launched = self._local.launch(launch, superstep) if some else ([], Tallies(0))
            if launch.over == "cut_segments":
                exchange.boxes[launcher.arrays.graph].exchange()
            return launched
        events, tallies = self._local.launch(launch, superstep)
        if launch.over == "out_blocks":
            exchange.end_scatter()
            if launcher.plan.traits.scatter_sends_to:
                events += self._exchange_messages(superstep, "")
        return events, tallies

    def _launch_pieces(self, launch: Launch) -> tuple[list[Launched], Tallies]:
        """Enqueue a kernel for each piece of the vertices, and publish what it computes."""
        exchange, events = self._exchange, list[Launched]()
        for number, piece in enumerate(exchange.pieces):
            where = piece.groups, piece.buffers
            events.append(self.launcher.launch(launch, *where, num_in_blocks=piece.blocks))
            exchange.publish(number, events[-1].event)
        number = sum(piece.groups for piece in exchange.pieces)
        return events, Tallies(number, {TALLIES: exchange.tallies})

    def superstep(
        self, launches: Iterable[Launch], superstep: int
    ) -> tuple[list[Launched], Tallies]:
        launcher, asked = self.launcher, self._local.begin_superstep()
        launched, (number, instead, _) = super().superstep(launches, superstep)
        added = launcher.launch(TOTAL, instead=instead, num_tallies=number)
        events = [*asked, *launched, added]
        totals = self._exchange.end_superstep(launcher.interrupts, superstep)
        self.batch_ends = self._exchange.ends
        if totals.under_way:
            events += self._exchange_messages(superstep + 1, "_next")
        instead = {TALLIES: totals.tallies}
        if totals.counts is not None:
            instead[COUNTS] = totals.counts
        return events, Tallies(self._ranks.size, instead, COUNTS in instead)

    def start(self, groups: int) -> Tallies:
        launcher, instead = self.launcher, dict[Key, Any]()
        if launcher.state.is_local and launcher.plan.traits.init_adds and groups:
            launcher.launch(TOTAL, num_tallies=groups)
            groups, instead[TALLIES] = self._ranks.size, self._exchange.first_tallies()
        counts = self._exchange.first_counts()
        if counts is not None:
            instead[COUNTS] = counts
        return Tallies(groups, instead, counts is not None)

    def _exchange_messages(self, superstep: int, when: str) -> list[Launched]:
        """Deliver messages of `send_to` to the ranks that apply their receivers in a superstep.

        Args:
            when: as in `Exchange.remote_messages`.
        """
        launcher, state = self.launcher, self.launcher.state
        parts = launcher.arrays.graph_of(superstep).parts
        messages = self._exchange.remote_messages(parts, when)
        events = [self._empty_inboxes(superstep)]
        room = state.layout.own[REMOTE_MESSAGES].count
        names = PENDING if when else ()
        inbox = {Key(RUN, n): state.buffers[Key(RUN, f"{n}{when}")] for n in names}
        for begin in range(0, len(messages), room):
            batch = messages[begin : begin + room]
            state.write(REMOTE_MESSAGES, batch)
            number = len(batch)
            events.append(
                launcher.launch(RECEIVE_REMOTE, instead=inbox, num_remote_messages=number)
            )
        return events

    def _empty_inboxes(self, superstep: int) -> Launched:
        """Empty the inboxes of the vertices that other ranks apply in a superstep."""
        first, last = self.launcher.arrays.graph_of(superstep).rows
        return self.launcher.launch(CLEAR_REMOTE_INBOXES, first_row=first, last_row=last)

    def reasons(self, count: int) -> list[str]:
        why = f"{self._ranks.size} ranks have a part of the arcs each"
        return [local or why for local in self._local.reasons(count)]

    def complete(self, superstep: int, arcs: bool = True) -> None:
        self._exchange.end_run(superstep)
        if arcs:
            self._exchange.gather_arcs()

    def close(self) -> None:
        self._exchange.close()

    def bounds(self, arcs: Sequence[int]) -> Sequence[int]:
        return arcs if self._exchange.counts_all else [n // self._ranks.size for n in arcs]

    def every(self, value: Any) -> list[Any]:
        return self._ranks.allgather(value)

    def faults(self) -> np.ndarray:
        return self._ranks.elementwise_min(super().faults())


def placement_of(launcher: Launcher, spec: ProgramSpec, ranks: Ranks | None) -> Placement:
    """The placement of a run; all ranks must call this.

    Args:
        spec: the program's.
        ranks: the processes that share the run, or None.
    """
    state = launcher.state
    local = (StreamedArcs if state.layout.extent.parts > 1 else Placement)(launcher)
    if ranks is None or not state.graph.num_vertices:  # there is nothing to exchange
        return local
    return SharedByRanks(local, Exchange(ranks, spec, launcher.plan, state))
