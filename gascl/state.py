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
_MASKS = ("mask", "next", "marks")
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
        self.own = {b.name: b for b in plan.delivery.buffers}
        self.swapped = dict(plan.delivery.swaps)
        self.swapped.update({b: a for a, b in plan.delivery.swaps})
        self.edge_keys = {n: self._edge_key(n) for n in self.header.edge}
        self.notes = self._check_edge_fields()
        run = self._run()
        sizes = self._sizes()
        arrays = layout.sizes([*self._arrays(), *self.edge_keys.values()], self.header.types)
        check_memory(self.device, {**sizes, **arrays}, layout.resident)

        self.buffers: dict[str, Any] = {n: layout.buffer(n) for n in self._arrays()}
        for name, key in self.edge_keys.items():
            field = type(program).edge_fields.get(name)
            type_ = self.header.types[name] if field else None
            self.buffers[f"e.{name}"] = layout.edge_buffer(key, plan.delivery.arcs, field, type_)
        for name, size in sizes.items():
            is_mark = name in _MASKS or (name in self.own and self.own[name].item == "mark")
            self.buffers[name] = self._allocate(size, zeroed=is_mark)
        self.given = 0
        for i, name in enumerate(type(program).vertex_fields):
            if name in initial:
                self.given |= 1 << i
                values = _stored(initial[name], self.header.types[name])
                cl.enqueue_copy(self.device.queue, self.buffers[f"v.{name}"], values)
        self.buffers["run"] = upload(self.device, run)
        control = np.zeros(1, self.header.control)
        control["overflow"] = control["fault"] = _NEVER
        self.buffers["control"] = upload(self.device, control)

    def _arrays(self) -> list[str]:
        """Names of the graph's arrays that the kernels ask for."""
        launches = self.plan.delivery.launches
        named = {a for launch in launches for a in launch.arguments}
        blocks = {x.over for x in launches if x.over.endswith("_blocks")}
        degrees = {n for n in self.header.state if n.endswith("_degree")}
        return sorted((named | blocks | degrees) - set(self.own) - {"STATE", "EDGE", "tallies"})

    def _sizes(self) -> dict[str, int]:
        """Bytes of what is allocated for this run."""
        header, rows, groups = self.header, self.layout.graph.num_vertices, self.device.groups
        sizes = {n: rows for n in header.state if n in _MASKS}
        for name in type(self.program).vertex_fields:
            sizes[f"v.{name}"] = rows * header.types[name].itemsize
        items = {"message": header.message.itemsize, "box": header.box.itemsize, "mark": 1}
        for buffer in self.own.values():
            count = self.layout.num_arcs if buffer.per == "arc" else rows
            unneeded = buffer.item == "mark" and self.plan.facts.every_arc_sends
            sizes[buffer.name] = 1 if unneeded else count * items[buffer.item]
        # One a group; a group has a block of rows or its share of the vertices.
        sizes["tallies"] = header.tally.itemsize * max(self.layout.most_blocks, groups)
        sizes["folded"] = header.tally.itemsize * groups
        sizes["counts"] = 4 * groups
        sizes["records"] = header.control.itemsize * RECORDS
        return sizes

    def _check_edge_fields(self) -> list[str]:
        """What to tell the user about the edge fields; raises GraphError where one can't be had."""
        cls = type(self.program)
        notes = [
            check_edge_field(
                self.layout.graph,
                cls.edge_fields[name],
                self.header.types[name],
                cls.class_source.place(name),
            )
            for name in self.header.edge
            if name in cls.edge_fields
        ]
        return [note for note in notes if note]

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

    def _run(self) -> np.ndarray:
        """The parameters and the graph's counts, as kernels read them."""
        graph, run = self.layout.graph, np.zeros(1, self.header.run)
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
