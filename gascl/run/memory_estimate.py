"""Estimates the memory of a graph and of a run, on the host and on the device."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from gascl.codegen.header import Header
from gascl.delivery.admission import (
    Demand,
    Parts,
    demand_of,
)
from gascl.delivery.assembly import assemble
from gascl.delivery.delivery import Delivery
from gascl.delivery.registry import choose
from gascl.delivery.run_layout import (
    ARC,
    GRAPH,
    TWINS,
    VERTEX,
    Extent,
    Key,
    RunSpec,
    graph_arrays,
    run_spec,
    turned_arrays,
)
from gascl.device_graph import sort
from gascl.device_graph.buffers import (
    arcs_along,
    came_sorted,
    check_vertices,
    extent_of,
    is_symmetric,
    shortage,
    too_many_to_sort,
)
from gascl.device_graph.stream import in_parts, run_bytes
from gascl.errors import DeviceError, GraphError
from gascl.graph.arcs import index_dtype, room
from gascl.graph.graph import Graph
from gascl.graph.labels import shown
from gascl.language.placeholder import example_of
from gascl.language.program import VertexProgram
from gascl.language.stage_discovery import inner_programs
from gascl.language.traits import Traits
from gascl.opencl.device import Device, find
from gascl.run.plan import group_size, header_of
from gascl.util.host import machine_memory
from gascl.util.units import amount

#: The arrays of a graph that most programs use.
ARRAYS = ["in_offsets", "in_sources", "out_offsets", "out_targets", "slot"]
#: In an estimate, arcs are cut into parts as if no more vertices than this had them.
ROWS = 2**20


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
    sorting: int = 0  # temporarily, at most, in addition to those of the device
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
        if self.sorting:
            lines.append(f"  and up to {amount(self.sorting)} more while it sorts the arcs")
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
    programs, run_on = _programs(program, size)
    ways = [each.spec.way for each in programs]
    edges = "both" if "both" in ways else "out"
    host, building = _host(size, edges, edge_bytes, vertex_bytes, label_bytes)
    if graph is not None and num_edges:
        host["ends of the edges"] = graph.src.nbytes + graph.dst.nbytes
    if numbered:  # both ways, and the degrees that decide it
        host["numbers of the vertices"] = (
            8 + index_dtype(size.num_arcs(edges)).itemsize
        ) * num_vertices
    notes = []
    if not directed and not num_loops:
        notes.append("undirected self-loops take less: they are one arc, not two")
    found = _find(device, notes)
    runs = [_run_of(found, each, delivery, numbered, run_on) for each in programs if found]
    sorting = 0
    if runs:
        arrays, fields = _held(runs), 0
        host |= {"results": _results(_run_of(found, program, delivery, False, size))}
        known = graph if run_on == size else None
        sorting = max(_while_sorting(run, device_memory, known) for run in runs)
        notes += filter(None, [_shortage(runs, device_memory, known)])
    else:
        arcs, symmetric = size.num_arcs(edges), is_symmetric(directed, edges)
        extent = Extent(num_vertices, arcs, index_dtype(arcs).name, 1, 1, 1, 1, 0, symmetric)
        arrays = {k.name: a.nbytes for k, a in graph_arrays(extent).items() if k.name in ARRAYS}
        fields = edge_bytes * arcs // max(num_edges, 1)
        notes.append("device: only the graph's arrays; a program uses some of them, and its own")
        if program is not None and not programs:
            name = type(program).__name__
            notes.append(f"device: the code of {name} names no program that it runs")
    arrays |= {"edge fields, by arc": fields} if fields else {}
    name, memory = (str(found), device_memory or found.memory) if found else ("", None)
    sorting = max(sorting - sum(arrays.values()), 0)
    return Estimate(host, building, arrays, name, memory, sorting, notes)


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
        numbered=_numbered(graph, program),
        graph=graph,
    )
    return known.lines()


def _numbered(graph: Graph, program: VertexProgram | None) -> bool:
    """Whether a run numbers the vertices anew."""
    size = GraphSize(graph.num_vertices, graph.num_edges, graph.directed, graph.num_loops)
    for each in _programs(program, size)[0]:
        way = each.spec.way
        if not Traits.of(each.spec, each.lanes).renumbers or graph.numbered(way) is None:
            continue
        if not (came_sorted(graph, way) and too_many_to_sort(graph, way, machine_memory())):
            return True
    return False


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
        edges: how many the graph has, of which each is an arc or two.
        parts: as `choose` takes it; None: all arcs are on the device.
    """

    device: Device
    program: VertexProgram
    delivery: str
    numbered: bool
    vertices: int
    edges: int
    arcs: int
    symmetric: bool
    parts: Parts | None = None

    def place(self, key: Key, turned: bool = False) -> tuple[Any, ...]:
        """Where an array of the graph is on the device: another run finds it by the same.

        Args:
            turned: it is of odd supersteps, where edges alternate.
        """
        way, name = "both" if self.symmetric else self.program.spec.way, key.name
        if turned:
            way = "in" if way == "out" else "out"
        twins = TWINS | {twin: name for name, twin in TWINS.items()}
        if way == "in" and key.owner == GRAPH and name in twins:
            way, name = "out", twins[name]
        return (*group_size(self.header, self.device.facts), self.numbered, way, key.owner, name)

    @cached_property
    def demand(self) -> Demand:
        device = self.device
        return demand_of(self.program, device.atomics, device.fp64, deterministic=True)

    @cached_property
    def chosen(self) -> Delivery:
        return choose(self.program, self.demand, self.delivery, parts=self.parts).delivery

    @cached_property
    def header(self) -> Header:
        offset = index_dtype(self.arcs).name
        return header_of(self.program, self.device.facts, offset, numbered=self.numbered)[0]

    def extent(self) -> Extent:
        lines = len(assemble(self.header, self.demand.facts, self.chosen)[1]) + 1
        group = group_size(self.header, self.device.facts)
        return extent_of(*(self.device, self.vertices, self.arcs, *group, lines, self.symmetric))

    def spec(self, extent: Extent) -> RunSpec:
        facts = self.demand.facts
        return run_spec(self.program.spec, self.header, facts, self.chosen, extent)

    def sizes(self) -> dict[Key, int]:
        """The bytes of each buffer on the device, with all arcs."""
        return run_bytes(self.device, self.spec(self.extent()), self.program.spec.alternates)


