"""Estimates the memory of a graph and of a run, on the host and on the device."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from gascl.codegen.header import Header
from gascl.delivery.admission import (
    Demand,
    Parts,
    cannot_take_parts,
    demand_of,
    parts_refuses,
)
from gascl.delivery.assembly import assemble
from gascl.delivery.delivery import Delivery
from gascl.delivery.runspec import Extent, RunSpec, graph_arrays, run_spec, turned_arrays
from gascl.delivery.table import choose
from gascl.errors import DeviceError, GraphError
from gascl.graph.arcs import index_dtype, room
from gascl.graph.graph import Graph
from gascl.graph.labels import shown
from gascl.language.facts import Facts
from gascl.language.inner import inner_programs
from gascl.language.program import VertexProgram
from gascl.machine import machine_memory
from gascl.runtime.arcstream import in_parts
from gascl.runtime.device import Device, find
from gascl.runtime.plan import group_size, header_of
from gascl.runtime.resident import (
    arcs_along,
    came_sorted,
    extent_of,
    is_symmetric,
    shortage,
    too_many_to_sort,
)
from gascl.sizes import amount

#: The arrays of a graph that most programs use.
ARRAYS = ["in_offsets", "in_sources", "out_offsets", "out_targets", "slot"]


@dataclass(frozen=True)
class GraphSize:
    """The size of a graph, which need not exist."""

    num_vertices: int
    num_edges: int
    directed: bool = True
    num_loops: int = 0

    def num_arcs(self, edges: str) -> int:
        """The number of arcs for a program that scatters along "out", "in" or "both"."""
        return arcs_along(edges, self.num_edges, self.directed, self.num_loops)


@dataclass(frozen=True)
class Estimate:
    """The number of bytes of each part, by its description."""

    host: Mapping[str, int]
    building: int  # temporarily, in addition to those of the host
    device: Mapping[str, int]
    device_name: str = ""
    device_memory: int | None = None  # the device's memory in bytes, if there is a device
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The estimate as lines of text."""
        lines = [f"host: {amount(sum(self.host.values()))}"]
        lines += [f"  {name}: {amount(size)}" for name, size in self.host.items()]
        lines.append(f"  and {amount(self.building)} more while the arcs are built")
        where = f"device, {self.device_name}" if self.device_name else "device"
        of = "" if self.device_memory is None else f" of {amount(self.device_memory)}"
        lines.append(f"{where}: {amount(sum(self.device.values()))}{of}")
        lines += [f"  {name}: {amount(size)}" for name, size in self.device.items()]
        return lines + self.notes


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
    numbered: bool = False,
    device_memory: int | None = None,
    graph: Graph | None = None,
) -> Estimate:
    """The memory that a graph and a run on it would take.

    Memory that text readers take while they read is not included.

    Args:
        edge_bytes, vertex_bytes, label_bytes: the size of all edge fields, vertex fields and
            labels.
        program: the program to run; None: count the arrays of the graph that most programs use.
        delivery, device, device_memory: as in `Engine` and `Engine.run`; the last in bytes.
        numbered: the program's vertices are numbered anew, hubs first, as `Result.numbering` tells
            of a run; arcs in the graph's own order, if other programs need them, are not included.
        graph: the one that these counts are of, if it is there: its degrees decide in how many
            parts its arcs come to the device. Else, all vertices count as having the same.

    Raises:
        GraphError: a count is negative or not a whole number, or there are more loops than edges.
        ProgramError: the delivery cannot run the program.
    """
    num_vertices, num_edges = _count("num_vertices", num_vertices), _count("num_edges", num_edges)
    num_loops = _count("num_loops", num_loops, num_edges)
    edge_bytes, vertex_bytes = (
        _count("edge_bytes", edge_bytes),
        _count("vertex_bytes", vertex_bytes),
    )
    label_bytes = _count("label_bytes", label_bytes)
    size = GraphSize(num_vertices, num_edges, directed, num_loops)
    edges = program.spec.way if program is not None else "out"
    host, building = _host(size, edges, edge_bytes, vertex_bytes, label_bytes)
    if numbered:  # both ways, and the degrees that decide it
        host["numbers of the vertices"] = (
            8 + index_dtype(size.num_arcs(edges)).itemsize
        ) * num_vertices
    notes = []
    if not directed and not num_loops:
        notes.append("undirected self-loops take less: they are one arc, not two")
    found = _find(device, notes)
    arcs, symmetric = size.num_arcs(edges), is_symmetric(directed, edges)
    if program is None or found is None:
        extent = Extent(num_vertices, arcs, index_dtype(arcs).name, 1, 1, 1, 1, 0, symmetric)
        arrays = {k.name: a.nbytes for k, a in graph_arrays(extent).items() if k.name in ARRAYS}
        fields = edge_bytes * arcs // max(num_edges, 1)
        notes.append("device: only the graph's arrays; a program uses some of them, and its own")
    else:
        its = found, program, delivery, numbered, num_vertices, arcs, symmetric
        arrays, results, note = _needs(_Run(*its), device_memory, graph)
        if type(program).solve is not None:
            notes.append(
                f"device: {type(program).__name__} runs other programs, one after the other; "
                "this is what its own fields take, and a run may need more"
            )
        notes += [note] if note else []
        fields = 0
        host |= {"results": results}
    arrays |= {"edge fields, by arc": fields} if fields else {}
    name, memory = (str(found), device_memory or found.memory) if found else ("", None)
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
    graph: Graph,
    program: VertexProgram | None = None,
    delivery: str = "auto",
    device: Any = None,
    device_memory: int | None = None,
) -> list[str]:
    """`estimate` for an existing graph, as lines of text; does not build its arcs."""
    known = estimate(
        graph.num_vertices,
        graph.num_edges,
        graph.directed,
        num_loops=graph.num_loops,
        edge_bytes=sum(values.nbytes for values in graph.edge_fields.values()),
        vertex_bytes=sum(values.nbytes for values in graph.vertex_fields.values()),
        label_bytes=0 if graph.labels is None else graph.labels.nbytes,
        program=program,
        delivery=delivery,
        device=device,
        device_memory=device_memory,
        numbered=program is not None and _numbered(graph, program),
        graph=graph,
    )
    return known.lines()


