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

from gascl.delivery.admission import halo_refuses
from gascl.delivery.buffers import PENDING
from gascl.delivery.exchanged_rows import exchanged_marks, exchanged_rows, fills_ahead
from gascl.delivery.run_layout import ARC, GRAPH, RUN, VERTEX, Key
from gascl.device_graph.buffers import part_blocks
from gascl.device_graph.stream import TALLIES
from gascl.distributed.frontier_exchange import FrontierLists
from gascl.distributed.halo import RemoteVertices, halo_of
from gascl.distributed.ranks import Ranks
from gascl.distributed.row_exchange import Rows, SharedRows
from gascl.distributed.row_messages import RowMessages
from gascl.distributed.run_protocols import RunPlan, RunState
from gascl.distributed.segment_boxes import SegmentBoxes
from gascl.graph.partition import Part, cut
from gascl.graph.reordering import by_vertex
from gascl.language.spec import ProgramSpec
from gascl.opencl import fork_guard
from gascl.opencl.interrupts import Interrupts
from gascl.opencl.spill import SpilledBuffer

CONTROL, COUNTS, MASK, REMOTE_MESSAGES, TOTAL = (
    Key(RUN, name) for name in ("control", "counts", "mask", "remote_messages", "total")
)
BLOCKS = Key(GRAPH, "in_blocks")
#: The least bytes of a piece of a rank's vertices, and the most pieces: on an H200, with R-MAT 22,
#: 24 and 26, four took less time than one, eight or sixteen.
PIECE, PIECES = 1 << 21, 4
#: The work of a vertex in a piece, in arcs: on an H200, PageRank gathers along so many in about the
#: time in which 4 bytes are copied to the host and back.
COUNTS_AS = 16
#: Stands for no vertex, where messages may have overflowed.
_NEVER = np.iinfo(np.int32).max
#: The alignment, in bytes, of buffers in shared memory.
_ALIGNED = 4096


class Totals(NamedTuple):
    """The outcome of a superstep in all ranks.

    Attributes:
        tallies: a buffer with a tally of each rank.
        counts: a buffer with the number of vertices in the next mask, and of the arcs that go out
            from them; None: each rank counts them, since it has the whole mask.
        under_way: apply has sent messages with send_to.
    """

    tallies: Any
    counts: Any
    under_way: bool


