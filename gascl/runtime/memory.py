"""How much memory a graph and a run take, on the host and on the device, before they take it."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.arcs import index_dtype
from gascl.graph.labels import shown

if TYPE_CHECKING:
    from gascl.graph.graph import Graph
    from gascl.language.program import VertexProgram
    from gascl.runtime.device import Device

#: What a program is likely to use of a graph where none is named.
ARRAYS = ["in_offsets", "in_sources", "out_offsets", "out_targets", "slot"]


@dataclass(frozen=True)
class Size:
    """A graph that need not be there: what layouts and States ask of one to measure memory."""

    num_vertices: int
    num_edges: int
    directed: bool = True
    num_loops: int = 0

    @property
    def num_arcs(self) -> int:
        return self.num_edges if self.directed else 2 * self.num_edges - self.num_loops

    @property
    def edge_src(self) -> np.ndarray:  # by these a layout counts self-loops
        return np.zeros(self.num_loops, np.int8)

    edge_dst = edge_src


@dataclass(frozen=True)
class Estimate:
    """Bytes by part, in words."""

    host: Mapping[str, int]
    building: int  # beside those, for a while
    device: Mapping[str, int]
    device_name: str = ""
    device_memory: int | None = None  # bytes that the device has, where there is one
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For reading."""
        lines = [f"host: {amount(sum(self.host.values()))}"]
        lines += [f"  {name}: {amount(size)}" for name, size in self.host.items()]
        lines.append(f"  and {amount(self.building)} more while the arcs are built")
        where = f"device, {self.device_name}" if self.device_name else "device"
        of = "" if self.device_memory is None else f" of {amount(self.device_memory)}"
        lines.append(f"{where}: {amount(sum(self.device.values()))}{of}")
        lines += [f"  {name}: {amount(size)}" for name, size in self.device.items()]
        return lines + self.notes


def amount(size: int) -> str:
    """Bytes in words: 1.5 GiB."""
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size} bytes"


def estimate(
    num_vertices: int,
    num_edges: int,
    directed: bool = True,
    *,
    num_loops: int = 0,
    edge_bytes: int = 0,
    vertex_bytes: int = 0,
    label_bytes: int = 0,
    program: VertexProgram | None = None,
    delivery: str = "auto",
    device: Any = None,
) -> Estimate:
    """The memory of a graph, and of a run on it, without either.

    What a reader of text holds besides, while it reads, is not in it.

    Args:
        edge_bytes, vertex_bytes, label_bytes: of all edge fields, vertex fields and labels.
        program: of which the run is; None: the arrays of the graph that most programs use.
        delivery, device: as `Engine` and its `run` take them.

    Raises:
        GraphError: a count is negative or no whole number, or there are more loops than edges.
        ProgramError: the delivery can't take the program.
    """
    num_vertices, num_edges = _count("num_vertices", num_vertices), _count("num_edges", num_edges)
    num_loops = _count("num_loops", num_loops, num_edges)
    edge_bytes, vertex_bytes = (
        _count("edge_bytes", edge_bytes),
        _count("vertex_bytes", vertex_bytes),
    )
    label_bytes = _count("label_bytes", label_bytes)
    size = Size(num_vertices, num_edges, directed, num_loops)
    way = program.spec.edges if program is not None else "out"
    host, building = _host(size, way, edge_bytes, vertex_bytes, label_bytes)
    notes = []
    if not directed and not num_loops:
        notes.append("an undirected self-loop is one arc and not two: such edges take less")
    found = _find(device, notes)
    if program is None or found is None:
        from gascl.runtime.resident import Layout

        layout: Any = Layout(size, found or _NoDevice(), way, 1, 1)  # type: ignore[arg-type]
        arrays = layout.sizes(ARRAYS, {})
        fields = edge_bytes * layout.num_arcs // max(num_edges, 1)
        notes.append("device: the graph's own arrays; a program uses some, and has its own besides")
    else:
        arrays, results = _run(size, program, found, delivery)
        fields = 0
        host |= {"results": results}
    arrays |= {"edge fields, by arc": fields} if fields else {}
    name, memory = (str(found), found.memory) if found else ("", None)
    return Estimate(host, building, arrays, name, memory, notes)


