"""Estimates the memory of a graph and of a run, on the host and on the device."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from gascl.delivery.run_layout import (
    ARC,
    GRAPH,
    TWINS,
    VERTEX,
    Extent,
    Key,
    graph_arrays,
    transposed_arrays,
)
from gascl.device_graph import sort
from gascl.device_graph.buffers import arcs_along, arcs_presorted, check_vertices, is_symmetric
from gascl.errors import DeviceError, GraphError
from gascl.graph.arcs import index_dtype, sorting_bytes
from gascl.graph.graph import Graph
from gascl.graph.labels import shown
from gascl.language.program import VertexProgram
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.run.explanation import stage_programs
from gascl.run.prepare import Setting, prepare
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
        numbered: the vertices are renumbered, hubs first, as `Result.numbering` of a run says; the
            degrees of `graph`, if it is given, decide that. Arcs in the graph's own order, if other
            programs need them, are not included.
        graph: the graph with these counts, if there is one: its degrees decide in how many parts
            its arcs are streamed. Otherwise, all vertices count as having the same degree.

    Raises:
        GraphError: a count is negative or not a whole number, or there are more loops than edges.
        ProgramError: the delivery cannot run the program.
        DeviceError: the device has no double precision, and the program needs it.
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
    directions = [each.spec.direction for each in programs]
    edges = "both" if "both" in directions else "out"
    host, building = _host(size, edges, edge_bytes, vertex_bytes, label_bytes)
    if graph is not None and num_edges:
        host["ends of the edges"] = graph.src.nbytes + graph.dst.nbytes
    notes: list[str] = []
    if not directed and not num_loops:
        notes.append("undirected self-loops take less: they are one arc, not two")
    chosen = _find(device, notes)
    setting = Setting(device_memory=device_memory, host_memory=machine_memory())
    shape: Any = _EvenGraph(run_on, numbered) if graph is None or run_on != size else graph
    runs = [_Run(each, chosen, setting, delivery, shape) for each in programs if chosen]
    if numbered or any(run.prepared.renumbered.chosen for run in runs):
        # In both directions, and the degrees that decide it.
        index = index_dtype(size.num_arcs(edges)).itemsize
        host["numbers of the vertices"] = (8 + index) * num_vertices
    sorting = 0
    if runs:
        arrays, fields = _held(runs), 0
        host |= {"results": _results(program, size)}
        sorting = max(_while_sorting(run) for run in runs)
        notes += filter(None, [_shortage(runs)])
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
    name, memory = (str(chosen), device_memory or chosen.memory) if chosen else ("", None)
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
        graph=graph,
    )
    return known.lines()


def _host(
    size: GraphSize, edges: str, edge_bytes: int, vertex_bytes: int, label_bytes: int
) -> tuple[dict[str, int], int]:
    """The bytes that a Graph keeps if all arrays of its arcs are built, and the most bytes that
    building them takes temporarily."""
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
    building = sorting_bytes(arcs) + 4 * arcs  # the rows of arcs, which are sorted for the slots
    return {name: part for name, part in kept.items() if part}, building


def _find(device: Any, notes: list[str]) -> Device | None:
    try:
        return find(device)
    except DeviceError as error:
        notes.append(f"no device to estimate a run for: {error}")
        return None


class _EvenGraph:
    """What `prepare` uses of a graph that need not exist: all vertices have as many arcs.

    Args:
        numbered: its vertices are renumbered, hubs first.
    """

    src: Any = None  # no rule makes its arcs
    _shared: Any = None  # nor have ranks read its edges

    def __init__(self, size: GraphSize, numbered: bool):
        self.num_vertices, self.num_edges = size.num_vertices, size.num_edges
        self.directed, self.num_loops = size.directed, size.num_loops
        self.num_arcs, self._numbered = size.num_arcs("out"), numbered

    def arcs(self, edges: str) -> Any:
        arcs = arcs_along(edges, self.num_edges, self.directed, self.num_loops)
        rows = min(self.num_vertices, ROWS)
        offsets = np.linspace(0, arcs, rows + 1).astype(index_dtype(arcs))
        into = SimpleNamespace(offsets=offsets, presorted=False)
        return SimpleNamespace(into=into, transposed=lambda: self.arcs(edges))

    def arcs_made(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {}, {}

    def numbered(self, edges: str, ranks: int = 1) -> Any:
        return (None, self.arcs(edges)) if self._numbered else None


class _Run:
    """A run of a program, prepared with all arcs on the device.

    Args:
        graph: a Graph or, if it need not exist, an _EvenGraph.
    """

    def __init__(
        self, program: VertexProgram, device: Device, setting: Setting, delivery: str, graph: Any
    ):
        self.program, self.device, self.graph = program, device, graph
        self._prepare = partial(prepare, program, graph, device.facts, setting, delivery)
        self._limit = setting.device_memory
        self.prepared = self._prepare()

    def in_parts(self) -> str:
        """The number of parts in which the arcs are streamed to a device that cannot hold all."""
        program, about = self.program, "about " if isinstance(self.graph, _EvenGraph) else ""
        lanes = program.lanes
        check_vertices(self.device, self.graph, program.spec, program.dtype, lanes, self._limit)
        number = self._prepare(at_once=self.prepared).streamed
        return f"so the arcs come to it in {about}{number} parts"

    def place(self, key: Key, transposed: bool = False) -> tuple[Any, ...]:
        """Where an array of the graph is on the device: runs with equal places share it.

        Args:
            transposed: the array is that of odd supersteps, where edges alternate.
        """
        source, name = self.prepared.source, key.name
        symmetric = self.prepared.layout.extent.symmetric
        direction = "both" if symmetric else self.program.spec.direction
        if transposed:
            direction = "in" if direction == "out" else "out"
        twins = TWINS | {twin: name for name, twin in TWINS.items()}
        if direction == "in" and key.owner == GRAPH and name in twins:
            direction, name = "out", twins[name]
        numbered = self.prepared.renumbered.chosen
        return source.group, source.block, numbered, direction, key.owner, name


def _programs(
    program: VertexProgram | None, size: GraphSize
) -> tuple[list[VertexProgram], GraphSize]:
    """The programs to run, and the size of their graph: the program itself, or the stages of its
    `solve`, as far as its code shows."""
    if program is None or type(program).solve is None:
        return [] if program is None else [program], size
    lanes, size = program.largest_runs(size)
    return stage_programs(program, lanes), size


def _held(runs: Sequence[_Run]) -> dict[str, int]:
    """The bytes of each buffer on the device after several runs: the arrays of the graph and the
    fields of all runs stay; the other buffers are those of the largest run."""
    arrays: dict[Any, tuple[str, int]] = {}
    fields: dict[Key, int] = {}
    others: dict[Key, int] = {}
    for run in runs:
        layout = run.prepared.layout
        transposed = run.program.spec.alternates and not layout.extent.symmetric
        for key, array in layout.graph.items():
            arrays[run.place(key)] = str(key), array.nbytes
        for key, array in (transposed_arrays(layout.graph) if transposed else {}).items():
            arrays[run.place(key, transposed=True)] = str(key), array.nbytes
        sizes = layout.own_bytes(run.device.alignment)
        for key, size in sizes.items():
            if key.owner in (VERTEX, ARC):
                fields[key] = max(size, fields.get(key, 0))
        rest = {key: size for key, size in sizes.items() if key not in fields}
        others = max(others, rest, key=lambda each: sum(each.values()))
    sizes_of: dict[str, int] = {}
    for name, nbytes in (*arrays.values(), *((str(k), n) for k, n in (fields | others).items())):
        sizes_of[name] = sizes_of.get(name, 0) + nbytes
    return sizes_of


def _while_sorting(run: _Run) -> int:
    """The bytes on the device while it sorts the arcs, before it has the rest of what a run needs;
    0 where it does not: the host is faster, there is no room, or they are presorted."""
    layout, numbered, graph = run.prepared.layout, run.prepared.renumbered.chosen, run.graph
    presorted = not numbered and arcs_presorted(graph, run.prepared.edges)
    if presorted or not sort.pays(run.device):
        return 0
    arrays, extent = layout.graph.values(), layout.extent
    places = any(array.edge is not None and array.edge.field is not None for array in arrays)
    offset, numbers = np.dtype(extent.offset), extent.vertices if numbered else 0
    room = sort.sorting_bytes(graph.num_edges, extent.symmetric, offset, places, numbers)
    needed = room + sum(array.nbytes for array in arrays)
    return needed if needed <= run.prepared.limit else 0


def _results(program: Any, size: GraphSize) -> int:
    """The bytes of a run's results on the host."""
    spec, total = program.spec, 0
    arcs = size.num_arcs(spec.direction)
    for rows, fields in ((size.num_vertices, spec.vertex_fields), (arcs, spec.arc_fields)):
        total += rows * sum(f.resolve(program.dtype).itemsize for f in fields.values())
    return int(total * program.lanes)


def _shortage(runs: Sequence[_Run]) -> str:
    """What the device does if there is no room for one of the runs; "" if there is."""
    notes = []
    for run in runs:
        if not run.graph.num_vertices or not run.prepared.short:
            continue
        try:
            notes.append(f"{run.prepared.short}; {run.in_parts()}")
        except DeviceError as error:
            return str(error)
    return notes[0] if notes else ""