@dataclass(frozen=True)
class _Exchanged:
    """The buffers that the ranks of a run exchange.

    Attributes:
        rows: buffers in which each rank has written the rows of its own vertices, and which other
            ranks read: they are exchanged after each superstep.
        written: buffers that are written in the same way, and that results or a State have: they
            are complete on all ranks when the run ends.
        marks: bytes that any rank may have set for any vertex.
        scattered: such bytes that scatter has set, so that they are exchanged before apply.
        checked: the control record is exchanged, too, since the device may report a fault.
    """

    rows: Sequence[Key]
    written: Sequence[Key]
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
    and those of the other ranks from there. Ranks of several hosts send each other what the other
    one needs: the changed rows of its halo, where the program allows that.

    All ranks must call the same methods.

    Attributes:
        pieces: of this rank's vertices, if some are copied while others are computed: where no
            kernel of the superstep reads what is copied, and it pays.
        tallies: a buffer with the tallies of all pieces.
        boxes: of the segments of rows that ranks share, by graph; empty if they share none.
        due: when this rank is to read the records of its supersteps, by time.perf_counter().
        ends: all ranks are to read them now: one is due, the devices had stopped before the latest
            superstep, or Ctrl-C was pressed.
    """

    def __init__(self, ranks: Ranks, spec: ProgramSpec, plan: RunPlan, state: RunState):
        self.ranks, self.state, self.device = ranks, state, state.device
        self.due, self.ends = math.inf, False
        self._exchanged = _exchanged(spec, plan, state)
        tally = state.header.tally
        self._tallies = self.device.reserve(ranks.size * tally.itemsize)
        count = np.dtype([("vertices", "i8"), ("arcs", "i8")])  # of the next mask
        fields = [
            ("outcome", state.header.outcome),
            ("count", count),
            ("pending", "?"),
            ("due", "?"),
        ]
        word = np.dtype(fields)
        # This rank's word, the words of all ranks, and what goes to the device of them.
        sizes = word.itemsize, ranks.size * word.itemsize, ranks.size * tally.itemsize
        ends = np.cumsum([*sizes, count.itemsize])
        # Programs with words of other sizes use the same memory of the host.
        kept = self._kept(f"words in {ends[-1]} bytes", TOTAL, int(ends[-1]))
        own, every, sent, counted = np.split(kept, ends[:-1])
        self._own, self._every = own.view(word), every.view(word)
        self._sent, self._counted = sent.view(tally), counted.view(count)
        places, size = {}, 0
        for key in self._exchanged.rows:
            places[key] = size
            size += -(-state.sizes[key] // _ALIGNED) * _ALIGNED
        lists = plan.delivery.active.lists_receivers
        begin, size = size, size + 4 * state.graph.num_vertices * lists
        self._shared = shared = ranks.shared(self.device, 2 * size) if size else None
        # In two halves: while one rank still reads one of them, another may write to the other.
        halves = [] if shared is None else [shared[:size], shared[size:]]
        #: Outboxes in shared memory, and the half of it that has each.
        self._outboxes = self._in_place(plan, places, halves)
        self._halves = [SharedRows(half, places, state, ranks.rank) for half in halves]
        # A rank on a host of its own only knows its vertices and its halo.
        needs_halo = not halves and bool(size) and not halo_refuses(plan.traits)
        self._has_halo = state.is_local or needs_halo
        graphs, rows = state.arrays.graphs, self._exchanged.rows
        whole = [RemoteVertices(ranks, graph) for graph in graphs]
        halos = [halo_of(ranks, graphs[0])] if self._has_halo else whole
        self._messages, self._last_messages = (
            {
                graph: RowMessages(ranks, state, halo, use and f"{use} {parity}")
                for parity, (graph, halo) in enumerate(zip(graphs, of_graphs, strict=True))
            }
            for use, of_graphs in (("superstep", halos), (None, whole))
        )
        self._at_end = [k for k in self._exchanged.written if self._has_halo or k not in rows]
        self._frontier: FrontierLists | None = None
        if lists:
            shared_lists = [half[begin:] for half in halves]
            self._frontier = FrontierLists(ranks, state, shared_lists, halos[0])
        self._counts, self._next = None, Key(plan.delivery.active.owner, "next")
        if self._has_halo and plan.traits.masked:
            self._at_end.append(MASK)
            self._counts = self.device.reserve(count.itemsize)
        segments = ranks, state, Key(plan.delivery.name, "segments")
        self.boxes = {each: SegmentBoxes(each, *segments) for each in graphs if plan.traits.cuts}
        self._rows: list[Rows] = []  # of each piece, or of all as one
        self._published: list[list[Any]] = []  # for each of these, the events of its copies
        self.pieces: list[Piece] = []
        # What this superstep reads must stay until it ends.
        ahead = not any(key.owner == VERTEX for key in self._exchanged.rows)
        ahead = ahead and fills_ahead(plan.traits, plan.delivery) and not plan.traits.alternates
        if self._halves and ahead and state.layout.extent.parts == 1:
            self._make_pieces(plan, min(ranks.comm.allgather(self._number_of_pieces())))
        fork_guard.holds_opencl(self)

    def _in_place(
        self, plan: RunPlan, places: dict[Key, int], halves: Sequence[np.ndarray]
    ) -> list[tuple[Any, np.ndarray]]:
        """Replace the outboxes that apply fills by shared memory, on CPUs, which compute there.
        Each rank then reads the rows of the others where they have written them."""
        names = Key(plan.delivery.name, "outbox"), Key(plan.delivery.name, "outbox_next")
        if not halves or not self.device.is_cpu or names[1] not in places:
            return []
        begin, found = places.pop(names[1]), []
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        for key, half in zip(names, halves, strict=True):
            memory = half[begin : begin + self.state.sizes[key]]
            self.state.buffers[key] = cl.Buffer(self.device.context, flags, hostbuf=memory)
            found.append((self.state.buffers[key], half))
        self.ranks.hold_shared()
        return found

    def close(self) -> None:
        """After the run: let others use the shared memory."""
        if self._outboxes:
            self.ranks.release_shared()

    @property
    def _free(self) -> np.ndarray | None:
        """The shared memory that a superstep does not read."""
        coming = [b for key, b in self.state.buffers.items() if key.name == "outbox_next"]
        return next((half for buffer, half in self._outboxes if buffer in coming), self._shared)

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

    @property
    def counts_all(self) -> bool:
        """Whether ranks add up the arcs of the next mask; otherwise each counts those it has."""
        return self._counts is not None

    # After a superstep ------------------------------------------------------------------------

    def end_scatter(self) -> None:
        """Exchange the marks that scatter has set."""
        self._exchange_marks(self._exchanged.scattered)

    def publish(self, piece: int, computed: Any) -> None:
        """Copy the rows of a piece to where the other ranks see them.

        Args:
            computed: the event after which the rows are computed.
        """
        # Otherwise a queue may wait forever for an event of a queue that has not been flushed.
        self.device.queue.flush()
        self._published.append(self._halves[0].copy_out(self._out, self._rows[piece], [computed]))

    def end_superstep(self, interrupts: Interrupts, superstep: int) -> Totals:
        """Exchange the outcome of a superstep, once this rank's tallies have been added up."""
        state, queue, ranks = self.state, self.device.queue, self.ranks
        if not self._halves:
            self._messages[state.arrays.graph].exchange(self._exchanged.rows)
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
        reads = [cl.enqueue_copy(queue, own["outcome"], state.buffers[TOTAL], is_blocking=False)]
        if self._frontier:
            reads.append(self._frontier.read(superstep + 1))
        _wait([*itertools.chain(*self._published[-1:]), *reads])
        if self._frontier:
            own["count"]["vertices"] = self._frontier.publish()
        if self._counts is not None:
            own["count"] = self._count()
        control = own["outcome"]["control"]
        if state.is_local and control["overflow"][0] != _NEVER:
            numbering = state.arrays.graph.numbering
            assert numbering is not None
            control["overflow"] = numbering.order[control["overflow"]]
        own["pending"], own["due"] = interrupts.pending, time.perf_counter() > self.due
        ranks.comm.Allgather(own.view(np.uint8), every.view(np.uint8))
        controls = every["outcome"]["control"]
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
            self._frontier.write(every["count"]["vertices"])
        self._sent[:] = every["outcome"]["tally"]
        cl.enqueue_copy(queue, self._tallies, self._sent, is_blocking=False)
        if self._counts is not None:
            for name in ("vertices", "arcs"):
                self._counted[name] = every["count"][name].sum()
            cl.enqueue_copy(queue, self._counts, self._counted, is_blocking=False)
        if self._exchanged.checked:
            for name, worst in (("overflow", np.min), ("fault", np.min), ("under_way", np.max)):
                control[name] = worst(controls[name])
            cl.enqueue_copy(queue, state.buffers[CONTROL], control, is_blocking=False)
        interrupts.agreed = bool(every["pending"].any())
        self.ends = stopped or interrupts.agreed or bool(every["due"].any())
        return Totals(self._tallies, self._counts, bool(controls["under_way"].any()))

    def _count(self) -> tuple[int, int]:
        """How many of this rank's vertices are in the next mask, and the number of their arcs."""
        if self._frontier:
            return self._count_listed(self._frontier.own)
        return self._count_set(self._own_rows(self._next))

    def _count_listed(self, vertices: np.ndarray) -> tuple[int, int]:
        return self._counted_with_arcs(vertices - self.state.arrays.graph.rows[0])

    def _count_set(self, mask: np.ndarray) -> tuple[int, int]:
        # any() is slow along an axis of one.
        is_set = mask.any(axis=1) if mask.shape[1] > 1 else mask[:, 0].view(bool)
        return self._counted_with_arcs(np.flatnonzero(is_set))

    def _counted_with_arcs(self, vertices: np.ndarray) -> tuple[int, int]:
        """How many these vertices are, numbered from this rank's first one, and their arcs."""
        graph = self.state.arrays.graphs[0]
        offsets, rows = graph.all_arcs.out_offsets, vertices + graph.parts[self.ranks.rank].first
        return len(rows), int((offsets.take(rows + 1) - offsets.take(rows)).sum())

    def first_counts(self) -> Any:
        """A buffer with the numbers of vertices in the first mask, before its commit, and of the
        arcs that go out from them; None: each rank counts them, since it has the whole mask."""
        if self._counts is None or not self.state.is_local:
            return None
        if self._frontier:
            counts = self._count_listed(self._frontier.first())
        else:
            counts = self._count_set(self._own_rows(self._next))
        every = self.ranks.allgather(counts)
        self._counted["vertices"], self._counted["arcs"] = np.sum(every, axis=0)
        cl.enqueue_copy(self.device.queue, self._counts, self._counted)
        return self._counts

    def first_tallies(self) -> Any:
        """A buffer with a tally of each rank of the start of the run, once this rank's have been
        added up."""
        own, every, queue = self._own, self._every, self.device.queue
        cl.enqueue_copy(queue, own["outcome"], self.state.buffers[TOTAL])
        self.ranks.comm.Allgather(own.view(np.uint8), every.view(np.uint8))
        self._sent[:] = every["outcome"]["tally"]
        cl.enqueue_copy(queue, self._tallies, self._sent)
        return self._tallies

    def _own_rows(self, key: Key) -> np.ndarray:
        """uint8 (this rank's vertices, bytes of a row): their rows of a buffer."""
        state, (first, last) = self.state, self.state.arrays.graph.rows
        buffer, width = state.buffers[key], state.sizes[key] // state.num_vertices
        if isinstance(buffer, SpilledBuffer):
            there = buffer.read(self.device.queue)
            return there[first * width : last * width].reshape(-1, width)
        rows = np.empty((last - first, width), np.uint8)
        if rows.size:
            cl.enqueue_copy(self.device.queue, rows, buffer, src_offset=first * width)
        return rows

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
        going, coming = ends - begins, np.empty(ranks.size, np.int64)
        ranks.comm.Alltoall(going, coming)
        return ranks.exchanged(sent, going, coming)

    def end_run(self, superstep: int) -> None:
        """Exchange the buffers that are not exchanged after each superstep.

        Args:
            superstep: the next one, by whose parts the ranks have pending messages.
        """
        if self.state.is_local:
            self._share_rows()
            return
        self.state.arrays.select_arcs(superstep)
        queue, whole = self.device.queue, self._free
        for key in self._at_end:
            if whole is None or self.state.sizes[key] > len(whole):
                self._last_messages[self.state.arrays.graph].exchange([key])
                continue
            shared = SharedRows(whole, {key: 0}, self.state, self.ranks.rank)
            self.ranks.barrier()  # then no rank reads the old rows any more
            _wait(shared.copy_out(queue, self._parts()))
            self.ranks.barrier()  # then all ranks have copied theirs
            _wait(shared.copy_in(queue, self._parts()))
        if whole is not None:
            self.ranks.barrier()  # then no rank reads these rows any more

    def _share_rows(self) -> None:
        """Bring the rows of all vertices to the host of each rank."""
        state, graph = self.state, self.state.arrays.graph
        rows = np.array([part.last - part.first for part in graph.parts])
        for key in sorted(state.buffers):
            is_field = key.owner == VERTEX and key.name not in state.read_only
            if is_field or (key == MASK and self._counts is not None):
                every = self.ranks.allgather_rows(self._own_rows(key), rows)
                state.shared_values[key] = by_vertex(graph.all_numbers, every)

    # Between all ranks at once ------------------------------------------------------------------

    def _exchange_marks(self, keys: Iterable[Key]) -> None:
        """Set the marks that any rank has set; each byte is 0 or 1."""
        state, ranks = self.state, self.ranks
        for key in keys:
            values = state.read(key, self._kept("known", key, state.sizes[key]))
            marked = np.flatnonzero(values)
            lengths = ranks.allgather_counts(len(marked))
            if 2 * lengths.sum() * marked.itemsize > len(values):
                ranks.allreduce(values, ranks.MAX)
            else:
                values[ranks.allgather_rows(marked[:, None], lengths)[:, 0]] = 1
            state.write(key, values)

    def gather_arcs(self) -> None:
        """Gather the arc fields of all ranks on the host of each rank."""
        state = self.state
        for key in state.buffers:
            if key.owner == ARC:
                values = state.arcs_of_all(key)
                self.ranks.allreduce(values, self.ranks.BOR)
                state.shared_values[key] = values

    def _kept(self, what: str, key: Key, size: int) -> np.ndarray:
        """Memory of the host, uint8 (size,), that is kept for one use of a buffer."""
        return self.ranks.memory(self.device, (what, key), size)