def _count(name: str, value: Any, most: int | None = None) -> int:
    try:
        count = -1 if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        count = -1
    if count < 0 or (most is not None and count > most):
        to = "or more" if most is None else f"to {most:,}, the number of edges"
        raise GraphError(f"{name} is {shown(value)}; give a whole number, 0 {to}")
    return count


def described(
    graph: Graph, program: VertexProgram | None = None, delivery: str = "auto", device: Any = None
) -> list[str]:
    """`estimate` of a graph that is there, line by line; its arcs are not built for it."""
    known = estimate(
        graph.num_vertices,
        graph.num_edges,
        graph.directed,
        num_loops=int(np.count_nonzero(graph.edge_src == graph.edge_dst)),
        edge_bytes=sum(values.nbytes for values in graph.edge_fields.values()),
        vertex_bytes=sum(values.nbytes for values in graph.vertex_fields.values()),
        label_bytes=0 if graph.labels is None else graph.labels.nbytes,
        program=program,
        delivery=delivery,
        device=device,
    )
    return known.lines()


def _host(
    size: Size, way: str, edge_bytes: int, vertex_bytes: int, label_bytes: int
) -> tuple[dict[str, int], int]:
    """What a Graph keeps, and what `build_arcs` takes beside the arcs that it makes."""
    both = way == "both" or not size.directed
    arcs = 2 * size.num_edges - size.num_loops if both else size.num_edges
    index = index_dtype(arcs).itemsize
    offsets = index * (size.num_vertices + 1)
    # Both orders of arcs that run both ways are the same arrays; flags of one way are one array.
    each = 4 + index + 2 + index if both else 4 + index + 4 + index + index + 1
    kept = {
        "ends of the edges": 8 * size.num_edges,
        "arcs in both orders": arcs * each + offsets * (1 if both else 2),
        "edge fields": edge_bytes,
        "vertex fields": vertex_bytes,
        "labels and their index": label_bytes + (8 * size.num_vertices if label_bytes else 0),
    }
    # The last sort carries places along, and its result is another order with its numbers.
    building = arcs * (4 + index if both else 8) + offsets
    return {name: part for name, part in kept.items() if part}, building


class _NoDevice:
    groups = 1


def _find(device: Any, notes: list[str]) -> Device | None:
    from gascl.errors import DeviceError
    from gascl.runtime.device import find

    try:
        return find(device)
    except DeviceError as error:
        notes.append(f"no device to measure a run on: {error}")
        return None


def _run(
    size: Size, program: VertexProgram, device: Device, delivery: str
) -> tuple[dict[str, int], int]:
    """Bytes on the device of a run, as its State will count them, and of its results on the host.

    The kernels are built, since what a State holds depends on them.
    """
    from gascl.delivery import table as deliveries
    from gascl.runtime.plan import build
    from gascl.runtime.resident import Layout, offset_type
    from gascl.runtime.state import State

    class Needs(State):
        """A State that takes no memory."""

        def __init__(self, plans: list[Any], layout: Layout):
            self.program, self.lanes, self.graph = type(program), program.lanes, layout.graph
            self.plans, self.layout, self.device = plans, layout, device
            self.header = plans[0].header

        def sizes(self) -> dict[str, int]:
            keys = {k: None for plan in self.plans for k in self._edge_keys(plan).values()}
            names = dict.fromkeys([*self._arrays(), *keys])
            return {**self.layout.sizes(list(names), self.header.types), **self._sizes()}

        def results(self) -> int:
            types = self.header.types
            fields = sum(types[n].itemsize for n in self.program.spec.vertex_fields)
            of_arcs = sum(types[n].itemsize for n in self.program.spec.arc_fields)
            rows = self.graph.num_vertices * fields + self.layout.num_arcs * of_arcs
            return rows * self.lanes

    demand = deliveries.demand_of(program, device.atomics, device.fp64, deterministic=True)
    chosen = deliveries.choose(program, demand, delivery)
    way: Any = size
    offset = offset_type(way, program.spec.edges)
    plans = [build(program, device, d, offset) for d in chosen]
    layout = Layout(way, device, program.spec.edges, plans[0].group, plans[0].block)
    needs = Needs(plans, layout)
    return needs.sizes(), needs.results()
