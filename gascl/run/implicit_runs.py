"""Which runs are possible on graphs whose arcs are made by a rule: the checks before anything is
computed."""

from __future__ import annotations

from typing import Any

from gascl.delivery.admission import wide_refuses
from gascl.delivery.device_facts import DeviceFacts
from gascl.distributed.ranks import Ranks
from gascl.errors import DeviceError, GasclError, GraphError, ProgramError
from gascl.graph.arcs import INT32_MAX
from gascl.graph.graph import Graph
from gascl.graph.partition import Division, shares
from gascl.language.fields import Lanes, VertexParam
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits
from gascl.language.wide_form import wide_form
from gascl.run.options import RunOptions
from gascl.run.prepare import Prepared
from gascl.user_messages import Option
from gascl.util.units import amount


def check_room(prepared: Prepared, ranks: Ranks, facts: DeviceFacts) -> None:
    """Raise DeviceError if the ranks of a host together need more than its memory for what they
    keep of their vertices and arcs, on CPUs."""
    needed, have = sum(prepared.held.values()), ranks.host_memory
    if facts.kind == "CPU" and have is not None and needed > have:
        raise _too_large(
            ranks, ranks.rank, amount(needed, up=True), prepared.layout.extent.vertices
        )


def _too_large(ranks: Ranks, rank: int, needed: str, vertices: int) -> DeviceError:
    have = amount(ranks.host_memory or 0)
    return DeviceError(
        f"rank {rank} of {ranks.size} needs {needed} for {vertices:,} vertices, and may take "
        f"{have}, an equal share of its host's memory: use more hosts, or let what it keeps of "
        "vertices be in files, by Engine(..., spill=FOLDER)"
    )


def check_implicit(
    program: VertexProgram,
    graph: Graph,
    options: RunOptions,
    debug: bool,
    ranks: Ranks | None,
    spills: bool,
) -> None:
    """Raise an error where a run would need all vertices or edges of a graph that has neither in
    memory.

    Args:
        spills: the data of vertices are in files.

    Raises:
        GasclError: the run has one rank, or an option for which each rank needs all vertices.
        ProgramError: the program needs them, or has ids of 32 bits.
        GraphError: a parameter is no vertex, or a rank would have too many vertices.
        DeviceError: the fields of a rank's vertices take more than its share of its host's memory.
    """
    size = f"{graph.num_vertices:,} vertices, whose edges are not stored"
    if ranks is None:
        raise GasclError(
            f"the graph has {size}: each of several ranks makes a part of them; start at least two "
            "by mpiexec, with Engine(graph, comm=MPI.COMM_WORLD)"
        )
    if debug:
        raise GasclError(f"debug mode reads all vertices, and the graph has {size}: leave it out")
    asked: dict[str, Any] = {
        "state": options.state,
        "start": options.start,
        "keep_state": options.keep_state,
        "checkpoint": options.checkpoint,
    }
    for name, value in asked.items():
        if value:
            raise GasclError(
                Option(name),
                f" needs all vertices in each rank, and the graph has {size}: leave it out",
            )
    if options.collect:
        raise GasclError(
            f"the graph has {size}, so that no rank can have the values of all: give "
            "collect=False, and read result.own_rows or write result.to_parquet(folder)"
        )
    spec = program.spec
    given = [*program.initial, *program.edge_names]
    given += [name for name in graph.vertex_fields if name in spec.vertex_fields]
    given += [name for name in graph.edge_fields if name in spec.edge_fields]
    if given:
        raise ProgramError(
            program.title(),
            f": {given[0]!r} is given, but no rank has values of all vertices or edges, since the "
            f"graph has {size}: leave {given[0]!r} out, so that its `init` or default holds",
        )
    why = "it runs other programs, which exchange all vertices"
    if type(program).solve is None:
        why = wide_refuses(Traits.of(spec, program.lanes)) or ""
    if not why and graph.directed and spec.direction == "both":
        why = "its edges are both ways, and the rule has one"
    if why:
        raise ProgramError(
            program.title(),
            f" cannot run on a graph with {size}: {why}; generate a graph with stored=True, or run "
            "another program",
        )
    for name, param in spec.params.items():
        if isinstance(param, VertexParam):
            value = getattr(program, name)
            for label in value if isinstance(value, Lanes) else [value]:
                graph.index_of(label)  # refuses others
    offsets = graph.arcs(spec.direction).into.offsets
    parts = shares(offsets, Division(ranks.rank, ranks.size))
    most = max(part.last - part.first for part in parts)
    if most > INT32_MAX // 2:  # and as many in the halo
        raise GraphError(
            f"a rank of {ranks.size} would have {most:,} of the {graph.num_vertices:,} vertices; "
            f"it can have {INT32_MAX // 2:,}: start {-(-graph.num_vertices // (INT32_MAX // 2))} "
            "ranks or more"
        )
    stored = wide_form(program).spec.vertex_fields.values()
    each = program.lanes * sum(field.resolve(program.dtype).itemsize for field in stored)
    if not spills and ranks.host_memory is not None and each * most > ranks.host_memory:
        rank = [part.last - part.first for part in parts].index(most)  # the same in all ranks
        raise _too_large(ranks, rank, f"at least {amount(each * most, up=True)}", most)
