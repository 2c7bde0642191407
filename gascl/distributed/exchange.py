"""`Exchange`: the data that the ranks of a run send each other."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.delivery.buffers import PENDING
from gascl.delivery.exchanged_fields import fills_ahead, shared_fields
from gascl.delivery.run_layout import ARC, GRAPH, RUN, VERTEX, Key
from gascl.device_graph.buffers import part_blocks
from gascl.device_graph.stream import TALLIES
from gascl.distributed.frontier_exchange import FrontierLists
from gascl.distributed.ranks import Ranks
from gascl.distributed.row_exchange import Rows, SharedRows
from gascl.distributed.run_protocols import RunPlan, RunState
from gascl.graph.partition import Part, cut
from gascl.language.spec import ProgramSpec
from gascl.opencl import fork_guard
from gascl.opencl.interrupts import Interrupts

CONTROL, REMOTE_MESSAGES, TOTAL = (
    Key(RUN, name) for name in ("control", "remote_messages", "total")
)
BLOCKS = Key(GRAPH, "in_blocks")
#: The number of rows that are sampled to see whether it pays to look for the changed ones.
SAMPLE = 1024
#: The least bytes of a piece of a rank's vertices, and the most pieces: on an H200, with R-MAT 22,
#: 24 and 26, four took less time than one, eight or sixteen.
PIECE, PIECES = 1 << 21, 4
#: The work of a vertex in a piece, in arcs: on an H200, PageRank gathers along so many in about the
#: time in which 4 bytes are copied to the host and back.
COUNTS_AS = 16
#: The alignment, in bytes, of buffers in shared memory.
_ALIGNED = 4096


class Totals(NamedTuple):
    """The outcome of a superstep in all ranks.

    Attributes:
        tallies: a buffer with a tally of each rank.
        under_way: apply has sent messages with send_to.
    """

    tallies: Any
    under_way: bool


@dataclass(frozen=True)
class _Exchanged:
    """The buffers that the ranks of a run exchange.

    Attributes:
        rows: buffers in which each rank has written the rows of its own vertices, and which other
            ranks read: they are exchanged after each superstep.
        at_end: buffers that are written in the same way, but that no other rank reads: they are
            exchanged when the run ends.
        marks: bytes that any rank may have set for any vertex.
        scattered: such bytes that scatter has set, so that they are exchanged before apply.
        checked: the control record is exchanged, too, since the device may report a fault.
    """

    rows: Sequence[Key]
    at_end: Sequence[Key]
    marks: Sequence[Key]
    scattered: Sequence[Key]
    checked: bool


class Piece(NamedTuple):
    """Some of a rank's vertices, whose values are copied while those of the next are computed.

    Attributes:
        buffers: the row blocks and the tallies of these vertices, in place of those of all.
        blocks, groups: the numbers of row blocks, and of work-groups that handle them.
    """

    buffers: Mapping[Key, Any]
    blocks: int
    groups: int


class Exchange:
    """The data that the ranks of a run send each other, after each superstep and when it ends.

    Ranks of one host share some of its memory: each device copies the rows of its rank to there,
    and those of the other ranks from there. Ranks of several hosts send lists of changed rows.

    All ranks must call the same methods.

    Attributes:
        pieces: of this rank's vertices, if some are copied while others are computed: where no
            kernel of the superstep reads what is copied, and it pays.
        tallies: a buffer with the tallies of all pieces.
        due: when this rank is to read the records of its supersteps, by time.perf_counter().
        ends: all ranks are to read them now: one is due, the devices had stopped before the latest
            superstep, or Ctrl-C was pressed.
    """

    def __init__(self, ranks: Ranks, spec: ProgramSpec, plan: RunPlan, state: RunState):
        self.ranks, self.state, self.device = ranks, state, state.device
        self.due, self.ends = math.inf, False
        self._exchanged = _exchanged(spec, plan, state)
        self._sent_once = set[Key]()  # of these, the host has the rows that were sent last
        tally, control = state.header.tally, state.header.control
        self._tallies = self.device.reserve(ranks.size * tally.itemsize)
        word = np.dtype([("control", control), ("listed", "i8"), ("pending", "?"), ("due", "?")])
        # This rank's word, the words of all ranks, and their tallies on the way to the device.
        ends = np.cumsum([word.itemsize, ranks.size * word.itemsize, ranks.size * tally.itemsize])
        # Programs with words of other sizes use the same memory of the host.
        kept = self._kept(f"words in {ends[-1]} bytes", TOTAL, int(ends[-1]))
        own, every, sent = np.split(kept, ends[:-1])
        self._own, self._every, self._sent = own.view(word), every.view(word), sent.view(tally)
        places, size = {}, 0
        for key in self._exchanged.rows:
            places[key] = size
            size += -(-state.sizes[key] // _ALIGNED) * _ALIGNED
        lists = plan.delivery.active.lists_receivers
        begin, size = size, size + 4 * state.graph.num_vertices * lists
        self._shared = shared = ranks.shared(self.device, 2 * size) if size else None
        # In two halves: while one rank still reads one of them, another may write to the other.
        halves = [] if shared is None else [shared[:size], shared[size:]]
        self._halves = [SharedRows(half, places, state, ranks.rank) for half in halves]
        self._frontier: FrontierLists | None = None
        if lists:
            self._frontier = FrontierLists(ranks, state, [half[begin:] for half in halves])
        self._rows: list[Rows] = []  # of each piece, or of all as one
        self._published: list[list[Any]] = []  # for each of these, the events of its copies
        self.pieces: list[Piece] = []
        # What this superstep reads must stay until it ends.
        ahead = not any(key.owner == VERTEX for key in self._exchanged.rows)
        ahead = ahead and fills_ahead(plan.traits, plan.delivery) and not plan.traits.alternates
        if self._halves and ahead and state.layout.extent.parts == 1:
            self._make_pieces(plan, min(ranks.comm.allgather(self._number_of_pieces())))
        fork_guard.holds_opencl(self)

    def _number_of_pieces(self) -> int:
        """The number of pieces in which it pays to copy the rows of a superstep."""
        if self.device.kind != "GPU" or not self.ranks.owns_gpu:  # else copies wait for kernels
            return 1
        most = max(part.last - part.first for part in self.state.arrays.graph.parts)
        each = sum(self.state.sizes[key] for key in self._exchanged.rows)
        return min(most * each // self.state.graph.num_vertices // PIECE, PIECES)

    def _make_pieces(self, plan: RunPlan, number: int) -> None:
        if number < 2:
            return
        state, device, parts = self.state, self.device, self.state.arrays.graph.parts
        offsets, own = state.arrays.graph.arcs.into.offsets, parts[self.ranks.rank]
        # The last vertices first: where hubs have the first numbers, most vertices have few arcs,
        # and are copied while those with many are computed.
        work = offsets + np.arange(len(offsets)) * COUNTS_AS
        cuts = cut(work, number, own.first, own.last)[::-1]
        cuts += [own._replace(last=own.first)] * (number - len(cuts))
        every = self.ranks.comm.allgather([(part.first, part.last) for part in cuts])
        self._rows = list(zip(*every, strict=True))
        # A buffer within another one can only begin at aligned places.
        tally = state.header.tally.itemsize
        apart = max(int(device.cl.mem_base_addr_align) // 8, 8)
        step = math.lcm(apart, tally) // tally
        tables = [
            part_blocks(offsets, part, plan.group, plan.block, device.groups) for part in cuts
        ]
        most = state.layout.extent.block_groups
        groups = [-(-min(max(len(table), 1), most) // step) * step for table in tables]
        self.tallies = device.reserve(sum(groups) * tally)
        for table, count, end in zip(tables, groups, itertools.accumulate(groups), strict=True):
            within = self.tallies.get_sub_region((end - count) * tally, count * tally)
            empty = np.zeros(max(count - len(table), 0), table.dtype)  # on CPUs, one per group
            blocks = device.upload(np.concatenate([table, empty]))
            self.pieces.append(Piece({BLOCKS: blocks, TALLIES: within}, len(table), count))
        # Two queues, so that copies in one direction do not wait for those in the other.
        self._out, self._in = (cl.CommandQueue(device.context) for _ in range(2))

    # After a superstep ------------------------------------------------------------------------

    def end_scatter(self) -> None:
        """Exchange the marks that scatter has set."""
        self._exchange_marks(self._exchanged.scattered)

    def publish(self, piece: int, computed: Any) -> None:
        """Copy the rows of a piece to where the other ranks see them.

        Args:
            computed: the event after which the rows are computed.
        """
        # Otherwise a queue may wait for ever for an event of a queue that has not been flushed.
        self.device.queue.flush()
        self._published.append(self._halves[0].copy_out(self._out, self._rows[piece], [computed]))

    def end_superstep(self, interrupts: Interrupts, superstep: int) -> Totals:
        """Exchange the outcome of a superstep, once this rank's tallies have been added up."""
        state, queue, ranks = self.state, self.device.queue, self.ranks
        if not self._halves:
            self._exchange_rows(self._exchanged.rows)
        elif not self.pieces:
            self._rows = [self._parts()]
            self._published.append(self._halves[0].copy_out(queue, self._rows[0]))
        coming: list[Any] = []
        for number, copied in enumerate(self._published[:-1]):
            _wait(copied)
            ranks.barrier()  # then all ranks have copied theirs
            coming += self._halves[0].copy_in(self._in, self._rows[number])
        self._exchange_marks(self._exchanged.marks)
        own, every = self._own, self._every
        reads = [cl.enqueue_copy(queue, own["control"], state.buffers[TOTAL], is_blocking=False)]
        if self._frontier:
            reads.append(self._frontier.read(superstep + 1))
        _wait([*itertools.chain(*self._published[-1:]), *reads])
        if self._frontier:
            own["listed"] = self._frontier.publish()
        own["pending"], own["due"] = interrupts.pending, time.perf_counter() > self.due
        ranks.comm.Allgather(own.view(np.uint8), every.view(np.uint8))
        controls = every["control"]
        stopped = bool(controls["stopped"].any())
        if self._published:
            if not stopped:  # else nothing has changed
                last = self._rows[len(self._published) - 1]
                coming += self._halves[0].copy_in(self._in if self.pieces else queue, last)
            if self.pieces and coming:
                cl.enqueue_barrier(queue, wait_for=coming)
            self._halves.reverse()
            self._published.clear()
        if self._frontier:
            self._frontier.write(every["listed"])
        self._sent[:] = controls["tally"]
        cl.enqueue_copy(queue, self._tallies, self._sent, is_blocking=False)
        if self._exchanged.checked:
            for name, worst in (("overflow", np.min), ("fault", np.min), ("under_way", np.max)):
                own["control"][name] = worst(controls[name])
            cl.enqueue_copy(queue, state.buffers[CONTROL], own["control"], is_blocking=False)
        interrupts.agreed = bool(every["pending"].any())
        self.ends = stopped or interrupts.agreed or bool(every["due"].any())
        return Totals(self._tallies, bool(controls["under_way"].any()))

    def _parts(self) -> Rows:
        return tuple((part.first, part.last) for part in self.state.arrays.graph.parts)

    def remote_messages(self, parts: Sequence[Part], when: str) -> np.ndarray:
        """The messages that other ranks have sent to this rank's vertices
        (gascl_remote_message in kernels/remote_messages.cl).

        Args:
            parts: those of the ranks in the superstep in which the messages arrive.
            when: "" if that is this superstep, "_next" if it is the next one.
        """
        state, ranks = self.state, self.ranks
        type_, lanes = state.layout.own[REMOTE_MESSAGES].dtype, state.lanes
        rows = lanes * _rows(parts)

        def inbox(name: str, dtype: Any) -> np.ndarray:
            values = np.empty(state.graph.num_vertices * lanes, dtype)
            return state.read(Key(RUN, f"{name}{when}"), values)

        arrived = inbox("arrived", np.uint32)
        arrived[slice(*rows[ranks.rank])] = 0
        places = np.flatnonzero(arrived)
        sent = np.zeros(len(places), type_)
        if len(places):
            sent["place"], sent["arrived"] = places, arrived[places]
            sent["cell"] = inbox("inbox", type_["cell"])[places]
            if state.sizes[Key(RUN, f"wraps{when}")] >= 4 * len(arrived):
                sent["wraps"] = inbox("wraps", np.int32)[places]
        begins, ends = np.searchsorted(places, rows.T)
        counts, coming = ends - begins, np.empty(ranks.size, np.int64)
        ranks.comm.Alltoall(counts, coming)
        received, size = np.empty(int(coming.sum()), type_), type_.itemsize
        out = (counts * size).tolist(), (begins * size).tolist()
        into = (coming * size).tolist(), ((np.cumsum(coming) - coming) * size).tolist()
        own, others = (array.view(np.uint8) for array in (sent, received))
        ranks.comm.Alltoallv([own, out, ranks.BYTE], [others, into, ranks.BYTE])
        return received

    def end_run(self, superstep: int) -> None:
        """Exchange the buffers that are not exchanged after each superstep.

        Args:
            superstep: the next one, by whose parts the ranks have pending messages.
        """
        self.state.arrays.select_arcs(superstep)
        queue, whole = self.device.queue, self._shared
        for key in self._exchanged.at_end:
            if whole is None or self.state.sizes[key] > len(whole):
                self._exchange_rows([key])
                continue
            shared = SharedRows(whole, {key: 0}, self.state, self.ranks.rank)
            self.ranks.barrier()  # then no rank reads the old rows any more
            _wait(shared.copy_out(queue, self._parts()))
            self.ranks.barrier()  # then all ranks have copied theirs
            _wait(shared.copy_in(queue, self._parts()))
        if whole is not None:
            self.ranks.barrier()  # then no rank reads these rows any more
        self._exchange_arcs()

    # As lists ---------------------------------------------------------------------------------

    def _exchange_rows(self, keys: Iterable[Key]) -> None:
        """Bring the rows of each rank's vertices to all ranks.

        The host keeps the rows that were sent last. If few rows differ, these are sent as a list.
        """
        state, ranks = self.state, self.ranks
        rows = _rows(state.arrays.graph.parts)
        for key in keys:
            size = state.sizes[key] // state.graph.num_vertices
            begins, ends = (rows * size).T.tolist()
            own = slice(begins[ranks.rank], ends[ranks.rank])
            known = self._kept("known", key, state.sizes[key])
            now = self._kept("now", key, own.stop - own.start)
            queue, buffer = state.device.queue, state.buffers[key]
            if len(now):
                cl.enqueue_copy(queue, now, buffer, src_offset=own.start)
            changed = _changed(known[own], now, size) if key in self._sent_once else None
            counts = ranks.allgather_counts(-1 if changed is None else len(changed))
            listed = 4 + size
            if changed is None or counts.min() < 0 or 2 * counts.sum() * listed > len(known):
                known[own] = now
                sizes = [end - begin for begin, end in zip(begins, ends, strict=True)]
                ranks.comm.Allgatherv(ranks.IN_PLACE, [known, (sizes, begins), ranks.BYTE])
            else:
                sent = np.empty((len(changed), listed), np.uint8)
                numbers = (changed + rows[ranks.rank, 0]).astype(np.int32)
                sent[:, :4] = numbers.view(np.uint8).reshape(-1, 4)
                sent[:, 4:] = now.reshape(-1, size)[changed]
                every = ranks.allgather_rows(sent, counts)
                vertices = np.ascontiguousarray(every[:, :4]).view(np.int32)[:, 0]
                known.reshape(-1, size)[vertices] = every[:, 4:]
            self._sent_once.add(key)
            for part in (slice(0, own.start), slice(own.stop, len(known))):
                if part.stop > part.start:
                    cl.enqueue_copy(queue, buffer, known[part], dst_offset=part.start)

    def _exchange_marks(self, keys: Iterable[Key]) -> None:
        """Set the marks that any rank has set; each byte is 0 or 1."""
        state, ranks = self.state, self.ranks
        for key in keys:
            values = state.read(key, self._kept("known", key, state.sizes[key]))
            marked = np.flatnonzero(values)
            counts = ranks.allgather_counts(len(marked))
            if 2 * counts.sum() * marked.itemsize > len(values):
                ranks.allreduce(values, ranks.MAX)
            else:
                values[ranks.allgather_rows(marked[:, None], counts)[:, 0]] = 1
            state.write(key, values)

    def _exchange_arcs(self) -> None:
        """Gather the arc fields of all ranks on the host of each rank."""
        state = self.state
        for key in state.buffers:
            if key.owner == ARC:
                values = state.arcs_of_all(key)
                self.ranks.allreduce(values, self.ranks.BOR)
                state.shared_arc_values[key] = values

    def _kept(self, what: str, key: Key, size: int) -> np.ndarray:
        """Memory of the host, uint8 (size,), that is kept for one use of a buffer."""
        return self.ranks.memory(self.device, (what, key), size)


