"""What the ranks of a run tell each other: see `Exchange`."""

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
from gascl.graph.partition import Part, cut
from gascl.language.spec import ProgramSpec
from gascl.opencl import fork_guard
from gascl.opencl.interrupts import Interrupts
from gascl.run.plan import Plan
from gascl.run.state import State

CONTROL, MAIL, TOTAL = (Key(RUN, n) for n in ("control", "mail", "total"))
BLOCKS = Key(GRAPH, "in_blocks")
#: How many rows show whether it pays to look for those that have changed.
SAMPLE = 1024
#: The least bytes of a piece of what a rank tells, and the most pieces: on an H200, with R-MAT 22,
#: 24 and 26, four took less time than one, eight or sixteen.
PIECE, PIECES = 1 << 21, 4
#: For how many arcs a vertex counts in a piece: on an H200, PageRank gathers along these in about
#: the time that 4 bytes take to be copied to the host and back.
COUNTS_AS = 16
#: Where what is told begins in shared memory.
_ALIGNED = 4096


class Heard(NamedTuple):
    """What all ranks have come to in a superstep.

    Attributes:
        tallies: a buffer with one of each rank.
        under_way: apply has sent messages with send_to.
    """

    tallies: Any
    under_way: bool


@dataclass(frozen=True)
class _ToTell:
    """What ranks tell each other of a program.

    Attributes:
        rows: buffers of which each rank has written the rows of its own vertices, and which others
            read: told after each superstep.
        rest: likewise, which no other reads: told when the run ends.
        marks: bytes that any rank may have set for any vertex.
        scattered: likewise, in scatter, so that apply must know of them.
        checked: the control record, too: something may go wrong that the device reports.
    """

    rows: Sequence[Key]
    rest: Sequence[Key]
    marks: Sequence[Key]
    scattered: Sequence[Key]
    checked: bool


class Piece(NamedTuple):
    """Some of a rank's vertices, whose values travel while those of the next are computed.

    Attributes:
        buffers: the row blocks and the tallies, in place of those of all that the rank has.
        blocks, groups: how many row blocks there are, and work-groups to handle them.
    """

    buffers: Mapping[Key, Any]
    blocks: int
    groups: int


