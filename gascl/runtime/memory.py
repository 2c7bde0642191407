"""Estimates the memory of a graph and of a run, on the host and on the device."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from gascl.delivery.admission import Parts, cannot_take_parts, demand_of, parts_refuses
from gascl.delivery.assembly import assemble
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
from gascl.runtime.arcstream import FEWEST, part_bytes
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
        run = num_vertices, arcs, symmetric, program, found, delivery, numbered, device_memory
        arrays, results, note = _run(*run)
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


def _run(
    vertices: int,
    arcs: int,
    symmetric: bool,
    program: VertexProgram,
    device: Device,
    delivery: str,
    numbered: bool,
    limit: int | None,
) -> tuple[dict[str, int], int, str]:
    """The bytes of a run: of each buffer on the device, and of its results on the host; and what
    it does if there is no room, "" if there is."""
    demand = demand_of(program, device.atomics, device.fp64, deterministic=True)
    chosen = choose(program, demand, delivery)
    offset = index_dtype(arcs).name
    header, facts = header_of(program, device, offset, numbered=numbered)
    lines = len(assemble(header, facts, chosen)[1]) + 1
    extent = extent_of(device, vertices, arcs, *group_size(header, device), lines, symmetric)
    spec = run_spec(program.spec, header, facts, chosen, extent)
    sizes: dict[str, int] = {}
    turned = program.spec.alternates and not symmetric  # odd supersteps have arrays of their own
    more = turned_arrays(spec.graph) if turned else {}
    for key, array in (*spec.graph.items(), *more.items(), *spec.own.items()):
        sizes[str(key)] = sizes.get(str(key), 0) + array.nbytes
    declared, types = program.spec, header.types
    results = vertices * sum(types[n].itemsize for n in declared.vertex_fields)
    results += arcs * sum(types[n].itemsize for n in declared.arc_fields if n in types)
    note = ""
    if vertices and (short := shortage(device, spec.sizes(), limit=limit)):
        parts = Parts(short=short)
        try:
            _check_inner(program, parts)
            chosen = choose(program, demand, delivery, parts=parts)
            fit = partial(_fits, device=device, limit=limit or device.memory)
            specify = partial(run_spec, program.spec, header, facts, chosen)
            note = f"{short}; {_in_parts(specify, extent, fit)}"
        except DeviceError as error:
            note = str(error)
    return sizes, results * program.lanes, note


def _check_inner(program: VertexProgram, parts: Parts) -> None:
    """Raise DeviceError if the program runs another one that takes no parts, which `choose` does
    not see."""
    cls = type(program)
    for inner in inner_programs(cls) if cls.solve is not None else ():
        if why := parts_refuses(Facts.of(inner.spec, 1), parts):
            raise DeviceError(cannot_take_parts(cls.__name__, why, parts))


def _in_parts(
    specify: Callable[[Extent], RunSpec], extent: Extent, fits: Callable[[RunSpec], bool]
) -> str:
    """In how many parts the arcs come to the device, which has no room for all."""
    parts, arcs = FEWEST, extent.arcs
    while parts <= arcs:
        part = replace(extent, arcs=-(-arcs // parts), parts=parts, symmetric=False)
        if fits(specify(part)):
            return f"so the arcs come to it in about {parts} parts"
        parts = max(parts + 1, int(1.1 * parts))
    return "and there is no room either where the arcs come to it part by part"


def _fits(spec: RunSpec, device: Device, limit: int) -> bool:
    widest = max(array.nbytes for array in (*spec.own.values(), *spec.graph.values()))
    return part_bytes(spec) <= limit and widest <= device.largest_buffer