def _numbered(graph: Graph, program: VertexProgram) -> bool:
    """Whether a run numbers the vertices anew."""
    way = program.spec.way
    if not Facts.of(program.spec, program.lanes).renumbers or graph.numbered(way) is None:
        return False
    return not (came_sorted(graph, way) and too_many_to_sort(graph, way, machine_memory()))


def _host(
    size: GraphSize, edges: str, edge_bytes: int, vertex_bytes: int, label_bytes: int
) -> tuple[dict[str, int], int]:
    """The bytes that a Graph keeps if all arrays of its arcs are asked for, and those that making
    them takes temporarily, at most."""
    both = edges == "both" or not size.directed
    arcs = size.num_arcs(edges)
    index = index_dtype(arcs).itemsize
    offsets = index * (size.num_vertices + 1)
    # If arcs go both ways, the two orders share their arrays. If they go one way, all arcs have the
    # same flag, and one array of flags serves both orders.
    each = 4 + index + 2 + index if both else 4 + index + 4 + index + index + 1
    kept = {
        "ends of the edges": 8 * size.num_edges,
        "arcs in both orders": arcs * each + offsets * (1 if both else 2),
        "edge fields": edge_bytes,
        "vertex fields": vertex_bytes,
        "labels and their index": label_bytes + (8 * size.num_vertices if label_bytes else 0),
    }
    building = room(arcs) + 4 * arcs  # the rows of arcs, which are sorted for the slots
    return {name: part for name, part in kept.items() if part}, building


