"""`Explanation`: how a program would run, and why, in words; `Engine.explain` returns it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gascl.codegen.constants import levels
from gascl.delivery.admission import halo_refuses
from gascl.delivery.device_facts import DeviceFacts
from gascl.delivery.exchanged_rows import exchanged_rows
from gascl.graph.graph import Graph
from gascl.graph.implicit_arcs import is_implicit
from gascl.graph.partition import Cut, senders_elsewhere, shares
from gascl.language.placeholder import example_of
from gascl.language.program import VertexProgram
from gascl.language.spec import ProgramSpec
from gascl.language.stage_discovery import inner_programs
from gascl.results.bottleneck import Bottleneck
from gascl.run.bottlenecks import bottlenecks
from gascl.run.prepare import Prepared
from gascl.util import notebook_html
from gascl.util.units import amount

#: How many vertices are named whose arcs ranks share.
MOST_NAMED = 8


@dataclass(frozen=True)
class ExplainedRun:
    """How one program would run.

    Attributes:
        program: its name.
        graph: the graph's size in words.
        delivery: the name of the delivery.
        why: why it was chosen.
        not_chosen: why each other delivery was not, by name.
        direction: along which way messages travel, in words.
        numbering: how vertices are numbered on the device, and why.
        placement: where vertices and arcs are and, with several ranks, how evenly.
        exchange: how many bytes a rank receives after a superstep at most, and why; "" if there is
            only one.
        supersteps: how supersteps are launched, and why.
        arrays: in which memory array parameters are, and why; "" if there are none.
        pairs: which pairs are visited; "" without a `pairs` snippet.
        memory: the bytes that each buffer takes, by name.
        in_files: how many of all these bytes are in files; the others are on the device.
        limit: the bytes that the run may take.
        bottlenecks: what may take long.
    """

    program: str
    graph: str
    delivery: str
    why: str
    not_chosen: Mapping[str, str]
    direction: str
    numbering: str
    placement: str
    exchange: str
    supersteps: str
    arrays: str
    pairs: str
    memory: Mapping[str, int]
    in_files: int
    limit: int
    bottlenecks: tuple[Bottleneck, ...]

    def sections(self) -> list[tuple[str, list[str]]]:
        """The explanation as titles and lines."""
        held = sum(self.memory.values()) - self.in_files
        total = f"{amount(held)} of {amount(self.limit)} on the device"
        total += f", and {amount(self.in_files)} in files" if self.in_files else ""
        buffers = sorted(self.memory.items(), key=lambda item: -item[1])
        return [
            (
                f"delivery: {self.delivery}, since {self.why}",
                [f"not {name}: {why}" for name, why in self.not_chosen.items()],
            ),
            (f"direction: {self.direction}", []),
            (f"numbering: {self.numbering}", []),
            (f"placement: {self.placement}", []),
            *([(f"exchange: {self.exchange}", [])] if self.exchange else []),
            (f"supersteps: {self.supersteps}", []),
            *([(f"array parameters: {self.arrays}", [])] if self.arrays else []),
            *([(f"pairs: {self.pairs}", [])] if self.pairs else []),
            (f"memory: {total}", [f"{name}: {amount(size)}" for name, size in buffers]),
            (
                "bottlenecks:" if self.bottlenecks else "bottlenecks: none found",
                [f"{each.what}; {each.remedy}" for each in self.bottlenecks],
            ),
        ]

    def __str__(self) -> str:
        lines = [f"{self.program} on {self.graph}"]
        for title, details in self.sections():
            lines += [title, *(f"  {line}" for line in details)]
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class Explanation:
    """How a run would go: `print` shows it.

    Attributes:
        program: the name of the program.
        device: the name of the device.
        runs: the program's, or of a program with `solve` those of the programs that its code
            names, with any values of their parameters.
    """

    program: str
    device: str
    runs: tuple[ExplainedRun, ...]

    def __str__(self) -> str:
        head = f"device: {self.device}"
        if [run.program for run in self.runs] != [self.program]:
            names = ", ".join(run.program for run in self.runs) or "no program that its code names"
            head = f"{self.program} runs: {names}\n{head}"
        return "\n\n".join([head, *map(str, self.runs)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [notebook_html.line(f"device: {self.device}")]
        for run in self.runs:
            rows = [(title, "; ".join(lines)) for title, lines in run.sections()]
            parts.append(notebook_html.line(f"{run.program} on {run.graph}"))
            parts.append(notebook_html.table(("", ""), rows))
        return notebook_html.page(self.program, *parts)


def stage_programs(program: VertexProgram, lanes: int = 1) -> list[VertexProgram]:
    """Examples of the programs that a program with `solve` runs, as far as its code shows.

    Args:
        lanes: those of programs that may have several.
    """
    cls = type(program)
    examples = [example_of(each, program.dtype, lanes) for each in inner_programs(cls)]
    for example in examples:
        example.run_by = cls.__name__
    return examples


def explained(
    program: VertexProgram,
    graph: Graph,
    device: DeviceFacts,
    prepared: Prepared,
    again: Prepared | None = None,
) -> ExplainedRun:
    """A prepared run in words.

    Args:
        again: how it begins again in supersteps if a snippet calls `needs_order`; None: no snippet
            does, or it has supersteps anyway.
    """
    renumbered, persistent = prepared.renumbered, prepared.persistent
    constant, memory = prepared.constant, "constant" if prepared.constant.chosen else "global"
    own = "the graph's own numbers"
    launched = "all in one launch" if persistent.chosen else "launches for each"
    if prepared.delivery.queues:
        launched = "none, but rounds, all in one launch"
    if prepared.delivery.in_place:
        launched = "none, but passes over all vertices, all in one launch"
    restart = f"; by {again.choice.name}, if it turns out that the order matters" if again else ""
    extent = prepared.layout.extent
    arcs = extent.arcs if extent.all_arcs is None else extent.all_arcs
    if prepared.streamed > 1 and extent.all_arcs is None:
        arcs = graph.num_arcs
    balance, exchange = _on_ranks(program, graph, prepared)
    return ExplainedRun(
        program=type(program).__name__,
        graph=f"{graph.num_vertices:,} vertices and {arcs:,} arcs",
        delivery=prepared.choice.name,
        why=prepared.choice.why,
        not_chosen=prepared.choice.others,
        direction=_direction(prepared),
        numbering=f"{prepared.numbering or own}: {renumbered.why}",
        placement=prepared.placement + balance,
        exchange=exchange,
        supersteps=f"{launched}, since {persistent.why}{restart}",
        arrays=f"{memory} memory, since {constant.why}" if program.spec.arrays else "",
        pairs=_pairs(program.spec, extent.vertices),
        memory=prepared.named_sizes(),
        in_files=prepared.in_files,
        limit=prepared.limit,
        bottlenecks=tuple(bottlenecks(program, graph, device, prepared)),
    )


def _pairs(spec: ProgramSpec, vertices: int) -> str:
    """Which pairs are visited, in words."""
    if "pairs" not in spec.snippets:
        return ""
    if spec.pairs_at is None:
        return f"all {vertices * (vertices - 1):,}"
    near, merge = (spec.snippet(f"pairs_{name}") for name in ("within", "merge"))
    parts = [f"at most {near.text} apart"] if near else []
    parts += [f"as one with groups where {merge.text}"] if merge else []
    found = f"found by {spec.pairs_at} in a tree of {sum(levels(vertices)):,} groups"
    return " ".join(" and ".join(parts).split()) + f", {found}"


def _on_ranks(program: VertexProgram, graph: Graph, prepared: Prepared) -> tuple[str, str]:
    """How evenly ranks share the graph, and how many bytes this one receives after a superstep at
    most; "" if there is only one."""
    share, source = prepared.share, prepared.source
    if share is None:
        return "", ""
    arcs = prepared.numbered[1] if prepared.numbered else graph.arcs(prepared.edges)
    parts = shares(arcs.in_offsets, share)
    counts = [(part.last - part.first, part.num_arcs) for part in parts]
    ranges = [f"{min(each):,} to {max(each):,}" for each in zip(*counts, strict=True)]
    balance = f"; ranks have {ranges[0]} vertices and {ranges[1]} arcs"
    cuts = parts[share.rank].cuts
    balance += _shared_rows(graph, prepared, cuts) if cuts else ""
    balance += "" if cuts else _crowded(graph, prepared, arcs.in_offsets, share.ranks)
    part, buffers = parts[share.rank], prepared.layout.own
    rows = exchanged_rows(program.spec, source.traits, source.delivery, buffers)
    here = prepared.layout.extent.vertices
    width = sum(buffers[key].nbytes // max(here, 1) for key in rows)
    width += 4 * source.delivery.active.lists_receivers
    others = graph.num_vertices - (part.last - part.first)
    received = "after a superstep, a rank receives up to"
    every = f"{amount(width * others)}, {width} bytes of each vertex of other ranks"
    if why := halo_refuses(source.traits):
        return balance, f"{received} {every}, since {why}"
    senders = here - (part.last - part.first)
    if not prepared.local.chosen:
        senders = len(senders_elsewhere(arcs.part(part).into.ends, part, graph.num_vertices))
    halos = prepared.halos if max(prepared.halos) else ()
    halo = (
        f"{amount(width * senders)}, {width} bytes of each vertex of other ranks that sends to its "
        f"own, of which there are {senders:,}"
        + (f" ({min(halos):,} to {max(halos):,} for each rank)" if len(halos) > 1 else "")
    )
    if prepared.local.chosen:
        return balance, f"{received} {halo}"
    return balance, f"{received} {halo}; on one host, {every}, through shared memory"


def _crowded(graph: Graph, prepared: Prepared, offsets: np.ndarray, ranks: int) -> str:
    """The vertex that alone has more arcs than an equal share of a rank, which all are on one rank,
    and what to do; "" if there is none.

    Args:
        offsets: where the arcs of each receiver begin.
    """
    if is_implicit(graph):  # each vertex has a few
        return ""
    degrees, total = np.diff(offsets), int(offsets[-1])
    most = int(degrees.max(initial=0))
    if most * ranks <= total:
        return ""
    useful = total // most
    remedy = "one device" if useful == 1 else f"at most {useful:,} ranks"
    vertex = _label(graph, prepared, int(degrees.argmax()))
    return (
        f"; {most:,} arcs end in vertex {vertex} alone, more than the {total // ranks:,} of an "
        "equal share, and all are on one rank, however many ranks there are, since "
        f"{prepared.cut.why}: use {remedy}"
    )


def _shared_rows(graph: Graph, prepared: Prepared, cuts: Sequence[Cut]) -> str:
    """The vertices whose arcs ranks share."""
    each = [f"{_label(graph, prepared, cut.row)} ({cut.end - cut.begin:,})" for cut in cuts]
    more = f" and {len(each) - MOST_NAMED:,} more" if len(each) > MOST_NAMED else ""
    return f"; ranks share the arcs that end in {', '.join(each[:MOST_NAMED])}{more}"


def _label(graph: Graph, prepared: Prepared, row: int) -> str:
    """The label of the vertex with a number on the device."""
    vertex = row if prepared.numbering is None else int(prepared.numbering.order[row])
    return repr(graph.label_of(vertex))


def _direction(prepared: Prepared) -> str:
    """The direction in which messages travel."""
    traits, delivery = prepared.traits, prepared.delivery
    if not traits.scatters:
        return "no messages travel along arcs"
    if delivery.reaches:
        return (
            "while few arcs go out from the frontier, the vertices at their ends pull along the "
            "arcs that end in them; else all vertices pull"
        )
    if delivery.pulls:
        return "senders push while few arcs go out from the frontier; else receivers pull"
    if delivery.queues:
        return "senders push along the arcs that begin in them, and messages are applied at once"
    if delivery.arcs == "in":
        return "receivers pull along the arcs that end in them"
    if delivery.inbox:
        return "senders push along the arcs that begin in them, and messages combine atomically"
    return "senders store a message for each arc, and receivers gather them"