class Exchange:
    """What the ranks of a run tell each other, after each superstep and when it ends.

    Ranks of one host share some of its memory: each device copies what its rank tells to there, and
    what the others tell from there. Between hosts, lists travel of what has changed.

    All ranks must call the same methods.

    Attributes:
        pieces: of this rank's vertices, where some are told of while others are computed: if that
            is what no kernel of the superstep reads, and it pays.
        tallies: of all pieces, a buffer.
        due: when this rank is to read the records of its supersteps, by time.perf_counter().
        ends: all ranks are to do so now: one is due, the devices had stopped before the latest
            superstep, or Ctrl-C was pressed.
    """

    def __init__(self, ranks: Ranks, spec: ProgramSpec, plan: Plan, state: State):
        self.ranks, self.state, self.device = ranks, state, state.device
        self.due, self.ends = math.inf, False
        self._told = _to_tell(spec, plan, state)
        self._said = set[Key]()  # what has been told once, in lists
        tally, control = state.header.tally, state.header.control
        self._tallies = self.device.reserve(ranks.size * tally.itemsize)
        word = np.dtype([("control", control), ("listed", "i8"), ("pending", "?"), ("due", "?")])
        # This rank's word, those of all, and the tallies among them, on their way to the device.
        ends = np.cumsum([word.itemsize, ranks.size * word.itemsize, ranks.size * tally.itemsize])
        kept = self._kept(f"words in {ends[-1]} bytes", TOTAL, int(ends[-1]))  # of several programs
        own, every, sent = np.split(kept, ends[:-1])
        self._own, self._every, self._sent = own.view(word), every.view(word), sent.view(tally)
        places, size = {}, 0
        for key in self._told.rows:
            places[key] = size
            size += -(-state.sizes[key] // _ALIGNED) * _ALIGNED
        lists = plan.delivery.active.lists_receivers
        begin, size = size, size + 4 * state.graph.num_vertices * lists
        self._shared = shared = ranks.shared(self.device, 2 * size) if size else None
        # In two halves: while a rank still reads one, another may write to the other.
        halves = [] if shared is None else [shared[:size], shared[size:]]
        self._halves = [SharedRows(half, places, state, ranks.rank) for half in halves]
        self._frontier: FrontierLists | None = None
        if lists:
            self._frontier = FrontierLists(ranks, state, [half[begin:] for half in halves])
        self._rows: list[Rows] = []  # of each piece, or of all as one
        self._shown: list[list[Any]] = []  # for each of these, the events of copies to there
        self.pieces: list[Piece] = []
        # What this superstep reads must stay until it ends.
        ahead = not any(key.owner == VERTEX for key in self._told.rows)
        ahead = ahead and fills_ahead(plan.facts, plan.delivery) and not plan.facts.alternates
        if self._halves and ahead and state.spec.extent.parts == 1:
            self._make_pieces(plan, min(ranks.comm.allgather(self._number_of_pieces())))
        fork_guard.holds_opencl(self)

    def _number_of_pieces(self) -> int:
        """In how many pieces it pays to tell what a superstep comes to."""
        if self.device.kind != "GPU" or not self.ranks.alone:  # else copies wait for kernels
            return 1
        most = max(part.last - part.first for part in self.state.resident.parts)
        each = sum(self.state.sizes[key] for key in self._told.rows)
        return min(most * each // self.state.graph.num_vertices // PIECE, PIECES)

    def _make_pieces(self, plan: Plan, number: int) -> None:
        if number < 2:
            return
        state, device, parts = self.state, self.device, self.state.resident.parts
        offsets, own = state.resident.arcs.into.offsets, parts[self.ranks.rank]
        # The last vertices first: where hubs have the first numbers, most vertices have few arcs,
        # and travel while those with many are computed.
        work = offsets + np.arange(len(offsets)) * COUNTS_AS
        cuts = cut(work, number, own.first, own.last)[::-1]
        cuts += [own._replace(last=own.first)] * (number - len(cuts))
        every = self.ranks.comm.allgather([(part.first, part.last) for part in cuts])
        self._rows = list(zip(*every, strict=True))
        # A buffer within another begins at certain places alone.
        tally = state.header.tally.itemsize
        apart = max(int(device.cl.mem_base_addr_align) // 8, 8)
        step = math.lcm(apart, tally) // tally
        tables = [part_blocks(offsets, its, plan.group, plan.block, device.groups) for its in cuts]
        most = state.spec.extent.block_groups
        groups = [-(-min(max(len(table), 1), most) // step) * step for table in tables]
        self.tallies = device.reserve(sum(groups) * tally)
        for table, count, end in zip(tables, groups, itertools.accumulate(groups), strict=True):
            within = self.tallies.get_sub_region((end - count) * tally, count * tally)
            none = np.zeros(max(count - len(table), 0), table.dtype)  # on CPUs, each group has one
            blocks = device.upload(np.concatenate([table, none]))
            self.pieces.append(Piece({BLOCKS: blocks, TALLIES: within}, len(table), count))
        # What is copied one way does not wait for what is copied the other way.
        self._out, self._in = (cl.CommandQueue(device.context) for _ in range(2))

    # After a superstep ------------------------------------------------------------------------

    def tell_scattered(self) -> None:
        """Tell what scatter has set."""
        self._tell_marks(self._told.scattered)

    def show(self, piece: int, computed: Any) -> None:
        """Copy a piece of what this rank tells to where the others see it.

        Args:
            computed: the event after which it is there.
        """
        self.device.queue.flush()  # a queue may wait for ever for what another has not been given
        self._shown.append(self._halves[0].copy_out(self._out, self._rows[piece], [computed]))

    def tell(self, interrupts: Interrupts, superstep: int) -> Heard:
        """Tell what a superstep came to, once this rank's tallies have been added up."""
        state, queue, ranks = self.state, self.device.queue, self.ranks
        if not self._halves:
            self._tell_rows(self._told.rows)
        elif not self.pieces:
            self._rows = [self._parts()]
            self._shown.append(self._halves[0].copy_out(queue, self._rows[0]))
        coming: list[Any] = []
        for number, copied in enumerate(self._shown[:-1]):
            _wait(copied)
            ranks.arrive()  # then all have copied theirs
            coming += self._halves[0].copy_in(self._in, self._rows[number])
        self._tell_marks(self._told.marks)
        own, every = self._own, self._every
        told = [cl.enqueue_copy(queue, own["control"], state.buffers[TOTAL], is_blocking=False)]
        if self._frontier:
            told.append(self._frontier.ask(superstep + 1))
        _wait([*itertools.chain(*self._shown[-1:]), *told])
        if self._frontier:
            own["listed"] = self._frontier.show()
        own["pending"], own["due"] = interrupts.pending, time.perf_counter() > self.due
        ranks.comm.Allgather(own.view(np.uint8), every.view(np.uint8))
        controls = every["control"]
        stopped = bool(controls["stopped"].any())
        if self._shown:
            if not stopped:  # else nothing is new
                last = self._rows[len(self._shown) - 1]
                coming += self._halves[0].copy_in(self._in if self.pieces else queue, last)
            if self.pieces and coming:
                cl.enqueue_barrier(queue, wait_for=coming)
            self._halves.reverse()
            self._shown.clear()
        if self._frontier:
            self._frontier.hear(every["listed"])
        self._sent[:] = controls["tally"]
        cl.enqueue_copy(queue, self._tallies, self._sent, is_blocking=False)
        if self._told.checked:
            for name, worst in (("overflow", np.min), ("fault", np.min), ("under_way", np.max)):
                own["control"][name] = worst(controls[name])
            cl.enqueue_copy(queue, state.buffers[CONTROL], own["control"], is_blocking=False)
        interrupts.agreed = bool(every["pending"].any())
        self.ends = stopped or interrupts.agreed or bool(every["due"].any())
        return Heard(self._tallies, bool(controls["under_way"].any()))

    def _parts(self) -> Rows:
        return tuple((part.first, part.last) for part in self.state.resident.parts)

    def mail(self, parts: Sequence[Part], when: str) -> np.ndarray:
        """What has been sent to this rank's vertices in the others: parcels, as in mail.cl.

        Args:
            parts: those of the ranks when it arrives.
            when: "" in this superstep, "_next" in the next one.
        """
        state, ranks = self.state, self.ranks
        type_, lanes = state.spec.own[MAIL].dtype, state.lanes
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
        counts, heard = ends - begins, np.empty(ranks.size, np.int64)
        ranks.comm.Alltoall(counts, heard)
        found, size = np.empty(int(heard.sum()), type_), type_.itemsize
        out = (counts * size).tolist(), (begins * size).tolist()
        into = (heard * size).tolist(), ((np.cumsum(heard) - heard) * size).tolist()
        own, others = (array.view(np.uint8) for array in (sent, found))
        ranks.comm.Alltoallv([own, out, ranks.BYTE], [others, into, ranks.BYTE])
        return found

    def tell_all(self, superstep: int) -> None:
        """Bring to all ranks what they do not tell each other after each superstep.

        Args:
            superstep: the next one, whose ranks have what is pending.
        """
        self.state.take_turn(superstep)
        queue, whole = self.device.queue, self._shared
        for key in self._told.rest:
            if whole is None or self.state.sizes[key] > len(whole):
                self._tell_rows([key])
                continue
            shared = SharedRows(whole, {key: 0}, self.state, self.ranks.rank)
            self.ranks.arrive()  # then nobody reads what was there
            _wait(shared.copy_out(queue, self._parts()))
            self.ranks.arrive()  # then all have copied theirs
            _wait(shared.copy_in(queue, self._parts()))
        if whole is not None:
            self.ranks.arrive()  # then nobody reads what is there now
        self._tell_arcs()

    # In lists ---------------------------------------------------------------------------------

    def _tell_rows(self, keys: Iterable[Key]) -> None:
        """Bring the rows of each rank's vertices to all.

        The host keeps what was told last. Where few rows differ from that, they travel as a list.
        """
        state, ranks = self.state, self.ranks
        rows = _rows(state.resident.parts)
        for key in keys:
            size = state.sizes[key] // state.graph.num_vertices
            begins, ends = (rows * size).T.tolist()
            own = slice(begins[ranks.rank], ends[ranks.rank])
            known = self._kept("known", key, state.sizes[key])
            now = self._kept("now", key, own.stop - own.start)
            queue, buffer = state.device.queue, state.buffers[key]
            if len(now):
                cl.enqueue_copy(queue, now, buffer, src_offset=own.start)
            changed = _changed(known[own], now, size) if key in self._said else None
            counts = ranks.counts(-1 if changed is None else len(changed))
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
                every = ranks.lists(sent, counts)
                its = np.ascontiguousarray(every[:, :4]).view(np.int32)[:, 0]
                known.reshape(-1, size)[its] = every[:, 4:]
            self._said.add(key)
            for part in (slice(0, own.start), slice(own.stop, len(known))):
                if part.stop > part.start:
                    cl.enqueue_copy(queue, buffer, known[part], dst_offset=part.start)

    def _tell_marks(self, keys: Iterable[Key]) -> None:
        """Set the marks, 0 or 1 in each byte, that any rank has set."""
        state, ranks = self.state, self.ranks
        for key in keys:
            values = state.read(key, self._kept("known", key, state.sizes[key]))
            marked = np.flatnonzero(values)
            counts = ranks.counts(len(marked))
            if 2 * counts.sum() * marked.itemsize > len(values):
                ranks.together(values, ranks.MAX)
            else:
                values[ranks.lists(marked[:, None], counts)[:, 0]] = 1
            state.write(key, values)

    def _tell_arcs(self) -> None:
        """Bring the arc fields of all ranks together, on the host of each."""
        state = self.state
        for key in state.buffers:
            if key.owner == ARC:
                values = state.arcs_of_all(key)
                self.ranks.together(values, self.ranks.BOR)
                state.told_arcs[key] = values

    def _kept(self, what: str, key: Key, size: int) -> np.ndarray:
        """Memory of the host, uint8 (size,), that is kept for this use of a buffer."""
        return self.ranks.memory(self.device, (what, key), size)


def _to_tell(spec: ProgramSpec, plan: Plan, state: State) -> _ToTell:
    facts, delivery, there = plan.facts, plan.delivery, state.buffers
    shared = shared_fields(spec, facts, delivery)
    rows = [Key(VERTEX, name) for name in shared]
    if fills_ahead(facts, delivery):
        ahead = ["outbox_next", *([] if facts.every_arc_sends else ["sent_next"])]
        rows += [key for key in there if key.owner == delivery.name and key.name in ahead]
    apply, scatter = (spec.snippets.get(n) for n in ("apply", "scatter"))
    written = apply.writes("v") if apply is not None else set()
    masks = [Key(delivery.active.owner, name) for name in ("next", "marks")]
    masks = [key for key in masks if key in there]
    sets_others = apply is not None and apply.uses("set_mask_of")
    # What apply sets for other vertices; what it unsets for its own, others must not set again.
    marks = [key for key in masks if sets_others and (key.name == "marks") == facts.marks]
    rows += [key for key in masks if key not in marks]
    sets = scatter is not None and scatter.uses("set_mask", "set_mask_of")
    scattered = [key for key in masks if sets and key.name == "next"]
    untold = [Key(VERTEX, n) for n in spec.vertex_fields if n in written]
    if facts.apply_sends_to:  # their rank has what has come for its vertices
        pending = [key for name in PENDING if (key := Key(RUN, name)) in there]
        untold += [k for k in pending if state.sizes[k] >= 4 * state.graph.num_vertices]
    checked = facts.overflows or facts.can_trap or "faults" in plan.header.state
    rest = [key for key in untold if key not in rows]
    return _ToTell(rows, rest, marks, scattered, checked)


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
