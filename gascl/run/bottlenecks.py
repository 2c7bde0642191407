"""Likely bottlenecks of a run, judged by its snippets and by the graph's degrees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gascl.codegen.constants import MOST_LOOKED
from gascl.delivery.device_facts import DeviceFacts
from gascl.graph.graph import Graph
from gascl.graph.implicit_arcs import is_implicit
from gascl.language.program import VertexProgram
from gascl.language.reductions import NeighborLoop, neighbor_loops
from gascl.language.turns import turns_of
from gascl.results.bottleneck import Bottleneck
from gascl.run.prepare import Prepared, degrees_of_rows
from gascl.run.push_pull import largest_degree

#: A vertex with this many times the mean degree is a hub.
HUB = 32
#: About how many seconds a single work-item of a GPU takes for a turn of a loop over neighbors,
#: which waits for memory twice, and for a message of a gather snippet in global memory, and in
#: windows in local memory: 17.5 and 2.4 ms for 64,000, and 6.9 for 2^20, on an H100; and a
#: work-group for one that changes nothing: 1.0 ms for 2^20, on an H200.
TURN, READ, READ_IN_WINDOW, LOOKED_AT = 2.7e-7, 3.8e-8, 6.6e-9, 1.0e-9
#: Words of apply that look at the neighbors of any vertex.
_OF_OTHERS = ("neighbor_of", "has_edge", "common", "for_common")


def bottlenecks(
    program: VertexProgram, graph: Graph, device: DeviceFacts, prepared: Prepared
) -> Iterator[Bottleneck]:
    """What may take long in a run."""
    yield from by_one_item(program, graph, device, prepared)
    spec, traits, delivery = program.spec, prepared.traits, prepared.delivery
    hub, row_hub = _hub(graph, spec.direction), _row_hub(program, graph)
    if row_hub and spec.snippet("scatter").uses("common", "for_common"):
        yield Bottleneck(
            f"scatter looks for common neighbors in long rows, such as one with {row_hub:,} arcs",
            "run it on graph.oriented(), whose rows are short, if each triangle need be found only "
            "once",
        )
    if traits.scatters and not (traits.sends_only or traits.scatters_once):
        yield Bottleneck(
            "scatter does more than send along its arcs, so no delivery can leave out or repeat an "
            "arc's scatter, as pulling does",
            "let scatter only send, and set masks or call send_to in apply, if that is possible",
        )
    loops = prepared.atomic == "cas"
    kept = traits.only_answers and delivery.keeps_answers(traits)  # for each arc
    if delivery.has_inbox(traits) and not kept and not traits.first and (loops or hub):
        how = "compare-and-swap loops" if loops else "atomic operations"
        row = f"; {hub:,} arcs end in the largest hub" if hub else ""
        yield Bottleneck(
            f"{how} combine messages to a vertex, and wait for each other where many arrive{row}",
            "combine 32-bit integers by min, max or sum, for which devices have atomic operations"
            if loops
            else "try delivery='pull', if most vertices send in most supersteps",
        )
    if traits.scatters and not traits.scatters_on_all:
        if not (traits.receives or prepared.cut.chosen):  # receive_if would undo the cut
            yield Bottleneck(
                "every vertex receives in every superstep, even if nothing can change anymore",
                "declare receive_if= if vertices can tell by their fields that they need no more "
                "messages",
            )
        # One message cannot stand for the others.
        all_count = spec.combiner is not None and spec.combiner.name in (
            "min",
            "max",
            "sum",
            "prod",
        )
        if not (all_count or delivery.queues or traits.counts_once):
            yield Bottleneck(
                "all messages to a vertex are combined, even if one is enough",
                "declare combine = 'first', or enough, if a vertex is done with one message",
            )
    once = program.fixed_supersteps() == 1
    if traits.scatters and traits.scatters_on_all and spec.apply_on == "message" and not once:
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


def by_one_item(
    program: VertexProgram, graph: Graph, device: DeviceFacts, prepared: Prepared
) -> tuple[Bottleneck, ...]:
    """Bottlenecks where a single work-item handles a vertex, which may have many arcs."""
    spec, traits = program.spec, prepared.traits
    on_gpu, found = device.kind == "GPU", list[Bottleneck]()
    apply = spec.snippet("apply")
    # In place, a loop can be replaced by nothing else, and work-items of CPUs share none.
    loops = () if prepared.delivery.in_place else neighbor_loops(spec, program.dtype)
    row = _row_hub(program, graph) if loops or traits.apply_visits_neighbors else 0
    for loop in loops:
        if loop.why_not or not prepared.shares.chosen:
            found += _of_loop(program, loop, row, prepared, on_gpu)
    if prepared.delivery.in_place and on_gpu:
        found += _in_place(program, graph)
    if apply.uses(*_OF_OTHERS):
        many = f"{row:,} " if row else ""
        degrees = degrees_of_rows(graph, spec).astype(np.float64) if on_gpu and row else np.ones(1)
        # The mean degree of neighbors: vertices of high degree are neighbors of many.
        turns = row * float((degrees**2).sum() / max(degrees.sum(), 1.0))
        shared = prepared.shares.chosen and not any(loop.why_not for loop in loops)
        who = "a work-group" if shared else "one work-item"
        found.append(
            Bottleneck(
                f"{who} looks at the neighbors of the {many}neighbors of a vertex, or of "
                "other vertices, in apply",
                "look for common neighbors by for_common or common in scatter, whose arcs are "
                "shared out, or send values along arcs and combine them",
                0.0 if shared else turns * TURN,
            )
        )
    if traits.reads_singly and not traits.groups:
        most = _hub(graph, spec.direction)
        row_text = f", {most:,} to the largest hub," if most else ""
        who, each = "a single work-item", READ_IN_WINDOW if traits.gathers_by_windows else READ
        if traits.looks_ahead and on_gpu:
            who, each = "a work-group", LOOKED_AT
        found.append(
            Bottleneck(
                f"gather reads messages one by one: {who} all those to a vertex"
                f"{row_text} which are stored, one for each arc",
                "declare combine= instead, if they are only added up, compared or joined in pairs",
                on_gpu * most * each,
            )
        )
    return tuple(found)


def _in_place(program: VertexProgram, graph: Graph) -> Iterator[Bottleneck]:
    """Loops over neighbors of which one work-item runs few turns, and a work-group none. Where
    apply asks for the vertex with the most neighbors, it is taken to stop early."""
    apply = program.spec.snippet("apply")
    most = int(degrees_of_rows(graph, program.spec).max(initial=0))
    if most <= MOST_LOOKED or not apply.uses("neighbor") or "hub" in apply.reads("g"):
        return
    remedy = (
        "let apply stop early, as that of ConnectedComponents does in the tree of g.hub, or send "
        "values along arcs and combine them"
    )
    if turns_of(program.spec, program.dtype) is not None:
        yield Bottleneck(
            f"a vertex has {most:,} neighbors: one work-item runs those turns of the loop over "
            "them that send something, or change a variable or the vertex",
            remedy,
        )
        return
    yield Bottleneck(
        f"a vertex has {most:,} neighbors, of which one work-item looks at {MOST_LOOKED}: where "
        "apply goes on, the run begins again in supersteps",
        remedy,
    )


def _of_loop(
    program: VertexProgram, loop: NeighborLoop, row: int, prepared: Prepared, on_gpu: bool
) -> Iterator[Bottleneck]:
    """A loop over neighbors that one work-item runs alone."""
    if not row and not loop.why_not:
        return
    place = program.spec.snippet("apply").place(loop.line)
    many = f"{row:,} " if row else "all "
    why = loop.why_not or prepared.shares.why
    remedy = "send what it reads along the arcs, and combine the messages, which is balanced"
    if loop.reduction and not loop.reduction.accumulators:
        remedy = "let scatter call set_mask_of(e.dst), whose arcs work-items share"
    if loop.reduction and loop.reduction.accumulators:
        each = [repr(one.message) for one in loop.reduction.accumulators]
        how = f"combine={each[0]}"
        if len(each) > 1:
            joined = f"{', '.join(each[:-1])} and {each[-1]}"
            how = f"a member for each reduction, and a combiner that joins these by {joined},"
        remedy = f"a message with {how} would be balanced"
    yield Bottleneck(
        f"one work-item loops over {many}neighbors of a vertex, in apply ({place}), since {why}",
        remedy,
        row * TURN if on_gpu else 0.0,
    )


def _row_hub(program: VertexProgram, graph: Graph) -> int:
    """The largest number of neighbors of a vertex, if that is far above the mean; else 0."""
    if is_implicit(graph):  # its rows are short
        return 0
    degrees = degrees_of_rows(graph, program.spec)
    most = int(degrees.max(initial=0))
    return most if most * graph.num_vertices >= HUB * max(graph.num_edges, 1) else 0


def _hub(graph: Graph, direction: str) -> int:
    """`largest_degree`, if that is far above the mean; else 0."""
    most = largest_degree(graph, direction)
    return most if most * graph.num_vertices >= HUB * max(graph.num_edges, 1) else 0
