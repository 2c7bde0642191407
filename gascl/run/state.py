"""`State`: everything that supersteps change, as buffers on the device.

A run begins it from `Inputs`, and its fields can leave it as `DeviceField`s.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.codegen.constants import Fault
from gascl.delivery.buffers import PENDING
from gascl.delivery.run_layout import ARC, CONTROL, FAULTS, RECORD, RUN, VERTEX, Key, Owner
from gascl.device_graph import gather
from gascl.device_graph.buffers import check_memory, num_arcs, resident_bytes
from gascl.device_graph.run_arrays import RunArrays
from gascl.device_graph.stream import in_memory
from gascl.errors import DeviceError, GasclError, ProgramError
from gascl.graph.arcs import ArcsPart
from gascl.graph.lazy import LazyValues
from gascl.graph.parallel import blocks, filled
from gascl.graph.reordering import Numbering, Places, by_number, by_vertex
from gascl.language.grouping import KEY
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits
from gascl.language.types import Type
from gascl.opencl import fork_guard
from gascl.opencl.event_wait import check_free
from gascl.opencl.spill import SpilledBuffer
from gascl.results.snapshot import Messages, Snapshot
from gascl.results.trace import Step
from gascl.run.field_values import has_rest, listed, set_at, stored
from gascl.run.loaded_program import MASK, LoadedProgram, control_to_send, copied
from gascl.run.parameters import array_parameters, set_parameters
from gascl.run.plan import Plan
from gascl.run.start_block import BLOCK, NEVER
from gascl.run.times import shown_fields, times_of

#: The most bytes to fill at once: NVIDIA's driver fails from 2 GiB on.
_FILL = 2**30
#: The most bytes of buffers that a run leaves for the next one, so that a small run need not
#: allocate them. For larger ones, that takes little of the run's time.
_IDLE = 2**18
_PENDING = tuple(Key(RUN, name) for name in PENDING)


@dataclass(frozen=True)
class Inputs:
    """The vertex fields that are given to a run.

    Attributes:
        initial: those given at construction and those of the graph, by name.
        left: those given at construction that another run has left on the device.
        read_only: of these, those that no snippet writes, and that every vertex has.
        notes: warnings about fields of the graph that are not used.
        previous: the State that the run continues from, whose fields it keeps.
        finite: in debug mode, a value that becomes infinite is a fault.
        queued: the delivery is asynchronous.
    """

    initial: dict[str, np.ndarray]
    left: dict[str, DeviceField]
    read_only: dict[str, np.ndarray]
    notes: list[str]
    previous: State | None
    finite: bool


class State:
    """The vertex and arc fields, mask, messages, aggregators and superstep number of a run.

    Creating one allocates the buffers of a RunLayout, after checking that there is enough memory.
    `Engine.run(..., keep_state=True)` leaves it on the device, in `result.state`, and
    `run(..., state=...)` continues from it, which uses it up.

    Args:
        loaded: the program's kernels and the graph on the device.
        inputs: the vertex fields that are given, and the State from which the run continues.
        resumes: it continues with that State's superstep, messages and aggregates.

    Attributes:
        graph, program, lanes: those of the run; `program` is the class.
        values: the parameters of the run, once the State is kept for another one.
        layout: the buffers that it has.
        arrays: the graph's arrays that the run reads, until the State is kept.
        control: the device's record of the last superstep.
        resumable: a run of the same class can resume it; otherwise it starts at superstep 0.
        sizes: the bytes of each buffer; the buffer itself may be larger.
        unset: the buffers whose initial content must still be set, with that content.
        given, kept, kept_arcs: one bit per field: which vertex fields already have a value, and
            which vertex and arc fields keep that of an earlier run.
        partly: until the run has started, a buffer of such bits for each vertex: which fields have
            a value there and not everywhere; None if there are no such fields.
        share: as in `ResidentGraph`.
        num_vertices: the number of vertices on the device.
        is_local: these are only the vertices of this process and their halo.
        shared_values: where processes share the arcs, the arc fields of all of them, uint8 (all
            arcs, bytes of a row), in CSR order. If the State is local, also the rows of all
            vertices, (V, bytes of a row), in the graph's order, if they have been collected.
        rows: the places of this process's own vertices on the device.
        has_all: the values of all vertices can be read here, and not only this process's own.
        has_all_arcs: the same of all arcs.
        read_only: the vertex fields that were given and that no snippet writes.
    """

    def __init__(
        self,
        program: VertexProgram,
        loaded: LoadedProgram,
        inputs: Inputs,
        resumes: bool = False,
    ):
        resident = loaded.resident
        self.program, self.lanes, self.graph = type(program), program.lanes, resident.graph
        self.values: dict[str, Any] = {}
        self.header, self.layout, self.types = loaded.header, loaded.layout, loaded.types
        self.arrays = loaded.arrays or RunArrays(resident, loaded.layout, loaded.alternates)
        self.device, self.edges, self.num_arcs = resident.device, resident.edges, resident.num_arcs
        self.numbering, self._resident = resident.numbering, weakref.ref(resident)
        self.share, self.read_only = resident.share, frozenset(inputs.read_only)
        self._spill = resident.spill
        self.num_vertices, self.is_local = resident.num_vertices, resident.is_local
        self.rows, self.has_all = resident.rows, not resident.is_local
        self.has_all_arcs = True
        self.shared_values: dict[Key, np.ndarray] = {}
        self.used_by, self.resumable = "", True
        self._lock = threading.RLock()
        fork_guard.holds_opencl(self)
        block, first = loaded.block, loaded.block.first.copy()
        on_gpu, queued = not self.device.is_cpu, loaded.plan.delivery.queues
        run = block.record(first, RECORD)
        set_parameters(run, program, resident.graph, on_gpu, inputs.finite, queued)
        previous = inputs.previous
        given = {**inputs.initial, **inputs.left}
        kept = {} if previous is None else self._kept(previous, given, resumes)
        self.buffers: dict[Key, Any] = {}
        self._took_over = bool(kept)
        self._allocate(loaded, previous, kept)
        self.kept = self.kept_arcs = self.given = 0
        self.partly: Any = None
        if kept or given:
            self._set_fields(inputs.initial, inputs.left, kept)
        self._sent: list[Any] = []  # copies that may be under way, which hold what they copy
        if program.spec.arrays:
            self._send(Key(RUN, "tables"), array_parameters(program, self.header.tables))
        self.control = copied(loaded.control)
        if resumes and previous is not None:
            self.control = copied(previous.control)
            self.control["overflow"] = self.control["fault"] = NEVER
            self.control["stopped"] = 0
            block.record(first, CONTROL)[:] = control_to_send(self.control)
        self._send(BLOCK, first)
        for key in self.layout.clears:  # here, so that the run need not wait for it
            if self.unset.pop(key, None) is not None:
                self.clear(key)
        if previous is not None:
            self._renumber(previous.numbering, kept)
            previous.use(type(program).__name__)

    def __repr__(self) -> str:
        if self.used_by:
            return f"State({self.program.__name__}, used up by {self.used_by})"
        names = ", ".join(self.names()) or "no field"
        return f"State({self.program.__name__}: {names}; superstep {self.superstep}, {self.device})"

    # Making one -------------------------------------------------------------------------

    def _allocate(
        self, loaded: LoadedProgram, previous: State | None, kept: dict[Key, Any]
    ) -> None:
        """Make room on the device, and allocate the buffers that are not kept from `previous`."""
        sizes, needed, self.unset = loaded.sizes, loaded.nbytes, dict(loaded.unset)
        self.sizes, before = sizes, resident_bytes(self.arrays.graphs)
        if previous is not None:
            sizes = {key: size for key, size in loaded.sizes.items() if key not in kept}
            needed = sum(sizes.values()) + loaded.gaps
            self.unset = {key: begins for key, begins in loaded.unset.items() if key not in kept}
            earlier = {key: previous.sizes[key] for key in kept}
            self.sizes, before = {**sizes, **earlier}, before + sum(earlier.values())
            self.types = {**previous.types, **self.types}
        fits = self.arrays.buffers and before + needed <= self.device.memory
        if not fits:  # or it is not known yet
            missing = self.arrays.missing()
            wanted = {**sizes, BLOCK: loaded.gaps, **missing}
            held = in_memory(self.layout, wanted, self._spill is not None)
            check_memory(self.device, held, before)
            needed += sum(missing.values())
        self.device.release(before + needed)
        if not self.arrays.buffers:
            self.arrays.upload()
            self.device.queue.finish()  # so that it does not count as time of the supersteps
        try:
            idle = loaded.idle.pop()
        except IndexError:  # there are none, or other threads have them
            idle = {}
        if BLOCK not in idle:
            idle |= loaded.block.allocate(self.device)
        self.buffers[BLOCK] = idle.pop(BLOCK)
        for key, size in sizes.items():
            buffer = idle.pop(key, None)
            self.buffers[key] = self.arrays.graph.allocate(size) if buffer is None else buffer
        self.buffers |= kept

    def _set_fields(
        self,
        initial: Mapping[str, np.ndarray],
        left: Mapping[str, DeviceField],
        kept: Mapping[Key, Any],
    ) -> None:
        """Write the vertex fields that are given, and note which fields have a value."""
        names = list(self.program.spec.vertex_fields)
        self.kept = _bits(Key(VERTEX, n) in kept for n in names)
        self.kept_arcs = _bits(Key(ARC, n) in kept for n in self.program.spec.arc_fields)
        some = {n: set_at(values) for n, values in initial.items() if has_rest(values)}
        everywhere = (initial.keys() | left.keys()) - some.keys()
        self.given = self.kept | _bits(n in everywhere for n in names)
        if some:
            bits = np.zeros(self.graph.num_vertices, np.uint64)
            for i, name in enumerate(names):
                if name in some:
                    bits |= some[name].astype(np.uint64) << np.uint64(i)
            self.partly = self.device.upload(by_number(self.numbering, bits))
        for name, values in initial.items():
            if Key(VERTEX, name) not in kept:
                values = stored(np.ma.getdata(values), self.header.types[name])
                self.write(Key(VERTEX, name), by_number(self.numbering, values))
        for name, field in left.items():
            self._copy(field, Key(VERTEX, name))

    def _copy(self, field: DeviceField, key: Key) -> None:
        """Copy a field of another State, on the device where both number vertices alike."""
        there = field.state
        if there.device is self.device and there.numbering is self.numbering:
            with there.reading() as buffers:
                queue, source = self.device.queue, buffers[field.key]
                cl.enqueue_copy(queue, self.buffers[key], source, byte_count=self.sizes[key])
        else:
            values = stored(np.asarray(field), field.type)
            self.write(key, by_number(self.numbering, values))

    def _kept(self, previous: State, initial: dict[str, Any], resumes: bool) -> dict[Key, Any]:
        """The buffers to take over from another run: fields that are not given again, the mask, and
        of a run that resumes, pending messages."""
        cls = self.program.__name__
        if previous.device.context != self.device.context:
            raise DeviceError(
                f"the State of {previous.program.__name__} is in the memory of {previous.device}, "
                f"but {cls} runs on {self.device}: give Engine the same device"
            )
        if previous.lanes != self.lanes:
            raise ProgramError(
                f"the State has {previous.lanes} lanes, but the run has {self.lanes}: use the same "
                "number"
            )
        same_arcs = previous.edges == self.edges and (
            previous.graph is self.graph or previous.graph.fingerprint == self.graph.fingerprint
        )
        with previous._lock:  # if another thread uses it up meanwhile, `use` reports that
            previous.check_unused()
            buffers = previous.buffers
        arcs = same_arcs and any(key.owner == ARC for key in buffers)
        if arcs and previous.share != self.share:
            had = previous.share.ranks if previous.share else 1
            if self.share is not None and self.share.ranks == had:
                raise ProgramError(
                    "the State has values of arcs, which ranks divide differently if a program has "
                    f"`pairs`, as one of these does: run {cls} without state="
                )
            raise ProgramError(
                f"the State has values of arcs, in as many parts as its run had ranks: {had}; run "
                f"{cls} with as many, or without state="
            )
        keys = [key for key in buffers if key.owner == VERTEX and key.name not in initial]
        keys += [key for key in buffers if key.owner == ARC and same_arcs]
        for key in (key for key in keys if key in self.types):
            there, here = previous.types[key], self.types[key]
            if (there.scalar, there.width) != (here.scalar, here.width):
                again = f"give {key.name}=... or " if key.owner == VERTEX else ""
                raise ProgramError(
                    f"the State's field {key.name!r} is {there.c}, but that of {cls} is {here.c}: "
                    f"{again}use the same type and dtype"
                )
        keys += [MASK] if MASK in buffers else []
        if resumes:
            keys += [key for key in _PENDING if key in buffers]
            carried = [(h.control, h.accumulator) for h in (previous.header, self.header)]
            if carried[0] != carried[1]:
                raise ProgramError(
                    f"the State is from a run of {cls} with another dtype, so that its messages or "
                    "aggregators have other types: use the same dtype, or run without state="
                )
        return {key: buffers[key] for key in keys}

    def _renumber(self, before: Numbering | Places | None, kept: Iterable[Key]) -> None:
        """Reorder the kept buffers of vertices by the numbers that vertices have in this run."""
        if before is self.numbering:
            return
        assert not isinstance(before, Places)  # a State is only kept with all vertices
        for key in kept:
            if key.owner == ARC:  # programs with arc fields are not renumbered
                continue
            rows = self.read(key, np.empty(self._shape(key), np.uint8))
            self.write(key, by_number(self.numbering, by_vertex(before, rows)))

    # During a run --------------------------------------------------------------------------

    def clear(self, key: Key) -> None:
        """Set every byte to 0."""
        buffer = self.buffers[key]
        for start in range(0, buffer.size, _FILL):
            part = min(_FILL, buffer.size - start)
            cl.enqueue_fill_buffer(self.device.queue, buffer, np.zeros(1, np.uint8), start, part)

    def swap(self) -> None:
        """Swap the double buffers, after a superstep."""
        for one, other in self.layout.swaps:
            self.buffers[one], self.buffers[other] = self.buffers[other], self.buffers[one]

    def write_control(self) -> None:
        """Write the control record for the next superstep."""
        self._send(CONTROL, control_to_send(self.control))

    def _send(self, key: Key, values: np.ndarray) -> None:
        """`write` without waiting, of a few values that do not change any more."""
        queue, buffer = self.device.queue, self.buffers[key]
        self._sent.append(cl.enqueue_copy(queue, buffer, values, is_blocking=False))

    def write(self, key: Key, values: np.ndarray) -> None:
        """Copy values to the start of a buffer."""
        if values.nbytes:
            cl.enqueue_copy(self.device.queue, self.buffers[key], values)

    def read(self, key: Key, values: np.ndarray) -> np.ndarray:
        """Fill an array from the start of a buffer, and return it."""
        if values.nbytes:
            self.device.download(values, self.buffers[key])
        return values

    def faults(self, plan: Plan) -> np.ndarray:
        """(kinds of faults, lines of the source text): the smallest vertex with each fault."""
        host = np.empty((len(Fault), len(plan.places) + 1), np.int32)
        return self.read(FAULTS, host)

    # After a run -----------------------------------------------------------------------

    @property
    def has_mask(self) -> bool:
        return MASK in self.buffers

    @property
    def pending(self) -> bool:
        """Whether apply has sent messages that arrive in the next superstep."""
        return bool(self.control["under_way"][0])

    @property
    def superstep(self) -> int:
        """The number of supersteps that its program has run."""
        return int(self.control["superstep"][0])

    def aggregates(self) -> dict[str, Any]:
        """The aggregators' values after the last superstep, or else after init."""
        values = self.control["aggregates"]
        return {name: listed(values[name])[0] for name in self.program.spec.aggregates}

    def _lasting(self) -> dict[Key, Any]:
        """The buffers whose content the next superstep needs."""
        keys = {MASK, *(_PENDING if self.pending else ())}
        return {k: b for k, b in self.buffers.items() if k in keys or k.owner in (VERTEX, ARC)}

    def end(self, loaded: LoadedProgram, kept_for: VertexProgram | None) -> None:
        """End a run, after all work is done: keep the fields, and if another run is to continue
        from the State all that it needs. The next run can have the other buffers.

        Args:
            kept_for: the program of the run, if the State is kept for another one; else None.
        """
        self.device.queue.finish()
        lasting: Collection[Key] = self.types
        if kept_for is not None:
            self.values, lasting = kept_for.parameter_values(), self._lasting()
        idle, self.buffers, self._sent = self.buffers, {}, []
        for key in list(idle):
            if key in lasting:
                self.buffers[key] = idle.pop(key)
        # Those of other programs may have other sizes.
        if loaded.nbytes > _IDLE or self._took_over:
            idle = {key: idle[key] for key in (BLOCK, *loaded.block.places)}
        loaded.idle.append(idle)
        del self.arrays  # the graph stays on the device only while its engine exists

    def drop(self, fields: Iterable[str], owner: Owner = VERTEX) -> None:
        """Release the buffers of these fields."""
        for name in fields:
            self.buffers.pop(Key(owner, name), None)
            self.shared_values.pop(Key(owner, name), None)

    def digest(self) -> bytes:
        """A hash of everything that the next superstep depends on."""
        hashed = hashlib.blake2b(repr(self.control["aggregates"].tolist()).encode())
        for key, buffer in sorted(self._lasting().items()):
            host = np.empty(self.sizes[key], np.uint8)
            cl.enqueue_copy(self.device.queue, host, buffer)
            hashed.update(host.data)
        return hashed.digest()

    def saved(self, leave_out: Collection[str] = ()) -> dict[str, np.ndarray]:
        """The buffers that the next superstep depends on, copied to the host: uint8 (rows, bytes of
        a row) each, with a row for each vertex or arc in the graph's order.

        Args:
            leave_out: vertex fields that are not copied.
        """
        copies = {}
        for key in sorted(self._lasting()):
            if key.owner == VERTEX and key.name in leave_out:
                continue
            copies[str(key)] = self._all_rows(key)
        return copies

    def restore(self, saved: Mapping[str, np.ndarray]) -> None:
        """Set the buffers to what `saved` has returned, in a new State."""
        for key in [key for key in self.buffers if str(key) in saved]:
            rows = saved[str(key)]
            if key.owner != ARC:
                rows = by_number(self.numbering, rows)
            elif self.share:
                rows = rows[self._own_arcs()]
            self.write(key, rows)
            self.unset.pop(key, None)

    def saved_layout(self) -> str:
        """A text that must be equal in the State that was saved and the one that is restored: the
        layout of the control record, and the bytes of each buffer that can be saved."""
        sizes = {
            str(key): self._shape(key)[1]
            for key in sorted(self.buffers)
            if key in (MASK, *_PENDING) or key.owner in (VERTEX, ARC)
        }
        return f"{self.header.control.descr} {self.header.accumulator.scalar} {sizes}"

    def _shape(self, key: Key) -> tuple[int, int]:
        """The rows of a buffer of vertices or arcs, and the bytes of each."""
        if key.owner == ARC:
            type_ = self.types[key]
            return self.num_arcs, self.lanes * type_.stored * type_.scalar.itemsize
        return self.num_vertices, self.sizes[key] // max(self.num_vertices, 1)

    def _all_rows(self, key: Key) -> np.ndarray:
        """uint8 (all vertices or arcs, bytes of a row): those of all processes, in the graph's
        order."""
        shared = self.shared_values.get(key)
        if shared is not None:
            return shared
        rows = self.read(key, np.empty(self._shape(key), np.uint8))
        if key.owner == ARC:
            return rows
        assert not isinstance(self.numbering, Places)
        return by_vertex(self.numbering, rows)

    def _own_arcs(self) -> np.ndarray:
        """The numbers of this process's arcs among all arcs, in CSR order."""
        arcs = self.arrays.graph.arcs
        assert isinstance(arcs, ArcsPart)
        return arcs.places

    def arcs_of_all(self, key: Key) -> np.ndarray:
        """uint8 (all arcs, bytes of a row): an arc field, with 0 at arcs of other processes."""
        own = self.read(key, np.empty(self._shape(key), np.uint8))
        values = np.zeros((num_arcs(self.graph, self.edges), own.shape[1]), np.uint8)
        values[self._own_arcs()] = own
        return values

    def snapshot(self, last: Step | None, sent: Messages | None, masked: bool) -> Snapshot:
        """A copy of the state between two supersteps.

        Args:
            last, sent: as in `Snapshot`.
            masked: the program keeps a mask, which is in its form as bytes.
        """
        spec, times = self.program.spec, times_of(self.program.spec, self.graph)
        order = dict.fromkeys([*spec.result_order, *self.names()])
        mask = np.ones(self.graph.num_vertices, bool)
        if masked:
            mask = self.read(MASK, np.empty(self.graph.num_vertices, np.uint8)) != 0
        fields, arc_fields = (
            shown_fields({n: self.field(n, owner) for n in names}, spec.types, times)
            for owner, names in (
                (VERTEX, [n for n in order if n in self.names()]),
                (ARC, self.names(ARC)),
            )
        )
        return Snapshot(
            graph=self.graph,
            superstep=self.superstep,
            fields=fields,
            mask=mask,
            active=int(self.control["next_active"][0]),
            aggregates=self.aggregates(),
            arc_fields=arc_fields,
            last=last,
            sent=sent,
        )

    def messages(self, delivery: str, traits: Traits) -> Messages:
        """The messages that a delivery has stored for each arc: see `Delivery.stores`."""
        type_, lanes, arcs = self.header.stored, self.lanes, self.arrays.graph.arcs
        by_lane = traits.reads_singly and lanes > 1  # as GASCL_SLOT in kernels/runtime.cl
        shape = (lanes, self.num_arcs) if by_lane else (self.num_arcs, lanes)
        values = np.empty((*shape, type_.stored), type_.scalar)
        self.read(Key(delivery, "messages"), values)
        present = np.ones(shape, np.uint8)
        if not traits.every_arc_sends:
            self.read(Key(delivery, "sent"), present)
        if by_lane:
            values, present = values.swapaxes(0, 1), present.swapaxes(0, 1)
        values = values[:, :, : type_.width] if type_.width > 1 else values[:, :, 0]
        arc, lane = np.nonzero(present)
        source, target = np.asarray(arcs.into.ends)[arc], np.asarray(arcs.into.rows)[arc]
        assert not isinstance(self.numbering, Places)
        if self.numbering is not None:
            source, target = self.numbering.order[source], self.numbering.order[target]
        sent = values[arc, lane]
        if self.header.stored != self.header.message:  # each is stored as a group of its own
            whole = sent
            sent = np.empty(len(whole), self.header.message.scalar)
            for name in sent.dtype.names or ("",):
                sent[name or ...] = whole[name or KEY]
        return Messages(source, target, sent, lane.astype(np.int32))

    def restart(self, fields: Iterable[str] = ()) -> None:
        """Make the next run start at superstep 0 again, with these fields set by their `init`."""
        self.resumable = False
        self.drop(fields)

    def use(self, by: str) -> None:
        """Mark the State as used up. If two threads do this at once, the second one fails."""
        with self._lock:
            self.check_unused()
            self.used_by, self.buffers = by, {}

    @contextmanager
    def reading(self) -> Iterator[dict[Key, Any]]:
        """The buffers, which no other thread uses up meanwhile."""
        with self._lock:
            self.check_unused()
            yield self.buffers

    def check_unused(self) -> None:
        if self.used_by:
            raise GasclError(
                f"this State of {self.program.__name__} was used up by a later run of "
                f"{self.used_by}; continue from the state of that run, and read the fields of a "
                "result before another run uses its State (in solve, fresh=True makes a new one)"
            )

    def on_device(self, name: str) -> DeviceField:
        """A vertex field, or an arc field if there is none of that name, without reading it.

        Another stage can start with it, `Inner(depth=stages.state.on_device("depth"))`, and `solve`
        and the function of `share` can return it. NumPy's functions read it. The State must not be
        used up meanwhile.
        """
        self.check_unused()
        owners: tuple[Owner, ...] = VERTEX, ARC
        for owner in owners:
            if Key(owner, name) in self.buffers:
                return DeviceField(self, owner, name)
        raise self._no_field(name)

    def _no_field(self, name: str) -> GasclError:
        there = ", ".join([*self.names(), *self.names(ARC)]) or "none"
        return GasclError(f"the State has no field {name!r}; it has: {there}")

    def names(self, owner: Owner = VERTEX) -> list[str]:
        """The names of its vertex fields; with ARC, of its arc fields."""
        return [key.name for key in self.buffers if key.owner == owner]

    def fields(self) -> list[np.ndarray]:
        """Read all vertex and arc fields."""
        return [self.field(name, owner) for owner in (VERTEX, ARC) for name in self.names(owner)]

    def field(self, name: str, owner: Owner = VERTEX) -> np.ndarray:
        """Read a vertex field, or with ARC an arc field.

        Returns:
            (V,), or with lanes (V, lanes), plus a dimension for the components of a vector. Arc
            fields have A rows, in CSR order, instead of V. Unless `has_all`, there are only the
            rows of `own_vertices`.

        Raises:
            GasclError: the State is used up.
            DeviceError: the device is busy, or this process was forked.
        """
        fork_guard.check()
        check_free(self.device)
        key = Key(owner, name)
        type_ = self.types[key]
        count = self.graph.num_vertices if owner == VERTEX else self.num_arcs
        shape = (count, self.lanes, type_.stored)
        with self._lock:
            self.check_unused()
            buffer, places = self.buffers[key], None
            if key in self.shared_values:
                values = self.shared_values[key].view(type_.scalar)
                host = values.reshape(-1, *shape[1:])
                host = host if self.is_local else host.copy()  # a local State is not kept
            elif self.is_local:
                host = self._own_rows(key).view(type_.scalar)
                host = host.reshape(-1, *shape[1:])
            else:
                assert not isinstance(self.numbering, Places)
                host = np.empty(shape, type_.scalar)  # elsewhere, it may have too many items
                if self.numbering is not None and owner == VERTEX:
                    ordered = self._by_vertex(buffer, host.nbytes, host.nbytes // max(count, 1))
                    buffer, places = ordered or buffer, None if ordered else self.numbering.order
                self.device.download(host, buffer, places)
        host = host[:, :, : type_.width] if type_.width > 1 else host[:, :, 0]
        return host if self.lanes > 1 else host[:, 0]

    def own_vertices(self) -> np.ndarray:
        """int32, or int64: the vertices of this process, in ascending order; of a State that is
        local."""
        assert self.numbering is not None
        return self.numbering.order[slice(*self.rows)][self._own_order]

    @cached_property
    def _own_order(self) -> Any:
        """The order of `own_vertices` on the device, as an index."""
        assert isinstance(self.numbering, Places)
        if self.numbering.sorted:
            return slice(None)
        return np.argsort(self.numbering.order[slice(*self.rows)])

    def _own_rows(self, key: Key) -> np.ndarray:
        """uint8 (own vertices, bytes of a row): the rows of `own_vertices`."""
        (first, last), width, buffer = self.rows, self._shape(key)[1], self.buffers[key]
        if isinstance(buffer, SpilledBuffer):
            there = buffer.read(self.device.queue)
            rows = there[first * width : last * width].reshape(-1, width)
        else:
            rows = self._read_rows(key, np.empty((last - first, width), np.uint8), first)
        return rows[self._own_order]

    def _read_rows(self, key: Key, rows: np.ndarray, first: int) -> np.ndarray:
        """Fill uint8 (rows, bytes of a row) with the rows of a buffer from the first one on."""
        if rows.size:
            begin = first * rows.shape[1]
            cl.enqueue_copy(self.device.queue, rows, self.buffers[key], src_offset=begin)
        return rows

    def pieces(self, name: str) -> Iterator[tuple[int, np.ndarray]]:
        """A vertex field as `field` returns it, in pieces that need little memory, each with the
        number of its first row."""
        key, (begin, last) = Key(VERTEX, name), self.rows
        type_, width = self.types[key], self._shape(key)[1]
        in_order = isinstance(self.numbering, Places) and self.numbering.sorted
        if key in self.shared_values or not in_order:
            yield 0, self.field(name)
            return
        for part in blocks(last - begin):
            rows = np.empty((part.stop - part.start, width), np.uint8)
            self._read_rows(key, rows, begin + part.start)
            values = rows.view(type_.scalar).reshape(len(rows), self.lanes, type_.stored)
            yield part.start, values[:, :, : type_.width]

    def lane_sums(self, name: str, first: int | None = None) -> np.ndarray:
        """The sum of a vertex field over its lanes, (V,): int64, or of floats float64.

        Args:
            first: over this many lanes only; None: all.

        Raises:
            GasclError: there is no such field of numbers, or there are not so many lanes; or as
                `field`.
            DeviceError: as `field`.
        """
        key, count = Key(VERTEX, name), self.graph.num_vertices
        first = self.lanes if first is None else first
        if not 0 <= first <= self.lanes:
            raise GasclError(f"first={first}: the State has {self.lanes} lanes; give at most these")
        if key not in self.buffers:
            raise self._no_field(name)
        type_ = self.types[key]
        if type_.members or type_.width > 1:
            raise GasclError(f"field {name!r} is of type {type_.c}: lane_sums adds up numbers only")
        total = np.float64 if type_.is_float else np.int64
        if self.lanes == 1:
            return self.field(name).astype(total, copy=False)
        sums = np.empty(count, total)
        able = self.numbering is None and (self.device.fp64 or not type_.is_float)
        if not (able and gather.pays(self.device) and self._has_room(sums.nbytes)):
            lanes = self.field(name)[:, :first]
            return filled(sums, lambda rows: lanes[rows].sum(axis=1, dtype=total))
        fork_guard.check()
        check_free(self.device)
        with self._lock:
            self.check_unused()
            added, buffer = self.device.allocate(sums.nbytes), self.buffers[key]
            gather.add_lanes(self.device, added, buffer, count, self.lanes, first, type_.c)
            self.device.download(sums, added)
        return sums

    def _has_room(self, size: int) -> bool:
        """Whether this many more bytes fit on the device; not if the graph has left it."""
        resident = self._resident()
        if resident is None:
            return False
        return resident_bytes([resident]) + sum(self.sizes.values()) + size <= resident.memory

    def _by_vertex(self, buffer: Any, size: int, row: int) -> Any:
        """A copy of a buffer of `size` bytes whose rows, of `row` bytes, are in the graph's order.
        None if the host is to reorder them: if it is as fast, if there is no room for the numbers
        and the copy, or if the graph has left the device with its engine.
        """
        resident, count = self._resident(), self.graph.num_vertices
        if resident is None or row not in gather.SIZES or not gather.pays(self.device):
            return None
        if not self._has_room(size + 4 * count):
            return None
        ordered = self.device.allocate(size)
        gather.gather_values(self.device, ordered, buffer, resident.numbers(), count, row)
        return ordered


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << i for i, flag in enumerate(flags) if flag)


