"""Everything a superstep changes, as buffers on the device; and what of it outlives a run."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.delivery.atomics import cell_bits
from gascl.delivery.buffers import ANYTHING, COMMON, PENDING, Buffer
from gascl.delivery.table import Launch
from gascl.errors import DeviceError, GasclError, ProgramError
from gascl.language.program import VertexProgram
from gascl.language.types import Type
from gascl.runtime import process
from gascl.runtime.plan import Plan
from gascl.runtime.resident import Layout, check_memory, upload
from gascl.runtime.values import parameters, stored
from gascl.runtime.waiting import check_free

#: Supersteps that may be under way before the host reads their records.
RECORDS = 64
#: Kinds of traps, as kernels/words.cl numbers them.
FAULTS = 7
#: Arcs of a frontier's piece, as kernels/push.cl has it.
PIECE = 128
_NEVER = np.iinfo(np.int32).max
#: NVIDIA's driver fails to fill 2 GiB or more at once.
_FILL = 2**30
#: What kernels are given that is no buffer of the graph's.
_OTHERS = {"STATE", "EDGE", "tallies", "num_arcs", "counts", "starting"}


class State:
    """Vertex and arc fields, mask, messages, aggregators and the superstep's number of a run.

    Building one allocates it; the memory is computed and checked first. `Engine.run(...,
    keep_state=True)` leaves it in `result.state`, on the device, and `run(..., state=...)` goes on
    from it, which uses it up.

    Attributes:
        graph, program, lanes, values: what it is of; `program` is the class, `values` are its
            parameters.
        control: the device's record of the last superstep.
        resumable: a run of the same class continues; else it begins at superstep 0.
    """

    def __init__(
        self,
        program: VertexProgram,
        plans: Sequence[Plan],
        layout: Layout,
        initial: dict[str, np.ndarray],
        previous: State | None = None,
        resumes: bool = False,
    ):
        self.program, self.lanes, self.graph = type(program), program.lanes, layout.graph
        self.values = program.parameter_values()
        self.plans, self.layout, self.device = plans, layout, layout.device
        self.header = plans[0].header
        self.types = self._types()
        self.used_by, self.resumable = "", True
        self._lock = threading.RLock()
        process.holds_opencl(self)
        self.edge_keys = {p.delivery.name: self._edge_keys(p) for p in plans}
        run = parameters(program, layout.graph, self.header)
        sizes = self._sizes()
        kept = self._kept(previous, initial, resumes)
        new = {n: s for n, s in sizes.items() if n not in kept}
        names = [*self._arrays(), *(k for keys in self.edge_keys.values() for k in keys.values())]
        arrays = layout.sizes(list(dict.fromkeys(names)), self.header.types)
        resident = layout.resident + sum(b.size for b in kept.values())
        check_memory(self.device, {**new, **arrays}, resident)

        self.buffers: dict[str, Any] = {n: layout.buffer(n) for n in self._arrays()}
        for plan in plans:
            for name, key in self.edge_keys[plan.delivery.name].items():
                field = self.program.spec.edge_fields.get(name)
                type_ = self.header.types[name] if field else None
                self.buffers[key] = layout.edge_buffer(key, plan.delivery.arcs, field, type_)
        for name, size in new.items():
            self.buffers[name] = self._allocate(size)
        self.buffers.update(kept)
        own = {b.name: b.begins for b in self._own()}
        self.unset = {n: own[n] for n in new if own.get(n, ANYTHING) != ANYTHING}
        self.types = {**(previous.types if previous else {}), **self.types}
        vertex_fields, arc_fields = (
            list(self.program.spec.vertex_fields),
            list(self.program.spec.arc_fields),
        )
        self.kept = _bits(f"v.{n}" in kept for n in vertex_fields)
        self.kept_arcs = _bits(f"a.{n}" in kept for n in arc_fields)
        self.given = self.kept | _bits(n in initial for n in vertex_fields)
        for name, values in initial.items():
            if f"v.{name}" not in kept:
                self.write(f"v.{name}", stored(values, self.header.types[name]))
        self.buffers["run"] = upload(self.device, run)
        lines = max(len(p.places) for p in plans) + 1
        self.buffers["faults"] = upload(self.device, np.full(FAULTS * lines, _NEVER, np.int32))
        self.control = np.zeros(1, self.header.control)
        if resumes and previous is not None:
            self.control = previous.control.copy()
        self.control["overflow"] = self.control["fault"] = _NEVER
        self.control["stopped"] = 0
        self.buffers["control"] = self._allocate(self.control.nbytes)
        self.write_control()
        if previous is not None:
            previous.use(type(program).__name__)

    # What a run needs -------------------------------------------------------------------------

    def _types(self) -> dict[str, Type]:
        """Types of the program's own fields, by the names of their buffers."""
        of = self.header.types
        fields = {f"v.{n}": of[n] for n in self.program.spec.vertex_fields}
        return fields | {f"a.{n}": of[n] for n in self.program.spec.arc_fields if n in of}

    def _arrays(self) -> list[str]:
        """Names of the graph's arrays that the kernels ask for."""
        named = {"out_offsets"} if self.plans[0].facts.masked else set()
        for plan in self.plans:
            launches: tuple[Launch, ...] = plan.delivery.launches
            used = {a for launch in launches for a in launch.arguments}
            used |= {x.over for x in launches if x.over.endswith("_blocks")}
            if plan.delivery.sparse or plan.facts.arc_state:
                used |= {"out_offsets", "out_targets"}
            of_state = {n for n in plan.arguments if n.endswith("_degree") or n[:4] == "out_"}
            named |= (used | of_state) - {b.name for b in plan.delivery.buffers} - _OTHERS
        return sorted(named)

    def _own(self) -> list[Buffer]:
        """What the kernels ask for that is neither the graph's nor a field."""
        named = {n for plan in self.plans for n in plan.arguments}
        named |= {"mask"} if self.plans[0].facts.masked else set()
        of_deliveries = [b for plan in self.plans for b in plan.delivery.buffers]
        return [*(b for b in COMMON if b.name in named), *of_deliveries]

    def _sizes(self) -> dict[str, int]:
        """Bytes of what is allocated for this run."""
        header, rows, groups = self.header, self.graph.num_vertices, self.device.groups
        arcs, facts, types = self.layout.num_arcs, self.plans[0].facts, self.header.types
        sizes: dict[str, int] = {}
        for name in self.program.spec.vertex_fields:
            sizes[f"v.{name}"] = rows * self.lanes * types[name].itemsize
        for name in facts.snapshots:
            sizes[f"old.{name}"] = sizes[f"v.{name}"]
        for name in self.program.spec.arc_fields if facts.arc_state else ():
            sizes[f"a.{name}"] = arcs * self.lanes * types[name].itemsize
        items = {"message": header.message.itemsize, "box": header.box.itemsize, "piece": 8}
        items |= {"flag": 1, "mark": 1, "bits": 4, "vertex": 4, "count": 4, "wrap": 4}
        items["cell"] = (cell_bits(header.accumulator) or 64) // 8
        counts = {"arc": self.lanes * arcs, "vertex": self.lanes * rows, "row": rows}
        counts[""] = rows + arcs // PIECE + 1
        wraps = facts.overflows and header.message.itemsize == 8
        unneeded = {"mark": facts.every_arc_sends, "wrap": not wraps}
        for buffer in self._own():
            size = counts[buffer.per] * items[buffer.item]
            sizes[buffer.name] = 1 if unneeded.get(buffer.item) else size
        splits = self.plans[0].splits(rows, groups) if facts.pairs else 1
        if splits > 1:
            sizes["boxes"] = splits * sizes["paired"]
        # One a group; a group has its share of the blocks of rows or of the vertices.
        sizes["tallies"] = header.tally.itemsize * max(self.layout.most_groups, groups)
        sizes["counts"] = 16 * groups
        sizes["records"] = header.control.itemsize * RECORDS
        return sizes

    def _kept(
        self, previous: State | None, initial: dict[str, np.ndarray], resumes: bool
    ) -> dict[str, Any]:
        """Buffers that go on from another run: fields of the same name and type, or given anew."""
        if previous is None:
            return {}
        cls = self.program.__name__
        if previous.device.context != self.device.context:
            raise DeviceError(
                f"the State of {previous.program.__name__} is in the memory of {previous.device}, "
                f"and {cls} runs on {self.device}: give Engine the same device"
            )
        if previous.lanes != self.lanes:
            raise ProgramError(
                f"the State has {previous.lanes} lanes and the run {self.lanes}: they must agree"
            )
        same_arcs = previous.layout.edges == self.layout.edges and (
            previous.graph is self.graph or previous.graph.fingerprint == self.graph.fingerprint
        )
        names = [f"v.{n}" for n in previous.names("v") if n not in initial]
        names += [f"a.{n}" for n in previous.names("a") if same_arcs]
        for name in (n for n in names if n in self.types):
            there, here = previous.types[name], self.types[name]
            if (there.scalar, there.width) != (here.scalar, here.width):
                field = name[2:]
                anew = f"give {field}=... or " if name[0] == "v" else ""
                raise ProgramError(
                    f"the State's field {field!r} is {there.c}, and {cls}'s is {here.c}: "
                    f"{anew}use the same type and dtype"
                )
        names += ["mask"] if previous.has_mask else []
        if resumes:
            names += [n for n in PENDING if n in previous.buffers]
            carried = [(h.control, h.accumulator) for h in (previous.header, self.header)]
            if carried[0] != carried[1]:
                raise ProgramError(
                    f"the State is of {cls} with another dtype, and its messages and aggregators "
                    "have other types: use the same dtype, or run without state="
                )
        return {n: previous.buffers[n] for n in names}

    def _edge_keys(self, plan: Plan) -> dict[str, str]:
        """Edge arrays of one name differ by order, type and default between programs."""
        keys = {}
        for name in plan.header.edge:
            if not name.startswith("a."):
                field = self.program.spec.edge_fields.get(name)
                about = f":{plan.header.types[name].c}:{field.default!r}" if field else ""
                keys[name] = f"{name}@{plan.delivery.arcs}{about}"
        return keys

    def _allocate(self, size: int) -> Any:
        """What it holds at first is anything."""
        return cl.Buffer(self.device.context, cl.mem_flags.READ_WRITE, max(size, 1))

    # What a run does --------------------------------------------------------------------------

    def clear(self, name: str) -> None:
        buffer = self.buffers[name]
        for start in range(0, buffer.size, _FILL):
            part = min(_FILL, buffer.size - start)
            cl.enqueue_fill_buffer(self.device.queue, buffer, np.zeros(1, np.uint8), start, part)

    def arguments(self, plan: Plan, names: Sequence[Any]) -> list[Any]:
        """A kernel's arguments: buffers by name, STATE and EDGE spelt out; numbers as they are."""
        values: list[Any] = []
        keys = self.edge_keys[plan.delivery.name]
        for name in names:
            if not isinstance(name, str):
                values.append(name)
            elif name == "STATE":
                values += [self.buffers[n] for n in plan.arguments]
            elif name == "EDGE":
                values += [self.buffers[keys.get(n, n)] for n in plan.header.edge]
            elif name == "num_arcs":
                values.append(np.int64(self.layout.num_arcs))
            elif name.endswith("_blocks"):
                values += [self.buffers[name], np.int32(len(self.layout.blocks(name)) - 1)]
            else:
                values.append(self.buffers[name])
        return values

    def swap(self, plan: Plan) -> None:
        """Let the double buffers change places, after a superstep."""
        old = dict(self.buffers)
        for name, other in plan.swaps().items():
            if name in old and other in old:
                self.buffers[name] = old[other]

    def records(self, count: int) -> tuple[np.ndarray, Any]:
        """The control records of the first `count` slots, and the event by which they are there."""
        host, queue = np.empty(count, self.header.control), self.device.queue
        copied = cl.enqueue_copy(queue, host, self.buffers["records"], is_blocking=False)
        queue.flush()
        return host, copied

    def write_control(self) -> None:
        """Write what a superstep finds: its record says what was under way, and it says it anew."""
        control = self.control.copy()
        control["under_way"] = 0
        self.write("control", control)

    def write(self, name: str, values: np.ndarray) -> None:
        cl.enqueue_copy(self.device.queue, self.buffers[name], values)

    def faults(self, plan: Plan) -> np.ndarray:
        """(kinds of traps, lines of the built text): the least vertex at each."""
        lines = len(plan.places) + 1
        host = np.empty((FAULTS, lines), np.int32)
        cl.enqueue_copy(self.device.queue, host, self.buffers["faults"])
        return host

    # What is left of it -----------------------------------------------------------------------

    @property
    def has_mask(self) -> bool:
        return "mask" in self.buffers

    @property
    def pending(self) -> bool:
        """Messages that apply sent to the next superstep are under way."""
        return bool(self.control["under_way"][0])

    @property
    def superstep(self) -> int:
        """How many supersteps its program has run."""
        return int(self.control["superstep"][0])

    def _lasting(self) -> dict[str, Any]:
        """The buffers that the next superstep finds as the last one left them."""
        names = {"mask", *(PENDING if self.pending else ())}
        return {n: b for n, b in self.buffers.items() if n in names or n[:2] in ("v.", "a.")}

    def keep(self) -> None:
        """Drop what only a running run needs, once it has done all its work."""
        self.device.queue.finish()
        self.buffers = self._lasting()

    def digest(self) -> bytes:
        """The same only for the same state: of all that the next superstep finds."""
        found = hashlib.blake2b(repr(self.control["aggregates"].tolist()).encode())
        for _, buffer in sorted(self._lasting().items()):
            host = np.empty(buffer.size, np.uint8)
            cl.enqueue_copy(self.device.queue, host, buffer)
            found.update(host.data)
        return found.digest()

    def begin_anew(self, fields: Iterable[str] = ()) -> None:
        """Let no run resume this one, and those fields begin by their `init`."""
        self.resumable = False
        for name in fields:
            self.buffers.pop(f"v.{name}", None)

    def use(self, by: str) -> None:
        """Leave the rest to a run that goes on; of two at once, the second is refused."""
        with self._lock:
            self.check_unused()
            self.used_by, self.buffers = by, {}

    def check_unused(self) -> None:
        if self.used_by:
            raise GasclError(
                f"this State of {self.program.__name__} was used up by a later run of "
                f"{self.used_by}; go on from that run's state, and read the fields of a result "
                "before its State goes on"
            )

    def names(self, kind: str = "v") -> list[str]:
        """The vertex fields ("v") or arc fields ("a") that it holds."""
        return [n[2:] for n in self.buffers if n.startswith(f"{kind}.")]

    def field(self, name: str, kind: str = "v") -> np.ndarray:
        """A field on the host: (V,), (V, lanes) with lanes, one more dimension for a vector's
        components; arc fields have arcs, in CSR order, for V."""
        process.check()
        check_free(self.device)
        type_ = self.types[f"{kind}.{name}"]
        count = self.graph.num_vertices if kind == "v" else self.layout.num_arcs
        shape = (count, self.lanes, type_.stored)
        host = np.empty(shape, type_.scalar)
        with self._lock:
            self.check_unused()
            cl.enqueue_copy(self.device.queue, host, self.buffers[f"{kind}.{name}"])
        host = host[:, :, : type_.width] if type_.width > 1 else host[:, :, 0]
        return host if self.lanes > 1 else host[:, 0]


class Fields(Mapping[str, np.ndarray]):
    """The fields of a kept State, each read from the device when first asked for."""

    def __init__(self, state: State, kind: str = "v"):
        self._state, self._kind, self._read = state, kind, {}  # type: ignore[var-annotated]
        self._names = state.names(kind)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._read:
            if name not in self._names:
                raise KeyError(name)
            self._read[name] = self._state.field(name, self._kind)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _bits(flags: Any) -> int:
    return sum(1 << i for i, flag in enumerate(flags) if flag)