def _exchanged(spec: ProgramSpec, plan: RunPlan, state: RunState) -> _Exchanged:
    """The buffers that the ranks of a run of a program exchange."""
    traits, delivery, there = plan.traits, plan.delivery, state.buffers
    shared = shared_fields(spec, traits, delivery)
    rows = [Key(VERTEX, name) for name in shared]
    if fills_ahead(traits, delivery):
        rows.append(Key(delivery.name, "outbox_next"))
    apply, scatter = (spec.snippets.get(n) for n in ("apply", "scatter"))
    written = apply.writes("v") if apply is not None else set()
    masks = [Key(delivery.active.owner, name) for name in ("next", "marks")]
    masks = [key for key in masks if key in there]
    sets_others = apply is not None and apply.uses("set_mask_of")
    # Apply sets these for other vertices. A mark that it unsets for its own vertex must not be set
    # again by another rank.
    marks = [key for key in masks if sets_others and (key.name == "marks") == traits.marks]
    rows += [key for key in masks if key not in marks]
    sets = scatter is not None and scatter.uses("set_mask", "set_mask_of")
    scattered = [key for key in masks if sets and key.name == "next"]
    written_rows = [Key(VERTEX, n) for n in spec.vertex_fields if n in written]
    if traits.apply_sends_to:  # each rank has the messages to its own vertices
        pending = [key for name in PENDING if (key := Key(RUN, name)) in there]
        written_rows += [k for k in pending if state.sizes[k] >= 4 * state.graph.num_vertices]
    checked = traits.overflows or traits.can_trap or "faults" in plan.header.state
    at_end = [key for key in written_rows if key not in rows]
    return _Exchanged(rows, at_end, marks, scattered, checked)


def _wait(events: Sequence[Any]) -> None:
    if events:
        cl.wait_for_events(list(events))


def _rows(parts: Sequence[Part]) -> np.ndarray:
    """int64 (ranks, 2): the range of the vertices of each rank."""
    return np.array([(part.first, part.last) for part in parts], np.int64)


def _changed(before: np.ndarray, now: np.ndarray, size: int) -> np.ndarray | None:
    """The rows of which any of the `size` bytes differs; None if about half of them or more do."""
    word = math.gcd(size, 8)
    rows = [each.view(f"u{word}").reshape(-1, size // word) for each in (before, now)]

    def differ(step: int) -> np.ndarray:
        differing = np.not_equal(rows[0][::step], rows[1][::step])
        return differing[:, 0] if differing.shape[1] == 1 else np.any(differing, axis=1)

    step = len(rows[0]) // SAMPLE
    if step > 1 and 2 * np.count_nonzero(sample := differ(step)) > len(sample):
        return None
    return np.flatnonzero(differ(1))
