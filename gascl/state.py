"""Everything a superstep changes, as buffers on the device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyopencl as cl

from gascl.errors import ProgramError
from gascl.fields import ChoiceParam, SuperstepsParam, VertexParam
from gascl.graph import Graph
from gascl.layout import Layout, check_edge_field, check_memory, convert, upload
from gascl.plan import Plan
from gascl.program import VertexProgram
from gascl.types import Type

#: Supersteps that may be under way before the host reads their records.
RECORDS = 64
_NEVER = np.iinfo(np.int32).max
#: NVIDIA's driver fails to fill 2 GiB or more at once.
_FILL = 2**30


class State:
    """Vertex fields, masks, messages, aggregators and the superstep's number of one run.

    Building one allocates it; the memory is computed and checked first.
    """

    def __init__(
        self, program: VertexProgram, plan: Plan, layout: Layout, initial: dict[str, np.ndarray]
    ):
        self.program, self.plan, self.layout = program, plan, layout
        self.device, self.header = layout.device, plan.header
        self.notes: list[str] = []
        facts, header, delivery = plan.facts, plan.header, plan.delivery
        cls, graph = type(program), layout.graph
        for name in header.edge:
            if name in cls.edge_fields:
                place = cls.class_source.place(name)
                note = check_edge_field(graph, cls.edge_fields[name], header.types[name], place)
                self.notes += [note] if note else []
        self.swapped = dict(delivery.swaps)
        self.swapped.update({b: a for a, b in delivery.swaps})
        own = {b.name: b for b in delivery.buffers}
        arguments = {a for launch in delivery.launches for a in launch.arguments}
        blocks = {x.over for x in delivery.launches if x.over.endswith("_blocks")}
        arrays = sorted(arguments - set(own) - {"STATE", "EDGE", "tallies"} | blocks)
        arrays += [n for n in header.state if n.endswith("_degree")]
        self.edge_keys = {n: self._edge_key(n) for n in header.edge}
        types = header.types
        sizes = layout.sizes([*arrays, *self.edge_keys.values()], types)
        rows, arcs = graph.num_vertices, layout.num_arcs
        for name in header.state:
            if name in ("mask", "next", "marks"):
                sizes[name] = rows
            elif name.startswith("v."):
                sizes[name] = rows * types[name[2:]].itemsize
        items = {"message": header.message.itemsize, "box": header.box.itemsize, "mark": 1}
        for buffer in own.values():
            count = arcs if buffer.per == "arc" else rows
            unneeded = buffer.item == "mark" and facts.every_arc_sends
            sizes[buffer.name] = 1 if unneeded else count * items[buffer.item]
        # With a group a block, there are at most as many blocks as rows.
        sizes["tallies"] = header.tally.itemsize * max(rows, self.device.groups, 1)
        run = self._run(graph)
        check_memory(self.device, sizes)
        self.buffers: dict[str, Any] = {}
        for name in arrays:
            self.buffers[name] = layout.buffer(name)
        for name, key in self.edge_keys.items():
            field = cls.edge_fields.get(name)
            order = delivery.arcs
            buffer = layout.edge_buffer(key, order, field, types[name] if field else None)
            self.buffers[f"e.{name}"] = buffer
        for name in [*own, *(n for n in header.state if n in ("mask", "next", "marks"))]:
            zeroed = name not in own or own[name].item == "mark"
            self.buffers[name] = self._allocate(sizes[name], zeroed)
        groups = [len(layout.blocks(b)) for b in blocks]
        self.buffers["tallies"] = self._allocate(
            header.tally.itemsize * max([*groups, self.device.groups]), False
        )
        folded = header.tally.itemsize * self.device.groups
        self.buffers["folded"] = self._allocate(folded, False)
        self.buffers["counts"] = self._allocate(4 * self.device.groups, False)
        self.buffers["records"] = self._allocate(header.control.itemsize * RECORDS, False)
        self.given = 0
        for i, name in enumerate(cls.vertex_fields):
            if name in initial:
                self.given |= 1 << i
                self.buffers[f"v.{name}"] = upload(self.device, _stored(initial[name], types[name]))
            else:
                self.buffers[f"v.{name}"] = self._allocate(sizes[f"v.{name}"], False)
        self.buffers["run"] = upload(self.device, run)
        control = np.zeros(1, header.control)
        control["overflow"] = control["fault"] = _NEVER
        self.buffers["control"] = upload(self.device, control)

    def swap(self) -> None:
        """Let the double buffers change places, after a superstep."""
        old = dict(self.buffers)
        for name, other in self.swapped.items():
            self.buffers[name] = old[other]

    def records(self, count: int) -> np.ndarray:
        """The control records of the first `count` slots; waits for the device."""
        host = np.empty(count, self.header.control)
        cl.enqueue_copy(self.device.queue, host, self.buffers["records"])
        return host

    def fields(self) -> dict[str, np.ndarray]:
        """Every vertex field on the host: (V,), or (V, n) for a vector."""
        arrays = {}
        for name in type(self.program).vertex_fields:
            type_ = self.header.types[name]
            host = np.empty((self.layout.graph.num_vertices, type_.stored), type_.scalar)
            cl.enqueue_copy(self.device.queue, host, self.buffers[f"v.{name}"])
            arrays[name] = host[:, 0] if type_.width == 1 else host[:, : type_.width]
        return arrays

    def _edge_key(self, name: str) -> str:
        """Edge arrays of one name differ by order, type and default between programs."""
        field = type(self.program).edge_fields.get(name)
        about = f":{self.header.types[name].c}:{field.default!r}" if field else ""
        return f"{name}@{self.plan.delivery.arcs}{about}"

    def _allocate(self, size: int, zeroed: bool) -> Any:
        buffer = cl.Buffer(self.device.context, cl.mem_flags.READ_WRITE, max(size, 1))
        if zeroed:
            for start in range(0, size, _FILL):
                part = min(_FILL, size - start)
                cl.enqueue_fill_buffer(
                    self.device.queue, buffer, np.zeros(1, np.uint8), start, part
                )
        return buffer

    def _run(self, graph: Graph) -> np.ndarray:
        run = np.zeros(1, self.header.run)
        run["graph"]["num_vertices"], run["graph"]["num_edges"] = (
            graph.num_vertices,
            graph.num_edges,
        )
        for name, param in type(self.program).params.items():
            if isinstance(param, ChoiceParam | SuperstepsParam):
                continue
            value = getattr(self.program, name)
            if isinstance(param, VertexParam):
                value = graph.index_of(value)
            type_ = param.resolve(self.program.dtype)
            if type_.is_float:
                most = float(np.finfo(type_.scalar).max)
                if np.isfinite(value) and abs(value) > most:
                    raise ProgramError(
                        f"{self.program!r}: {name}={value} is beyond {type_.scalar}, which holds "
                        f"up to {most:.3g}; use dtype='float64'"
                    )
            run["params"][name] = value
        return run


def initial_values(program: VertexProgram, graph: Graph, types: dict[str, Type]) -> dict[str, Any]:
    """The vertex fields given at construction, each as (V,) or (V, n) in its field's type.

    Raises:
        ProgramError: a wrong length, an unknown vertex, a value the type can't hold.
    """
    arrays = {}
    for name, given in program.initial.items():
        type_ = types[name]
        shape = (graph.num_vertices,) if type_.width == 1 else (graph.num_vertices, type_.width)
        if isinstance(given, Mapping):
            values = np.zeros(shape, type_.scalar)
            for label, value in given.items():
                one = np.asarray(value)
                if one.dtype.kind not in "iuf" or one.shape != shape[1:]:
                    raise ProgramError(
                        f"{type(program).__name__}({name}=...): {value!r} of {label!r} is no "
                        f"{type_.c}"
                    )
                what = f"the initial {name!r} of {label!r}"
                values[graph.index_of(label)] = convert(np.atleast_1d(one), type_, what).reshape(
                    one.shape
                )
        else:
            values = np.asarray(given)
        if values.shape != shape or values.dtype.kind not in "iuf":
            raise ProgramError(
                f"{type(program).__name__}({name}=...): expected numbers of shape {shape}, one a "
                f"vertex, or a dict from labels to values; got {values.dtype}, {values.shape}"
            )
        arrays[name] = convert(values, type_, f"the initial {name!r}").copy()
    return arrays


def _stored(values: np.ndarray, type_: Type) -> np.ndarray:
    """As OpenCL keeps it: a vector of 3 takes the place of 4."""
    if type_.width == type_.stored:
        return values
    return np.pad(values, ((0, 0), (0, type_.stored - type_.width)))