def _exchanged(spec: ProgramSpec, plan: RunPlan, state: RunState) -> _Exchanged:
    """The buffers that the ranks of a run of a program exchange."""
    traits, delivery, there = plan.traits, plan.delivery, state.buffers
    given = spec, traits, delivery, there
    rows, marks = exchanged_rows(*given), exchanged_marks(*given)
    written = spec.snippet("apply").writes("v")
    sets = spec.snippet("scatter").uses("set_mask", "set_mask_of")
    coming = Key(delivery.active.owner, "next")
    scattered = [coming] if sets and coming in there else []
    own = [Key(VERTEX, n) for n in spec.vertex_fields if n in written]
    if traits.apply_sends_to:  # each rank has the messages to its own vertices
        pending = [key for name in PENDING if (key := Key(RUN, name)) in there]
        own += [k for k in pending if state.sizes[k] >= 4 * state.graph.num_vertices]
    checked = traits.overflows or traits.can_trap or "faults" in plan.header.state
    return _Exchanged(rows, own, marks, scattered, checked)


def _wait(events: Sequence[Any]) -> None:
    if events:
        cl.wait_for_events(list(events))


def _rows(parts: Sequence[Part]) -> np.ndarray:
    """int64 (ranks, 2): the range of the vertices of each rank."""
    return np.array([(part.first, part.last) for part in parts], np.int64)
