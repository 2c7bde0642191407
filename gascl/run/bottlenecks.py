"""Likely bottlenecks of a run, judged by its snippets and by the graph's degrees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gascl.delivery.device_facts import DeviceFacts
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.run.prepare import Prepared
from gascl.run.push_pull import largest_degree

#: A vertex with this many times the mean degree is a hub.
HUB = 32
#: Neighbors are at the ends of the arcs from a vertex: those into it of the opposite direction.
_OPPOSITE = {"out": "in", "in": "out"}
#: Words of apply that read a row of neighbors.
_NEIGHBORS = ("neighbor", "neighbor_of", "num_neighbors", "has_edge", "common", "for_common")


class Bottleneck(NamedTuple):
    """Something that may take long, and what would help, each in a clause."""

    what: str
    remedy: str


def bottlenecks(
    program: VertexProgram, graph: Graph, device: DeviceFacts, prepared: Prepared
) -> Iterator[Bottleneck]:
    """What may take long in a run."""
    spec, traits, delivery = program.spec, prepared.traits, prepared.delivery
    hub, row_hub = _hub(graph, spec.direction), _hub(graph, _OPPOSITE.get(spec.direction, "both"))
    apply = spec.snippets.get("apply")
    if apply is not None and apply.uses(*_NEIGHBORS):
        row = f", such as one with {row_hub:,} arcs," if row_hub else ""
        yield Bottleneck(
            f"apply reads neighbors: one work-item reads the whole row of a vertex{row} by itself",
            "send these values along arcs and combine them, if the result allows it",
        )
    scatter = spec.snippets.get("scatter")
    if row_hub and scatter is not None and scatter.uses("common", "for_common"):
        yield Bottleneck(
            f"scatter looks for common neighbors in long rows, such as one with {row_hub:,} arcs",
            "run it on graph.oriented(), whose rows are short, if each triangle need be found only "
            "once",
        )
    if traits.reads_singly:
        yield Bottleneck(
            "gather reads messages one by one, so that they are stored, one for each arc",
            "declare combine= instead, if they are only added up, compared or combined in pairs",
        )
    if traits.scatters and not (traits.sends_only or traits.scatters_once):
        yield Bottleneck(
            "scatter does more than send along its arcs, so no delivery can leave out or repeat an "
            "arc's scatter, as pulling does",
            "let scatter only send, and set masks or call send_to in apply, if that is possible",
        )
    loops = prepared.atomic == "cas"
    if delivery.has_inbox(traits) and not traits.first and (loops or hub):
        how = "compare-and-swap loops" if loops else "atomic operations"
        row = f"; {hub:,} arcs end in the largest hub" if hub else ""
        yield Bottleneck(
            f"{how} combine messages to a vertex, and wait for each other where many arrive{row}",
            "combine 32-bit integers by min, max or sum, for which devices have atomic operations"
            if loops
            else "try delivery='pull', if most vertices send in most supersteps",
        )
    if traits.scatters and not traits.scatters_on_all:
        if not traits.receives:
            yield Bottleneck(
                "every vertex receives in every superstep, also where nothing can change any more",
                "declare receive_if= if vertices can tell by their fields that they need no more "
                "messages",
            )
        smallest = spec.combiner is not None and spec.combiner.name in ("min", "max")
        if not traits.counts_once and not smallest:  # which one message cannot stand for
            yield Bottleneck(
                "all messages to a vertex are combined, also where one is enough",
                "declare combine = 'first', or enough, if a vertex is done with one message",
            )
    if traits.scatters and traits.scatters_on_all and spec.apply_on == "message":
        yield Bottleneck(
            "every arc is visited in every superstep",
            "declare mask= and set_mask() in apply, if a vertex need only send after it changed",
        )
    if hub and traits.lanes > 1 and device.kind == "GPU":
        yield Bottleneck(
            f"a vertex has {hub:,} arcs, {HUB} times the mean or more, in {traits.lanes} lanes",
            "run fewer lanes at once, if such vertices take most of the time",
        )
    if prepared.streamed > 1:
        yield Bottleneck(
            "the arcs are copied to the device in every superstep that needs them",
            "use a device with more memory, or allow more by device_memory=",
        )


def _hub(graph: Graph, direction: str) -> int:
    """`largest_degree`, if that is far above the mean; else 0."""
    most = largest_degree(graph, direction)
    return most if most * graph.num_vertices >= HUB * max(graph.num_edges, 1) else 0