def _programs(
    program: VertexProgram | None, size: GraphSize
) -> tuple[list[VertexProgram], GraphSize]:
    """The programs that run where this one does, and the size of the graph that they run on: the
    program itself, or what its `solve` runs, as far as its code shows."""
    if program is None or type(program).solve is None:
        return [] if program is None else [program], size
    lanes, size = program.largest_runs(size)
    cls = type(program)
    inner = [example_of(each, program.dtype, lanes) for each in inner_programs(cls)]
    for each in inner:
        each.run_by = cls.__name__
    return inner, size


def _run_of(device: Any, program: Any, delivery: str, numbered: bool, size: GraphSize) -> _Run:
    way = program.spec.way
    arcs, symmetric = size.num_arcs(way), is_symmetric(size.directed, way)
    its = numbered and Traits.of(program.spec, program.lanes).renumbers
    counts = size.num_vertices, size.num_edges, arcs
    return _Run(device, program, delivery, its, *counts, symmetric)


def _held(runs: Sequence[_Run]) -> dict[str, int]:
    """The bytes of each buffer on the device, where runs come one after the other: their arrays of
    the graph and their fields stay, and of the others there are those of the run that has most."""
    arrays: dict[Any, tuple[str, int]] = {}
    fields: dict[Key, int] = {}
    others: dict[Key, int] = {}
    for run in runs:
        spec, declared = run.spec(run.extent()), run.program.spec
        turned = declared.alternates and not run.symmetric
        for key, array in spec.graph.items():
            arrays[run.place(key)] = str(key), array.nbytes
        for key, array in (turned_arrays(spec.graph) if turned else {}).items():
            arrays[run.place(key, turned=True)] = str(key), array.nbytes
        sizes = {key: array.nbytes for key, array in spec.own.items()}
        fields |= {key: size for key, size in sizes.items() if key.owner in (VERTEX, ARC)}
        rest = {key: size for key, size in sizes.items() if key not in fields}
        others = max(others, rest, key=lambda each: sum(each.values()))
    sizes_of: dict[str, int] = {}
    for name, nbytes in (*arrays.values(), *((str(k), n) for k, n in (fields | others).items())):
        sizes_of[name] = sizes_of.get(name, 0) + nbytes
    return sizes_of


def _while_sorting(run: _Run, limit: int | None, graph: Graph | None) -> int:
    """The bytes on the device while it sorts the arcs, before it has the rest of what a run needs;
    0 where it does not: the host is faster, there is no room, or they came in order."""
    came = graph is not None and not run.numbered and came_sorted(graph, run.program.spec.way)
    if came or not sort.pays(run.device):
        return 0
    arrays = run.spec(run.extent()).graph.values()
    places = any(array.edge is not None and array.edge.field is not None for array in arrays)
    offset, numbers = index_dtype(run.arcs), run.vertices if run.numbered else 0
    room = sort.room(run.edges, run.symmetric, offset, places, numbers)
    needed = room + sum(array.nbytes for array in arrays)
    return needed if needed <= (limit or run.device.memory) else 0


def _results(run: _Run) -> int:
    """The bytes of a run's results on the host."""
    declared, types = run.program.spec, run.header.types
    found = run.vertices * sum(types[n].itemsize for n in declared.vertex_fields)
    found += run.arcs * sum(types[n].itemsize for n in declared.arc_fields)
    return found * run.program.lanes


def _shortage(runs: Sequence[_Run], limit: int | None, graph: Graph | None) -> str:
    """What the device does if there is no room for one of the runs; "" if there is."""
    notes = []
    for run in runs:
        short = shortage(run.device, run.sizes(), limit=limit)
        if not run.vertices or not short:
            continue
        try:
            notes.append(f"{short}; {_in_parts(run, Parts(short=short), limit, graph)}")
        except DeviceError as error:
            return str(error)
    return notes[0] if notes else ""


def _in_parts(run: _Run, parts: Parts, limit: int | None, graph: Graph | None) -> str:
    """In how many parts the arcs come to the device, which has no room for all."""
    device, spec = run.device, run.program.spec
    numbered = run.numbered and not (graph and came_sorted(graph, spec.way))
    whole, run = run.sizes(), replace(run, numbered=numbered, parts=parts)
    check_vertices(
        *(device, run.vertices, run.arcs, run.header.types.values(), run.program.lanes, limit)
    )
    if graph is None:
        rows = min(run.vertices, ROWS)
        even = np.linspace(0, run.arcs, rows + 1).astype(index_dtype(run.arcs))
        orders, about = [even, even], "about "
    else:
        found = graph.numbered(spec.way) if numbered else None
        arcs, about = found[1] if found else graph.arcs(spec.way), ""
        orders = [arcs.into.offsets, arcs.out.offsets]
    if not spec.alternates:
        del orders[1]
    most = limit or device.memory
    number = in_parts(device, orders, run.spec, run.extent(), most, whole).extent.parts
    return f"so the arcs come to it in {about}{number} parts"