def _find(device: Any, notes: list[str]) -> Device | None:
    try:
        return find(device)
    except DeviceError as error:
        notes.append(f"no device to estimate a run for: {error}")
        return None


@dataclass(frozen=True)
class _Run:
    """A run of a program on all arcs, or in parts.

    Attributes:
        parts: as `choose` takes it; None: all arcs are on the device.
    """

    device: Device
    program: VertexProgram
    delivery: str
    numbered: bool
    vertices: int
    arcs: int
    symmetric: bool
    parts: Parts | None = None

    @cached_property
    def demand(self) -> Demand:
        device = self.device
        return demand_of(self.program, device.atomics, device.fp64, deterministic=True)

    @cached_property
    def chosen(self) -> Delivery:
        return choose(self.program, self.demand, self.delivery, parts=self.parts)

    @cached_property
    def header(self) -> Header:
        offset = index_dtype(self.arcs).name
        return header_of(self.program, self.device, offset, numbered=self.numbered)[0]

    def extent(self) -> Extent:
        lines = len(assemble(self.header, self.demand.facts, self.chosen)[1]) + 1
        group = group_size(self.header, self.device)
        return extent_of(*(self.device, self.vertices, self.arcs, *group, lines, self.symmetric))

    def spec(self, extent: Extent) -> RunSpec:
        facts = self.demand.facts
        return run_spec(self.program.spec, self.header, facts, self.chosen, extent)


def _needs(run: _Run, limit: int | None, graph: Graph | None) -> tuple[dict[str, int], int, str]:
    """The bytes of a run: of each buffer on the device, and of its results on the host; and what
    it does if there is no room, "" if there is."""
    device, declared, types = run.device, run.program.spec, run.header.types
    spec = run.spec(run.extent())
    sizes: dict[str, int] = {}
    turned = declared.alternates and not run.symmetric  # odd supersteps have arrays of their own
    more = turned_arrays(spec.graph) if turned else {}
    for key, array in (*spec.graph.items(), *more.items(), *spec.own.items()):
        sizes[str(key)] = sizes.get(str(key), 0) + array.nbytes
    results = run.vertices * sum(types[n].itemsize for n in declared.vertex_fields)
    results += run.arcs * sum(types[n].itemsize for n in declared.arc_fields if n in types)
    note = ""
    if run.vertices and (short := shortage(device, spec.sizes(), limit=limit)):
        try:
            note = f"{short}; {_in_parts(run, Parts(short=short), limit, graph)}"
        except DeviceError as error:
            note = str(error)
    return sizes, results * run.program.lanes, note


def _in_parts(run: _Run, parts: Parts, limit: int | None, graph: Graph | None) -> str:
    """In how many parts the arcs come to the device, which has no room for all."""
    device, spec = run.device, run.program.spec
    _check_inner(run.program, parts)
    numbered = run.numbered and not (graph and came_sorted(graph, spec.way))
    run = replace(run, numbered=numbered, parts=parts)
    if graph is None:
        even = np.linspace(0, run.arcs, run.vertices + 1).astype(index_dtype(run.arcs))
        orders, about = [even, even], "about "
    else:
        found = graph.numbered(spec.way) if numbered else None
        arcs, about = found[1] if found else graph.arcs(spec.way), ""
        orders = [arcs.into.offsets, arcs.out.offsets]
    if not spec.alternates:
        del orders[1]
    most = limit or device.memory
    number = in_parts(device, orders, run.spec, run.extent(), most).extent.parts
    return f"so the arcs come to it in {about}{number} parts"


def _check_inner(program: VertexProgram, parts: Parts) -> None:
    """Raise DeviceError if the program runs another one that takes no parts, which `choose` does
    not see."""
    cls = type(program)
    for inner in inner_programs(cls) if cls.solve is not None else ():
        if why := parts_refuses(Facts.of(inner.spec, 1), parts):
            raise DeviceError(cannot_take_parts(cls.__name__, why, parts))