class DeviceField(LazyValues):
    """A field of a State, read from the device once it is needed as an array, also by operators.

    Attributes:
        state, owner, name: whose field it is.
        type, lanes: the type of a value, and how many values there are at each vertex or arc.
    """

    def __init__(self, state: State, owner: Owner, name: str):
        super().__init__()
        self.state, self.owner, self.name = state, owner, name
        self.type: Type = state.types[self.key]
        self.lanes = state.lanes

    def __repr__(self) -> str:
        return f"<the field {self.name} of {self.state!r}>"

    @property
    def key(self) -> Key:
        return Key(self.owner, self.name)

    @property
    def nbytes(self) -> int:
        return self.state.sizes[self.key]

    @property
    def dtype(self) -> np.dtype:  # type: ignore[override]
        return self.type.scalar

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The shape of the array that `State.field` returns."""
        rows = self.state.graph.num_vertices if self.owner == VERTEX else self.state.num_arcs
        lanes = (self.lanes,) if self.lanes > 1 else ()
        return (rows, *lanes, *((self.type.width,) if self.type.width > 1 else ()))

    def read(self) -> np.ndarray:
        return self.state.field(self.name, self.owner)

    def fits(self, type_: Type, lanes: int) -> bool:
        """Whether a field of that type and number of lanes has the same layout. The lanes of one
        are as good as the components of a vector of the other."""
        if (self.type, self.lanes) == (type_, lanes):
            return True
        parts = [(each.width, each.stored) for each in (self.type, type_)]
        dense = all(width == stored for width, stored in parts) and not type_.members
        counts = self.type.width * self.lanes, type_.width * lanes
        return dense and self.dtype == type_.scalar and counts[0] == counts[1]
